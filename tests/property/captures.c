/* Programs drawn at random and "run" on a model of a processor and its device: operators in
 * operators, launches on several streams, events between streams, waits, a second thread for the
 * backward pass. What the import makes of their captures is sound, takes as long as the run did
 * (within 2 %, or the latency of a few launches, which is not kept where another stream works),
 * keeps the order of every stream, and is the same through a linked trace. The traces and the
 * reports of coverage are pinned: what moves them is a change that users see. */
#include "base/mem.h"
#include "base/rng.h"
#include "support/digest.h"
#include "support/imported.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { CASES = 120, STREAMS = 3, LATENCY_NS = 4000 };

struct machine {
    struct nadi_rng rng;
    struct capture *c;
    int64_t now;                   /* of the thread that runs */
    int64_t stream_free[STREAMS];  /* end of the last work */
    int64_t begin, end;            /* of all that was seen */
    uint64_t record_call[STREAMS]; /* correlation of the last event recorded on a stream, or 0 */
    int64_t record_end[STREAMS];   /* what the event stands for is over then */
    int64_t hold[STREAMS];         /* the stream's next work waits until then */
    unsigned kernels;
    bool said; /* the profile has cuda_sync events */
};

static int64_t some(struct machine *m, int64_t least, int64_t most)
{
    return least + (int64_t)nadi_rng_below(&m->rng, (uint64_t)(most - least + 1));
}

static void see(struct machine *m, int64_t from, int64_t to)
{
    m->begin = from < m->begin ? from : m->begin;
    m->end = to > m->end ? to : m->end;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void launch(struct machine *m, unsigned thread, uint64_t external)
{
    static const char *const names[] = {"alpha", "beta", "gamma"};
    const unsigned s = (unsigned)some(m, 0, 9) < 7 ? 0 : (unsigned)some(m, 0, STREAMS - 1);
    const int64_t from = m->now, to = from + some(m, 2000, 6000);
    const uint64_t call = capture_call(m->c, thread, "cudaLaunchKernel", from, to);
    const int64_t start =
        later(later(to + LATENCY_NS, m->stream_free[s] + (some(m, 0, 3) ? 900 : 0)), m->hold[s]);
    const int64_t end = start + some(m, 1000, 90000);
    capture_work(m->c, &(struct capture_work){.name = names[m->kernels++ % 3],
                                              .stream = 7 + s,
                                              .from = start,
                                              .to = end,
                                              .correlation = call,
                                              .external = external});
    m->stream_free[s] = end;
    m->hold[s] = 0;
    m->now = to + some(m, 0, 2000);
    see(m, start, end);
}

static void sync_event(struct machine *m, const char *name, int64_t from, int64_t to,
                       uint64_t correlation, int64_t stream, int64_t wait_stream, uint64_t record)
{
    char json[512];
    if (!m->said)
        return;
    snprintf(json, sizeof(json),
             "{\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"%s\", \"pid\": 0, \"tid\": 7, "
             "\"ts\": %" PRId64 ".%03d, \"dur\": %" PRId64
             ", \"args\": {\"device\": 0, \"correlation\": %" PRIu64 ", \"stream\": %" PRId64
             ", \"wait_on_stream\": %" PRId64 ", \"wait_on_cuda_event_record_corr_id\": %" PRId64
             "}}",
             name, from / 1000, (int)(from % 1000), (to - from) / 1000, correlation, stream,
             wait_stream, record ? (int64_t)record : -1);
    capture_event(m->c, json);
}

/* Stream b waits for what stream a was given so far; a kernel follows on b. */
static void order_streams(struct machine *m, unsigned thread)
{
    const unsigned a = (unsigned)some(m, 0, STREAMS - 1), b = (a + 1) % STREAMS;
    m->record_call[a] = capture_call(m->c, thread, "cudaEventRecord", m->now, m->now + 900);
    m->record_end[a] = m->stream_free[a];
    m->now += 1000;
    const int64_t from = m->now;
    const uint64_t call = capture_call(m->c, thread, "cudaStreamWaitEvent", from, from + 900);
    sync_event(m, "Stream Wait Event", from, from + 900, call, 7 + b, 7 + a, m->record_call[a]);
    m->hold[b] = later(m->hold[b], m->record_end[a]);
    m->now += 1000;
}

static void wait(struct machine *m, unsigned thread)
{
    const int64_t from = m->now;
    const bool whole = some(m, 0, 1);
    const unsigned s = (unsigned)some(m, 0, STREAMS - 1);
    int64_t over = whole ? 0 : m->stream_free[s];
    for (unsigned i = 0; whole && i < STREAMS; i++)
        over = later(over, m->stream_free[i]);
    const int64_t to = later(from + 1000, over + 1500);
    const uint64_t call = capture_call(
        m->c, thread, whole ? "cudaDeviceSynchronize" : "cudaStreamSynchronize", from, to);
    sync_event(m, whole ? "Context Sync" : "Stream Sync", from, to, call, whole ? -1 : 7 + (int)s,
               -1, 0);
    m->now = to + some(m, 0, 2000);
}

typedef void body_fn(struct machine *m, unsigned thread, unsigned depth, uint64_t external);

/* An operator around what `body` does. When it ends is known only afterwards, so that is done twice
 * in the same way: first without files. */
static void enclose(struct machine *m, const char *name, unsigned thread, unsigned depth,
                    body_fn *body)
{
    const int64_t from = m->now;
    const struct machine before = *m;
    const struct capture counted = *m->c;
    m->c->host = m->c->device = NULL;
    capture_op(m->c, &(struct capture_op){.name = name, .thread = thread});
    body(m, thread, depth, m->c->external);
    const int64_t to = m->now + 700;
    *m = before;
    *m->c = counted;
    capture_op(m->c, &(struct capture_op){.name = name, .thread = thread, .from = from, .to = to});
    body(m, thread, depth, m->c->external);
    m->now = to;
    see(m, from, to);
}

static void operators(struct machine *m, unsigned thread, unsigned depth, uint64_t external)
{
    static const char *const names[] = {"aten::linear", "aten::mm", "aten::relu", "aten::add_",
                                        "aten::copy_"};
    m->now += some(m, 500, 20000);
    for (int64_t i = some(m, 0, depth ? 3 : 1); i > 0; i--) {
        const int64_t what = some(m, 0, 11);
        if (what < 4 && depth)
            enclose(m, names[some(m, 0, 4)], thread, depth - 1, operators);
        else if (what < 10)
            launch(m, thread, external);
        else if (what == 10)
            order_streams(m, thread);
        else
            wait(m, thread);
        m->now += some(m, 0, 3000);
    }
}

/* backward(): waits while the other thread, long idle before, does the work. */
static void backward(struct machine *m, unsigned thread, unsigned depth, uint64_t external)
{
    (void)external;
    m->now += 2000;
    for (unsigned k = 0; k < 4; k++)
        enclose(m, "autograd::engine", thread + 1, depth, operators);
    m->now += 2300;
}

static void program(struct machine *m)
{
    for (int64_t bursts = some(m, 1, 4); bursts > 0; bursts--) {
        for (int64_t k = some(m, 1, 8); k > 0; k--) {
            enclose(m, "step", 0, 2, operators);
            m->now += some(m, 0, 5000);
        }
        if (some(m, 0, 1))
            enclose(m, "## backward ##", 0, 1, backward);
        m->now += 1200000 + some(m, 0, 5000);
    }
}

static void check_streams(const struct imported *x)
{
    const struct nadi_built_graph *g = &x->capture.graph;
    uint32_t last[STREAMS];
    memset(last, 0xff, sizeof(last));
    for (uint32_t i = 0; i < x->trace->node_count; i++) {
        const struct nadi_built_node *n = &g->nodes.items[i];
        if (n->work == NADI_NONE || n->is_delay)
            continue;
        const uint32_t s = x->capture.device.works[n->work].stream;
        if (last[s] != NADI_NONE)
            assert_true(imported_waits_for(x, i, last[s]));
        last[s] = i;
    }
}

static void digest_import(uint64_t *digest, const struct imported *x)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_coverage_json(&x->coverage, 1, &text);
    digest_text(digest, nadi_str_get(&text));
    digest_trace(digest, x->trace);
    for (size_t i = 0; i < x->capture.graph.nodes.count; i++)
        digest_u64(digest, (uint64_t)x->capture.graph.nodes.items[i].work);
    nadi_str_release(&text);
}

