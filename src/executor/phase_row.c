#include "executor/phase_row.h"

const char nadi_phase_row_early[] = "a member ends a collective before another one starts it";

static bool start_together(const struct nadi_phase_row *r)
{
    for (uint32_t i = 1; i < r->places; i++)
        if (r->start[i] != r->start[0])
            return false;
    return true;
}

static int64_t latest_start(const struct nadi_phase_row *r)
{
    int64_t latest = r->start[0];
    for (uint32_t i = 1; i < r->places; i++)
        latest = nadi_max_i64(latest, r->start[i]);
    return latest;
}

/* False: it is undecided. */
static bool solve_chunk(struct nadi_phase_row *r)
{
    r->solved++;
    r->left--;
    if (!r->has_lockstep || !start_together(r))
        return nadi_phase_solver_evaluate(r->m);
    const int64_t end = nadi_time_add(r->start[0], r->lockstep_ns);
    for (uint32_t i = 0; i < r->places; i++)
        r->end[i] = end;
    return true;
}

/* Does somebody receive the last message before all have started? */
static bool is_early(const struct nadi_phase_row *r)
{
    const int64_t latest = latest_start(r);
    for (uint32_t i = 0; i < r->places; i++)
        if (!nadi_ns_is_beyond((uint64_t)r->end[i]) && r->end[i] - r->last_ns < latest)
            return true;
    return false;
}

/* The latest end within the run; *all: there is no other. */
static int64_t latest_reached(const struct nadi_phase_row *r, bool *all)
{
    int64_t latest = latest_start(r);
    *all = true;
    for (uint32_t i = 0; i < r->places; i++) {
        if (r->end[i] <= r->until_ns)
            latest = nadi_max_i64(latest, r->end[i]);
        else
            *all = false;
    }
    return latest;
}

static void stop(struct nadi_phase_row *r, int64_t passed_ns)
{
    r->passed_ns = passed_ns;
    for (uint32_t i = 0; i < r->places; i++)
        r->end[i] = NADI_TIME_NEVER;
}

/* By how much all ends are later than the starts; -1: not by the same time. */
static int64_t common_shift(const struct nadi_phase_row *r)
{
    const int64_t shift = r->end[0] - r->start[0];
    for (uint32_t i = 1; i < r->places; i++)
        if (r->end[i] - r->start[i] != shift)
            return -1;
    return shift;
}

/* The next chunk begins for all: so many chunks are left that take as long, or as can be begun. */
static void skip(struct nadi_phase_row *r, int64_t shift, int64_t latest)
{
    uint64_t times = r->left;
    if (shift > 0)
        times = nadi_min_u64(times, (uint64_t)((r->until_ns - latest) / shift) + 1);
    const int64_t later = nadi_time_mul(shift, times - 1);
    for (uint32_t i = 0; i < r->places; i++) {
        r->start[i] = nadi_time_add(r->end[i], later);
        r->end[i] = nadi_time_add(r->start[i], shift);
    }
    r->solved += times;
    r->left -= times;
}

const char *nadi_phase_row_solve(struct nadi_phase_row *r)
{
    const bool one = r->left == 1; /* its ends are looked at when they become events */
    r->solved = 0;
    r->passed_ns = -1;
    while (r->left > 0) {
        bool all;
        if (!solve_chunk(r))
            return "the last message of a half meets a credit in the same instant";
        if (!one && is_early(r))
            return nadi_phase_row_early;
        if (r->left == 0)
            return NULL;
        int64_t latest = latest_reached(r, &all);
        const int64_t shift = all ? common_shift(r) : -1;
        if (shift >= 0) {
            skip(r, shift, latest);
            latest = latest_reached(r, &all);
        }
        if (!all && r->left > 0) {
            stop(r, latest);
            return NULL;
        }
        memcpy(r->start, r->end, r->places * sizeof(*r->start));
    }
    return NULL;
}
