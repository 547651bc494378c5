/* change: each parameter of the inputs becomes what it is to be, and nothing else does; whole
 * numbers to the nearest, and what stays as it is or becomes nothing is no change. */
#include "memory/tiers.h"
#include "why/change.h"

#include "support/job.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

static const struct nadi_dim dims[2] = {
    {.kind = NADI_DIM_RING, .npus = 4, .bytes_per_ns = 8, .latency_ns = 100},
    {.kind = NADI_DIM_SWITCH, .npus = 2, .bytes_per_ns = 2, .latency_ns = 700}};

/* All that a parameter may change, as text. */
static const char *tell(const struct nadi_inputs *in)
{
    static char text[600];
    const struct nadi_memory_config *m = &in->memory;
    int n = snprintf(text, sizeof(text), "%g/%g %g/%g scale %g peak %g local %g remote %lu/%lu",
                     in->topology.dims[0].bytes_per_ns, in->topology.dims[0].latency_ns,
                     in->topology.dims[1].bytes_per_ns, in->topology.dims[1].latency_ns,
                     in->options.compute_scale, in->system.peak_perf, in->system.local_mem_bw,
                     (unsigned long)m->bytes_per_ns, (unsigned long)m->latency_ns);
    n += snprintf(text + n, sizeof(text) - (size_t)n, " endpoint %lu chunks %u/%u",
                  (unsigned long)in->system.endpoint_delay_ns, in->system.splits,
                  in->system.active_chunks);
    for (int s = 0; m->kind == NADI_MEMORY_HIERARCHY && s < NADI_POOL_STAGES; s++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, " %g/%g", m->pool.gbps[s],
                      m->pool.latency_ns[s]);
    for (uint32_t i = 0; in->has_graph && i < in->graph.link_count; i += in->graph.link_count - 1)
        n += snprintf(text + n, sizeof(text) - (size_t)n, " link %g/%g",
                      (double)in->graph.links[i].bits_per_s / 8e9,
                      (double)in->graph.links[i].latency / 1e3);
    for (uint32_t i = 0; in->has_graph && i < in->graph.limited_count; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, " node %g",
                      (double)in->graph.nodes[in->graph.limited[i]].forward_bits_s / 8e9);
    for (uint32_t i = 0; in->tiers && i < 2; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, " tier %g/%g over %g, link %g",
                      in->tiers->tiers[i].read_rate, in->tiers->tiers[i].write_rate,
                      in->tiers->channel_sets[i].rate, in->tiers->links[i].rate);
    assert_ptr_equal(in->memory.tiers, in->tiers);
    return text;
}

/* The values of all parameters, of the first two dimensions, classes, tiers. */
static void expect_values(const struct nadi_inputs *in, const char *want)
{
    char text[600] = "";
    int n = 0;
    for (enum nadi_parameter p = 0; p < NADI_PARAMETERS; p++)
        n += p < NADI_PARAMETER_FORWARDING
                 ? snprintf(text + n, sizeof(text) - (size_t)n, "%g/%g ",
                            nadi_parameter_value(in, p, 0), nadi_parameter_value(in, p, 1))
                 : snprintf(text + n, sizeof(text) - (size_t)n, "%g ",
                            nadi_parameter_value(in, p, 0));
    assert_string_equal(text, want);
}

/* want: NULL: it is none. */
static void expect(const struct nadi_inputs *in, enum nadi_parameter p, uint32_t dim, double factor,
                   const char *want)
{
    struct nadi_changed c;
    char before[600];
    snprintf(before, sizeof(before), "%s", tell(in));
    const bool changed = nadi_change_open(&c, in, p, dim, factor);
    assert_int_equal(changed, want != NULL);
    if (changed)
        assert_string_equal(tell(&c.in), want);
    nadi_change_close(&c);
    assert_string_equal(tell(in), before);
}

