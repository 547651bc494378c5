#include "trace/edit/passes.h"

#include "base/map.h"
#include "base/mem.h"

static bool no_schedule(const struct nadi_full *f, struct nadi_diags *diags, const char *why)
{
    return nadi_error(diags, "rescale/schedule", NADI_IN_FILE(f->path),
                      "stages are added to and taken from 1F1B and GPipe, with one message between "
                      "two stages for each micro-batch; another schedule: generate the job with as "
                      "many stages",
                      "the passes of the stage cannot be told from its messages: %s", why);
}

bool nadi_message_is_tied(const struct nadi_full_node *n)
{
    static const char word[] = "embedding";
    const size_t length = sizeof(word) - 1;
    if (n->type != NADI_NODE_SEND && n->type != NADI_NODE_RECV)
        return false;
    for (size_t i = 0; i + length <= n->name_bytes; i++)
        if (memcmp(n->name + i, word, length) == 0)
            return true;
    return false;
}

enum nadi_stage_message nadi_stage_message(const struct nadi_full_node *n, int64_t stride)
{
    const bool sends = n->type == NADI_NODE_SEND;
    if ((!sends && n->type != NADI_NODE_RECV) || nadi_message_is_tied(n))
        return NADI_STAGE_NONE;
    const int64_t peer = nadi_full_integer(n, sends ? "comm_dst" : "comm_src", 0);
    if (peer == stride)
        return sends ? NADI_STAGE_SEND_FORWARD : NADI_STAGE_RECV_BACKWARD;
    if (peer == -stride)
        return sends ? NADI_STAGE_SEND_BACKWARD : NADI_STAGE_RECV_FORWARD;
    return NADI_STAGE_NONE;
}

/* ---- nodes by id --------------------------------------------------------------------------- */

struct by_id {
    uint64_t id;
    uint32_t node;
};

