/* Figures of runs of drawn jobs, a row each in tests/golden/drawn/jobs.txt: all network models,
 * executors, platforms in the small. What a change moves that is meant to move nothing shows here;
 * that executors agree with each other, and runs with bounds, is what the property tests say. */
#include "bound/bound.h"
#include "inputs/model_presets.h"
#include "report/figures.h"
#include "sim/run.h"
#include "support/digest.h"
#include "support/golden.h"
#include "support/job.h"
#include "support/job_draw.h"
#include "why/gains.h"
#include "why/why.h"

#include <setjmp.h>

#include <cmocka.h>

/* ---- what a result says ---------------------------------------------------------------------- */

static uint64_t ranks(const struct nadi_result *r)
{
    uint64_t d = DIGEST_INIT;
    for (uint32_t rank = 0; rank < r->rank_count; rank++) {
        const struct nadi_rank_result *one = nadi_result_rank(r, rank);
        const uint64_t times[] = {one->finish_ns, one->exposed_comm_ns,      one->compute_ns,
                                  one->comm_ns,   one->true_exposed_comm_ns, one->memory_ns,
                                  one->cpu_ns,    one->compute_slowed_ns,    one->idle_ns};
        for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
            digest_u64(&d, times[i]);
        digest_u64(&d, (uint64_t)one->nodes_done << 32 | one->nodes_open);
        digest_u64(&d, (uint64_t)one->nodes_skipped << 1 | one->finished);
        digest_double(&d, one->compute_bound);
        digest_double(&d, one->compute_utilisation);
        digest_double(&d, one->memory_utilisation);
        digest_double(&d, one->operation_intensity);
        digest_u64(&d, one->peak_memory_bytes);
    }
    for (uint32_t i = 0; i < r->finished_count; i++)
        digest_u64(&d, r->finish_order[i]);
    return d;
}

static uint64_t collectives(const struct nadi_result *r)
{
    uint64_t d = DIGEST_INIT;
    for (size_t i = 0; i < r->collective_count; i++) {
        const struct nadi_collective_result *c = &r->collectives[i];
        digest_u64(&d, (uint64_t)c->kind << 32 | c->group);
        digest_u64(&d, (uint64_t)c->sequence << 32 | c->ranks);
        digest_u64(&d, (uint64_t)c->rank << 32 | c->node);
        digest_u64(&d, (uint64_t)c->chunks << 32 | c->copies);
        digest_u64(&d, c->bytes);
        digest_u64(&d, c->start_ns);
        digest_u64(&d, c->end_ns);
        digest_u64(&d, c->complete);
    }
    return d;
}

static void add_link(uint64_t *d, const struct nadi_link_result *l)
{
    const uint64_t counts[] = {
        l->dim,        l->from,         l->to,           l->messages,         l->bytes,
        l->busy_ns,    l->wait_ns,      l->most_waiting, l->peak_queue_bytes, l->pauses,
        l->paused_ns,  l->flits,        l->no_vc_ns,     l->no_credit_ns,     l->lost_turn_ns,
        l->wire_bytes, l->hashed_flows, l->idle_equals};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        digest_u64(d, counts[i]);
    digest_double(d, l->bytes_per_ns);
    digest_double(d, l->held_flits);
    digest_double(d, l->even_flows);
}

static uint64_t links(const struct nadi_result *r)
{
    uint64_t d = DIGEST_INIT;
    for (uint32_t i = 0; i < r->dim_count; i++)
        add_link(&d, &r->dims[i]);
    for (size_t i = 0; i < r->link_count; i++)
        add_link(&d, &r->links[i]);
    digest_u64(&d, (uint64_t)r->spread.links << 32 | r->spread.collisions);
    for (uint32_t i = 0; i < r->device_count; i++) {
        const struct nadi_device_result *v = &r->devices[i];
        const uint64_t counts[] = {v->lines,      v->data_bytes, v->wire_bytes, v->flags,
                                   v->stalled_ns, v->simple,     v->ll,         v->ll128};
        for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
            digest_u64(&d, counts[k]);
    }
    return d;
}

