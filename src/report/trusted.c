#include "report/trusted.h"

#include "base/units.h"
#include "format/csv_write.h"
#include "format/json_write.h"

static const char *const parts[NADI_PARTS] = {
    [NADI_PART_REQUEST] = "request", [NADI_PART_VALIDATE] = "validate", [NADI_PART_DRAM] = "DRAM",
    [NADI_PART_REPLY] = "reply",     [NADI_PART_CIPHER] = "cipher",     [NADI_PART_TREE] = "tree",
    [NADI_PART_ORAM] = "ORAM"};

/* ---- what everything follows from ------------------------------------------------------------ */

struct figures {
    double pages_moved, bytes_moved;    /* of an access, between the engines */
    double accesses_per_s, useful_rate; /* the most that the link carries */
    uint64_t user_bytes, frames, storage_bytes, region_bytes;
    double plain_ns, rdma_ns, rdma_cipher_ns;
};

static struct figures figures_of(const struct nadi_trusted_bench *b)
{
    const struct nadi_trusted_options *o = &b->options;
    const struct nadi_trusted_times *t = &b->times;
    const uint32_t stored = o->page_bytes + nadi_trusted_extra_bytes(o);
    struct figures f = {.pages_moved = nadi_trusted_amplification(o)};
    f.bytes_moved = f.pages_moved * stored;
    f.accesses_per_s = t->link_bytes_per_ns * 1e9 / (f.pages_moved * o->page_bytes);
    f.useful_rate = f.accesses_per_s * o->page_bytes;
    f.user_bytes = (uint64_t)o->pages * o->page_bytes;
    f.frames = nadi_trusted_frames(o);
    f.storage_bytes = f.frames * stored;
    f.region_bytes = nadi_region_bytes(t, f.user_bytes);
    f.plain_ns = nadi_plain_pool_ns(t, o->page_bytes);
    f.rdma_ns = nadi_rdma_ns(t, o->page_bytes, false);
    f.rdma_cipher_ns = nadi_rdma_ns(t, o->page_bytes, true);
    return f;
}

/* ---- text ----------------------------------------------------------------------------------- */

void nadi_trusted_plan_text(const struct nadi_trusted_report *r, struct nadi_str *out)
{
    const struct nadi_trusted_options *o = &r->bench->options;
    const struct figures f = figures_of(r->bench);
    char page[32], all[32], moved[32], rate[32], useful[32], storage[32], region[32];
    nadi_str_printf(out, "%u pages of %s (%s), %s\n", o->pages,
                    nadi_units_bytes(page, o->page_bytes),
                    nadi_units_bytes(all, (double)f.user_bytes), r->oblivious);
    nadi_str_printf(out, "moved by an access     %.6g page%s (%s), %s with tags\n", f.pages_moved,
                    f.pages_moved > 1 ? "s" : "",
                    nadi_units_bytes(page, f.pages_moved * o->page_bytes),
                    nadi_units_bytes(moved, f.bytes_moved));
    nadi_str_printf(out, "at most                %s accesses/s, %s useful, of a link of %s\n",
                    nadi_units_count(page, f.accesses_per_s),
                    nadi_units_rate(useful, f.useful_rate),
                    nadi_units_rate(rate, r->bench->times.link_bytes_per_ns * 1e9));
    nadi_str_printf(out, "stored by the provider %llu frames, %s: %.3f times the pages\n",
                    (unsigned long long)f.frames,
                    nadi_units_bytes(storage, (double)f.storage_bytes),
                    (double)f.storage_bytes / (double)f.user_bytes);
    nadi_str_printf(out, "stranded               %s; by RDMA in regions of %s: %s\n",
                    nadi_units_bytes(storage, (double)(f.storage_bytes - f.user_bytes)),
                    nadi_units_bytes(region, (double)r->bench->times.region_bytes),
                    nadi_units_bytes(moved, (double)(f.region_bytes - f.user_bytes)));
    nadi_str_add(out, "Illustrative: no public text states latencies, rates, or sizes of caches of "
                      "such an engine.\n\n");
}

