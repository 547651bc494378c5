#include "trace/issue_log.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "trace/trace.h"

enum { FIELDS = 4, ERRORS_MOST = 20, VALUE_MOST = 24 };

static const char *const field_names[FIELDS] = {"NPU", "cycle", "id", "name"};

struct parser {
    struct nadi_issue_log *log;
    const char *path;
    struct nadi_diags *diags;
    struct nadi_map64 numbers; /* mixed (npu, id) -> number of its pair below */
    struct {
        struct open {
            uint64_t id;
            uint32_t npu;
            uint32_t issue; /* open one; NADI_NONE */
        } * items;
        size_t count, capacity;
    } pairs;
    uint64_t line;
    size_t strays, errors; /* callbacks without an issue; faulty lines */
    uint64_t first_stray;
};

struct part { /* of a line, not terminated */
    const char *at;
    size_t length;
};

bool nadi_issue_log_looks_so(const void *data, size_t bytes)
{
    const unsigned char *c = data;
    for (size_t i = 0; i < bytes && i < 4096; i++) {
        if (c[i] < ' ' && c[i] != '\n' && c[i] != '\r' && c[i] != '\t' && c[i] != 0x1b)
            return false;
    }
    return bytes > 0;
}

static struct nadi_place place(const struct parser *p, uint64_t line)
{
    struct nadi_place where = NADI_IN_FILE(p->path);
    where.line = (uint32_t)nadi_min_u64(line, UINT32_MAX);
    return where;
}

static bool fault(struct parser *p, const char *what)
{
    p->errors++;
    return nadi_error(p->diags, "log/line", place(p, p->line),
                      "issue,npu=0,cycle=1500,id=2,name=COMP_NODE_a", "%s", what);
}

/* The value of the next key=value; the last of the fields goes to the end of the line. */
static bool next_field(struct part *rest, bool is_last, struct part *value)
{
    const char *comma = is_last ? NULL : memchr(rest->at, ',', rest->length);
    const size_t length = comma ? (size_t)(comma - rest->at) : rest->length;
    const char *equals = memchr(rest->at, '=', length);
    if (!equals || (!is_last && !comma))
        return false;
    *value = (struct part){equals + 1, length - (size_t)(equals + 1 - rest->at)};
    rest->at += length + (comma != NULL);
    rest->length -= length + (comma != NULL);
    return true;
}

static bool number_of(struct part value, uint64_t *number)
{
    char text[VALUE_MOST];
    if (value.length == 0 || value.length >= sizeof text)
        return false;
    memcpy(text, value.at, value.length);
    text[value.length] = '\0';
    return nadi_str_to_u64(text, number);
}

/* Cuts ", node->type=4" off the name and returns the type. */
static uint32_t type_after(struct part *name)
{
    static const char key[] = ", node->type=";
    const size_t length = sizeof key - 1;
    uint64_t type;
    for (size_t i = name->length; i-- > length;) {
        const char *at = name->at + i - length;
        const struct part value = {name->at + i, name->length - i};
        if (memcmp(at, key, length) != 0)
            continue;
        if (!number_of(value, &type) || type >= NADI_NODE_TYPES)
            return NADI_NONE;
        name->length = (size_t)(at - name->at);
        return (uint32_t)type;
    }
    return NADI_NONE;
}

static uint32_t type_in(const char *name)
{
    static const struct {
        const char *word;
        uint32_t type;
    } words[] = {
        {"MEM_LOAD", NADI_NODE_MEM_LOAD},   {"MEM_STORE", NADI_NODE_MEM_STORE},
        {"COMP_NODE", NADI_NODE_COMP},      {"COMM_SEND_NODE", NADI_NODE_SEND},
        {"COMM_RECV_NODE", NADI_NODE_RECV}, {"COMM_COLL_NODE", NADI_NODE_COLL},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strstr(name, words[i].word))
            return words[i].type;
    }
    return NADI_NONE;
}

static struct open *open_of(struct parser *p, uint32_t npu, uint64_t id)
{
    uint64_t key = nadi_hash_u64(nadi_hash_u64(npu) ^ id);
    for (;; key++) { /* another pair with the same hash is passed by */
        bool added;
        const uint32_t at = *nadi_map64_put(&p->numbers, key, (uint32_t)p->pairs.count, &added);
        if (added) {
            const struct open fresh = {id, npu, NADI_NONE};
            NADI_PUSH(&p->pairs, fresh);
        }
        if (p->pairs.items[at].id == id && p->pairs.items[at].npu == npu)
            return &p->pairs.items[at];
    }
}

static bool begin(struct parser *p, struct nadi_issue issue, struct part name)
{
    struct open *open = open_of(p, issue.npu, issue.id);
    if (open->issue != NADI_NONE)
        return fault(p, "the node is issued again before it has ended");
    issue.name = nadi_arena_strndup(&p->log->arena, name.at, name.length);
    if (issue.type == NADI_NONE)
        issue.type = type_in(issue.name);
    open->issue = (uint32_t)p->log->issues.count;
    NADI_PUSH(&p->log->issues, issue);
    return true;
}

