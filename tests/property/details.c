/* A step takes the same time in all details of its graph (`detail`: a node a block, a layer, a
 * kernel), on drawn models, clusters and plans with whatever lies elsewhere: within 0.2 %, mostly
 * within 0.1 %. What overlaps may not depend on how many nodes there are.
 *
 *   details [CASES [FIRST_SEED]]    default 120 cases from seed 1; with cases, what differs is
 * printed
 */
#include "base/str.h"
#include "explore/model_inputs.h"
#include "support/cases.h"
#include "support/draw.h"
#include "support/seeds.h"

#include <math.h>
#include <stdio.h>

enum { CASES = CASES_OF(120) };

static const char *const models[] = {"gpt2-medium", "llama3-8b", "mixtral-8x7b", "qwen3-30b-a3b"};
static const char *const clusters[] = {"dgx-h100", "dgx-a100", "mi300x", "gb200-nvl72"};
static const char *const shares[] = {"0.3", "0.5", "1"};
static const char *const schedules[] = {"gpipe", "zb-h1", "dualpipe"};
static const char *const offloads[] = {"optimizer",
                                       "gradients",
                                       "parameters",
                                       "activations",
                                       "[gradients,optimizer]",
                                       "[gradients,activations]",
                                       "[parameters,gradients,optimizer]",
                                       "[parameters,gradients,optimizer,activations]"};
enum { OFFLOADS = sizeof(offloads) / sizeof(offloads[0]) };
static const char *const details[] = {"block", "layer", "kernel"};

static void draw_plan(struct draw *d, bool experts, struct nadi_str *out)
{
    static const char *const recompute[] = {"none", "selective", "full"};
    const uint32_t tp = DRAW_ONE_OF(d, 1, 2, 4, 8), cp = DRAW_ONE_OF(d, 1, 1, 1, 2),
                   pp = DRAW_ONE_OF(d, 1, 1, 2), dp = DRAW_ONE_OF(d, 1, 2, 4, 8);
    nadi_str_printf(out, "tp=%u cp=%u pp=%u dp=%u batch=%u zero=%u recompute=%s", tp, cp, pp, dp,
                    dp * DRAW_ONE_OF(d, 1, 2, 4), DRAW_ONE_OF(d, 0, 1, 2, 3),
                    recompute[draw_below(d, 3)]);
    if (experts) {
        nadi_str_printf(out, " ep=%u", tp * cp * dp < 8 ? tp * cp * dp : 8);
        if (tp * cp * dp > 1 && draw_below(d, 4))
            nadi_str_printf(out, " dispatch-overlap=%s", shares[draw_below(d, 3)]);
    }
    if (tp > 1 && draw_below(d, 4))
        nadi_str_printf(out, " tp-overlap=%s", shares[draw_below(d, 3)]);
    if (draw_below(d, 4) == 0)
        nadi_str_add(out, " tp-async=0");
    if (draw_below(d, 3) == 0)
        nadi_str_printf(out, " offload=%s", offloads[draw_below(d, OFFLOADS)]);
    if (draw_below(d, 4) == 0)
        nadi_str_printf(out, " bucket=%s", draw_below(d, 2) ? "100MB" : "2GB");
    if (draw_below(d, 4) == 0)
        nadi_str_add(out, " overlap-gradients=0");
    if (pp > 1 && draw_below(d, 2))
        nadi_str_printf(out, " schedule=%s", schedules[draw_below(d, 3)]);
}

/* 0: the cluster or the model does not take this plan. */
static uint64_t time_of(const struct nadi_study_setup *setup, struct nadi_diags *diags)
{
    const struct nadi_run_options options = nadi_model_auto_options();
    struct nadi_study study;
    uint64_t ns = 0;
    if (!nadi_model_study(&study, setup, diags) || !nadi_model_time(&study, &options, &ns, diags))
        ns = 0;
    nadi_study_close(&study);
    return ns;
}

struct counts {
    uint64_t steps, hidden, near, apart;
};

static void one_case(uint64_t seed, bool say, struct counts *n)
{
    struct nadi_rng rng;
    struct nadi_str plan = NADI_STR_INIT;
    uint64_t ns[3] = {0};
    nadi_rng_init(&rng, seed, "details");
    struct draw d = draw_from_rng(&rng);
    const uint32_t model = (uint32_t)draw_below(&d, sizeof(models) / sizeof(*models));
    const char *cluster = clusters[draw_below(&d, sizeof(clusters) / sizeof(*clusters))];
    draw_plan(&d, model >= 2, &plan);
    for (int k = 0; k < 3; k++) {
        struct nadi_str settings = NADI_STR_INIT;
        struct nadi_diags diags;
        nadi_diags_init(&diags);
        nadi_str_printf(&settings, "%s detail=%s", nadi_str_get(&plan), details[k]);
        ns[k] = time_of(&(struct nadi_study_setup){.model = models[model],
                                                   .settings = nadi_str_get(&settings),
                                                   .cluster = cluster},
                        &diags);
        nadi_diags_release(&diags);
        nadi_str_release(&settings);
    }
    const double off =
        fmax(fabs((double)ns[1] / (double)ns[0] - 1), fabs((double)ns[2] / (double)ns[0] - 1));
    if (ns[0]) {
        n->steps++;
        n->hidden += strstr(nadi_str_get(&plan), "-overlap=") != NULL;
        n->near += off <= 0.001;
        n->apart += !(off <= 0.002);
        if (!(off <= 0.002) || (say && off > 0.001))
            printf("seed %" PRIu64 ": %s --cluster %s --set \"%s\": %.2f %%: %.4f, %.4f, %.4f ms\n",
                   seed, models[model], cluster, nadi_str_get(&plan), 100 * off,
                   (double)ns[0] / 1e6, (double)ns[1] / 1e6, (double)ns[2] / 1e6);
    }
    nadi_str_release(&plan);
}

int main(int argc, char **argv)
{
    struct seeds s = {CASES, 1};
    struct counts n = {0};
    if (!seeds_asked(argc, argv, &s))
        return 2;
    for (uint64_t seed = s.first; seed < s.first + s.cases; seed++)
        one_case(seed, argc > 1, &n);
    printf("%" PRIu64 " steps, %" PRIu64 " with hidden transfers: %" PRIu64
           " within 0.1 %%, %" PRIu64 " apart by more than 0.2 %%\n",
           n.steps, n.hidden, n.near, n.apart);
    return n.apart || (s.cases >= CASES && (n.steps * 2 < s.cases || n.hidden * 4 < s.cases ||
                                            n.near * 10 < n.steps * 9));
}
