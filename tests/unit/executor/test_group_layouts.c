/* Every kind, algorithm and size of group, its members side by side, strided and shuffled: each
 * link between two NPUs carries what the steps of their members say, to the byte, and the steps'
 * data come out right. */
#include "base/mem.h"
#include "collective/verify.h"
#include "sim/run.h"
#include "support/job.h"

#include <setjmp.h>

#include <cmocka.h>

enum layout { SIDE_BY_SIDE, STRIDED, SHUFFLED, LAYOUTS };

#ifdef __SANITIZE_ADDRESS__
static const uint32_t sizes[] = {1, 2, 3, 5, 8, 13, 17};
#else
static const uint32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 32, 64};
#endif

static void lay_out(uint32_t *ranks, uint32_t n, uint32_t all, enum layout layout)
{
    struct nadi_rng rng;
    nadi_rng_init(&rng, n, "layout");
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = layout == STRIDED ? i * (all / n) : 1 % all + i;
    for (uint32_t i = n; layout == SHUFFLED && i > 1; i--) {
        const uint64_t k = nadi_rng_below(&rng, i);
        const uint32_t held = ranks[i - 1];
        ranks[i - 1] = ranks[k];
        ranks[k] = held;
    }
}

/* What member `from` sends, by receiver. */
static void count_member(const struct nadi_program *p, uint32_t from, uint64_t *to)
{
    for (uint32_t l = 0; l < p->queues; l++)
        for (uint32_t k = 0; k < p->ops->steps(p, from, l); k++) {
            const struct nadi_step s = nadi_program_step(p, from, l, k);
            if (s.to != NADI_NONE && s.to != NADI_FAN)
                to[s.to] += nadi_program_sent_bytes(p, from, l, k);
            for (uint32_t i = 0; s.to == NADI_FAN && i < s.fan.count; i++) {
                const uint32_t other = nadi_member_at(&s.fan, i);
                if (other != s.but)
                    to[other] += nadi_program_sent_bytes_to(p, from, l, k, &s, other);
            }
        }
}

static void check_links(const struct nadi_program *p, const uint32_t *ranks, uint32_t npus,
                        const struct nadi_result *r)
{
    const uint32_t members = p->request.n + p->switches;
    uint32_t *member = NADI_NEW(uint32_t, npus + 1);
    uint64_t *sent = NADI_ZNEW(uint64_t, (size_t)members * members);
    for (uint32_t i = 0; i <= npus; i++)
        member[i] = NADI_NONE;
    for (uint32_t i = 0; i < p->request.n; i++)
        member[ranks[i]] = i;
    if (p->switches)
        member[npus] = p->request.n;
    for (uint32_t m = 0; m < members; m++)
        count_member(p, m, &sent[(size_t)m * members]);
    for (size_t i = 0; i < r->link_count; i++) {
        const uint32_t from = member[r->links[i].from], to = member[r->links[i].to];
        const bool inside = from != NADI_NONE && to != NADI_NONE;
        const uint64_t want = inside ? sent[(size_t)from * members + to] : 0;
        if (r->links[i].bytes != want)
            fail_msg("%s %s of %u, link %u to %u: %llu bytes, steps say %llu", p->ops->name,
                     nadi_collective_name(p->request.kind), p->request.n, r->links[i].from,
                     r->links[i].to, (unsigned long long)r->links[i].bytes,
                     (unsigned long long)want);
    }
    nadi_mem_free(member);
    nadi_mem_free(sent);
}

static void run_case(const struct nadi_program_ops *ops, enum nadi_collective_kind kind, uint32_t n,
                     enum layout layout)
{
    const uint32_t npus = 2 * n;
    const struct nadi_dim dim = {.kind =
                                     ops->in_switches ? NADI_DIM_SWITCH : NADI_DIM_FULLY_CONNECTED,
                                 .npus = npus,
                                 .bytes_per_ns = 10,
                                 .latency_ns = 5,
                                 .in_switch_bytes_per_ns = ops->in_switches ? 10 : 0};
    const uint64_t bytes = 1000 + 7 * n;
    uint32_t *ranks = NADI_NEW(uint32_t, n);
    struct job j;
    struct nadi_result r;
    enum nadi_native_kind native;
    job_init(&j, &dim, 1);
    lay_out(ranks, n, npus, layout);
    const bool from = kind == NADI_BROADCAST || kind == NADI_SCATTER;
    const bool to = kind == NADI_REDUCE || kind == NADI_GATHER;
    const uint32_t root = from || to ? n / 2 : 0;
    const struct job_node node = {
        .type = NADI_NODE_COLL, .kind = kind, .bytes = bytes, .group = "g"};
    const struct job_node idle = {.type = NADI_NODE_COMP, .cpu = true, .duration_ns = 1};
    assert_true(nadi_native_kind_of(kind, &native));
    j.in.system.native[native] = (struct nadi_implementation){
        .count = 1, .dims = {{.algorithm = NADI_ALGORITHM_PROGRAM, .program = ops, .window = 3}}};
    j.in.system.exact = true;
    j.in.options.network_model = &nadi_network_aware;
    bool existed;
    (void)nadi_groups_add(&j.in.groups, "g", ranks, n, &existed);
    job_give(&j, job_trace(&j, &idle, 1), 0, npus - 1);
    struct nadi_trace *t = job_trace(&j, &node, 1);
    for (uint32_t i = 0; i < n; i++)
        job_give(&j, t, ranks[i], ranks[i]);
    if (from) {
        t->comms[0].src = ranks[root];
        t->flags[0] |= NADI_NODE_HAS_SRC;
    } else if (to) {
        t->comms[0].dst = ranks[root];
        t->flags[0] |= NADI_NODE_HAS_DST;
    }
    struct nadi_program_request q = {.kind = kind, .n = n, .root = root, .bytes = bytes};
    q.radix = q.channels = q.segments = ops->number ? 3 : 0;
    struct nadi_program p;
    assert_null(nadi_program_make(ops, &q, &p));
    const struct nadi_verify_machine machine = {.alpha = 1};
    assert_int_equal(nadi_verify(&p, &machine).result, NADI_VERIFY_OK);
    nadi_simulate(&j.in, NULL, &r);
    assert_int_equal(r.outcome, NADI_OUTCOME_DONE);
    check_links(&p, ranks, npus, &r);
    nadi_result_release(&r);
    job_release(&j);
    nadi_mem_free(ranks);
}

static void links_carry_what_steps_say(void **state)
{
    (void)state;
    uint32_t cases = 0;
    for (size_t a = 0; nadi_program_algorithms[a]; a++)
        for (int kind = 0; kind < NADI_COLLECTIVE_KINDS; kind++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                for (int layout = 0; layout < LAYOUTS; layout++) {
                    const struct nadi_program_ops *ops = nadi_program_algorithms[a];
                    if (!nadi_program_runs(ops, (enum nadi_collective_kind)kind))
                        continue;
                    run_case(ops, (enum nadi_collective_kind)kind, sizes[i], (enum layout)layout);
                    cases++;
                }
    assert_true(cases > 900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(links_carry_what_steps_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
