#include "design/problem.h"

#include "base/mem.h"
#include "base/str.h"
#include "platform/catalogue.h"
#include "settings/schema.h"

#include <math.h>

struct reading {
    struct nadi_design_problem *p;
    const struct nadi_design_source *source;
    struct nadi_diags *diags;
    struct nadi_doc doc;
    struct nadi_schema_values values;
    bool *searched; /* by variable: a key of the strategies */
};

/* ---- workloads ------------------------------------------------------------------------------- */

static const char *text_of(struct reading *r, const struct nadi_schema_values *v, const char *key)
{
    const struct nadi_schema_value *value = nadi_schema_get(v, key);
    return value->count ? nadi_arena_strdup(&r->p->arena, value->items[0].text) : NULL;
}

/* A name that limits can use: letters, figures and '-'. */
static const char *name_of(struct reading *r, const char *given, const char *model)
{
    const char *slash = strrchr(model, '/');
    char *name = nadi_arena_strdup(&r->p->arena, given ? given : slash ? slash + 1 : model);
    char *dot = given ? NULL : strchr(name, '.');
    if (dot)
        *dot = '\0';
    return name;
}

static bool read_workload(struct reading *r, const struct nadi_doc_node *node)
{
    struct nadi_design_problem *p = r->p;
    struct nadi_schema_values v;
    if (!nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_SPACE_WORKLOAD), &r->doc, node, true,
                               &p->arena, r->diags))
        return false;
    struct nadi_design_workload *w = &p->workloads[p->workload_count++];
    const char *model = nadi_schema_get(&v, "model")->items[0].text;
    const char *plan = text_of(r, &v, "plan");
    *w = (struct nadi_design_workload){
        .model = nadi_catalogue_beside(r->doc.path, model, &p->arena),
        .plan = plan ? nadi_file_beside(r->doc.path, plan, &p->arena) : NULL,
        .settings = text_of(r, &v, "set"),
        .words = text_of(r, &v, "search"),
        .share = nadi_schema_number(&v, "weight"),
    };
    w->name = name_of(r, text_of(r, &v, "name"), model);
    for (uint32_t i = 0; i + 1 < p->workload_count; i++)
        if (strcmp(p->workloads[i].name, w->name) == 0)
            return nadi_error(r->diags, "design/name", nadi_doc_place(&r->doc, node),
                              "give one a `name`", "two workloads are called '%s'", w->name);
    return true;
}

static bool read_workloads(struct reading *r)
{
    struct nadi_design_problem *p = r->p;
    const struct nadi_schema_value *list = nadi_schema_get(&r->values, "workloads");
    double sum = 0;
    if (list->count > NADI_DESIGN_WORKLOADS)
        return nadi_error(r->diags, "design/workloads", nadi_doc_place(&r->doc, list->node), NULL,
                          "at most %d workloads are possible", NADI_DESIGN_WORKLOADS);
    for (uint32_t i = 0; i < list->count; i++)
        if (!read_workload(r, list->items[i].node))
            return false;
    if (!list->count) {
        const struct nadi_doc_node *run = nadi_schema_get(&r->values, "run")->items[0].node;
        const struct nadi_doc_node *model = nadi_doc_find(run, "model");
        const struct nadi_doc_node *set = nadi_doc_find(run, "set");
        const struct nadi_doc_node *plan = nadi_doc_find(run, "plan");
        if (!model || model->kind != NADI_DOC_SCALAR)
            return nadi_error(r->diags, "design/workloads", nadi_doc_place(&r->doc, r->doc.root),
                              "workloads: [{model: llama3-8b, set: batch=64 sequence=8192}]",
                              "neither 'workloads' nor 'run' names a model");
        p->workloads[p->workload_count++] = (struct nadi_design_workload){
            .name = name_of(r, NULL, model->text),
            .model = nadi_catalogue_beside(r->doc.path, model->text, &p->arena),
            .settings = set && set->kind == NADI_DOC_SCALAR
                            ? nadi_arena_strdup(&p->arena, set->text)
                            : NULL,
            .plan = plan && plan->kind == NADI_DOC_SCALAR
                        ? nadi_file_beside(r->doc.path, plan->text, &p->arena)
                        : NULL,
            .share = 1};
    }
    for (uint32_t i = 0; i < p->workload_count; i++)
        sum += p->workloads[i].share;
    for (uint32_t i = 0; i < p->workload_count; i++)
        p->workloads[i].share /= sum;
    return true;
}

/* ---- the space ------------------------------------------------------------------------------- */

bool nadi_design_is_searched(const struct nadi_space_variable *v)
{
    static const char *const keys[] = {
        "tp",   "cp",        "pp",      "vp",   "ep", "micro-batch", "sequence-parallel",
        "zero", "recompute", "offload", "order"};
    for (size_t i = 0; nadi_str_equal(v->of, "plan") && i < sizeof(keys) / sizeof(*keys); i++)
        if (strcmp(v->path, keys[i]) == 0)
            return true;
    return false;
}

