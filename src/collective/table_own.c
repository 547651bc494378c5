/* table_own: the own form of tables: a document whose rows are steps. */
#include "collective/table_inside.h"
#include "settings/schema.h"

enum { ROWS_AN_ARENA = 1024 }; /* values of rows are not kept */

struct reader {
    struct nadi_table_file *f;
    const struct nadi_doc *doc;
    struct nadi_diags *diags;
};

static struct nadi_place place(const struct reader *r, const struct nadi_schema_values *v,
                               const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->node ? nadi_doc_place(r->doc, value->node) : NADI_IN_FILE(r->doc->path);
}

static uint32_t number(const struct nadi_schema_values *v, const char *key, uint32_t absent)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? (uint32_t)value->items[0].integer : absent;
}

/* A member of the table. */
static bool read_member(const struct reader *r, const struct nadi_schema_values *v, const char *key,
                        uint32_t *member)
{
    *member = number(v, key, NADI_NONE);
    if (*member == NADI_NONE || *member < r->f->table.shape.n)
        return true;
    return nadi_error(r->diags, "collective/member", place(r, v, key), NULL,
                      "there is no member %u: the last one is %u", *member,
                      r->f->table.shape.n - 1);
}

static bool read_number(const char **at, uint64_t *value)
{
    const char *end = nadi_str_take_u64(*at, value);
    if (!end)
        return false;
    *at = end + strspn(end, " ");
    return true;
}

/* "3" or "0-3,7" into the lists of the step added last. */
static bool read_slots(const struct reader *r, const struct nadi_schema_values *v, const char *key,
                       void (*add)(struct nadi_table *, uint32_t, uint32_t))
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    struct nadi_table *t = &r->f->table;
    if (value->count == 0)
        return true;
    for (const char *p = value->items[0].text + strspn(value->items[0].text, " ");; p++) {
        uint64_t first, last;
        p += strspn(p, " ");
        bool good = read_number(&p, &first);
        last = first;
        if (good && *p == '-') {
            p += 1 + strspn(p + 1, " ");
            good = read_number(&p, &last) && last >= first;
        }
        if (!good || (*p != ',' && *p != '\0') || nadi_doc_two_ways(v->doc, value->node))
            return nadi_error(r->diags, "collective/slots", place(r, v, key),
                              "write 3 or \"0-3,7\"", "'%.60s' is no list of slots",
                              value->items[0].text);
        if (last >= t->slots)
            return nadi_error(r->diags, "collective/slots", place(r, v, key), NULL,
                              "there is no slot %" PRIu64 ": the last one is %u", last,
                              t->slots - 1);
        add(t, (uint32_t)first, (uint32_t)(last - first + 1));
        if (*p == '\0')
            return true;
    }
}

static bool check_step(const struct reader *r, const struct nadi_schema_values *v,
                       const struct nadi_doc_node *row, const struct nadi_table_step *s)
{
    const struct nadi_place at = nadi_doc_place(r->doc, row);
    if (s->step.local && (s->step.to != NADI_NONE || s->step.from != NADI_NONE))
        return nadi_error(r->diags, "collective/local", place(r, v, "local"),
                          "make two steps of it", "a step with 'local' neither sends nor receives");
    if (nadi_schema_is_set(v, "send") && s->step.to == NADI_NONE)
        return nadi_error(r->diags, "collective/send", place(r, v, "send"), "add 'to'",
                          "the step sends to nobody");
    if (nadi_schema_is_set(v, "into") && s->step.from == NADI_NONE && !s->step.local)
        return nadi_error(r->diags, "collective/into", place(r, v, "into"), "add 'from'",
                          "the step receives from nobody");
    if (s->step.to == s->member || s->step.from == s->member)
        return nadi_error(r->diags, "collective/self", at, "use 'local'",
                          "member %u sends to itself", s->member);
    if (nadi_schema_is_set(v, "wait-lane") && s->step.wait_steps == 0)
        return nadi_error(r->diags, "collective/wait", place(r, v, "wait-lane"), "add 'wait-steps'",
                          "the step waits for 0 steps");
    return true;
}

static bool read_step(const struct reader *r, const struct nadi_doc_node *row,
                      struct nadi_arena *arena)
{
    struct nadi_schema_values v;
    struct nadi_table *t = &r->f->table;
    uint32_t member, to, from;
    if (!nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_COLLECTIVE_STEP), r->doc, row, true,
                               arena, r->diags) ||
        !read_member(r, &v, "member", &member) || !read_member(r, &v, "to", &to) ||
        !read_member(r, &v, "from", &from))
        return false;
    const uint32_t queue = number(&v, "lane", 0);
    struct nadi_step *s = nadi_table_add(t, member, queue);
    s->to = to;
    s->from = from;
    s->to_queue = number(&v, "to-lane", queue);
    s->reduces = nadi_schema_integer(&v, "add") != 0;
    s->local = nadi_schema_is_set(&v, "local");
    s->wait_steps = number(&v, "wait-steps", 0);
    s->wait_queue =
        nadi_schema_is_set(&v, "wait-lane") ? (int)number(&v, "wait-lane", 0) : NADI_ALL_QUEUES;
    nadi_table_line(t, row->line);
    return read_slots(r, &v, s->local ? "local" : "send", nadi_table_send) &&
           read_slots(r, &v, "into", nadi_table_into) &&
           check_step(r, &v, row, &t->steps.items[t->steps.count - 1]);
}

