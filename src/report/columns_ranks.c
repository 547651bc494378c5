/* columns_ranks: the run, its ranks, their groups, and where the time of each went. */
#include "base/map.h"
#include "base/mem.h"
#include "report/columns.h"
#include "report/figures.h"
#include "report/timeline.h"

/* ---- runs ---------------------------------------------------------------------------------- */

NADI_ROW_GETTER(schema, nadi_cell_text("nadi-run/1"));
NADI_ROW_GETTER(version, nadi_cell_text(NADI_VERSION));
NADI_ROW_GETTER(workload, nadi_cell_text(row->of->in->options.workload));
NADI_ROW_GETTER(outcome, nadi_cell_text(nadi_outcome_name(row->of->r->outcome)));
NADI_ROW_GETTER(network_model, nadi_cell_text(nadi_network_model_name(row->of->in)));
NADI_ROW_GETTER(executor, nadi_cell_text(row->of->r->executor ? row->of->r->executor->name : NULL));
NADI_ROW_GETTER(nodes, nadi_cell_u64(nadi_count_nodes(row->of->r).done));
NADI_ROW_GETTER(summary, nadi_cell_text(row->of->summary));

#define RESULT(member) NADI_MEMBER(nadi_result, member)
#define WHY(member)    NADI_MORE(nadi_why, member)

static const struct nadi_column run_columns[] = {
    {"schema", 1, NADI_GET(TEXT, schema), .meaning = "`nadi-run/1`"},
    {"nadi", 1, NADI_GET(TEXT, version), .meaning = "version of the program"},
    {"workload", 1, NADI_GET(TEXT, workload), .meaning = "what ran"},
    {"outcome", 1, NADI_GET(TEXT, outcome),
     .meaning = "`done`, `deadlock`, `limit`, `interrupted`"},
    {"network_model", 1, NADI_GET(TEXT, network_model), .meaning = "by which model"},
    {"executor", 1, NADI_GET(TEXT, executor), .meaning = "by which executor"},
    {"ranks", 1, RESULT(rank_count), .meaning = "ranks"},
    {"classes", 1, RESULT(class_count), .meaning = "classes of equal ranks"},
    {"nodes", 1, NADI_GET(U64, nodes), .meaning = "nodes executed"},
    {"end_ns", 1, RESULT(end_ns), .meaning = "end of the run"},
    {"lower_bound_ns", 1, RESULT(lower_bound_ns), .meaning = "no run of these inputs is faster"},
    {"messages", 1, RESULT(messages), .meaning = "messages sent"},
    {"moved_bytes", 1, RESULT(message_bytes), .meaning = "their bytes"},
    {"offered_bytes", 1, RESULT(offered_bytes), .meaning = "bytes that the traces ask for"},
    {"slack_is_exact", 1, WHY(slack_is_exact),
     .meaning = "1: a slack is a promise; 0: an estimate"},
    {"no_path_because", 1, WHY(why_not), .meaning = "why there is no critical path, or null"},
    {"summary", 1, NADI_GET(TEXT, summary),
     .meaning = "the text of `summary.json` without its list of files"},
};

static void put_run(struct nadi_rows *rows)
{
    nadi_rows_put(rows, &(struct nadi_result_row){.item = rows->of->r, .more = rows->of->why});
}

const struct nadi_result_view nadi_view_runs = {NADI_VIEW_DATABASE,        "runs", "the run",
                                                NADI_COLUMNS(run_columns), 1,      .put = put_run,
                                                .title = "The run"};

/* ---- ranks --------------------------------------------------------------------------------- */

enum {
    RANK = 1,     /* ranks.csv, a row a rank */
    BY_CLASS = 2, /* ranks.csv, a row ranks with the same figures */
    FIGURES = 4,  /* what these have in common */
    DATABASE = 8,
    LISTED = 16,   /* the list of summary.json */
    FIGURE = 32,   /* enum nadi_rank_figure, in its order */
    ROOFLINE = 64, /* where the roofline is on */
    TRACKED = 128, /* in summary.json: where memory is tracked */
};

struct stretch { /* ranks first, first + stride, ... last */
    uint32_t first, last, stride, class;
};

static struct nadi_cell trace_number(struct nadi_result_row *row)
{
    const uint32_t *trace = row->more;
    return nadi_cell_u64(trace[row->index]);
}

