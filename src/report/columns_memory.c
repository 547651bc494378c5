/* columns_memory: what memory tiers and their links carried and held; requests. */
#include "memory/tiers.h"
#include "report/columns.h"
#include "trace/mem.h"

/* ---- tiers --------------------------------------------------------------------------------- */

enum { TIERS_FILE = 1, TIERS = 2, TIERS_LISTED = 4, ALL = 7 };

#define TIER(member) NADI_MEMBER(nadi_tier_result, member)

static const struct nadi_mem_tier *tier_of(const struct nadi_result_row *row)
{
    const struct nadi_tier_result *t = row->item;
    return t->is_link ? NULL : &row->of->in->tiers->tiers[t->tier];
}

NADI_GETTER(kind, item, nadi_tier_result, t, nadi_cell_text(t->is_link ? "link" : "tier"));
NADI_ROW_GETTER(class_name,
                nadi_cell_text(tier_of(row) ? nadi_tier_class_words[tier_of(row)->class] : NULL));
NADI_ROW_GETTER(scope_name,
                nadi_cell_text(tier_of(row) ? nadi_tier_scope_words[tier_of(row)->scope] : NULL));

static struct nadi_cell capacity(struct nadi_result_row *row)
{
    const struct nadi_mem_tier *t = tier_of(row);
    return t && t->capacity_bytes < UINT64_MAX ? nadi_cell_u64(t->capacity_bytes)
                                               : nadi_cell_empty();
}

static struct nadi_cell busy_share(struct nadi_result_row *row)
{
    const struct nadi_tier_result *t = row->item;
    const uint64_t end_ns = row->of->r->end_ns;
    return t->is_link || end_ns == 0 ? nadi_cell_empty()
                                     : nadi_cell_real(t->busy_ns / (double)end_ns);
}

NADI_GETTER(peak, item, nadi_tier_result, t,
            t->is_link ? nadi_cell_empty() : nadi_cell_u64(t->peak_bytes));
NADI_GETTER(peak_at, item, nadi_tier_result, t,
            t->peak_bytes ? nadi_cell_u64(t->peak_ns) : nadi_cell_empty());
NADI_GETTER(peak_where, item, nadi_tier_result, t,
            t->peak_bytes ? nadi_cell_u64(t->peak_instance) : nadi_cell_empty());

static const struct nadi_column tier_columns[] = {
    {"kind", ALL, NADI_GET(TEXT, kind), .meaning = "`tier`, or `link` of the memory file"},
    {"name", ALL, TIER(name), .meaning = "its name; of a link what its users share"},
    {"class", ALL, NADI_GET(TEXT, class_name), .meaning = "of a tier: G1 to G4"},
    {"scope", ALL, NADI_GET(TEXT, scope_name),
     .meaning = "of a tier: whose each is: `npu`, `node`, `rack`, `system`"},
    {"instances", ALL, TIER(instances), .meaning = "how many there are"},
    {"capacity_bytes", ALL, NADI_GET(U64, capacity), .meaning = "of one; nothing: any"},
    {"requests", ALL, TIER(requests), .meaning = "that it took part in"},
    {"in_bytes", ALL, TIER(in_bytes), .meaning = "written to it; of a link: away from the NPU"},
    {"out_bytes", ALL, TIER(out_bytes), .meaning = "read from it; of a link: to the NPU"},
    {"utilisation", ALL, TIER(utilisation), .unit = "0 to 1",
     .meaning = "of the busiest port or lane: bytes by what it could have carried"},
    {"busy_share", ALL, NADI_GET(REAL, busy_share), .unit = "0 to 1",
     .meaning = "time with a request in flight, of the mean instance"},
    {"wait_ns", ALL, TIER(wait_ns),
     .meaning = "of all requests together: until `in-flight` let them in"},
    {"lost_ns", ALL, TIER(lost_ns),
     .meaning = "of all requests together: lost because others shared it"},
    {"peak_bytes", ALL, NADI_GET(U64, peak), .meaning = "most that lay in one instance"},
    {"peak_ns", ALL, NADI_GET(U64, peak_at), .meaning = "when"},
    {"peak_instance", ALL, NADI_GET(U64, peak_where), .meaning = "in which, from 0"},
};

static void put_tiers(struct nadi_rows *rows)
{
    for (uint32_t i = 0; i < rows->of->r->tier_count; i++)
        nadi_rows_item(rows, &rows->of->r->tiers[i], i);
}

const struct nadi_result_view nadi_view_tiers_csv = {
    NADI_VIEW_CSV,
    "tiers.csv",
    "a memory tier; then each link of the memory file",
    NADI_COLUMNS(tier_columns),
    TIERS_FILE,
    .put = put_tiers,
    .title = "Memory tiers and their links"};

const struct nadi_result_view nadi_view_tiers = {
    NADI_VIEW_DATABASE,         "tiers", "a memory tier, or a link of the memory file",
    NADI_COLUMNS(tier_columns), TIERS,   .put = put_tiers};

const struct nadi_result_view nadi_view_tiers_json = {NADI_VIEW_JSON, "memory.tiers",
                                                      "a memory tier, or a link of the memory file",
                                                      NADI_COLUMNS(tier_columns), TIERS_LISTED};

