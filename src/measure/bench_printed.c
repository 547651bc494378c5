/* bench_printed: the output of nccl-tests, rccl-tests and the OSU micro-benchmarks as printed. */
#include <ctype.h>
#include <math.h>

#include "base/mem.h"
#include "measure/bench_read.h"

/* The OSU bandwidth tests keep 64 messages under way, so that small ones say nothing of a
 * message's time. */
#define OSU_WINDOW_LEAST 262144.0

enum column { NOTHING, SIZE, TIME, ALGORITHM_BANDWIDTH, BUS_BANDWIDTH, WRONG };

struct printed {
    struct nadi_bench_reader *r;
    struct nadi_bench_facts facts;
    bool in_table, osu, osu_bandwidth;
    double time_unit_us;
    uint8_t columns[NADI_BENCH_WORDS]; /* enum column */
    uint32_t count, measured;          /* columns in all; index of the first measured one */
    bool only_in_place;
    double ratio_sum; /* of bus to algorithm bandwidth */
    uint32_t ratio_count;
    double unit_sum; /* ln of the time that a bandwidth means over the time in the column */
    uint32_t unit_count;
    double osu_directions;
    enum nadi_comm_partners osu_partners;
    const char **hosts;
    size_t host_count, host_capacity;
};

/* Without what mpirun and srun put before a line: "[1,0]<stdout>:", "node7: ", "0: ". */
static char *strip_label(char *text)
{
    char *at = text;
    while (isspace((unsigned char)*at))
        at++;
    if (*at == '[') {
        char *end = strstr(at, ">:");
        return end && end - at < 40 ? end + 2 : text;
    }
    char *colon = at;
    while (isalnum((unsigned char)*colon) || *colon == '-' || *colon == '_' || *colon == '.')
        colon++;
    if (colon == at || *colon != ':' || !isspace((unsigned char)colon[1]))
        return text;
    char *rest = colon + 1;
    while (isspace((unsigned char)*rest))
        rest++;
    return *rest == '#' || isdigit((unsigned char)*rest) ? rest : text;
}

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

