/* flexflow: a task graph of FlexFlow's simulator, in the DOT language, as Chakra's converter takes
 * it.
 *
 *     digraph taskgraph {
 *       node0 [label="{ npu=0 | conv1 | forward | COMP_NODE | run_time=0.0012 }"];
 *       node1 [label="{ npu=0 | conv1 to fc | forward | COMM_SEND_RECV_NODE | src=0 | dst=1 |
 * size=4096 }"]; node0 -> node1;
 *     }
 *
 * The first, second and fourth field of a label are the task's device, name and type, those after
 * it seconds, or sender, receiver and bytes. A transfer is a send on one rank and a receive on the
 * other one; between tasks of two devices there must be one. */
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "frontend/frontend.h"

#include <math.h>

enum { FIELDS = 7, MOST_SECONDS = 1000000 };

struct task {
    const char *id, *label; /* NULL: none yet */
    const char *name;
    uint32_t line;
    bool is_transfer;
    uint32_t from, to; /* ranks; equal for computations */
    uint64_t ns, bytes;
    uint64_t node[2];          /* its nodes of the ranks from and to; 0: none yet */
    uint32_t waits_for;        /* tasks that are not done yet */
    uint32_t first_edge, next; /* edges that leave it, and how many */
};

struct edge {
    uint32_t from, to, line;
};

struct reader {
    struct nadi_front_job *job;
    const char *path, *at;
    uint32_t line;
    struct nadi_str word; /* the last one that was taken */
    struct nadi_strmap ids;
    struct {
        struct task *items;
        size_t count, capacity;
    } tasks;
    struct {
        struct edge *items;
        size_t count, capacity;
    } edges;
    struct nadi_diags *diags;
};

static struct nadi_place place_of(const struct reader *r, uint32_t line)
{
    struct nadi_place p = NADI_IN_FILE(r->path);
    p.line = line;
    return p;
}

static bool fail(const struct reader *r, const char *what)
{
    return nadi_error(r->diags, "flexflow/dot", place_of(r, r->line),
                      "a digraph of nodes with labels and of edges, without subgraphs", "%s", what);
}

/* ---- the DOT language ------------------------------------------------------------------------ */

static void skip_line(struct reader *r)
{
    r->at += strcspn(r->at, "\n");
}

static void skip_blanks(struct reader *r)
{
    for (;; r->at++) {
        if (r->at[0] == '/' && r->at[1] == '/')
            skip_line(r);
        else if (r->at[0] == '/' && r->at[1] == '*')
            while (*r->at && !(r->at[0] == '*' && r->at[1] == '/'))
                r->line += *r->at++ == '\n';
        else if (!*r->at || !strchr(" \t\r\n*/", *r->at))
            return;
        if (!*r->at)
            return;
        r->line += *r->at == '\n';
    }
}