static void latency_rows(const struct nadi_trusted_report *r, struct nadi_str *out)
{
    const struct nadi_trusted_result *s = r->result;
    const struct figures f = figures_of(r->bench);
    char mean[32], median[32], p99[32], most[32];
    nadi_str_printf(out, "%-22s %10s %10s %10s %10s  %s\n", "latency of an access", "mean", "p50",
                    "p99", "most", "times");
    nadi_str_printf(out, "%-22s %10s %10s %10s %10s  %.3f\n", "trusted pool",
                    nadi_units_time(mean, s->mean_ns), nadi_units_time(median, s->p50_ns),
                    nadi_units_time(p99, s->p99_ns), nadi_units_time(most, s->most_ns), 1.0);
    const struct {
        const char *name;
        double ns;
    } others[] = {{"plain pool, unloaded", f.plain_ns},
                  {"RDMA, unloaded", f.rdma_ns},
                  {"RDMA, CPU encrypts", f.rdma_cipher_ns}};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        nadi_str_printf(out, "%-22s %10s %10s %10s %10s  %.3f\n", others[i].name,
                        nadi_units_time(mean, others[i].ns), "", "", "",
                        others[i].ns > 0 ? s->mean_ns / others[i].ns : 0);
}

void nadi_trusted_bench_text(const struct nadi_trusted_report *r, struct nadi_str *out)
{
    const struct nadi_trusted_result *s = r->result;
    const struct nadi_trusted_count *c = &s->count;
    char useful[32], raw[32], time[32];
    const double lookups = (double)(c->owner_hits + c->owner_misses);
    const double nodes = (double)(c->tree_hits + c->tree_reads);
    nadi_str_printf(out, "%llu accesses, pattern %s, %u thread%s\n\n",
                    (unsigned long long)c->accesses, r->pattern, r->bench->threads,
                    r->bench->threads == 1 ? "" : "s");
    latency_rows(r, out);
    nadi_str_printf(
        out, "\nbandwidth              %s useful, %s on the link\n",
        nadi_units_rate(useful, (double)c->useful_bytes / s->elapsed_ns * 1e9),
        nadi_units_rate(raw, (double)(c->request_bytes + c->reply_bytes) / s->elapsed_ns * 1e9));
    nadi_str_add(out, "share of the time     ");
    for (uint32_t p = 0; p < NADI_PARTS; p++)
        if (s->part_ns[p] > 0)
            nadi_str_printf(out, " %s %.1f %%", parts[p], 100 * s->part_ns[p] / s->mean_ns);
    nadi_str_printf(out,
                    "\nvalidation cache       %.2f %% of %llu look-ups hit\n"
                    "counter tree           %.2f %% of %llu nodes in the cache; %s on the host\n",
                    lookups > 0 ? 100 * (double)c->owner_hits / lookups : 0,
                    (unsigned long long)(c->owner_hits + c->owner_misses),
                    nodes > 0 ? 100 * (double)c->tree_hits / nodes : 0,
                    (unsigned long long)(c->tree_hits + c->tree_reads),
                    nadi_units_bytes(time, (double)s->tree_bytes));
    if (c->reencrypted)
        nadi_str_printf(out, "encrypted again        %llu pages, %llu overflows\n",
                        (unsigned long long)c->reencrypted, (unsigned long long)c->overflows);
    if (c->paths)
        nadi_str_printf(out, "stash                  at most %u blocks after an access\n",
                        s->stash_largest);
}

/* ---- JSON, CSV ------------------------------------------------------------------------------ */

static void json_counts(const struct nadi_trusted_count *c, struct nadi_json *j)
{
    nadi_json_object(j, "counts");
#define ROW(member, unit, words) nadi_json_u64(j, #member, c->member);
    NADI_TRUSTED_COUNTS(ROW)
#undef ROW
    nadi_json_close(j);
}

