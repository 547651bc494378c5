#include "generate/v1/loop_form.h"

#include "base/str.h"
#include "settings/schema.h"

enum where { OF_PASS, OF_LAYERS, OF_RECOMPUTE }; /* what steps belong to */

struct reader {
    struct nadi_v1_loop_form *form;
    struct nadi_v1_workload *w;
    const struct nadi_doc *doc;
    struct nadi_arena *scratch;
    struct nadi_diags *diags;
};

static const char *const kinds[NADI_V1_STEP_KINDS] = {
    [NADI_V1_STEP_LAYERS] = "layers",           [NADI_V1_STEP_RECOMPUTE] = "recompute",
    [NADI_V1_STEP_COMPUTE] = "compute",         [NADI_V1_STEP_WAIT] = "wait",
    [NADI_V1_STEP_COMMUNICATE] = "communicate",
};

static const char *const phase_names[NADI_V1_PHASES] = {"forward", "input gradient",
                                                        "weight gradient"};

static unsigned conditions_of(const struct nadi_schema_values *v, const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    unsigned bits = 0;
    for (uint32_t i = 0; i < value->count; i++)
        bits |= 1U << value->items[i].word;
    return bits;
}

/* Exactly one of them. */
static bool find_kind(const struct reader *r, const struct nadi_schema_values *v,
                      const struct nadi_doc_node *map, enum nadi_v1_step_kind *kind)
{
    uint32_t found = 0;
    for (int k = 0; k < NADI_V1_STEP_KINDS; k++)
        if (nadi_schema_get(v, kinds[k])->node) {
            *kind = (enum nadi_v1_step_kind)k;
            found++;
        }
    return found == 1 || nadi_error(r->diags, "loop/step", nadi_doc_place(r->doc, map),
                                    "one of layers, recompute, compute, communicate, wait",
                                    found ? "a step does one thing, this one says %u"
                                          : "this step does nothing%.0u",
                                    found);
}

static bool read_steps(struct reader *r, const struct nadi_schema_value *list, enum where where,
                       struct nadi_v1_step **steps, uint32_t *count);

/* Is the step where it can be done? */
static bool check_place(const struct reader *r, const struct nadi_v1_step *s, enum where where,
                        const struct nadi_place *place)
{
    const bool of_layer =
        s->kind == NADI_V1_STEP_RECOMPUTE || s->all || s->none || s->layer == NADI_V1_THIS_LAYER;
    if (s->kind == NADI_V1_STEP_LAYERS && where != OF_PASS)
        return nadi_error(r->diags, "loop/nested", *place, "put it into 'pass'",
                          "'layers' within 'layers' would do each layer many times");
    if (s->kind == NADI_V1_STEP_RECOMPUTE && where == OF_RECOMPUTE)
        return nadi_error(r->diags, "loop/nested", *place, "leave it out",
                          "'recompute' within 'recompute'");
    if (s->kind == NADI_V1_STEP_LAYERS ? s->all || s->none : of_layer && where == OF_PASS)
        return nadi_error(r->diags, "loop/layer", *place, "put it into 'do' of 'layers'",
                          "outside 'layers' there is no layer for '%s'",
                          s->kind == NADI_V1_STEP_LAYERS ? "if" : kinds[s->kind]);
    return true;
}

static bool read_step(struct reader *r, const struct nadi_doc_node *map, enum where where,
                      struct nadi_v1_step *s)
{
    struct nadi_schema_values v;
    const struct nadi_place place = nadi_doc_place(r->doc, map);
    if (!nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_LOOP_STEP), r->doc, map, true,
                               r->scratch, r->diags) ||
        !find_kind(r, &v, map, &s->kind))
        return false;
    s->layer = (enum nadi_v1_which)nadi_schema_word(&v, "layer");
    s->all = conditions_of(&v, "if");
    s->none = conditions_of(&v, "unless");
    s->blocking = nadi_schema_integer(&v, "blocking") != 0;
    const bool loops = s->kind == NADI_V1_STEP_LAYERS, again = s->kind == NADI_V1_STEP_RECOMPUTE;
    if (!check_place(r, s, where, &place))
        return false;
    if (loops != (nadi_schema_get(&v, "do")->node != NULL))
        return nadi_error(r->diags, "loop/do", place, "layers: ascending, and do: [...]",
                          "'layers' and 'do' belong together");
    if (loops || again) {
        s->descending = loops && nadi_schema_word(&v, "layers") == 1;
        return read_steps(r, nadi_schema_get(&v, loops ? "do" : "recompute"),
                          loops ? OF_LAYERS : OF_RECOMPUTE, &s->steps, &s->count);
    }
    s->phase = (enum nadi_v1_phase)nadi_schema_word(&v, kinds[s->kind]);
    s->what = nadi_schema_get(&v, "as")->count
                  ? nadi_arena_strdup(&r->form->arena, nadi_schema_get(&v, "as")->items[0].text)
                  : phase_names[s->phase];
    return true;
}

