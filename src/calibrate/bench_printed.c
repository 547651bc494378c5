/* bench_printed: the output of nccl-tests, rccl-tests and the OSU micro-benchmarks as printed. */
#include <ctype.h>
#include <math.h>

#include "base/mem.h"
#include "calibrate/bench_read.h"

/* The OSU bandwidth tests keep 64 messages under way, so that small ones say nothing of a
 * message's time. */
#define OSU_WINDOW_LEAST 262144.0

enum { MOST_RANKS = 10000000, SHOWN = 5 };
enum column { NOTHING, SIZE, REDUCTION, ROOT, TIME, ALGORITHM_BANDWIDTH, BUS_BANDWIDTH, WRONG };

struct printed {
    struct nadi_bench_reader *r;
    struct nadi_bench_facts facts;
    struct nadi_bench_facts above; /* of comments above the first program: they hold for all */
    struct nadi_bench_facts said;  /* those and of comments since, for the next program */
    bool in_program, had_program;
    bool in_table, osu, osu_bandwidth, osu_other;
    bool own;                           /* of `nadi collective bench` */
    bool summed_up;                     /* the table's last rows are over: "# Avg bus bandwidth" */
    uint32_t left_out, left_out_before; /* rows of the log; when the table began */
    double time_unit_us;
    uint8_t columns[NADI_BENCH_WORDS]; /* enum column */
    uint32_t count, measured;          /* columns in all; index of the first measured one */
    bool only_in_place;
    struct nadi_bench_ratio ratio;
    bool reduces, copies, checked, checked_in_place; /* rows say so: "sum", "none", #wrong */
    bool all_roots;                                  /* a row's root is -1: every rank is one */
    double unit_sum; /* ln of the time that a bandwidth means over the time in the column */
    uint32_t unit_count;
    double osu_directions;
    uint32_t osu_column;
    enum nadi_comm_partners osu_partners;
    const char **hosts;
    size_t host_count, host_capacity;
};

static bool is_whole(const char *word)
{
    if (!*word)
        return false;
    for (; *word; word++)
        if (!isdigit((unsigned char)*word))
            return false;
    return true;
}

static void lower(const char *word, char *out, size_t capacity)
{
    size_t length = 0;
    for (; *word && length + 1 < capacity; word++)
        out[length++] = (char)tolower((unsigned char)*word);
    out[length] = '\0';
}

/* "time", "time(us)", "time:avg(us)" */
static enum column column_of(const char *word)
{
    char name[32];
    lower(word, name, sizeof(name));
    if (name[0] && strchr("abst", name[0]))
        name[strcspn(name, nadi_str_starts(name, "time:avg") ? ":" : "(")] = '\0';
    if (nadi_str_equal(name, "size") || nadi_str_equal(name, "bytes"))
        return SIZE;
    if (nadi_str_equal(name, "redop"))
        return REDUCTION;
    if (nadi_str_equal(name, "root"))
        return ROOT;
    if (nadi_str_equal(name, "time"))
        return TIME;
    if (nadi_str_equal(name, "algbw"))
        return ALGORITHM_BANDWIDTH;
    if (nadi_str_equal(name, "busbw"))
        return BUS_BANDWIDTH;
    if (nadi_str_equal(name, "#wrong") || nadi_str_equal(name, "wrong"))
        return WRONG;
    return NOTHING;
}

/* ---- lines about the ranks ------------------------------------------------------------------- */

static void note_host(struct printed *p, const char *host)
{
    for (size_t i = 0; i < p->host_count; i++)
        if (strcmp(p->hosts[i], host) == 0)
            return;
    if (p->host_count == p->host_capacity)
        p->hosts = nadi_mem_grow(p->hosts, &p->host_capacity, p->host_count + 1, sizeof(*p->hosts));
    p->hosts[p->host_count++] = nadi_arena_strdup(&p->r->log->arena, host);
    p->facts.hosts = (uint32_t)p->host_count;
}