static enum column column_of(const char *word)
{
    char name[32];
    lower(word, name, sizeof(name));
    if (nadi_str_equal(name, "size") || nadi_str_equal(name, "bytes"))
        return SIZE;
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
static bool note_rank(struct printed *p, const struct nadi_bench_line *line)
{
    const uint32_t at = nadi_str_equal(line->words[0], "#") ? 1 : 0;
    if (line->count < at + 4 || !nadi_str_equal(line->words[at], "Rank") ||
        !is_whole(line->words[at + 1]))
        return false;
    p->facts.rank_lines++;
    for (uint32_t i = at + 2; i + 1 < line->count; i++)
        if (nadi_str_equal(line->words[i], "on"))
            note_host(p, line->words[i + 1]);
    const char *bracket = strchr(line->text, ']');
    if (bracket && !p->facts.device) {
        bracket++;
        while (isspace((unsigned char)*bracket))
            bracket++;
        size_t length = strcspn(bracket, "\r\n");
        p->facts.device = nadi_arena_strndup(&p->r->log->arena, bracket, length);
    }
    return true;
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
    const enum nadi_comm_kind kind = p->facts.kind;
    p->facts = (struct nadi_bench_facts){.kind = kind, .processes = threads * gpus};
    p->host_count = 0;
}

static void note_rest(struct printed *p, const struct nadi_bench_line *line)
{
    const char *perf = strstr(line->text, "_perf");
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
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Old versions print ms and say so nowhere: the bandwidths do. */
static void correct_unit(const struct printed *p, struct nadi_bench_table *t)
{
    const double off = p->unit_count ? exp(p->unit_sum / p->unit_count) : 1;
    for (size_t i = 0; off > 300 && off < 3000 && i < t->count; i++)
        t->rows[i].time_us *= 1000;
}

static bool end_table(struct printed *p)
{
    const bool was = p->in_table;
    p->in_table = false;
    if (!was)
        return true;
    correct_unit(p, &p->r->log->tables[p->r->log->count - 1]);
    return nadi_bench_end(p->r, &p->facts, p->ratio_count ? p->ratio_sum / p->ratio_count : 0);
}

static bool begin_table(struct printed *p, uint32_t line)
{
    if (!end_table(p))
        return false;
    const struct nadi_bench_facts later = {.kind = NADI_COMM_NONE};
    nadi_bench_begin(p->r, &later, line);
    p->in_table = true;
    p->time_unit_us = 1;
    p->ratio_sum = 0;
    p->ratio_count = 0;
    p->unit_sum = 0;
    p->unit_count = 0;
    return true;
}

/* "#  size  count  type  redop  root  time  algbw  busbw #wrong  time ..." */
static bool is_header(const struct nadi_bench_line *line)
{
    bool size = false, measured = false;
    for (uint32_t i = 0; i < line->count; i++) {
        const char *word = line->words[i];
        const enum column c = column_of(word + (i == 0 && word[0] == '#' && word[1] != 'w'));
        size |= c == SIZE;
        measured |= c == TIME || c == BUS_BANDWIDTH || c == ALGORITHM_BANDWIDTH;
    }
    return size && measured;
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
        if (p->measured == NADI_NONE && c != NOTHING && c != SIZE)
            p->measured = p->count;
        p->columns[p->count++] = (uint8_t)c;
    }
    return begin_table(p, line->number);
}

/* A number that the benchmark printed; "N/A" and "-" are none and no fault either. */
static bool read_value(struct printed *p, const struct nadi_bench_line *line, const char *word,
                       double *value, double *rounding)
{
    *value = 0;
    *rounding = 0;
    if (nadi_bench_number(word, value, rounding) && *value >= 0)
        return true;
    if (nadi_str_equal(word, "N/A") || nadi_str_equal(word, "-") || nadi_str_equal(word, "n/a"))
        return true;
    return nadi_bench_error(p->r, line->number, "was the log damaged or cut off here?",
                            "'%s' is no number", word);
}

struct measured { /* one group of columns: out of place or in place */
    double time, algorithm, bus, wrong;
    double rounding[4];
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
        return;
    }
    if (m->algorithm > 1 && m->bus > 1) {
        p->ratio_sum += m->bus / m->algorithm;
        p->ratio_count++;
    }
    if (m->algorithm > 0.5 && row.time_us > 0 && bytes > 0) {
        p->unit_sum += log(bytes / m->algorithm / 1e3 / row.time_us);
        p->unit_count++;
    }
    if (bytes > 0 && row.time_us > 0)
        nadi_bench_add(t, row);
}

/* Columns up to the first measured one stand on the left, the others on the right: old versions
 * leave the word of a reduction or a root empty. */
static bool read_row(struct printed *p, const struct nadi_bench_line *line)
{
    const uint32_t measured = p->count - p->measured;
    uint32_t least = 1; /* the size and what stands before it is in every row */
    for (uint32_t i = 0; i < p->measured; i++)
        if (p->columns[i] == SIZE)
            least = i + 1;
    if (line->count < measured + least || line->count > p->count)
        return nadi_bench_error(p->r, line->number, "was the log damaged or cut off here?",
                                "the row has %u values, its header has %u columns", line->count,
                                p->count);
    double bytes = 0, rounding;
    for (uint32_t i = 0; i < p->measured; i++)
        if (p->columns[i] == SIZE && !read_value(p, line, line->words[i], &bytes, &rounding))
            return false;
    struct measured m = {0};
    uint32_t groups = 0;
    for (uint32_t i = 0; i <= measured; i++) {
        const enum column c = i < measured ? (enum column)p->columns[p->measured + i] : NOTHING;
        if (i == measured || (i > 0 && c == (enum column)p->columns[p->measured])) {
            add_measured(p, line, bytes, &m, groups++ > 0 || p->only_in_place);
            m = (struct measured){0};
        }
        double *const values[] = {NULL, NULL, &m.time, &m.algorithm, &m.bus, &m.wrong};
        if (i < measured && c != NOTHING && c != SIZE &&
            !read_value(p, line, line->words[line->count - measured + i], values[c],
                        c == WRONG ? &rounding : &m.rounding[c - TIME]))
            return false;
    }
    return true;
}

