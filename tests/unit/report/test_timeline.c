/* timeline: tracks, slices and flows of a known result; limits by rank and time. */
#include "report/timeline.h"

#include "base/mem.h"
#include "base/str.h"

#include "support/pftrace_read.h"
#include "support/report_case.h"

#include <setjmp.h>

#include <cmocka.h>

static void draw(const struct report_case *c, const struct nadi_report_options *o,
                 struct pf_trace *t)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_timeline_write(&c->in, &c->r, o, &s);
    pftrace_read(t, nadi_str_get(&s), s.length);
    nadi_str_release(&s);
}

static uint32_t pid_of(const struct pf_trace *t, const struct pf_slice *s)
{
    for (uint32_t i = 0; i < t->track_count; i++)
        if (t->tracks[i].uuid == t->tracks[s->track].parent)
            return t->tracks[i].pid;
    fail_msg("a slice without a process");
    return 0;
}

static const struct pf_slice *find(const struct pf_trace *t, uint32_t rank, const char *name)
{
    for (uint32_t i = 0; i < t->slice_count; i++)
        if (pid_of(t, &t->slices[i]) == rank && strcmp(t->slices[i].name, name) == 0)
            return &t->slices[i];
    fail_msg("rank %u has no slice %s", rank, name);
    return NULL;
}

/* But those of phases, which are within others. */
static uint32_t slices(const struct pf_trace *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->slice_count; i++)
        count += strcmp(t->slices[i].category, "phase") != 0;
    return count;
}

/* All of it: a line a track (under its process), under it its slices with all they say. */
static void put_slice(const struct pf_slice *s, struct nadi_str *out)
{
    nadi_str_printf(out, "    %" PRIu64 "-%" PRIu64 " %s (%s)", s->start_ns, s->end_ns, s->name,
                    s->category);
    for (uint32_t a = 0; a < s->arg_count; a++)
        if (s->args[a].text)
            nadi_str_printf(out, ", %s '%s'", s->args[a].name, s->args[a].text);
        else
            nadi_str_printf(out, ", %s %" PRIu64, s->args[a].name, s->args[a].number);
    nadi_str_printf(out, "%s%s\n", s->flow_begin ? " ->" : "", s->flow_end ? " <-" : "");
}

static void put_all(const struct pf_trace *t, struct nadi_str *out)
{
    for (uint32_t i = 0; i < t->track_count; i++) {
        const struct pf_track *track = &t->tracks[i];
        nadi_str_printf(out, "%s%s%s %u\n", track->is_process ? "process " : "  ", track->name,
                        track->is_counter ? ", counter" : "",
                        track->is_process ? track->pid : track->order);
        for (uint32_t k = 0; k < t->slice_count; k++)
            if (t->slices[k].track == i)
                put_slice(&t->slices[k], out);
        double last = -1;
        for (size_t k = 0; k < t->count_count; k++) {
            if (t->counts[k].track != i ||
                !(t->counts[k].value < last || t->counts[k].value > last))
                continue;
            last = t->counts[k].value;
            nadi_str_printf(out, "    %" PRIu64 " is %g\n", t->counts[k].at_ns, t->counts[k].value);
        }
    }
}

