/* fidelity: distributions of two jobs, and their simulated steps on five networks. */
#include "base/mem.h"
#include "base/time.h"
#include "learned/job.h"
#include "learned/measure.h"
#include "network/network.h"
#include "sim/fleet.h"
#include "sim/run.h"

#include <math.h>

/* --- distributions -----------------------------------------------------------------------------
 */

/* What counts as equal: a share of a value, not less and not more than an amount. Recorded times
 * are whole ticks, so that one that lies between two is either. */
struct slack {
    double share, least, most;
};
static const struct slack thousandth = {0.001, 0, HUGE_VAL}, twentieth = {0.05, 0, HUGE_VAL};

struct weighted {
    double value, weight;
};

struct values {
    struct weighted *items;
    size_t count, capacity;
};

static int by_value(const void *a, const void *b)
{
    const struct weighted *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

static double sum_of(const struct values *v)
{
    double sum = 0;
    for (size_t i = 0; i < v->count; i++)
        sum += v->items[i].weight;
    return sum;
}

/* Share of b up to `value`, and of a; both ascend, at[] is where they stand. */
static double share_to(const struct values *v, double value, size_t *at, double *sum)
{
    while (*at < v->count && v->items[*at].value <= value)
        *sum += v->items[(*at)++].weight;
    return *sum;
}

/* The most by which a's share up to a value is above b's up to what counts as equal to it. */
static double above(const struct values *a, const struct values *b, struct slack slack)
{
    const double all_a = sum_of(a), all_b = sum_of(b);
    double most = 0, sum_a = 0, sum_b = 0;
    size_t at_a = 0, at_b = 0;
    for (size_t i = 0; i < a->count; i++) {
        const double value = a->items[i].value;
        const double more = fmin(fmax(value * slack.share, slack.least), slack.most);
        const double here = share_to(a, value, &at_a, &sum_a) / all_a;
        const double there = share_to(b, value + more, &at_b, &sum_b) / all_b;
        most = fmax(most, here - there);
    }
    return most;
}

static double apart(const struct values *a, const struct values *b, struct slack slack)
{
    if (a->count == 0 || b->count == 0)
        return a->count == b->count ? 0 : 1;
    return fmax(above(a, b, slack), above(b, a, slack));
}

static double wasserstein(const struct values *a, const struct values *b)
{
    const double all_a = sum_of(a), all_b = sum_of(b);
    double area = 0, sum_a = 0, sum_b = 0, last = 0, mean = 0;
    size_t i = 0, k = 0;
    if (a->count == 0 || b->count == 0)
        return a->count == b->count ? 0 : 1;
    for (size_t n = 0; n < a->count; n++)
        mean += a->items[n].value * a->items[n].weight / all_a;
    while (i < a->count || k < b->count) {
        const bool first =
            k == b->count || (i < a->count && a->items[i].value <= b->items[k].value);
        const double value = first ? a->items[i].value : b->items[k].value;
        area += fabs(sum_a / all_a - sum_b / all_b) * (value - last);
        last = value;
        if (first)
            sum_a += a->items[i++].weight;
        else
            sum_b += b->items[k++].weight;
    }
    return mean > 0 ? area / mean : area;
}

static void quantiles(const struct values *v, double *out)
{
    const double all = sum_of(v);
    double sum = 0;
    size_t at = 0;
    for (uint32_t q = 0; q < NADI_FIDELITY_POINTS; q++) {
        while (at + 1 < v->count &&
               sum + v->items[at].weight < all * (q + 0.5) / NADI_FIDELITY_POINTS)
            sum += v->items[at++].weight;
        out[q] = v->count ? v->items[at].value : 0;
    }
}

/* tick: of times, in ns; 0: sizes and counts. */
static struct nadi_distance compare(struct values v[2], double tick)
{
    struct nadi_distance d;
    for (int j = 0; j < 2; j++)
        if (v[j].count)
            qsort(v[j].items, v[j].count, sizeof(*v[j].items), by_value);
    d.ks = apart(&v[0], &v[1], (struct slack){0.001, tick > 0, tick});
    d.close = apart(&v[0], &v[1], thousandth);
    d.near = apart(&v[0], &v[1], twentieth);
    d.wasserstein = wasserstein(&v[0], &v[1]);
    for (int j = 0; j < 2; j++)
        quantiles(&v[j], d.quantiles[j]);
    return d;
}

/* --- jobs --------------------------------------------------------------------------------------
 */

struct kind {
    char name[48];
    struct values durations[2], sizes[2];
    double nodes[2];
};

struct comparing {
    struct nadi_vocabulary vocabulary;
    struct nadi_learned_job jobs[2];
    struct kind kinds[NADI_FIDELITY_KINDS];
    uint32_t kind_count;
    struct values fan_in[2], fan_out[2];
};

static void kind_name(const struct nadi_job_symbol *s, char name[48])
{
    static const char *const words[NADI_NODE_TYPES] = {[NADI_NODE_MEM_LOAD] = "load",
                                                       [NADI_NODE_MEM_STORE] = "store",
                                                       [NADI_NODE_COMP] = "compute",
                                                       [NADI_NODE_SEND] = "send",
                                                       [NADI_NODE_RECV] = "receive"};
    const char *host = s->flags & NADI_NODE_IS_CPU ? "host " : "";
    snprintf(name, 48, "%s%s", host,
             s->type == NADI_NODE_COLL ? nadi_collective_label((enum nadi_collective_kind)s->kind)
                                       : words[s->type]);
}

static struct kind *kind_of(struct comparing *c, const struct nadi_job_symbol *s)
{
    char name[48];
    kind_name(s, name);
    for (uint32_t i = 0; i < c->kind_count; i++)
        if (strcmp(c->kinds[i].name, name) == 0)
            return &c->kinds[i];
    if (c->kind_count == NADI_FIDELITY_KINDS)
        return &c->kinds[NADI_FIDELITY_KINDS - 1];
    struct kind *k = &c->kinds[c->kind_count++];
    snprintf(k->name, sizeof(k->name), "%s", name);
    return k;
}

static void push(struct values *v, double value, double weight)
{
    const struct weighted w = {value, weight};
    NADI_PUSH(v, w);
}

/* `weight` ranks run the program. */
static void add_program(struct comparing *c, int j, const struct nadi_job_program *p, double weight)
{
    const size_t symbols = c->vocabulary.symbols.count;
    uint32_t *out = NADI_ZNEW(uint32_t, p->node_count);
    struct placed {
        uint32_t *items;
        size_t count, capacity;
    } *seen = NADI_ZNEW(struct placed, symbols);
    for (uint32_t n = 0; n < p->node_count; n++) {
        const struct nadi_job_symbol *s = &c->vocabulary.symbols.items[p->symbol[n]];
        struct kind *k = kind_of(c, s);
        uint32_t in = 0;
        k->nodes[j] += weight;
        if (p->duration_ns[n])
            push(&k->durations[j], (double)p->duration_ns[n], weight);
        if (p->bytes[n])
            push(&k->sizes[j], (double)p->bytes[n], weight);
        for (uint32_t r = p->ref_start[n]; r < p->ref_start[n + 1]; r++) {
            const struct nadi_job_refs *ref = &p->refs[r];
            const struct placed *on = &seen[ref->kind_of];
            in += ref->count;
            for (uint32_t i = ref->k; i < ref->k + ref->count && i < on->count; i++)
                out[on->items[on->count - 1 - i]]++;
        }
        push(&c->fan_in[j], in, weight);
        NADI_PUSH(&seen[s->kind_of], n);
    }
    for (uint32_t n = 0; n < p->node_count; n++)
        push(&c->fan_out[j], out[n], weight);
    for (size_t i = 0; i < symbols; i++)
        nadi_mem_free(seen[i].items);
    nadi_mem_free(seen);
    nadi_mem_free(out);
}

static void add_job(struct comparing *c, int j)
{
    const struct nadi_learned_job *job = &c->jobs[j];
    const double weight = (double)job->rank_count / job->stage_count;
    for (uint32_t s = 0; s < job->stage_count; s++)
        add_program(c, j, job->programs[job->class_of_stage[s]], weight);
}

/* Of the clock that the times of a job were recorded by, in ns. */
static double tick_of(const struct nadi_learned_job *job)
{
    bool any = false;
    for (uint32_t c = 0; c < job->class_count; c++)
        for (uint32_t n = 0; n < job->programs[c]->node_count; n++) {
            if (job->programs[c]->duration_ns[n] % 1000 != 0)
                return 1;
            any |= job->programs[c]->duration_ns[n] > 0;
        }
    return any ? 1000 : 1;
}

static void compare_jobs(struct comparing *c, struct nadi_fidelity *f)
{
    double all[2] = {0};
    for (int j = 0; j < 2; j++)
        add_job(c, j);
    for (uint32_t i = 0; i < c->kind_count; i++)
        for (int j = 0; j < 2; j++)
            all[j] += c->kinds[i].nodes[j];
    f->kind_count = c->kind_count;
    for (uint32_t i = 0; i < c->kind_count; i++) {
        struct kind *k = &c->kinds[i];
        struct nadi_fidelity_kind *out = &f->kinds[i];
        memcpy(out->name, k->name, sizeof(out->name));
        for (int j = 0; j < 2; j++)
            out->nodes[j] = nadi_count_round(k->nodes[j]);
        out->duration = compare(k->durations, f->tick_ns);
        out->size = compare(k->sizes, 0);
        f->kinds_apart += fabs(k->nodes[0] / all[0] - k->nodes[1] / all[1]) / 2;
    }
    f->fan_in = compare(c->fan_in, 0);
    f->fan_out = compare(c->fan_out, 0);
}

static void release(struct comparing *c)
{
    for (int j = 0; j < 2; j++) {
        for (uint32_t i = 0; i < c->kind_count; i++) {
            nadi_mem_free(c->kinds[i].durations[j].items);
            nadi_mem_free(c->kinds[i].sizes[j].items);
        }
        nadi_mem_free(c->fan_in[j].items);
        nadi_mem_free(c->fan_out[j].items);
        nadi_learned_job_release(&c->jobs[j]);
    }
    nadi_vocabulary_release(&c->vocabulary);
}

/* --- networks ----------------------------------------------------------------------------------
 */

static const char *const network_names[NADI_FIDELITY_NETWORKS] = {
    "switch, 50 GB/s", "ring, 100 GB/s", "full mesh, 25 GB/s", "servers of 8, 400 and 50 GB/s",
    "two rings, 50 GB/s"};

static void add_dim(struct nadi_topology *t, enum nadi_dim_kind kind, uint32_t npus, double rate)
{
    if (npus > 1 || t->dim_count == 0)
        t->dims[t->dim_count++] =
            (struct nadi_dim){.kind = kind, .npus = npus, .bytes_per_ns = rate, .latency_ns = 1000};
}

static uint32_t divisor(uint32_t ranks, uint32_t most)
{
    while (ranks % most != 0)
        most--;
    return most;
}

static void make_topology(struct nadi_topology *t, uint32_t network, uint32_t ranks)
{
    uint32_t side = divisor(ranks, ranks < 8 ? ranks : 8);
    *t = (struct nadi_topology){.dim_count = 0};
    switch (network) {
    case 0:
        add_dim(t, NADI_DIM_SWITCH, ranks, 50);
        break;
    case 1:
        add_dim(t, NADI_DIM_RING, ranks, 100);
        break;
    case 2:
        add_dim(t, NADI_DIM_FULLY_CONNECTED, ranks, 25);
        break;
    case 3:
        add_dim(t, NADI_DIM_SWITCH, side, 400);
        add_dim(t, NADI_DIM_SWITCH, ranks / side, 50);
        break;
    default:
        side = divisor(ranks, (uint32_t)sqrt((double)ranks));
        add_dim(t, NADI_DIM_RING, side, 50);
        add_dim(t, NADI_DIM_RING, ranks / side, 50);
    }
}

/* Rings of messages on whatever there is: what is compared is the two jobs. */
static void make_system(struct nadi_system_config *s)
{
    *s = (struct nadi_system_config){.policy = NADI_SCHEDULING_LIFO,
                                     .local_bw_aware = true,
                                     .endpoint_delay_ns = 10,
                                     .active_chunks = 1,
                                     .splits = 1,
                                     .queues_per_dim = 1,
                                     .comm_streams = 1,
                                     .local_mem_trace_filename = "local_mem_trace",
                                     .settle_ties = true};
    for (int k = 0; k < NADI_NATIVE_KINDS; k++)
        s->native[k] = (struct nadi_implementation){
            .count = 1,
            .dims = {{.algorithm =
                          k == NADI_NATIVE_ALL_TO_ALL ? NADI_ALGORITHM_DIRECT : NADI_ALGORITHM_RING,
                      .flat = true,
                      .window = k == NADI_NATIVE_ALL_TO_ALL ? 1 : 0}}};
}

static void take_result(struct nadi_fidelity_network *n, int j, const struct nadi_result *r)
{
    double compute = 0, comm = 0, exposed = 0, finish = 0;
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        const struct nadi_rank_result *x = nadi_result_rank(r, rank);
        compute += (double)x->compute_ns;
        comm += (double)x->comm_ns;
        exposed += (double)x->true_exposed_comm_ns;
        finish += (double)x->finish_ns;
    }
    n->end_ns[j] = (double)r->end_ns;
    n->exposed_ns[j] = exposed / r->rank_count;
    n->compute_share[j] = finish > 0 ? compute / finish : 0;
    n->overlap[j] = comm > 0 ? 1 - exposed / comm : 0;
}

