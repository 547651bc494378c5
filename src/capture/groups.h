/* groups: the process groups of a capture, and their numbers in the traces.
 *
 * PyTorch names groups by text that each process counts for itself; traces want one number for one
 * communicator. The first group of all ranks is 0, which needs no entry in a groups file. Of the
 * others each keeps its name when that is a number nobody else claims, else gets the next free one,
 * in order of (ranks, name). Books of several ranks are merged: groups of the same ranks in the
 * same order and of one name are one; where processes counted apart, so that the names differ,
 * the k-th of those ranks is one everywhere. */
#ifndef NADI_CAPTURE_GROUPS_H
#define NADI_CAPTURE_GROUPS_H

#include "base/str.h"
#include "capture/host.h"
#include "capture/kineto.h"

struct nadi_book_group {
    uint32_t name;        /* number in names */
    uint32_t description; /* or NADI_NONE */
    uint32_t *ranks;      /* NULL: unknown */
    uint32_t count;       /* of ranks; when they are unknown: the size that was said */
    uint32_t number;      /* after numbering */
};

struct nadi_group_book {
    struct nadi_arena arena;
    struct nadi_names names;
    struct {
        struct nadi_book_group *items;
        size_t count, capacity;
    } groups;
    uint32_t world; /* ranks of the job, as far as known; 0: nothing was said */
};

void nadi_groups_book_init(struct nadi_group_book *b);
void nadi_groups_book_release(struct nadi_group_book *b);

/* What the capture says: process_group:init nodes, "distributedInfo", arguments of collectives.
 * host may be NULL. */
void nadi_groups_collect(struct nadi_group_book *b, const struct nadi_host *host,
                         const struct nadi_kineto *kineto);

/* Index of the group with this name, or NADI_NONE. */
uint32_t nadi_groups_book_find(const struct nadi_group_book *b, const char *name, size_t bytes);

/* Numbers the groups of all books together. The job has `world` ranks, if that is more than the
 * books say. */
void nadi_groups_number(struct nadi_group_book *const *books, size_t count, uint32_t world);

/* {"1": [0, 1], ...}: the groups of all books but 0, ascending, once each. False when there are
 * none. */
bool nadi_groups_json(struct nadi_group_book *const *books, size_t count, struct nadi_str *out);

#endif