static bool read_steps(const struct reader *r, const struct nadi_schema_value *steps)
{
    struct nadi_arena arena;
    bool ok = true;
    nadi_arena_init(&arena);
    for (uint32_t i = 0; i < steps->count; i++) {
        if (i % ROWS_AN_ARENA == 0) {
            nadi_arena_release(&arena);
            nadi_arena_init(&arena);
        }
        ok &= read_step(r, steps->items[i].node, &arena);
    }
    nadi_arena_release(&arena);
    return ok;
}

/* The key that a refusal of the shape is about. */
static const char *refused_key(const struct nadi_table_shape *s)
{
    if (s->root >= s->n)
        return "root";
    return s->swapped && (s->separate || s->kind != NADI_ALL_TO_ALL) ? "swapped-results" : "blocks";
}

bool nadi_table_read_own(struct nadi_table_file *f, const struct nadi_doc *doc,
                         struct nadi_diags *diags)
{
    const struct reader r = {f, doc, diags};
    struct nadi_schema_values v;
    if (!nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_COLLECTIVE), doc, true, &f->arena, diags))
        return false;
    struct nadi_table_shape shape = {
        .n = number(&v, "members", 0),
        .root = number(&v, "root", 0),
        .blocks = number(&v, "blocks", 0),
        .scratch = number(&v, "scratch", 0),
        .sends_ahead = nadi_schema_integer(&v, "sends-ahead") != 0,
        .separate = nadi_schema_integer(&v, "separate-results") != 0,
        .swapped = nadi_schema_integer(&v, "swapped-results") != 0,
    };
    const bool known =
        nadi_collective_find(nadi_schema_get(&v, "collective")->items[0].text, &shape.kind);
    NADI_ASSERT(known);
    if (nadi_table_refusal(&shape))
        return nadi_error(diags, "collective/shape", place(&r, &v, refused_key(&shape)), NULL,
                          "no %s of %u members in %u blocks: %s",
                          nadi_schema_get(&v, "collective")->items[0].text, shape.n, shape.blocks,
                          nadi_table_refusal(&shape));
    if (nadi_schema_is_set(&v, "name"))
        f->name = nadi_arena_strdup(&f->arena, nadi_schema_get(&v, "name")->items[0].text);
    nadi_table_init(&f->table, &shape);
    return read_steps(&r, nadi_schema_get(&v, "steps"));
}

/* ---- writing ------------------------------------------------------------------------------- */

static void add_slots(const struct nadi_table *t, const char *key, uint32_t first, uint32_t count,
                      struct nadi_str *out)
{
    if (count == 0)
        return;
    const bool one = count == 1 && t->runs.items[first].count == 1;
    nadi_str_printf(out, ", %s: %s", key, one ? "" : "\"");
    for (uint32_t i = 0; i < count; i++) {
        const struct nadi_table_run *r = &t->runs.items[first + i];
        nadi_str_printf(out, "%s%u", i ? "," : "", r->slot);
        if (r->count > 1)
            nadi_str_printf(out, "-%u", r->slot + r->count - 1);
    }
    nadi_str_add(out, one ? "" : "\"");
}

static void add_number(const char *key, uint32_t value, struct nadi_str *out)
{
    nadi_str_printf(out, ", %s: %u", key, value);
}

static void add_step(const struct nadi_table *t, const struct nadi_table_step *s,
                     struct nadi_str *out)
{
    nadi_str_printf(out, "  - {member: %u", s->member);
    if (s->queue)
        add_number("lane", s->queue, out);
    if (s->step.to != NADI_NONE)
        add_number("to", s->step.to, out);
    if (s->step.to != NADI_NONE && s->step.to_queue != s->queue)
        add_number("to-lane", s->step.to_queue, out);
    if (s->step.from != NADI_NONE)
        add_number("from", s->step.from, out);
    add_slots(t, s->step.local ? "local" : "send", s->sent, s->sent_count, out);
    add_slots(t, "into", s->into, s->into_count, out);
    if (s->step.reduces)
        add_number("add", 1, out);
    if (s->step.wait_steps && s->step.wait_queue != NADI_ALL_QUEUES)
        add_number("wait-lane", (uint32_t)s->step.wait_queue, out);
    if (s->step.wait_steps)
        add_number("wait-steps", s->step.wait_steps, out);
    nadi_str_add(out, "}\n");
}

void nadi_table_write_own(const struct nadi_table *t, const char *name, struct nadi_str *out)
{
    nadi_str_printf(out, "collective: %s\n", nadi_collective_label(t->shape.kind));
    if (name) {
        nadi_str_add(out, "name: \"");
        for (const char *c = name; *c; c++)
            nadi_str_printf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        nadi_str_add(out, "\"\n");
    }
    nadi_str_printf(out, "members: %u\nblocks: %u\n", t->shape.n, t->shape.blocks);
    if (t->shape.scratch)
        nadi_str_printf(out, "scratch: %u\n", t->shape.scratch);
    if (t->shape.separate)
        nadi_str_add(out, "separate-results: 1\n");
    if (t->shape.swapped)
        nadi_str_add(out, "swapped-results: 1\n");
    if (t->shape.sends_ahead)
        nadi_str_add(out, "sends-ahead: 1\n");
    if (t->shape.root)
        nadi_str_printf(out, "root: %u\n", t->shape.root);
    nadi_str_add(out, t->steps.count ? "steps:\n" : "steps: []\n");
    for (size_t i = 0; i < t->steps.count; i++)
        add_step(t, &t->steps.items[i], out);
}
