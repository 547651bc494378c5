#include "sweep/space.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "format/csv_read.h"
#include "inputs/model_options.h"
#include "model/plan.h"
#include "platform/catalogue.h"
#include "platform/generator_words.h"
#include "settings/schema.h"
#include "sweep/space_inside.h"

/* --- what is run ----------------------------------------------------------------------------- */

bool nadi_space_is_path(const char *name)
{
    static const char *const paths[] = {"model",     "plan",      "cluster", "workload", "system",
                                        "network",   "memory",    "groups",  "events",   "flit",
                                        "loadstore", "catalogue", "energy"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
        if (strcmp(name, paths[i]) == 0)
            return true;
    return false;
}

/* As it is named beside the space. */
const char *nadi_space_beside(struct nadi_space *s, const char *name, const char *text)
{
    if (!s->path || !nadi_space_is_path(name) || nadi_generator_is_words(text))
        return nadi_arena_strdup(&s->arena, text);
    if (strcmp(name, "workload") == 0)
        return nadi_file_beside(s->path, text, &s->arena);
    return nadi_catalogue_beside(s->path, text, &s->arena);
}

static void put_word(struct nadi_space *s, const char *name, const char *text)
{
    uint32_t i = 0;
    while (i < s->word_count && strcmp(s->words[i].name, name) != 0)
        i++;
    s->words[i] = (struct nadi_space_word){nadi_arena_strdup(&s->arena, name), text};
    s->word_count += i == s->word_count;
}

const char *nadi_space_word_of(const struct nadi_space *s, const char *name)
{
    for (uint32_t i = 0; i < s->word_count; i++)
        if (strcmp(s->words[i].name, name) == 0)
            return s->words[i].text;
    return NULL;
}

uint32_t nadi_space_variable_of(const struct nadi_space *s, const char *name)
{
    for (uint32_t i = 0; i < s->variable_count; i++)
        if (nadi_str_equal(s->variables[i].of, "run") && nadi_str_equal(s->variables[i].path, name))
            return i;
    return NADI_NONE;
}

static bool check_word(const struct nadi_space_reader *r, const char *name, const char *text,
                       struct nadi_place place)
{
    static const char *const own[] = {"model", "plan", "cluster", "set"};
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (strcmp(name, own[i]) == 0)
            return true;
    const struct nadi_setting *setting = r->source->run_setting(name);
    if (!setting) {
        const char *near = nadi_str_nearest(name, r->source->run_names, r->source->run_name_count);
        return nadi_error(r->diags, "space/run", place,
                          near ? nadi_arena_printf(&r->s->arena, "did you mean '%s'?", near)
                               : "model, plan, set, cluster, or a setting of `nadi run`",
                          "a run has no '%s'", name);
    }
    if (setting->type == NADI_TYPE_FLAG || nadi_setting_allows(setting, text))
        return true;
    struct nadi_str allowed = NADI_STR_INIT;
    nadi_setting_allowed(setting, &allowed);
    (void)nadi_error(r->diags, "space/run", place, NULL, "'%s' takes %s, not '%s'", name,
                     nadi_str_get(&allowed), text);
    nadi_str_release(&allowed);
    return false;
}

static bool read_run(struct nadi_space_reader *r, const struct nadi_doc *doc,
                     const struct nadi_doc_node *run)
{
    struct nadi_space *s = r->s;
    const size_t most = r->source->word_count + (run ? run->count : 0);
    s->words = NADI_ARENA_NEW(&s->arena, struct nadi_space_word, most);
    for (const struct nadi_doc_node *n = run ? run->first : NULL; n; n = n->next) {
        if (n->kind != NADI_DOC_SCALAR)
            return nadi_error(r->diags, "space/run", nadi_doc_place(doc, n),
                              "what varies stands under `vary`", "'%s' is one text",
                              nadi_doc_key(n));
        if (!check_word(r, nadi_doc_key(n), n->text, nadi_doc_place(doc, n)))
            return false;
        put_word(s, nadi_doc_key(n), nadi_space_beside(s, nadi_doc_key(n), n->text));
    }
    for (size_t i = 0; i < r->source->word_count; i++) {
        const struct nadi_space_word *w = &r->source->words[i];
        if (!check_word(r, w->name, w->text, NADI_IN_FILE("--run")))
            return false;
        put_word(s, w->name, w->text);
    }
    s->is_model = nadi_space_word_of(s, "model") != NULL;
    const struct nadi_place place =
        run ? nadi_doc_place(doc, run) : NADI_IN_FILE(s->path ? s->path : "sweep");
    if (s->is_model && nadi_space_word_of(s, "workload"))
        return nadi_error(r->diags, "space/run", place, "leave one out",
                          "a sweep runs a model or a workload, not both");
    static const char *const of_workloads[] = {"system", "network", "groups", "events"};
    for (size_t i = 0; s->is_model && i < sizeof(of_workloads) / sizeof(*of_workloads); i++)
        if (nadi_space_word_of(s, of_workloads[i]))
            return nadi_error(r->diags, "space/run", place, "leave it out; the cluster says it",
                              "'%s' is an input of workloads, and this runs a model",
                              of_workloads[i]);
    if (!s->is_model && !nadi_space_word_of(s, "workload"))
        return nadi_error(r->diags, "space/run", place,
                          "run: {model: llama3-8b, cluster: dgx-h100}",
                          "`run` names neither a model nor a workload");
    return true;
}

/* --- variables ------------------------------------------------------------------------------- */

static bool read_variable(struct nadi_space_reader *r, const struct nadi_doc *doc,
                          const struct nadi_doc_node *n, bool own)
{
    struct nadi_space_variable *v =
        nadi_space_add(r, nadi_doc_key(n), own, nadi_doc_key_place(doc, n));
    struct nadi_place place = nadi_doc_place(doc, n);
    if (!v)
        return false;
    if (n->kind == NADI_DOC_LIST)
        return nadi_space_set_list(r, v, doc, n);
    if (n->kind != NADI_DOC_SCALAR)
        return nadi_error(r->diags, "space/values", place, "[1, 2, 4], 1..8:1 or 64 / tp",
                          "the values of '%s' are a list, a range or an expression", v->name);
    place.column += n->quoted;
    return nadi_space_set_text(r, v, n->text, place);
}

static bool read_variables(struct nadi_space_reader *r, const struct nadi_doc *doc, const char *key,
                           bool own)
{
    const struct nadi_doc_node *map = nadi_doc_find(doc->root, key);
    bool ok = true;
    for (const struct nadi_doc_node *n = map && map->kind == NADI_DOC_MAP ? map->first : NULL; n;
         n = n->next)
        ok &= read_variable(r, doc, n, own);
    return ok;
}

/* "key=values" of the command line, the at-th. */
static bool read_vary(struct nadi_space_reader *r, size_t at)
{
    const char *text = r->source->vary[at];
    const char *equals = strchr(text, '=');
    const struct nadi_place place = NADI_IN_FILE("--vary");
    if (!equals || equals == text || !equals[1])
        return nadi_error(r->diags, "space/vary", place, "--vary tp=1,2,4", "'%s' is no KEY=VALUES",
                          text);
    size_t length = (size_t)(equals - text);
    while (length && text[length - 1] == ' ')
        length--;
    const char *key = nadi_arena_strndup(&r->s->arena, text, length);
    for (size_t i = 0; i < at; i++)
        if (nadi_expression_same_name(key, r->source->vary[i], strcspn(r->source->vary[i], " =")))
            return nadi_error(r->diags, "space/same-key", place, "leave one out",
                              "'%s' has values twice", key);
    struct nadi_space_variable *v = nadi_space_add(r, key, false, place);
    return v && nadi_space_set_text(r, v, equals + 1 + strspn(equals + 1, " "), place);
}

/* Columns of a file of points are variables. */
static bool read_points(struct nadi_space_reader *r)
{
    struct nadi_csv_table t;
    struct nadi_space *s = r->s;
    bool has[NADI_SPACE_MOST_VARIABLES] = {false};
    bool ok = nadi_csv_read(&t, s->file, "points", r->diags);
    for (uint32_t c = 0; ok && c < t.column_count; c++) {
        struct nadi_place place = NADI_IN_FILE(s->file);
        place.line = 1;
        struct nadi_space_variable *v = nadi_space_add(r, t.header[c], false, place);
        ok = v != NULL;
        if (ok && has[v - s->variables])
            ok = nadi_error(r->diags, "space/file", place, "leave one out",
                            "two columns are values of '%s'", v->name);
        else if (ok)
            has[v - s->variables] = true;
        for (uint32_t i = 0; ok && i < t.row_count; i++) {
            place.line = t.lines[i];
            ok = nadi_space_add_value(r, v, nadi_csv_field(&t, i, c), place);
        }
    }
    if (ok && t.row_count == 0)
        ok = nadi_error(r->diags, "space/points", NADI_IN_FILE(s->file), NULL, "there is no point");
    s->wanted = ok ? t.row_count : 0;
    nadi_csv_release(&t);
    return ok;
}

/* --- expressions ----------------------------------------------------------------------------- */

static bool order_from(struct nadi_space_reader *r, uint32_t index, uint8_t *state, uint32_t *count)
{
    struct nadi_space *s = r->s;
    struct nadi_space_variable *v = &s->variables[index];
    if (state[index] == 2)
        return true;
    if (state[index] == 1)
        return nadi_error(r->diags, "space/cycle", v->place, NULL,
                          "'%s' is an expression of itself", v->name);
    state[index] = 1;
    v->level = v->form == NADI_VARIABLE_EXPRESSION ? 0 : v->axis + 1;
    for (uint32_t i = 0; v->form == NADI_VARIABLE_EXPRESSION && i < v->expression.name_count; i++) {
        const uint32_t used = v->expression.names[i];
        if (!order_from(r, used, state, count))
            return false;
        if (s->variables[used].level > v->level)
            v->level = s->variables[used].level;
    }
    state[index] = 2;
    s->order[(*count)++] = index;
    return true;
}

static bool read_expressions(struct nadi_space_reader *r)
{
    struct nadi_space *s = r->s;
    const struct nadi_expression_names names = nadi_space_names(s);
    uint8_t state[NADI_SPACE_MOST_VARIABLES] = {0};
    uint32_t count = 0;
    bool ok = true;
    for (uint32_t i = 0; i < s->variable_count; i++) {
        struct nadi_space_variable *v = &s->variables[i];
        if (v->form != NADI_VARIABLE_EXPRESSION)
            v->axis = s->axis_count++;
        else
            ok &= nadi_expression_parse(&v->expression, r->pending[i].text, r->pending[i].place,
                                        &names, &s->arena, r->diags);
    }
    s->order = NADI_ARENA_NEW(&s->arena, uint32_t, s->variable_count);
    for (uint32_t i = 0; ok && i < s->variable_count; i++)
        ok = order_from(r, i, state, &count);
    return ok;
}

static bool read_constraints(struct nadi_space_reader *r, const struct nadi_schema_value *list)
{
    struct nadi_space *s = r->s;
    const struct nadi_expression_names names = nadi_space_names(s);
    s->constraints = NADI_ARENA_ZNEW(&s->arena, struct nadi_expression, list->count);
    s->constraint_levels = NADI_ARENA_ZNEW(&s->arena, uint32_t, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct nadi_schema_scalar *item = &list->items[i];
        struct nadi_place place = NADI_IN_FILE(s->path);
        place.line = item->node->line;
        place.column = item->node->column + item->node->quoted;
        struct nadi_expression *e = &s->constraints[i];
        if (!nadi_expression_parse(e, item->text, place, &names, &s->arena, r->diags))
            return false;
        for (uint32_t k = 0; k < e->name_count; k++)
            if (s->variables[e->names[k]].level > s->constraint_levels[i])
                s->constraint_levels[i] = s->variables[e->names[k]].level;
    }
    s->constraint_count = list->count;
    return true;
}

/* Could a point have this network model? */
static bool may_have_model(const struct nadi_space *s, const char *model)
{
    static const char key[] = "network-model";
    const uint32_t at = nadi_space_variable_of(s, key);
    if (at == NADI_NONE)
        return nadi_str_equal(nadi_space_word_of(s, key), model);
    const struct nadi_space_variable *v = &s->variables[at];
    for (uint32_t i = 0; v->form == NADI_VARIABLE_LIST && i < v->count; i++)
        if (strcmp(v->texts[i], model) == 0)
            return true;
    return v->form != NADI_VARIABLE_LIST;
}

static bool fits_models(const struct nadi_space_reader *r, const char *name,
                        struct nadi_place place)
{
    static const char *const files[] = {"memory", "events"}; /* that a run need not have */
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (strcmp(name, files[i]) == 0 && !nadi_space_word_of(r->s, name) &&
            nadi_space_variable_of(r->s, name) == NADI_NONE)
            return nadi_error(r->diags, "space/file", place, "name it under `run`",
                              "a key of the %s file varies, and there is none", name);
    const struct nadi_model_option *o = nadi_model_option_find(name);
    if (!o || may_have_model(r->s, o->model))
        return true;
    return nadi_error(r->diags, "setup/other-model", place, o->hint,
                      "'%s' is about %s, and no point has the network model %s", name, o->about,
                      o->model);
}

/* Settings that one network model reads: of some points at least. */
static bool check_models(const struct nadi_space_reader *r)
{
    const struct nadi_space *s = r->s;
    bool ok = true;
    for (uint32_t i = 0; i < s->word_count; i++)
        if (nadi_space_variable_of(s, s->words[i].name) == NADI_NONE)
            ok &= fits_models(r, s->words[i].name,
                              s->path ? NADI_IN_FILE(s->path) : NADI_IN_FILE("--run"));
    for (uint32_t i = 0; i < s->variable_count; i++)
        if (s->variables[i].of)
            ok &= fits_models(r,
                              strcmp(s->variables[i].of, "run") == 0 ? s->variables[i].path
                                                                     : s->variables[i].of,
                              s->variables[i].place);
    return ok;
}

/* --- the whole ------------------------------------------------------------------------------- */

static void fill(const struct nadi_space_reader *r, const struct nadi_schema_values *v)
{
    struct nadi_space *s = r->s;
    const struct nadi_schema_value *file = nadi_schema_get(v, "file");
    s->sampling = (enum nadi_sampling)nadi_schema_word(v, "sampling");
    s->wanted = (uint64_t)nadi_schema_integer(v, "points");
    s->seed = (uint64_t)nadi_schema_integer(v, "seed");
    s->simulate_infeasible = nadi_schema_word(v, "infeasible") == 1;
    if (file->count) {
        s->file = nadi_file_beside(s->path, file->items[0].text, &s->arena);
        s->sampling = NADI_SAMPLING_FILE;
    }
    if (r->source->alone)
        s->sampling = NADI_SAMPLING_ALONE;
}

static bool is_drawable(struct nadi_space_reader *r)
{
    struct nadi_space *s = r->s;
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const struct nadi_space_variable *v = &s->variables[i];
        const bool is_range = v->form == NADI_VARIABLE_RANGE;
        s->is_divided |= is_range && r->source->designs && s->sampling == NADI_SAMPLING_GRID;
        if (is_range && s->sampling != NADI_SAMPLING_LATIN && s->sampling != NADI_SAMPLING_SOBOL &&
            !s->is_divided)
            return nadi_error(r->diags, "space/range", v->place,
                              "give a step, as in 1..8:1 or 1..64:*2; or sampling: sobol",
                              "'%s' takes any value of a range, of which a grid has no end",
                              v->name);
        if (v->form == NADI_VARIABLE_LIST && s->sampling == NADI_SAMPLING_FILE && v->count > 1 &&
            v->count != s->wanted)
            return nadi_error(r->diags, "space/file", v->place, "make it a column of the file",
                              "the points stand in %s, and '%s' has values besides", s->file,
                              v->name);
    }
    if (s->sampling == NADI_SAMPLING_SOBOL && s->axis_count > NADI_SOBOL_DIMS)
        return nadi_error(r->diags, "space/sobol", NADI_IN_FILE(s->path),
                          "sampling: latin-hypercube",
                          "%u variables are drawn, and the Sobol sequence here has %d dimensions",
                          s->axis_count, NADI_SOBOL_DIMS);
    return true;
}