void nadi_tier_json(const struct nadi_result_data *of, uint32_t tier, struct nadi_json *j)
{
    nadi_view_json(&nadi_view_tiers_json,
                   &(struct nadi_result_row){.of = of, .item = &of->r->tiers[tier]}, j);
}

/* ---- roles --------------------------------------------------------------------------------- */

struct role_row {
    const char *tier, *role;
    uint64_t peak_bytes, most_bytes;
};

#define ROLE(member) NADI_MEMBER(role_row, member)

static const struct nadi_column role_columns[] = {
    {"tier", 1, ROLE(tier), .meaning = "name of the tier"},
    {"role", 1, ROLE(role), .meaning = "what lies there: chakra.mem.mem_role"},
    {"peak_bytes", 1, ROLE(peak_bytes), .meaning = "of it, when the tier was fullest"},
    {"most_bytes", 1, ROLE(most_bytes), .meaning = "of it by itself, at any time"},
};

static void put_roles(struct nadi_rows *rows)
{
    const struct nadi_result *r = rows->of->r;
    for (uint32_t i = 0; i < r->tier_count; i++)
        for (uint32_t k = 0; k < NADI_MEM_ROLES; k++) {
            const struct nadi_tier_result *t = &r->tiers[i];
            const struct role_row row = {t->name, nadi_mem_role_words[k], t->peak_by_role[k],
                                         t->most_by_role[k]};
            if (row.most_bytes)
                nadi_rows_item(rows, &row, k);
        }
}

const struct nadi_result_view nadi_view_tier_roles = {
    NADI_VIEW_DATABASE,
    "tier_roles",
    "what lay in a tier's fullest instance, by role",
    NADI_COLUMNS(role_columns),
    1,
    .put = put_roles,
    .title = "What lay in memory tiers"};

/* ---- over time ----------------------------------------------------------------------------- */

NADI_GETTER(level_tier, item, nadi_tier_level, l, nadi_cell_text(row->of->r->tiers[l->tier].name));

static const struct nadi_column level_columns[] = {
    {"tier", 1, NADI_GET(TEXT, level_tier), .meaning = "name of the tier"},
    {"ns", 1, NADI_MEMBER(nadi_tier_level, ns), .meaning = "from when on"},
    {"bytes", 1, NADI_MEMBER(nadi_tier_level, bytes),
     .meaning = "what lies in its fullest instance"},
};

static void put_levels(struct nadi_rows *rows)
{
    for (size_t i = 0; i < rows->of->r->tier_level_count; i++)
        nadi_rows_item(rows, &rows->of->r->tier_levels[i], i);
}

const struct nadi_result_view nadi_view_tier_levels = {
    NADI_VIEW_DATABASE,
    "tier_levels",
    "a change of what lies in a tier's fullest instance",
    NADI_COLUMNS(level_columns),
    1,
    .put = put_levels,
    .title = "Memory tiers over time"};

/* ---- requests ------------------------------------------------------------------------------ */

enum { REQUESTS_FILE = 1, REQUESTS = 2, BOTH = 3 };

#define REQUEST(member) NADI_MEMBER(nadi_memory_request, member)

NADI_GETTER(node_id, item, nadi_memory_request, m,
            nadi_cell_u64(row->of->in->traces[m->rank]->id[m->node]));

static const struct nadi_column request_columns[] = {
    {"rank", BOTH, REQUEST(rank), .meaning = "rank; where ranks were simulated as one, the first"},
    {"node", BOTH, NADI_GET(U64, node_id), .meaning = "id of the node"},
    {"op", BOTH, REQUEST(op), .meaning = "chakra.mem.mem_op"},
    {"role", BOTH, REQUEST(role), .meaning = "chakra.mem.mem_role"},
    {"source", BOTH, REQUEST(from), .meaning = "tier that was read, or `npu`"},
    {"destination", BOTH, REQUEST(to), .meaning = "tier that was written, or `npu`"},
    {"bytes", BOTH, REQUEST(bytes), .meaning = "its size"},
    {"issued_ns", BOTH, REQUEST(issued_ns), .meaning = "when the node asked"},
    {"began_ns", BOTH, REQUEST(began_ns), .meaning = "when space and the tiers let it begin"},
    {"ended_ns", BOTH, REQUEST(ended_ns), .meaning = "when its last byte was there"},
    {"alone_ns", BOTH, REQUEST(alone_ns), .meaning = "what it would have taken alone"},
    {"waited_for", BOTH, REQUEST(waited_for),
     .meaning = "tier or link that others kept it from longest"},
};

static void put_requests(struct nadi_rows *rows)
{
    for (size_t i = 0; i < rows->of->r->memory_request_count; i++)
        nadi_rows_item(rows, &rows->of->r->memory_requests[i], i);
}

const struct nadi_result_view nadi_view_memory_csv = {
    NADI_VIEW_CSV,
    "memory.csv",
    "a request of a memory node to tiers, in order of their ends",
    NADI_COLUMNS(request_columns),
    REQUESTS_FILE,
    .put = put_requests,
    .title = "Memory requests"};

const struct nadi_result_view nadi_view_memory_requests = {NADI_VIEW_DATABASE,
                                                           "memory_requests",
                                                           "a request of a memory node to tiers",
                                                           NADI_COLUMNS(request_columns),
                                                           REQUESTS,
                                                           .put = put_requests};
