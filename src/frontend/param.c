/* param: traces of PARAM's communication replay (`comms-replay --trace-type basic`), JSON, one file
 * of each rank in order.
 *
 * A list of entries. {"comms": NAME, "in_msg_size", "out_msg_size" (elements), "dtype", "req",
 * "pg_id", "global_ranks", "root", "src_rank", "dst_rank"}: "init" says who is in a process group,
 * "wait" waits for what has its "req"; what nobody waits for is waited for at once. {"compute":
 * "gemm", "mm_dim" or "mm0_dim0", "mm0_dim1", "mm1_dim1", "dtype", "count"}: a product. Embedding
 * look-ups are refused: their time is not in the file. */
#include "base/mem.h"
#include "base/time.h"
#include "capture/comm_names.h"
#include "format/doc.h"
#include "frontend/frontend.h"

struct open { /* what is waited for later */
    const char *req;
    uint64_t id;
};

struct reader {
    struct nadi_front_job *job;
    const struct nadi_doc *doc;
    struct nadi_strmap waited, groups; /* by req; by pg_id: its group */
    struct {
        struct open *items;
        size_t count, capacity;
    } open;
    uint32_t rank;
    uint64_t last; /* what the next entry waits for */
    struct nadi_diags *diags;
};

static bool wrong(struct reader *r, const struct nadi_doc_node *entry, const char *what,
                  const char *name)
{
    struct nadi_place place = nadi_doc_place(r->doc, entry);
    place.rank = r->rank;
    return nadi_error(r->diags, "param/entry", place, "docs/guide/front-ends.md lists what is read",
                      "%s: %s", name, what);
}

static const char *text_of(const struct nadi_doc_node *entry, const char *key)
{
    const struct nadi_doc_node *n = nadi_doc_find(entry, key);
    return n && n->kind == NADI_DOC_SCALAR ? n->text : NULL;
}

/* A whole number of 0 or more; false with an error. */
static bool number_of(struct reader *r, const struct nadi_doc_node *entry, const char *key,
                      uint64_t *number)
{
    const struct nadi_doc_node *n = nadi_doc_find(entry, key);
    int64_t value;
    if (!n || n->kind != NADI_DOC_SCALAR || !nadi_doc_integer(r->doc, n, &value) || value < 0)
        return wrong(r, entry, "a whole number is missing", key);
    *number = (uint64_t)value;
    return true;
}

static bool width_of(struct reader *r, const struct nadi_doc_node *entry, uint64_t *bytes)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } types[] = {{"float", 4},   {"float32", 4},  {"double", 8}, {"float64", 8}, {"half", 2},
                 {"float16", 2}, {"bfloat16", 2}, {"int", 4},    {"int32", 4},   {"long", 8},
                 {"int64", 8},   {"short", 2},    {"int16", 2},  {"byte", 1},    {"char", 1},
                 {"int8", 1},    {"uint8", 1},    {"bool", 1}};
    const char *type = text_of(entry, "dtype");
    for (size_t i = 0; type && i < sizeof(types) / sizeof(types[0]); i++)
        if (strcasecmp(type, types[i].name) == 0) {
            *bytes = types[i].bytes;
            return true;
        }
    return wrong(r, entry, "no such type of elements", type ? type : "dtype");
}

/* The group of "global_ranks", or of an "init" with the same "pg_id". */
static bool group_of(struct reader *r, const struct nadi_doc_node *entry, uint32_t *group)
{
    const struct nadi_doc_node *ranks = nadi_doc_find(entry, "global_ranks");
    const char *id = text_of(entry, "pg_id");
    *group = 0;
    if (id && (!ranks || ranks->kind != NADI_DOC_LIST)) {
        const uint32_t known = nadi_strmap_find(&r->groups, id, strlen(id));
        *group = known == NADI_NONE ? 0 : known;
        return known != NADI_NONE || nadi_str_equal(id, "0") || nadi_str_equal(id, "null") ||
               wrong(r, entry, "no \"init\" and no \"global_ranks\" say who is in it", id);
    }
    if (!ranks || ranks->kind != NADI_DOC_LIST || ranks->count == 0)
        return true;
    uint32_t *members = NADI_NEW(uint32_t, ranks->count), count = 0;
    bool ok = true, all = ranks->count == r->job->rank_count;
    for (const struct nadi_doc_node *n = ranks->first; n && ok; n = n->next) {
        int64_t member = -1;
        ok = n->kind == NADI_DOC_SCALAR && nadi_doc_integer(r->doc, n, &member) && member >= 0 &&
             member < r->job->rank_count;
        all &= member == count;
        members[count++] = (uint32_t)member;
    }
    if (ok && !all)
        *group = nadi_front_group(r->job, members, count);
    nadi_mem_free(members);
    return ok || wrong(r, entry, "its ranks are no ranks of the files", "global_ranks");
}

