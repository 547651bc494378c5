/* fabric_text: answers of `nadi fabric` as text, JSON and CSV. */
#ifndef NADI_REPORT_FABRIC_TEXT_H
#define NADI_REPORT_FABRIC_TEXT_H

#include "base/str.h"
#include "fabric/phases.h"
#include "fabric/route.h"

/* ---- route ------------------------------------------------------------------------------------
 */

struct nadi_fabric_setting { /* of one element that is not off */
    const char *place; /* "1/0 in 2": input switch 2 of middle network 0 of middle network 1 */
    const char *kind;
    const char *crossings; /* "0+1>2": inputs 0 and 1 added up go to output 2 */
};

struct nadi_fabric_round { /* flows that go at once */
    struct nadi_fred_set set;
    const uint32_t *number; /* by flow of the set: its number among all; NADI_NONE: a part of one */
    const uint32_t *colours; /* by flow and level */
    struct nadi_fabric_setting *settings;
    uint32_t setting_count;
};

struct nadi_fabric_routed {
    uint32_t ports, middle; /* asked for */
    uint32_t levels;
    struct nadi_fred_set set;
    enum nadi_fred_verdict verdict;
    const uint32_t *smallest; /* of a conflict: flows */
    uint32_t smallest_count;
    bool least;            /* no smaller set of flows conflicts */
    const char *answer;    /* "serialise", ...; NULL: none was needed */
    const char *answer_is; /* a sentence about it */
    const uint32_t *place; /* re-place: where each port goes; else NULL */
    struct nadi_fabric_round *rounds;
    uint32_t round_count; /* 0: the answer failed */
};

void nadi_fabric_route_text(const struct nadi_fabric_routed *r, struct nadi_str *out);
void nadi_fabric_route_json(const struct nadi_fabric_routed *r, struct nadi_str *out);

/* ---- check ------------------------------------------------------------------------------------
 */

struct nadi_fabric_checked {
    uint32_t ports, middle;
    char placement[12];
    uint32_t phases, conflicts, undecided;
    struct nadi_fred_strategy strategy; /* of the first conflict, */
    enum nadi_fred_dim dim;             /* and its phase */
    const char *flows;                  /* the smallest set that conflicts there; NULL: none */
};

void nadi_fabric_check_text(const struct nadi_fabric_checked *rows, size_t count,
                            struct nadi_str *out);
void nadi_fabric_check_json(const struct nadi_fabric_checked *rows, size_t count,
                            struct nadi_str *out);
void nadi_fabric_check_csv(const struct nadi_fabric_checked *rows, size_t count,
                           struct nadi_str *out);

/* ---- count ------------------------------------------------------------------------------------
 */

struct nadi_fabric_counted {
    uint32_t ports, middle;
    struct nadi_fred_counts counts;
};

void nadi_fabric_count_text(const struct nadi_fabric_counted *rows, size_t count,
                            struct nadi_str *out);
void nadi_fabric_count_json(const struct nadi_fabric_counted *rows, size_t count,
                            struct nadi_str *out);
void nadi_fabric_count_csv(const struct nadi_fabric_counted *rows, size_t count,
                           struct nadi_str *out);

#endif