static void each(void **state)
{
    (void)state;
    struct job j;
    job_init(&j, dims, 2);
    struct nadi_inputs *in = &j.in;
    in->system.peak_perf = 5e12;
    in->system.local_mem_bw = 3e12;
    in->memory = (struct nadi_memory_config){
        .kind = NADI_MEMORY_PER_NPU, .bytes_per_ns = 5, .latency_ns = 3};
    expect_values(in, "8/2 100/700 0/0 0/0 0/0 0/0 0 1 3000 5 3 10 1 1 ");
    in->options.compute_scale = 4;
    in->options.compat = true;
    expect_values(in, "8/2 100/700 0/0 0/0 0/0 0/0 0 0 3000 5 3 10 1 1 ");
    in->options.compat = false;
    expect_values(in, "8/2 100/700 0/0 0/0 0/0 0/0 0 0.25 3000 5 3 10 1 1 ");
    in->options.compute_scale = 1;
    expect(in, NADI_PARAMETER_BANDWIDTH, 1, 2,
           "8/100 4/700 scale 1 peak 5e+12 local 3e+12 remote 5/3 endpoint 10 chunks 1/1");
    expect(in, NADI_PARAMETER_LATENCY, 0, 0.5,
           "8/50 2/700 scale 1 peak 5e+12 local 3e+12 remote 5/3 endpoint 10 chunks 1/1");
    expect(in, NADI_PARAMETER_LINK_BANDWIDTH, 0, 2, NULL);
    expect(in, NADI_PARAMETER_TIER_BANDWIDTH, 0, 2, NULL);
    expect(in, NADI_PARAMETER_TIER_LINK, 0, 2, NULL);
    expect(in, NADI_PARAMETER_FORWARDING, 0, 2, NULL);
    expect(in, NADI_PARAMETER_COMPUTE_RATE, 0, 4,
           "8/100 2/700 scale 0.25 peak 5e+12 local 3e+12 remote 5/3 endpoint 10 chunks 1/1");
    in->system.roofline = true;
    expect_values(in, "8/2 100/700 0/0 0/0 0/0 0/0 0 5 3000 5 3 10 1 1 ");
    expect(in, NADI_PARAMETER_COMPUTE_RATE, 0, 4,
           "8/100 2/700 scale 1 peak 2e+13 local 3e+12 remote 5/3 endpoint 10 chunks 1/1");
    expect(in, NADI_PARAMETER_LOCAL_MEMORY, 0, 2,
           "8/100 2/700 scale 1 peak 5e+12 local 6e+12 remote 5/3 endpoint 10 chunks 1/1");
    expect(in, NADI_PARAMETER_REMOTE_MEMORY, 0, 1.5,
           "8/100 2/700 scale 1 peak 5e+12 local 3e+12 remote 8/3 endpoint 10 chunks 1/1");
    expect(in, NADI_PARAMETER_REMOTE_MEMORY, 0, 1.05, NULL);
    expect(in, NADI_PARAMETER_REMOTE_MEMORY, 0, 0.05, NULL);
    expect(in, NADI_PARAMETER_REMOTE_LATENCY, 0, 0.2,
           "8/100 2/700 scale 1 peak 5e+12 local 3e+12 remote 5/1 endpoint 10 chunks 1/1");
    expect(in, NADI_PARAMETER_REMOTE_LATENCY, 0, 0.1, NULL);
    expect(in, NADI_PARAMETER_ENDPOINT_DELAY, 0, 0.5,
           "8/100 2/700 scale 1 peak 5e+12 local 3e+12 remote 5/3 endpoint 5 chunks 1/1");
    expect(in, NADI_PARAMETER_CHUNKS, 0, 2,
           "8/100 2/700 scale 1 peak 5e+12 local 3e+12 remote 5/3 endpoint 10 chunks 2/1");
    expect(in, NADI_PARAMETER_CHUNKS, 0, 0.4, NULL);
    expect(in, NADI_PARAMETER_CHUNKS, 0, 4294967294.0,
           "8/100 2/700 scale 1 peak 5e+12 local 3e+12 remote 5/3 endpoint 10 chunks 4294967294/1");
    expect(in, NADI_PARAMETER_CHUNKS, 0, 4294967295.0, NULL);
    expect(in, NADI_PARAMETER_ACTIVE_CHUNKS, 0, 3,
           "8/100 2/700 scale 1 peak 5e+12 local 3e+12 remote 5/3 endpoint 10 chunks 1/3");
    in->memory.kind = NADI_MEMORY_NONE;
    expect(in, NADI_PARAMETER_REMOTE_MEMORY, 0, 2, NULL);
    expect(in, NADI_PARAMETER_REMOTE_LATENCY, 0, 2, NULL);
    job_release(&j);
}