static bool read_steps(struct reader *r, const struct nadi_schema_value *list, enum where where,
                       struct nadi_v1_step **steps, uint32_t *count)
{
    *count = list->count;
    *steps = NADI_ARENA_ZNEW(&r->form->arena, struct nadi_v1_step, list->count + 1);
    for (uint32_t i = 0; i < list->count; i++)
        if (!read_step(r, list->items[i].node, where, &(*steps)[i]))
            return false;
    return true;
}

/* A list of layers as a table by layer; as it was where the file has none. */
static bool read_layers(struct reader *r, const struct nadi_schema_values *v, const char *key,
                        bool **table)
{
    const struct nadi_schema_value *list = nadi_schema_get(v, key);
    if (!list->node)
        return true;
    *table = NADI_ARENA_ZNEW(&r->w->arena, bool, r->w->layer_count);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].integer >= r->w->layer_count)
            return nadi_error(r->diags, "loop/number", nadi_doc_place(r->doc, list->items[i].node),
                              NULL, "there is no layer %" PRId64 ", the workload has %u",
                              list->items[i].integer, r->w->layer_count);
        (*table)[list->items[i].integer] = true;
    }
    return true;
}

static bool read_bottom(struct reader *r, const struct nadi_schema_values *v)
{
    const struct nadi_schema_value *bottom = nadi_schema_get(v, "bottom");
    if (!bottom->node)
        return true;
    if (bottom->items[0].integer >= r->w->layer_count)
        return nadi_error(r->diags, "loop/number", nadi_doc_place(r->doc, bottom->node), NULL,
                          "there is no layer %" PRId64 ", the workload has %u",
                          bottom->items[0].integer, r->w->layer_count);
    r->w->last_bottom = (uint32_t)bottom->items[0].integer;
    return true;
}

static bool fill(struct reader *r, const struct nadi_schema_values *v)
{
    static const char *const keys[NADI_V1_PHASES] = {"forward", "input-gradient",
                                                     "weight-gradient"};
    static const enum nadi_v1_scope scopes[] = {NADI_V1_SCOPE_NONE, NADI_V1_SCOPE_NONE,
                                                NADI_V1_SCOPE_ALL, NADI_V1_SCOPE_INNER,
                                                NADI_V1_SCOPE_OUTER};
    struct nadi_v1_loop_form *f = r->form;
    f->name = nadi_arena_strdup(&f->arena, nadi_schema_get(v, "name")->items[0].text);
    f->block = (uint32_t)nadi_schema_integer(v, "block");
    for (int p = 0; p < NADI_V1_PHASES; p++) {
        const uint32_t word = nadi_schema_word(v, keys[p]);
        f->has_scope[p] = word > 0;
        f->scope[p] = scopes[word];
    }
    return read_layers(r, v, "checkpoints", &r->w->checkpoint) &&
           read_layers(r, v, "initiates", &r->w->initiate) && read_bottom(r, v) &&
           read_steps(r, nadi_schema_get(v, "pass"), OF_PASS, &f->steps, &f->count);
}

static bool take(struct nadi_v1_loop_form *form, struct nadi_doc *doc, struct nadi_v1_workload *w,
                 struct nadi_diags *diags)
{
    struct nadi_schema_values v;
    struct reader r = {form, w, doc, &doc->arena, diags};
    const bool ok =
        nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_LOOP), doc, true, &doc->arena, diags) &&
        fill(&r, &v);
    nadi_doc_release(doc);
    w->loop = ok ? form : NULL;
    return ok;
}

bool nadi_v1_loop_parse(struct nadi_v1_loop_form *form, const char *path, const char *text,
                        size_t bytes, struct nadi_v1_workload *w, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    *form = (struct nadi_v1_loop_form){.count = 0};
    nadi_arena_init(&form->arena);
    return nadi_doc_parse(&doc, path, text, bytes, NADI_DOC_YAML, diags) &&
           take(form, &doc, w, diags);
}

bool nadi_v1_loop_read(struct nadi_v1_loop_form *form, const char *path, struct nadi_v1_workload *w,
                       struct nadi_diags *diags)
{
    struct nadi_doc doc;
    *form = (struct nadi_v1_loop_form){.count = 0};
    nadi_arena_init(&form->arena);
    return nadi_doc_read(&doc, path, "a training loop", NADI_DOC_YAML, diags) &&
           take(form, &doc, w, diags);
}

void nadi_v1_loop_form_release(struct nadi_v1_loop_form *form)
{
    nadi_arena_release(&form->arena);
}
