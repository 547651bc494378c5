/* repro_roce: training communication under each congestion control of the packet model: times,
 * fairness, flows that suffer beside an incast, queues over time.
 *
 * 128 GPUs in 8 racks of 16 at 200 Gb/s under 8 spines, oversubscribed 2:1, as in examples/roce,
 * with collectives of 2 MiB and flows of 8 MB. What was published is a conclusion; it decides. */
#include "api/repro.h"

#include <math.h>

#include "base/congestion.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/markup.h"
#include "sim/run.h"

enum { RACKS = 8, PER_RACK = 16, GPUS = RACKS * PER_RACK, SPINES = 8, KIB = 1024 };
enum { SCHEMES = 10, WORKLOADS = 6, BESIDE = 2 * (RACKS - 1) };

static const char *const schemes[SCHEMES] = {NADI_CONGESTION_WORDS};

static const struct workload {
    const char *name, *dims, *latencies, *algorithms; /* of all kinds but all-to-all */
    bool exchange;                                    /* an all-to-all; else an all-reduce, or: */
    const char *text;                                 /* a text workload; NULL: one collective */
    int chunks, dim_count;
} workloads[WORKLOADS] = {
    {"ring all-reduce", "128", "1000", "\"ring\"", false, NULL, 1, 1},
    {"halving-doubling", "128", "1000", "\"halvingDoubling\"", false, NULL, 1, 1},
    {"hierarchical", "16, 8", "1000, 1000", "\"ring\", \"halvingDoubling\"", false, NULL, 4, 2},
    {"all-to-all", "128", "1000", "\"direct\"", true, NULL, 1, 1},
    {"DLRM step", "128", "1000", "\"halvingDoubling\"", false,
     "HYBRID_DLRM 1\n4\nembedding -1 30000 ALLTOALL 524288 30000 ALLTOALL 524288 30000 NONE 0 1\n"
     "bottom -1 20000 NONE 0 20000 NONE 0 20000 ALLREDUCE 262144 1\n"
     "top1 -1 40000 NONE 0 40000 NONE 0 40000 ALLREDUCE 262144 1\n"
     "top2 -1 40000 NONE 0 40000 NONE 0 40000 ALLREDUCE 262144 1\n",
     1, 1},
    {"transformer step", "16, 8", "1000, 1000", "\"ring\", \"halvingDoubling\"", false,
     "DATA\n4\nlayer1 -1 200000 NONE 0 200000 NONE 0 200000 ALLREDUCE 524288 1\n"
     "layer2 -1 200000 NONE 0 200000 NONE 0 200000 ALLREDUCE 524288 1\n"
     "layer3 -1 200000 NONE 0 200000 NONE 0 200000 ALLREDUCE 524288 1\n"
     "layer4 -1 200000 NONE 0 200000 NONE 0 200000 ALLREDUCE 524288 1\n",
     4, 2},
};

struct crowd { /* what the flows of a run show */
    double slowest_us, mean_us;
    double jain; /* of their rates: 1 all equal, 1 / n one alone */
};

struct incast {
    struct crowd into, beside;
    double slowdown;      /* of the flows beside it: mean of times over those without it */
    double victims;       /* share of them that take more than half as long again */
    double longest_kb;    /* queue */
    double paused_us;     /* of all ports together: what waits there is blocked, wherever it goes */
    uint64_t pauses;      /* frames */
    struct nadi_str line; /* of an SVG: the longest queue over time */
};

struct study {
    struct nadi_repro *r;
    const char *topology;
    double times[SCHEMES][WORKLOADS]; /* us */
    struct incast incast[SCHEMES];
};

/* ---- network ----------------------------------------------------------------------------------
 */

static const char *clos(struct nadi_repro *r)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text, "%d %d %d\n", GPUS + RACKS + SPINES, RACKS + SPINES,
                    GPUS + RACKS * SPINES);
    for (int s = 0; s < RACKS + SPINES; s++)
        nadi_str_printf(&text, "%s%d", s ? " " : "", GPUS + s);
    for (int g = 0; g < GPUS; g++)
        nadi_str_printf(&text, "\n%d %d 200Gbps 5us 0", g, GPUS + g / PER_RACK);
    for (int k = 0; k < RACKS; k++)
        for (int s = 0; s < SPINES; s++)
            nadi_str_printf(&text, "\n%d %d 200Gbps 12.5us 0", GPUS + k, GPUS + RACKS + s);
    const char *path = nadi_repro_file(r, "clos.txt", "%s\n", nadi_str_get(&text));
    nadi_str_release(&text);
    return path;
}

