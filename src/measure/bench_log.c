#include "measure/bench_log.h"

#include <ctype.h>
#include <math.h>

#include "base/file.h"
#include "base/mem.h"
#include "measure/bench_read.h"

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

void nadi_bench_words(struct nadi_bench_line *line)
{
    char *at = line->copy;
    line->count = 0;
    while (line->count < NADI_BENCH_WORDS) {
        while (*at && isspace((unsigned char)*at))
            *at++ = '\0';
        if (!*at)
            return;
        line->words[line->count++] = at;
        while (*at && !isspace((unsigned char)*at))
            at++;
    }
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
    const size_t length = (size_t)(colon - text);
    char key[32] = "";
    if (length < sizeof(key))
        memcpy(key, text, length);
    if (nadi_str_equal(key, "collective") || nadi_str_equal(key, "launch"))
        facts->kind = facts->kind ? facts->kind : nadi_comm_kind_of(value);
    else if (nadi_str_equal(key, "hardware") || nadi_str_equal(key, "device"))
        facts->device = value;
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
    else if (nadi_str_equal(key, "algo_proto"))
        facts->algorithm = value;
    else if (nadi_str_starts(key, "note") || nadi_str_equal(key, "source"))
        facts->note = facts->note ? facts->note : value;
    else if (nadi_str_equal(key, "quality") && *value >= 'A' && *value <= 'C')
        facts->quality = *value;
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

static uint32_t ranks_of_facts(const struct nadi_bench_facts *f)
{
    if (f->ranks)
        return f->ranks;
    if (f->rank_lines > 1 && f->rank_lines >= f->processes)
        return f->rank_lines;
    if (f->nodes && f->per_node)
        return f->nodes * f->per_node;
    return f->processes;
}

/* busbw / algbw is 2 (n-1)/n of an all-reduce, (n-1)/n of others. */
static uint32_t ranks_of_ratio(enum nadi_comm_kind kind, double ratio)
{
    const double part = kind == NADI_COMM_ALL_REDUCE ? ratio / 2 : ratio;
    if (!(part > 0.4) || !(part < 0.9995))
        return 0;
    const double n = 1 / (1 - part);
    return fabs(n - round(n)) < 0.02 * n && n < 200 ? (uint32_t)round(n) : 0;
}

static void fill_facts(struct nadi_bench_reader *r, struct nadi_bench_table *t,
                       const struct nadi_bench_facts *f, double ratio)
{
    const struct nadi_bench_known *k = r->known;
    t->kind = k->kind ? k->kind : t->kind ? t->kind : f->kind;
    if (!t->kind && ratio > 1.01) /* no other collective moves more than its size */
        t->kind = NADI_COMM_ALL_REDUCE;
    if (!t->kind) { /* "all_gather.log" */
        const char *slash = strrchr(t->path, '/');
        t->kind = nadi_comm_kind_of(slash ? slash + 1 : t->path);
    }
    t->ranks = k->ranks ? k->ranks : t->ranks ? t->ranks : ranks_of_facts(f);
    if (!t->ranks && ratio > 0)
        t->ranks = ranks_of_ratio(t->kind, ratio);
    t->nodes = k->nodes ? k->nodes : t->nodes ? t->nodes : f->nodes ? f->nodes : f->hosts;
    t->device = k->device ? nadi_arena_strdup(&r->log->arena, k->device)
                          : or_empty(t->device ? t->device : f->device);
    t->library = or_empty(f->library);
    t->nic = or_empty(f->nic);
    t->algorithm = or_empty(t->algorithm ? t->algorithm : f->algorithm);
    t->note = or_empty(f->note);
    t->quality = f->quality;
}

bool nadi_bench_end(struct nadi_bench_reader *r, const struct nadi_bench_facts *facts,
                    double bus_ratio)
{
    struct nadi_bench_table *t = &r->log->tables[r->log->count - 1];
    if (t->count == 0) {
        nadi_mem_free(t->rows);
        r->log->count--;
        return true;
    }
    fill_facts(r, t, facts, bus_ratio);
    if (!t->kind)
        return nadi_bench_error(r, t->line,
                                "say it: --kind all-gather, for example, or in the file's name",
                                "the table does not say which collective it is of");
    if (t->ranks < 2)
        return nadi_bench_error(r, t->line, "say it: --ranks N",
                                "the table does not say how many ranks took part");
    if (t->nodes > t->ranks || (t->nodes && t->ranks % t->nodes != 0))
        return nadi_bench_error(r, t->line, "say it: --nodes N",
                                "%u ranks cannot be spread evenly over %u nodes", t->ranks,
                                t->nodes);
    return true;
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

bool nadi_bench_log_parse(struct nadi_bench_log *log, const char *path, const char *text,
                          size_t bytes, const struct nadi_bench_known *known,
                          struct nadi_diags *diags)
{
    static const struct nadi_bench_known nothing = {0};
    struct nadi_bench_reader r = {
        .log = log, .path = path, .known = known ? known : &nothing, .diags = diags};
    const size_t before = log->count;
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
        return nadi_bench_error(&r, 1, "is it compressed? Decompress it first",
                                "the log is not text");
    const char separator = separator_of(text, bytes);
    const bool ok =
        separator ? parse_csv(&r, text, bytes, separator) : nadi_bench_printed(&r, text, bytes);
    if (!ok || log->count > before)
        return ok;
    int shown = 0;
    while (blank + (size_t)shown < bytes && shown < 60 && text[blank + (size_t)shown] != '\n')
        shown++;
    return nadi_bench_error(&r, 1,
                            "known are the output of nccl-tests, rccl-tests and the OSU "
                            "benchmarks, and CSV with a size and a time",
                            "no table of a benchmark is in it; it begins with '%.*s'", shown,
                            text + blank);
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
