/* threads: how much faster the program is on two cores than on one, the same answer checked.
 *
 * Each row is run on one core and on two, in turn. What counts is time on the processor, so that
 * what else runs on the machine does not: of the run on one core all of it; of the run on two that
 * of the thread that commands, and of each further thread what the commanding one did not do while
 * that ran, since it waits for it then: the longest way. On a busy machine one of two threads that
 * take their work from one list gets more of it than on an idle one. So there is the other figure
 * too, as if what they did beside each other had been shared evenly. */
#include "child.h"

#include "base/map.h"

#include <dirent.h>
#include <sched.h>

enum { TRIALS = 3, MOST_THREADS = 64, POLL_US = 300 };

struct thread {
    long id;
    double cpu_s, from_s, to_s; /* of the first thread, when this one was seen first, and last */
};

/* The process's own thread only starts the first of these and waits. */
struct threads {
    struct thread items[MOST_THREADS];
    size_t count;
};

static double cpu_of(pid_t child, long id)
{
    char path[64];
    unsigned long long ns = 0;
    snprintf(path, sizeof(path), "/proc/%d/task/%ld/schedstat", (int)child, id);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const bool read = fscanf(file, "%llu", &ns) == 1;
    fclose(file);
    return read ? 1e-9 * (double)ns : 0;
}

static void see(struct threads *all, long id, double cpu_s)
{
    size_t i = 0;
    while (i < all->count && all->items[i].id != id)
        i++;
    if (i == MOST_THREADS)
        fail("too many threads");
    struct thread *t = &all->items[i];
    if (i == all->count) {
        *t = (struct thread){.id = id, .from_s = all->items[0].cpu_s};
        all->count++;
    }
    t->cpu_s = cpu_s > t->cpu_s ? cpu_s : t->cpu_s;
    t->to_s = all->items[0].cpu_s;
}

static void look(struct threads *all, pid_t child)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)child);
    DIR *tasks = opendir(path);
    if (!tasks)
        return;
    for (const struct dirent *d = readdir(tasks); d; d = readdir(tasks)) {
        const long id = strtol(d->d_name, NULL, 10);
        if (id > 0 && id != child)
            see(all, id, cpu_of(child, id));
    }
    closedir(tasks);
}

static void use_cores(int most)
{
    cpu_set_t all, some;
    if (sched_getaffinity(0, sizeof(all), &all) != 0)
        _exit(127);
    CPU_ZERO(&some);
    for (size_t i = 0; i < CPU_SETSIZE && most > 0; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &some);
            most--;
        }
    if (sched_setaffinity(0, sizeof(some), &some) != 0)
        _exit(127);
}

struct timed {
    double cpu_s;  /* of all threads */
    double path_s; /* of the longest way */
    double even_s; /* the same, shared evenly */
};

/* Its standard output goes to out.json. */
static struct timed run_on(const char *const *words, int cores)
{
    struct threads all = {.count = 0};
    struct rusage usage;
    int status;
    const pid_t child = fork();
    if (child < 0)
        fail("cannot fork");
    if (child == 0) {
        const int out = open("out.json", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (out < 0 || dup2(out, STDOUT_FILENO) < 0)
            _exit(127);
        use_cores(cores);
        execvp(words[0], (char *const *)(const void *)words);
        _exit(127);
    }
    while (wait4(child, &status, WNOHANG, &usage) == 0) {
        look(&all, child);
        usleep(POLL_US);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("the program failed");
    const double cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    struct timed t = {cpu_s, cpu_s, cpu_s};
    for (size_t i = 1; i < all.count; i++) {
        const struct thread *x = &all.items[i];
        const double beside = x->to_s - x->from_s;
        t.path_s -= x->cpu_s < beside ? x->cpu_s : beside;
        t.even_s -= 0.5 * (x->cpu_s + beside);
    }
    return t;
}

struct row {
    const char *name;
    const char *words[20]; /* behind the program; "?": the number of threads */
    const char *same;      /* a file of which both runs write the same; NULL: none but the end */
    int trials;
};

static const struct row rows[] = {
    {
        .name = "4 dimensions, 4,096 ranks, message by message",
        .words = {"run", "--workload", "dims", "--system", "dims.json", "--network", "dims.yml",
                  "--quiet", "--executor", "message", "--format", "json"},
        .trials = 3,
    },
    {
        .name = "64 hosts, all-to-all of 1 MB, packets",
        .words = {"flows", "--flows", "flows.txt", "--topology", "hosts.yml", "--quiet", "--fct",
                  "fct.txt", "--threads", "?"},
        .same = "fct.txt",
        .trials = 2,
    },
    {
        .name = "fat-tree of 65,536, flow, message by message",
        .words = {"run", "--workload", "tree.yml", "--system", "tree.json", "--network",
                  "fat-tree.yml", "--network-model", "flow", "--quiet", "--executor", "message",
                  "--format", "json"},
        .trials = 1,
    },
    {
        .name = "reading 64 files of 3 MB",
        .words = {"check", "--workload", "files/workload", "--system", "files/system.json",
                  "--network", "files/network.yml", "--groups", "files/groups.json"},
        .trials = 3,
    },
    {
        .name = "a run with a folder of results of 150 MB",
        .words = {"run", "--workload", "job/workload", "--system", "job/system.json", "--network",
                  "job/network.yml", "--groups", "job/groups.json", "--quiet", "--format", "json",
                  "--ops", "--timeline", "yes", "--db", "--out", "folder"},
        .same = "folder/run.db",
        .trials = 3,
    },
};

/* ---- inputs -------------------------------------------------------------------------------- */

static void write_flows(uint32_t hosts)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text, "%" PRIu32 "\n", hosts * (hosts - 1));
    for (uint32_t from = 0; from < hosts; from++)
        for (uint32_t to = 0; to < hosts; to++)
            if (to != from)
                nadi_str_printf(&text, "%" PRIu32 " %" PRIu32 " 3 %" PRIu32 " 1000000 0\n", from,
                                to, 100 + to);
    write_text("flows.txt", nadi_str_get(&text));
    nadi_str_release(&text);
}