/* Keys that a sweep would pass over. */
static bool is_no_design(const struct nadi_space_reader *r, const struct nadi_schema_values *v)
{
    static const char *const keys[] = {"ranks", "workloads", "goal", "limits"};
    if (r->source->designs && nadi_schema_is_set(v, "derived"))
        return nadi_error(r->diags, "space/designs",
                          nadi_doc_place(v->doc, nadi_schema_get(v, "derived")->node),
                          "leave it out; conditions stand under `limits`",
                          "`nadi optimize` has no derived figures: it has a `goal`");
    for (size_t i = 0; !r->source->designs && i < sizeof(keys) / sizeof(*keys); i++)
        if (nadi_schema_is_set(v, keys[i]))
            return nadi_error(r->diags, "space/designs",
                              nadi_doc_place(v->doc, nadi_schema_get(v, keys[i])->node),
                              "`nadi optimize FILE` reads it", "a sweep has no '%s'", keys[i]);
    return true;
}

static bool read_doc(struct nadi_space_reader *r, struct nadi_doc *doc)
{
    struct nadi_schema_values v;
    struct nadi_space *s = r->s;
    const struct nadi_schema_value *constraints;
    if (!nadi_schema_check(&v, nadi_schema_of(NADI_SCHEMA_SPACE), doc, true, &doc->arena, r->diags))
        return false;
    fill(r, &v);
    bool ok = is_no_design(r, &v) && read_run(r, doc, nadi_doc_find(doc->root, "run"));
    if (!ok)
        return false;
    r->in_file = true;
    ok = read_variables(r, doc, "vary", false) & read_variables(r, doc, "variables", true);
    r->in_file = false;
    for (size_t i = 0; i < r->source->vary_count; i++)
        ok &= read_vary(r, i);
    if (!ok || (s->sampling == NADI_SAMPLING_FILE && s->file && !read_points(r)))
        return false;
    if (s->sampling == NADI_SAMPLING_FILE && !s->file)
        return nadi_error(r->diags, "space/file", NADI_IN_FILE(s->path), "file: points.csv",
                          "sampling is file, and no file is named");
    constraints = nadi_schema_get(&v, "constraints");
    return check_models(r) && nadi_space_take_given(r) && read_expressions(r) &&
           nadi_space_read_objectives(r, doc, nadi_schema_get(&v, "objectives")) &&
           read_constraints(r, constraints) && is_drawable(r);
}

