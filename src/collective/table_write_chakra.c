/* table_write_chakra: a table as Chakra traces of sends and receives, one a member, for
 * `all-reduce-implementation-custom` and its like, here and in the reference.
 *
 * Sends and receives carry the queue of the receiver as their tag: the i-th of each pair, tag and
 * size match, and messages of one pair and queue come one after the other. What is added up or
 * copied takes no time there: steps that only wait, or work on what the member has, are compute
 * nodes without a duration (1 ns in the simulation). */
#include "base/file.h"
#include "base/mem.h"
#include "collective/table_file.h"
#include "trace/gen_files.h"

struct writer {
    const struct nadi_table *t;
    const struct nadi_program *p;
    struct nadi_trace_writer *out;
    const uint32_t *sender_of; /* by step: the step that sends what it receives */
    size_t first;              /* step of the member */
    struct {
        uint64_t *items;
        size_t count, capacity;
    } deps;
};

/* A step has up to two nodes: what it sends or does alone, and what it receives. */
static uint64_t id_of(const struct writer *w, size_t step, bool receive)
{
    return 2 * (uint64_t)(step - w->first) + receive + 1;
}

static void depend_on(struct writer *w, size_t step)
{
    const struct nadi_step *s = &w->t->steps.items[step].step;
    if (s->to != NADI_NONE || s->from == NADI_NONE)
        NADI_PUSH(&w->deps, id_of(w, step, false));
    if (s->from != NADI_NONE)
        NADI_PUSH(&w->deps, id_of(w, step, true));
}

static void find_deps(struct writer *w, size_t index)
{
    const struct nadi_table *t = w->t;
    const struct nadi_table_step *s = &t->steps.items[index];
    const size_t queue = (size_t)s->member * t->queues;
    w->deps.count = 0;
    if (index > t->first[queue + s->queue])
        depend_on(w, index - 1);
    for (uint32_t l = 0; s->step.wait_steps > 0 && l < t->queues; l++) {
        const uint32_t count = nadi_table_steps(t, s->member, l);
        const uint32_t want = s->step.wait_steps < count ? s->step.wait_steps : count;
        const bool meant =
            s->step.wait_queue == NADI_ALL_QUEUES || (uint32_t)s->step.wait_queue == l;
        if (meant && want > 0 && l != s->queue)
            depend_on(w, t->first[queue + l] + want - 1);
    }
}

static uint64_t bytes_of(const struct writer *w, size_t step)
{
    const struct nadi_table_step *s = &w->t->steps.items[step];
    const uint32_t k = (uint32_t)(step - w->t->first[(size_t)s->member * w->t->queues + s->queue]);
    return nadi_max_u64(nadi_program_sent_bytes(w->p, s->member, s->queue, k), 1);
}

static void put(struct writer *w, uint64_t id, enum nadi_node_type type, const char *name,
                const struct nadi_write_attr *attrs, size_t attr_count)
{
    nadi_trace_writer_node(w->out, &(struct nadi_write_node){
                                       .id = id,
                                       .name = name,
                                       .type = type,
                                       .data_deps = w->deps.items,
                                       .data_dep_count = w->deps.count,
                                       .attrs = attrs,
                                       .attr_count = attr_count,
                                   });
}

static void put_message(struct writer *w, uint64_t id, bool send, uint32_t peer, uint32_t tag,
                        uint64_t bytes)
{
    char name[64];
    const struct nadi_write_attr attrs[] = {
        nadi_write_bool("is_cpu_op", false),
        nadi_write_int64("comm_size", (int64_t)bytes),
        nadi_write_int32(send ? "comm_dst" : "comm_src", (int32_t)peer),
        nadi_write_int32("comm_tag", (int32_t)tag),
    };
    snprintf(name, sizeof(name), "%s %u", send ? "send to" : "receive from", peer);
    put(w, id, send ? NADI_NODE_SEND : NADI_NODE_RECV, name, attrs, 4);
}

static void write_step(struct writer *w, size_t index)
{
    const struct nadi_table_step *s = &w->t->steps.items[index];
    find_deps(w, index);
    if (s->step.from != NADI_NONE)
        put_message(w, id_of(w, index, true), false, s->step.from, s->queue,
                    bytes_of(w, w->sender_of[index]));
    if (s->step.to != NADI_NONE)
        put_message(w, id_of(w, index, false), true, s->step.to, s->step.to_queue,
                    bytes_of(w, index));
    if (s->step.from == NADI_NONE && s->step.to == NADI_NONE) {
        const struct nadi_write_attr attr = nadi_write_bool("is_cpu_op", false);
        put(w, id_of(w, index, false), NADI_NODE_COMP,
            !s->step.local    ? "wait"
            : s->step.reduces ? "add"
                              : "copy",
            &attr, 1);
    }
}

static bool write_member(struct writer *w, uint32_t member, const char *prefix,
                         struct nadi_diags *diags)
{
    const struct nadi_table *t = w->t;
    w->out = nadi_gen_open(prefix, member, NADI_CODING_PLAIN, diags);
    if (!w->out)
        return false;
    w->first = t->first[(size_t)member * t->queues];
    const size_t end = t->first[(size_t)(member + 1) * t->queues];
    for (size_t i = w->first; i < end; i++)
        write_step(w, i);
    if (w->first == end) { /* a trace has at least one node */
        const struct nadi_write_attr attr = nadi_write_bool("is_cpu_op", false);
        w->deps.count = 0;
        put(w, 1, NADI_NODE_COMP, "nothing", &attr, 1);
    }
    return nadi_trace_writer_close(w->out, diags);
}

bool nadi_table_write_chakra(const struct nadi_table *t, uint64_t bytes, const char *prefix,
                             struct nadi_diags *diags)
{
    const struct nadi_program_request q = {
        .kind = t->shape.kind, .n = t->shape.n, .root = t->shape.root, .bytes = bytes, .table = t};
    struct nadi_program p;
    const char *refused = nadi_program_make(nadi_table_ops(t), &q, &p);
    NADI_ASSERT(!refused);
    uint32_t *receiver_of = NADI_NEW(uint32_t, t->steps.count);
    uint32_t *sender_of = NADI_NEW(uint32_t, t->steps.count);
    nadi_table_pair(t, receiver_of, sender_of);
    struct writer w = {.t = t, .p = &p, .sender_of = sender_of};
    struct nadi_trace_set *set = nadi_trace_set_begin(prefix, diags);
    bool ok = set && nadi_trace_set_clear(set, NULL, NULL, 0, diags);
    for (uint32_t m = 0; m < t->shape.n && ok; m++)
        ok = write_member(&w, m, prefix, diags);
    ok = nadi_trace_set_end(set, ok);
    nadi_mem_free(w.deps.items);
    nadi_mem_free(receiver_of);
    nadi_mem_free(sender_of);
    return ok;
}