static void make_collective(const char *ranks, const char *prefix, bool manifest)
{
    const char *const words[] = {
        PROGRAM, "gen",     "collective", "--kind", "all-reduce", "--ranks",
        ranks,   "--bytes", "100MiB",     "-o",     prefix,       manifest ? "--manifest" : NULL,
        NULL};
    make(words);
}

static void make_job(const char *tensor, const char *data, const char *pipeline,
                     const char *batches, const char *folder)
{
    const char *const words[] = {
        PROGRAM, "gen",        "transformer", "--tensor", tensor, "--data",
        data,    "--pipeline", pipeline,      "--layers", "64",   "--micro-batches",
        batches, "--files",    "-o",          folder,     NULL};
    make(words);
}

static void make_inputs(void)
{
    write_system("dims.json", "64", "\"ring\", \"direct\", \"ring\", \"halvingDoubling\"");
    write_text("dims.yml",
               "topology: [Ring, FullyConnected, Ring, Switch]\nnpus_count: [2, 8, 8, 32]\n"
               "bandwidth: [250, 200, 100, 50]\nlatency: [50, 50, 500, 1000]\n");
    make_collective("4096", "dims", false);
    write_text("hosts.yml", "generator: {type: leaf-spine, hosts: 16, leaves: 4, spines: 4, "
                            "bandwidth: 50GB/s, latency: 1us}\n");
    write_flows(64);
    write_system("tree.json", "1", "\"ring\", \"halvingDoubling\"");
    write_text("fat-tree.yml",
               "generator: {type: fat-tree, k: 64, bandwidth: 50GB/s, latency: 500ns}\n"
               "dimensions: [8, 8192]\n");
    make_collective("65536", "tree", true);
    make_job("1", "1", "64", "4000", "files");
    make_job("8", "8", "2", "32", "job");
}

/* ---- rows ---------------------------------------------------------------------------------- */

static uint64_t hash_of_file(const char *path)
{
    struct nadi_diags diags;
    char *text = NULL;
    size_t bytes;
    nadi_diags_init(&diags);
    if (!nadi_file_read(path, "result", &text, &bytes, &diags))
        fail("no result");
    const uint64_t hash = nadi_hash_bytes(text, bytes);
    nadi_mem_free(text);
    nadi_diags_release(&diags);
    return hash;
}

static struct timed run_row(const struct row *r, int cores, uint64_t *answer)
{
    const char *words[1 + sizeof(r->words) / sizeof(*r->words)] = {PROGRAM};
    for (size_t i = 0; r->words[i]; i++)
        words[i + 1] = strcmp(r->words[i], "?") != 0 ? r->words[i] : cores == 1 ? "1" : "2";
    const struct timed t = run_on(words, cores);
    *answer = r->same ? hash_of_file(r->same) : finish_of_last_run();
    return t;
}

static bool show(const struct row *r)
{
    struct timed one = {.cpu_s = 1e9}, two = {.path_s = 1e9, .even_s = 1e9};
    bool right = true;
    for (int i = 0; i < r->trials; i++) {
        uint64_t first, second;
        const struct timed a = run_row(r, 1, &first), b = run_row(r, 2, &second);
        right &= first == second;
        one = a.cpu_s < one.cpu_s ? a : one;
        two.path_s = b.path_s < two.path_s ? b.path_s : two.path_s;
        two.even_s = b.even_s < two.even_s ? b.even_s : two.even_s;
    }
    printf("%-46s %9.3f %9.3f %9.3f %6.2f %6.2f%s\n", r->name, one.cpu_s, two.path_s, two.even_s,
           one.cpu_s / two.path_s, one.cpu_s / two.even_s, right ? "" : "  WRONG");
    fflush(stdout);
    return right;
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/nadi-bench-XXXXXX";
    bool right = true;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a temporary folder");
    make_inputs();
    printf("%-46s %9s %9s %9s %6s %6s\n", "seconds on the processor", "one core", "two", "even",
           "faster", "even");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (argc < 2 || strstr(rows[i].name, argv[1]))
            right &= show(&rows[i]);
    printf("inputs and the last results: %s\n", folder);
    return right ? 0 : 1;
}