/* ---- collectives and steps --------------------------------------------------------------------
 */

/* Of a scheme; switches store packets, as in the simulator of the published study. */
static const char *packet_file(struct nadi_repro *r, int scheme)
{
    return nadi_repro_file(
        r, "packet.yml", "congestion-control: %s\nswitching: store-and-forward\n", schemes[scheme]);
}

static bool simulate(struct study *s, int scheme, int which)
{
    struct nadi_repro *r = s->r;
    const struct workload *w = &workloads[which];
    const char *two = w->dim_count == 2 ? "25, 25" : "25";
    const char *shape = w->dim_count == 2 ? "Switch, Switch" : "Switch";
    uint64_t end = 0;
    const struct nadi_repro_run run = {
        .text = w->text ? nadi_repro_file(r, "workload.txt", "%s", w->text) : NULL,
        .kind = w->text       ? NULL
                : w->exchange ? "all-to-all"
                              : "all-reduce",
        .bytes = 2048 * KIB,
        .ranks = GPUS,
        .model = "packet",
        .network = nadi_repro_file(r, "network.yml",
                                   "topology: [%s]\nnpus_count: [%s]\nbandwidth: [%s]\n"
                                   "latency: [%s]\ngraph: %s\npacket: %s/packet.yml\n",
                                   shape, w->dims, two, w->latencies, s->topology, r->folder),
        .system = nadi_repro_file(
            r, "system.json",
            "{\"all-reduce-implementation\": [%s], \"all-gather-implementation\": [%s], "
            "\"reduce-scatter-implementation\": [%s], \"all-to-all-implementation\": [%s], "
            "\"preferred-dataset-splits\": %d, \"active-chunks-per-dimension\": 1, "
            "\"endpoint-delay\": 10, \"collective-optimization\": \"baseline\"}\n",
            w->algorithms, w->algorithms, w->algorithms,
            w->dim_count == 2 ? "\"direct\", \"direct\"" : "\"direct\"", w->chunks)};
    const bool ok = packet_file(r, scheme) && nadi_repro_simulate(r, &run, &end);
    s->times[scheme][which] = (double)end / 1e3;
    return ok;
}

/* ---- incast ------------------------------------------------------------------------------------
 */

/* Two GPUs of each other rack send to GPU 0, and two more of each to GPUs of other racks. */
static const char *flow_file(struct nadi_repro *r, bool incast)
{
    struct nadi_str rows = NADI_STR_INIT;
    for (int g = PER_RACK; g < GPUS; g += 8) {
        const int from = g + 4, to = (from + 2 * PER_RACK) % (GPUS - PER_RACK) + PER_RACK;
        if (incast)
            nadi_str_printf(&rows, "%d 0 3 100 8000000 0\n", g);
        nadi_str_printf(&rows, "%d %d 3 100 8000000 0\n", from, to);
    }
    const char *path = nadi_repro_file(r, "flows.txt", "%d\n%s", incast ? 2 * BESIDE : BESIDE,
                                       nadi_str_get(&rows));
    nadi_str_release(&rows);
    return path;
}

static struct crowd crowd_of(const struct nadi_inputs *in, const struct nadi_flows_result *result,
                             bool into)
{
    struct crowd c = {0, 0, 0};
    double sum = 0, squares = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < result->done_count; i++) {
        const struct nadi_flow_spec *f = &in->flows->list.items[result->done[i].flow];
        if ((f->dst == 0) != into)
            continue;
        const double us = (double)result->done[i].duration / 1e6;
        const double rate = (double)f->bytes / us;
        c.slowest_us = fmax(c.slowest_us, us);
        c.mean_us += us;
        sum += rate;
        squares += rate * rate;
        count++;
    }
    c.mean_us /= count;
    c.jain = sum * sum / (count * squares);
    return c;
}

/* Times of the flows beside the incast, by their places in the list without it. */
static void times_beside(const struct nadi_inputs *in, const struct nadi_flows_result *result,
                         double *us)
{
    for (size_t i = 0; i < result->done_count; i++) {
        uint32_t place = 0;
        if (in->flows->list.items[result->done[i].flow].dst == 0)
            continue;
        for (uint32_t f = 0; f < result->done[i].flow; f++)
            place += in->flows->list.items[f].dst != 0;
        NADI_ASSERT(place < BESIDE);
        us[place] = (double)result->done[i].duration / 1e6;
    }
}

