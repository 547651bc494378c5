#include "trace/edit/restage.h"

#include "base/mem.h"
#include "trace/edit/passes.h"
#include "trace/full_write.h"
#include "trace/index.h"

struct piece {      /* a node of the new trace */
    uint32_t place; /* NADI_NONE: a message of the last stage */
    uint32_t pass;  /* as it was */
    enum nadi_stage_message message;
};

struct places {
    uint32_t *items;
    size_t count, capacity;
};

struct work {
    const struct nadi_full *f;
    const struct nadi_restage *r;
    struct nadi_passes passes;
    struct nadi_ids ids;
    uint32_t *place_of;   /* by node */
    uint32_t *pass_of;    /* by place */
    uint32_t *before;     /* by pass: the one that now comes before it, or NADI_NONE */
    struct places *exits; /* by pass: places that the one behind it waited for */
    uint32_t *new_id;     /* by place; 0: it is left out */
    bool *cut;            /* by place: so */
    uint32_t *received;   /* by pass: id of the message that was put in, or 0 */
    uint32_t *kept_last;  /* by pass: the last place that is kept of what is cut, or NADI_NONE */
    struct nadi_full_node send, recv; /* of the last stage */
    struct {
        struct piece *items;
        size_t count, capacity;
    } pieces;
};

/* ---- the order of passes ------------------------------------------------------------------- */

/* Place in the schedule of stage `warm`: which pass, forward or backward, is the i-th. */
static uint32_t pass_at(const struct work *w, uint32_t warm, uint32_t i)
{
    const uint32_t m = w->r->pipeline->batches;
    const bool steady = i >= warm && i < 2 * m - warm;
    const bool backward = steady ? (i - warm) % 2 == 1 : i >= warm;
    uint32_t batch = i;
    if (steady)
        batch = backward ? (i - warm) / 2 : warm + (i - warm) / 2;
    else if (i >= warm)
        batch = i - m;
    for (uint32_t k = 0; k < w->passes.list.count; k++) {
        const struct nadi_stage_pass *pass = &w->passes.list.items[k];
        if (pass->backward == backward && pass->batch == batch)
            return k;
    }
    NADI_BUG("a pass that is not there");
}

/* ---- a stage in the middle, of the first and the last -------------------------------------- */

struct signs { /* of regular nodes */
    uint64_t *items;
    uint32_t *places;
    size_t count;
};

static struct signs signs_of(const struct nadi_full *f, const uint32_t *order, const bool *apart,
                             uint32_t first, uint32_t end)
{
    struct signs s = {.items = NADI_NEW(uint64_t, (size_t)(end - first) + 1),
                      .places = NADI_NEW(uint32_t, (size_t)(end - first) + 1)};
    struct nadi_str scratch = NADI_STR_INIT;
    for (uint32_t at = first; at < end; at++) {
        if (apart && apart[order[at]])
            continue;
        s.places[s.count] = at;
        s.items[s.count++] = nadi_node_sign(&f->nodes[order[at]], &scratch);
    }
    nadi_str_release(&scratch);
    return s;
}

static void free_signs(struct signs *s)
{
    nadi_mem_free(s->items);
    nadi_mem_free(s->places);
}

struct common { /* regular nodes that both stages have */
    uint32_t forward, backward;
};

/* Behind the last stage's first receive, and before its first send. */
static void last_messages(const struct work *w, const uint32_t *order, uint32_t *receive,
                          uint32_t *send)
{
    *receive = *send = NADI_NONE;
    for (uint32_t at = 0; at < w->r->last->node_count; at++) {
        const enum nadi_stage_message kind =
            nadi_stage_message(&w->r->last->nodes[order[at]], w->r->stride);
        if (kind == NADI_STAGE_RECV_FORWARD && *receive == NADI_NONE)
            *receive = at;
        if (kind == NADI_STAGE_SEND_BACKWARD && *send == NADI_NONE)
            *send = at;
    }
}

/* The longest end of `a` that is the beginning of `b`. */
static uint32_t longest_end(const struct signs *a, const struct signs *b)
{
    for (size_t n = a->count < b->count ? a->count : b->count; n > 0; n--)
        if (memcmp(a->items + a->count - n, b->items, n * sizeof(uint64_t)) == 0)
            return (uint32_t)n;
    return 0;
}

/* Of the first stage's forward pass what the last stage's begins with; of its backward pass what
 * the last stage's ends with. */
