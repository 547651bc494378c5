#include "search/pipeline.h"

#include <math.h>

bool nadi_pipeline_knows(enum nadi_schedule_kind kind)
{
    return kind == NADI_SCHEDULE_1F1B || kind == NADI_SCHEDULE_GPIPE ||
           kind == NADI_SCHEDULE_INTERLEAVED;
}

static double gpipe(const struct nadi_pipeline_times *t, double sends)
{
    double sum = 0, forward = 0, backward = 0;
    for (uint32_t s = 0; s < t->ranks; s++) {
        sum += t->forward[s] + t->backward[s];
        forward = fmax(forward, t->forward[s]);
        backward = fmax(backward, t->backward[s]);
    }
    return sum + 2 * sends + (double)(t->micro_batches - 1) * (forward + backward);
}

static double one_f_one_b(const struct nadi_pipeline_times *t, double sends)
{
    double sum = 0, most = 0, circle = 0, path = 0;
    for (uint32_t s = t->ranks; s-- > 0;) {
        const double both = t->forward[s] + t->backward[s];
        const uint32_t held = t->ranks - s;
        sum += both;
        path += s + 1 < t->ranks ? 2 * t->send[s] : 0;
        most = fmax(most, both);
        circle = fmax(circle, (sum + path) / held);
    }
    circle = fmax(circle, most);
    const double m = (double)t->micro_batches;
    const double beyond = fmax(0, m - t->ranks);
    return sum + 2 * sends + (m - 1 - beyond) * most + beyond * circle;
}

static double interleaved(const struct nadi_pipeline_times *t, double sends)
{
    const uint32_t p = t->ranks, v = t->chunks;
    double most = -1, others = 0, least = HUGE_VAL;
    uint32_t slowest = 0;
    for (uint32_t r = 0; r < p; r++) {
        double all = 0;
        for (uint32_t c = 0; c < v; c++) {
            const double both = t->forward[c * p + r] + t->backward[c * p + r];
            all += both;
            least = fmin(least, both);
        }
        if (all > most) {
            most = all;
            slowest = r;
        }
    }
    /* down through the first stages of the ranks and up again */
    for (uint32_t r = 0; r < p; r++)
        if (r != slowest)
            others += t->forward[r] + t->backward[r];
    const double wrap = t->send[p - 1];
    const double m = (double)t->micro_batches;
    double ns = m * most + others + 2 * sends + 2.0 * (v - 1) * (sends + wrap);
    /* messages that are longer than the passes between which they hide */
    const double longest = 2 * fmax(wrap, sends / (p > 1 ? p - 1 : 1)) - least;
    if (longest > 0)
        ns += longest * m * v / 2;
    return ns;
}

double nadi_pipeline_ns(const struct nadi_pipeline_times *t)
{
    double sends = 0;
    for (uint32_t r = 0; r + 1 < t->ranks; r++)
        sends += t->send[r];
    if (t->ranks == 1 && t->chunks == 1)
        return (double)t->micro_batches * (t->forward[0] + t->backward[0]);
    if (t->kind == NADI_SCHEDULE_INTERLEAVED)
        return interleaved(t, sends);
    return t->kind == NADI_SCHEDULE_GPIPE ? gpipe(t, sends) : one_f_one_b(t, sends);
}
