/* pages: pages of a requester at a level of obliviousness, behind opaque handles.
 *
 *   none        a page is a frame of the provider; the handle is (frame, generation)
 *   shuffle     an access reads the page's frame and writes it to a fresh frame, drawn from the
 * free ones of the requester's set, twice as many as pages. Reads of other frames hide some. What
 * it hides is where pages lie; when a page is used again it shows. path-oram   oram.h: nothing
 * shows but how many accesses there are, and when
 *
 * Pages of shuffle and path-oram are of a space of fixed size, all of whose frames are the
 * requester's from the start; handles are (page, generation). A new page reads as zeros, and so
 * does one that was freed and given away again. */
#ifndef NADI_TRUSTED_PAGES_H
#define NADI_TRUSTED_PAGES_H

#include "trusted/oram.h"
#include "trusted/requester.h"

enum nadi_oblivious { NADI_OBLIVIOUS_NONE, NADI_OBLIVIOUS_SHUFFLE, NADI_OBLIVIOUS_PATH_ORAM };

struct nadi_trusted_handle { /* opaque: as it was given */
    uint64_t value;
};

struct nadi_trusted_options {
    uint32_t pages;      /* of the space; none: frames of the provider */
    uint32_t page_bytes; /* 64 B to 2 MiB */
    enum nadi_oblivious oblivious;
    uint32_t owner_entries, owner_associativity; /* validation cache */
    uint32_t generation_bits;
    uint32_t tree_arity, tree_cache_nodes;
    uint64_t rekey_writes;
    uint32_t retries;
    double dummies;      /* shuffle: reads of other frames, for each access */
    uint32_t bucket;     /* path-oram: Z */
    uint32_t top_levels; /* levels of buckets on chip */
    uint32_t labels;     /* of a block of the map; 0: the map is on chip */
    uint32_t stash_most; /* 0: any */
    bool shadow;
    unsigned ablated;
    const uint64_t *seed;
};

struct nadi_pages {
    struct nadi_trusted_options options;
    struct nadi_requester q;
    struct nadi_wire_entry *frames; /* shuffle: of each page, then the free ones; path-oram: of each
                                       slot */
    uint32_t frame_count;
    struct nadi_oram oram;
    struct nadi_oram_store store;
    struct nadi_trusted_random random;
    uint32_t *generations; /* of pages; the highest bit: given away */
    uint32_t *free;        /* pages */
    uint32_t free_count;
    uint8_t *body; /* of a page at work */
    struct nadi_wire_entry *path_entries;
    uint32_t place;         /* which the link showed of the last access: frame read, or leaf; */
    uint32_t place_written; /* frame written, or the leaf again */
    bool halted;
};

/* Illustrative: no public text states them. */
void nadi_trusted_options_init(struct nadi_trusted_options *o);
/* Why there can be no such engine, within the bounds of each number; NULL: there can. */
const char *nadi_trusted_refusal(const struct nadi_trusted_options *o);
/* Frames that a provider needs for a requester's pages. */
uint64_t nadi_trusted_frames(const struct nadi_trusted_options *o);
/* Bytes of a frame that are no user's page: what the ORAM keeps in it, and the tag. */
uint32_t nadi_trusted_extra_bytes(const struct nadi_trusted_options *o);
/* Pages that an access moves to and from the provider, dummies as their mean; the reading of a page
 * alone at level none. */
double nadi_trusted_amplification(const struct nadi_trusted_options *o);
/* A provider for so many requesters with these options each. */
void nadi_trusted_provider_init(struct nadi_provider *p, const struct nadi_trusted_options *o,
                                uint32_t requesters);

enum nadi_trust nadi_pages_init(struct nadi_pages *s, struct nadi_provider *p, uint32_t id,
                                const struct nadi_trusted_options *o,
                                const struct nadi_link *link) NADI_MUST_USE;
void nadi_pages_release(struct nadi_pages *s);

enum nadi_trust nadi_pages_alloc(struct nadi_pages *s, uint32_t count,
                                 struct nadi_trusted_handle *out) NADI_MUST_USE;
enum nadi_trust nadi_pages_free(struct nadi_pages *s, struct nadi_trusted_handle h) NADI_MUST_USE;
/* Writes every frame that the requester has, so that nothing is blank: as after long use. */
enum nadi_trust nadi_pages_fill(struct nadi_pages *s) NADI_MUST_USE;
/* `page`: page_bytes, of which a shadow has none (NULL is fine). */
enum nadi_trust nadi_pages_read(struct nadi_pages *s, struct nadi_trusted_handle h,
                                uint8_t *page) NADI_MUST_USE;
enum nadi_trust nadi_pages_write(struct nadi_pages *s, struct nadi_trusted_handle h,
                                 const uint8_t *page) NADI_MUST_USE;

#endif
