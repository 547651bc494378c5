/* What the words of a run without a critical path say that a tenth faster compute, communication or
 * remote memory saves at most (why/tenth.h), against steps of drawn models, clusters and plans that
 * are simulated again with it: not exceeded by more than whole nanoseconds, where messages meet a
 * fiftieth of it; on the mean less than 1.8 times what is found, 1.5 where the ranks are one.
 *
 *   tenth [CASES [FIRST_SEED]]    default 120 cases from seed 1; with cases, each is printed */
#include "why/tenth.h"

#include "base/str.h"
#include "explore/model_inputs.h"
#include "sim/run.h"
#include "support/cases.h"
#include "support/draw.h"
#include "support/seeds.h"

#include <math.h>
#include <stdio.h>

enum { CASES = CASES_OF(120) };

static const char *const models[] = {"gpt2-medium", "llama3-8b", "megatron-3.6b", "mixtral-8x7b",
                                     "qwen3-30b-a3b"};
static const char *const clusters[] = {"dgx-h100", "dgx-a100", "mi300x", "gb200-nvl72"};
static const char *const kinds[NADI_FASTER_KINDS] = {"compute", "communication", "memory"};

struct counts {
    uint64_t steps, checked[NADI_FASTER_KINDS], exceeded;
    double said, found, alike_said, alike_found; /* of the run */
};

static void draw_plan(struct draw *d, struct nadi_str *out)
{
    static const char *const offload[] = {"optimizer", "gradients", "parameters", "activations",
                                          "[optimizer,parameters]"};
    const uint32_t tp = DRAW_ONE_OF(d, 1, 1, 2, 4, 8), pp = DRAW_ONE_OF(d, 1, 1, 1, 2, 4),
                   dp = DRAW_ONE_OF(d, 1, 2, 4, 8), zero = DRAW_ONE_OF(d, 0, 1, 2, 3);
    nadi_str_printf(out, "tp=%u pp=%u dp=%u batch=%u zero=%u", tp, pp, dp,
                    dp * DRAW_ONE_OF(d, 1, 2, 4, 8), zero);
    if (tp > 1 && draw_below(d, 4) == 0)
        nadi_str_add(out, " tp-overlap=0.5");
    if (draw_below(d, 3) == 0)
        nadi_str_printf(out, " offload=%s", offload[draw_below(d, 5)]);
    if (draw_below(d, 3) == 0)
        nadi_str_printf(out, " cluster.bandwidth[0]=%uGB/s", DRAW_ONE_OF(d, 20, 50, 100));
    if (draw_below(d, 4) == 0)
        nadi_str_printf(out, " detail=%s", draw_below(d, 2) ? "layer" : "kernel");
}

/* Times of nodes are whole nanoseconds, those of their messages too. */
static double rounded(const struct nadi_inputs *in)
{
    uint32_t most = 0;
    for (uint32_t rank = 0; rank < in->rank_count; rank++)
        most = in->traces[rank]->node_count > most ? in->traces[rank]->node_count : most;
    return 32.0 * most;
}

static void compare(const char *what, const struct nadi_inputs *in, const struct nadi_result *r,
                    enum nadi_faster kind, bool say, struct counts *n)
{
    const double end = (double)r->end_ns, said = nadi_tenth_saves(in, r, kind);
    struct nadi_changed c;
    if (nadi_change_kind(&c, in, kind, 1.1)) {
        struct nadi_result again;
        nadi_simulate(&c.in, NULL, &again);
        const double found = end - (double)again.end_ns;
        const bool meet =
            kind == NADI_FASTER_COMMUNICATION && in->options.network_model->has_contention;
        const bool exceeded = found > said * (meet ? 1.02 : 1) + rounded(in);
        if (exceeded || say)
            printf("%s: %s (%s, %u classes): said %.4g %%, found %.4g %%%s\n", what, kinds[kind],
                   in->options.network_model->name, r->class_count, 100 * said / end,
                   100 * found / end, exceeded ? " EXCEEDED" : "");
        n->checked[kind] += said > 0;
        n->exceeded += exceeded;
        n->said += said / end;
        n->found += found / end;
        if (r->class_count == 1) {
            n->alike_said += said / end;
            n->alike_found += found / end;
        }
        nadi_result_release(&again);
    }
    nadi_change_close(&c);
}

static void one_study(const char *what, const struct nadi_study *study, bool say, struct counts *n)
{
    const struct nadi_run_options options = nadi_model_auto_options();
    struct nadi_model_step step;
    struct nadi_inputs in;
    struct nadi_result r;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (nadi_step_init(&step, study, &diags)) {
        if (nadi_model_inputs(&in, &step, &options, &diags)) {
            nadi_simulate(&in, NULL, &r);
            n->steps += r.outcome == NADI_OUTCOME_DONE;
            for (int k = 0; k < NADI_FASTER_KINDS && r.outcome == NADI_OUTCOME_DONE; k++)
                compare(what, &in, &r, (enum nadi_faster)k, say, n);
            nadi_result_release(&r);
        }
        nadi_inputs_release(&in);
    }
    nadi_step_release(&step);
    nadi_diags_release(&diags);
}

static void one_case(uint64_t seed, bool say, struct counts *n)
{
    struct nadi_rng rng;
    struct nadi_study study;
    struct nadi_diags diags;
    struct nadi_str settings = NADI_STR_INIT, what = NADI_STR_INIT;
    nadi_rng_init(&rng, seed, "tenth");
    struct draw d = draw_from_rng(&rng);
    draw_plan(&d, &settings);
    const char *model = models[draw_below(&d, sizeof(models) / sizeof(*models))];
    const char *cluster = clusters[draw_below(&d, sizeof(clusters) / sizeof(*clusters))];
    nadi_str_printf(&what, "%s --cluster %s --set \"%s\"", model, cluster, nadi_str_get(&settings));
    nadi_diags_init(&diags);
    const struct nadi_study_setup setup = {
        .model = model, .settings = nadi_str_get(&settings), .cluster = cluster};
    if (nadi_model_study(&study, &setup, &diags))
        one_study(nadi_str_get(&what), &study, say, n);
    nadi_study_close(&study);
    nadi_diags_release(&diags);
    nadi_str_release(&settings);
    nadi_str_release(&what);
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    struct counts n = {0};
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t seed = s.first; seed < s.first + s.cases; seed++)
        one_case(seed, argc > 1, &n);
    printf("%" PRIu64 " steps: %" PRIu64 " with communication, %" PRIu64
           " with remote memory; %" PRIu64 " exceed what was said; said %.3g times what was found, "
           "%.3g where ranks are one\n",
           n.steps, n.checked[NADI_FASTER_COMMUNICATION], n.checked[NADI_FASTER_REMOTE_MEMORY],
           n.exceeded, n.said / n.found, n.alike_said / n.alike_found);
    if (n.exceeded)
        return 1;
    return s.cases >= CASES &&
           (n.steps * 2 < s.cases || n.said > 1.8 * n.found || n.alike_said > 1.5 * n.alike_found);
}