static struct nadi_cell class_of(struct nadi_result_row *row)
{
    const struct nadi_result *r = row->of->r;
    return nadi_cell_u64(r->class_of ? r->class_of[row->index] : row->index);
}

#define FIGURE_OF(member) NADI_MEMBER(nadi_rank_result, member)
#define CSV               (RANK | BY_CLASS | FIGURES)
#define FILES             (CSV | LISTED | FIGURE)
#define EVERYWHERE        (FILES | DATABASE)

static const struct nadi_column rank_columns[] = {
    {"rank", RANK | DATABASE | LISTED, .key = DATABASE, NADI_GET(U64, nadi_cell_row_number),
     .meaning = "the rank"},
    {"first", BY_CLASS, NADI_MORE(stretch, first), .meaning = "the first rank of the row"},
    {"last", BY_CLASS, NADI_MORE(stretch, last), .meaning = "the last one"},
    {"stride", BY_CLASS, NADI_MORE(stretch, stride),
     .meaning = "from one to the next: the ranks are `first`, `first + stride`, ... `last`"},
    {"trace", DATABASE, NADI_GET(U64, trace_number), .meaning = "number of its trace, of `ops`"},
    {"class", DATABASE, NADI_GET(U64, class_of), .meaning = "ranks of a class are equal"},
    {"finished", DATABASE, FIGURE_OF(finished)},
    {"finish_ns", EVERYWHERE, FIGURE_OF(finish_ns),
     .meaning = "end of the rank's last node: the reference's \"finished, N cycles\"; for a rank "
                "that did not finish, the time at which the simulation stopped"},
    {"exposed_comm_ns", FILES, FIGURE_OF(exposed_comm_ns),
     .meaning = "the reference's: `finish_ns` less the sum of accelerator compute. It contains "
                "memory time and idle time"},
    {"compute_ns", EVERYWHERE, FIGURE_OF(compute_ns), .meaning = "accelerator compute in flight"},
    {"communication_ns", EVERYWHERE, FIGURE_OF(comm_ns),
     .meaning = "collectives, sends and receives in flight; a receive counts from the time it "
                "waits"},
    {"true_exposed_comm_ns", EVERYWHERE, FIGURE_OF(true_exposed_comm_ns),
     .meaning = "communication in flight while no accelerator compute was"},
    {"exposed_comm_ns", DATABASE, FIGURE_OF(exposed_comm_ns)},
    {"memory_ns", EVERYWHERE, FIGURE_OF(memory_ns), .meaning = "remote memory accesses in flight"},
    {"cpu_ns", EVERYWHERE, FIGURE_OF(cpu_ns), .meaning = "processor nodes in flight"},
    {"idle_ns", EVERYWHERE, FIGURE_OF(idle_ns), .meaning = "nothing in flight, up to `finish_ns`"},
    {"peak_memory_bytes", CSV | DATABASE | TRACKED | FIGURE, FIGURE_OF(peak_memory_bytes),
     .meaning = "with `track-local-mem`: most memory in use"},
    {"nodes_done", CSV | DATABASE, FIGURE_OF(nodes_done), .meaning = "nodes executed"},
    {"nodes_skipped", CSV, FIGURE_OF(nodes_skipped),
     .meaning = "nodes without effect; they are counted as done too"},
    {"nodes_open", CSV | DATABASE, FIGURE_OF(nodes_open),
     .meaning = "nodes not executed when the run stopped"},
    {"finished", CSV | LISTED, FIGURE_OF(finished), .meaning = "0 when the run stopped first"},
    {"compute_bound", ROOFLINE, FIGURE_OF(compute_bound), .unit = "0 to 1",
     .meaning = "roofline: share of compute time that the compute rate bounds"},
    {"compute_utilisation", ROOFLINE, FIGURE_OF(compute_utilisation), .unit = "0 to 1",
     .meaning = "roofline: of the compute rate, weighted by duration"},
    {"memory_utilisation", ROOFLINE, FIGURE_OF(memory_utilisation), .unit = "0 to 1",
     .meaning = "roofline: of the memory's bandwidth, weighted by duration"},
    {"operation_intensity_flop_per_byte", ROOFLINE, FIGURE_OF(operation_intensity),
     .meaning = "roofline: weighted by duration"},
};

static unsigned roofline(const struct nadi_result_data *of)
{
    return of->in->system.roofline ? ROOFLINE : 0;
}

