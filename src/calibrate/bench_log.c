#include "calibrate/bench_log.h"

#include <ctype.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/signature.h"
#include "calibrate/bench_read.h"

void nadi_bench_log_init(struct nadi_bench_log *log)
{
    *log = (struct nadi_bench_log){.tables = NULL};
    nadi_arena_init(&log->arena);
}

void nadi_bench_log_release(struct nadi_bench_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        nadi_mem_free(log->tables[i].rows);
    nadi_mem_free(log->tables);
    nadi_mem_free(log->skipped.items);
    nadi_arena_release(&log->arena);
    *log = (struct nadi_bench_log){.tables = NULL};
}

bool nadi_bench_error(struct nadi_bench_reader *r, uint32_t line, const char *hint,
                      const char *format, ...)
{
    struct nadi_str message = NADI_STR_INIT;
    struct nadi_place place = NADI_IN_FILE(r->path);
    va_list args;
    va_start(args, format);
    nadi_str_vprintf(&message, format, args);
    va_end(args);
    place.line = line;
    nadi_error(r->diags, "bench/log", place, hint, "%s", nadi_str_get(&message));
    nadi_str_release(&message);
    return false;
}

struct nadi_bench_skip *nadi_bench_leave_out(struct nadi_bench_reader *r, uint32_t line,
                                             bool unread, const char *reason)
{
    const struct nadi_bench_skip skip = {
        .path = nadi_arena_strdup(&r->log->arena, r->path),
        .reason = nadi_arena_strdup(&r->log->arena, reason),
        .line = line,
        .unread = unread,
    };
    NADI_PUSH(&r->log->skipped, skip);
    return &r->log->skipped.items[r->log->skipped.count - 1];
}

/* What was left out from `first` on and no message has said yet, a message for each reason. */
static void tell_skipped(const struct nadi_bench_reader *r, size_t first)
{
    struct nadi_bench_skip *items = r->log->skipped.items;
    for (size_t i = first; i < r->log->skipped.count; i++) {
        struct nadi_place place = NADI_IN_FILE(r->path);
        uint32_t more = 0;
        for (size_t k = i + 1; k < r->log->skipped.count && !items[i].told; k++)
            if (!items[k].told && strcmp(items[i].reason, items[k].reason) == 0) {
                items[k].told = true;
                more++;
            }
        place.line = items[i].line;
        if (items[i].told)
            continue;
        if (more)
            nadi_warning(r->diags, "bench/left-out", place, NULL,
                         "the row and %u more are left out; %s", more, items[i].reason);
        else
            nadi_warning(r->diags, "bench/left-out", place, NULL, "the row is left out; %s",
                         items[i].reason);
        items[i].told = true;
    }
}

bool nadi_bench_number(const char *text, double *value, double *rounding)
{
    const char *dot = strchr(text, '.');
    const bool scientific = strpbrk(text, "eE") != NULL;
    if (!nadi_str_to_double(text, value) || !isfinite(*value))
        return false;
    *rounding = 0;
    if (*value > 0 && !scientific)
        *rounding = 0.5 * pow(10, dot ? -(double)strlen(dot + 1) : 0) / *value;
    return true;
}

/* ---- facts --------------------------------------------------------------------------------- */