/* When each node and message began and ended. */
static uint64_t nodes(const struct nadi_result *r)
{
    uint64_t d = DIGEST_INIT;
    for (size_t i = 0; i < r->span_count; i++) {
        digest_u64(&d, (uint64_t)r->spans[i].rank << 32 | r->spans[i].node);
        digest_u64(&d, r->spans[i].start_ns);
        digest_u64(&d, r->spans[i].end_ns);
    }
    for (size_t i = 0; i < r->flow_count; i++) {
        digest_u64(&d, (uint64_t)r->flows[i].src << 32 | r->flows[i].dst);
        digest_u64(&d, (uint64_t)r->flows[i].send_node << 32 | r->flows[i].recv_node);
        digest_u64(&d, r->flows[i].send_ns);
        digest_u64(&d, r->flows[i].arrive_ns);
    }
    for (size_t i = 0; i < r->logged_count; i++) {
        const struct nadi_message_entry *m = &r->logged[i];
        digest_u64(&d, (uint64_t)m->sent);
        digest_u64(&d, (uint64_t)m->arrived);
        digest_u64(&d, m->bytes);
        digest_u64(&d, (uint64_t)m->waited_ns << 32 | m->longest_ns);
        digest_u64(&d, (uint64_t)m->queued_ns << 32 | m->link);
        digest_u64(&d, (uint64_t)m->src << 32 | m->dst);
        digest_u64(&d, m->op);
    }
    for (uint32_t i = 0; i < NADI_NODE_TYPES; i++)
        digest_u64(&d, r->nodes_by_type[i]);
    return d;
}

static uint64_t usage(const struct nadi_result *r)
{
    uint64_t d = DIGEST_INIT;
    const struct nadi_usage_result *u = &r->usage;
    digest_double(&d, u->buckets ? u->bucket_ns : 0);
    digest_double(&d, u->buckets ? u->end_ns : 0);
    for (size_t i = 0; i < r->link_count * u->buckets; i++) {
        digest_double(&d, u->bytes[i]);
        digest_u64(&d, u->depth_of == NADI_DEPTH_NONE ? 0 : u->depth[i]);
    }
    return d;
}

static void put_packets(const struct nadi_packet_figures *p, struct nadi_str *out)
{
    uint64_t d = DIGEST_INIT;
    for (uint32_t i = 0; i < NADI_USAGE_BUCKETS; i++) {
        digest_double(&d, p->paused_over_time[i]);
        digest_double(&d, p->pauses_over_time[i]);
    }
    nadi_str_printf(out,
                    "  packets %" PRIu64 " again %" PRIu64 " dropped %" PRIu64 " trimmed %" PRIu64
                    " timeouts %" PRIu64 " abandoned %" PRIu64 " marks %" PRIu64 " pauses %" PRIu64
                    " resumes %" PRIu64 " paused %" PRIu64 " peak %" PRIu64 " mean %.6g blocked %u"
                    " timed %" PRIu64 " recalled %" PRIu64 " over time %04x\n",
                    p->data_packets, p->retransmitted, p->dropped, p->trimmed, p->timeouts,
                    p->abandoned, p->marks, p->pauses, p->resumes, p->paused_ns,
                    p->peak_queue_bytes, p->mean_peak_queue_bytes, p->blocked_ports, p->timed,
                    p->recalled, (unsigned)(d & 0xffff));
}

