/* bench_pairs: "0>1;1>0", who sends to whom in the rows of a table. */
#include "base/str.h"
#include "calibrate/bench_read.h"

/* The text after the next semicolon and blanks; the end of the text where there is none. */
static const char *after_pair(const char *at)
{
    at += strcspn(at, ";");
    at += *at == ';';
    return at + strspn(at, " ");
}

/* "0>1", up to a semicolon or the end */
static bool read_pair(const char *text, uint64_t *from, uint64_t *to)
{
    text = nadi_str_take_u64(text, from);
    text = text && *text == '>' ? nadi_str_take_u64(text + 1, to) : NULL;
    return text && (*text == ';' || *text == '\0');
}

const char *nadi_bench_wrong_pair(const char *pairs)
{
    uint64_t from, to;
    for (const char *a = pairs; *a; a = after_pair(a))
        if (!read_pair(a, &from, &to))
            return a;
    return NULL;
}

/* Whether one of the pairs before `end` is from or to the rank. */
static bool is_named(const char *pairs, const char *end, uint64_t rank)
{
    uint64_t from, to;
    for (const char *a = pairs; a < end; a = after_pair(a))
        if (read_pair(a, &from, &to) && (from == rank || to == rank))
            return true;
    return false;
}

uint32_t nadi_bench_pairs_ranks(const char *pairs)
{
    uint32_t count = 0;
    uint64_t from, to;
    for (const char *a = pairs; *a; a = after_pair(a))
        if (read_pair(a, &from, &to)) {
            count += !is_named(pairs, a, from);
            count += to != from && !is_named(pairs, a, to);
        }
    return count;
}

enum nadi_comm_partners nadi_bench_partners(const char *pairs)
{
    bool all_back = true, none_both = true;
    if (!*pairs)
        return NADI_PARTNERS_RING;
    for (const char *a = pairs; *a; a = after_pair(a)) {
        uint64_t from, to, other_from, other_to;
        bool back = false;
        if (!read_pair(a, &from, &to))
            continue;
        for (const char *b = pairs; *b; b = after_pair(b))
            if (read_pair(b, &other_from, &other_to)) {
                back |= other_from == to && other_to == from;
                none_both &= other_to != from;
            }
        all_back &= back;
    }
    return none_both ? NADI_PARTNERS_ONE_WAY : all_back ? NADI_PARTNERS_PAIRS : NADI_PARTNERS_RING;
}