static struct common find_common(struct work *w)
{
    struct common common = {0, 0};
    const struct nadi_stage_pass *forward = &w->passes.list.items[0], *backward = forward;
    uint32_t *order = nadi_places(w->r->last), receive, send;
    while (!backward->backward)
        backward++;
    last_messages(w, order, &receive, &send);
    w->recv = w->r->last->nodes[order[receive]];
    w->send = w->r->last->nodes[order[send]];
    struct signs mine = signs_of(w->f, w->passes.order, w->r->apart, forward->first, forward->end);
    struct signs other = signs_of(w->r->last, order, w->r->last_apart, receive + 1, send);
    uint32_t ends = 0; /* with the message */
    while (ends < mine.count && nadi_stage_message(&w->f->nodes[w->passes.order[mine.places[ends]]],
                                                   w->r->stride) == NADI_STAGE_NONE)
        ends++;
    mine.count = ends;
    common.forward = longest_end(&mine, &other);
    free_signs(&mine);
    mine = signs_of(w->f, w->passes.order, w->r->apart, backward->first + 1, backward->end);
    common.backward = longest_end(&other, &mine);
    free_signs(&mine);
    free_signs(&other);
    nadi_mem_free(order);
    return common;
}

/* ---- pieces -------------------------------------------------------------------------------- */

static void add_piece(struct work *w, uint32_t place, uint32_t pass, enum nadi_stage_message kind)
{
    NADI_PUSH(&w->pieces, ((struct piece){place, pass, kind}));
    if (place != NADI_NONE)
        w->new_id[place] = (uint32_t)w->pieces.count;
}

static bool is_apart(const struct work *w, uint32_t place)
{
    return w->r->apart[w->passes.order[place]];
}

static bool gathers(const struct work *w, uint32_t place)
{
    const int64_t kind = nadi_full_integer(&w->f->nodes[w->passes.order[place]], "comm_type", -1);
    return kind == NADI_ALL_GATHER || kind == NADI_BROADCAST;
}

/* Is a node that it waits for, in its pass, left out? */
static bool hangs(const struct work *w, uint32_t place, uint32_t first)
{
    const struct nadi_full_node *n = &w->f->nodes[w->passes.order[place]];
    const uint64_t *deps = nadi_full_deps(w->f, n);
    for (uint32_t k = 0; k < n->data_deps + n->ctrl_deps; k++) {
        const uint32_t dep = nadi_ids_find(&w->ids, deps[k]);
        if (dep == NADI_NONE)
            continue;
        const uint32_t at = w->place_of[dep];
        if (at >= first && at < place && w->cut[at] && !gathers(w, at))
            return true;
    }
    return false;
}

/* What gradients become goes with the nodes that it waits for; what is gathered, with those that
 * wait for it, if any does. */
static void cut_apart(struct work *w)
{
    enum { WANTED = 1, BY_KEPT = 2 };
    const struct nadi_stage_pass *pass = w->passes.list.items;
    uint8_t *use = NADI_ZNEW(uint8_t, (size_t)w->passes.count + 1);
    for (uint32_t at = 0; at < w->passes.count; at++) {
        const struct nadi_full_node *n = &w->f->nodes[w->passes.order[at]];
        const uint64_t *deps = nadi_full_deps(w->f, n);
        for (uint32_t k = 0; k < n->data_deps + n->ctrl_deps && !is_apart(w, at); k++) {
            const uint32_t dep = nadi_ids_find(&w->ids, deps[k]);
            if (dep != NADI_NONE)
                use[w->place_of[dep]] |= w->cut[at] ? WANTED : WANTED | BY_KEPT;
        }
    }
    for (uint32_t at = 0; at < w->passes.count; at++)
        if (is_apart(w, at))
            w->cut[at] = gathers(w, at) && use[at] ? !(use[at] & BY_KEPT)
                                                   : hangs(w, at, pass[w->pass_of[at]].first);
    nadi_mem_free(use);
}

/* Of a forward pass the last `common` regular nodes and the message that ends it stay, of a
 * backward one the message in front, the first `common` and what is behind the other `dropped`. */
static void cut_pass(struct work *w, uint32_t k, struct common common, uint32_t dropped)
{
    const struct nadi_stage_pass *pass = &w->passes.list.items[k];
    const uint32_t skip = w->passes.forward_nodes - 1 - common.forward;
    uint32_t regular = 0;
    for (uint32_t at = pass->first; at < pass->end; at++) {
        if (is_apart(w, at))
            continue;
        w->cut[at] = pass->backward
                         ? regular > common.backward && regular <= common.backward + dropped
                         : regular < skip;
        w->cut[at] |= nadi_message_is_tied(&w->f->nodes[w->passes.order[at]]);
        if (pass->backward && regular == common.backward)
            w->kept_last[k] = at;
        regular++;
    }
}

