#include "optimize/bandwidth.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>

static double cost_of(const struct nadi_bandwidth_network *n, const double *b)
{
    double cost = 0;
    for (uint32_t d = 0; d < n->count; d++)
        cost += n->dims[d].cost * b[d];
    return cost;
}

/* The steps as one problem, each times its weight. */
static void join(struct nadi_split *all, const struct nadi_bandwidth_question *q,
                 const double *weights)
{
    *all = (struct nadi_split){.dims = q->network->count};
    for (uint32_t w = 0; w < q->step_count; w++) {
        const struct nadi_split *s = &q->steps[w];
        uint32_t *index = NADI_NEW(uint32_t, s->move_count ? s->move_count : 1);
        all->constant_ns += weights[w] * s->constant_ns;
        for (uint32_t r = 0; r < s->move_count; r++)
            index[r] = nadi_split_add_move(all, s->moves[r].bytes, weights[w] * s->moves[r].times);
        for (uint32_t k = 0; k < s->term_count; k++) {
            struct nadi_split_term t = s->terms[k];
            t.times *= weights[w];
            for (uint32_t j = 0; j < NADI_SPLIT_CHOICES; j++)
                t.move[j] = t.move[j] == NADI_NONE ? NADI_NONE : index[t.move[j]];
            nadi_split_add_term(all, &t);
        }
        nadi_mem_free(index);
    }
}

/* ---- what went wrong ----------------------------------------------------------------------- */

static bool impossible(const struct nadi_linear *l, struct nadi_diags *diags)
{
    uint32_t rows[NADI_LINEAR_ROWS];
    const uint32_t count = nadi_linear_conflict(l, rows);
    struct nadi_str text = NADI_STR_INIT;
    for (uint32_t k = 0; k < count; k++)
        nadi_str_printf(&text, "%s'%s'", k ? " and " : "", l->rows[rows[k]].text);
    (void)nadi_error(diags, "optimize/impossible", NADI_NOWHERE, "leave out or change one of them",
                     "no network satisfies %s%s", nadi_str_get(&text),
                     count > 1 ? " together" : "");
    nadi_str_release(&text);
    return false;
}

/* The conditions that hold a dimension with traffic at 0. */
static bool starved(const struct nadi_bandwidth_question *q, const struct nadi_linear *l,
                    struct nadi_diags *diags)
{
    struct nadi_linear_inside in;
    uint32_t at = 0;
    if (nadi_linear_inside(l, &in))
        while (at + 1 < q->network->count && !in.zero[at])
            at++;
    return nadi_error(diags, "optimize/starved", NADI_NOWHERE, NULL,
                      "the conditions leave dimension %u no bandwidth, and the step sends there",
                      at);
}

static bool explain(enum nadi_split_end end, const struct nadi_bandwidth_question *q,
                    const struct nadi_linear *l, struct nadi_diags *diags)
{
    switch (end) {
    case NADI_SPLIT_FOUND:
        return true;
    case NADI_SPLIT_IMPOSSIBLE:
        return impossible(l, diags);
    case NADI_SPLIT_STARVED:
        return starved(q, l, diags);
    case NADI_SPLIT_TOO_SLOW:
        return nadi_error(
            diags, "optimize/too-slow", NADI_NOWHERE, "allow more time, or more bandwidth",
            "no network that satisfies the conditions takes at most %.6g ns", q->most_ns);
    }
    NADI_BUG("end %d", (int)end);
}

/* ---- the goal ------------------------------------------------------------------------------ */

static bool aim(const struct nadi_bandwidth_question *q, const struct nadi_split *all,
                const struct nadi_linear *l, struct nadi_bandwidth_answer *a,
                struct nadi_diags *diags)
{
    double cost[NADI_BANDWIDTH_DIMS];
    enum nadi_split_end end = NADI_SPLIT_FOUND;
    for (uint32_t d = 0; d < q->network->count; d++)
        cost[d] = q->network->dims[d].cost;
    switch (q->goal) {
    case NADI_GOAL_TIME:
        end = nadi_split_fastest(all, l, &a->best);
        a->gap = a->best.time_ns > 0 ? a->best.gap_ns / a->best.time_ns : 0;
        break;
    case NADI_GOAL_TIME_COST:
        end = nadi_split_best_value(all, l, cost, &a->best, &a->gap);
        break;
    case NADI_GOAL_COST:
        end = nadi_split_cheapest(all, l, cost, q->most_ns, &a->best);
        break;
    }
    return explain(end, q, l, diags);
}

static double value_of(const struct nadi_bandwidth_question *q, const struct nadi_split *all,
                       const double *b)
{
    const double time = nadi_split_time(all, b), cost = cost_of(q->network, b);
    return q->goal == NADI_GOAL_TIME ? time : q->goal == NADI_GOAL_COST ? cost : time * cost;
}

static bool keeps(const struct nadi_linear *l, const double *b)
{
    for (uint32_t r = 0; r < l->count; r++) {
        double left = l->rows[r].limit, size = fabs(left);
        for (uint32_t d = 0; d < l->unknowns; d++) {
            left -= l->rows[r].a[d] * b[d];
            size = fmax(size, fabs(l->rows[r].a[d] * b[d]));
        }
        if (left < -1e-9 * size || (l->rows[r].equal && left > 1e-9 * size))
            return false;
    }
    return true;
}