static void hash(struct nadi_space *s)
{
    struct nadi_str text = NADI_STR_INIT;
    uint8_t digest[32];
    nadi_space_describe(s, &text);
    nadi_sha256(nadi_str_get(&text), text.length, digest);
    nadi_sha256_hex(digest, s->sha256);
    nadi_str_release(&text);
}

static bool open_doc(struct nadi_doc *doc, const struct nadi_space_source *source,
                     struct nadi_diags *diags)
{
    static const char none[] = "run: {}\n";
    if (source->path && !source->text)
        return nadi_doc_read(doc, source->path, "space of a sweep", NADI_DOC_YAML, diags);
    return nadi_doc_parse(doc, source->path ? source->path : "sweep",
                          source->text ? source->text : none,
                          source->text ? source->bytes : sizeof(none) - 1, NADI_DOC_YAML, diags);
}

bool nadi_space_read(struct nadi_space *s, const struct nadi_space_source *source,
                     struct nadi_diags *diags)
{
    struct nadi_doc doc;
    *s = (struct nadi_space){.path = NULL};
    nadi_arena_init(&s->arena);
    s->variables =
        NADI_ARENA_ZNEW(&s->arena, struct nadi_space_variable, NADI_SPACE_MOST_VARIABLES);
    s->path = source->path ? nadi_arena_strdup(&s->arena, source->path) : NULL;
    if (!open_doc(&doc, source, diags))
        return false;
    struct nadi_space_reader *r = NADI_ZNEW(struct nadi_space_reader, 1);
    r->s = s;
    r->source = source;
    r->diags = diags;
    const bool ok = read_doc(r, &doc);
    nadi_mem_free(r);
    nadi_doc_release(&doc);
    if (ok)
        hash(s);
    return ok;
}

