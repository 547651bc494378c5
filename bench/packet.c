/* packet: the packet model against ns-3 (the HPCC simulator, -O3, its monitor off) and htsim (RoCE,
 * no congestion control), measured on a machine with 2 cores. Same topology, flows and, in exact
 * mode, the same results. Prints CPU seconds, memory and events per CPU second of `nadi flows` as a
 * child process; the best of two runs. */
#include "child.h"

enum { RUNS = 2 };

struct reference { /* 0: not measured */
    double ns3_s, ns3_events, htsim_s;
};

struct scenario {
    const char *name;
    const char *topology, *flows;
    const char *mode; /* CC_MODE of the configuration; NULL: default mode */
    const char *cc;   /* of the default mode */
    struct reference ref;
};

#define NOT_MEASURED                                                                               \
    {                                                                                              \
        0, 0, 0                                                                                    \
    }

static const struct scenario scenarios[] = {
    {"permutation 1 MB, 64 hosts, none", "clos64", "perm64", "12", NULL, {0.86, 1.025, 0.20}},
    {"all-to-all 64 kB, 64 hosts, none", "clos64", "a2a64k", "12", NULL, {3.03, 3.908, 1.33}},
    {"  DCQCN and PFC", "clos64", "a2a64k", "1", NULL, {3.03, 3.908, 0}},
    {"  HPCC", "clos64", "a2a64k", "3", NULL, {3.12, 3.908, 0}},
    {"  HPCC-PINT", "clos64", "a2a64k", "10", NULL, {3.03, 3.908, 0}},
    {"  DCTCP", "clos64", "a2a64k", "8", NULL, {3.03, 3.908, 0}},
    {"  TIMELY", "clos64", "a2a64k", "7", NULL, {2.93, 3.908, 0}},
    {"all-to-all 1 MB, 64 hosts, none", "clos64", "a2a1m", "12", NULL, {50.0, 60.937, 22.9}},
    {"  DCQCN and PFC", "clos64", "a2a1m", "1", NULL, {53.8, 62.306, 0}},
    {"  HPCC", "clos64", "a2a1m", "3", NULL, {50.2, 61.217, 0}},
    {"  DCTCP", "clos64", "a2a1m", "8", NULL, {50.3, 60.949, 0}},
    {"  TIMELY", "clos64", "a2a1m", "7", NULL, NOT_MEASURED},
    {"  HPCC-PINT", "clos64", "a2a1m", "10", NULL, NOT_MEASURED},
    {"  DCQCN, default mode", "clos64", "a2a1m", NULL, "dcqcn", NOT_MEASURED},
    {"  Swift, default mode", "clos64", "a2a1m", NULL, "swift", NOT_MEASURED},
    {"  NDP, default mode", "clos64", "a2a1m", NULL, "ndp", NOT_MEASURED},
    {"  EQDS, default mode", "clos64", "a2a1m", NULL, "eqds", NOT_MEASURED},
    {"permutation 1 MB, 1,024 hosts, 3 levels, DCQCN", "tree1k", "perm1k", NULL, "dcqcn",
     NOT_MEASURED},
    {"  NDP", "tree1k", "perm1k", NULL, "ndp", NOT_MEASURED},
    {"incast 64 kB, 16,383 to 1, 3 levels, DCQCN", "tree16k", "incast16k", NULL, "dcqcn",
     NOT_MEASURED},
};

static void save(const char *path, struct nadi_str *text)
{
    write_text(path, nadi_str_get(text));
    nadi_str_release(text);
}

/* Racks of `hosts`; with one pod its racks meet at `spines` switches. With more, each pod has
 * `spines` switches, the k-th of which meet at `cores` switches of their own. */
