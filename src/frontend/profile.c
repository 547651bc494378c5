#include "frontend/profile.h"
#include "base/time.h"

#include "base/mem.h"
#include "frontend/hlo.h"

#include <ctype.h>

/* The instruction's own number, of its name or of the start that a done names. */
static uint64_t pair_of(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    if (!at)
        return 0;
    at += strlen(word);
    return nadi_hash_bytes(at, strspn(at, ".0123456789")) | 1;
}

/* "replica_groups=" of the text to the work's group; false: it names no rank of this one. */
static bool read_group(struct nadi_front_job *job, struct nadi_front_work *w, const char *text)
{
    const char *at = strstr(text, "replica_groups=");
    struct nadi_hlo_groups groups = {0};
    if (at && !nadi_hlo_groups_read(&groups, at + strlen("replica_groups="))) {
        nadi_hlo_groups_release(&groups);
        return false;
    }
    w->node.group = nadi_hlo_group_of(job, &groups, w->rank);
    nadi_hlo_groups_release(&groups);
    return w->node.group != NADI_NONE;
}

void nadi_profile_hlo(struct nadi_front_job *job, struct nadi_front_work *w, const char *text)
{
    const char *equals = strstr(text, " = "), *opcode = text, *end;
    if (*text == '%')
        opcode = text + 1;
    const char *name = opcode;
    if (equals) { /* the word before the first '(' behind the type */
        const char *shape = equals + 3;
        opcode = *shape == '(' ? nadi_hlo_past_tuple(shape, text + strlen(text)) : shape;
        opcode += strcspn(opcode, " ");
        opcode += strspn(opcode, " ");
    }
    for (end = opcode; isalnum((unsigned char)*end) || *end == '-' || *end == '_';)
        end++;
    const bool done = end - opcode > 5 && memcmp(end - 5, "-done", 5) == 0;
    const bool start = end - opcode > 6 && memcmp(end - 6, "-start", 6) == 0;
    if (done || start)
        w->pair = pair_of(done && equals ? end : name, "-start");
    if (done && !w->pair)
        w->pair = pair_of(name, "-done");
    w->is_done = done;
    if (done)
        return;
    enum nadi_collective_kind kind;
    if (!nadi_hlo_collective(opcode, (size_t)(end - opcode), &kind))
        return;
    const char *operands = equals && *end == '(' ? end + 1 : NULL;
    uint64_t bytes = operands ? nadi_hlo_shape_bytes(end, end + strlen(end)) : 0;
    bool both = false;          /* the result of a beginning has what goes in and what comes out */
    if (bytes == 0 && equals) { /* operands without types: the result says it */
        const char *shape = equals + 3;
        bytes = nadi_hlo_shape_bytes(shape, opcode);
        both = start && *shape == '(';
    }
    if (bytes == 0 || !read_group(job, w, text)) {
        w->node.group = 0;
        job->unsized++;
        return;
    }
    const uint32_t members =
        w->node.group ? job->groups.items[w->node.group].count : job->rank_count;
    const bool by_result = !operands || *operands == '%';
    if (both) /* what comes out: of an all-gather from all members, of a reduce-scatter for one */
        bytes = kind == NADI_ALL_GATHER       ? nadi_count_mul(bytes, members) / (members + 1)
                : kind == NADI_REDUCE_SCATTER ? bytes / (members + 1)
                                              : bytes / 2;
    if (by_result && kind == NADI_ALL_GATHER && members)
        bytes /= members;
    else if (by_result && kind == NADI_REDUCE_SCATTER)
        bytes *= members;
    w->node.kind = NADI_FRONT_COLLECTIVE;
    w->node.collective = kind;
    w->node.bytes = bytes ? bytes : 1;
    w->node.ops = 0;
}

/* ---- the graph ----------------------------------------------------------------------------- */

static int compare_works(const void *a, const void *b)
{
    const struct nadi_front_work *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return strcmp(x->node.name, y->node.name);
}