static bool has_memory(const struct nadi_inputs *in)
{
    for (uint32_t i = 0; i < in->owned_count; i++)
        for (uint32_t n = 0; n < in->owned[i]->node_count; n++)
            if (in->owned[i]->type[n] == NADI_NODE_MEM_LOAD ||
                in->owned[i]->type[n] == NADI_NODE_MEM_STORE)
                return true;
    return false;
}

static bool simulate(struct nadi_fidelity *f, int j, const char *workload, struct nadi_diags *diags)
{
    struct nadi_fleet fleet;
    bool ok = nadi_fleet_open(&fleet, workload, NULL, diags) && nadi_fleet_compare(&fleet, diags);
    for (uint32_t i = 0; i < NADI_FIDELITY_NETWORKS && ok; i++) {
        struct nadi_fidelity_network *n = &f->networks[i];
        struct nadi_result result;
        n->name = network_names[i];
        fleet.in.options.network_model = nadi_network_default;
        fleet.in.options.network = "fidelity";
        fleet.in.options.injection_scale = fleet.in.options.compute_scale =
            fleet.in.options.comm_scale = 1;
        fleet.in.options.queues_per_dim = 1;
        make_system(&fleet.in.system);
        make_topology(&fleet.in.topology, i, fleet.in.rank_count);
        if (has_memory(&fleet.in)) {
            n->why_not = "the job reads remote memory, which these networks do not have";
            continue;
        }
        if (!nadi_topology_finish(&fleet.in.topology))
            NADI_BUG("a network of %u ranks", fleet.in.rank_count);
        ok = nadi_inputs_take_topology(&fleet.in, NULL, NULL, diags);
        if (!ok)
            break;
        nadi_simulate(&fleet.in, NULL, &result);
        if (result.outcome == NADI_OUTCOME_DONE)
            take_result(n, j, &result);
        else
            n->why_not = "it does not come to its end there";
        nadi_result_release(&result);
    }
    nadi_fleet_close(&fleet);
    return ok;
}

bool nadi_fidelity_measure(struct nadi_fidelity *f, const char *real, const char *synthetic,
                           struct nadi_diags *diags)
{
    struct comparing *c = NADI_ZNEW(struct comparing, 1);
    *f = (struct nadi_fidelity){.kinds_apart = 0};
    nadi_vocabulary_init(&c->vocabulary);
    bool ok = nadi_learned_job_open(&c->jobs[0], real, NULL, &c->vocabulary, diags);
    ok = ok && nadi_learned_job_open(&c->jobs[1], synthetic, NULL, &c->vocabulary, diags);
    if (ok) {
        f->ranks[0] = c->jobs[0].rank_count;
        f->ranks[1] = c->jobs[1].rank_count;
        f->tick_ns = tick_of(&c->jobs[0]);
        compare_jobs(c, f);
    }
    release(c);
    nadi_mem_free(c);
    return ok && simulate(f, 0, real, diags) && simulate(f, 1, synthetic, diags);
}