static bool uses_searched(const struct reading *r, const struct nadi_expression *e)
{
    for (uint32_t i = 0; i < e->name_count; i++)
        if (r->searched[e->names[i]])
            return true;
    return false;
}

/* A list is joined as the searches have it: "[tp, cp, dp, pp]" is "tp-cp-dp-pp". */
static void add_word(struct nadi_str *words, const char *text)
{
    if (words->length)
        nadi_str_add_char(words, ',');
    if (*text != '[') {
        nadi_str_add(words, text);
        return;
    }
    for (const char *at = text + 1; *at && *at != ']'; at++)
        if (*at != ' ')
            nadi_str_add_char(words, *at == ',' ? '-' : *at);
}

/* A key of the strategies: its values go to the searches, and the design has it no more. */
static bool take_searched(struct reading *r, struct nadi_space_variable *v)
{
    struct nadi_str words = NADI_STR_INIT;
    if (v->form != NADI_VARIABLE_LIST)
        return nadi_error(r->diags, "design/strategy", v->place, "a list: [1, 2, 4, 8]",
                          "'%s' is chosen for each workload from a list of its values", v->name);
    for (uint32_t i = 0; i < v->count; i++)
        add_word(&words, v->texts[i]);
    for (uint32_t w = 0; w < r->p->workload_count; w++) {
        struct nadi_design_workload *workload = &r->p->workloads[w];
        workload->words =
            nadi_arena_printf(&r->p->arena, "%s%s%s=%s", workload->words ? workload->words : "",
                              workload->words ? " " : "", v->path, nadi_str_get(&words));
    }
    nadi_str_release(&words);
    v->count = 1;
    return true;
}

static bool split_variables(struct reading *r)
{
    struct nadi_space *s = &r->p->space;
    r->searched = NADI_ARENA_ZNEW(&r->p->arena, bool, s->variable_count + 1);
    for (uint32_t i = 0; i < s->variable_count; i++) {
        r->searched[i] = nadi_design_is_searched(&s->variables[i]);
        if (r->searched[i] && !take_searched(r, &s->variables[i]))
            return false;
    }
    for (uint32_t i = 0; i < s->variable_count; i++)
        if (s->variables[i].form == NADI_VARIABLE_EXPRESSION &&
            uses_searched(r, &s->variables[i].expression))
            return nadi_error(r->diags, "design/strategy", s->variables[i].place,
                              "limit the lists of the strategies' keys instead",
                              "'%s' is of the design, but its expression uses a strategy's key",
                              s->variables[i].name);
    for (uint32_t i = 0; i < s->constraint_count; i++)
        if (uses_searched(r, &s->constraints[i]))
            return nadi_error(r->diags, "design/strategy", s->constraints[i].place,
                              "limit the lists of the strategies' keys instead",
                              "constraints of a design cannot use a strategy's key");
    return true;
}

static bool read_space(struct reading *r)
{
    struct nadi_design_problem *p = r->p;
    const struct nadi_space_word model = {"model", p->workloads[0].model};
    const struct nadi_space_source source = {
        .path = r->source->path,
        .words = &model,
        .word_count = 1,
        .designs = true,
        .run_setting = r->source->run_setting,
        .run_names = r->source->run_names,
        .run_name_count = r->source->run_name_count,
    };
    if (!nadi_space_read(&p->space, &source, r->diags) || !split_variables(r))
        return false;
    bool has_cluster = nadi_space_word_of(&p->space, "cluster") != NULL;
    for (uint32_t i = 0; i < p->space.variable_count; i++)
        has_cluster |= nadi_str_equal(p->space.variables[i].of, "run") &&
                       nadi_str_equal(p->space.variables[i].path, "cluster");
    if (!has_cluster)
        return nadi_error(r->diags, "design/cluster", NADI_IN_FILE(r->source->path),
                          "run: {cluster: dgx-h100}", "no cluster is named");
    return true;
}