struct stream { /* a stream of the rank */
    uint32_t stream;
    uint64_t id, ended; /* of its newest work; of the newest that had ended, and when */
    int64_t end, ended_at;
};

struct streams {
    struct stream *items;
    size_t count, capacity;
};

static struct stream *stream_of(struct streams *streams, uint32_t number)
{
    for (size_t i = 0; i < streams->count; i++)
        if (streams->items[i].stream == number)
            return &streams->items[i];
    const struct stream stream = {.stream = number, .end = INT64_MIN, .ended_at = INT64_MIN};
    NADI_PUSH(streams, stream);
    return &streams->items[streams->count - 1];
}

struct starts { /* what began and is not done */
    struct {
        uint64_t pair, id;
    } * items;
    size_t count, capacity;
};

static uint64_t started(const struct starts *starts, uint64_t pair)
{
    for (size_t i = starts->count; i-- > 0;)
        if (starts->items[i].pair == pair)
            return starts->items[i].id;
    return 0;
}

/* first_ns: when the rank's first work began, from which one counts that waits for none. */
static void add_work(struct nadi_front_job *job, const struct nadi_front_work *w, int64_t first_ns,
                     struct streams *streams, struct starts *starts, struct nadi_u64_list *deps)
{
    int64_t free_at = first_ns;
    deps->count = 0;
    struct stream *own = stream_of(streams, w->stream);
    for (size_t i = 0; i < streams->count; i++) {
        struct stream *stream = &streams->items[i];
        const bool over = stream->end <= w->start_ns;
        const uint64_t id = stream == own || over ? stream->id : stream->ended;
        const int64_t end = stream == own || over ? stream->end : stream->ended_at;
        if (id) {
            NADI_PUSH(deps, id);
            free_at = end > free_at ? end : free_at;
        }
    }
    struct nadi_front_node node = w->node;
    const bool beside = w->pair && !w->is_done; /* of its stream */
    node.stream = beside ? 0 : w->stream + 1;
    if (w->is_done) { /* its time is that of waiting */
        NADI_PUSH(deps, started(starts, w->pair));
        node.ns = node.ops = node.bytes = 0;
    } else if (w->start_ns > free_at) {
        const struct nadi_front_node gap = {.name = "gap",
                                            .idle = true,
                                            .ns = (uint64_t)(w->start_ns - free_at),
                                            .stream = w->stream + 1};
        const uint64_t id = nadi_front_add(job, w->rank, &gap, deps->items, deps->count);
        deps->count = 0;
        NADI_PUSH(deps, id);
    }
    if (node.kind == NADI_FRONT_COLLECTIVE)
        node.ns = 0;
    const int64_t end = w->start_ns + (int64_t)w->node.ns;
    const uint64_t id = nadi_front_add(job, w->rank, &node, deps->items, deps->count);
    if (beside) {
        NADI_RESERVE(starts, starts->count + 1);
        starts->items[starts->count].pair = w->pair;
        starts->items[starts->count++].id = id;
        return;
    }
    own->ended = own->id;
    own->ended_at = own->end;
    own->id = id;
    own->end = end;
}

void nadi_profile_finish(struct nadi_profile *p, struct nadi_front_job *job)
{
    struct streams streams = {0};
    struct starts starts = {0};
    struct nadi_u64_list deps = {0};
    const struct nadi_front_work *works = p->works.items, *first = works;
    qsort(p->works.items, p->works.count, sizeof(struct nadi_front_work), compare_works);
    for (size_t i = 0; i < p->works.count; i++) {
        if (works[i].rank != first->rank) {
            streams.count = starts.count = 0;
            first = &works[i];
        }
        add_work(job, &works[i], first->start_ns, &streams, &starts, &deps);
    }
    job->concurrent = true;
    nadi_mem_free(streams.items);
    nadi_mem_free(starts.items);
    nadi_mem_free(deps.items);
}

void nadi_profile_release(struct nadi_profile *p)
{
    nadi_mem_free(p->works.items);
}
