/* text: the page for a terminal: what it says, how wide it is, how it says that a run failed. */
#include "base/str.h"
#include "format/utf8.h"
#include "report/report.h"

#include "support/report_case.h"

#include <setjmp.h>

#include <cmocka.h>

enum { WIDTH = 100 };

static struct nadi_str page(const struct report_case *c, bool colour)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_report_text(&c->in, &c->r, NULL, colour, &s);
    return s;
}

static void has(const struct nadi_str *s, const char *part)
{
    if (!strstr(nadi_str_get(s), part))
        fail_msg("\"%s\" is not in\n%s", part, nadi_str_get(s));
}

static void has_not(const struct nadi_str *s, const char *part)
{
    if (strstr(nadi_str_get(s), part))
        fail_msg("\"%s\" is in\n%s", part, nadi_str_get(s));
}

static void no_line_is_wide(const struct nadi_str *s)
{
    char line[1024];
    const char *at = nadi_str_get(s);
    while (*at) {
        size_t length = strcspn(at, "\n");
        assert_true(length < sizeof(line));
        memcpy(line, at, length);
        line[length] = '\0';
        if (nadi_utf8_columns(line) > WIDTH || nadi_str_ends(line, " "))
            fail_msg("too wide or ends in blanks: \"%s\"", line);
        at += length + (at[length] == '\n');
    }
}

static void a_finished_run(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct nadi_str s = page(&c, false);
    assert_true(nadi_str_starts(nadi_str_get(&s), "4 ranks finished in 26.00 us  (26000 ns)\n"));
    has(&s, "compute                 19.2 %");
    has(&s, "80.8 %  rank 1");
    has(&s, "slowest  rank 1");
    has(&s, "fastest  rank 2");
    has(&s, "all-reduce");
    has(&s, "71.43 GB/s");
    has(&s, "Switch 2");
    has(&s, "4.004 MB asked for by the traces, 6.004 MB moved in 33 messages");
    has(&s, "10 executed (collective 4, receive 1, send 1, compute 4), 0 skipped");
    has(&s, "no schedule takes less than 20.00 us; this run takes 1.300 times as long");
    has(&s, "message executor: 1,234 events");
    has_not(&s, "memory and processor");
    has_not(&s, "\x1b");
    no_line_is_wide(&s);
    nadi_str_release(&s);
    report_case_release(&c);
}

/* Without its colour sequences the coloured page is the plain one. */
static void colour_adds_nothing_else(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    struct nadi_str plain = page(&c, false), coloured = page(&c, true), bare = NADI_STR_INIT;
    for (const char *at = nadi_str_get(&coloured); *at; at++) {
        if (*at == '\x1b')
            at += strcspn(at, "m");
        else
            nadi_str_add_char(&bare, *at);
    }
    assert_true(coloured.length > plain.length);
    assert_string_equal(nadi_str_get(&bare), nadi_str_get(&plain));
    nadi_str_release(&plain);
    nadi_str_release(&coloured);
    nadi_str_release(&bare);
    report_case_release(&c);
}

static void failures_come_first(void **state)
{
    static const struct {
        enum nadi_outcome outcome;
        const char *start;
    } cases[] = {
        {NADI_OUTCOME_DEADLOCK, "DEADLOCK at 26.00 us: 3 of 4 ranks finished, 2 nodes wait"},
        {NADI_OUTCOME_LIMIT, "STOPPED at 26.00 us: 3 of 4 ranks finished, 2 nodes are open."},
        {NADI_OUTCOME_INTERRUPTED, "INTERRUPTED at 26.00 us: 3 of 4 ranks finished"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct report_case c;
        report_case_init(&c);
        c.r.outcome = cases[i].outcome;
        c.r.stopped_by = "--max-sim 26 us was reached";
        c.r.classes[1].finished = false;
        c.r.classes[1].nodes_open = 2;
        struct nadi_str s = page(&c, false);
        assert_true(nadi_str_starts(nadi_str_get(&s), cases[i].start));
        has(&s, "--max-sim 26 us was reached");
        has(&s, "they are not the result of the workload");
        has(&s, ", 2 open");
        has_not(&s, "times as long");
        no_line_is_wide(&s);
        nadi_str_release(&s);
        report_case_release(&c);
    }
}

static void says_why_the_network_has_no_influence(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    c.r.messages = 0;
    c.r.dims[0].messages = c.r.dims[1].messages = 0;
    struct nadi_str s = page(&c, false);
    has(&s, "no traffic");
    has(&s, "The network has no influence: the traces sent no message.");
    nadi_str_clear(&s);
    c.in.system.replay_only = true;
    nadi_report_text(&c.in, &c.r, NULL, false, &s);
    has(&s, "replay-only takes every duration from the traces");
    nadi_str_release(&s);
    report_case_release(&c);
}

static void says_that_links_were_overbooked(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    c.r.dims[1].busy_ns = 4 * 26000 + 1000;
    struct nadi_str s = page(&c, false);
    has(&s, "101.0 %  ");
    has(&s, "* More than the links can carry");
    has(&s, "The model `aware` makes them queue.");
    no_line_is_wide(&s);
    nadi_str_release(&s);
    report_case_release(&c);
}

/* Numbers at their largest do not push a line over the edge. */
static void wide_numbers_fit(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    c.in.system.roofline = c.in.system.track_local_mem = true;
    c.r.classes[1].peak_memory_bytes = 999999999999;
    c.r.classes[1].finish_ns = c.r.end_ns = 999999999999999;
    c.r.classes[1].comm_ns = c.r.classes[1].true_exposed_comm_ns = 999999999994999;
    c.r.classes[1].idle_ns = 0;
    c.r.classes[2].memory_ns = 600;
    c.r.classes[2].true_exposed_comm_ns -= 600;
    c.r.dims[0].messages = c.r.messages = 999999999;
    c.r.dims[0].bytes = c.r.message_bytes = c.r.offered_bytes = 999999999999999;
    c.r.collectives[0].end_ns = c.r.end_ns;
    struct nadi_str s = page(&c, false);
    has(&s, "memory and processor");
    has(&s, "roofline");
    has(&s, "1.000 TB at its peak");
    no_line_is_wide(&s);
    nadi_str_release(&s);
    report_case_release(&c);
}

static void nothing_simulated(void **state)
{
    struct report_case c;
    (void)state;
    report_case_init(&c);
    c.r.outcome = NADI_OUTCOME_NONE;
    c.r.rank_count = 0;
    struct nadi_str s = page(&c, false);
    assert_true(nadi_str_starts(nadi_str_get(&s), "Nothing was simulated."));
    nadi_str_release(&s);
    report_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finished_run),
        cmocka_unit_test(colour_adds_nothing_else),
        cmocka_unit_test(failures_come_first),
        cmocka_unit_test(says_why_the_network_has_no_influence),
        cmocka_unit_test(says_that_links_were_overbooked),
        cmocka_unit_test(wide_numbers_fit),
        cmocka_unit_test(nothing_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