void nadi_trusted_bench_json(const struct nadi_trusted_report *r, struct nadi_str *out)
{
    const struct nadi_trusted_result *s = r->result;
    const struct nadi_trusted_bench *b = r->bench;
    const struct figures f = figures_of(b);
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_bool(&j, "illustrative", true);
    nadi_json_u64(&j, "pages", b->options.pages);
    nadi_json_u64(&j, "page_bytes", b->options.page_bytes);
    nadi_json_string(&j, "oblivious", r->oblivious);
    nadi_json_string(&j, "pattern", r->pattern);
    nadi_json_u64(&j, "threads", b->threads);
    nadi_json_double(&j, "pages_moved_per_access", f.pages_moved);
    nadi_json_u64(&j, "frames", f.frames);
    nadi_json_u64(&j, "stored_bytes", f.storage_bytes);
    nadi_json_u64(&j, "stranded_bytes", f.storage_bytes - f.user_bytes);
    nadi_json_u64(&j, "rdma_stranded_bytes", f.region_bytes - f.user_bytes);
    nadi_json_double(&j, "mean_ns", s->mean_ns);
    nadi_json_double(&j, "p50_ns", s->p50_ns);
    nadi_json_double(&j, "p99_ns", s->p99_ns);
    nadi_json_double(&j, "most_ns", s->most_ns);
    nadi_json_double(&j, "plain_pool_ns", f.plain_ns);
    nadi_json_double(&j, "rdma_ns", f.rdma_ns);
    nadi_json_double(&j, "rdma_encrypted_ns", f.rdma_cipher_ns);
    nadi_json_double(&j, "elapsed_ns", s->elapsed_ns);
    nadi_json_double(&j, "useful_gbps", (double)s->count.useful_bytes / s->elapsed_ns);
    nadi_json_double(&j, "link_gbps",
                     (double)(s->count.request_bytes + s->count.reply_bytes) / s->elapsed_ns);
    nadi_json_object(&j, "parts_ns");
    for (uint32_t p = 0; p < NADI_PARTS; p++)
        nadi_json_double(&j, parts[p], s->part_ns[p]);
    nadi_json_close(&j);
    nadi_json_u64(&j, "stash_largest_blocks", s->stash_largest);
    nadi_json_u64(&j, "tree_host_bytes", s->tree_bytes);
    json_counts(&s->count, &j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_trusted_bench_csv(const struct nadi_trusted_report *r, struct nadi_str *out)
{
    const struct nadi_trusted_result *s = r->result;
    const struct figures f = figures_of(r->bench);
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv,
                    "pages,page_bytes,oblivious,pattern,threads,pages_moved_per_access,mean_ns,"
                    "p50_ns,p99_ns,most_ns,plain_pool_ns,rdma_ns,rdma_encrypted_ns,useful_gbps,"
                    "link_gbps,request_ns,validate_ns,dram_ns,reply_ns,cipher_ns,tree_ns,oram_ns,"
                    "stored_bytes,stranded_bytes,rdma_stranded_bytes,stash_largest_blocks");
    nadi_csv_u64(&csv, r->bench->options.pages);
    nadi_csv_u64(&csv, r->bench->options.page_bytes);
    nadi_csv_text(&csv, r->oblivious);
    nadi_csv_text(&csv, r->pattern);
    nadi_csv_u64(&csv, r->bench->threads);
    const double values[] = {f.pages_moved,
                             s->mean_ns,
                             s->p50_ns,
                             s->p99_ns,
                             s->most_ns,
                             f.plain_ns,
                             f.rdma_ns,
                             f.rdma_cipher_ns,
                             (double)s->count.useful_bytes / s->elapsed_ns,
                             (double)(s->count.request_bytes + s->count.reply_bytes) /
                                 s->elapsed_ns};
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        nadi_csv_double(&csv, values[i]);
    for (uint32_t p = 0; p < NADI_PARTS; p++)
        nadi_csv_double(&csv, s->part_ns[p]);
    nadi_csv_u64(&csv, f.storage_bytes);
    nadi_csv_u64(&csv, f.storage_bytes - f.user_bytes);
    nadi_csv_u64(&csv, f.region_bytes - f.user_bytes);
    nadi_csv_u64(&csv, s->stash_largest);
    nadi_csv_end_row(&csv);
}