/* Why it took so long: steps, shares of causes, slack, what better parameters would save. */
static void put_why(const struct nadi_inputs *in, const struct nadi_result *r, struct nadi_str *out)
{
    struct nadi_why x;
    struct nadi_gain gains[NADI_GAINS_MOST];
    uint64_t path = DIGEST_INIT, shares = DIGEST_INIT, slack = DIGEST_INIT, gain = DIGEST_INIT;
    nadi_why_find(in, r, &x);
    digest_text(&path, x.why_not);
    digest_double(&path, x.packets_ns);
    for (size_t i = 0; i < x.step_count; i++) {
        const struct nadi_path_step *p = &x.steps[i];
        const uint64_t parts[] = {p->start_ns,
                                  p->end_ns,
                                  p->rank,
                                  p->node,
                                  (uint64_t)p->cause,
                                  (uint64_t)p->binding,
                                  p->dim,
                                  p->link,
                                  p->fixed_ns,
                                  p->latency_ns,
                                  p->held_ns};
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
            digest_u64(&path, parts[k]);
        digest_text(&path, p->group);
        digest_text(&path, p->algorithm);
    }
    for (size_t i = 0; x.shares && i < (size_t)r->rank_count * NADI_CAUSES; i++)
        digest_u64(&shares, x.shares[i]);
    digest_u64(&slack, x.slack_is_exact);
    for (uint32_t rank = 0; !x.why_not && rank < r->rank_count; rank++)
        for (uint32_t node = 0; node < in->traces[rank]->node_count; node++) {
            const struct nadi_node_time *time = nadi_why_time(&x, rank, node);
            digest_u64(&slack, time ? time->slack_ns : 1);
        }
    const uint32_t count = nadi_gains_find(in, r, &x, &x.arena, gains);
    for (uint32_t i = 0; i < count; i++) {
        digest_text(&gain, gains[i].what);
        digest_double(&gain, gains[i].ns);
    }
    nadi_str_printf(out, "  why: %zu steps", x.step_count);
    for (int i = 0; i < NADI_CAUSES; i++)
        if (x.sums[i])
            nadi_str_printf(out, ", %s %" PRIu64, nadi_cause_name((enum nadi_cause)i), x.sums[i]);
    nadi_str_printf(out, "; path %04x shares %04x slack %04x gains %04x\n",
                    (unsigned)(path & 0xffff), (unsigned)(shares & 0xffff),
                    (unsigned)(slack & 0xffff), (unsigned)(gain & 0xffff));
    nadi_why_release(&x);
}

static void put_result(const struct job *j, const struct nadi_result *r, struct nadi_str *out)
{
    uint64_t told = DIGEST_INIT;
    for (size_t i = 0; i < r->diags.count; i++) {
        digest_text(&told, r->diags.items[i].message);
        digest_text(&told, r->diags.items[i].hint);
    }
    digest_text(&told, r->stopped_by);
    nadi_str_printf(out, " %s %s: %s at %" PRIu64, j->in.options.network_model->name,
                    r->executor ? r->executor->name : "-", nadi_outcome_name(r->outcome),
                    r->end_ns);
    if (r->outcome == NADI_OUTCOME_DONE)
        nadi_str_printf(out, " bound %" PRIu64, nadi_lower_bound_ns(&j->in));
    nadi_str_printf(out,
                    "; %" PRIu64 " messages of %" PRIu64 " B; ranks %04x collectives %04x links "
                    "%04x nodes %04x usage %04x told %04x\n",
                    r->messages, r->message_bytes, (unsigned)(ranks(r) & 0xffff),
                    (unsigned)(collectives(r) & 0xffff), (unsigned)(links(r) & 0xffff),
                    (unsigned)(nodes(r) & 0xffff), (unsigned)(usage(r) & 0xffff),
                    (unsigned)(told & 0xffff));
    if (r->has_packets)
        put_packets(&r->packets, out);
    if (r->outcome == NADI_OUTCOME_DONE)
        put_why(&j->in, r, out);
}

/* ---- the jobs -------------------------------------------------------------------------------- */

static void draw_any(struct job *j, struct nadi_rng *rng, uint64_t seed)
{
    job_random(j, rng);
    if (seed % 2)
        job_other_kinds(j, seed);
    if (seed % 3 == 0) {
        j->in.system.inter = (enum nadi_inter_scheduling)(seed / 3 % (NADI_INTER_ROUND_ROBIN + 1));
        j->in.system.intra =
            (enum nadi_intra_scheduling)(seed / 6 % (NADI_INTRA_LESS_REMAINING + 1));
    }
    if (seed % 4 == 1)
        job_programs(j, seed);
    if (seed % 5 == 1)
        job_library(j, seed);
    if (seed % 5 == 2)
        job_attached(j, seed);
}

/* Many requests at once on the shared bus. */
static void draw_bus(struct job *j, struct nadi_rng *rng, uint64_t seed)
{
    job_random(j, rng);
    j->in.system.shared_bus = true;
    j->in.system.splits = 2 + (uint32_t)(seed % 3) * 11;
    j->in.system.active_chunks = 1 + (uint32_t)(seed % 4) * 5;
    j->in.system.endpoint_delay_ns = seed % 2 * 10;
    j->in.system.bus_o = seed % 5 * 9;
    j->in.system.bus_g = seed % 7 * 3;
}