static void add(struct reader *r, const struct nadi_doc_node *entry,
                const struct nadi_front_node *node)
{
    const char *req = text_of(entry, "req");
    const uint64_t id = nadi_front_add(r->job, r->rank, node, &r->last, 1);
    if (req && nadi_strmap_find(&r->waited, req, strlen(req)) != NADI_NONE) {
        const struct open open = {req, id};
        NADI_PUSH(&r->open, open);
    } else {
        r->last = id;
    }
}

static bool take_message(struct reader *r, const struct nadi_doc_node *entry, const char *name,
                         bool send, uint64_t bytes)
{
    uint64_t peer;
    if (!number_of(r, entry, send ? "dst_rank" : "src_rank", &peer))
        return false;
    if (peer >= r->job->rank_count)
        return wrong(r, entry, "its peer is no rank of the files", name);
    const struct nadi_front_node node = {.name = name,
                                         .kind = send ? NADI_FRONT_SEND : NADI_FRONT_RECV,
                                         .bytes = bytes ? bytes : 1,
                                         .peer = (uint32_t)peer};
    add(r, entry, &node);
    return true;
}

/* What nobody began, or was waited for already, needs no node. */
static void take_wait(struct reader *r, const char *req)
{
    const struct nadi_front_node node = {.name = "wait", .host = true};
    for (size_t i = 0; req && i < r->open.count; i++) {
        if (!nadi_str_equal(r->open.items[i].req, req))
            continue;
        const uint64_t deps[] = {r->last, r->open.items[i].id};
        r->last = nadi_front_add(r->job, r->rank, &node, deps, 2);
        r->open.items[i] = r->open.items[--r->open.count];
        return;
    }
}

static bool take_collective(struct reader *r, const struct nadi_doc_node *entry, const char *name,
                            enum nadi_collective_kind kind, uint64_t bytes)
{
    struct nadi_front_node node = {.name = name,
                                   .kind = NADI_FRONT_COLLECTIVE,
                                   .collective = kind,
                                   .bytes = bytes ? bytes : 1};
    if (!group_of(r, entry, &node.group))
        return false;
    add(r, entry, &node);
    return true;
}

static bool take_init(struct reader *r, const struct nadi_doc_node *entry)
{
    const char *id = text_of(entry, "pg_id");
    uint32_t group;
    if (!id || !group_of(r, entry, &group))
        return id == NULL;
    nadi_strmap_put(&r->groups, id, strlen(id), group, NULL);
    return true;
}

static bool take_comms(struct reader *r, const struct nadi_doc_node *entry, const char *name)
{
    static const struct {
        enum nadi_comm_operation operation;
        enum nadi_collective_kind kind;
    } kinds[] = {{NADI_OPERATION_ALL_REDUCE, NADI_ALL_REDUCE},
                 {NADI_OPERATION_REDUCE, NADI_REDUCE},
                 {NADI_OPERATION_ALL_GATHER, NADI_ALL_GATHER},
                 {NADI_OPERATION_GATHER, NADI_GATHER},
                 {NADI_OPERATION_SCATTER, NADI_SCATTER},
                 {NADI_OPERATION_BROADCAST, NADI_BROADCAST},
                 {NADI_OPERATION_ALL_TO_ALL, NADI_ALL_TO_ALL},
                 {NADI_OPERATION_REDUCE_SCATTER, NADI_REDUCE_SCATTER},
                 {NADI_OPERATION_BARRIER, NADI_BARRIER}};
    const enum nadi_comm_operation operation = nadi_comm_operation_of(name);
    uint64_t elements = 0, width = 1;
    if (nadi_str_equal(name, "init"))
        return take_init(r, entry);
    if (nadi_str_equal(name, "wait")) {
        take_wait(r, text_of(entry, "req"));
        return true;
    }
    const bool receives = operation == NADI_OPERATION_RECV || operation == NADI_OPERATION_SCATTER;
    if (operation != NADI_OPERATION_BARRIER &&
        (!number_of(r, entry, receives ? "out_msg_size" : "in_msg_size", &elements) ||
         !width_of(r, entry, &width)))
        return false;
    const uint64_t bytes = nadi_count_mul(elements, width);
    if (operation == NADI_OPERATION_SEND || operation == NADI_OPERATION_RECV)
        return take_message(r, entry, name, operation == NADI_OPERATION_SEND, bytes);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].operation == operation)
            return take_collective(r, entry, name, kinds[i].kind, bytes);
    return wrong(r, entry, "no such communication", name);
}