/* ---- OSU --------------------------------------------------------------------------------------
 */

/* "# OSU MPI Allreduce Latency Test v5.6.2"; "# OSU MPI-CUDA Bandwidth Test" is two ranks. */
static void note_osu(struct printed *p, const struct nadi_bench_line *line)
{
    const enum nadi_comm_kind kind = nadi_comm_kind_of(line->text);
    p->osu = true;
    p->osu_directions = strstr(line->text, "Bi-Dir") ? 2 : 1;
    p->osu_partners = kind                      ? NADI_PARTNERS_RING
                      : p->osu_directions > 1.5 ? NADI_PARTNERS_PAIRS
                                                : NADI_PARTNERS_ONE_WAY;
    p->facts =
        (struct nadi_bench_facts){.kind = kind ? kind : NADI_COMM_SEND_RECV, .ranks = kind ? 0 : 2};
}

static bool begin_osu(struct printed *p, const struct nadi_bench_line *line)
{
    char text[256];
    lower(line->text, text, sizeof(text));
    p->osu_bandwidth = strstr(text, "bandwidth") != NULL;
    if (!p->osu_bandwidth && !strstr(text, "latency") && !strstr(text, "(us)"))
        return true;
    if (!begin_table(p, line->number))
        return false;
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

static bool read_osu_row(struct printed *p, const struct nadi_bench_line *line)
{
    double bytes, value, rounding, ignored;
    if (line->count < 2)
        return nadi_bench_error(p->r, line->number, "was the log damaged or cut off here?",
                                "the row has a size only");
    if (!read_value(p, line, line->words[0], &bytes, &ignored) ||
        !read_value(p, line, line->words[1], &value, &rounding))
        return false;
    if (!(bytes > 0) || !(value > 0) || (p->osu_bandwidth && bytes < OSU_WINDOW_LEAST))
        return true;
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
    return true;
}

/* ---- all lines ----------------------------------------------------------------------------- */

static bool read_line(struct printed *p, struct nadi_bench_line *line)
{
    const char *first = line->words[0];
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
    if (p->in_table && is_whole(first))
        return p->osu ? read_osu_row(p, line) : read_row(p, line);
    if (p->in_table && strstr(line->text, "(ms)"))
        p->time_unit_us = 1000;
    if (strstr(line->text, "in-place"))
        p->only_in_place = !strstr(line->text, "out-of-place");
    if (strstr(line->text, "nGpus")) {
        if (!end_table(p))
            return false;
        note_program(p, line);
    }
    if (strstr(line->text, "Rank") && note_rank(p, line))
        return true;
    note_rest(p, line);
    if (!strstr(line->text, "Collective test concluded"))
        return true;
    const bool ok = end_table(p);
    p->facts.kind = NADI_COMM_NONE;
    return ok;
}

bool nadi_bench_printed(struct nadi_bench_reader *r, const char *text, size_t bytes)
{
    struct printed p = {.r = r};
    struct nadi_str copy = NADI_STR_INIT, words = NADI_STR_INIT;
    bool ok = true;
    uint32_t number = 0;
    for (const char *at = text, *end = text + bytes; ok && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        nadi_str_clear(&copy);
        nadi_str_clear(&words);
        nadi_str_add_bytes(&copy, at, (size_t)(stop - at));
        nadi_str_add(&copy, "");
        struct nadi_bench_line line = {.number = ++number};
        line.text = strip_label(copy.text);
        nadi_str_add(&words, line.text);
        line.copy = words.text;
        nadi_bench_words(&line);
        ok = line.count == 0 || read_line(&p, &line);
        at = stop + 1;
    }
    ok = ok && end_table(&p);
    nadi_mem_free(p.hosts);
    nadi_str_release(&copy);
    nadi_str_release(&words);
    return ok;
}
