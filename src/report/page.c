#include "report/page.h"

#include "base/mem.h"
#include "format/base64.h"
#include "format/json_write.h"
#include "report/page_learned.h"
#include "report/page_spans.h"
#include "report/page_table.h"
#include "report/query.h"
#include "report/run_rows.h"
#include "report/web.h"

#include <zlib.h>

/* Ranks that the page shows: all up to 1,024; of more, one of each class of equal ranks, which are
 * those that were folded or, where every rank was simulated, those with equal times. */
#define ALIKE                                                                                      \
    "case when (select ranks from runs) <= 1024 then rank when (select classes < ranks from "      \
    "runs) "                                                                                       \
    "then class else trace || '/' || finish_ns || '/' || compute_ns || '/' || communication_ns "   \
    "|| "                                                                                          \
    "'/' || true_exposed_comm_ns || '/' || memory_ns || '/' || cpu_ns || '/' || idle_ns end"
#define SHOWN "(select min(rank) from ranks group by " ALIKE " order by 1 limit 1024)"
/* Of a long run only the first rank of each class has shares, which are those of all of it. */
#define HOMES                                                                                      \
    "with own as (select distinct rank as shared from shares), firsts as (select class as alike, " \
    "min(rank) as first from ranks group by class), homes as (select rank as shown, "              \
    "coalesce(shared, first) as home from ranks join firsts on alike = class left join own on "    \
    "shared = rank where rank in " SHOWN ") "
#define WEIGHTS "(select min(rank) as home, count(*) as n from ranks group by " ALIKE ")"

static const struct {
    const char *name, *sql;
} tables[] = {
    {"run", "select * from runs"},
    {"ranks", "select ranks.*, coalesce(n, 1) as weight from ranks left join " WEIGHTS
              " on home = rank where rank in " SHOWN " order by rank"},
    {"memberships",
     "select rank, group_name, first_rank, ranks from memberships where rank in " SHOWN
     " order by group_name, first_rank, rank"},
    {"shares",
     HOMES "select shown as rank, cause, ns from homes join shares on rank = home order by "
           "shown, shares.rowid"},
    {"causes", NADI_RUN_MEAN_SQL},
    {"dimensions", "select * from dimensions"},
    {"links", "select * from links order by utilisation desc, link limit 50000"},
    {"boxes", "select * from drawing_boxes"},
    {"lines", "select * from drawing_lines"},
    {"frames", "select * from drawing_frames"},
    {"link_usage", "select link, bucket, bytes, coalesce(most_waiting, most_flows, "
                   "most_queue_bytes) from link_usage limit 500000"},
    {"usage_depth",
     "select case when count(most_waiting) then 'most_waiting' when count(most_flows) then "
     "'most_flows' when count(most_queue_bytes) then 'most_queue_bytes' end from link_usage"},
    {"usage_buckets", "select bucket, min(start_ns) as start_ns, max(end_ns) as end_ns from "
                      "link_usage group by bucket"},
    {"completions", "select * from completions"},
    {"in_flight", "select bytes, messages from in_flight order by bucket"},
    {"not_known", "select * from not_known"},
    {"phases", "select * from phases"},
    {"message_groups", "select distinct group_name from messages order by 1"},
    {"packets", "select * from packets"},
    {"ports", "select * from ports where link in (select link from links order by utilisation "
              "desc, link limit 50000)"},
    {"stalls", "select * from stalls where link in (select link from links order by utilisation "
               "desc, link limit 50000)"},
    {"pauses", "select * from pauses"},
    {"samples",
     "select end_ns from samples where sample % max(1, (select count(*) from samples) / 1000) = 0"},
    {"collectives",
     "select * from collectives order by duration_ns * instances desc, collective limit 20000"},
    {"layers", "select * from layers limit 20000"},
    {"tiers", "select * from tiers"},
    {"devices", "select * from devices"},
    {"tier_roles", "select * from tier_roles order by peak_bytes desc"},
    {"tier_levels",
     "select tier, min(ns) as ns, max(bytes) as bytes from tier_levels group by tier, case when "
     "(select count(*) from tier_levels) <= 20000 then ns else ns * 2000 / (1 + (select end_ns "
     "from runs)) end order by tier, 2"},
    {"path", "select start_ns, end_ns, rank, node, name, cause, bound_by, group_name, dimension, "
             "algorithm, link from critical_path limit 100000"},
    {"path_causes",
     "select cause, sum(duration_ns) as ns, count(*) as steps from critical_path group "
     "by cause"},
    {"sensitivities", "select * from sensitivities"},
    {"bounds", "select * from bounds"},
};