static void one(uint64_t seed, bool said, int64_t *errors_ns, int64_t *spans_ns, uint64_t *digest)
{
    struct recording r;
    struct imported x, again;
    struct machine m = {.now = 50000000, .begin = INT64_MAX, .said = said};
    nadi_rng_init(&m.rng, seed, "captures");
    m.c = recording_begin(&r, NULL);
    program(&m);
    recording_end(&r);
    imported_make(&x, &r, NULL);
    assert_non_null(x.trace);
    assert_int_equal(x.coverage.works[NADI_ORPHAN_NOT], x.capture.device.work_count);
    check_streams(&x);
    digest_import(digest, &x);
    const int64_t span = m.end - m.begin, found = imported_replay(&x);
    const int64_t error = found > span ? found - span : span - found;
    if (error > 3 * LATENCY_NS && error * 50 > span)
        fail_msg("seed %" PRIu64 "%s: %.1f us became %.1f us", seed, said ? ", said" : "",
                 (double)span / 1000, (double)found / 1000);
    *errors_ns += error;
    *spans_ns += span;
    imported_make(&again, &r, &(struct import_how){.by_link = true});
    assert_non_null(again.trace);
    assert_memory_equal(again.trace->content_hash, x.trace->content_hash,
                        sizeof(x.trace->content_hash));
    imported_release(&again);
    imported_make(&again, &r, &(struct import_how){.device_alone = true});
    assert_non_null(again.trace);
    assert_int_equal(imported_replay(&again), imported_replay(&x));
    digest_import(digest, &again);
    imported_release(&again);
    imported_release(&x);
    recording_release(&r);
}

static void replay_takes_as_long(void **state)
{
    (void)state;
    static const uint64_t pinned[] = {UINT64_C(0x4c7d8b400f52bdbd), UINT64_C(0x721f755cb597f081)};
    int64_t errors_ns = 0, spans_ns = 0;
    uint64_t digests[] = {DIGEST_INIT, DIGEST_INIT};
    for (uint64_t seed = 1; seed <= CASES; seed++)
        for (int said = 0; said < 2; said++)
            one(seed, said, &errors_ns, &spans_ns, &digests[said]);
    assert_true(errors_ns * 200 < spans_ns); /* half a percent on the whole */
    assert_int_equal(digests[0], pinned[0]);
    assert_int_equal(digests[1], pinned[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(replay_takes_as_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
