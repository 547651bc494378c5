/* page: what the page's data say is what the result says, decoded as web/data.js does. */
#include "report/page.h"

#include "base/mem.h"
#include "report/run_db.h"
#include "sim/run.h"
#include "support/job.h"

#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

struct reader {
    const unsigned char *at, *end;
};

static uint64_t number(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(r->at < r->end && shift < 64);
        value |= (uint64_t)(*r->at & 127) << shift;
        if (*r->at++ < 128)
            return value;
    }
}

static int64_t signed_number(struct reader *r)
{
    uint64_t v = number(r);
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

struct sums {
    uint64_t spans, busy_ns, messages, way_ns, slack_ns, inner, inner_bytes, inner_way_ns;
    int64_t starts_ns;
};

static struct sums decoded(const struct nadi_str *data, uint32_t ranks)
{
    struct sums s = {0};
    const unsigned char *bytes = (const unsigned char *)data->text;
    uint32_t json = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    struct reader r = {bytes + 4 + json, bytes + data->length};
    for (uint32_t track = 0; track < 5 * ranks; track++) {
        int64_t time = 0;
        for (uint64_t left = number(&r); left > 0; left--) {
            (void)signed_number(&r);
            time += signed_number(&r);
            s.starts_ns += time;
            uint64_t ns = number(&r), slack = number(&r);
            time += (int64_t)ns;
            s.busy_ns += ns;
            s.slack_ns += slack ? slack - 1 : 0;
            s.spans++;
        }
    }
    for (uint64_t left = number(&r); left > 0; left--) {
        assert_true(number(&r) < ranks && number(&r) < ranks);
        (void)signed_number(&r);
        s.way_ns += number(&r);
        s.messages++;
    }
    for (uint64_t left = number(&r); left > 0; left--) {
        assert_true(number(&r) < ranks && number(&r) < ranks);
        (void)signed_number(&r);
        s.inner_way_ns += number(&r);
        s.inner_bytes += number(&r);
        for (int i = 0; i < 4; i++) /* group, sequence, what it waited */
            (void)number(&r);
        s.inner++;
    }
    assert_ptr_equal(r.at, r.end);
    return s;
}

static struct sums wanted(const struct nadi_inputs *in, const struct nadi_result *r,
                          const struct nadi_why *why)
{
    struct sums s = {.messages = r->flow_count};
    for (size_t i = 0; i < r->span_count; i++) {
        const struct nadi_span *x = &r->spans[i];
        uint8_t type = in->traces[x->rank]->type[x->node];
        bool cpu = in->traces[x->rank]->flags[x->node] & NADI_NODE_IS_CPU;
        if (!cpu && (type == NADI_NODE_INVALID || type == NADI_NODE_METADATA))
            continue;
        const struct nadi_node_time *t = nadi_why_time(why, x->rank, x->node);
        s.spans++;
        s.busy_ns += x->end_ns - x->start_ns;
        s.starts_ns += (int64_t)x->start_ns;
        s.slack_ns += t && t->slack_ns != UINT64_MAX ? t->slack_ns : 0;
    }
    for (size_t i = 0; i < r->flow_count; i++)
        s.way_ns += r->flows[i].arrive_ns - r->flows[i].send_ns;
    for (size_t i = 0; i < r->logged_count; i++) {
        const struct nadi_message_entry *m = &r->logged[i];
        if (m->op == 0 || m->src >= in->rank_count || m->dst >= in->rank_count)
            continue; /* between nodes; to a switch */
        s.inner++;
        s.inner_bytes += m->bytes;
        s.inner_way_ns += nadi_time_to_ns(m->arrived) - nadi_time_to_ns(m->sent);
    }
    return s;
}

static void data_say_what_the_result_says(void **state)
{
    struct nadi_diags diags;
    (void)state;
    nadi_diags_init(&diags);
    for (uint64_t seed = 1; seed < 30; seed++) {
        struct job job;
        struct nadi_rng rng;
        struct nadi_result r;
        struct nadi_why why;
        struct nadi_str data = NADI_STR_INIT;
        nadi_rng_init(&rng, seed, "page");
        job_random(&job, &rng);
        job.in.options.record_ops = true;
        nadi_simulate(&job.in, NULL, &r);
        nadi_why_find(&job.in, &r, &why);
        const struct nadi_result_data run = {.in = &job.in, .r = &r, .why = &why, .summary = "{}"};
        assert_true(nadi_run_db_write(&run, "test_page.db", &diags));
        assert_true(nadi_page_data("test_page.db", &data, &diags));
        struct sums found = decoded(&data, r.rank_count), want = wanted(&job.in, &r, &why);
        assert_memory_equal(&found, &want, sizeof(found));
        nadi_str_release(&data);
        nadi_why_release(&why);
        nadi_result_release(&r);
        job_release(&job);
    }
    nadi_diags_release(&diags);
    unlink("test_page.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(data_say_what_the_result_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
