/* Random plans whose parts lie in tiers: the bytes that every rank of the pipeline loads from each
 * tier and stores there are those of a closed form. With D and X parameters of the rank's layers,
 * dense and of experts, on N replicas, and passes and micro-batches counted in the schedule:
 *
 *   optimizer    what the rank updates, there and back once a step
 *   gradients    stored after every backward pass, loaded before all but the first one to be added
 *                to, and loaded for the optimizer: with ZeRO 2 and 3 a share of 1/N each, with ZeRO
 *                1 of the last store, which follows the reduction
 *   parameters   loaded for every pass; what the rank updates is stored after it, and with ZeRO 1
 *                and 2 what the others have updated when it is gathered
 *   activations  stored once, loaded for every backward pass
 *
 *   placed [CASES [FIRST_SEED]]    a failing seed is printed */
#include "base/mem.h"
#include "base/str.h"
#include "model/step.h"
#include "support/draw.h"
#include "support/seeds.h"
#include "trace/mem.h"

#include <math.h>
#include <stdio.h>

enum { CASES = 600, PARTS = 5 };

static const char *const words[PARTS] = {"optimizer", "gradients", "parameters", "activations",
                                         "experts"};

struct moved { /* by part: from where it lies, and there */
    double loads[PARTS], stores[PARTS];
    double nodes; /* each cut to whole bytes */
};

struct plan {
    bool placed[PARTS]; /* each in a tier of its name's first letter */
    bool offload, streaming;
    char settings[400];
};

static const char *one_of(struct draw *d, const char *const *items, uint64_t count)
{
    return items[draw_below(d, count)];
}

static void draw_plan(struct draw *d, struct plan *p, bool experts)
{
    static const char *const schedules[] = {"1f1b", "gpipe", "interleaved", "zb-h1", "dualpipe"};
    const uint64_t pp = draw_below(d, 2) ? 1 : 2 * draw_pick(d, 1, 2), dp = draw_pick(d, 1, 4);
    const char *schedule = one_of(d, schedules, 5);
    const bool dual = pp > 1 && strcmp(schedule, "dualpipe") == 0;
    const bool turns = pp > 1 && strcmp(schedule, "interleaved") == 0;
    const uint64_t micro_batches = pp * draw_pick(d, dual ? 2 : 1, 4);
    const int zero = (int)draw_below(d, dual ? 3 : 4);
    struct nadi_str s = NADI_STR_INIT;
    *p = (struct plan){0};
    nadi_str_printf(&s, "tp=%d dp=%d pp=%d batch=%d micro-batch=1 sequence=128",
                    1 << draw_below(d, 2), (int)dp, (int)pp, (int)(dp * micro_batches));
    if (pp > 1)
        nadi_str_printf(&s, " schedule=%s%s", schedule, turns ? " vp=2" : "");
    if (experts && dp % 2 == 0 && draw_below(d, 2))
        nadi_str_add(&s, " ep=2");
    nadi_str_printf(&s, " zero=%d recompute=%s overlap-gradients=%d overlap-parameters=%d steps=%d",
                    zero, draw_below(d, 2) ? "full" : "none", (int)draw_below(d, 2),
                    (int)draw_below(d, 2), 1 + (int)draw_below(d, 2));
    if (draw_below(d, 2))
        nadi_str_printf(&s, " bucket=%dMB", 1 << draw_pick(d, 4, 10));
    p->streaming = draw_below(d, 5) == 0;
    p->offload = p->streaming || draw_below(d, 3) == 0;
    for (int i = 0; i < PARTS; i++)
        p->placed[i] =
            p->streaming ? i < 3 : draw_below(d, 2) && (i < 4 || (experts && !p->offload));
    if (p->streaming) {
        nadi_str_add(&s, " execution=streaming");
        if (zero == 3 && draw_below(d, 2))
            nadi_str_add(&s, " remote-parameters=shards");
    } else {
        const char *between = "";
        nadi_str_add(&s, p->offload ? " offload=[" : " place={");
        for (int i = 0; i < PARTS; i++) {
            if (!p->placed[i])
                continue;
            nadi_str_printf(&s, p->offload ? "%s%s" : "%s%s: %.1s", between, words[i], words[i]);
            between = ", ";
        }
        nadi_str_add(&s, p->offload ? "]" : "}");
        if (between[0] && !p->offload && draw_below(d, 2))
            nadi_str_add(&s, " interleave=0.25");
    }
    snprintf(p->settings, sizeof(p->settings), "%s", nadi_str_get(&s));
    nadi_str_release(&s);
}

/* ---- what the graph moves ------------------------------------------------------------------ */

