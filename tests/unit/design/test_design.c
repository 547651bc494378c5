/* design: answers against simulating everything; limits that conflict; what is refused. */
#include "design/design.h"

#include <math.h>
#include <setjmp.h>

#include "api/run_settings.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/threads.h"
#include "support/cases.h"

#include <cmocka.h>

#include <unistd.h>

static const struct nadi_run_host host = {.preset = nadi_run_preset, .set = nadi_run_set};

static bool read_text(struct nadi_design_problem *p, const char *text, struct nadi_diags *diags)
{
    char path[] = "/tmp/nadi-design-XXXXXX.yml";
    const char *names[NADI_RUN_NAMES];
    const int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    nadi_diags_init(diags);
    const struct nadi_design_source source = {.path = path,
                                              .host = &host,
                                              .run_setting = nadi_run_setting,
                                              .run_names = names,
                                              .run_name_count = nadi_run_names(names)};
    const bool ok = nadi_design_read(p, &source, diags);
    unlink(path);
    return ok;
}

#define TRIES                                                                                      \
    "search: \"cp=1 vp=1 tp=1,2,4 pp=1,2 micro-batch=1,2 zero=0,1 offload=none "                   \
    "recompute=none,full sequence-parallel=0\""

/* Some small spaces: devices, networks, goals, several workloads. Sanitized, each takes twenty
 * times as long: the first and the last two, which have a goal and a limit. */
static const char *const spaces[] = {
    "run: {cluster: dgx-a100}\nranks: 8\nvary: {'cluster.bandwidth[0]': [20GB/s, 235GB/s]}\n"
    "workloads: [{model: gpt2-xl, set: batch=16 sequence=1024, " TRIES "}]\n",
    "run: {catalogue: public}\nranks: 16\nvary:\n  cluster: [dgx-a100, dgx-h100]\n"
    "  'cluster.bandwidth[1]': [3GB/s, 23GB/s]\ngoal: tokens-per-dollar\n"
    "workloads: [{model: gpt2-xl, set: batch=16 sequence=1024, " TRIES "}]\n",
    "run: {catalogue: public}\nranks: 16\nvary:\n  cluster: [dgx-a100, dgx-h100, mi300x]\n"
    "goal: tokens-per-joule\nworkloads:\n"
    "  - {model: gpt2-xl, set: batch=16 sequence=1024, weight: 3, " TRIES "}\n"
    "  - {model: bert-large, set: batch=32 sequence=512, " TRIES "}\n",
    "run: {cluster: dgx-h100}\nranks: 8\nvary: {cluster.chunks: [1, 4]}\n"
    "workloads: [{model: gpt2-large, set: batch=8 sequence=1024, " TRIES "}]\n",
    "run: {cluster: dgx-h100, catalogue: public}\nranks: 16\n"
    "vary: {'cluster.bandwidth[1]': [5GB/s, 46GB/s]}\ngoal: capital\n"
    "limits: [gpt2_xl.step <= 1s]\n"
    "workloads: [{model: gpt2-xl, set: batch=16 sequence=1024, " TRIES "}]\n",
};

/* The fastest step of all strategies, each simulated. */
static double fastest(const struct nadi_design_problem *p, struct nadi_design_changes *c,
                      uint32_t workload, double *tokens)
{
    struct nadi_diags diags;
    struct nadi_search s;
    const struct nadi_design_workload *w = &p->workloads[workload];
    const struct nadi_search_setup setup = {.model = w->model,
                                            .settings = w->settings,
                                            .cluster = c->cluster,
                                            .words = w->words,
                                            .ranks = p->ranks,
                                            .simulate = 4096,
                                            .top = 4096,
                                            .threads = 2,
                                            .options = p->options,
                                            .changes = &c->changes};
    double best = HUGE_VAL;
    nadi_diags_init(&diags);
    assert_true(nadi_search_run(&s, &setup, &diags));
    assert_int_equal(s.simulated, s.fitting);
    assert_true(s.fitting > 8);
    for (uint32_t i = 0; i < s.count; i++)
        best = fmin(best, (double)s.rows[i].simulated_ns);
    *tokens = nadi_study_step_tokens(&s.study);
    nadi_search_release(&s);
    nadi_diags_release(&diags);
    return best;
}

static double brute_force(const struct nadi_design_problem *p, const struct nadi_design *d,
                          struct nadi_design_changes *c)
{
    double logarithm = 0;
    nadi_design_changes_take(c, p, d->point);
    for (uint32_t w = 0; w < p->workload_count; w++) {
        double tokens;
        const double step = fastest(p, c, w, &tokens);
        if (p->limit_count && step > 1e9)
            return 0; /* the limit of the last space */
        logarithm += p->workloads[w].share * log(tokens * 1e9 / step);
    }
    return p->goal == NADI_DESIGN_CAPITAL      ? 1 / d->capital
           : p->goal == NADI_DESIGN_PER_DOLLAR ? exp(logarithm) * 3600 / d->hourly
           : p->goal == NADI_DESIGN_PER_JOULE  ? exp(logarithm) / d->facility
                                               : exp(logarithm);
}