static unsigned roofline_and_memory(const struct nadi_result_data *of)
{
    return roofline(of) | (of->in->system.track_local_mem ? TRACKED : 0);
}

static const struct nadi_column *figure_column(enum nadi_rank_figure figure)
{
    size_t c = 0;
    for (int left = (int)figure; !(rank_columns[c].in & FIGURE) || left-- > 0;)
        c++;
    return &rank_columns[c];
}

const char *nadi_rank_figure_name(enum nadi_rank_figure figure)
{
    return figure_column(figure)->name;
}

size_t nadi_rank_figure_offset(enum nadi_rank_figure figure)
{
    return figure_column(figure)->offset;
}

static void put_ranks(struct nadi_rows *rows)
{
    const struct nadi_result *r = rows->of->r;
    uint32_t *trace = NADI_NEW(uint32_t, r->rank_count);
    if (rows->db)
        nadi_trace_numbers(rows->of->in, trace);
    for (uint32_t i = 0; i < r->rank_count; i++)
        nadi_rows_put(rows, &(struct nadi_result_row){
                                .item = nadi_result_rank(r, i), .more = trace, .index = i});
    nadi_mem_free(trace);
}

/* ---- by class ---- */

struct classes { /* ranks whose figures are the same text */
    const struct nadi_result *r;
    struct nadi_strmap by_text;
    uint32_t *of;    /* by class of the result */
    uint32_t *first; /* by class of figures: one of the result */
    uint32_t count;
};

static void find_classes(struct classes *c, const struct nadi_result_data *of)
{
    static const struct nadi_result_view common = {
        .form = NADI_VIEW_CSV, NADI_COLUMNS(rank_columns), .bit = FIGURES, .also = roofline};
    struct nadi_str text = NADI_STR_INIT;
    const char *kept;
    nadi_strmap_init(&c->by_text);
    c->of = NADI_NEW(uint32_t, c->r->class_count);
    c->first = NADI_NEW(uint32_t, c->r->class_count);
    for (uint32_t k = 0; k < c->r->class_count; k++) {
        struct nadi_rows rows = nadi_view_lines(&common, of, &text);
        nadi_str_clear(&text);
        nadi_rows_item(&rows, &c->r->classes[k], 0);
        c->of[k] = nadi_strmap_put(&c->by_text, nadi_str_get(&text), text.length, c->count, &kept);
        if (c->of[k] == c->count)
            c->first[c->count++] = k;
    }
    nadi_str_release(&text);
}

/* Ranks in ascending order join the open stretch of their class, or begin one. */
static void put_stretches(const struct classes *c, struct nadi_rows *rows)
{
    uint32_t *open = NADI_NEW(uint32_t, c->count);
    struct {
        struct stretch *items;
        size_t count, capacity;
    } stretches = {0};
    memset(open, 0xff, c->count * sizeof(*open));
    for (uint32_t i = 0; i < c->r->rank_count; i++) {
        uint32_t k = c->of[c->r->class_of ? c->r->class_of[i] : i];
        struct stretch *s = open[k] == NADI_NONE ? NULL : &stretches.items[open[k]];
        if (s && s->first == s->last) {
            s->stride = i - s->first;
            s->last = i;
        } else if (s && i - s->last == s->stride)
            s->last = i;
        else {
            struct stretch begun = {.first = i, .last = i, .stride = 1, .class = k};
            open[k] = (uint32_t)stretches.count;
            NADI_PUSH(&stretches, begun);
        }
    }
    for (size_t i = 0; i < stretches.count; i++) {
        const struct stretch *s = &stretches.items[i];
        nadi_rows_put(
            rows, &(struct nadi_result_row){.item = &c->r->classes[c->first[s->class]], .more = s});
    }
    nadi_mem_free(stretches.items);
    nadi_mem_free(open);
}

static void put_classes(struct nadi_rows *rows)
{
    struct classes c = {.r = rows->of->r};
    find_classes(&c, rows->of);
    put_stretches(&c, rows);
    nadi_mem_free(c.of);
    nadi_mem_free(c.first);
    nadi_strmap_release(&c.by_text);
}

const struct nadi_result_view nadi_view_ranks_csv = {NADI_VIEW_CSV,
                                                     "ranks.csv",
                                                     "a rank",
                                                     NADI_COLUMNS(rank_columns),
                                                     RANK,
                                                     .also = roofline,
                                                     .extra = ROOFLINE,
                                                     .put = put_ranks,
                                                     .title = "Ranks"};