static void hierarchy(void **state)
{
    (void)state;
    struct job j;
    job_init(&j, dims, 2);
    struct nadi_inputs *in = &j.in;
    in->memory = (struct nadi_memory_config){
        .kind = NADI_MEMORY_HIERARCHY, .bytes_per_ns = 5, .latency_ns = 3};
    for (int s = 0; s < NADI_POOL_STAGES; s++) {
        in->memory.pool.gbps[s] = 10 + s;
        in->memory.pool.latency_ns[s] = 1 + s;
    }
    expect(in, NADI_PARAMETER_REMOTE_MEMORY, 0, 2,
           "8/100 2/700 scale 1 peak 0 local 0 remote 5/3 endpoint 10 chunks 1/1 20/1 22/2 24/3");
    expect(in, NADI_PARAMETER_REMOTE_LATENCY, 0, 2,
           "8/100 2/700 scale 1 peak 0 local 0 remote 5/3 endpoint 10 chunks 1/1 10/2 11/4 12/6");
    expect(
        in, NADI_PARAMETER_REMOTE_LATENCY, 0, 0.5,
        "8/100 2/700 scale 1 peak 0 local 0 remote 5/3 endpoint 10 chunks 1/1 10/0.5 11/1 12/1.5");
    in->memory.latency_ns = 0;
    expect(in, NADI_PARAMETER_REMOTE_LATENCY, 0, 2, NULL);
    job_release(&j);
}

static void links(void **state)
{
    (void)state;
    struct job j;
    job_graph(&j, "leaf-spine leaves=2 hosts=4 spines=1 bandwidth=10GB/s latency=100ns "
                  "uplink-bandwidth=40GB/s");
    struct nadi_inputs *in = &j.in;
    expect_values(in, "0/0 0/0 10/40 100/100 0/0 0/0 0 1 0 3 100 10 1 1 ");
    expect(in, NADI_PARAMETER_BANDWIDTH, 0, 2, NULL); /* the graph's links say it */
    expect(in, NADI_PARAMETER_LATENCY, 0, 2, NULL);
    expect(in, NADI_PARAMETER_LINK_BANDWIDTH, 0, 2,
           "50/0 0/0 scale 1 peak 0 local 0 remote 3/100 endpoint 10 chunks 1/1 link 20/100 link "
           "40/100");
    expect(in, NADI_PARAMETER_LINK_BANDWIDTH, 1, 2,
           "50/0 0/0 scale 1 peak 0 local 0 remote 3/100 endpoint 10 chunks 1/1 link 10/100 link "
           "80/100");
    expect(in, NADI_PARAMETER_LINK_BANDWIDTH, 2, 2, NULL);
    expect(in, NADI_PARAMETER_LINK_LATENCY, 0, 3,
           "50/0 0/0 scale 1 peak 0 local 0 remote 3/100 endpoint 10 chunks 1/1 link 10/300 link "
           "40/100");
    expect(in, NADI_PARAMETER_LINK_LATENCY, 1, 1, NULL);
    static const char *const only[3][3] = {
        {"5e+07/0 0/0 scale 0 peak 5 local 3 remote 3/100 endpoint 10 chunks 1/1 link 1e+07/100 "
         "link 4e+07/100",
         "5e+07/0 0/0 scale 1 peak 5e+06 local 3e+06 remote 3/100 endpoint 10 chunks 1/1 link "
         "1e+07/100 link 4e+07/100",
         "5e+07/0 0/0 scale 0 peak 5e+06 local 3e+06 remote 3/100 endpoint 10 chunks 1/1 link "
         "1e+07/100 link 4e+07/100"},
        {"50/0 0/0 scale 0 peak 5 local 3 remote 3/100 endpoint 10 chunks 1/1 link 10/100 link "
         "40/100",
         "50/0 0/0 scale 1 peak 5e+06 local 3e+06 remote 3/100 endpoint 10 chunks 1/1 link 10/100 "
         "link 40/100",
         "50/0 0/0 scale 0 peak 5e+06 local 3e+06 remote 3/100 endpoint 10 chunks 1/1 link 10/100 "
         "link 40/100"},
        {"5e+07/0 0/0 scale 1 peak 5 local 3 remote 3/100 endpoint 0 chunks 1/1 link 1e+07/0 link "
         "4e+07/0",
         "5e+07/0 0/0 scale 1 peak 5 local 3 remote 3/100 endpoint 0 chunks 1/1 link 1e+07/0 link "
         "4e+07/0",
         "5e+07/0 0/0 scale 1 peak 5 local 3 remote 3/100 endpoint 0 chunks 1/1 link 1e+07/0 link "
         "4e+07/0"}};
    struct nadi_changed c;
    in->system.peak_perf = 5;
    in->system.local_mem_bw = 3;
    for (int what = NADI_ONLY_LATENCY; what <= NADI_ONLY_COMPUTE; what++)
        for (int roofline = 0; roofline < 3; roofline++) {
            in->system.roofline = roofline > 0;
            in->system.only_untimed = roofline > 1;
            nadi_change_only(&c, in, (enum nadi_only)what);
            assert_string_equal(tell(&c.in), only[what][roofline]);
            nadi_change_close(&c);
        }
    job_release(&j);
}

