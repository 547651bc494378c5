#include "api/inside.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "fleet/source.h"
#include "format/csv_read.h"
#include "replay/replay.h"
#include "sim/fleet.h"

void nadi_trace_replay_init(struct nadi_trace_replay *options)
{
    *options = (struct nadi_trace_replay){.size = sizeof(*options), .repeats = 10};
}

struct job {
    const struct nadi_trace_replay *o;
    struct nadi_diags *diags;
    struct nadi_replay_machine machine;
    struct nadi_trace_source source;
    struct nadi_trace **traces;
    struct nadi_groups groups;
    bool has_groups;
};

static bool read_job(struct job *j)
{
    if (!nadi_trace_source_ranks(&j->source, j->o->inputs.names, j->o->inputs.count,
                                 "each process replays the trace of its rank", j->diags))
        return false;
    if ((int)j->source.count != j->machine.count)
        return nadi_error(j->diags, "replay/ranks", NADI_NOWHERE,
                          "mpirun -n N, one process for each rank", "%u traces, and %d process%s",
                          j->source.count, j->machine.count, j->machine.count == 1 ? "" : "es");
    j->traces = NADI_ZNEW(struct nadi_trace *, j->source.count);
    for (uint32_t r = 0; r < j->source.count; r++) {
        j->traces[r] = nadi_trace_read(j->source.paths[r], 0, j->diags);
        if (!j->traces[r])
            return false;
    }
    j->has_groups = true;
    return nadi_fleet_groups(&j->groups, j->o->groups, j->traces, j->source.count, j->traces,
                             j->source.count, j->diags);
}

static void release(struct job *j)
{
    if (j->has_groups)
        nadi_groups_release(&j->groups);
    for (uint32_t r = 0; j->traces && r < j->source.count; r++)
        nadi_trace_destroy(j->traces[r]);
    nadi_mem_free(j->traces);
    nadi_trace_source_release(&j->source);
}

/* ---- beside the simulation ------------------------------------------------------------------ */

struct simulated {
    struct nadi_csv_table csv;
    uint32_t rank, node, time;
};

static bool read_simulated(struct job *j, struct simulated *s)
{
    if (!nadi_csv_read(&s->csv, j->o->simulated, "table", j->diags))
        return false;
    s->rank = nadi_csv_column(&s->csv, "first_rank");
    s->node = nadi_csv_column(&s->csv, "node");
    s->time = nadi_csv_column(&s->csv, "duration_ns");
    return (s->rank != NADI_NONE && s->node != NADI_NONE && s->time != NADI_NONE) ||
           nadi_error(j->diags, "replay/simulated", NADI_IN_FILE(j->o->simulated),
                      "collectives.csv of nadi run --out DIR, every collective a line",
                      "it has no columns first_rank, node, duration_ns");
}

/* us; below 0: the simulation has no such collective. Groups that do the same are one line of the
 * simulation: then the one of the same node counts. */
static double simulated_us(const struct simulated *s, const char *rank, const char *node)
{
    double ns = -1, like = -1;
    for (uint32_t i = 0; i < s->csv.row_count; i++) {
        double time;
        if (!nadi_str_equal(nadi_csv_field(&s->csv, i, s->node), node) ||
            !nadi_str_to_double(nadi_csv_field(&s->csv, i, s->time), &time))
            continue;
        if (nadi_str_equal(nadi_csv_field(&s->csv, i, s->rank), rank))
            ns = time;
        like = like < 0 ? time : like;
    }
    return (ns >= 0 ? ns : like) / 1e3;
}

/* Lines of one collective and number of ranks together, by size, as benchmarks have them. */
static int compare_lines(const void *a, const void *b)
{
    const char *const *x = *(const char *const *const *)a, *const *y =
                                                               *(const char *const *const *)b;
    const int kind = strcmp(x[0], y[0]);
    if (kind)
        return kind;
    for (int k = 2; k > 0; k--) { /* ranks, then bytes: digits */
        const size_t m = strlen(x[k]), n = strlen(y[k]);
        const int order = m != n ? (m < n ? -1 : 1) : strcmp(x[k], y[k]);
        if (order)
            return order;
    }
    return x < y ? -1 : x > y; /* in order of the file */
}

