/* The files of a result agree with each other, on simulations of drawn inputs: every table is read
 * back and each total is found again from the rows of another file. */
#include "base/mem.h"
#include "report/columns.h"
#include "report/report.h"
#include "report/timeline.h"
#include "sim/run.h"
#include "support/cases.h"

#include "support/csv_read.h"
#include "support/job.h"
#include "support/json_read.h"
#include "support/pftrace_read.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

enum { CASES = CASES_OF(400) };

struct report { /* all files of one result */
    struct job job;
    struct nadi_result result;
    struct csv_table ranks, collectives, links, ops;
    struct fy_document *summary;
    struct pf_trace timeline;
};

static void read_table(const struct nadi_result_view *view, const struct report *x,
                       struct csv_table *t)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_view_csv(view, &(struct nadi_result_data){.in = &x->job.in, .r = &x->result}, &s);
    csv_read(t, nadi_str_get(&s));
    nadi_str_release(&s);
}

static void open_report(struct report *x, uint64_t seed)
{
    const struct nadi_report_options all = {.ops = true, .timeline = true};
    struct nadi_str s = NADI_STR_INIT;
    struct nadi_rng rng;
    nadi_rng_init(&rng, seed, "report sums");
    job_random(&x->job, &rng);
    nadi_simulate(&x->job.in, NULL, &x->result);
    read_table(&nadi_view_ranks_csv, x, &x->ranks);
    read_table(&nadi_view_collectives_csv, x, &x->collectives);
    read_table(&nadi_view_links_csv, x, &x->links);
    read_table(&nadi_view_ops_csv, x, &x->ops);
    nadi_report_json(&x->job.in, &x->result, NULL, &s);
    x->summary = json_read(nadi_str_get(&s));
    assert_non_null(x->summary);
    nadi_str_clear(&s);
    nadi_timeline_write(&x->job.in, &x->result, &all, &s);
    pftrace_read(&x->timeline, nadi_str_get(&s), s.length);
    nadi_str_release(&s);
}

static void close_report(struct report *x)
{
    csv_release(&x->ranks);
    csv_release(&x->collectives);
    csv_release(&x->links);
    csv_release(&x->ops);
    fy_document_destroy(x->summary);
    pftrace_release(&x->timeline);
    nadi_result_release(&x->result);
    job_release(&x->job);
}

static void equal(uint64_t a, uint64_t b, const char *what)
{
    if (a != b)
        fail_msg("%s: %" PRIu64 " against %" PRIu64, what, a, b);
}

/* ---- summary.json against ranks.csv -------------------------------------------------------- */

static void ranks_against_summary(const struct report *x)
{
    static const char *const columns[] = {
        "finish_ns", "exposed_comm_ns",      "compute_ns", "communication_ns",
        "memory_ns", "true_exposed_comm_ns", "cpu_ns",     "idle_ns"};
    char path[128];
    equal(x->ranks.rows - 1, json_u64(x->summary, "/ranks/count"), "ranks");
    for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++) {
        uint64_t least = UINT64_MAX, most = 0;
        double sum = 0;
        for (size_t row = 1; row < x->ranks.rows; row++) {
            uint64_t v = csv_u64(&x->ranks, row, columns[c]);
            least = nadi_min_u64(least, v);
            most = nadi_max_u64(most, v);
            sum += (double)v;
            snprintf(path, sizeof(path), "/ranks/list/%zu/%s", row - 1, columns[c]);
            equal(v, json_u64(x->summary, path), path);
        }
        snprintf(path, sizeof(path), "/time/over_ranks/%s/min", columns[c]);
        equal(least, json_u64(x->summary, path), path);
        snprintf(path, sizeof(path), "/time/over_ranks/%s/max", columns[c]);
        equal(most, json_u64(x->summary, path), path);
        snprintf(path, sizeof(path), "/time/over_ranks/%s/mean", columns[c]);
        double mean = json_number(x->summary, path), want = sum / (double)(x->ranks.rows - 1);
        assert_true(fabs(mean - want) <= 1e-9 * want);
    }
    equal(json_u64(x->summary, "/time/over_ranks/finish_ns/max"),
          json_u64(x->summary, "/time/end_to_end_ns"), "end to end");
    equal(csv_sum(&x->ranks, "nodes_done"), json_u64(x->summary, "/sanity/nodes/executed"),
          "executed");
    equal(csv_sum(&x->ranks, "nodes_open"), json_u64(x->summary, "/sanity/nodes/open"), "open");
    equal(csv_sum(&x->ranks, "finished"), json_u64(x->summary, "/outcome/ranks_finished"),
          "finished");
}