static const char *value_of(struct nadi_bench_log *log, const char *text)
{
    while (*text && isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    return nadi_arena_strndup(&log->arena, text, length);
}

/* The number that a comment's value begins with: "4", "4 (two racks)"; 0: none. */
static uint32_t whole(const char *text)
{
    uint64_t value;
    const char *end = nadi_str_take_u64(text, &value);
    return !end || isalnum((unsigned char)*end) || *end == '.' || value > 1000000 ? 0
                                                                                  : (uint32_t)value;
}

/* Programs that time every call by itself: its launch and the wait for the other ranks count. XLA
 * is built with a library of its own, where the log names none (third_party/gpus/cuda/hermetic/
 * cuda_redist_versions.bzl of openxla/xla, 2025). */
static const struct {
    const char *program, *library;
} alone[] = {{"all_reduce_bench", NULL}, {"collective_perf_table_gen", "NCCL 2.25.1"}};

void nadi_bench_note_calls(struct nadi_bench_facts *facts, const char *text)
{
    uint64_t gpus;
    for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
        if (strstr(text, alone[i].program)) {
            facts->alone = true;
            facts->library = facts->library ? facts->library : alone[i].library;
        }
    const char *option = strstr(text, "_perf") ? strstr(text, " -g ") : NULL;
    if (option && nadi_str_take_u64(option + 4, &gpus) && gpus < 1024)
        facts->launches = (uint32_t)gpus;
}

/* "GB200 NVL36": the accelerators of one fabric. */
static uint32_t domain_in(const char *text)
{
    uint64_t n;
    const char *word = strstr(text, "NVL");
    return word && nadi_str_take_u64(word + 3, &n) && n > 1 && n < 1000000 ? (uint32_t)n : 0;
}

void nadi_bench_comment(struct nadi_bench_log *log, struct nadi_bench_facts *facts,
                        const char *text)
{
    const char *colon = strchr(text, ':');
    if (!colon)
        return;
    while (*text == '#' || isspace((unsigned char)*text))
        text++;
    if (colon <= text)
        return;
    const char *value = value_of(log, colon + 1);
    nadi_bench_note_calls(facts, value);
    const size_t length = (size_t)(colon - text);
    char key[32] = "";
    if (length < sizeof(key))
        memcpy(key, text, length);
    if (nadi_str_equal(key, "collective") || nadi_str_equal(key, "launch"))
        facts->kind = facts->kind ? facts->kind : nadi_comm_kind_of(value);
    else if (nadi_str_equal(key, "hardware") || nadi_str_equal(key, "device"))
        facts->device = value;
    else if (nadi_str_equal(key, "nvlink_domain"))
        facts->domain = whole(value);
    else if (nadi_str_equal(key, "nodes"))
        facts->nodes = whole(value);
    else if (nadi_str_equal(key, "gpus_per_node"))
        facts->per_node = whole(value);
    else if (nadi_str_equal(key, "total_ranks") || nadi_str_equal(key, "ranks"))
        facts->ranks = whole(value);
    else if (nadi_str_equal(key, "nic"))
        facts->nic = value;
    else if (nadi_str_equal(key, "lib"))
        facts->library = value;
    else if (nadi_str_equal(key, "algo_proto") || nadi_str_equal(key, "algorithm"))
        facts->algorithm = value;
    else if (nadi_str_starts(key, "note") || nadi_str_equal(key, "source"))
        facts->note = facts->note ? facts->note : value;
    else if (nadi_str_equal(key, "quality") && *value >= 'A' && *value <= 'C')
        facts->quality = *value;
}

enum nadi_comm_calls nadi_bench_calls(const struct nadi_bench_table *t)
{
    /* OpenXLA's generator repeats a permutation in a loop of its own. */
    return t->alone && t->kind != NADI_COMM_SEND_RECV ? NADI_CALLS_ALONE : NADI_CALLS_QUEUED;
}

/* ---- tables -------------------------------------------------------------------------------- */

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

struct nadi_bench_table *nadi_bench_begin(struct nadi_bench_reader *r,
                                          const struct nadi_bench_facts *facts, uint32_t line)
{
    struct nadi_bench_log *log = r->log;
    const struct nadi_bench_table table = {
        .path = nadi_arena_strdup(&log->arena, r->path),
        .line = line,
        .kind = facts->kind,
        .groups = 1,
    };
    if (log->count == log->capacity)
        log->tables =
            nadi_mem_grow(log->tables, &log->capacity, log->count + 1, sizeof(*log->tables));
    log->tables[log->count] = table;
    return &log->tables[log->count++];
}

void nadi_bench_add(struct nadi_bench_table *t, struct nadi_bench_row row)
{
    if (t->count == t->capacity)
        t->rows = nadi_mem_grow(t->rows, &t->capacity, t->count + 1, sizeof(*t->rows));
    t->rows[t->count++] = row;
}

void nadi_bench_ratio_add(struct nadi_bench_ratio *ratio, double bus, double bus_rounding,
                          double algorithm, double algorithm_rounding)
{
    const double off = bus * bus_rounding, other = bus * algorithm_rounding;
    ratio->bus += bus;
    ratio->algorithm += algorithm;
    ratio->doubt += off * off + other * other;
}

static double ratio_of(const struct nadi_bench_ratio *ratio)
{
    return ratio->algorithm > 0 ? ratio->bus / ratio->algorithm : 0;
}

/* Lines that name the ranks may be left out ("..."): their numbers count, not the lines. */
static uint32_t ranks_of_facts(const struct nadi_bench_facts *f)
{
    if (f->ranks)
        return f->ranks;
    if (f->numbered > 1 && f->numbered >= f->processes)
        return f->numbered;
    if (f->nodes && f->per_node)
        return f->nodes * f->per_node;
    return f->processes;
}

/* busbw / algbw is 2 (n-1)/n of an all-reduce, (n-1)/n of others, 1 of those that tell nothing.
 * 0: the rounding leaves several numbers possible. */
static uint32_t ranks_of_ratio(enum nadi_comm_kind kind, const struct nadi_bench_ratio *ratio)
{
    const double parts = kind == NADI_COMM_ALL_REDUCE ? 2 : 1;
    const double part = ratio_of(ratio) / parts;
    if (!(part > 0.4) || !(part < 1))
        return 0;
    const double n = 1 / (1 - part), whole = round(n);
    const double doubt = sqrt(ratio->doubt) / ratio->algorithm / parts;
    const bool near = fabs(part - (1 - 1 / whole)) < 3 * doubt + 1e-5;
    return n * n * doubt < 0.25 && fabs(n - whole) < 0.25 && near ? (uint32_t)whole : 0;
}

/* Hosts are counted where every rank has its line. Where only some have, but the last one, it has
 * the last device of its host. One process is on one host. */
static uint32_t nodes_of_facts(const struct nadi_bench_facts *f, uint32_t ranks)
{
    if (f->nodes)
        return f->nodes;
    if (f->rank_lines >= ranks)
        return f->hosts;
    if (f->processes == ranks)
        return 1;
    if (f->numbered != ranks || f->devices < 2 || ranks % f->devices != 0)
        return 0;
    return ranks / f->devices >= f->hosts ? ranks / f->devices : 0;
}

/* What the bandwidths tell goes before the lines of ranks: those may be cut short, but there are
 * never more of them. */
static bool fill_ranks(struct nadi_bench_reader *r, struct nadi_bench_table *t,
                       const struct nadi_bench_facts *f, const struct nadi_bench_ratio *ratio)
{
    const uint32_t said = r->known->ranks ? r->known->ranks : t->ranks ? t->ranks : f->ranks;
    const uint32_t named = ranks_of_facts(f);
    const uint32_t told = said ? 0 : ranks_of_ratio(t->kind, ratio);
    t->ranks = said ? said : told ? told : named;
    struct nadi_place place = NADI_IN_FILE(r->path);
    place.line = t->line;
    if (told && named > told)
        return nadi_bench_error(r, t->line, "say which it is: --ranks N",
                                "busbw and algbw are of %u ranks, the log names %u", told, named);
    if (told && named > 1 && named < told)
        nadi_warning(r->diags, "bench/ranks", place, "say it if that is not so: --ranks N",
                     "busbw and algbw are of %u ranks, the log names %u; %u are taken", told, named,
                     told);
    t->nodes = r->known->nodes ? r->known->nodes
               : t->nodes      ? t->nodes
                               : nodes_of_facts(f, t->ranks);
    return true;
}

static bool fill_facts(struct nadi_bench_reader *r, struct nadi_bench_table *t,
                       const struct nadi_bench_facts *f, const struct nadi_bench_ratio *ratio)
{
    const struct nadi_bench_known *k = r->known;
    t->kind = k->kind ? k->kind : t->kind ? t->kind : f->kind;
    if (!t->kind && ratio_of(ratio) > 1.01) /* no other collective moves more than its size */
        t->kind = NADI_COMM_ALL_REDUCE;
    if (!t->kind && ranks_of_ratio(f->by_columns, ratio))
        t->kind = f->by_columns;
    if (!t->kind) /* "all_gather.log" */
        t->kind = nadi_comm_kind_of(nadi_file_name(t->path));
    t->device = k->device ? nadi_arena_strdup(&r->log->arena, k->device)
                          : or_empty(t->device ? t->device : f->device);
    t->library = or_empty(f->library);
    t->nic = or_empty(f->nic);
    t->algorithm = or_empty(t->algorithm ? t->algorithm : f->algorithm);
    t->note = or_empty(f->note);
    t->quality = f->quality;
    t->domain = r->known->domain ? r->known->domain : f->domain ? f->domain : domain_in(t->device);
    t->launches = f->launches;
    t->alone = f->alone;
    return fill_ranks(r, t, f, ratio);
}

/* An all-reduce of two moves its size, of more up to twice as much; all others less. */
static bool ratio_fits(enum nadi_comm_kind kind, const struct nadi_bench_ratio *ratio)
{
    const double value = ratio_of(ratio);
    if (!(value > 0))
        return true;
    return kind == NADI_COMM_ALL_REDUCE ? value > 0.99 && value < 2.01 : value < 1.01;
}

/* What no model can be told is refused, or its rows are left out. */
static bool check_algorithm(struct nadi_bench_reader *r, struct nadi_bench_table *t)
{
    enum nadi_comm_algorithm algorithm;
    const char *why = nadi_bench_algorithm_of(t->algorithm, t->kind, &algorithm);
    if (!why)
        return true;
    if (!r->known->keep_going)
        return nadi_bench_error(r, t->line, NULL, "algorithm '%.60s': %s", t->algorithm, why);
    why =
        nadi_arena_printf(&r->log->arena, "unsupported: algorithm '%.60s': %s", t->algorithm, why);
    for (size_t i = 0; i < t->count; i++)
        nadi_bench_leave_out(r, t->rows[i].line, false, why);
    t->count = 0;
    return true;
}

bool nadi_bench_end(struct nadi_bench_reader *r, const struct nadi_bench_facts *facts,
                    const struct nadi_bench_ratio *ratio)
{
    struct nadi_bench_table *t = &r->log->tables[r->log->count - 1];
    if (t->count == 0) {
        nadi_mem_free(t->rows);
        r->log->count--;
        return true;
    }
    if (!fill_facts(r, t, facts, ratio))
        return false;
    if (!t->kind)
        return nadi_bench_error(r, t->line,
                                "say it: --kind all-gather, for example, or in the file's name",
                                "the table does not say which collective it is of");
    if (!r->known->kind && !ratio_fits(t->kind, ratio))
        return nadi_bench_error(r, t->line, "say which collective it is: --kind NAME",
                                "busbw is %.3f times algbw, which no %s has", ratio_of(ratio),
                                nadi_comm_kind_name(t->kind));
    if (t->ranks < 2 && facts->rank_lines == 1 && facts->numbered == 1)
        return nadi_bench_error(r, t->line, "say it if there were more: --ranks N",
                                "the log names one rank, which communicates with no other");
    if (t->ranks < 2)
        return nadi_bench_error(r, t->line, "say it: --ranks N",
                                "the table does not say how many ranks took part");
    if (t->nodes > t->ranks || (t->nodes && t->ranks % t->nodes != 0))
        return nadi_bench_error(r, t->line, "say it: --nodes N",
                                "%u ranks cannot be spread evenly over %u nodes", t->ranks,
                                t->nodes);
    return check_algorithm(r, t);
}

/* Tables of which every row was left out are none. */
static void drop_empty(struct nadi_bench_log *log, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < log->count; i++)
        if (log->tables[i].count)
            log->tables[kept++] = log->tables[i];
        else
            nadi_mem_free(log->tables[i].rows);
    log->count = kept;
}

