#include "collective/table_file.h"

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/signature.h"
#include "collective/table_inside.h"
#include "collective/verify.h"

static const char *const form_names[NADI_TABLE_FORMS] = {
    [NADI_TABLE_NO_FORM] = "",        [NADI_TABLE_OWN] = "own",     [NADI_TABLE_MSCCL] = "msccl",
    [NADI_TABLE_MSCCLPP] = "mscclpp", [NADI_TABLE_TACOS] = "tacos", [NADI_TABLE_CHAKRA] = "chakra",
};

const char *nadi_table_form_name(enum nadi_table_form form)
{
    NADI_ASSERT(form < NADI_TABLE_FORMS);
    return form_names[form];
}

enum nadi_table_form nadi_table_form_find(const char *word)
{
    for (int f = 1; f < NADI_TABLE_FORMS; f++)
        if (strcmp(form_names[f], word) == 0)
            return (enum nadi_table_form)f;
    return NADI_TABLE_NO_FORM;
}

/* Place of a step for messages. */
static struct nadi_place table_place(const struct nadi_table_file *f, uint32_t member,
                                     uint32_t queue, uint32_t step)
{
    struct nadi_place place = NADI_IN_FILE(f->path);
    if (member < nadi_table_members(&f->table) && queue < f->table.queues &&
        step < nadi_table_steps(&f->table, member, queue))
        place.line = nadi_table_at(&f->table, member, queue, step)->line;
    return place;
}

/* ---- what holds for tables of all forms ---------------------------------------------------- */

/* Messages from a to a queue of b come from one queue of a: else which is the next one depended on
 * the time. */
static bool check_senders(const struct nadi_table_file *f, struct nadi_diags *diags)
{
    const struct nadi_table *t = &f->table;
    struct nadi_map64 senders;
    bool ok = true;
    nadi_map64_init(&senders, t->steps.count);
    for (size_t i = 0; i < t->steps.count && ok; i++) {
        const struct nadi_table_step *s = &t->steps.items[i];
        struct nadi_place place = NADI_IN_FILE(f->path);
        place.line = s->line;
        if (s->step.to == NADI_NONE || s->step.to == NADI_FAN)
            continue; /* a fan has a lane of its own */
        if (s->step.to_queue >= t->queues) {
            ok = nadi_error(diags, "collective/lane", place, NULL,
                            "member %u sends to lane %u of member %u, which has no steps there",
                            s->member, s->step.to_queue, s->step.to);
            continue;
        }
        const uint64_t receiver = (uint64_t)s->step.to * t->queues + s->step.to_queue;
        const uint32_t queue =
            *nadi_map64_put(&senders, receiver * nadi_table_members(t) + s->member, s->queue, NULL);
        if (queue != s->queue)
            ok = nadi_error(diags, "collective/senders", place,
                            "let each lane of the receiver hear one lane of the sender",
                            "member %u sends to lane %u of member %u from its lanes %u and %u: "
                            "which message comes first would be a matter of luck",
                            s->member, s->step.to_queue, s->step.to, queue, s->queue);
    }
    nadi_map64_release(&senders);
    return ok;
}

static bool check_queues(const struct nadi_table_file *f, struct nadi_diags *diags)
{
    const struct nadi_table *t = &f->table;
    if ((uint64_t)t->shape.n * t->queues > (1U << 27))
        return nadi_error(diags, "collective/size", NADI_IN_FILE(f->path), NULL,
                          "%u members with %u lanes each are more than can be run", t->shape.n,
                          t->queues);
    for (size_t i = 0; i < t->steps.count; i++) {
        const struct nadi_step *s = &t->steps.items[i].step;
        struct nadi_place place = NADI_IN_FILE(f->path);
        place.line = t->steps.items[i].line;
        if (s->wait_steps > 0 && s->wait_queue != NADI_ALL_QUEUES &&
            (uint32_t)s->wait_queue >= t->queues)
            return nadi_error(diags, "collective/lane", place, NULL,
                              "member %u waits for steps of lane %d, which has none",
                              t->steps.items[i].member, s->wait_queue);
    }
    return true;
}