static void write_tree(const char *path, uint32_t pods, uint32_t racks, uint32_t hosts,
                       uint32_t spines, uint32_t cores)
{
    const uint32_t all_racks = pods * racks, all_hosts = all_racks * hosts;
    const uint32_t rack0 = all_hosts, spine0 = rack0 + all_racks;
    const uint32_t core0 = spine0 + pods * spines, end = core0 + spines * cores;
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_printf(&s, "%u %u %u\n", end, end - all_hosts,
                    all_hosts + all_racks * spines + pods * spines * cores);
    for (uint32_t n = all_hosts; n < end; n++)
        nadi_str_printf(&s, "%u ", n);
    nadi_str_add(&s, "\n");
    for (uint32_t h = 0; h < all_hosts; h++)
        nadi_str_printf(&s, "%u %u 400Gbps 0.001ms 0\n", h, rack0 + h / hosts);
    for (uint32_t r = 0; r < all_racks; r++)
        for (uint32_t k = 0; k < spines; k++)
            nadi_str_printf(&s, "%u %u 400Gbps 0.001ms 0\n", rack0 + r,
                            spine0 + r / racks * spines + k);
    for (uint32_t p = 0; p < pods; p++)
        for (uint32_t k = 0; k < spines; k++)
            for (uint32_t c = 0; c < cores; c++)
                nadi_str_printf(&s, "%u %u 400Gbps 0.001ms 0\n", spine0 + p * spines + k,
                                core0 + k * cores + c);
    save(path, &s);
}

static void write_all_to_all(const char *path, uint32_t hosts, uint32_t bytes)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_printf(&s, "%u\n", hosts * (hosts - 1));
    for (uint32_t i = 0; i < hosts; i++)
        for (uint32_t k = 0; k < hosts; k++)
            if (i != k)
                nadi_str_printf(&s, "%u %u 3 100 %u 0\n", i, k, bytes);
    save(path, &s);
}

static void write_shift(const char *path, uint32_t hosts, uint32_t by, uint32_t bytes)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_printf(&s, "%u\n", hosts);
    for (uint32_t i = 0; i < hosts; i++)
        nadi_str_printf(&s, "%u %u 3 100 %u 0\n", i, (i + by) % hosts, bytes);
    save(path, &s);
}

static void write_incast(const char *path, uint32_t hosts, uint32_t bytes)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_printf(&s, "%u\n", hosts - 1);
    for (uint32_t i = 1; i < hosts; i++)
        nadi_str_printf(&s, "%u 0 3 100 %u 0\n", i, bytes);
    save(path, &s);
}

static void write_config(const char *mode)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_str_printf(&s,
                    "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nCC_MODE %s\nALPHA_RESUME_INTERVAL 1\n"
                    "RATE_DECREASE_INTERVAL 4\nRP_TIMER 900\nFAST_RECOVERY_TIMES 1\nHAS_WIN 1\n"
                    "GLOBAL_T 0\nVAR_WIN 1\nFAST_REACT 1\nBUFFER_SIZE 32\n"
                    "KMAX_MAP 1 400000000000 3200\nKMIN_MAP 1 400000000000 800\n"
                    "PMAX_MAP 1 400000000000 0.2\n",
                    mode);
    save("config.txt", &s);
}

/* CPU seconds of the child that `run` has just waited for. */
static double cpu_of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
           (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
}

/* Millions of events, from the last line of the summary. */
static double read_events(void)
{
    struct nadi_diags diags;
    char *text;
    size_t bytes;
    double events = 0;
    char unit = 0;
    nadi_diags_init(&diags);
    if (!nadi_file_read("out.json", "result", &text, &bytes, &diags))
        fail("no result");
    const char *line = strstr(text, "Simulated ");
    if (!line || sscanf(line, "Simulated %lf %c", &events, &unit) != 2)
        fail("no count of events");
    nadi_mem_free(text);
    nadi_diags_release(&diags);
    return unit == 'G' ? events * 1e3 : unit == 'k' ? events * 1e-3 : events;
}