static void add_pass(struct work *w, uint32_t k)
{
    const struct nadi_stage_pass *pass = &w->passes.list.items[k];
    if (w->r->last && !pass->backward) {
        add_piece(w, NADI_NONE, k, NADI_STAGE_RECV_FORWARD);
        w->received[k] = (uint32_t)w->pieces.count;
    }
    for (uint32_t at = pass->first; at < pass->end; at++) {
        if (!w->cut[at])
            add_piece(w, at, k,
                      nadi_stage_message(&w->f->nodes[w->passes.order[at]], w->r->stride));
        if (at == w->kept_last[k])
            add_piece(w, NADI_NONE, k, NADI_STAGE_SEND_BACKWARD);
    }
}

static uint32_t regular_nodes(const struct work *w, const struct nadi_stage_pass *pass)
{
    uint32_t count = 0;
    for (uint32_t at = pass->first; at < pass->end; at++)
        count += !is_apart(w, at);
    return count;
}

/* A backward pass behind which there is another pass: nothing of the end of the step is in it. */
static const struct nadi_stage_pass *plain_backward(const struct work *w)
{
    for (uint32_t k = 0; k + 1 < w->passes.list.count; k++)
        if (w->passes.list.items[k].backward)
            return &w->passes.list.items[k];
    return NULL;
}

/* What a pass gathers depends on what the one before it left there: with another one before it
 * other parameters are missing. */
static bool gathers_by_pass(const struct work *w)
{
    uint32_t last = NADI_NONE, passes = 0;
    for (uint32_t at = 0; at < w->passes.count; at++) {
        if (!is_apart(w, at) || !gathers(w, at) || w->pass_of[at] == last)
            continue;
        last = w->pass_of[at];
        passes++;
    }
    return passes > 1;
}

static bool add_pieces(struct work *w, struct nadi_diags *diags)
{
    const uint32_t passes = (uint32_t)w->passes.list.count;
    const uint32_t warm = nadi_warm_up(w->r->pipeline, w->r->new_stages, w->r->new_stage);
    struct common common = {0, 0};
    uint32_t dropped = 0;
    if (gathers_by_pass(w))
        return nadi_error(diags, "rescale/gathers", NADI_IN_FILE(w->f->path),
                          "generate the job with as many stages",
                          "each pass gathers parameters that the one before it has not left there "
                          "(ZeRO-3): in another order of passes it would gather others");
    if (w->r->last) {
        const struct nadi_stage_pass *plain = plain_backward(w);
        if (plain)
            common = find_common(w);
        if (common.forward == 0 || common.backward == 0)
            return nadi_error(
                diags, "rescale/middle", NADI_IN_FILE(w->f->path),
                "a job of three or more stages has one, and one of two needs two "
                "micro-batches or more, and layers that are alike on both (detail=kernel)",
                "no stage in the middle can be made of the first and the last: their "
                "passes have nothing in common");
        dropped = regular_nodes(w, plain) - 1 - common.backward;
        for (uint32_t k = 0; k < passes; k++)
            cut_pass(w, k, common, dropped);
        cut_apart(w);
    }
    for (uint32_t i = 0; i < passes; i++) {
        const uint32_t k = pass_at(w, warm, i);
        w->before[k] = i ? pass_at(w, warm, i - 1) : NADI_NONE;
        add_pass(w, k);
    }
    return true;
}

/* ---- dependencies -------------------------------------------------------------------------- */

/* What nodes of a pass wait for in the one before it. */
static void find_exits(struct work *w)
{
    bool *seen = NADI_ZNEW(bool, w->passes.count + 1);
    for (uint32_t at = 0; at < w->passes.count; at++) {
        const struct nadi_full_node *n = &w->f->nodes[w->passes.order[at]];
        const uint64_t *deps = nadi_full_deps(w->f, n);
        for (uint32_t k = 0; k < n->data_deps + n->ctrl_deps; k++) {
            const uint32_t dep = nadi_ids_find(&w->ids, deps[k]);
            const uint32_t to = dep == NADI_NONE ? at : w->place_of[dep];
            if (w->pass_of[to] + 1 != w->pass_of[at] || seen[to])
                continue;
            seen[to] = true;
            NADI_PUSH(&w->exits[w->pass_of[to]], to);
        }
    }
    nadi_mem_free(seen);
}