static void all_of_a_timeline(void **state)
{
    const struct nadi_report_options o = {.timeline = true};
    struct report_case c;
    struct pf_trace t;
    struct nadi_str text = NADI_STR_INIT;
    (void)state;
    report_case_init(&c);
    c.r.logged = NADI_ZNEW(struct nadi_message_entry, 2);
    c.r.logged_count = 2;
    for (uint32_t i = 0; i < 2; i++)
        c.r.logged[i] = (struct nadi_message_entry){.sent = 6000000 + 1000000 * i,
                                                    .arrived = 9000000,
                                                    .bytes = 500000 + i,
                                                    .src = i,
                                                    .dst = 1 - i,
                                                    .op = 1 - i,
                                                    .waited_ns = 250,
                                                    .queued_ns = 40 * i};
    draw(&c, &o, &t);
    put_all(&t, &text);
    assert_string_equal(
        nadi_str_get(&text),
        "process rank 0 0\n"
        "  compute 1\n"
        "    0-5000 fwd (COMP_NODE), node 10\n"
        "  communication 2\n"
        "    5000-25000 grad, \"sum\" (ALL_REDUCE), node 11, bytes 1000000, chunks 1\n"
        "    5000-5200 about: ring, dimension 0 (phase), messages a rank and chunk 2, bytes a "
        "message 2\n"
        "    5200-25000 about: ring, dimension 1 (phase), messages a rank and chunk 2, bytes a "
        "message 2\n"
        "    25000-25600 send (COMM_SEND_NODE), node 12, bytes 4096, to rank 1, tag 7 ->\n"
        "  messages sent 4\n"
        "    6000-9000 to rank 1 (message), bytes 500000, held up by others, ns 250 ->\n"
        "process rank 1 1\n"
        "  compute 1\n"
        "    0-5000 fwd (COMP_NODE), node 10\n"
        "  communication 2\n"
        "    5000-26000 grad, \"sum\" (ALL_REDUCE), node 11, bytes 1000000, chunks 1\n"
        "    5000-5210 about: ring, dimension 0 (phase), messages a rank and chunk 2, bytes a "
        "message 2\n"
        "    5210-26000 about: ring, dimension 1 (phase), messages a rank and chunk 2, bytes a "
        "message 2\n"
        "  receive 3\n"
        "    0-25600 receive (COMM_RECV_NODE), node 12, bytes 4096, from rank 0, tag 7 <-\n"
        "  messages received 5\n"
        "    6000-9000 from rank 0 (message), bytes 500000, held up by others, ns 250 <-\n"
        "process rank 2 2\n"
        "  compute 1\n"
        "    0-5000 fwd (COMP_NODE), node 10\n"
        "  communication 2\n"
        "    5000-25500 grad, \"sum\" (ALL_REDUCE), node 11, bytes 1000000, chunks 1\n"
        "    5000-5205 about: ring, dimension 0 (phase), messages a rank and chunk 2, bytes a "
        "message 2\n"
        "    5205-25500 about: ring, dimension 1 (phase), messages a rank and chunk 2, bytes a "
        "message 2\n"
        "process rank 3 3\n"
        "  compute 1\n"
        "    0-5000 fwd (COMP_NODE), node 10\n"
        "  communication 2\n"
        "    5000-25500 grad, \"sum\" (ALL_REDUCE), node 11, bytes 1000000, chunks 1\n"
        "    5000-5205 about: ring, dimension 0 (phase), messages a rank and chunk 2, bytes a "
        "message 2\n"
        "    5205-25500 about: ring, dimension 1 (phase), messages a rank and chunk 2, bytes a "
        "message 2\n"
        "process network 5\n"
        "  bytes in flight, counter 0\n"
        "    0 is 0\n"
        "    5992 is 461538\n"
        "    6093 is 500000\n"
        "    6906 is 538462\n"
        "    7007 is 1e+06\n"
        "    8937 is 615385\n"
        "    9039 is 0\n"
        "  messages in flight, counter 1\n"
        "    0 is 0\n"
        "    5992 is 0.923077\n"
        "    6093 is 1\n"
        "    6906 is 1.07692\n"
        "    7007 is 2\n"
        "    8937 is 1.23077\n"
        "    9039 is 0\n");
    nadi_str_release(&text);
    pftrace_release(&t);
    nadi_mem_free(c.r.logged);
    c.r.logged = NULL;
    report_case_release(&c);
}

