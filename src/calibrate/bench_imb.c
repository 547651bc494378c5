/* bench_imb: the output of the Intel MPI Benchmarks (IMB) and of oneCCL's benchmark as printed.
 *
 * "# Benchmarking Allreduce", "# #processes = 8", a header, rows. The time of a collective is that
 * of its slowest rank (t_max), as a simulated one ends with its last rank; of calls that do not
 * block it is that of the communication alone (t_pure); of PingPong half a round trip (t).
 *
 * oneCCL writes "# Benchmarking: allreduce" and "# #processes: 8", and counts the elements of one
 * rank's part where the parts make up the whole: those collectives are left out. */
#include <ctype.h>

#include "calibrate/bench_read.h"

enum { MOST_RANKS = 10000000, SHOWN = 5 };

struct benchmark {
    const char *name; /* "i" before it: does not block; "v" behind it: blocks of given sizes */
    enum nadi_comm_kind kind;
    enum nadi_comm_partners partners;
    bool blocks; /* sizes are of one rank's block; comm.h counts the larger buffer */
};

static const struct benchmark benchmarks[] = {
    {"pingpong", NADI_COMM_SEND_RECV, NADI_PARTNERS_ONE_WAY, false},
    {"pingpongspecificsource", NADI_COMM_SEND_RECV, NADI_PARTNERS_ONE_WAY, false},
    {"pingponganysource", NADI_COMM_SEND_RECV, NADI_PARTNERS_ONE_WAY, false},
    {"pingping", NADI_COMM_SEND_RECV, NADI_PARTNERS_PAIRS, false},
    {"pingpingspecificsource", NADI_COMM_SEND_RECV, NADI_PARTNERS_PAIRS, false},
    {"pingpinganysource", NADI_COMM_SEND_RECV, NADI_PARTNERS_PAIRS, false},
    {"sendrecv", NADI_COMM_SEND_RECV, NADI_PARTNERS_RING, false},
    {"allreduce", NADI_COMM_ALL_REDUCE, NADI_PARTNERS_RING, false},
    {"reduce_scatter", NADI_COMM_REDUCE_SCATTER, NADI_PARTNERS_RING, false},
    {"reduce", NADI_COMM_REDUCE, NADI_PARTNERS_RING, false},
    {"bcast", NADI_COMM_BROADCAST, NADI_PARTNERS_RING, false},
    {"allgather", NADI_COMM_ALL_GATHER, NADI_PARTNERS_RING, true},
    {"alltoall", NADI_COMM_ALL_TO_ALL, NADI_PARTNERS_RING, true},
    {"gather", NADI_COMM_GATHER, NADI_PARTNERS_RING, true},
    {"scatter", NADI_COMM_SCATTER, NADI_PARTNERS_RING, true},
};

struct imb {
    struct nadi_bench_reader *r;
    struct nadi_bench_facts facts;        /* of the whole log: comments */
    char name[64];                        /* of the benchmark under way, "" for none */
    const struct benchmark *of;           /* NULL: it is none that is read */
    uint32_t ranks, columns, size, value; /* of its table; indices of columns */
    bool in_table;
    uint32_t tables, other_ranks; /* seen; of them left out, of another number of ranks */
    uint32_t last_other, damaged;
};

static const struct benchmark *find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(benchmarks) / sizeof(benchmarks[0]); i++)
        if (strlen(benchmarks[i].name) == length && memcmp(benchmarks[i].name, name, length) == 0)
            return &benchmarks[i];
    return NULL;
}

/* "Allreduce", "Iallreduce_pure", "Alltoallv". */
static const struct benchmark *find_named(const char *title)
{
    char name[64];
    size_t length = 0;
    for (; title[length] && length + 1 < sizeof(name); length++)
        name[length] = (char)tolower((unsigned char)title[length]);
    name[length] = '\0';
    if (length > 5 && nadi_str_equal(name + length - 5, "_pure"))
        length -= 5;
    const struct benchmark *of = find(name, length);
    if (!of && name[0] == 'i')
        of = find(name + 1, length - 1);
    if (!of && length > 1 && name[length - 1] == 'v') {
        of = find(name, length - 1);
        if (!of && name[0] == 'i')
            of = find(name + 1, length - 2);
        of = of && (of->blocks) ? of : NULL;
    }
    return of;
}