/* "#  Rank  0 Group  0 Pid  123 on  node1 device  0 [0x07] NVIDIA A100-SXM4-40GB" */
static bool is_rank(const struct nadi_bench_line *line)
{
    const uint32_t at = nadi_str_equal(line->words[0], "#") ? 1 : 0;
    return line->count >= at + 4 && nadi_str_equal(line->words[at], "Rank") &&
           is_whole(line->words[at + 1]);
}

static void note_rank(struct printed *p, const struct nadi_bench_line *line)
{
    const uint32_t at = nadi_str_equal(line->words[0], "#") ? 1 : 0;
    uint32_t n;
    p->facts.rank_lines++;
    if (nadi_str_to_u32(line->words[at + 1], MOST_RANKS, &n))
        p->facts.numbered = n < p->facts.numbered ? p->facts.numbered : n + 1;
    for (uint32_t i = at + 2; i + 1 < line->count; i++) {
        if (nadi_str_equal(line->words[i], "on"))
            note_host(p, line->words[i + 1]);
        if (nadi_str_equal(line->words[i], "device") &&
            nadi_str_to_u32(line->words[i + 1], MOST_RANKS, &n))
            p->facts.devices = n < p->facts.devices ? p->facts.devices : n + 1;
    }
    const char *bracket = strchr(line->text, ']');
    if (bracket && !p->facts.device) {
        bracket++;
        while (isspace((unsigned char)*bracket))
            bracket++;
        size_t length = strcspn(bracket, "\r\n");
        if (length)
            p->facts.device = nadi_arena_strndup(&p->r->log->arena, bracket, length);
    }
}

/* A program begins: what comments above it say holds, what was of the one before does not. */
static void begin_program(struct printed *p, enum nadi_comm_kind kind)
{
    if (!p->had_program)
        p->above = p->said;
    p->facts = p->said;
    p->facts.kind = kind;
    p->said = p->above;
    p->in_program = p->had_program = true;
}