void nadi_space_release(struct nadi_space *s)
{
    nadi_mem_free(s->choices);
    nadi_arena_release(&s->arena);
    *s = (struct nadi_space){.path = NULL};
}

static void describe_values(const struct nadi_space_variable *v, struct nadi_str *out)
{
    if (v->form == NADI_VARIABLE_EXPRESSION)
        nadi_str_add(out, v->expression.text);
    else if (v->form == NADI_VARIABLE_RANGE)
        nadi_str_printf(out, "%.17g..%.17g%s%s", v->low, v->high, v->unit,
                        v->logarithmic ? ":log" : "");
    for (uint32_t i = 0; v->form == NADI_VARIABLE_LIST && i < v->count; i++)
        nadi_str_printf(out, "%s%s", i ? ", " : "", v->texts[i]);
}

void nadi_space_describe(const struct nadi_space *s, struct nadi_str *out)
{
    static const char *const samplings[] = {"grid", "latin-hypercube", "sobol", "file",
                                            "one-at-a-time"};
    for (uint32_t i = 0; i < s->word_count; i++)
        nadi_str_printf(out, "run.%s = %s\n", s->words[i].name, s->words[i].text);
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const struct nadi_space_variable *v = &s->variables[i];
        nadi_str_printf(out, "%s%s%s = ", v->of ? v->of : "variable", ".", v->path);
        describe_values(v, out);
        nadi_str_add_char(out, '\n');
    }
    for (uint32_t i = 0; i < s->constraint_count; i++)
        nadi_str_printf(out, "constraint: %s\n", s->constraints[i].text);
    for (uint32_t i = 0; i < s->derived_count; i++)
        nadi_str_printf(out, "derived.%s = %s\n", s->derived[i].name,
                        s->derived[i].expression.text);
    nadi_str_printf(out, "sampling = %s\n", samplings[s->sampling]);
    if (s->sampling == NADI_SAMPLING_LATIN || s->sampling == NADI_SAMPLING_SOBOL)
        nadi_str_printf(out, "points = %" PRIu64 "\nseed = %" PRIu64 "\n", s->wanted, s->seed);
    nadi_str_printf(out, "infeasible = %s\n", s->simulate_infeasible ? "simulate" : "skip");
}

nadi_plan_keys nadi_space_varied(const struct nadi_space *s)
{
    nadi_plan_keys keys = 0;
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const struct nadi_space_variable *v = &s->variables[i];
        const bool several = v->form != NADI_VARIABLE_LIST || v->count > 1;
        if (several && v->of && strcmp(v->of, "plan") == 0 && v->setting && !strpbrk(v->path, ".["))
            keys |= nadi_plan_bit(v->path);
    }
    return keys;
}