bool nadi_page_put_table(struct nadi_database *db, const char *sql, struct nadi_str *out,
                         struct nadi_diags *diags)
{
    bool failed = false;
    struct nadi_query *q = nadi_query_open(db, sql, diags);
    if (!q)
        return false;
    int columns = nadi_query_columns(q);
    nadi_str_add(out, "{\"columns\":[");
    for (int i = 0; i < columns; i++) {
        nadi_str_add(out, i ? "," : "");
        const char *name = nadi_query_name(q, i);
        nadi_json_add_text(out, name, strlen(name));
    }
    nadi_str_add(out, "],\"rows\":[");
    for (size_t row = 0; nadi_query_next(q, &failed, diags); row++) {
        nadi_str_add(out, row ? ",[" : "[");
        for (int i = 0; i < columns; i++) {
            nadi_str_add(out, i ? "," : "");
            nadi_query_add_json(q, i, out);
        }
        nadi_str_add_char(out, ']');
    }
    nadi_str_add(out, "]}");
    nadi_query_close(q);
    return !failed;
}

static void put_u32(struct nadi_str *out, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out->text[at + (size_t)i] = (char)(value >> (8 * i) & 0xff);
}

/* Length of the JSON (32 bits, little-endian), the JSON, the blob. */
static bool put_data(struct nadi_database *db, const char *run, struct nadi_str *out,
                     struct nadi_diags *diags)
{
    struct nadi_str blob = NADI_STR_INIT;
    size_t begin = out->length;
    nadi_str_add_bytes(out, "\0\0\0\0", 4);
    nadi_str_add(out, "{\"name\":");
    nadi_json_add_text(out, run, strlen(run));
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        nadi_str_printf(out, ",\"%s\":", tables[i].name);
        if (!nadi_page_put_table(db, tables[i].sql, out, diags))
            return false;
    }
    if (!nadi_page_put_learned(run, out, diags))
        return false;
    nadi_str_add(out, ",\"ops\":");
    bool ok = nadi_page_put_spans(db, SHOWN, out, &blob, diags);
    nadi_str_add_char(out, '}');
    put_u32(out, begin, (uint32_t)(out->length - begin - 4));
    nadi_str_add_bytes(out, blob.text ? blob.text : "", blob.length);
    nadi_str_release(&blob);
    return ok;
}

bool nadi_page_data(const char *run, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_run_open_whole(run, diags);
    bool ok = db && put_data(db, run, out, diags);
    nadi_database_close(db);
    return ok;
}

/* ---- the page ------------------------------------------------------------------------------ */

static bool put_compressed(struct nadi_str *out, const struct nadi_str *data,
                           struct nadi_diags *diags)
{
    uLongf room = compressBound((uLong)data->length);
    unsigned char *packed = NADI_NEW(unsigned char, room);
    const int status =
        compress2(packed, &room, (const unsigned char *)data->text, (uLong)data->length, 6);
    if (status == Z_MEM_ERROR)
        nadi_mem_lacking("zlib");
    bool ok = status == Z_OK;
    if (ok)
        nadi_base64_add(out, packed, room);
    else
        ok = nadi_error(diags, "report/compress", NADI_NOWHERE, NULL,
                        "the data could not be compressed");
    nadi_mem_free(packed);
    return ok;
}

bool nadi_page_write(const char *const *runs, size_t count, struct nadi_str *out,
                     struct nadi_diags *diags)
{
    bool ok = true;
    nadi_str_add_bytes(out, nadi_web_page_head, nadi_web_page_head_bytes);
    for (size_t i = 0; i < count && ok; i++) {
        struct nadi_str data = NADI_STR_INIT;
        ok = nadi_page_data(runs[i], &data, diags);
        nadi_str_add(out, "<script type=\"text/plain\" class=\"run\">");
        ok = ok && put_compressed(out, &data, diags);
        nadi_str_add(out, "</script>\n");
        nadi_str_release(&data);
    }
    nadi_str_add_bytes(out, nadi_web_page_tail, nadi_web_page_tail_bytes);
    return ok;
}