/* A dimension is flat where a hundredth of the budget of it for another's costs nearly nothing. */
static void find_flat(const struct nadi_bandwidth_question *q, const struct nadi_split *all,
                      const struct nadi_linear *l, struct nadi_bandwidth_answer *a)
{
    double sum = 0, b[NADI_BANDWIDTH_DIMS];
    const uint32_t count = q->network->count;
    const double best = value_of(q, all, a->best.b);
    for (uint32_t d = 0; d < count; d++)
        sum += a->best.b[d];
    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++) {
            memcpy(b, a->best.b, sizeof(b));
            b[from] -= sum / 100;
            b[to] += sum / 100;
            if (from == to || b[from] < 0 || !keeps(l, b))
                continue;
            if (q->goal == NADI_GOAL_COST && nadi_split_time(all, b) > q->most_ns * (1 + 1e-9))
                continue;
            if (value_of(q, all, b) <= best * (1 + 1e-4))
                a->flat[from] = a->flat[to] = true;
        }
}

/* The best multiple of the quantum around the optimum: all ways to round down or up that keep the
 * conditions, the budget as an upper limit. */
static bool round_all(const struct nadi_bandwidth_question *q, const struct nadi_split *all,
                      struct nadi_linear *l, struct nadi_bandwidth_answer *a,
                      struct nadi_diags *diags)
{
    const uint32_t count = q->network->count;
    double best = HUGE_VAL, b[NADI_BANDWIDTH_DIMS], found[NADI_BANDWIDTH_DIMS] = {0};
    for (uint32_t r = 0; r < l->count; r++)
        if (l->rows[r].text && strncmp(l->rows[r].text, "sum == ", 7) == 0)
            l->rows[r].equal = false;
    for (uint32_t rounded_up = 0; rounded_up < 1U << count; rounded_up++) {
        for (uint32_t d = 0; d < count; d++)
            b[d] = q->quantum * (floor(a->best.b[d] / q->quantum + 1e-9) + (rounded_up >> d & 1));
        const double value = keeps(l, b) ? value_of(q, all, b) : HUGE_VAL;
        if (value < best) {
            best = value;
            memcpy(found, b, sizeof(found));
        }
    }
    if (!(best < HUGE_VAL))
        return nadi_error(
            diags, "optimize/step", NADI_NOWHERE, "a smaller step, or other conditions",
            "no multiples of %g GB/s near the optimum satisfy the conditions", q->quantum);
    a->rounding = best / value_of(q, all, a->best.b) - 1;
    memcpy(a->best.b, found, sizeof(found));
    a->best.time_ns = nadi_split_time(all, found);
    return true;
}

/* Each step's best network for it alone; for the weights of several. */
static bool alone(const struct nadi_bandwidth_question *q, const struct nadi_linear *l,
                  struct nadi_bandwidth_answer *a, struct nadi_diags *diags)
{
    for (uint32_t w = 0; w < q->step_count; w++) {
        struct nadi_split_answer one;
        if (!explain(nadi_split_fastest(&q->steps[w], l, &one), q, l, diags))
            return false;
        a->alone_ns[w] = one.time_ns;
    }
    return true;
}

void nadi_bandwidth_add_budget(struct nadi_linear *l, const struct nadi_bandwidth_network *n,
                               double budget, bool equal, const char *text)
{
    struct nadi_linear_row *row = &l->rows[l->count++];
    *row = (struct nadi_linear_row){.limit = budget, .equal = equal, .text = text};
    for (uint32_t d = 0; d < n->count; d++)
        row->a[d] = 1;
}

bool nadi_bandwidth_solve(const struct nadi_bandwidth_question *q, struct nadi_bandwidth_answer *a,
                          struct nadi_diags *diags)
{
    struct nadi_linear l = q->conditions;
    double weights[NADI_BANDWIDTH_WORKLOADS], equal[NADI_BANDWIDTH_DIMS], sum = 0;
    char text[64];
    struct nadi_split all;
    *a = (struct nadi_bandwidth_answer){.cost = 0};
    l.unknowns = q->network->count;
    if (q->budget > 0) {
        snprintf(text, sizeof(text), "sum == %.10g GB/s, the budget", q->budget);
        nadi_bandwidth_add_budget(&l, q->network, q->budget, q->goal != NADI_GOAL_COST, text);
    }
    if (!alone(q, &l, a, diags))
        return false;
    for (uint32_t w = 0; w < q->step_count; w++)
        weights[w] = q->step_count == 1 ? 1
                     : q->sum_times     ? q->weights[w]
                                        : q->weights[w] / fmax(a->alone_ns[w], 1e-9);
    join(&all, q, weights);
    bool ok = aim(q, &all, &l, a, diags);
    if (ok)
        find_flat(q, &all, &l, a);
    if (ok && q->quantum > 0)
        ok = round_all(q, &all, &l, a, diags);
    nadi_split_release(&all);
    a->cost = cost_of(q->network, a->best.b);
    for (uint32_t d = 0; d < l.unknowns; d++)
        sum += a->best.b[d];
    for (uint32_t d = 0; d < l.unknowns; d++)
        equal[d] = sum / l.unknowns;
    a->equal_cost = cost_of(q->network, equal);
    for (uint32_t w = 0; w < q->step_count; w++) {
        a->time_ns[w] = nadi_split_time(&q->steps[w], a->best.b);
        a->equal_ns[w] = nadi_split_time(&q->steps[w], equal);
    }
    return ok;
}