static void tracks_and_slices(void **state)
{
    const struct nadi_report_options o = {.timeline = true};
    struct report_case c;
    struct pf_trace t;
    (void)state;
    report_case_init(&c);
    draw(&c, &o, &t);
    assert_int_equal(slices(&t), c.r.span_count);
    uint32_t processes = 0;
    for (uint32_t i = 0; i < t.track_count; i++)
        processes += t.tracks[i].is_process;
    assert_int_equal(processes, 4);
    assert_int_equal(t.track_count, 4 + 2 * 4 + 1); /* compute, communication; one receive */
    const struct pf_slice *grad = find(&t, 1, "grad, \"sum\"");
    assert_string_equal(grad->category, "ALL_REDUCE");
    assert_string_equal(t.tracks[grad->track].name, "communication");
    assert_int_equal(grad->start_ns, 5000);
    assert_int_equal(grad->end_ns, 26000);
    assert_int_equal(pf_arg(grad, "bytes")->number, 1000000);
    assert_int_equal(pf_arg(grad, "node")->number, 11);
    assert_null(pf_arg(grad, "tag"));
    const struct pf_slice *receive = find(&t, 1, "receive");
    assert_string_equal(t.tracks[receive->track].name, "receive");
    assert_int_equal(pf_arg(receive, "from rank")->number, 0);
    assert_int_equal(pf_arg(receive, "tag")->number, 7);
    pftrace_release(&t);
    report_case_release(&c);
}

static void arrows_from_send_to_receive(void **state)
{
    struct nadi_report_options o = {.timeline = true};
    struct report_case c;
    struct pf_trace t;
    (void)state;
    report_case_init(&c);
    draw(&c, &o, &t);
    assert_true(find(&t, 0, "send")->flow_begin != 0);
    assert_int_equal(find(&t, 0, "send")->flow_begin, find(&t, 1, "receive")->flow_end);
    assert_int_equal(find(&t, 0, "fwd")->flow_begin, 0);
    pftrace_release(&t);
    o.timeline_limit_ranks = true; /* rank 0 alone: no arrow into the void */
    draw(&c, &o, &t);
    assert_int_equal(slices(&t), 3);
    assert_int_equal(find(&t, 0, "send")->flow_begin, 0);
    pftrace_release(&t);
    report_case_release(&c);
}

static void limits(void **state)
{
    struct nadi_report_options o = {.timeline = true};
    struct report_case c;
    struct pf_trace t;
    (void)state;
    report_case_init(&c);
    o.timeline_limit_ranks = true;
    o.timeline_first_rank = 1;
    o.timeline_last_rank = 2;
    draw(&c, &o, &t);
    assert_int_equal(slices(&t), 5);
    pftrace_release(&t);
    o.timeline_limit_ranks = false;
    o.timeline_from_ns = 25550;
    draw(&c, &o, &t);
    assert_int_equal(slices(&t), 3); /* send, receive, the last all-reduce; whole slices */
    assert_int_equal(find(&t, 1, "grad, \"sum\"")->start_ns, 5000);
    pftrace_release(&t);
    o.timeline_from_ns = 0;
    o.timeline_to_ns = 4999;
    draw(&c, &o, &t);
    assert_int_equal(slices(&t), 5);
    pftrace_release(&t);
    report_case_release(&c);
}

/* An all-reduce on [Ring 2, Switch 2]: its phases follow each other and fill it. */
static void phases_of_a_collective(void **state)
{
    static const char *const names[] = {"about: ring, dimension 0", "about: ring, dimension 1"};
    const struct nadi_report_options o = {.timeline = true};
    struct report_case c;
    struct pf_trace t;
    uint32_t found = 0;
    (void)state;
    report_case_init(&c);
    draw(&c, &o, &t);
    const struct pf_slice *whole = find(&t, 0, "grad, \"sum\"");
    uint64_t at = whole->start_ns;
    for (const struct pf_slice *s = whole + 1; s < t.slices + t.slice_count; s++) {
        if (s->track != whole->track || s->start_ns >= whole->end_ns)
            continue;
        assert_true(found < 2);
        assert_string_equal(s->name, names[found++]);
        assert_int_equal(s->start_ns, at);
        at = s->end_ns;
    }
    assert_int_equal(found, 2);
    assert_int_equal(at, whole->end_ns);
    assert_int_equal(pf_arg(whole, "chunks")->number, 1);
    pftrace_release(&t);
    report_case_release(&c);
}

