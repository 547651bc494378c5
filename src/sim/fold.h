/* fold: finds the ranks that are one.
 *
 * Ranks get colours, and colours are refined until they are stable (colour refinement, Weisfeiler
 * and Leman 1968): a rank's colour is its graph up to peers and groups, then also the colours and
 * the distances of its peers, and of its groups' members, place by place. A group whose members all
 * have one colour and whose places are all alike (every distance that its algorithm uses has one
 * route) is seen the same from each of its places. Stable colours are a fibration: what a rank
 * receives, and when, is a function of colours alone, so ranks of one colour do the same things at
 * the same times. Colours are 64-bit hashes; the final classes are checked member by member against
 * their representatives, so that no hash decides.
 *
 * Cost: O(ranks * (groups + peers of a rank)) a round; as many rounds as the longest chain of ranks
 * that only their distance from its end tells apart (pipeline stages). */
#ifndef NADI_SIM_FOLD_H
#define NADI_SIM_FOLD_H

#include "executor/fold.h"
#include "inputs/inputs.h"

struct nadi_folding;

/* NULL where nothing can be folded; *why_not then says so, a static text, here and below. */
struct nadi_folding *nadi_folding_open(const struct nadi_inputs *in,
                                       const char **why_not) NADI_MUST_USE;
void nadi_folding_close(struct nadi_folding *f); /* NULL is allowed */

/* The classes of the whole workload. NULL where folding saves nothing or cannot be proved. */
struct nadi_fold *nadi_fold_whole(struct nadi_folding *f, const char **why_not) NADI_MUST_USE;
/* The classes of its first part: of the ranks up to their first collective of a deferred group.
 * As few groups are deferred as leave at most `most` classes; NULL where there is no such part. */
struct nadi_fold *nadi_fold_part(struct nadi_folding *f, uint32_t most) NADI_MUST_USE;
/* May the messages of the one class of `fold` stand for those of all, where they meet or their
 * order matters? NULL, or why not. Every message must go as far for all ranks (network/uniform.h).
 * O(ranks * distances). */
const char *nadi_fold_not_uniform(const struct nadi_inputs *in,
                                  struct nadi_fold *fold) NADI_MUST_USE;
/* The classes of ranks that shifts of the network map to each other, with all that happens: they
 * may be simulated where messages meet. NULL where there are none. O(ranks * their groups and
 * peers, in a graph also its routes' links) for each shift that is tried. */
struct nadi_fold *nadi_fold_shifts(struct nadi_folding *f, const char **why_not) NADI_MUST_USE;
/* With memory tiers: how many ranks one stands for there. NULL where that cannot be: the ranks of a
 * port, a lane or an instance must all be of one class, and as many everywhere; what is served in
 * the order of events, or through the network, is not folded. O(ranks + servers). */
struct nadi_tier_users;
struct nadi_tier_users *nadi_fold_tier_users(const struct nadi_inputs *in,
                                             const struct nadi_fold *fold,
                                             const char **why_not) NADI_MUST_USE;
void nadi_tier_users_destroy(struct nadi_tier_users *users); /* NULL is allowed */
void nadi_fold_destroy(struct nadi_fold *f);                 /* NULL is allowed */

#endif