static void against_brute_force(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
#ifdef __SANITIZE_ADDRESS__
        if (i == 1 || i == 2)
            continue;
#endif
        struct nadi_design_problem *p = NADI_ZNEW(struct nadi_design_problem, 1);
        struct nadi_design_answer a;
        struct nadi_design_changes c;
        struct nadi_diags diags;
        const struct nadi_design_setup setup = {.simulate = 4096, .threads = 2};
        double best = 0;
        if (!read_text(p, spaces[i], &diags) || !nadi_design_run(&a, p, &setup, &diags))
            fail_msg("space %d: %s", (int)i, diags.items[0].message);
        nadi_design_changes_init(&c, p);
        for (uint64_t k = 0; k < a.count; k++)
            best = fmax(best, brute_force(p, &a.designs[k], &c));
        assert_true(a.best < a.count);
        if (fabs(a.designs[a.best].value / best - 1) > 1e-9 || !a.proved || a.gap > 0)
            fail_msg("space %d: %.9g, by simulating all %.9g, gap %g", (int)i,
                     a.designs[a.best].value, best, a.gap);
        nadi_design_changes_release(&c);
        nadi_design_answer_release(&a);
        nadi_design_release(p);
        nadi_diags_release(&diags);
        nadi_mem_free(p);
    }
}

/* Ranges against the same space as a fine grid: the answer is as good, and its gap covers the
 * grid's best. */
static void ranges_against_grids(void **state)
{
#define OF(first, second, rest)                                                                    \
    "run: {cluster: dgx-h100, catalogue: public}\nranks: 16\n"                                     \
    "vary:\n  cluster.bandwidth[1]: " first "\n  " second "\n" rest                                \
    "workloads: [{model: gpt2, set: batch=16 sequence=512, search: \"tp=1,2 cp=1 pp=1 vp=1 "       \
    "offload=none recompute=none zero=1 sequence-parallel=0 micro-batch=1\"}]\n"
    static const struct {
        const char *ranges, *grid;
        bool is_proved;
    } cases[] = {
        /* more is faster: the end of the range */
        {OF("5..100GB/s", "device.launch: 1us", "goal: time\n"),
         OF("5..100GB/s:5", "device.launch: 1us", "goal: time\n"), true},
        {OF("5..100GB/s:log", "cluster.latency[0]: 100..2000ns", "goal: time\n"),
         OF("5..100GB/s:5", "cluster.latency[0]: 100..2000ns:100", "goal: time\n"), true},
        /* what another range gets, this one has not */
        {OF("5..100GB/s", "cluster.bandwidth[0]: 105GB/s - cluster.bandwidth[1]", "goal: time\n"),
         OF("5..100GB/s:2.5", "cluster.bandwidth[0]: 105GB/s - cluster.bandwidth[1]",
            "goal: time\n"),
         false},
        /* prices have steps */
        {OF("5..100GB/s", "device.memory: 8..80GiB", "goal: tokens-per-dollar\n"),
         OF("5..100GB/s:2.5", "device.memory: 80GiB", "goal: tokens-per-dollar\n"), false},
        {OF("5..100GB/s", "device.launch: 1us", "goal: tokens-per-joule\n"),
         OF("5..100GB/s:2.5", "device.launch: 1us", "goal: tokens-per-joule\n"), false},
        /* limits and constraints within the range */
        {OF("5..100GB/s", "device.launch: 1us", "goal: time\nlimits: [capital <= 0.68M$]\n"),
         OF("5..100GB/s:2.5", "device.launch: 1us", "goal: time\nlimits: [capital <= 0.68M$]\n"),
         false},
        {OF("5..100GB/s", "cluster.bandwidth[0]: 50..450GB/s",
            "goal: time\nconstraints: [\"cluster.bandwidth[0] + 4 * cluster.bandwidth[1] <= "
            "400GB/s\"]\n"),
         OF("5..100GB/s:5", "cluster.bandwidth[0]: 50..450GB/s:10",
            "goal: time\nconstraints: [\"cluster.bandwidth[0] + 4 * cluster.bandwidth[1] <= "
            "400GB/s\"]\n"),
         false},
        {OF("5..100GB/s", "device.launch: 1us", "goal: capital\nlimits: [gpt2.step <= 5ms]\n"),
         OF("5..100GB/s:2.5", "device.launch: 1us", "goal: capital\nlimits: [gpt2.step <= 5ms]\n"),
         true},
    };
    (void)state;
    /* Under the sanitizers every second one: the code is the same. */
    const size_t step = CASES_OF(4) < 4 ? 2 : 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i += step) {
        struct nadi_design_answer a[2];
        for (int k = 0; k < 2; k++) {
            struct nadi_design_problem *p = NADI_ZNEW(struct nadi_design_problem, 1);
            const struct nadi_design_setup setup = {.simulate = 64, .refine = 80, .threads = 2};
            struct nadi_diags diags;
            if (!read_text(p, k ? cases[i].grid : cases[i].ranges, &diags) ||
                !nadi_design_run(&a[k], p, &setup, &diags))
                fail_msg("ranges %d: %s", (int)i, diags.items[0].message);
            assert_int_equal(p->space.is_divided, k == 0);
            nadi_design_release(p);
            nadi_diags_release(&diags);
            nadi_mem_free(p);
        }
        const double ours = a[0].designs[a[0].best].value, grid = a[1].designs[a[1].best].value;
        if (ours < grid * (1 - 2e-3) || ours * (1 + a[0].gap) < grid * (1 - 1e-12) ||
            a[0].gap > 0.03 || a[0].proved != cases[i].is_proved)
            fail_msg("ranges %d: %.9g, grid %.9g, gap %g, %llu divisions", (int)i, ours, grid,
                     a[0].gap, (unsigned long long)a[0].divisions);
        nadi_design_answer_release(&a[0]);
        nadi_design_answer_release(&a[1]);
    }