static int compare_ids(const void *a, const void *b)
{
    const struct by_id *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

uint32_t *nadi_places(const struct nadi_full *f)
{
    const uint32_t count = (uint32_t)f->node_count;
    uint32_t *order = NADI_NEW(uint32_t, count + 1);
    struct by_id *ids = NADI_NEW(struct by_id, count + 1);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = (struct by_id){f->nodes[i].id, i};
    qsort(ids, count, sizeof(*ids), compare_ids);
    for (uint32_t i = 0; i < count; i++)
        order[i] = ids[i].node;
    nadi_mem_free(ids);
    return order;
}

/* ---- what equal nodes share -------------------------------------------------------------------
 */

uint64_t nadi_node_sign(const struct nadi_full_node *n, struct nadi_str *scratch)
{
    static const char *const sizes[] = {"num_ops", "tensor_size", "comm_size", "comm_type"};
    struct nadi_named_attr group;
    uint64_t words[8] = {n->type};
    nadi_str_clear(scratch);
    for (uint32_t i = 0; i < n->name_bytes; i++) {
        const char c = (char)n->name[i];
        if (c < '0' || c > '9')
            nadi_str_add_char(scratch, c);
    }
    words[1] = nadi_hash_bytes(nadi_str_get(scratch), scratch->length);
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
        words[2 + k] = (uint64_t)nadi_full_integer(n, sizes[k], -1);
    if (nadi_full_attr(n, "pg_name", &group) && nadi_attr_is_text(&group.value))
        words[6] = nadi_hash_bytes(group.value.data, group.value.bytes);
    words[7] = (uint64_t)nadi_full_integer(n, "comm_src", -1) * 3 +
               (uint64_t)nadi_full_integer(n, "comm_dst", -1);
    return nadi_hash_words(words, 8);
}

/* ---- the pipeline -------------------------------------------------------------------------- */

uint32_t nadi_warm_up(const struct nadi_pipeline *p, uint32_t stages, uint32_t stage)
{
    return p->gpipe ? p->batches : (uint32_t)nadi_min_u64(p->batches, stages - 1 - stage);
}

bool nadi_pipeline_read(struct nadi_pipeline *p, const struct nadi_full *first,
                        const struct nadi_full *last, const bool *apart, int64_t stride,
                        struct nadi_diags *diags)
{
    uint32_t *order = nadi_places(first), forward = 0, backward = 0, received = 0, sent = 0;
    bool ok = true;
    *p = (struct nadi_pipeline){.forward = NADI_NEW(int64_t, first->node_count + 1),
                                .backward = NADI_NEW(int64_t, first->node_count + 1),
                                .gpipe = true};
    for (size_t i = 0; i < first->node_count; i++) {
        const struct nadi_full_node *n = &first->nodes[order[i]];
        const enum nadi_stage_message kind = nadi_stage_message(n, stride);
        if (kind == NADI_STAGE_SEND_FORWARD)
            p->forward[forward++] = nadi_full_integer(n, "comm_tag", 0);
        else if (kind == NADI_STAGE_RECV_BACKWARD)
            p->backward[backward++] = nadi_full_integer(n, "comm_tag", 0);
        else
            ok = ok && kind == NADI_STAGE_NONE;
    }
    nadi_mem_free(order);
    p->batches = forward;
    if (!ok || forward == 0 || forward != backward)
        return no_schedule(first, diags, "the first sends as often as it receives from the next");
    order = nadi_places(last);
    bool between = false; /* a send and the next receive */
    for (size_t i = 0; i < last->node_count; i++) {
        const enum nadi_stage_message kind = nadi_stage_message(&last->nodes[order[i]], stride);
        received += kind == NADI_STAGE_RECV_FORWARD;
        p->gpipe &= kind != NADI_STAGE_SEND_BACKWARD || received == forward;
        sent += kind == NADI_STAGE_SEND_BACKWARD;
        ok = ok && kind != NADI_STAGE_SEND_FORWARD && kind != NADI_STAGE_RECV_BACKWARD &&
             (kind != NADI_STAGE_NONE || !between || received == forward || apart[order[i]]);
        between = kind != NADI_STAGE_NONE ? kind == NADI_STAGE_SEND_BACKWARD : between;
    }
    nadi_mem_free(order);
    if (!ok || received != forward || sent != forward)
        return no_schedule(last, diags,
                           "the last receives as often as the first sends, and computes between "
                           "receiving and sending");
    return true;
}

void nadi_pipeline_release(struct nadi_pipeline *p)
{
    nadi_mem_free(p->forward);
    nadi_mem_free(p->backward);
    *p = (struct nadi_pipeline){0};
}

/* ---- passes -------------------------------------------------------------------------------- */

static void begin_pass(struct nadi_passes *p, uint32_t at, bool backward)
{
    const struct nadi_stage_pass pass = {.first = at, .backward = backward};
    if (p->list.count)
        p->list.items[p->list.count - 1].end = at;
    NADI_PUSH(&p->list, pass);
}

/* Where the pass that ends with the message there begins: with the first stage's nodes. */
static uint32_t begin_of_forward(const struct nadi_passes *p, const bool *apart, uint32_t end)
{
    uint32_t left = p->forward_nodes, at = end;
    while (left > 0 && at > 0)
        left -= !apart[p->order[--at]];
    return at;
}

/* A stage that sends and receives on both sides: each pass begins with what it receives. */
static bool cut_middle(struct nadi_passes *p, const struct nadi_full *f,
                       const struct nadi_restage *r, struct nadi_diags *diags)
{
    bool open = false;
    for (uint32_t at = 0; at < p->count; at++) {
        const struct nadi_full_node *n = &f->nodes[p->order[at]];
        const enum nadi_stage_message kind = nadi_stage_message(n, r->stride);
        const bool begins = kind == NADI_STAGE_RECV_FORWARD || kind == NADI_STAGE_RECV_BACKWARD;
        const struct nadi_stage_pass *last =
            p->list.count ? &p->list.items[p->list.count - 1] : NULL;
        if (begins) {
            if (open)
                return no_schedule(f, diags, "it receives twice before it sends");
            begin_pass(p, last ? at : 0, kind == NADI_STAGE_RECV_BACKWARD);
            open = true;
        } else if (kind != NADI_STAGE_NONE) {
            if (!open || last->backward != (kind == NADI_STAGE_SEND_BACKWARD))
                return no_schedule(f, diags, "it sends what it has not received");
            open = false;
        } else if (!open && last && !r->apart[p->order[at]] &&
                   p->list.count < 2 * (size_t)r->pipeline->batches)
            return no_schedule(f, diags, "it computes between sending and receiving");
    }
    return true;
}

static bool all_apart(const struct nadi_passes *p, const bool *apart, uint32_t from, uint32_t to)
{
    for (; from < to; from++)
        if (!apart[p->order[from]])
            return false;
    return true;
}

/* The first: forward passes end with what they send, and are alike. */
static bool cut_first(struct nadi_passes *p, const struct nadi_full *f,
                      const struct nadi_restage *r, struct nadi_diags *diags)
{
    uint32_t since = 0;
    for (uint32_t at = 0; at < p->count; at++) {
        const struct nadi_full_node *n = &f->nodes[p->order[at]];
        const enum nadi_stage_message kind = nadi_stage_message(n, r->stride);
        p->forward_nodes += p->list.count == 0 && !r->apart[p->order[at]];
        if (kind == NADI_STAGE_SEND_FORWARD) {
            const uint32_t first = begin_of_forward(p, r->apart, at + 1);
            const bool again = p->list.count && !p->list.items[p->list.count - 1].backward;
            if (first < since || (again && !all_apart(p, r->apart, since, first)))
                return no_schedule(f, diags, "its forward passes are not alike");
            begin_pass(p, p->list.count ? first : 0, false);
            since = at + 1;
        } else if (kind == NADI_STAGE_RECV_BACKWARD) {
            begin_pass(p, at, true);
            since = at + 1;
        }
    }
    return true;
}

static bool check_order(struct nadi_passes *p, const struct nadi_full *f,
                        const struct nadi_restage *r, struct nadi_diags *diags)
{
    const uint32_t m = r->pipeline->batches, warm = nadi_warm_up(r->pipeline, r->stages, r->stage);
    uint32_t batch[2] = {0, 0};
    for (size_t i = 0; i < p->list.count; i++) {
        struct nadi_stage_pass *pass = &p->list.items[i];
        const bool steady = i >= warm && i < 2 * (size_t)m - warm;
        const bool backward = steady ? (i - warm) % 2 == 1 : i >= warm;
        if (pass->backward != backward)
            return no_schedule(f, diags,
                               r->pipeline->gpipe ? "their order is not GPipe's"
                                                  : "their order is not 1F1B's");
        pass->batch = batch[backward]++;
    }
    return p->list.count == 2 * (size_t)m ||
           no_schedule(f, diags, "there are more or fewer than two for each micro-batch");
}

bool nadi_passes_find(struct nadi_passes *p, const struct nadi_full *f,
                      const struct nadi_restage *r, struct nadi_diags *diags)
{
    *p = (struct nadi_passes){.count = (uint32_t)f->node_count, .order = nadi_places(f)};
    if (!(r->stage ? cut_middle(p, f, r, diags) : cut_first(p, f, r, diags)) ||
        !check_order(p, f, r, diags))
        return false;
    p->list.items[p->list.count - 1].end = p->count;
    return true;
}

void nadi_passes_release(struct nadi_passes *p)
{
    nadi_mem_free(p->order);
    nadi_mem_free(p->list.items);
}