/* ---- tables -------------------------------------------------------------------------------- */

static bool end_table(struct imb *p)
{
    static const struct nadi_bench_ratio unknown = {0};
    const bool was = p->in_table;
    p->in_table = false;
    if (!was)
        return true;
    struct nadi_bench_facts facts = p->facts;
    facts.kind = p->of->kind;
    facts.ranks = p->ranks;
    return nadi_bench_end(p->r, &facts, &unknown);
}

static void warn(struct imb *p, uint32_t line, const char *hint, const char *what)
{
    struct nadi_place place = NADI_IN_FILE(p->r->path);
    place.line = line;
    nadi_warning(p->r->diags, "bench/other", place, hint, "'%s' is left out", what);
}

/* "# Benchmarking Allreduce", "# Benchmarking: allreduce" */
static bool begin_benchmark(struct imb *p, const struct nadi_bench_line *line)
{
    if (!end_table(p))
        return false;
    const bool oneccl = nadi_str_equal(line->words[1], "Benchmarking:");
    snprintf(p->name, sizeof(p->name), "%s", line->count > 2 ? line->words[2] : "");
    p->of = find_named(p->name);
    if (oneccl && p->of && (p->of->blocks || p->of->kind == NADI_COMM_REDUCE_SCATTER))
        p->of = NULL;
    p->ranks = 0;
    return true;
}

/* "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]"; words may stand before the size. */
static bool begin_table(struct imb *p, const struct nadi_bench_line *line)
{
    uint32_t pure = NADI_NONE, most = NADI_NONE, only = NADI_NONE;
    if (!end_table(p))
        return false;
    p->size = NADI_NONE;
    p->columns = line->count;
    for (uint32_t i = 0; i < line->count; i++) {
        const char *word = line->words[i] + (*line->words[i] == '#');
        if (nadi_str_equal(word, "bytes"))
            p->size = i;
        else if (nadi_str_equal(word, "t_pure[usec]"))
            pure = i;
        else if (nadi_str_equal(word, "t_max[usec]"))
            most = i;
        else if (nadi_str_equal(word, "t[usec]"))
            only = i;
    }
    p->value = pure != NADI_NONE ? pure : most != NADI_NONE ? most : only;
    if (!p->of || p->size == NADI_NONE || p->value == NADI_NONE) {
        if (p->name[0])
            warn(p, line->number,
                 "collectives, and messages between two ranks or in a ring, can "
                 "be fitted",
                 p->name);
        return true;
    }
    if (p->ranks < 2 && !p->r->known->ranks)
        return nadi_bench_error(p->r, line->number, "say it: --ranks N",
                                "no line '# #processes = N' stands before the table");
    p->tables++;
    if (p->r->known->ranks && p->ranks && p->ranks != p->r->known->ranks) {
        p->other_ranks++;
        p->last_other = p->ranks;
        return true;
    }
    p->ranks = p->ranks ? p->ranks : p->r->known->ranks;
    const struct nadi_bench_facts later = {.kind = NADI_COMM_NONE};
    struct nadi_bench_table *t = nadi_bench_begin(p->r, &later, line->number);
    t->partners = p->of->partners;
    p->in_table = true;
    return true;
}

static void leave_out(struct imb *p, uint32_t line, const char *reason)
{
    struct nadi_place place = NADI_IN_FILE(p->r->path);
    place.line = line;
    nadi_bench_leave_out(p->r, line, true, reason)->told = true;
    if (p->damaged++ < SHOWN)
        nadi_warning(p->r->diags, "bench/damaged", place, "was something else printed into it?",
                     "%s; the row is left out", reason);
}