static bool read_options(struct reading *r)
{
    static const char *const own[] = {"model", "plan", "cluster", "set"};
    struct nadi_design_problem *p = r->p;
    p->options = (struct nadi_run_options){.strict = true};
    r->source->host->preset(&p->options);
    for (uint32_t i = 0; i < p->space.word_count; i++) {
        const struct nadi_space_word *word = &p->space.words[i];
        bool is_own = false;
        for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++)
            is_own |= strcmp(word->name, own[k]) == 0;
        if (!is_own &&
            !r->source->host->set(&p->options, word->name, word->text, &p->arena, r->diags))
            return false;
    }
    p->economy = (struct nadi_economy){p->options.years, p->options.electricity, p->options.pue};
    p->has_prices = p->options.catalogue != NULL;
    return !p->has_prices || nadi_prices_open(&p->prices, p->options.catalogue, r->diags);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void name_all(struct nadi_design_problem *p)
{
    static const char *const fixed[NADI_DESIGN_FIXED_NAMES] = {"capital", "power", "facility-power",
                                                               "usd-per-hour"};
    p->name_count = NADI_DESIGN_FIXED_NAMES + p->space.variable_count + 2 * p->workload_count;
    p->names = NADI_ARENA_NEW(&p->arena, const char *, p->name_count);
    for (uint32_t i = 0; i < NADI_DESIGN_FIXED_NAMES; i++)
        p->names[i] = fixed[i];
    for (uint32_t i = 0; i < p->space.variable_count; i++)
        p->names[NADI_DESIGN_FIXED_NAMES + i] = p->space.variables[i].name;
    for (uint32_t w = 0; w < p->workload_count; w++) {
        const uint32_t at = nadi_design_step_name(p, w);
        p->names[at] = nadi_arena_printf(&p->arena, "%s.step", p->workloads[w].name);
        p->names[at + 1] = nadi_arena_printf(&p->arena, "%s.tokens", p->workloads[w].name);
    }
}

static uint32_t find_name(const void *context, const char *name, size_t length)
{
    const struct nadi_design_problem *p = context;
    for (uint32_t i = 0; i < p->name_count; i++)
        if (nadi_expression_same_name(p->names[i], name, length))
            return i;
    return NADI_NONE;
}

static bool needs_prices(const struct nadi_design_problem *p, const struct nadi_expression *e)
{
    for (uint32_t i = 0; !p->has_prices && i < e->name_count; i++)
        if (e->names[i] < NADI_DESIGN_FIXED_NAMES)
            return true;
    return false;
}

static bool read_limits(struct reading *r)
{
    struct nadi_design_problem *p = r->p;
    const struct nadi_schema_value *list = nadi_schema_get(&r->values, "limits");
    name_all(p);
    const struct nadi_expression_names names = {find_name, p, p->names, p->name_count};
    if (list->count > NADI_DESIGN_LIMITS)
        return nadi_error(r->diags, "design/limits", nadi_doc_place(&r->doc, list->node), NULL,
                          "at most %d limits are possible", NADI_DESIGN_LIMITS);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct nadi_place place = nadi_doc_place(&r->doc, list->items[i].node);
        struct nadi_expression *e = &p->limits[i];
        if (!nadi_expression_parse(e, list->items[i].text, place, &names, &p->arena, r->diags))
            return false;
        for (uint32_t k = 0; k < e->name_count; k++)
            p->limit_of_times[i] |= e->names[k] >= nadi_design_step_name(p, 0);
        if (needs_prices(p, e))
            return nadi_error(r->diags, "design/prices", place, "run: {catalogue: public}",
                              "this limit needs prices and powers");
        p->limit_count++;
    }
    if (p->goal != NADI_DESIGN_TIME && !p->has_prices)
        return nadi_error(r->diags, "design/prices",
                          nadi_doc_place(&r->doc, nadi_schema_get(&r->values, "goal")->node),
                          "run: {catalogue: public}", "this goal needs prices and powers");
    return true;
}

bool nadi_design_read(struct nadi_design_problem *p, const struct nadi_design_source *source,
                      struct nadi_diags *diags)
{
    struct reading r = {.p = p, .source = source, .diags = diags};
    *p = (struct nadi_design_problem){0};
    nadi_arena_init(&p->arena);
    if (!nadi_doc_read(&r.doc, source->path, "space",
                       nadi_doc_syntax_of(source->path, NADI_DOC_YAML), diags))
        return false;
    bool ok = nadi_schema_check(&r.values, nadi_schema_of(NADI_SCHEMA_SPACE), &r.doc, true,
                                &p->arena, diags);
    if (ok) {
        p->goal = (enum nadi_design_goal)nadi_schema_word(&r.values, "goal");
        p->ranks = nadi_schema_get(&r.values, "ranks")->count
                       ? (uint32_t)nadi_schema_integer(&r.values, "ranks")
                       : 0;
        if (!p->ranks)
            ok = nadi_error(diags, "design/ranks", NADI_IN_FILE(source->path), "ranks: 512",
                            "the number of devices is not said");
        ok = ok && read_workloads(&r) && read_space(&r) && read_options(&r) && read_limits(&r);
    }
    p->doc = r.doc; /* messages about expressions name its path */
    p->has_doc = true;
    return ok;
}

void nadi_design_release(struct nadi_design_problem *p)
{
    if (p->has_doc)
        nadi_doc_release(&p->doc);
    p->has_doc = false;
    nadi_space_release(&p->space);
    if (p->has_prices)
        nadi_prices_release(&p->prices);
    nadi_arena_release(&p->arena);
    *p = (struct nadi_design_problem){0};
}
