/* load_trusted: a tier of kind trusted-pool: what its engines make of the provider's memory. */
#include "inputs/load_trusted.h"

#include "base/str.h"
#include "format/doc.h"
#include "trusted/tier.h"

#include <math.h>

static struct nadi_place place_of(const struct nadi_schema_values *v, const char *file,
                                  const struct nadi_doc_node *node)
{
    struct nadi_place place = nadi_doc_place(v->doc, node);
    place.file = file;
    return place;
}

static struct nadi_trusted_bench bench_of(const struct nadi_schema_values *v,
                                          const struct nadi_mem_tier *tier)
{
    struct nadi_trusted_bench b;
    nadi_trusted_bench_init(&b);
    struct nadi_trusted_options *o = &b.options;
    struct nadi_trusted_times *t = &b.times;
    o->page_bytes = (uint32_t)nadi_schema_integer(v, "page");
    o->oblivious = (enum nadi_oblivious)nadi_schema_word(v, "oblivious");
    o->owner_entries = (uint32_t)nadi_schema_integer(v, "owner-entries");
    o->owner_associativity = (uint32_t)nadi_schema_integer(v, "owner-associativity");
    o->tree_arity = (uint32_t)nadi_schema_integer(v, "tree-arity");
    o->tree_cache_nodes = (uint32_t)nadi_schema_integer(v, "tree-cache");
    o->dummies = nadi_schema_number(v, "dummies");
    o->bucket = (uint32_t)nadi_schema_integer(v, "bucket");
    o->top_levels = (uint32_t)nadi_schema_integer(v, "top-levels");
    o->labels = (uint32_t)nadi_schema_integer(v, "labels");
    t->request_ns = nadi_schema_number(v, "request-time");
    t->link_ns = nadi_schema_number(v, "link-latency");
    t->link_bytes_per_ns = nadi_schema_number(v, "link-bandwidth") * 1e-9;
    t->hit_ns = nadi_schema_number(v, "hit-time");
    t->miss_ns = nadi_schema_number(v, "miss-time");
    t->dram_ns = tier->latency_ns;
    t->dram_bytes_per_ns = isinf(tier->read_rate) ? 0 : tier->read_rate;
    t->cipher_ns = nadi_schema_number(v, "cipher-latency");
    t->cipher_bytes_per_ns = nadi_schema_number(v, "cipher-bandwidth") * 1e-9;
    t->node_ns = nadi_schema_number(v, "node-time");
    t->oram_ns = nadi_schema_number(v, "oram-time");
    t->rdma_ns = nadi_schema_number(v, "rdma-time");
    t->region_bytes = (uint64_t)nadi_schema_integer(v, "region");
    b.threads = tier->in_flight;
    return b;
}

/* What the tier says that the engines do not have. */
static const char *refusal_of_tier(const struct nadi_mem_tier *tier)
{
    if (tier->capacity_bytes == UINT64_MAX)
        return "give `capacity`, the provider's memory: a trusted pool needs one";
    if (fabs(tier->write_rate - tier->read_rate) > 1e-9 * tier->read_rate)
        return "the provider's memory has one bandwidth: give `read` alone";
    if (tier->groups > 1 || tier->ports > 1)
        return "a trusted pool has one provider with one port: no `groups`, no `ports`";
    if (tier->step_count)
        return "a trusted pool's bandwidth follows from its pages: no `efficiency`";
    if (tier->granule_bytes > 1)
        return "a trusted pool moves pages: `page` of `trusted`, no `granule`";
    return NULL;
}

/* Says what the engines cost. */
static void say(const struct nadi_mem_tier *tier, const struct nadi_trusted_bench *b,
                const struct nadi_trusted_tier *t, uint64_t provided, struct nadi_place place,
                struct nadi_diags *diags)
{
    const double page = b->options.page_bytes;
    char one[32], plain[32], rdma[32], rate[32], usable[32], stored[32], stranded[32];
    nadi_note(diags, "memory/trusted", place,
              "all figures of trusted pools are illustrative: no public text states them",
              "tier '%s' is a trusted pool: an access of a page moves %.6g, takes %s (plain pool "
              "%s, RDMA %s), "
              "many %s; "
              "%s of %s can be used, RDMA would strand up to %s for each user",
              tier->name, nadi_trusted_amplification(&b->options),
              nadi_units_time(one, t->latency_ns + page / t->read_bytes_per_ns),
              nadi_units_time(plain, nadi_plain_pool_ns(&b->times, b->options.page_bytes)),
              nadi_units_time(rdma, nadi_rdma_ns(&b->times, b->options.page_bytes, false)),
              nadi_units_rate(rate, t->read_bytes_per_ns * 1e9),
              nadi_units_bytes(usable, (double)tier->capacity_bytes),
              nadi_units_bytes(stored, (double)provided),
              nadi_units_bytes(stranded, (double)b->times.region_bytes - page));
}

bool nadi_load_trusted(struct nadi_mem_tier *tier, const struct nadi_schema_values *v,
                       const char *file, const struct nadi_doc_node *node, struct nadi_diags *diags)
{
    struct nadi_trusted_bench b = bench_of(v, tier);
    struct nadi_trusted_tier t;
    const uint64_t provided = tier->capacity_bytes;
    const struct nadi_place place = place_of(v, file, node);
    const char *why = refusal_of_tier(tier);
    if (!why)
        why = nadi_trusted_refusal(&b.options);
    if (why)
        return nadi_error(diags, "memory/trusted", place, NULL, "tier '%s': %s", tier->name, why);
    const uint64_t pages = nadi_trusted_tier_pages(&b.options, provided);
    b.options.pages = (uint32_t)pages;
    if (pages == 0)
        return nadi_error(diags, "memory/trusted", place, "a larger `capacity`",
                          "tier '%s' holds not one page with what belongs to it", tier->name);
    if (nadi_trusted_frames(&b.options) > NADI_TIER_FRAMES_MOST)
        return nadi_error(diags, "memory/trusted", place, "a larger `page`: up to 2MiB",
                          "tier '%s' has more than %d frames of %u bytes", tier->name,
                          NADI_TIER_FRAMES_MOST, b.options.page_bytes);
    if (nadi_trusted_tier_measure(&b, &t) != NADI_TRUST_OK)
        NADI_BUG("an access without an attacker is refused");
    tier->capacity_bytes = pages * b.options.page_bytes;
    tier->granule_bytes = b.options.page_bytes;
    tier->latency_ns = t.latency_ns;
    tier->read_rate = t.read_bytes_per_ns;
    tier->write_rate = t.write_bytes_per_ns;
    tier->in_flight = 0; /* pages in flight are in the rate */
    say(tier, &b, &t, provided, place, diags);
    return true;
}