/* "# nThread 1 nGpus 8 minBytes ..." begins the output of one program. */
static void note_program(struct printed *p, const struct nadi_bench_line *line)
{
    uint32_t threads = 1, gpus = 0;
    for (uint32_t i = 0; i + 1 < line->count; i++) {
        const char *word = line->words[i];
        word += *word == '#';
        uint32_t value;
        const bool known = nadi_str_to_u32(line->words[i + 1], 1024, &value);
        if (nadi_str_equal(word, "nThread") || nadi_str_equal(word, "nThreads:"))
            threads = known ? value : 1;
        else if (nadi_str_equal(word, "nGpus") || nadi_str_equal(word, "nGpus:"))
            gpus = known ? value : 0;
    }
    if (!gpus)
        return;
    begin_program(p, p->facts.kind);
    p->facts.processes = threads * gpus;
    p->facts.launches = gpus;
    p->host_count = 0;
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Old versions print ms and say so nowhere: the bandwidths do. */
static void correct_unit(const struct printed *p, struct nadi_bench_table *t)
{
    const double off = p->unit_count ? exp(p->unit_sum / p->unit_count) : 1;
    for (size_t i = 0; off > 300 && off < 3000 && i < t->count; i++)
        t->rows[i].time_us *= 1000;
}

/* What moves its size and reduces without a root is an all-reduce of two. Of those that move less:
 * one reduces; the values of an all-gather are looked at in place too, those of an all-to-all,
 * which has no place to be in, never. */
static enum nadi_comm_kind kind_of_columns(const struct printed *p)
{
    if (p->reduces == p->copies)
        return NADI_COMM_NONE;
    if (!(p->ratio.bus < 0.9995 * p->ratio.algorithm))
        return p->reduces && p->all_roots ? NADI_COMM_ALL_REDUCE : NADI_COMM_NONE;
    if (p->reduces)
        return NADI_COMM_REDUCE_SCATTER;
    return !p->checked           ? NADI_COMM_NONE
           : p->checked_in_place ? NADI_COMM_ALL_GATHER
                                 : NADI_COMM_ALL_TO_ALL;
}

static bool end_table(struct printed *p)
{
    const bool was = p->in_table;
    p->in_table = false;
    p->summed_up = false;
    if (!was)
        return true;
    p->in_program = false;
    struct nadi_bench_table *t = &p->r->log->tables[p->r->log->count - 1];
    if (t->count == 0 && p->left_out > p->left_out_before)
        return nadi_bench_error(p->r, t->line, "was the log damaged or cut off here?",
                                "the table has no row that can be read");
    correct_unit(p, t);
    p->facts.by_columns = kind_of_columns(p);
    return nadi_bench_end(p->r, &p->facts, &p->ratio);
}

/* Ranks behind the sums of a table are those of the next program, whose first line was cut. */
static bool begin_ranks(struct printed *p)
{
    if (!p->summed_up)
        return true;
    if (!end_table(p))
        return false;
    begin_program(p, p->facts.kind);
    p->host_count = 0;
    return true;
}

static bool begin_table(struct printed *p, uint32_t line)
{
    if (!end_table(p))
        return false;
    const struct nadi_bench_facts later = {.kind = NADI_COMM_NONE};
    nadi_bench_begin(p->r, &later, line);
    p->in_table = true;
    p->time_unit_us = 1;
    p->left_out_before = p->left_out;
    p->reduces = p->copies = p->checked = p->checked_in_place = p->all_roots = false;
    p->ratio = (struct nadi_bench_ratio){0};
    p->unit_sum = 0;
    p->unit_count = 0;
    return true;
}

/* A program's name after the sums of a table belongs to the next one. */
static bool note_rest(struct printed *p, const struct nadi_bench_line *line)
{
    const char *perf = strstr(line->text, "_perf");
    if (perf && p->summed_up && !strstr(line->text, "concluded") && !end_table(p))
        return false;
    if (perf) {
        const char *from = perf;
        while (from > line->text && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
            from--;
        char name[64] = "";
        if ((size_t)(perf - from) < sizeof(name))
            memcpy(name, from, (size_t)(perf - from));
        const enum nadi_comm_kind kind = nadi_comm_kind_of(name);
        p->facts.kind = kind ? kind : p->facts.kind;
    }
    const char *version = strstr(line->text, "CL version");
    if (version && version > line->text + 1 && !p->facts.library)
        p->facts.library =
            nadi_arena_strndup(&p->r->log->arena, version - 2, strcspn(version - 2, "\r\n"));
    nadi_bench_comment(p->r->log, &p->facts, line->text);
    if (!p->in_program || p->summed_up)
        nadi_bench_comment(p->r->log, &p->said, line->text);
    return true;
}

/* "#  size  count  type  redop  root  time  algbw  busbw #wrong  time ..."; it ends with what was
 * measured, or one word behind. A sentence that speaks of sizes and times is none. */
static bool is_header(const struct nadi_bench_line *line)
{
    bool size = false;
    uint32_t measured = NADI_NONE;
    for (uint32_t i = 0; i < line->count; i++) {
        const char *word = line->words[i];
        const enum column c = column_of(word + (i == 0 && word[0] == '#' && word[1] != 'w'));
        size |= c == SIZE;
        if (c == WRONG ? measured != NADI_NONE : c >= TIME)
            measured = i;
    }
    return size && measured != NADI_NONE && measured + 2 >= line->count;
}

static bool read_header(struct printed *p, const struct nadi_bench_line *line)
{
    p->osu = false;
    p->count = 0;
    p->measured = NADI_NONE;
    for (uint32_t i = 0; i < line->count; i++) {
        const char *word = line->words[i];
        if (i == 0 && *word == '#' && !*++word)
            continue;
        const enum column c = column_of(word);
        if (p->measured == NADI_NONE && c >= TIME)
            p->measured = p->count;
        p->columns[p->count++] = (uint8_t)c;
    }
    return begin_table(p, line->number);
}

/* A line among the rows that is none, or no longer: messages of the library were written into it.
 */
static void leave_out(struct printed *p, const struct nadi_bench_line *line, const char *reason)
{
    struct nadi_place place = NADI_IN_FILE(p->r->path);
    place.line = line->number;
    nadi_bench_leave_out(p->r, line->number, true, reason)->told = true;
    if (p->left_out++ < SHOWN)
        nadi_warning(p->r->diags, "bench/damaged", place, "was something else printed into it?",
                     "%s; the row is left out", reason);
}

/* A number that the benchmark printed; "N/A" and "-" are none and no fault either. */
static bool read_value(const char *word, double *value, double *rounding)
{
    *value = 0;
    *rounding = 0;
    if (nadi_bench_number(word, value, rounding) && *value >= 0)
        return true;
    *value = 0;
    return nadi_str_equal(word, "N/A") || nadi_str_equal(word, "-") || nadi_str_equal(word, "n/a");
}

struct measured { /* one group of columns: out of place or in place */
    double time, algorithm, bus, wrong;
    double rounding[4];
    bool checked; /* the values were looked at */
};

static void add_measured(struct printed *p, const struct nadi_bench_line *line, double bytes,
                         const struct measured *m, bool in_place)
{
    struct nadi_bench_table *t = &p->r->log->tables[p->r->log->count - 1];
    struct nadi_bench_row row = {
        .bytes = bytes, .in_place = in_place, .line = line->number, .rounding = m->rounding[0]};
    row.time_us = m->time * p->time_unit_us;
    if (!(row.time_us > 0) && m->algorithm > 0) {
        row.time_us = bytes / m->algorithm / 1e3;
        row.rounding = m->rounding[1];
    }
    if (m->wrong >= 1) {
        struct nadi_place place = NADI_IN_FILE(p->r->path);
        place.line = line->number;
        nadi_warning(p->r->diags, "bench/wrong", place, "look at the machine before it is fitted",
                     "the benchmark found %.0f wrong values in %.0f B; the row is left out",
                     m->wrong, bytes);
        nadi_bench_leave_out(p->r, line->number, false,
                             "implausible: the benchmark found wrong values")
            ->told = true;
        return;
    }
    if (m->algorithm > 1 && m->bus > 1)
        nadi_bench_ratio_add(&p->ratio, m->bus, m->rounding[2], m->algorithm, m->rounding[1]);
    if (m->algorithm > 0.5 && row.time_us > 0 && bytes > 0) {
        p->unit_sum += log(bytes / m->algorithm / 1e3 / row.time_us);
        p->unit_count++;
    }
    if (bytes > 0 && row.time_us > 0)
        nadi_bench_add(t, row);
    else
        nadi_bench_leave_out(p->r, line->number, false,
                             bytes > 0 ? "implausible: a time or bandwidth of 0"
                                       : "under-specified: a size of 0 bytes");
}

/* What a group of columns says once, says it twice: the time is the size over the bandwidth. Old
 * versions print ms, and the bandwidth of what a rank sends; what is off by more is damaged. */
static bool agrees(const struct measured *m, double bytes)
{
    if (!(m->algorithm > 0.5) || !(m->time > 0) || !(bytes > 0))
        return true;
    const double off = bytes / m->algorithm / 1e3 / m->time;
    return (off > 0.4 && off < 1.25) || (off > 400 && off < 1250);
}

/* The groups of columns of a row; 0: a value is no number, or they contradict each other. */
static uint32_t read_groups(const struct printed *p, const struct nadi_bench_line *line,
                            double bytes, struct measured *groups)
{
    const uint32_t measured = p->count - p->measured;
    uint32_t count = 0;
    groups[0] = (struct measured){0};
    for (uint32_t i = 0; i < measured; i++) {
        const enum column c = (enum column)p->columns[p->measured + i];
        const char *word = line->words[line->count - measured + i];
        double rounding;
        if (i > 0 && c == (enum column)p->columns[p->measured])
            groups[++count] = (struct measured){0};
        struct measured *m = &groups[count];
        double *const values[] = {NULL,     NULL,          NULL,    NULL,
                                  &m->time, &m->algorithm, &m->bus, &m->wrong};
        if (c < TIME)
            continue;
        if (!read_value(word, values[c], &rounding))
            return 0;
        m->checked |= c == WRONG && isdigit((unsigned char)*word);
        if (c != WRONG)
            m->rounding[c - TIME] = rounding;
    }
    for (uint32_t g = 0; g <= count; g++)
        if (!agrees(&groups[g], bytes))
            return 0;
    return count + 1;
}

/* Columns up to the first measured one stand on the left, the others on the right: old versions
 * leave the word of a reduction or a root empty. */
static void read_row(struct printed *p, const struct nadi_bench_line *line)
{
    const uint32_t measured = p->count - p->measured;
    struct measured groups[NADI_BENCH_WORDS];
    uint32_t least = 1; /* the size and what stands before it is in every row */
    for (uint32_t i = 0; i < p->measured; i++)
        if (p->columns[i] == SIZE)
            least = i + 1;
    if (line->count < measured + least || line->count > p->count) {
        char text[96];
        snprintf(text, sizeof(text), "the row has %u values, its header has %u columns",
                 line->count, p->count);
        leave_out(p, line, text);
        return;
    }
    double bytes = 0, rounding;
    bool whole = true;
    for (uint32_t i = 0; i < p->measured; i++)
        if (p->columns[i] == SIZE)
            whole &= read_value(line->words[i], &bytes, &rounding);
    const uint32_t count = whole ? read_groups(p, line, bytes, groups) : 0;
    if (count == 0)
        leave_out(p, line, "its values are no numbers, or contradict each other");
    for (uint32_t i = 0; count && line->count == p->count && i < p->measured; i++)
        if (p->columns[i] == REDUCTION) {
            p->copies |= nadi_str_equal(line->words[i], "none");
            p->reduces |= !nadi_str_equal(line->words[i], "none");
        } else if (p->columns[i] == ROOT) {
            p->all_roots |= nadi_str_equal(line->words[i], "-1");
        }
    for (uint32_t g = 0; g < count; g++) {
        const bool in_place = g > 0 || p->only_in_place;
        p->checked |= groups[g].checked && !in_place;
        p->checked_in_place |= groups[g].checked && in_place;
        add_measured(p, line, bytes, &groups[g], in_place);
    }
}

/* ---- OSU --------------------------------------------------------------------------------------
 */

/* "# OSU MPI Allreduce Latency Test v5.6.2"; "# OSU MPI-CUDA Bandwidth Test" is two ranks. */
static void note_osu(struct printed *p, const struct nadi_bench_line *line)
{
    const char *title = strstr(line->text, "# OSU");
    const enum nadi_comm_kind kind = nadi_comm_kind_of(title);
    p->osu = true;
    p->osu_other = nadi_bench_is_other_osu(title);
    if (p->osu_other) {
        struct nadi_place place = NADI_IN_FILE(p->r->path);
        place.line = line->number;
        nadi_warning(p->r->diags, "bench/other", place,
                     "collectives, and messages between two ranks, can be fitted",
                     "'%.60s' is left out", title + 2);
    }
    p->osu_directions = strstr(line->text, "Bi-Dir") ? 2 : 1;
    p->osu_partners = kind                      ? NADI_PARTNERS_RING
                      : p->osu_directions > 1.5 ? NADI_PARTNERS_PAIRS
                                                : NADI_PARTNERS_ONE_WAY;
    begin_program(p, kind ? kind : NADI_COMM_SEND_RECV);
    if (!kind)
        p->facts.ranks = 2;
}

static bool begin_osu(struct printed *p, const struct nadi_bench_line *line)
{
    char text[256];
    lower(line->text, text, sizeof(text));
    p->osu_bandwidth = strstr(text, "bandwidth") != NULL;
    if (p->osu_other || (!p->osu_bandwidth && !strstr(text, "latency") && !strstr(text, "(us)")))
        return true;
    if (!begin_table(p, line->number))
        return false;
    p->osu_column = nadi_bench_osu_column(line->text);
    p->r->log->tables[p->r->log->count - 1].partners = p->osu_partners;
    return true;
}

/* Sizes of some benchmarks are of one block; comm.h counts the larger buffer. */
static double osu_blocks(const struct printed *p)
{
    const uint32_t ranks = p->r->known->ranks ? p->r->known->ranks : p->facts.ranks;
    switch (p->facts.kind) {
    case NADI_COMM_ALL_GATHER:
    case NADI_COMM_ALL_TO_ALL:
    case NADI_COMM_GATHER:
    case NADI_COMM_SCATTER:
        return ranks > 1 ? ranks : 1;
    case NADI_COMM_NONE:
    case NADI_COMM_ALL_REDUCE:
    case NADI_COMM_REDUCE_SCATTER:
    case NADI_COMM_BROADCAST:
    case NADI_COMM_REDUCE:
    case NADI_COMM_SEND_RECV:
    case NADI_COMM_KINDS:
        break;
    }
    return 1;
}

static void read_osu_row(struct printed *p, const struct nadi_bench_line *line)
{
    double bytes, value, rounding, ignored;
    if (line->count <= p->osu_column || !read_value(line->words[0], &bytes, &ignored) ||
        !read_value(line->words[p->osu_column], &value, &rounding)) {
        leave_out(p, line, "the row has no size and time");
        return;
    }
    if (!(bytes > 0) || !(value > 0) || (p->osu_bandwidth && bytes < OSU_WINDOW_LEAST)) {
        nadi_bench_leave_out(p->r, line->number, false,
                             bytes > 0 && value > 0
                                 ? "unsupported: a bandwidth of many small messages at once"
                                 : "implausible: a size, time or bandwidth of 0");
        return;
    }
    bytes *= osu_blocks(p);
    nadi_bench_add(&p->r->log->tables[p->r->log->count - 1],
                   (struct nadi_bench_row){
                       .bytes = bytes,
                       .time_us = p->osu_bandwidth /* MB/s: B/us */
                                      ? bytes * p->osu_directions / value
                                      : value,
                       .rounding = rounding,
                       .line = line->number,
                   });
}

/* ---- all lines ----------------------------------------------------------------------------- */

static bool read_line(void *context, struct nadi_bench_line *line)
{
    struct printed *p = context;
    const char *first = line->words[0];
    if (nadi_bench_is_own(line->text) || (p->own && nadi_bench_is_own_title(line->text))) {
        if (!end_table(p))
            return false;
        if (nadi_bench_is_own(line->text))
            begin_program(p, NADI_COMM_NONE);
        p->own = true;
        nadi_bench_own(p->r->log, &p->facts, line->text);
        return true;
    }
    if (strstr(line->text, "# OSU")) {
        if (!end_table(p))
            return false;
        note_osu(p, line);
        return true;
    }
    if (p->osu && strstr(line->text, "Size"))
        return begin_osu(p, line);
    if (is_header(line))
        return read_header(p, line);
    if (p->in_table && !p->summed_up && is_whole(first)) {
        if (p->osu)
            read_osu_row(p, line);
        else
            read_row(p, line);
        return true;
    }
    p->summed_up |= p->in_table && strstr(line->text, "Avg bus bandwidth");
    if (p->in_table && strstr(line->text, "(ms)"))
        p->time_unit_us = 1000;
    if (strstr(line->text, "in-place"))
        p->only_in_place = !strstr(line->text, "out-of-place");
    if (strstr(line->text, "nGpus")) {
        if (!end_table(p))
            return false;
        note_program(p, line);
    }
    if (strstr(line->text, "Rank") && is_rank(line))
        return begin_ranks(p) && (note_rank(p, line), true);
    if (!note_rest(p, line))
        return false;
    if (!strstr(line->text, "Collective test concluded"))
        return true;
    const bool ok = end_table(p);
    p->facts.kind = NADI_COMM_NONE;
    return ok;
}

static bool says_nothing(void *context, struct nadi_bench_line *line)
{
    (void)context;
    return !strstr(line->text, "# OSU") && !is_header(line);
}

bool nadi_bench_is_printed(const char *text, size_t bytes)
{
    return !nadi_bench_each_line(text, bytes, says_nothing, NULL);
}

bool nadi_bench_printed(struct nadi_bench_reader *r, const char *text, size_t bytes)
{
    struct printed p = {.r = r};
    bool ok = nadi_bench_each_line(text, bytes, read_line, &p);
    if (p.left_out > SHOWN)
        nadi_warning(r->diags, "bench/damaged", NADI_IN_FILE(r->path), NULL,
                     "%u more rows are left out", p.left_out - SHOWN);
    ok = ok && end_table(&p);
    nadi_mem_free(p.hosts);
    return ok;
}