static void add_dep(struct nadi_u64_list *deps, size_t since, uint64_t id)
{
    for (size_t i = since; i < deps->count; i++)
        if (deps->items[i] == id)
            return;
    if (id)
        NADI_PUSH(deps, id);
}

static void add_exits(const struct work *w, uint32_t pass, struct nadi_u64_list *deps, size_t since)
{
    const uint32_t before = w->before[pass];
    if (before == NADI_NONE)
        return;
    for (size_t i = 0; i < w->exits[before].count; i++) {
        const uint32_t at = w->exits[before].items[i];
        if (w->new_id[at])
            add_dep(deps, since, w->new_id[at]);
        else if (w->kept_last[before] != NADI_NONE)
            add_dep(deps, since, w->new_id[w->kept_last[before]]);
    }
}

/* The new dependency for one on a place. */
static void follow(const struct work *w, const struct piece *p, uint32_t at,
                   struct nadi_u64_list *deps, size_t since)
{
    const uint32_t pass = w->pass_of[at];
    if (pass + 1 == p->pass)
        add_exits(w, p->pass, deps, since);
    else if (w->new_id[at])
        add_dep(deps, since, w->new_id[at]);
    else if (w->received[pass]) { /* of a forward pass that begins later */
        if (pass == p->pass)
            add_exits(w, pass, deps, since);
        add_dep(deps, since, w->received[pass]);
    } else if (w->kept_last[pass] != NADI_NONE) /* of a backward pass that ends earlier */
        add_dep(deps, since, w->new_id[w->kept_last[pass]]);
}

static bool in_order(const struct work *w, const struct nadi_u64_list *deps, uint64_t id,
                     struct nadi_diags *diags)
{
    for (size_t i = 0; i < deps->count; i++)
        if (deps->items[i] >= id)
            return nadi_error(diags, "rescale/schedule", NADI_IN_FILE(w->f->path),
                              "generate the job with as many stages",
                              "a pass waits for one that comes behind it in the new schedule");
    return true;
}

/* ---- writing ------------------------------------------------------------------------------- */

struct page {
    struct nadi_out *sink;
    struct nadi_str scratch;
    struct nadi_u64_list deps;
};

static int64_t tag_of(const struct work *w, const struct piece *p)
{
    const uint32_t batch = w->passes.list.items[p->pass].batch;
    const bool forward =
        p->message == NADI_STAGE_SEND_FORWARD || p->message == NADI_STAGE_RECV_FORWARD;
    return forward ? w->r->pipeline->forward[batch] : w->r->pipeline->backward[batch];
}

static void put_deps(const struct work *w, const struct piece *p, struct page *page,
                     struct nadi_node_patch *patch)
{
    page->deps.count = 0;
    if (p->place == NADI_NONE) { /* as what it stands for would */
        if (p->message == NADI_STAGE_RECV_FORWARD)
            add_exits(w, p->pass, &page->deps, 0);
        else
            add_dep(&page->deps, 0, w->new_id[w->kept_last[p->pass]]);
        patch->data_count = page->deps.count;
        return;
    }
    const struct nadi_full_node *n = &w->f->nodes[w->passes.order[p->place]];
    const uint64_t *deps = nadi_full_deps(w->f, n);
    for (uint32_t k = 0; k < n->data_deps + n->ctrl_deps; k++) {
        const uint32_t dep = nadi_ids_find(&w->ids, deps[k]);
        if (dep != NADI_NONE)
            follow(w, p, w->place_of[dep], &page->deps, k < n->data_deps ? 0 : patch->data_count);
        if (k < n->data_deps)
            patch->data_count = page->deps.count;
    }
}

static bool write_piece(const struct work *w, size_t index, struct page *page,
                        struct nadi_diags *diags)
{
    const struct piece *p = &w->pieces.items[index];
    const struct nadi_full_node *n = &w->send;
    struct nadi_attr_patch tag = {.name = "comm_tag", .kind = NADI_ATTR_PATCH_INTEGER};
    struct nadi_node_patch patch = {
        .has_id = true, .id = index + 1, .deps = true, .attrs = &tag, .attr_count = 0};
    if (p->place != NADI_NONE)
        n = &w->f->nodes[w->passes.order[p->place]];
    else if (p->message == NADI_STAGE_RECV_FORWARD)
        n = &w->recv;
    put_deps(w, p, page, &patch);
    patch.data_deps = page->deps.items;
    patch.ctrl_deps = page->deps.items ? page->deps.items + patch.data_count : NULL;
    patch.ctrl_count = page->deps.count - patch.data_count;
    if (p->message != NADI_STAGE_NONE) {
        tag.bits = (uint64_t)tag_of(w, p);
        patch.attr_count = 1;
    }
    nadi_full_write_node(page->sink, &page->scratch, n, &patch);
    return in_order(w, &page->deps, patch.id, diags);
}