static int part_of(const struct nadi_trace_mem *m)
{
    switch ((enum nadi_mem_role)m->role) {
    case NADI_MEM_OPTIMIZER_OFFLOAD:
        return 0;
    case NADI_MEM_GRADIENT_OFFLOAD:
        return 1;
    case NADI_MEM_WEIGHT_PREFETCH:
    case NADI_MEM_WEIGHT_OFFLOAD:
        return 2;
    case NADI_MEM_ACTIVATION_OFFLOAD:
        return 3;
    case NADI_MEM_EXPERT_FETCH:
        return 4;
    case NADI_MEM_KV_OFFLOAD:
    case NADI_MEM_KV_PREFETCH:
    case NADI_MEM_KV_TRANSFER:
    case NADI_MEM_ADAPTER_SWAP:
    case NADI_MEM_CHECKPOINT:
    case NADI_MEM_EMBEDDING_LOOKUP:
    case NADI_MEM_EVICTION:
    case NADI_MEM_OTHER:
    case NADI_MEM_ROLES:
        return -1;
    }
    return -1;
}

/* False: a node is not of the tier that its part lies in, or of no part. */
static bool sum_up(const struct nadi_trace *t, const struct plan *p, struct moved *sum)
{
    *sum = (struct moved){0};
    for (uint32_t i = 0; i < t->node_count; i++) {
        if (t->type[i] != NADI_NODE_MEM_LOAD && t->type[i] != NADI_NODE_MEM_STORE)
            continue;
        const struct nadi_trace_mem *m = nadi_trace_mem(t, i);
        const int part = m ? part_of(m) : -1;
        if (part < 0 || !p->placed[part])
            return false;
        if (m->op == NADI_MEM_ALLOC || m->op == NADI_MEM_FREE)
            continue;
        const char *tier = nadi_trace_string(t, m->op == NADI_MEM_LOADS ? m->src : m->dst);
        if (p->offload ? strcmp(tier, NADI_HOST_TIER) != 0
                       : tier[0] != words[part][0] || tier[1] != '\0')
            return false;
        *(m->op == NADI_MEM_LOADS ? &sum->loads[part] : &sum->stores[part]) += (double)t->bytes[i];
        sum->nodes++;
    }
    return true;
}

/* ---- the closed form ----------------------------------------------------------------------- */

struct passes { /* of a chunk, in a step */
    double forward, backward, weights;
};

static struct passes passes_of(const struct nadi_actions *list, uint32_t chunk)
{
    struct passes n = {0};
    for (uint32_t i = 0; i < list->count; i++) {
        const struct nadi_action *a = &list->items[i];
        if (a->chunk != chunk)
            continue;
        n.forward += a->pass == NADI_PASS_FORWARD;
        n.backward += a->pass != NADI_PASS_FORWARD;
        n.weights += a->pass == NADI_PASS_BACKWARD || a->pass == NADI_PASS_WEIGHT;
    }
    return n;
}

/* Of `all` parameters on n replicas, of which a pass needs `active`: in all passes of a step. */
static void add_parameters(const struct nadi_model_plan *p, struct moved *m, int part, double all,
                           double active, double n, const struct passes *k)
{
    const double uses = k->forward + k->backward, width = p->parameter_bytes;
    if (p->zero == 3)
        m->loads[part] += uses * active / n * width;
    else if (p->zero == 0 || !p->overlap_parameters || n < 2)
        m->loads[part] += uses * active * width;
    else {
        m->loads[part] += ((uses - 1) * active + all / n) * width;
        m->stores[part] += all * (1 - 1 / n) * width;
    }
}

static void add_gradients(const struct nadi_model_plan *p, struct moved *m, double all, double n,
                          const struct passes *k)
{
    const double each = p->zero >= 2 ? all / n : all, last = p->zero ? all / n : all;
    m->loads[1] += (k->weights - 1) * each * p->gradient_bytes;
    m->stores[1] += ((k->weights - 1) * each + last) * p->gradient_bytes;
}

static void add_update(const struct nadi_model_plan *p, struct moved *m, int parameters, double all,
                       double n)
{
    const double own = p->zero ? all / n : all;
    const bool gathers = (p->zero == 1 || p->zero == 2) && !p->overlap_parameters;
    m->loads[0] += own * p->optimizer_bytes;
    m->stores[0] += own * p->optimizer_bytes;
    m->loads[1] += own * p->gradient_bytes;
    m->stores[parameters] += (gathers ? all : own) * p->parameter_bytes;
}

/* Of a rank's experts those that a micro-batch's tokens go to, on average: whole ones. */
static double active_share(const struct nadi_study *s)
{
    const struct nadi_model *m = &s->model;
    const double local = (double)m->experts / s->plan.ep;
    const double copies = (double)s->plan.micro_batch * (double)s->plan.tokens * m->top_k;
    const double missed =
        pow(1 - fmin(1, (double)m->top_k / m->experts), copies / m->top_k * s->plan.ep);
    return fmax(fmin(round(local * (1 - missed)), copies), 1) / local;
}