static bool end(struct parser *p, const struct nadi_issue *callback)
{
    struct open *open = open_of(p, callback->npu, callback->id);
    if (open->issue == NADI_NONE) {
        p->first_stray = p->strays++ ? p->first_stray : p->line;
        return true;
    }
    struct nadi_issue *issue = &p->log->issues.items[open->issue];
    if (callback->start < issue->start)
        return fault(p, "the node ends before it was issued");
    issue->end = callback->start;
    issue->finished = true;
    open->issue = NADI_NONE;
    return true;
}

static bool read_event(struct parser *p, struct part rest, bool is_issue)
{
    struct part value[FIELDS];
    uint64_t number[FIELDS - 1];
    char what[64];
    for (unsigned i = 0; i < FIELDS; i++) {
        const bool good = next_field(&rest, i == FIELDS - 1, &value[i]) &&
                          (i == FIELDS - 1 || number_of(value[i], &number[i])) &&
                          (i != 0 || number[0] < NADI_NONE);
        if (good)
            continue;
        snprintf(what, sizeof what, "the %s of the node is missing or no whole number",
                 field_names[i]);
        return fault(p, what);
    }
    const struct nadi_issue event = {
        .npu = (uint32_t)number[0],
        .id = number[2],
        .start = number[1],
        .type = type_after(&value[3]),
    };
    p->log->last = nadi_max_u64(p->log->last, number[1]);
    return is_issue ? begin(p, event, value[3]) : end(p, &event);
}

/* "issue," or "callback," at the start of the line or behind a blank. */
static const char *find_word(struct part line, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= line.length; i++) {
        if (memcmp(line.at + i, word, length) == 0 && (i == 0 || line.at[i - 1] == ' '))
            return line.at + i + length;
        if (line.at[i] == '=') /* a name may have the word in it */
            return NULL;
    }
    return NULL;
}

static void read_line(struct parser *p, struct part line)
{
    const char *end_of_line = line.at + line.length;
    const char *issue = find_word(line, "issue,");
    const char *callback = issue ? NULL : find_word(line, "callback,");
    const char *from = issue ? issue : callback;
    if (from)
        (void)!read_event(p, (struct part){from, (size_t)(end_of_line - from)}, issue != NULL);
}

static bool finish(struct parser *p)
{
    size_t open = 0;
    if (p->errors == 0 && p->log->issues.count == 0)
        return nadi_error(p->diags, "log/empty", NADI_IN_FILE(p->path),
                          "ASTRA-sim prints them at log level debug with trace-enabled, as "
                          "issue,npu=0,cycle=1500,id=2,name=COMP_NODE_a",
                          "no line says that a node was issued");
    for (size_t i = 0; i < p->log->issues.count; i++) {
        struct nadi_issue *issue = &p->log->issues.items[i];
        open += !issue->finished;
        issue->end = issue->finished ? issue->end : p->log->last;
    }
    if (open && p->errors == 0)
        nadi_warning(p->diags, "log/unfinished", NADI_IN_FILE(p->path),
                     "the run was cut short, or the log was",
                     "%zu node%s issued and did not end: shown up to the end", open,
                     open == 1 ? " was" : "s were");
    if (p->strays)
        nadi_warning(p->diags, "log/callback", place(p, p->first_stray),
                     "the beginning of the log is missing, or simulated nodes were skipped",
                     "%zu node%s ended and not issued", p->strays,
                     p->strays == 1 ? " was" : "s were");
    return p->errors == 0;
}

bool nadi_issue_log_parse(struct nadi_issue_log *log, const char *path, const char *text,
                          size_t bytes, struct nadi_diags *diags)
{
    struct parser p = {.log = log, .path = path, .diags = diags};
    *log = (struct nadi_issue_log){0};
    nadi_arena_init(&log->arena);
    nadi_map64_init(&p.numbers, 1024);
    for (const char *at = text, *stop = text + bytes; at < stop && p.errors < ERRORS_MOST;) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at));
        const char *next = newline ? newline + 1 : stop;
        size_t length = (size_t)((newline ? newline : stop) - at);
        if (length && at[length - 1] == '\r')
            length--;
        p.line++;
        read_line(&p, (struct part){at, length});
        at = next;
    }
    const bool ok = finish(&p);
    nadi_map64_release(&p.numbers);
    nadi_mem_free(p.pairs.items);
    return ok;
}

void nadi_issue_log_release(struct nadi_issue_log *log)
{
    nadi_arena_release(&log->arena);
    nadi_mem_free(log->issues.items);
    *log = (struct nadi_issue_log){0};
}