#undef OF
}

/* The same answer with another number of threads; fewer simulations leave a gap that covers what
 * they miss. */
static void threads_and_gap(void **state)
{
    struct nadi_design_problem *p = NADI_ZNEW(struct nadi_design_problem, 1);
    struct nadi_design_answer one, two, all;
    struct nadi_diags diags;
    (void)state;
    assert_true(read_text(p, spaces[2], &diags));
    assert_true(
        nadi_design_run(&one, p, &(struct nadi_design_setup){.simulate = 2, .threads = 1}, &diags));
    assert_true(
        nadi_design_run(&two, p, &(struct nadi_design_setup){.simulate = 2, .threads = 2}, &diags));
    assert_true(nadi_design_run(
        &all, p, &(struct nadi_design_setup){.simulate = 4096, .threads = 2}, &diags));
    assert_int_equal(one.best, two.best);
    assert_int_equal(one.simulations, two.simulations);
    assert_true(!(fabs(one.designs[one.best].value - two.designs[two.best].value) > 0));
    assert_true(all.designs[all.best].value <=
                one.designs[one.best].value * (1 + one.gap) * (1 + 1e-12));
    assert_true(one.simulations < all.simulations);
    nadi_design_answer_release(&one);
    nadi_design_answer_release(&two);
    nadi_design_answer_release(&all);
    nadi_design_release(p);
    nadi_diags_release(&diags);
    nadi_mem_free(p);
}

/* Limits that no design keeps together, and no smaller set of them. */
static void conflicts(void **state)
{
    static const struct {
        const char *limits;
        uint32_t conflict;
    } cases[] = {
        {"[capital <= 1M$]", 1},
        {"[capital <= 30M$, power <= 1kW]", 2},
        /* two A100 servers cost less than 0.45 M$, two H100 servers draw more than 18 kW */
        {"[facility_power >= 0.02MW, capital <= 450k$, power <= 1MW]", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct nadi_design_problem *p = NADI_ZNEW(struct nadi_design_problem, 1);
        struct nadi_design_answer a;
        struct nadi_diags diags;
        char text[512];
        snprintf(text, sizeof(text),
                 "run: {catalogue: public}\nranks: 16\nvary: {cluster: [dgx-a100, dgx-h100]}\n"
                 "limits: %s\nworkloads: [{model: gpt2, set: batch=16 sequence=512}]\n",
                 cases[i].limits);
        if (i == 0)
            *strstr(text, "1M$") = '0'; /* nothing costs nothing */
        if (!read_text(p, text, &diags))
            fail_msg("%s: %s", cases[i].limits, diags.items[0].message);
        assert_true(nadi_design_run(&a, p, &(struct nadi_design_setup){.simulate = 4}, &diags));
        assert_int_equal(a.best, a.count);
        if (a.conflict != cases[i].conflict)
            fail_msg("%s: conflict %u", cases[i].limits, a.conflict);
        nadi_design_answer_release(&a);
        nadi_design_release(p);
        nadi_diags_release(&diags);
        nadi_mem_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_brute_force),
        cmocka_unit_test(ranges_against_grids),
        cmocka_unit_test(threads_and_gap),
        cmocka_unit_test(conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