static bool finish(struct nadi_table_file *f, struct nadi_diags *diags)
{
    if (!check_queues(f, diags) || !check_senders(f, diags))
        return false;
    nadi_table_finish(&f->table);
    return true;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* "a/b/ring.xml" as "ring". */
static const char *name_of(struct nadi_arena *arena, const char *path)
{
    const char *base = nadi_file_name(path);
    const char *dot = strrchr(base, '.');
    return nadi_arena_strndup(arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static bool read_document(struct nadi_table_file *f, const char *data, size_t bytes,
                          struct nadi_diags *diags)
{
    const bool json = *data == '{';
    struct nadi_doc doc;
    if (!nadi_doc_parse(&doc, f->path, data, bytes,
                        nadi_doc_syntax_of(f->path, json ? NADI_DOC_JSON : NADI_DOC_YAML), diags))
        return false;
    const bool plan = doc.root->kind == NADI_DOC_MAP && nadi_doc_find(doc.root, "gpus");
    f->form = plan ? NADI_TABLE_MSCCLPP : NADI_TABLE_OWN;
    const bool ok =
        plan ? nadi_table_read_mscclpp(f, &doc, diags) : nadi_table_read_own(f, &doc, diags);
    nadi_doc_release(&doc);
    return ok;
}

static bool read_any(struct nadi_table_file *f, char *data, size_t bytes, struct nadi_diags *diags)
{
    const char *first = data + strspn(data, " \t\r\n");
    if (*first == '\0')
        return nadi_error(diags, "collective/empty", NADI_IN_FILE(f->path),
                          "own form (docs/guide/custom-collectives.md), MSCCL XML, an MSCCL++ "
                          "execution plan or TACOS' CSV",
                          "there is no algorithm in it");
    if (*first == '<') {
        f->form = NADI_TABLE_MSCCL;
        return nadi_table_read_msccl(f, data, bytes, diags);
    }
    if (nadi_str_starts(first, "NPUs Count,")) {
        f->form = NADI_TABLE_TACOS;
        return nadi_table_read_tacos(f, data, diags);
    }
    return read_document(f, data, bytes, diags);
}

bool nadi_table_parse(struct nadi_table_file *f, const char *path, char *data, size_t bytes,
                      struct nadi_diags *diags)
{
    *f = (struct nadi_table_file){.most_bytes = UINT64_MAX};
    nadi_arena_init(&f->arena);
    f->path = nadi_arena_strdup(&f->arena, path);
    f->name = name_of(&f->arena, path);
    const bool ok = read_any(f, data, bytes, diags) && finish(f, diags);
    if (!ok)
        nadi_table_file_release(f);
    return ok;
}

bool nadi_table_read(struct nadi_table_file *f, const char *path, struct nadi_diags *diags)
{
    char *data;
    size_t bytes;
    if (!nadi_file_read(path, "file of a collective", &data, &bytes, diags))
        return false;
    const bool ok = nadi_signature_check(path, "file of a collective", data, bytes, diags) &&
                    nadi_table_parse(f, path, data, bytes, diags);
    nadi_mem_free(data);
    return ok;
}

void nadi_table_file_release(struct nadi_table_file *f)
{
    nadi_table_release(&f->table);
    nadi_arena_release(&f->arena);
}

/* In one order of each member's queues; waits that are missing may not show in the other. */
static bool prove(const struct nadi_table_file *f, bool backwards, struct nadi_diags *diags)
{
    const struct nadi_verify_machine machine = {.alpha = 1, .backwards = backwards};
    const struct nadi_program_request q = {.kind = f->table.shape.kind,
                                           .n = f->table.shape.n,
                                           .root = f->table.shape.root,
                                           .bytes = f->table.shape.blocks,
                                           .table = &f->table};
    struct nadi_program p;
    const char *refused = nadi_program_make(nadi_table_ops(&f->table), &q, &p);
    NADI_ASSERT(!refused);
    const struct nadi_verify_outcome o = nadi_verify(&p, &machine);
    if (o.result == NADI_VERIFY_OK)
        return true;
    const bool at_step = o.result != NADI_VERIFY_MISSING && o.result != NADI_VERIFY_LEFTOVER &&
                         o.result != NADI_VERIFY_SIZE;
    return nadi_error(diags, "collective/wrong",
                      at_step ? table_place(f, o.member, o.queue, o.step) : NADI_IN_FILE(f->path),
                      backwards ? "a wait for a step of another lane is missing" : NULL,
                      "this is no %s%s: %s", nadi_collective_name(f->table.shape.kind),
                      backwards ? " in every order of steps" : "",
                      nadi_verify_text(&p, &o, &diags->arena));
}

bool nadi_table_prove(const struct nadi_table_file *f, struct nadi_diags *diags)
{
    return prove(f, false, diags) && prove(f, true, diags);
}