static void read_row(struct imb *p, const struct nadi_bench_line *line)
{
    double bytes, us, rounding, ignored;
    if (line->count < p->columns && strstr(line->text, "time-out")) {
        nadi_bench_leave_out(p->r, line->number, false,
                             "unfinished: the benchmark's time for this size was over");
        return;
    }
    if (line->count != p->columns || !nadi_bench_number(line->words[p->size], &bytes, &ignored) ||
        !nadi_bench_number(line->words[p->value], &us, &rounding) || bytes < 0 || us < 0) {
        leave_out(p, line->number, "the row does not have the numbers that its header names");
        return;
    }
    if (!(bytes > 0) || !(us > 0)) {
        nadi_bench_leave_out(p->r, line->number, false,
                             bytes > 0 ? "implausible: a size, time or bandwidth of 0"
                                       : "under-specified: a size of 0 bytes");
        return;
    }
    nadi_bench_add(&p->r->log->tables[p->r->log->count - 1],
                   (struct nadi_bench_row){
                       .bytes = bytes * (p->of->blocks ? p->ranks : 1),
                       .time_us = us,
                       .rounding = rounding,
                       .line = line->number,
                   });
}

/* ---- all lines ----------------------------------------------------------------------------- */

static bool is_header(const struct nadi_bench_line *line)
{
    bool repetitions = false, time = false;
    for (uint32_t i = 0; i < line->count; i++) {
        repetitions |= nadi_str_equal(line->words[i], "#repetitions");
        time |= strstr(line->words[i], "[usec]") != NULL;
    }
    return repetitions && time;
}

static bool is_title(const struct nadi_bench_line *line)
{
    return line->count > 1 && nadi_str_equal(line->words[0], "#") &&
           (nadi_str_equal(line->words[1], "Benchmarking") ||
            nadi_str_equal(line->words[1], "Benchmarking:"));
}

static bool read_line(void *context, struct nadi_bench_line *line)
{
    struct imb *p = context;
    static const char processes[] = "#processes";
    const char *count = strstr(line->text, processes);
    uint64_t ranks;
    if (is_header(line))
        return begin_table(p, line);
    if (is_title(line))
        return begin_benchmark(p, line);
    if (count) {
        count += sizeof(processes) - 1;
        count += strspn(count, " =:");
        if (nadi_str_take_u64(count, &ranks) && ranks <= MOST_RANKS)
            p->ranks = (uint32_t)ranks;
        return true;
    }
    if (*line->words[0] == '#')
        nadi_bench_comment(p->r->log, &p->facts, line->text);
    else if (p->in_table &&
             (isdigit((unsigned char)*line->words[0]) || nadi_str_equal(line->words[0], p->name)))
        read_row(p, line);
    return true;
}

static bool says_nothing(void *context, struct nadi_bench_line *line)
{
    (void)context;
    return !is_header(line);
}

bool nadi_bench_is_imb(const char *text, size_t bytes)
{
    return !nadi_bench_each_line(text, bytes, says_nothing, NULL);
}

bool nadi_bench_imb(struct nadi_bench_reader *r, const char *text, size_t bytes)
{
    struct imb p = {.r = r};
    if (nadi_bench_is_printed(text, bytes))
        return nadi_bench_error(r, 1, "put each program's output into a file of its own",
                                "tables of the Intel MPI Benchmarks and of another program are in "
                                "one file");
    bool ok = nadi_bench_each_line(text, bytes, read_line, &p);
    ok = ok && end_table(&p);
    if (ok && p.damaged > SHOWN)
        nadi_warning(r->diags, "bench/damaged", NADI_IN_FILE(r->path), NULL,
                     "%u more rows are left out", p.damaged - SHOWN);
    if (ok && p.tables > 0 && p.tables == p.other_ranks)
        ok = nadi_bench_error(r, 1, "leave --ranks out to take all tables",
                              "no table is of %u ranks; the last is of %u", r->known->ranks,
                              p.last_other);
    return ok;
}