/* Is it there? Then it is passed. */
static bool take(struct reader *r, const char *mark)
{
    skip_blanks(r);
    const size_t length = strlen(mark);
    if (strncmp(r->at, mark, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* An identifier, a number, or a text in quotes. */
static bool take_word(struct reader *r)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:";
    skip_blanks(r);
    nadi_str_clear(&r->word);
    nadi_str_add(&r->word, "");
    const size_t length = strspn(r->at, plain);
    nadi_str_add_bytes(&r->word, r->at, length);
    r->at += length;
    if (length || *r->at != '"')
        return length > 0;
    for (r->at++; *r->at && *r->at != '"'; r->at++) {
        r->at += *r->at == '\\' && r->at[1];
        r->line += *r->at == '\n';
        nadi_str_add_char(&r->word, *r->at);
    }
    return *r->at == '"' && (r->at++, true);
}

static uint32_t task_of_word(struct reader *r)
{
    const uint32_t fresh = (uint32_t)r->tasks.count;
    const char *id;
    const uint32_t index =
        nadi_strmap_put(&r->ids, nadi_str_get(&r->word), r->word.length, fresh, &id);
    if (index == fresh)
        NADI_PUSH(&r->tasks, ((struct task){.id = id, .line = r->line}));
    return index;
}

/* [name=value, ...]; the label of a task is kept. */
static bool take_attributes(struct reader *r, uint32_t task)
{
    while (!take(r, "]")) {
        if (!take_word(r))
            return fail(r, "a name of an attribute is missing");
        const bool is_label = nadi_str_equal(nadi_str_get(&r->word), "label");
        if (!take(r, "=") || !take_word(r))
            return fail(r, "an attribute has no value");
        if (is_label && task != NADI_NONE)
            r->tasks.items[task].label = nadi_arena_strdup(&r->job->arena, nadi_str_get(&r->word));
        (void)(take(r, ",") || take(r, ";"));
    }
    return true;
}

static bool is_of_all(const struct reader *r)
{
    const char *word = nadi_str_get(&r->word);
    return nadi_str_equal(word, "graph") || nadi_str_equal(word, "node") ||
           nadi_str_equal(word, "edge");
}

static bool take_statement(struct reader *r)
{
    if (!take_word(r) || nadi_str_equal(nadi_str_get(&r->word), "subgraph"))
        return fail(r, "here stands no node and no edge");
    const bool of_all = is_of_all(r);
    if (take(r, "="))
        return take_word(r) || fail(r, "an attribute has no value");
    if (of_all)
        return take(r, "[") ? take_attributes(r, NADI_NONE) : fail(r, "'[' is missing");
    const uint32_t line = r->line;
    uint32_t task = task_of_word(r), edges = 0;
    for (; take(r, "->"); edges++) {
        const uint32_t from = task;
        if (!take_word(r))
            return fail(r, "an edge leads nowhere");
        task = task_of_word(r);
        NADI_PUSH(&r->edges, ((struct edge){from, task, line}));
    }
    return !take(r, "[") || take_attributes(r, edges ? NADI_NONE : task);
}

static bool take_graph(struct reader *r)
{
    (void)take(r, "strict");
    if (!take(r, "digraph"))
        return fail(r, "this is no digraph in the DOT language");
    (void)take_word(r);
    if (!take(r, "{"))
        return fail(r, "'{' is missing");
    while (!take(r, "}")) {
        if (!*r->at)
            return fail(r, "the file ends within the graph");
        if (!take_statement(r))
            return false;
        (void)take(r, ";");
    }
    skip_blanks(r);
    return !*r->at || fail(r, "something follows the graph");
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* "{ npu=0 | name | .. }" in place; returns how many fields there are. */
static uint32_t split(char *label, char *fields[FIELDS])
{
    uint32_t count = 0;
    label += strspn(label, " {");
    for (char *next; label && count < FIELDS; label = next) {
        next = strchr(label, '|');
        if (next)
            *next++ = '\0';
        label += strspn(label, " \t\n");
        size_t length = strlen(label);
        while (length && strchr(" \t\n}", label[length - 1]))
            label[--length] = '\0';
        fields[count++] = label;
    }
    return count;
}

static bool wrong(const struct reader *r, const struct task *t, const char *what)
{
    return nadi_error(r->diags, "flexflow/label", place_of(r, t->line),
                      "{ npu=0 | name | phase | COMP_NODE | run_time=0.001 }, or\n{ npu=0 | name | "
                      "phase | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=4096 }",
                      "task %s: %s", t->id, what);
}

/* What stands behind '='. */
static bool number_of(const char *field, uint64_t most, uint64_t *value)
{
    const char *equals = strchr(field, '=');
    return equals && nadi_str_to_u64(equals + 1 + strspn(equals + 1, " "), value) && *value <= most;
}

static bool seconds_of(const char *field, uint64_t *ns)
{
    const char *equals = strchr(field, '=');
    double s;
    if (!equals || !nadi_str_to_double(equals + 1 + strspn(equals + 1, " "), &s) ||
        !(s >= 0 && s <= MOST_SECONDS))
        return false;
    *ns = nadi_ns_trunc(round(s * 1e9));
    return true;
}

static bool read_label(struct reader *r, struct task *t)
{
    char *fields[FIELDS] = {NULL};
    uint64_t npu, to = 0;
    if (!t->label)
        return wrong(r, t, "it has no label");
    const uint32_t count = split(nadi_arena_strdup(&r->job->arena, t->label), fields);
    if (count < 5 || !number_of(fields[0], NADI_FRONT_RANKS - 1, &npu))
        return wrong(r, t, "its label names no device, or lacks fields");
    t->name = *fields[1] ? fields[1] : t->id;
    t->from = t->to = (uint32_t)npu;
    if (nadi_str_equal(fields[3], "COMP_NODE"))
        return seconds_of(fields[4], &t->ns) || wrong(r, t, "it has no run time in seconds");
    if (!nadi_str_equal(fields[3], "COMM_SEND_RECV_NODE"))
        return wrong(r, t, "it is neither COMP_NODE nor COMM_SEND_RECV_NODE");
    if (count < 7 || !number_of(fields[4], NADI_FRONT_RANKS - 1, &npu) ||
        !number_of(fields[5], NADI_FRONT_RANKS - 1, &to) ||
        !number_of(fields[6], INT64_MAX, &t->bytes))
        return wrong(r, t, "a transfer has a sender, a receiver and a size");
    t->is_transfer = npu != to; /* what a device sends itself takes no time */
    t->from = (uint32_t)npu;
    t->to = (uint32_t)to;
    return true;
}

static bool read_labels(struct reader *r)
{
    uint32_t ranks = 0;
    for (size_t i = 0; i < r->tasks.count; i++) {
        struct task *t = &r->tasks.items[i];
        if (!read_label(r, t))
            return false;
        ranks = t->from >= ranks ? t->from + 1 : ranks;
        ranks = t->to >= ranks ? t->to + 1 : ranks;
    }
    nadi_front_grow(r->job, ranks);
    return ranks > 0 || nadi_error(r->diags, "flexflow/empty", NADI_IN_FILE(r->path), NULL,
                                   "the graph has no tasks");
}

/* ---- nodes of ranks, in an order in which each follows what it waits for --------------------- */

static bool is_on(const struct task *t, uint32_t rank)
{
    return t->from == rank || t->to == rank;
}

static uint64_t node_on(const struct task *t, uint32_t rank)
{
    return t->from == rank ? t->node[0] : t->to == rank ? t->node[1] : 0;
}

static void add_on(struct reader *r, uint32_t task, int end, const struct nadi_front_node *node,
                   const struct edge *into, size_t count)
{
    struct task *t = &r->tasks.items[task];
    const uint32_t rank = end ? t->to : t->from;
    uint64_t *deps = NADI_NEW(uint64_t, count + 1);
    for (size_t i = 0; i < count; i++)
        deps[i] = node_on(&r->tasks.items[into[i].from], rank);
    t->node[end] = nadi_front_add(r->job, rank, node, deps, count);
    nadi_mem_free(deps);
}

/* into: the edges that lead to it */
static bool add_task(struct reader *r, uint32_t task, const struct edge *into, size_t count)
{
    struct task *t = &r->tasks.items[task];
    for (size_t i = 0; i < count; i++) {
        const struct task *before = &r->tasks.items[into[i].from];
        if (!is_on(before, t->from) && !is_on(before, t->to))
            return nadi_error(r->diags, "flexflow/transfer", place_of(r, into[i].line),
                              "put a transfer between them",
                              "task %s of device %u waits for task %s of device %u, and nothing is "
                              "sent",
                              t->id, t->from, before->id, before->to);
    }
    struct nadi_front_node node = {.name = t->name, .kind = NADI_FRONT_COMPUTE, .ns = t->ns};
    if (t->is_transfer)
        node = (struct nadi_front_node){.name = t->name,
                                        .kind = NADI_FRONT_SEND,
                                        .bytes = t->bytes,
                                        .peer = t->to,
                                        .tag = task};
    add_on(r, task, 0, &node, into, count);
    t->node[1] = t->node[0];
    if (t->is_transfer) {
        node.kind = NADI_FRONT_RECV;
        node.peer = t->from;
        add_on(r, task, 1, &node, into, count);
    }
    return true;
}

static int by_end(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static int by_start(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Tasks whose waits are over, the first of the file first among those of one wave. */
static bool add_tasks(struct reader *r, const struct edge *into, const struct edge *from)
{
    const size_t count = r->tasks.count, edges = r->edges.count;
    uint32_t *first = NADI_ZNEW(uint32_t, count + 1), *ready = NADI_NEW(uint32_t, count + 1);
    size_t done = 0, end = 0;
    bool ok = true;
    for (size_t i = 0; i < edges; i++) {
        r->tasks.items[into[i].to].waits_for++;
        first[into[i].to + 1]++;
        r->tasks.items[from[i].from].next++;
    }
    for (uint32_t i = 0, next = 0; i < count; i++) {
        struct task *t = &r->tasks.items[i];
        first[i + 1] += first[i];
        t->first_edge = next;
        next += t->next;
        if (!t->waits_for)
            ready[end++] = i;
    }
    for (; done < end && ok; done++) {
        const struct task *t = &r->tasks.items[ready[done]];
        ok = add_task(r, ready[done], into + first[ready[done]],
                      first[ready[done] + 1] - first[ready[done]]);
        for (uint32_t i = 0; i < t->next; i++)
            if (--r->tasks.items[from[t->first_edge + i].to].waits_for == 0)
                ready[end++] = from[t->first_edge + i].to;
    }
    for (size_t i = 0; ok && done < count && i < count; i++)
        if (r->tasks.items[i].waits_for)
            ok = nadi_error(r->diags, "flexflow/circle", place_of(r, r->tasks.items[i].line), NULL,
                            "task %s is one of a circle of tasks that wait for each other, or "
                            "waits for one",
                            r->tasks.items[i].id);
    nadi_mem_free(first);
    nadi_mem_free(ready);
    return ok;
}

static bool add_all(struct reader *r)
{
    const size_t count = r->edges.count;
    struct edge *into = nadi_mem_copy(r->edges.items, count, sizeof(*into));
    struct edge *from = nadi_mem_copy(r->edges.items, count, sizeof(*from));
    if (count) {
        qsort(into, count, sizeof(*into), by_end);
        qsort(from, count, sizeof(*from), by_start);
    }
    const bool ok = add_tasks(r, into, from);
    nadi_mem_free(into);
    nadi_mem_free(from);
    return ok;
}

bool nadi_flexflow_parse(struct nadi_front_job *job, const char *path, const char *text,
                         struct nadi_diags *diags)
{
    struct reader r = {
        .job = job, .path = path, .at = text, .line = 1, .word = NADI_STR_INIT, .diags = diags};
    nadi_strmap_init(&r.ids);
    const bool ok = take_graph(&r) && read_labels(&r) && add_all(&r);
    nadi_strmap_release(&r.ids);
    nadi_str_release(&r.word);
    nadi_mem_free(r.tasks.items);
    nadi_mem_free(r.edges.items);
    return ok;
}

bool nadi_front_read_flexflow(struct nadi_front_job *job, const struct nadi_front_source *source,
                              struct nadi_diags *diags)
{
    char *text;
    size_t bytes;
    if (source->count != 1)
        return nadi_error(diags, "usage/files", NADI_NOWHERE, "one file, of all devices",
                          "%zu task graphs", source->count);
    if (source->ranks)
        return nadi_error(diags, "usage/ranks", NADI_NOWHERE, "leave out --ranks",
                          "the devices of a task graph are its ranks");
    if (!nadi_file_read(source->paths[0], "task graph", &text, &bytes, diags))
        return false;
    const bool ok = nadi_flexflow_parse(job, source->paths[0], text, diags);
    nadi_mem_free(text);
    return ok;
}
