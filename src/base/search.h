/* search: binary search in what ascends.
 *
 * NADI_BISECT(type, at, from, to, i, before) declares `at`: the first index from `from` on, below
 * `to`, for which the expression `before` of the index `i` is false; `to` if there is none. Where
 * `before` holds it must hold for all smaller indices too. O(log n) evaluations.
 *
 *     NADI_BISECT(uint32_t, at, 0, count, i, items[i] < key);
 *     return at < count && items[at] == key ? at : NADI_NONE; */
#ifndef NADI_BASE_SEARCH_H
#define NADI_BASE_SEARCH_H

#define NADI_BISECT(type, at, from, to, i, before)                                                 \
    type at = (from);                                                                              \
    for (type at##_end = (to); at < at##_end;) {                                                   \
        const type i = at + (at##_end - at) / 2;                                                   \
        if (before)                                                                                \
            at = i + 1;                                                                            \
        else                                                                                       \
            at##_end = i;                                                                          \
    }                                                                                              \
    _Static_assert(sizeof(type) >= 4, "an index") /* takes the semicolon */

#endif