/* The measured lines with the simulated times beside them; the report of the errors. */
static bool compare(struct job *j, const struct nadi_str *lines, struct nadi_str *table,
                    struct nadi_str *report)
{
    struct nadi_csv_table measured;
    struct simulated s = {0};
    double sum = 0, sum_measured = 0, sum_simulated = 0;
    uint32_t count = 0;
    const bool beside = j->o->simulated != NULL;
    struct nadi_str whole = NADI_STR_INIT;
    nadi_str_add(&whole, "collective,size_bytes,ranks,time_us,first_rank,id,name\n");
    nadi_str_add_bytes(&whole, nadi_str_get(lines), lines->length);
    bool ok = nadi_csv_parse(&measured, "replay", nadi_str_get(&whole), whole.length, j->diags) &&
              (!beside || read_simulated(j, &s));
    nadi_str_printf(table, "collective,size_bytes,ranks,time_us,first_rank,id,name%s\n",
                    beside ? ",simulated_us,error_percent" : "");
    const char *const **rows = NADI_NEW(const char *const *, (size_t)measured.row_count + 1);
    for (uint32_t i = 0; i < measured.row_count; i++)
        rows[i] = measured.fields + (size_t)i * measured.column_count;
    qsort(rows, measured.row_count, sizeof(*rows), compare_lines);
    for (uint32_t i = 0; ok && i < measured.row_count; i++) {
        const char *const *f = rows[i];
        nadi_str_printf(table, "%s,%s,%s,%s,%s,%s,\"%s\"", f[0], f[1], f[2], f[3], f[4], f[5],
                        f[6]);
        const double us = beside ? simulated_us(&s, f[4], f[5]) : -1;
        double took;
        if (us >= 0 && nadi_str_to_double(f[3], &took) && took > 0) {
            nadi_str_printf(table, ",%.3f,%.2f", us, 100 * (us / took - 1));
            sum += us > took ? us / took - 1 : 1 - us / took;
            sum_measured += took;
            sum_simulated += us;
            count++;
        } else if (beside) {
            nadi_str_add(table, ",,");
        }
        nadi_str_add(table, "\n");
    }
    nadi_str_printf(report, "%u collectives on %d processes\n", measured.row_count,
                    j->machine.count);
    if (count)
        nadi_str_printf(
            report,
            "  measured %.3f ms, simulated %.3f ms; mean error of a collective %.1f %%, "
            "of their sum %+.1f %%\n",
            sum_measured / 1e3, sum_simulated / 1e3, 100 * sum / count,
            100 * (sum_simulated / sum_measured - 1));
    nadi_mem_free(rows);
    nadi_csv_release(&measured);
    if (beside)
        nadi_csv_release(&s.csv);
    nadi_str_release(&whole);
    return ok;
}

static bool write_results(struct job *j, const struct nadi_str *lines, double seconds,
                          struct nadi_str *report)
{
    struct nadi_str table = NADI_STR_INIT;
    bool ok = compare(j, lines, &table, report);
    nadi_str_printf(report, "  the job's communication took %.3f ms\n", seconds * 1e3);
    if (ok && j->o->output)
        ok = nadi_file_make_parent(j->o->output, j->diags) &&
             nadi_file_write(j->o->output, table.text, table.length, j->diags);
    else if (ok)
        nadi_str_add(report, nadi_str_get(&table));
    nadi_str_release(&table);
    return ok;
}

enum nadi_status nadi_do_trace_replay(const struct nadi_trace_replay *given, char **report,
                                      struct nadi_diags *messages)
{
    struct job j = {.o = given, .diags = messages};
    struct nadi_str lines = NADI_STR_INIT, text = NADI_STR_INIT;
    double seconds = 0;
    if (!nadi_replay_begin(&j.machine, messages))
        return NADI_STATUS_INPUT;
    bool ok = nadi_replay_agree(&j.machine, read_job(&j));
    struct nadi_replay replay = {
        .groups = &j.groups, .repeats = given->repeats, .compute = given->compute != 0};
    if (ok) {
        replay.trace = j.traces[j.machine.rank];
        ok = nadi_replay_agree(&j.machine, nadi_replay_check(&replay, &j.machine, messages));
    }
    if (ok) {
        nadi_replay_run(&replay, &j.machine, &lines, &seconds);
        if (j.machine.rank == 0)
            ok = write_results(&j, &lines, seconds, &text);
    }
    *report = text.text;
    nadi_str_release(&lines);
    release(&j);
    nadi_replay_end(&j.machine);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
