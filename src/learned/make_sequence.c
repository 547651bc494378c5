/* make_sequence: the items of a stage, drawn one after the other by the family's network.
 *
 * All stages take the same random numbers, so that those of like programs choose alike. */
#include "base/mem.h"
#include "learned/make.h"

#include <math.h>

enum { MOST_ITEMS = 1 << 20, SPARE_ITEMS = 8 };

static const double most_share = 1.25; /* of the items that the law says: then it ends */

/* tokens + 1 shares, sharpened by the temperature; a token by a number in [0, 1). */
static uint32_t draw(float *likely, uint32_t count, double temperature, double unit)
{
    double sum = 0;
    uint32_t most = 0;
    for (uint32_t i = 1; i < count; i++)
        most = likely[i] > likely[most] ? i : most;
    if (!(temperature > 0))
        return most;
    for (uint32_t i = 0; i < count; i++) {
        if (temperature < 1 || temperature > 1)
            likely[i] = powf(likely[i] / likely[most], (float)(1 / temperature));
        sum += (double)likely[i];
    }
    double left = unit * sum;
    for (uint32_t i = 0; i < count; i++) {
        left -= (double)likely[i];
        if (left < 0)
            return i;
    }
    return most;
}

void nadi_make_sequence(struct nadi_making *k)
{
    const struct nadi_learned_family *f = k->job->family;
    const struct nadi_gru *net = &f->net;
    float state[NADI_GRU_MOST_HIDDEN] = {0}, inputs[NADI_GRU_MOST_INPUTS];
    float *likely = NADI_NEW(float, net->tokens + (size_t)1);
    const uint32_t plain = net->inputs - NADI_GRU_PROGRESS;
    const double law = fmin(fmax(nadi_law_value(&f->items, k->features), 1), MOST_ITEMS);
    const uint32_t most = (uint32_t)fmin(law * most_share + SPARE_ITEMS, k->most_nodes);
    uint32_t last = net->tokens;
    struct nadi_rng rng;
    nadi_rng_init(&rng, k->wish->seed, "items");
    nadi_learned_net_inputs(f, k->features, inputs);
    for (uint32_t i = 0; i < most && !k->full; i++) {
        nadi_gru_progress(i / law, inputs + plain);
        nadi_gru_step(net, state, last, inputs, likely);
        last = draw(likely, net->tokens + 1, k->wish->temperature, nadi_rng_unit(&rng));
        if (last == net->tokens)
            break;
        nadi_make_item(k, last);
        k->job->drawn++;
    }
    nadi_mem_free(likely);
}