static void add_chunk(const struct nadi_study *s, struct moved *m, uint32_t rank, uint32_t chunk)
{
    const struct nadi_model_plan *p = &s->plan;
    const double dense_n = nadi_plan_replicas(p, false), expert_n = nadi_plan_replicas(p, true);
    const bool apart = p->offload & NADI_OFFLOAD_EXPERTS;
    const struct passes k = passes_of(&s->schedule.lists[rank], chunk);
    const struct nadi_pipeline_stage stage =
        nadi_stage_of(p, &s->net, nadi_schedule_stage(&s->schedule, rank, chunk));
    const double active = apart ? active_share(s) : 1;
    double dense = 0, expert = 0;
    for (uint32_t i = stage.first; i < stage.first + stage.count; i++) {
        const struct nadi_layer_kind *kind = nadi_net_layer(&s->net, i);
        const struct nadi_stage_weights w = nadi_pipeline_layer_weights(p, &s->model, &s->net, i);
        const double kept =
            nadi_layer_kept(p, &s->net, kind, nadi_body_position(&s->net, &stage, i));
        dense += (double)w.dense;
        expert += (double)w.expert;
        m->stores[3] += k.forward * kept;
        m->loads[3] += k.backward * kept;
    }
    add_parameters(p, m, 2, dense, dense, dense_n, &k);
    add_parameters(p, m, apart ? 4 : 2, expert, active * expert, expert_n, &k);
    add_gradients(p, m, dense, dense_n, &k);
    add_gradients(p, m, expert, expert_n, &k);
    add_update(p, m, 2, dense, dense_n);
    add_update(p, m, apart ? 4 : 2, expert, expert_n);
}

/* The first and the last stage exchange the embedding's gradients. */
static void add_tied(const struct nadi_study *s, struct moved *m, uint32_t rank)
{
    const struct nadi_model_plan *p = &s->plan;
    const double share = p->zero ? 1.0 / nadi_plan_replicas(p, false) : 1;
    const double bytes = share * (double)nadi_copied_weights(&s->model, p->tp) * p->gradient_bytes;
    if (!s->grid.tied || (rank > 0 && rank + 1 < p->pp))
        return;
    m->loads[1] += bytes;
    m->stores[1] += bytes;
}

static bool is_near(double got, double want, double nodes)
{
    return fabs(got - want) <= 2 * nodes + want * 1e-12;
}

static bool check_rank(const struct nadi_study *s, const struct plan *p, const char *who,
                       const struct nadi_trace *t, uint32_t rank)
{
    struct moved got, want = {0};
    if (!sum_up(t, p, &got)) {
        fprintf(stderr, "%s: rank %u: a node of no part, or of another tier\n", who, rank);
        return false;
    }
    for (uint32_t c = 0; c < s->schedule.chunks; c++)
        add_chunk(s, &want, rank, c);
    add_tied(s, &want, rank);
    for (int i = 0; i < PARTS; i++) {
        const double times = s->plan.steps * (p->placed[i] ? s->plan.interleave : 0);
        if (is_near(got.loads[i], times * want.loads[i], got.nodes) &&
            is_near(got.stores[i], times * want.stores[i], got.nodes))
            continue;
        fprintf(stderr, "%s: rank %u, %s: loads %.0f, should be %.0f; stores %.0f, %.0f\n", who,
                rank, words[i], got.loads[i], times * want.loads[i], got.stores[i],
                times * want.stores[i]);
        return false;
    }
    return true;
}

static bool try_seed(uint64_t seed, uint64_t *tried)
{
    static const char *const models[] = {"gpt2-medium", "llama3-8b", "mixtral-8x7b"};
    struct nadi_rng rng;
    struct nadi_diags diags;
    struct nadi_study study;
    struct plan p;
    char who[500];
    nadi_rng_init(&rng, seed, "placed");
    struct draw d = draw_from_rng(&rng);
    const uint64_t model = draw_below(&d, 3);
    draw_plan(&d, &p, model == 2);
    snprintf(who, sizeof(who), "seed %llu: %s %s", (unsigned long long)seed, models[model],
             p.settings);
    nadi_diags_init(&diags);
    const struct nadi_study_setup setup = {.model = models[model], .settings = p.settings};
    bool ok = true;
    if (nadi_study_open(&study, &setup, &diags)) {
        struct nadi_model_step step;
        ok = nadi_step_init(&step, &study, &diags);
        ++*tried;
        for (uint32_t rank = 0; rank < study.plan.pp && ok; rank++) {
            struct nadi_trace *t = nadi_step_trace(&step, rank);
            ok = check_rank(&study, &p, who, t, rank);
            nadi_trace_destroy(t);
        }
        nadi_step_release(&step);
    }
    nadi_study_close(&study);
    nadi_diags_release(&diags);
    return ok;
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    uint64_t failed = 0, tried = 0;
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t i = 0; i < s.cases; i++)
        failed += !try_seed(s.first + i, &tried);
    printf("%llu plans, %llu failed\n", (unsigned long long)tried, (unsigned long long)failed);
    return failed || tried * 2 < s.cases;
}