static void shares_are_whole(const struct report *x)
{
    static const char *const shares[] = {"compute", "exposed_communication", "memory_and_processor",
                                         "idle"};
    char path[128];
    double sum = 0;
    if (x->result.end_ns == 0)
        return;
    for (size_t s = 0; s < 4; s++) {
        snprintf(path, sizeof(path), "/time/shares_of_end_to_end/%s/mean", shares[s]);
        sum += json_number(x->summary, path);
    }
    assert_true(fabs(sum - 1) < 1e-9);
}

/* ---- ranks.csv against ops.csv ------------------------------------------------------------- */

enum { COMPUTE = 1, COMM = 2, MEMORY = 4, CPU = 8, OTHER = 16 };

struct interval {
    uint64_t start, end;
    unsigned activity;
};

static unsigned activity_of(const struct report *x, size_t row)
{
    const char *type = csv_at(&x->ops, row, "type");
    const struct nadi_trace *t = x->job.in.traces[csv_u64(&x->ops, row, "rank")];
    bool cpu = t->flags[csv_u64(&x->ops, row, "node")] & NADI_NODE_IS_CPU;
    if (strcmp(type, "COMP_NODE") == 0)
        return cpu ? CPU : COMPUTE;
    if (strncmp(type, "MEM_", 4) == 0)
        return MEMORY;
    return strncmp(type, "COMM_", 5) == 0 ? COMM : OTHER;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Time of a rank, by the set of activities in flight: by brute force over all interval ends. */
static void time_by_set(const struct interval *list, size_t count, uint64_t by_set[32])
{
    uint64_t *at = NADI_NEW(uint64_t, 2 * count + 1);
    size_t ends = 0;
    memset(by_set, 0, 32 * sizeof(*by_set));
    at[ends++] = 0;
    for (size_t i = 0; i < count; i++) {
        at[ends++] = list[i].start;
        at[ends++] = list[i].end;
    }
    qsort(at, ends, sizeof(*at), ascending);
    for (size_t e = 0; e + 1 < ends; e++) {
        unsigned set = 0;
        for (size_t i = 0; i < count; i++)
            if (list[i].start <= at[e] && list[i].end >= at[e + 1])
                set |= list[i].activity;
        by_set[set] += at[e + 1] - at[e];
    }
    nadi_mem_free(at);
}

static uint64_t sum_where(const uint64_t by_set[32], unsigned with, unsigned without)
{
    uint64_t sum = 0;
    for (unsigned set = 0; set < 32; set++)
        if ((with == 0 || set & with) && !(set & without))
            sum += by_set[set];
    return sum;
}

static void ops_against_rank(const struct report *x, size_t rank)
{
    struct interval *list = NADI_NEW(struct interval, x->ops.rows);
    size_t count = 0, row = rank + 1;
    uint64_t by_set[32], last = 0;
    for (size_t i = 1; i < x->ops.rows; i++) {
        if (csv_u64(&x->ops, i, "rank") != rank)
            continue;
        struct interval v = {csv_u64(&x->ops, i, "start_ns"), csv_u64(&x->ops, i, "end_ns"),
                             activity_of(x, i)};
        equal(v.end - v.start, csv_u64(&x->ops, i, "duration_ns"), "duration");
        last = nadi_max_u64(last, v.end);
        list[count++] = v;
    }
    equal(count, csv_u64(&x->ranks, row, "nodes_done"), "ops of a rank");
    if (csv_u64(&x->ranks, row, "finished")) {
        time_by_set(list, count, by_set);
        equal(last, csv_u64(&x->ranks, row, "finish_ns"), "finish");
        equal(sum_where(by_set, COMPUTE, 0), csv_u64(&x->ranks, row, "compute_ns"), "compute");
        equal(sum_where(by_set, COMM, 0), csv_u64(&x->ranks, row, "communication_ns"), "comm");
        equal(sum_where(by_set, COMM, COMPUTE), csv_u64(&x->ranks, row, "true_exposed_comm_ns"),
              "exposed");
        equal(sum_where(by_set, MEMORY, 0), csv_u64(&x->ranks, row, "memory_ns"), "memory");
        equal(sum_where(by_set, CPU, 0), csv_u64(&x->ranks, row, "cpu_ns"), "cpu");
        equal(by_set[0], csv_u64(&x->ranks, row, "idle_ns"), "idle");
    }
    nadi_mem_free(list);
}

/* ---- collectives.csv against ops.csv ------------------------------------------------------- */

static void collectives_against_ops(const struct report *x)
{
    uint64_t offered = 0;
    for (size_t row = 1; row < x->collectives.rows; row++) {
        const struct csv_table *c = &x->collectives;
        uint64_t start = csv_u64(c, row, "start_ns");
        offered +=
            csv_u64(c, row, "bytes") * csv_u64(c, row, "ranks") * csv_u64(c, row, "instances");
        equal(csv_u64(c, row, "end_ns") - start, csv_u64(c, row, "duration_ns"), "duration");
        if (!csv_u64(c, row, "complete"))
            continue;
        bool found = false;
        for (size_t i = 1; i < x->ops.rows; i++)
            found |= csv_u64(&x->ops, i, "rank") == csv_u64(c, row, "first_rank") &&
                     csv_u64(&x->ops, i, "node") == csv_u64(c, row, "node") &&
                     csv_u64(&x->ops, i, "start_ns") == start &&
                     strcmp(csv_at(&x->ops, i, "collective"), csv_at(c, row, "kind")) == 0;
        assert_true(found);
    }
    if (x->result.outcome != NADI_OUTCOME_DONE || fabs(x->job.in.options.comm_scale - 1) > 0)
        return;
    for (size_t i = 1; i < x->ops.rows; i++)
        if (strcmp(csv_at(&x->ops, i, "type"), "COMM_SEND_NODE") == 0 &&
            !x->job.in.system.replay_only)
            offered += csv_u64(&x->ops, i, "bytes");
    equal(offered, json_u64(x->summary, "/sanity/offered_bytes"), "offered");
}

/* ---- links.csv ----------------------------------------------------------------------------- */

static void links_against_summary(const struct report *x)
{
    static const char *const columns[] = {"messages", "bytes", "busy_ns"};
    const struct csv_table *t = &x->links;
    uint32_t dims = x->job.in.topology.dim_count;
    uint64_t moved = 0;
    char path[128];
    for (uint32_t d = 0; d < dims; d++) {
        for (size_t c = 0; c < 3; c++) {
            uint64_t sum = 0, links = 0, total = csv_u64(t, d + 1, columns[c]);
            assert_string_equal(csv_at(t, d + 1, "row"), "dimension");
            for (size_t row = dims + 1; row < t->rows; row++)
                if (csv_u64(t, row, "dimension") == d) {
                    /* what a switch hands on counts where it came from; both links were busy */
                    const bool again = strncmp(csv_at(t, row, "from"), "switch", 6) == 0;
                    sum += again && c < 2 ? 0 : csv_u64(t, row, columns[c]);
                    links++;
                }
            if (x->job.in.options.network_model == &nadi_network_aware) {
                equal(sum, total, columns[c]);
                equal(links, csv_u64(t, d + 1, "links"), "links");
            } else
                equal(links, 0, "links of unaware");
            snprintf(path, sizeof(path), "/network/dimensions/%u/%s", d, columns[c]);
            equal(total, json_u64(x->summary, path), path);
        }
        moved += csv_u64(t, d + 1, "bytes");
    }
    if (x->job.in.options.network_model == &nadi_network_aware) /* a message may cross several */
        assert_true(moved >= json_u64(x->summary, "/sanity/moved_bytes"));
    else
        equal(moved, json_u64(x->summary, "/sanity/moved_bytes"), "moved");
    for (size_t row = dims + 1; row < t->rows; row++)
        assert_true(csv_number(t, row, "utilisation") <= 1);
}

/* ---- timeline.pftrace against ops.csv ------------------------------------------------------ */

static void timeline_against_ops(const struct report *x)
{
    uint64_t slices = 0, ops = 0, slice_ns = 0, op_ns = 0, begins = 0, ends = 0;
    for (size_t i = 1; i < x->ops.rows; i++) {
        if (activity_of(x, i) == OTHER)
            continue;
        ops++;
        op_ns += csv_u64(&x->ops, i, "duration_ns");
    }
    for (uint32_t i = 0; i < x->timeline.slice_count; i++) {
        const struct pf_slice *s = &x->timeline.slices[i];
        const bool is_inside =
            strcmp(s->category, "phase") == 0 || strcmp(s->category, "message") == 0;
        assert_true(s->end_ns >= s->start_ns);
        slices += !is_inside;
        slice_ns += is_inside ? 0 : s->end_ns - s->start_ns;
        begins += s->flow_begin != 0;
        ends += s->flow_end != 0;
    }
    equal(slices, ops, "slices");
    equal(slice_ns, op_ns, "time of slices");
    if (x->result.outcome == NADI_OUTCOME_DONE)
        equal(begins, ends, "flows");
}

static void files_agree(void **state)
{
    uint32_t finished = 0;
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct report x;
        open_report(&x, seed);
        finished += x.result.outcome == NADI_OUTCOME_DONE;
        ranks_against_summary(&x);
        shares_are_whole(&x);
        for (size_t rank = 0; rank + 1 < x.ranks.rows; rank++)
            ops_against_rank(&x, rank);
        collectives_against_ops(&x);
        links_against_summary(&x);
        timeline_against_ops(&x);
        close_report(&x);
    }
    assert_in_range(finished, CASES / 2, CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