const struct nadi_result_view nadi_view_rank_classes_csv = {
    NADI_VIEW_CSV,
    "ranks.csv",
    "ranks with the same figures: `--ranks classes`",
    NADI_COLUMNS(rank_columns),
    BY_CLASS,
    .also = roofline,
    .extra = ROOFLINE,
    .put = put_classes};

const struct nadi_result_view nadi_view_ranks = {
    NADI_VIEW_DATABASE, "ranks", "a rank", NADI_COLUMNS(rank_columns), DATABASE, .put = put_ranks};

const struct nadi_result_view nadi_view_ranks_json = {NADI_VIEW_JSON,
                                                      "ranks.list",
                                                      "a rank, up to 1,024",
                                                      NADI_COLUMNS(rank_columns),
                                                      LISTED,
                                                      .also = roofline_and_memory,
                                                      .extra = ROOFLINE | TRACKED};

/* ---- memberships --------------------------------------------------------------------------- */

struct membership {
    const char *name;
    uint64_t first_rank, ranks;
};

static const struct nadi_column membership_columns[] = {
    {"rank", 1, NADI_GET(U64, nadi_cell_row_number), .meaning = "the rank"},
    {"group_name", 1, NADI_MEMBER(membership, name),
     .meaning = "a name that means another process group on each rank"},
    {"first_rank", 1, NADI_MEMBER(membership, first_rank), .meaning = "of the group"},
    {"ranks", 1, NADI_MEMBER(membership, ranks), .meaning = "its size"},
};

/* The groups that a name means on the ranks; of many ranks, on the first one of each class. */
static void put_memberships(struct nadi_rows *rows)
{
    enum { EACH = 4096 };
    const struct nadi_groups *groups = &rows->of->in->groups;
    const struct nadi_result *r = rows->of->r;
    bool *seen = NADI_ZNEW(bool, (size_t)r->class_count + r->rank_count);
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        const uint32_t class = r->class_of ? r->class_of[rank] : rank;
        const bool shown = r->rank_count <= EACH || !seen[class];
        seen[class] = true;
        for (size_t f = 0; shown && f < groups->family_count; f++) {
            const uint32_t group = groups->families[f].group_of[rank];
            if (group == NADI_NONE || groups->items[group].is_world)
                continue;
            const struct nadi_group *g = &groups->items[group];
            const struct membership m = {groups->families[f].name, g->sorted ? g->sorted[0] : 0,
                                         g->size};
            nadi_rows_item(rows, &m, rank);
        }
    }
    nadi_mem_free(seen);
}

const struct nadi_result_view nadi_view_memberships = {NADI_VIEW_DATABASE,
                                                       "memberships",
                                                       "a rank and a name of a process group",
                                                       NADI_COLUMNS(membership_columns),
                                                       1,
                                                       .put = put_memberships,
                                                       .title = "Process groups of ranks"};

/* ---- shares -------------------------------------------------------------------------------- */

struct share {
    const char *cause;
    uint64_t ns;
};

static const struct nadi_column share_columns[] = {
    {"rank", 1, NADI_GET(U64, nadi_cell_row_number), .meaning = "the rank"},
    {"cause", 1, NADI_MEMBER(share, cause),
     .meaning = "where its time went; what stands first in the list of causes counts where two "
                "overlap"},
    {"ns", 1, NADI_MEMBER(share, ns), .unit = "ns",
     .meaning = "how much; the rows of a rank add up to `end_ns`"},
};

static void put_shares(struct nadi_rows *rows)
{
    const uint64_t *all = rows->of->why->shares;
    for (uint32_t i = 0; all && i < rows->of->r->rank_count; i++)
        for (int c = 0; c < NADI_CAUSES; c++) {
            const struct share share = {nadi_cause_name((enum nadi_cause)c),
                                        all[(size_t)i * NADI_CAUSES + (size_t)c]};
            if (share.ns > 0)
                nadi_rows_item(rows, &share, i);
        }
}

const struct nadi_result_view nadi_view_shares = {NADI_VIEW_DATABASE,
                                                  "shares",
                                                  "a rank and a cause",
                                                  NADI_COLUMNS(share_columns),
                                                  1,
                                                  .put = put_shares,
                                                  .title = "Where the time of ranks went"};