/* ---- forms --------------------------------------------------------------------------------- */

/* "Size (bytes),Time (us)": a size and a measured value among the words. */
static bool names_columns(const char *at, const char *stop)
{
    static const char *const sizes[] = {"size", "bytes", "payload"};
    static const char *const values[] = {"time", "latency", "bw", "bandwidth"};
    char line[256];
    bool size = false, value = false;
    size_t n = 0;
    for (; at < stop && n + 1 < sizeof(line); at++)
        line[n++] = (char)tolower((unsigned char)*at);
    line[n] = '\0';
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        size |= strstr(line, sizes[i]) != NULL;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        value |= strstr(line, values[i]) != NULL;
    return size && value;
}

/* What separates the fields of a header that names a size and what was measured; the first line
 * that is neither empty nor a comment. 0: it is none. */
static char separator_of(const char *text, size_t bytes)
{
    static const char separators[] = {',', ';', '\t'};
    for (const char *at = text, *end = text + bytes; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        while (at < stop && isspace((unsigned char)*at))
            at++;
        if (at == stop || *at == '#') {
            at = stop + 1;
            continue;
        }
        const bool quoted = *at == '"';
        if (!quoted && !isalpha((unsigned char)*at))
            return 0;
        for (size_t i = 0; i < sizeof(separators); i++) {
            const char *first = memchr(at, separators[i], (size_t)(stop - at));
            const char *blank = memchr(at, ' ', (size_t)(stop - at));
            if (first && (quoted || !blank || first < blank || names_columns(at, stop)))
                return separators[i];
        }
        return 0;
    }
    return 0;
}

