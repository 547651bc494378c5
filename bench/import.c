/* import: `nadi trace link`, `convert` and `show` as child processes beside the figures of the
 * published tools (Chakra 1.0.0, Python, same machine class), and the whole import up to a million
 * operators, whose own time must grow no faster than they do. CPU is user and system, the best of
 * three; memory is the largest peak.
 *
 * The published figures are of a ResNet capture and of that capture 7 and 21 times over. It lies
 * beside the checkout where a developer has it; elsewhere a capture of the same number of operators
 * is written. */
#include "child.h"
#include "support/capture_write.h"

enum { RUNS = 3 };

#define CAPTURE NADI_SHARED_DIR "/chakra/resnet_ddp_103"
#define REPEAT  NADI_SHARED_DIR "/chakra/tools/rep.py"

enum { CPU_TIMES = 50, MEMORY_TIMES = 5, SHOW_TIMES = 20 };

static struct child_cost best_of(const char *const *words)
{
    struct child_cost best = {.cpu_s = 1e9, .user_s = 1e9};
    for (int i = 0; i < RUNS; i++) {
        struct child_cost cost;
        if (run_cost(words, &cost) != 0)
            fail("nadi trace failed");
        best.cpu_s = cost.cpu_s < best.cpu_s ? cost.cpu_s : best.cpu_s;
        best.user_s = cost.user_s < best.user_s ? cost.user_s : best.user_s;
        best.peak_mb = cost.peak_mb > best.peak_mb ? cost.peak_mb : best.peak_mb;
    }
    return best;
}

static bool is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Captures of this many operators, in host.json and device.json. */
static void write_capture(uint64_t operators)
{
    FILE *host = fopen("host.json", "w"), *device = fopen("device.json", "w");
    struct capture c;
    if (!host || !device)
        fail("cannot write the inputs");
    capture_begin(&c, &(struct capture_form){0}, host, device);
    capture_training(&c, operators);
    capture_end(&c);
    if (fclose(host) != 0 || fclose(device) != 0)
        fail("cannot write the inputs");
}

static void write_repeated(const char *times, uint64_t operators)
{
    const char *const words[] = {
        "python3", REPEAT, times, CAPTURE "/host.json.gz", CAPTURE "/device.json.gz", "real", NULL};
    struct child_cost cost;
    if (is_there(REPEAT) && run_cost(words, &cost) == 0) {
        if (rename("real_host.json", "host.json") != 0 ||
            rename("real_kineto.json", "device.json") != 0)
            fail("cannot write the inputs");
        return;
    }
    write_capture(operators);
}

static void show(const char *what, const char *times, double reference_s, double reference_mb,
                 int wanted, const char *const *words)
{
    const struct child_cost c = best_of(words);
    const double faster = reference_s / c.cpu_s, smaller = reference_mb / c.peak_mb;
    printf("%-10s %3s x %9.2f %6.0f %9.3f %6.1f %7.0fx %6.1fx  %s\n", what, times, reference_s,
           reference_mb, c.cpu_s, c.peak_mb, faster, smaller,
           faster >= wanted && (wanted < CPU_TIMES || smaller >= MEMORY_TIMES) ? "good"
                                                                               : "TOO SLOW");
    fflush(stdout);
}

static void compare(const char *times, uint64_t operators, double link_s, double link_mb,
                    double convert_s, double convert_mb)
{
    const char *const link[] = {PROGRAM,    "trace",       "link",        "--host",  "host.json",
                                "--device", "device.json", "--rank",      "0",       "--compat",
                                "1.0.0",    "-o",          "linked.json", "--quiet", NULL};
    const char *const convert[] = {PROGRAM, "trace", "convert", "linked.json", "--compat",
                                   "1.0.0", "-o",    "out.et",  "--quiet",     NULL};
    const char *const lines[] = {PROGRAM,      "trace", "show",    "out.et",
                                 "--jsonizer", "-o",    "out.txt", NULL};
    write_repeated(times, operators);
    show("link", times, link_s, link_mb, CPU_TIMES, link);
    show("convert", times, convert_s, convert_mb, CPU_TIMES, convert);
    if (strcmp(times, "7") == 0)
        show("show", times, 7.8, 19, SHOW_TIMES, lines);
}

/* Compared with itself alone. What must be linear is our own time: the system's is for writing the
 * file and for memory seen first, and differs from run to run. */
static void grow(void)
{
    const char *const words[] = {PROGRAM,     "trace",    "import",      "--host",
                                 "host.json", "--device", "device.json", "-o",
                                 "step",      "--quiet",  NULL};
    double first = 0;
    printf("\n%-24s %9s %9s %9s %14s %12s\n", "import, operators", "CPU s", "user s", "MB",
           "user us/op", "B/operator");
    for (uint64_t operators = 125000; operators <= 1000000; operators *= 2) {
        write_capture(operators);
        const struct child_cost c = best_of(words);
        const double each = 1e6 * c.user_s / (double)operators;
        first = first > 0 ? first : each;
        printf("%-24" PRIu64 " %9.3f %9.3f %9.1f %14.2f %12.0f%s\n", operators, c.cpu_s, c.user_s,
               c.peak_mb, each, 1e6 * c.peak_mb / (double)operators,
               each > 1.25 * first ? "  NOT LINEAR" : "");
        fflush(stdout);
    }
}

int main(void)
{
    char folder[] = "/tmp/nadi-import-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        fail("cannot make a folder for the inputs");
    printf("%s\n\n", is_there(CAPTURE "/host.json.gz") ? "the published capture"
                                                       : "a written capture of the same size");
    printf("%-16s %16s %16s %15s  wanted 50x (show %dx) and 1/5\n", "", "published s  MB",
           "nadi s     MB", "times", SHOW_TIMES);
    compare("1", 14388, 5.05, 259, 1.93, 191);
    compare("7", 100716, 44.8, 1228, 16.4, 1235);
    compare("21", 302148, 277, 3445, 44.8, 3685);
    grow();
    static const char *const files[] = {"host.json", "device.json",     "linked.json",
                                        "out.et",    "out.txt",         "step.0.et",
                                        "out.json",  "step.groups.json"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        unlink(files[i]);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : 1;
}