static void number(double value, int digits, const char *unit)
{
    char text[32] = "-";
    if (value > 0)
        snprintf(text, sizeof(text), "%.*f%s", digits, value, unit);
    printf(" %8s", text);
}

static void show(const struct scenario *s)
{
    const char *words[] = {PROGRAM, "flows", "--topology", s->topology, "--flows", s->flows,
                           NULL,    NULL,    NULL,         NULL,        NULL};
    double best = 1e9, most_mb = 0;
    if (s->mode) {
        write_config(s->mode);
        words[6] = "--compat";
        words[7] = "ns3";
        words[8] = "--config";
        words[9] = "config.txt";
    } else {
        words[6] = "--cc";
        words[7] = s->cc;
    }
    for (int i = 0; i < RUNS; i++) {
        double wall_s, mb;
        const double before = cpu_of_children();
        if (run(words, &wall_s, &mb) != 0)
            fail(s->name);
        const double cpu = cpu_of_children() - before;
        best = cpu < best ? cpu : best;
        most_mb = mb > most_mb ? mb : most_mb;
    }
    const double events = read_events();
    const double ns3_rate = s->ref.ns3_s > 0 ? s->ref.ns3_events / s->ref.ns3_s : 0;
    printf("%-48s", s->name);
    number(s->ref.ns3_s, 2, "");
    number(s->ref.htsim_s, 2, "");
    printf(" %8.3f %6.0f %9.2f %8.1f", best, most_mb, events, events / best);
    number(ns3_rate > 0 ? events / best / ns3_rate : 0, 0, "x");
    printf("\n");
    fflush(stdout);
}

/* Wall seconds mean something on an idle machine only. */
static void show_parts(const char *name, const char *topology, const char *flows, const char *cc)
{
    static const char *const threads[] = {"1", "2"};
    printf("%-48s", name);
    for (int t = 0; t < 2; t++) {
        const char *words[] = {PROGRAM, "flows", "--topology", topology,   "--flows", flows,
                               "--cc",  cc,      "--threads",  threads[t], NULL};
        double wall = 1e9, cpu = 1e9;
        for (int i = 0; i < RUNS; i++) {
            double wall_s, mb;
            const double before = cpu_of_children();
            if (run(words, &wall_s, &mb) != 0)
                fail(name);
            const double cpu_s = cpu_of_children() - before;
            cpu = cpu_s < cpu ? cpu_s : cpu;
            wall = wall_s < wall ? wall_s : wall;
        }
        printf(" %8.3f %8.3f", wall, cpu);
    }
    printf("\n");
    fflush(stdout);
}

int main(void)
{
    char folder[] = "/tmp/nadi-bench-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a temporary folder");
    write_tree("clos64", 1, 8, 8, 8, 0);
    write_tree("tree1k", 16, 8, 8, 8, 8);
    write_tree("tree16k", 32, 16, 32, 16, 16);
    write_shift("perm64", 64, 8, 1000000);
    write_shift("perm1k", 1024, 65, 1000000);
    write_all_to_all("a2a64k", 64, 64000);
    write_all_to_all("a2a1m", 64, 1000000);
    write_incast("incast16k", 16384, 64000);
    printf("%-48s %8s %8s %8s %6s %9s %8s %8s\n", "flows, 400 Gb/s, 1 us a link", "ns-3 s",
           "htsim s", "nadi s", "MB", "M events", "M ev/s", "of ns-3");
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        show(&scenarios[i]);
    printf("CPU seconds; inputs: %s\n\n", folder);
    printf("%-48s %8s %8s %8s %8s\n", "in parts, default mode", "wall s", "CPU s", "2: wall",
           "2: CPU");
    show_parts("all-to-all 1 MB, 64 hosts, DCQCN", "clos64", "a2a1m", "dcqcn");
    show_parts("  NDP", "clos64", "a2a1m", "ndp");
    show_parts("permutation 1 MB, 1,024 hosts, HPCC", "tree1k", "perm1k", "hpcc");
    return 0;
}
