/* attack: attacks on a trusted pool, run against the engines on real bytes.
 *
 * Each is run twice: with all defences, where it must be refused for the expected reason, and with
 * the one taken away that is to stop it, where it must succeed. Else the test would prove nothing.
 */
#ifndef NADI_TRUSTED_ATTACK_H
#define NADI_TRUSTED_ATTACK_H

#include "trusted/pages.h"

enum { NADI_ATTACK_PAGES = 64, NADI_ATTACK_PAGE_BYTES = 64 };

struct nadi_attack_world {
    struct nadi_provider provider;
    struct nadi_pages user, other; /* of two requesters, at level none */
    struct nadi_link link;
    struct nadi_trusted_handle pages[4]; /* the user's, each written once */
    /* The link's attacker: what it does with the message at hand. */
    struct nadi_attack_link {
        enum nadi_attack_deed {
            NADI_DEED_NONE,
            NADI_DEED_KEEP,     /* a copy */
            NADI_DEED_DROP,     /* and keep a copy */
            NADI_DEED_RETARGET, /* a write to another frame */
            NADI_DEED_CUT,      /* a write of two pages to one */
            NADI_DEED_ACCEPT,   /* a refusal becomes an OK */
            NADI_DEED_ANSWER,   /* an OK of its own, for a request that it drops */
            NADI_DEED_OLD,      /* the kept copy instead */
            NADI_DEED_KEY,      /* another public key */
        } deed;
        enum nadi_wire_direction direction;
        uint8_t *copy;
        size_t copy_bytes;
        uint32_t frame;
        struct nadi_provider *provider;
    } attacker;
};

struct nadi_attack_outcome {
    bool succeeded;
    enum nadi_trust reason; /* why it was refused */
};

struct nadi_attack {
    const char *name, *what;
    const char *defence; /* in words */
    enum nadi_trust reason;
    unsigned ablation;
    uint32_t generation_bits; /* 0: as usual */
    uint32_t retries;
    struct nadi_attack_outcome (*run)(struct nadi_attack_world *w);
};

/* Ends with one without a name. */
extern const struct nadi_attack nadi_attacks[];

struct nadi_attack_row {
    const struct nadi_attack *attack;
    struct nadi_attack_outcome with, without; /* the defence */
};

/* Refused for the expected reason, and successful without the defence? */
bool nadi_attack_is_held(const struct nadi_attack_row *r);
void nadi_attack_run(const struct nadi_attack *a, uint64_t seed, struct nadi_attack_row *r);
/* "owner", "page-mac": the name of one ablation. */
const char *nadi_ablation_name(unsigned ablation);

/* ---- shared by the attacks ------------------------------------------------------------------- */

/* By number of engine: what a compromised engine may send. pages NULL: none. */
enum nadi_trust nadi_attack_send(struct nadi_requester *q, enum nadi_wire_op op,
                                 struct nadi_wire_entry e, uint8_t *pages);
struct nadi_wire_entry nadi_attack_entry(struct nadi_trusted_handle h);
struct nadi_attack_outcome nadi_attack_by_status(enum nadi_trust found);
/* Sets what the link does with the next message in that direction. */
void nadi_attack_set(struct nadi_attack_world *w, enum nadi_attack_deed deed,
                     enum nadi_wire_direction d);
bool nadi_attack_pass(void *context, enum nadi_wire_direction d, uint8_t *bytes, size_t *count);

struct nadi_attack_outcome nadi_attack_alter_request(struct nadi_attack_world *w);
struct nadi_attack_outcome nadi_attack_cut_request(struct nadi_attack_world *w);
struct nadi_attack_outcome nadi_attack_alter_reply(struct nadi_attack_world *w);
struct nadi_attack_outcome nadi_attack_drop(struct nadi_attack_world *w);
struct nadi_attack_outcome nadi_attack_repeat(struct nadi_attack_world *w);
struct nadi_attack_outcome nadi_attack_reorder(struct nadi_attack_world *w);
struct nadi_attack_outcome nadi_attack_old_reply(struct nadi_attack_world *w);
struct nadi_attack_outcome nadi_attack_forge(struct nadi_attack_world *w);
struct nadi_attack_outcome nadi_attack_false_key(struct nadi_attack_world *w);

#endif