/* A copy with commas between the fields. */
static bool parse_csv(struct nadi_bench_reader *r, const char *text, size_t bytes, char separator)
{
    if (separator == ',')
        return nadi_bench_csv(r, text, bytes);
    char *copy = nadi_mem_alloc(bytes, 1);
    bool quoted = false;
    for (size_t i = 0; i < bytes; i++) {
        quoted ^= text[i] == '"';
        copy[i] = !quoted && text[i] == separator ? ',' : text[i];
    }
    const bool ok = nadi_bench_csv(r, copy, bytes);
    nadi_mem_free(copy);
    return ok;
}

/* Nothing was read: what is it? */
static bool refuse(struct nadi_bench_reader *r, const char *text, size_t bytes)
{
    int shown = 0;
    if (!nadi_signature_check(r->path, "benchmark log", text, bytes, r->diags))
        return false;
    while ((size_t)shown < bytes && shown < 60 && text[shown] != '\n')
        shown++;
    return nadi_bench_error(r, 1,
                            "known are the output of nccl-tests, rccl-tests, the OSU benchmarks, "
                            "the Intel MPI Benchmarks and oneCCL's benchmark, and CSV with a size "
                            "and a time",
                            "no table of a benchmark is in it; it begins with '%.*s'", shown, text);
}

