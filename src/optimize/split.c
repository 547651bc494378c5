#include "optimize/split.h"

#include "base/mem.h"

#include <math.h>

void nadi_split_release(struct nadi_split *s)
{
    nadi_mem_free(s->moves);
    nadi_mem_free(s->terms);
    *s = (struct nadi_split){0};
}

static bool same(const double *a, const double *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i] < b[i] || a[i] > b[i])
            return false;
    return true;
}

uint32_t nadi_split_add_move(struct nadi_split *s, const double *bytes, double times)
{
    for (uint32_t r = 0; r < s->move_count; r++)
        if (same(s->moves[r].bytes, bytes, s->dims)) {
            s->moves[r].times += times;
            return r;
        }
    size_t capacity = s->move_capacity;
    s->moves = nadi_mem_grow(s->moves, &capacity, s->move_count + (size_t)1, sizeof(*s->moves));
    s->move_capacity = (uint32_t)capacity;
    struct nadi_split_move *m = &s->moves[s->move_count];
    *m = (struct nadi_split_move){.times = times};
    memcpy(m->bytes, bytes, s->dims * sizeof(*bytes));
    return s->move_count++;
}

void nadi_split_add_term(struct nadi_split *s, const struct nadi_split_term *term)
{
    for (uint32_t k = 0; k < s->term_count; k++)
        if (same(s->terms[k].constant_ns, term->constant_ns, NADI_SPLIT_CHOICES) &&
            memcmp(s->terms[k].move, term->move, sizeof(term->move)) == 0) {
            s->terms[k].times += term->times;
            return;
        }
    size_t capacity = s->term_capacity;
    s->terms = nadi_mem_grow(s->terms, &capacity, s->term_count + (size_t)1, sizeof(*s->terms));
    s->term_capacity = (uint32_t)capacity;
    s->terms[s->term_count++] = *term;
}

static double move_time(const struct nadi_split *s, uint32_t r, const double *b)
{
    double most = 0;
    for (uint32_t d = 0; r != NADI_NONE && d < s->dims; d++)
        if (s->moves[r].bytes[d] > 0)
            most = fmax(most, b[d] > 0 ? s->moves[r].bytes[d] / b[d] : HUGE_VAL);
    return most;
}

double nadi_split_time(const struct nadi_split *s, const double *b)
{
    double time = s->constant_ns;
    for (uint32_t r = 0; r < s->move_count; r++)
        if (s->moves[r].times > 0)
            time += s->moves[r].times * move_time(s, r, b);
    for (uint32_t k = 0; k < s->term_count; k++) {
        const struct nadi_split_term *t = &s->terms[k];
        double most = 0;
        for (uint32_t j = 0; j < NADI_SPLIT_CHOICES; j++)
            most = fmax(most, t->constant_ns[j] + move_time(s, t->move[j], b));
        time += t->times * most;
    }
    return time;
}