static bool write_pieces(const struct work *w, struct nadi_str *out, struct nadi_diags *diags)
{
    struct page page = {.sink = nadi_out_memory(out, NADI_CODING_PLAIN), .scratch = NADI_STR_INIT};
    bool ok = true;
    nadi_full_write_metadata(page.sink, w->f);
    for (size_t i = 0; i < w->pieces.count && ok; i++)
        ok = write_piece(w, i, &page, diags);
    nadi_str_release(&page.scratch);
    nadi_mem_free(page.deps.items);
    return nadi_out_close(page.sink, diags) && ok;
}

/* ---- the last stage ------------------------------------------------------------------------ */

/* It has no warm-up in either job: only the tags change. */
static bool write_last(const struct nadi_full *f, const struct nadi_restage *r,
                       struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_out *sink = nadi_out_memory(out, NADI_CODING_PLAIN);
    struct nadi_str scratch = NADI_STR_INIT;
    uint32_t *order = nadi_places(f), received = 0, sent = 0;
    nadi_full_write_metadata(sink, f);
    for (size_t i = 0; i < f->node_count; i++) {
        const struct nadi_full_node *n = &f->nodes[order[i]];
        const enum nadi_stage_message kind = nadi_stage_message(n, r->stride);
        struct nadi_attr_patch tag = {.name = "comm_tag", .kind = NADI_ATTR_PATCH_INTEGER};
        const struct nadi_node_patch patch = {.attrs = &tag, .attr_count = 1};
        if (kind == NADI_STAGE_RECV_FORWARD)
            tag.bits = (uint64_t)r->pipeline->forward[received++];
        else if (kind == NADI_STAGE_SEND_BACKWARD)
            tag.bits = (uint64_t)r->pipeline->backward[sent++];
        nadi_full_write_node(sink, &scratch, n, kind == NADI_STAGE_NONE ? NULL : &patch);
    }
    nadi_mem_free(order);
    nadi_str_release(&scratch);
    return nadi_out_close(sink, diags);
}

static void prepare(struct work *w)
{
    const uint32_t count = w->passes.count, passes = (uint32_t)w->passes.list.count;
    nadi_ids_init(&w->ids, &w->f->nodes->id, sizeof(*w->f->nodes), count);
    w->place_of = NADI_NEW(uint32_t, count + 1);
    w->pass_of = NADI_NEW(uint32_t, count + 1);
    w->new_id = NADI_ZNEW(uint32_t, count + 1);
    w->cut = NADI_ZNEW(bool, count + 1);
    w->before = NADI_NEW(uint32_t, passes + 1);
    w->exits = NADI_ZNEW(struct places, passes + 1);
    w->received = NADI_ZNEW(uint32_t, passes + 1);
    w->kept_last = NADI_NEW(uint32_t, passes + 1);
    for (uint32_t at = 0; at < count; at++)
        w->place_of[w->passes.order[at]] = at;
    for (uint32_t k = 0; k < passes; k++) {
        w->kept_last[k] = NADI_NONE;
        for (uint32_t at = w->passes.list.items[k].first; at < w->passes.list.items[k].end; at++)
            w->pass_of[at] = k;
    }
    find_exits(w);
}

static void release(struct work *w)
{
    for (size_t k = 0; k < w->passes.list.count && w->exits; k++)
        nadi_mem_free(w->exits[k].items);
    nadi_mem_free(w->exits);
    nadi_mem_free(w->place_of);
    nadi_mem_free(w->pass_of);
    nadi_mem_free(w->new_id);
    nadi_mem_free(w->cut);
    nadi_mem_free(w->before);
    nadi_mem_free(w->received);
    nadi_mem_free(w->kept_last);
    nadi_mem_free(w->pieces.items);
    nadi_ids_release(&w->ids);
    nadi_passes_release(&w->passes);
}

bool nadi_restage_write(const struct nadi_full *f, const struct nadi_restage *r,
                        struct nadi_str *out, struct nadi_diags *diags)
{
    struct work w = {.f = f, .r = r};
    if (r->stage + 1 == r->stages)
        return write_last(f, r, out, diags);
    bool ok = nadi_passes_find(&w.passes, f, r, diags);
    if (ok) {
        prepare(&w);
        ok = add_pieces(&w, diags) && write_pieces(&w, out, diags);
    }
    release(&w);
    return ok;
}