static bool take_compute(struct reader *r, const struct nadi_doc_node *entry, const char *name)
{
    static const char *const dims[] = {"mm0_dim0", "mm0_dim1", "mm1_dim1"};
    uint64_t sizes[3], width, count = 1;
    if (!nadi_str_equal(name, "gemm"))
        return wrong(r, entry, "its time is not in the file; gemm is read", name);
    for (int i = 0; i < 3; i++)
        if (!number_of(r, entry, nadi_doc_find(entry, "mm_dim") ? "mm_dim" : dims[i], &sizes[i]))
            return false;
    if (!width_of(r, entry, &width) ||
        (nadi_doc_find(entry, "count") && !number_of(r, entry, "count", &count)))
        return false;
    const uint64_t m = sizes[0], k = sizes[1], n = sizes[2];
    const uint64_t elements = nadi_count_add(
        nadi_count_mul(m, k), nadi_count_add(nadi_count_mul(k, n), nadi_count_mul(m, n)));
    const struct nadi_front_node node = {
        .name = name,
        .ops = nadi_count_mul(nadi_count_mul(2 * count, m), nadi_count_mul(k, n)),
        .bytes = nadi_count_mul(nadi_count_mul(elements, width), count)};
    r->last = nadi_front_add(r->job, r->rank, &node, &r->last, 1);
    return true;
}

static bool take_entry(struct reader *r, const struct nadi_doc_node *entry)
{
    const char *comms = entry->kind == NADI_DOC_MAP ? text_of(entry, "comms") : NULL;
    const char *compute = entry->kind == NADI_DOC_MAP ? text_of(entry, "compute") : NULL;
    if (comms)
        return take_comms(r, entry, comms);
    return compute ? take_compute(r, entry, compute)
                   : wrong(r, entry, "no comms and no compute", "entry");
}

static bool read_rank(struct reader *r)
{
    const struct nadi_doc_node *root = r->doc->root;
    bool ok = true;
    if (!root || root->kind != NADI_DOC_LIST || root->count == 0)
        return nadi_error(r->diags, "param/form", NADI_IN_FILE(r->doc->path),
                          "a basic trace: [{\"comms\": \"all_reduce\", ...}, ...]",
                          "this is no list of entries");
    nadi_strmap_init(&r->waited);
    nadi_strmap_init(&r->groups);
    for (const struct nadi_doc_node *n = root->first; n; n = n->next) {
        const char *comms = n->kind == NADI_DOC_MAP ? text_of(n, "comms") : NULL;
        const char *req = comms && nadi_str_equal(comms, "wait") ? text_of(n, "req") : NULL;
        if (req)
            nadi_strmap_put(&r->waited, req, strlen(req), 0, NULL);
    }
    for (const struct nadi_doc_node *n = root->first; n && ok; n = n->next)
        ok = take_entry(r, n);
    if (ok && r->job->ranks[r->rank].nodes.count == 0)
        ok = wrong(r, root, "nothing is sent or computed", "trace");
    nadi_strmap_release(&r->waited);
    nadi_strmap_release(&r->groups);
    nadi_mem_free(r->open.items);
    return ok;
}

bool nadi_param_parse(struct nadi_front_job *job, uint32_t rank, const struct nadi_doc *doc,
                      struct nadi_diags *diags)
{
    struct reader r = {.job = job, .rank = rank, .doc = doc, .diags = diags};
    return read_rank(&r);
}

bool nadi_front_read_param(struct nadi_front_job *job, const struct nadi_front_source *source,
                           struct nadi_diags *diags)
{
    bool ok = true;
    nadi_front_grow(job, (uint32_t)source->count);
    for (size_t i = 0; i < source->count && ok; i++) {
        struct nadi_doc doc;
        if (!nadi_doc_read(&doc, source->paths[i], "PARAM trace", NADI_DOC_JSON_PYTHON, diags))
            return false;
        ok = nadi_param_parse(job, (uint32_t)i, &doc, diags);
        nadi_doc_release(&doc);
    }
    return ok;
}