bool nadi_bench_log_parse(struct nadi_bench_log *log, const char *path, const char *text,
                          size_t bytes, const struct nadi_bench_known *known,
                          struct nadi_diags *diags)
{
    static const struct nadi_bench_known nothing = {0};
    struct nadi_bench_reader r = {
        .log = log, .path = path, .known = known ? known : &nothing, .diags = diags};
    const size_t before = log->count, skipped = log->skipped.count;
    size_t blank = 0;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        text += 3;
        bytes -= 3;
    }
    while (blank < bytes && isspace((unsigned char)text[blank]))
        blank++;
    if (blank == bytes)
        return nadi_bench_error(&r, 1, "was the benchmark's output redirected to it?",
                                "the log is empty");
    if (memchr(text, '\0', bytes))
        return nadi_signature_check(path, "benchmark log", text, bytes, diags) &&
               nadi_bench_error(&r, 1, "is it compressed? Decompress it first",
                                "the log is not text");
    const bool imb = nadi_bench_is_imb(text, bytes);
    const char separator =
        imb || nadi_bench_is_printed(text, bytes) ? 0 : separator_of(text, bytes);
    const bool ok = imb         ? nadi_bench_imb(&r, text, bytes)
                    : separator ? parse_csv(&r, text, bytes, separator)
                                : nadi_bench_printed(&r, text, bytes);
    if (ok)
        drop_empty(log, before);
    if (ok && !r.known->keep_going)
        tell_skipped(&r, skipped);
    if (!ok || log->count > before || (r.known->keep_going && log->skipped.count > skipped))
        return ok;
    return refuse(&r, text + blank, bytes - blank);
}

bool nadi_bench_log_read(struct nadi_bench_log *log, const char *path,
                         const struct nadi_bench_known *known, struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    if (!nadi_file_read(path, "benchmark log", &text, &bytes, diags))
        return false;
    const bool ok = nadi_bench_log_parse(log, path, text, bytes, known, diags);
    nadi_mem_free(text);
    return ok;
}