/* The longest queue of any port over time, as points of `width` x `height`. */
static void draw_queues(const struct nadi_flows_result *result, double end_us, double most_bytes,
                        struct nadi_str *out)
{
    enum { WIDTH = 640, HEIGHT = 50 };
    const struct nadi_series *q = &result->samples.series[NADI_SERIES_QUEUES];
    double longest[WIDTH + 1] = {0};
    for (size_t i = 0; i < q->count; i++) {
        const double us = (double)q->items[i].index * (double)q->interval / 1e6;
        const double x = fmin(us / end_us, 1) * WIDTH;
        longest[(int)x] = fmax(longest[(int)x], (double)q->items[i].value);
    }
    for (int x = 0; x <= WIDTH; x++)
        nadi_str_printf(out, "%s%d,%.1f", x ? " " : "", x,
                        HEIGHT - HEIGHT * longest[x] / most_bytes);
}

/* From each pause to the frame that ends it, or another one, at the same port. */
static double paused_us(const struct nadi_flows_result *result)
{
    double us = 0;
    for (size_t i = 0; i < result->pfc_count; i++) {
        const struct nadi_pfc_event *from = &result->pfc[i];
        size_t k = i + 1;
        while (k < result->pfc_count &&
               (result->pfc[k].node != from->node || result->pfc[k].port != from->port))
            k++;
        if (from->pause)
            us += (double)((k < result->pfc_count ? result->pfc[k].at : result->end) - from->at) /
                  1e6;
    }
    return us;
}

/* The caller releases both. */
static bool run_flows(struct study *s, int scheme, bool incast, struct nadi_inputs *in,
                      struct nadi_result *result)
{
    const struct nadi_flows_options flows = {.list = flow_file(s->r, incast),
                                             .config = packet_file(s->r, scheme),
                                             .sample = nadi_time_from_ns(10000),
                                             .max_rows = 100000};
    const struct nadi_run_options options = {.flows = &flows,
                                             .network = s->topology,
                                             .network_model =
                                                 nadi_network_find(NADI_NETWORK_FOR_FLOWS)};
    *in = (struct nadi_inputs){.rank_count = 0};
    *result = (struct nadi_result){.rank_count = 0};
    if (!flows.list || !flows.config || !nadi_inputs_load(in, &options, s->r->diags))
        return false;
    nadi_simulate(in, NULL, result);
    nadi_diags_append(s->r->diags, &result->diags);
    return result->outcome == NADI_OUTCOME_DONE;
}

static void take_incast(const struct nadi_inputs *in, const struct nadi_flows_result *result,
                        const double *alone, struct incast *i)
{
    double beside[BESIDE] = {0};
    i->into = crowd_of(in, result, true);
    i->beside = crowd_of(in, result, false);
    i->pauses = result->pfc_total;
    i->paused_us = paused_us(result);
    for (uint32_t p = 0; p < result->port_count; p++)
        i->longest_kb = fmax(i->longest_kb, (double)result->ports[p].peak_bytes / 1e3);
    times_beside(in, result, beside);
    for (int f = 0; f < BESIDE; f++) {
        i->slowdown += beside[f] / alone[f] / BESIDE;
        i->victims += beside[f] > 1.5 * alone[f] ? 1.0 / BESIDE : 0;
    }
    draw_queues(result, 8000, 1.25e7, &i->line);
}

static bool simulate_incast(struct study *s, int scheme)
{
    double alone[BESIDE] = {0};
    bool ok = true;
    for (int incast = 0; ok && incast < 2; incast++) {
        struct nadi_inputs in;
        struct nadi_result result;
        ok = run_flows(s, scheme, incast, &in, &result);
        if (ok && incast)
            take_incast(&in, result.listed, alone, &s->incast[scheme]);
        else if (ok)
            times_beside(&in, result.listed, alone);
        nadi_result_release(&result);
        nadi_inputs_release(&in);
    }
    return ok;
}

/* ---- what it shows -----------------------------------------------------------------------------
 */

