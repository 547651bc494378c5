/* compare_sequences: what two sequences have in common, by Myers' greedy search in windows. */
#include "base/guard.h"
#include "base/mem.h"
#include "trace/edit/compare.h"

enum { MOST_EDITS = 512 }; /* of a window */

struct window { /* from a[at], b[bt] on */
    const uint64_t *a, *b;
    uint32_t n, m; /* what is left of each */
    int32_t *rows; /* for each number of edits d: the furthest place in a on diagonals -d..d */
};

/* Row d begins at d * d: the rows before it have 1 + 3 + ... + (2 d - 1) places. */
static int32_t *row_of(const struct window *w, int32_t d)
{
    return w->rows + (size_t)d * (size_t)d + d; /* [k] for diagonal k */
}

enum { NOWHERE = -1 };

static int32_t reached(const struct window *w, int32_t d, int32_t k)
{
    return k < -d || k > d ? NOWHERE : row_of(w, d)[k];
}

/* Where diagonal k begins with d edits: one step down from the diagonal above or right from the one
 * below, whichever is further and still inside; NOWHERE when neither is. */
static int32_t step(const struct window *w, int32_t d, int32_t k, bool *down)
{
    *down = false;
    if (d == 0)
        return 0;
    int32_t above = reached(w, d - 1, k + 1), right = reached(w, d - 1, k - 1);
    if (above != NOWHERE && (uint32_t)(above - k) > w->m)
        above = NOWHERE;
    right = right == NOWHERE || (uint32_t)right >= w->n ? NOWHERE : right + 1;
    *down = above >= right && above != NOWHERE;
    return *down ? above : right;
}

/* Follows the way back from (x, y) on diagonal k with d edits, noting common runs. */
static void walk_back(const struct window *w, int32_t d, int32_t k, uint32_t at, uint32_t bt,
                      uint32_t *match, uint32_t *back)
{
    for (; d >= 0; d--) {
        bool down;
        const int32_t end = row_of(w, d)[k], begin = step(w, d, k, &down);
        for (int32_t x = begin; x < end; x++) {
            match[at + (uint32_t)x] = bt + (uint32_t)(x - k);
            back[bt + (uint32_t)(x - k)] = at + (uint32_t)x;
        }
        k += down ? 1 : -1;
    }
}

/* One window: to the end of both, or as far as MOST_EDITS edits lead. Says how far. */
static void search(struct window *w, uint32_t at, uint32_t bt, uint32_t *match, uint32_t *back,
                   uint32_t *took_a, uint32_t *took_b)
{
    int64_t best = -1;
    int32_t best_k = 0;
    for (int32_t d = 0; d <= MOST_EDITS; d++) {
        int32_t *row = row_of(w, d);
        best = -1;
        (void)nadi_guard_look();
        for (int32_t k = -d; k <= d; k += 2) {
            bool down;
            int32_t x = step(w, d, k, &down), y = x - k;
            row[k] = x;
            if (x == NOWHERE)
                continue;
            while ((uint32_t)x < w->n && (uint32_t)y < w->m && w->a[x] == w->b[y]) {
                x++;
                y++;
            }
            row[k] = x;
            if ((uint32_t)x == w->n && (uint32_t)y == w->m) {
                walk_back(w, d, k, at, bt, match, back);
                *took_a = w->n;
                *took_b = w->m;
                return;
            }
            if ((int64_t)x + y > best) {
                best = (int64_t)x + y;
                best_k = k;
            }
        }
    }
    walk_back(w, MOST_EDITS, best_k, at, bt, match, back);
    *took_a = (uint32_t)row_of(w, MOST_EDITS)[best_k];
    *took_b = (uint32_t)(row_of(w, MOST_EDITS)[best_k] - best_k);
}

void nadi_compare_sequences(const uint64_t *a, uint32_t n, const uint64_t *b, uint32_t m,
                            uint32_t *match, uint32_t *back)
{
    uint32_t i = 0, j = 0;
    const size_t places = (size_t)(MOST_EDITS + 1) * (MOST_EDITS + 1);
    struct window w = {.rows = NADI_NEW(int32_t, places)};
    for (uint32_t k = 0; k < n; k++)
        match[k] = NADI_NONE;
    for (uint32_t k = 0; k < m; k++)
        back[k] = NADI_NONE;
    while (i < n && j < m) {
        uint32_t took_a, took_b;
        if (a[i] == b[j]) { /* cheap, and keeps windows to where something differs */
            match[i] = j;
            back[j++] = i++;
            continue;
        }
        w.a = a + i;
        w.b = b + j;
        w.n = (uint32_t)nadi_min_u64(n - i, INT32_MAX / 4);
        w.m = (uint32_t)nadi_min_u64(m - j, INT32_MAX / 4);
        search(&w, i, j, match, back, &took_a, &took_b);
        i += took_a;
        j += took_b;
    }
    nadi_mem_free(w.rows);
}