/* NICs, of which each can forward only so much, and a server whose NICs are slower. */
static void nodes(void **state)
{
    (void)state;
    struct job j;
    job_graph(&j, "leaf-spine leaves=2 hosts=2 spines=1 bandwidth=10GB/s");
    struct nadi_inputs *in = &j.in;
    uint32_t limited[] = {4, 6};
    in->graph.nodes[4].forward_bits_s = UINT64_C(80000000000);
    in->graph.nodes[6].forward_bits_s = UINT64_C(40000000000);
    in->graph.limited = limited;
    in->graph.limited_count = 2;
    expect_values(in, "0/0 0/0 10/10 500/500 0/0 0/0 5 1 0 3 100 10 1 1 ");
    expect(in, NADI_PARAMETER_FORWARDING, 0, 2,
           "50/0 0/0 scale 1 peak 0 local 0 remote 3/100 endpoint 10 chunks 1/1 link 10/500 link "
           "10/500 node 20 node 10");
    in->graph.limited_count = 1;
    expect_values(in, "0/0 0/0 10/10 500/500 0/0 0/0 10 1 0 3 100 10 1 1 ");
    expect(in, NADI_PARAMETER_FORWARDING, 0, 2,
           "50/0 0/0 scale 1 peak 0 local 0 remote 3/100 endpoint 10 chunks 1/1 link 10/500 link "
           "10/500 node 20");
    in->graph.limited_count = 0;
    expect(in, NADI_PARAMETER_FORWARDING, 0, 2, NULL);
    job_release(&j);
}

static void tiers(void **state)
{
    (void)state;
    struct nadi_mem_tier of[2] = {{.read_rate = 3, .write_rate = 2},
                                  {.read_rate = 30, .write_rate = 20}};
    struct nadi_tier_link links[2] = {{.rate = 5, .channel_set = 1}, {.rate = 6, .channel_set = 0}};
    struct nadi_channel_set sets[2] = {{.rate = 7}, {.rate = INFINITY}};
    struct nadi_tiers tiers = {.tiers = of,
                               .links = links,
                               .channel_sets = sets,
                               .tier_count = 2,
                               .link_count = 2,
                               .channel_set_count = 2};
    struct job j;
    job_init(&j, dims, 2);
    struct nadi_inputs *in = &j.in;
    in->tiers = &tiers;
    in->memory.tiers = &tiers;
    expect_values(in, "8/2 100/700 0/0 0/0 3/30 7/0 0 1 0 3 100 10 1 1 ");
    expect(in, NADI_PARAMETER_TIER_BANDWIDTH, 1, 2,
           "8/100 2/700 scale 1 peak 0 local 0 remote 3/100 endpoint 10 chunks 1/1 tier 3/2 over "
           "7, link 5 tier 60/40 over inf, link 6");
    expect(in, NADI_PARAMETER_TIER_LINK, 0, 3,
           "8/100 2/700 scale 1 peak 0 local 0 remote 3/100 endpoint 10 chunks 1/1 tier 3/2 over "
           "21, link 5 tier 30/20 over inf, link 18");
    expect(in, NADI_PARAMETER_TIER_LINK, 1, 3, NULL); /* not limited */
    in->tiers = NULL;
    in->memory.tiers = NULL;
    job_release(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each), cmocka_unit_test(hierarchy),
                                       cmocka_unit_test(links), cmocka_unit_test(nodes),
                                       cmocka_unit_test(tiers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