/* Messages of a collective at both ends, what is on its way as a counter. */
static void messages_of_collectives(void **state)
{
    const struct nadi_report_options o = {.timeline = true};
    struct report_case c;
    struct pf_trace t;
    (void)state;
    report_case_init(&c);
    c.r.logged = NADI_ZNEW(struct nadi_message_entry, 2);
    c.r.logged_count = 2;
    for (uint32_t i = 0; i < 2; i++)
        c.r.logged[i] = (struct nadi_message_entry){.sent = 6000000 + 1000000 * i,
                                                    .arrived = 9000000,
                                                    .bytes = 500000,
                                                    .src = i,
                                                    .dst = 1 - i,
                                                    .op = 1 - i, /* the second is no collective's */
                                                    .waited_ns = 250};
    draw(&c, &o, &t);
    assert_int_equal(slices(&t), c.r.span_count + 2);
    const struct pf_slice *sent = find(&t, 0, "to rank 1"), *got = find(&t, 1, "from rank 0");
    assert_string_equal(t.tracks[sent->track].name, "messages sent");
    assert_string_equal(t.tracks[got->track].name, "messages received");
    assert_int_equal(sent->start_ns, 6000);
    assert_int_equal(got->end_ns, 9000);
    assert_int_equal(pf_arg(sent, "bytes")->number, 500000);
    assert_int_equal(pf_arg(got, "held up by others, ns")->number, 250);
    assert_null(pf_arg(got, "behind its pair's, ns"));
    assert_true(sent->flow_begin != 0 && sent->flow_begin == got->flow_end);
    assert_true(sent->flow_begin != find(&t, 0, "send")->flow_begin);
    double most = 0, last = 1;
    for (size_t i = 0; i < t.count_count; i++)
        if (strcmp(t.tracks[t.counts[i].track].name, "bytes in flight") == 0) {
            most = t.counts[i].value > most ? t.counts[i].value : most;
            last = t.counts[i].value;
        }
    assert_true(most > 999999.9 && most < 1000000.1);
    assert_true(last < 1e-9 && last > -1e-9);
    pftrace_release(&t);
    nadi_mem_free(c.r.logged);
    c.r.logged = NULL;
    report_case_release(&c);
}

/* Receives that overlap get rows of their own, and rows are used again. */
static void overlapping_receives(void **state)
{
    static const struct nadi_span spans[] = {
        {1, 2, 0, 100}, {1, 2, 10, 50}, {1, 2, 60, 90}, {1, 2, 100, 100}, {1, 2, 100, 120},
    };
    const struct nadi_report_options o = {.timeline = true};
    struct report_case c;
    struct pf_trace t;
    (void)state;
    report_case_init(&c);
    c.r.spans = NADI_ARENA_NEW(&c.r.arena, struct nadi_span, 5);
    memcpy(c.r.spans, spans, sizeof(spans));
    c.r.span_count = 5;
    draw(&c, &o, &t);
    assert_int_equal(slices(&t), 5);
    assert_int_equal(t.track_count, 1 + 2);
    assert_string_equal(t.tracks[1].name, t.tracks[2].name);
    assert_int_equal(t.tracks[1].parent, t.tracks[2].parent);
    pftrace_release(&t);
    report_case_release(&c);
}

static void nodes_without_a_slot_are_left_out(void **state)
{
    const struct nadi_report_options o = {.timeline = true};
    struct report_case c;
    struct pf_trace t;
    (void)state;
    report_case_init(&c);
    c.in.traces[3]->type[0] = NADI_NODE_METADATA; /* shared by ranks 2 and 3 */
    c.in.traces[0]->type[0] = NADI_NODE_MEM_LOAD;
    c.in.traces[1]->flags[0] |= NADI_NODE_IS_CPU;
    draw(&c, &o, &t);
    assert_int_equal(slices(&t), c.r.span_count - 2);
    assert_string_equal(t.tracks[find(&t, 0, "fwd")->track].name, "memory");
    assert_string_equal(t.tracks[find(&t, 1, "fwd")->track].name, "processor");
    pftrace_release(&t);
    report_case_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_a_timeline),
        cmocka_unit_test(tracks_and_slices),
        cmocka_unit_test(arrows_from_send_to_receive),
        cmocka_unit_test(limits),
        cmocka_unit_test(phases_of_a_collective),
        cmocka_unit_test(messages_of_collectives),
        cmocka_unit_test(overlapping_receives),
        cmocka_unit_test(nodes_without_a_slot_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