static void add_rows(struct study *s)
{
    struct nadi_repro *r = s->r;
    bool little = true;
    for (int w = 0; w < WORKLOADS; w++) {
        int near = 0;
        for (int k = 1; k < SCHEMES; k++) {
            const double ratio = s->times[k][w] / s->times[0][w];
            near += fabs(ratio - 1) <= 0.1;
        }
        little &= 2 * near >= SCHEMES - 1;
        nadi_repro_beside(r,
                          nadi_arena_printf(&r->arena, "%s: schemes within 10 %% of PFC alone",
                                            workloads[w].name),
                          NAN, near, "");
    }
    nadi_repro_word(r, "congestion control has little impact on training", "yes",
                    little ? "yes" : "no");
    for (int k = 0; k < SCHEMES; k++) {
        const struct incast *i = &s->incast[k];
        const char *name = schemes[k];
        nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: incast, slowest flow", name), NAN,
                          i->into.slowest_us, "us");
        nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: Jain's index of its flows", name),
                          NAN, i->into.jain, "");
        nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: slowdown of flows beside it", name),
                          NAN, i->slowdown, "x");
        nadi_repro_beside(r, nadi_arena_printf(&r->arena, "%s: share of victims among them", name),
                          NAN, 100 * i->victims, "%");
    }
}

static void add_page(const struct study *s, struct nadi_str *out)
{
    nadi_str_add(out, "<h2>Time relative to PFC alone</h2>\n<table><tr><th>");
    for (int k = 0; k < SCHEMES; k++)
        nadi_str_printf(out, "<th>%s", schemes[k]);
    for (int w = 0; w < WORKLOADS; w++) {
        nadi_str_add(out, "\n<tr><td>");
        nadi_markup_add(out, workloads[w].name);
        for (int k = 0; k < SCHEMES; k++)
            nadi_str_printf(out, k ? "<td>%.3f" : "<td>%.1f us",
                            s->times[k][w] / (k ? s->times[0][w] : 1));
    }
    nadi_str_add(
        out, "</table>\n<h2>An incast of 14 flows, and 14 flows beside it</h2>\n<table><tr>"
             "<th>scheme<th>slowest, us<th>Jain's index<th>beside it: mean, us<th>Jain's "
             "index<th>slowdown<th>victims<th>longest queue, kB<th>PFC frames<th>ports paused, us");
    for (int k = 0; k < SCHEMES; k++) {
        const struct incast *i = &s->incast[k];
        nadi_str_printf(
            out,
            "\n<tr><td>%s<td>%.1f<td>%.3f<td>%.1f<td>%.3f<td>%.2f<td>%.0f %%<td>%.0f<td>"
            "%" PRIu64 "<td>%.1f",
            schemes[k], i->into.slowest_us, i->into.jain, i->beside.mean_us, i->beside.jain,
            i->slowdown, 100 * i->victims, i->longest_kb, i->pauses, i->paused_us);
    }
    nadi_str_add(
        out, "</table>\n<p>Jain's index of the rates of n flows: 1 where all are equal, 1/n "
             "where one has all. Slowdown: a flow's time over that without the incast, "
             "mean; victims take more than half as long again: they wait behind pauses "
             "that the incast causes. Ports paused: the sum of their times; a paused port blocks "
             "all that waits at its head, wherever it goes.</p>\n<h2>Longest queue of any port "
             "during the "
             "incast</h2>\n");
    for (int k = 0; k < SCHEMES; k++)
        nadi_str_printf(
            out,
            "<figure><figcaption>%s, 0 to 8 ms, 0 to 12.5 MB</figcaption><svg viewBox=\"0 0 "
            "640 52\" width=\"640\" height=\"52\"><polyline fill=\"none\" "
            "stroke=\"#4269d0\" stroke-width=\"1.5\" points=\"%s\"/></svg></figure>\n",
            schemes[k], nadi_str_get(&s->incast[k].line));
}

bool nadi_repro_roce(struct nadi_repro *r)
{
    struct study *s = NADI_ARENA_ZNEW(&r->arena, struct study, 1);
    bool ok = true;
    s->r = r;
    s->topology = clos(r);
    for (int k = 0; k < SCHEMES && ok; k++) {
        for (int w = 0; w < WORKLOADS && ok; w++)
            ok = simulate(s, k, w);
        ok = ok && simulate_incast(s, k);
    }
    if (ok) {
        add_rows(s);
        if (r->page)
            add_page(s, r->page);
    }
    for (int k = 0; k < SCHEMES; k++)
        nadi_str_release(&s->incast[k].line);
    return ok;
}