static void draw_folding(struct job *j, struct nadi_rng *rng, uint64_t seed)
{
    static const struct nadi_executor *const executors[] = {NULL, &nadi_executor_fold,
                                                            &nadi_executor_phase};
    static const struct nadi_network_ops *const models[] = {
        &nadi_network_unaware, &nadi_network_unaware, &nadi_network_aware, &nadi_network_flow};
    job_grid(j, rng);
    j->in.options.network_model = models[seed % 4];
    j->in.options.executor = seed % 4 < 2 ? executors[seed % 3] : NULL;
    j->in.options.threads = 1;
    j->in.system.comm_streams = 1 + (uint32_t)(seed / 4 % 3);
    j->in.system.inter = (enum nadi_inter_scheduling)(seed / 16 % (NADI_INTER_ROUND_ROBIN + 1));
    j->in.system.intra = (enum nadi_intra_scheduling)(seed / 8 % (NADI_INTRA_LESS_REMAINING + 1));
}

static void draw_links(struct job *j, struct nadi_rng *rng, uint64_t seed)
{
    static const struct nadi_network_ops *const models[] = {
        &nadi_network_packet, &nadi_network_packet, &nadi_network_packet, &nadi_network_flow,
        &nadi_network_aware};
    job_packets(j, rng);
    j->in.options.network_model = models[seed % 5];
}

static void draw_routers(struct nadi_flit_config *f, struct nadi_rng *rng)
{
    nadi_flit_config_init(f);
    f->flit_bytes = (uint32_t)pick(rng, 8, 64);
    f->packet_flits = (uint32_t)pick(rng, 1, 16);
    f->header_bytes = chance(rng, 2) ? (uint32_t)pick(rng, 0, 7) : 0;
    f->vcs = (uint32_t)pick(rng, 1, 4);
    f->cut_through = chance(rng, 4);
    f->buffer_flits = chance(rng, 2) ? f->packet_flits + (uint32_t)pick(rng, 0, 8) : 0;
    f->routing_delay = (uint32_t)pick(rng, 0, 2);
    f->vc_delay = (uint32_t)pick(rng, 0, 1);
    f->switch_delay = (uint32_t)pick(rng, 1, 2);
    f->traversal_delay = (uint32_t)pick(rng, 0, 2);
    f->channel_delay = (uint32_t)pick(rng, 0, 3);
    f->credit_delay = (uint32_t)pick(rng, 0, 3);
    f->speedup = (uint32_t)pick(rng, 1, 2);
    f->wait_for_tail_credit = chance(rng, 2);
    f->one_port = chance(rng, 3);
}

/* Flits; loads and stores. */
static void draw_small(struct job *j, struct nadi_rng *rng, uint64_t seed)
{
    job_packets(j, rng);
    j->in.options.network_model = seed % 3 ? &nadi_network_flit : &nadi_network_loadstore;
    j->in.options.comm_scale = 0.01;
    nadi_loadstore_config_init(&j->in.loadstore);
    draw_routers(&j->in.flit, rng);
    j->in.events = NULL;
}

static void put_rows(const char *name, void (*draw)(struct job *, struct nadi_rng *, uint64_t),
                     uint64_t cases, struct nadi_str *out)
{
    for (uint64_t seed = 0; seed < cases; seed++) {
        struct nadi_rng rng;
        struct job j;
        struct nadi_result r;
        struct nadi_diags diags;
        nadi_rng_init(&rng, seed, name);
        draw(&j, &rng, seed);
        j.in.options.record_ops = true;
        j.in.options.record_usage = seed % 2;
        nadi_diags_init(&diags);
        nadi_str_printf(out, "%s %" PRIu64, name, seed);
        if (nadi_inputs_fit_model(&j.in, &diags)) {
            nadi_simulate(&j.in, NULL, &r);
            put_result(&j, &r, out);
            nadi_result_release(&r);
        } else {
            nadi_str_printf(out, " refused: %s\n", diags.items[0].message);
        }
        nadi_diags_release(&diags);
        job_release(&j);
    }
}

static void figures(void **state)
{
    (void)state;
    struct nadi_str text = NADI_STR_INIT;
    put_rows("any", draw_any, 300, &text);
    put_rows("bus", draw_bus, 60, &text);
    put_rows("folding", draw_folding, 160, &text);
    put_rows("links", draw_links, 200, &text);
    put_rows("small", draw_small, 120, &text);
    golden_hold("drawn/jobs", &text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
