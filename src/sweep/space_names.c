/* space_names: which key of which input a variable is. */
#include "base/mem.h"
#include "settings/schema.h"
#include "sweep/space_inside.h"

struct input { /* whose keys may be varied */
    const char *of;
    enum nadi_schema_kind kind;
};

static const struct input of_models[] = {
    {"plan", NADI_SCHEMA_PLAN},
    {"device", NADI_SCHEMA_DEVICE},
    {"cluster", NADI_SCHEMA_CLUSTER},
    {"model", NADI_SCHEMA_MODEL},
    {"platform", NADI_SCHEMA_PLATFORM},
    {"packet", NADI_SCHEMA_PACKET},
    {"memory", NADI_SCHEMA_MEMORY},
    {"memory", NADI_SCHEMA_TIERS},
    {"flit", NADI_SCHEMA_FLIT},
    {"loadstore", NADI_SCHEMA_LOADSTORE},
    {NULL, 0},
};
static const struct input of_workloads[] = {
    {"network", NADI_SCHEMA_NETWORK},
    {"network", NADI_SCHEMA_GRAPH},
    {"network", NADI_SCHEMA_PLATFORM},
    {"system", NADI_SCHEMA_SYSTEM},
    {"memory", NADI_SCHEMA_MEMORY},
    {"memory", NADI_SCHEMA_TIERS},
    {"events", NADI_SCHEMA_EVENTS},
    {"packet", NADI_SCHEMA_PACKET},
    {"flit", NADI_SCHEMA_FLIT},
    {"loadstore", NADI_SCHEMA_LOADSTORE},
    {NULL, 0},
};

/* Words of `run` for a model; a workload's are settings of a run. */
static const struct nadi_setting model_words[] = {
    {.name = "model", .type = NADI_TYPE_TEXT, .doc = ""},
    {.name = "plan", .type = NADI_TYPE_TEXT, .doc = ""},
    {.name = "cluster", .type = NADI_TYPE_TEXT, .doc = ""},
    {.name = "memory", .type = NADI_TYPE_TEXT, .doc = ""},
};

static bool is_file_of_workload(const char *name)
{
    static const char *const files[] = {"workload", "system", "network",
                                        "memory",   "groups", "events"};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    return false;
}

static const struct nadi_setting *run_word(const struct nadi_space_reader *r, const char *name)
{
    for (size_t i = 0; r->s->is_model && i < sizeof(model_words) / sizeof(*model_words); i++)
        if (strcmp(model_words[i].name, name) == 0)
            return &model_words[i];
    const struct nadi_setting *s = r->source->run_setting(name);
    return s && r->s->is_model && is_file_of_workload(s->name) ? NULL : s;
}

static const struct nadi_setting *key_of(enum nadi_schema_kind kind, const char *path)
{
    if (strstr(path, "..") || (*path && path[strlen(path) - 1] == '.'))
        return NULL; /* nothing is named there */
    const struct nadi_schema *schema = nadi_schema_of(kind);
    const size_t length = strcspn(path, ".[");
    for (size_t i = 0; i < schema->count; i++)
        if (nadi_expression_same_name(schema->keys[i].name, path, length))
            return &schema->keys[i];
    return NULL;
}

static void take(struct nadi_space *s, struct nadi_space_variable *v, const char *of,
                 const struct nadi_setting *key, const char *path)
{
    const size_t length = strcspn(path, ".[");
    v->of = of;
    v->path = nadi_arena_printf(&s->arena, "%s%s", key->name, path + length);
    /* what lies deeper than a key or its list's entries has no row of its own */
    v->setting = strchr(path, '.') || key->type == NADI_TYPE_MAP ? NULL : key;
}

/* Keys of a.b: of input a, if there is one. */
static bool find_qualified(const struct nadi_space_reader *r, struct nadi_space_variable *v,
                           const struct input *inputs, bool *is_input)
{
    const size_t length = strcspn(v->name, ".");
    const char *path = v->name + length + 1;
    *is_input = false;
    if (!v->name[length])
        return false;
    if (length == 3 && strncmp(v->name, "run", 3) == 0) {
        const struct nadi_setting *s = run_word(r, path);
        *is_input = true;
        if (s)
            take(r->s, v, "run", s, path);
        return s != NULL;
    }
    for (; inputs->of; inputs++) {
        if (strlen(inputs->of) != length || strncmp(inputs->of, v->name, length) != 0)
            continue;
        const struct nadi_setting *key = key_of(inputs->kind, path);
        *is_input = true;
        if (key) {
            take(r->s, v, inputs->of, key, path);
            return true;
        }
    }
    return false;
}

static bool refuse_name(const struct nadi_space_reader *r, const struct nadi_space_variable *v,
                        const struct input *inputs)
{
    enum { MANY = 512 };
    const char **names = NADI_NEW(const char *, MANY);
    size_t count = 0;
    const char *bare = strchr(v->name, '.') ? strchr(v->name, '.') + 1 : v->name;
    for (size_t i = 0; i < r->source->run_name_count && count < MANY; i++)
        names[count++] = r->source->run_names[i];
    for (; inputs->of; inputs++) {
        const struct nadi_schema *schema = nadi_schema_of(inputs->kind);
        for (size_t i = 0; i < schema->count && count < MANY; i++)
            names[count++] = schema->keys[i].name;
    }
    const char *near = nadi_str_nearest(bare, names, count);
    (void)nadi_error(r->diags, "space/unknown", v->place,
                     near ? nadi_arena_printf(&r->s->arena, "did you mean '%s'?", near)
                          : "names of your own stand under `variables`",
                     "no input of this run has a key '%s'", v->name);
    nadi_mem_free(names);
    return false;
}

/* A setting of the run, a key of the plan, or the only other key of this name. */
static bool find_key(const struct nadi_space_reader *r, struct nadi_space_variable *v)
{
    const struct input *inputs = r->s->is_model ? of_models : of_workloads, *found = NULL;
    bool is_input;
    if (find_qualified(r, v, inputs, &is_input))
        return true;
    if (is_input)
        return refuse_name(r, v, inputs);
    const struct nadi_setting *word = strpbrk(v->name, ".[") ? NULL : run_word(r, v->name);
    if (word) {
        take(r->s, v, "run", word, v->name);
        return true;
    }
    for (const struct input *i = inputs; i->of; i++) {
        const struct nadi_setting *key = key_of(i->kind, v->name);
        if (!key)
            continue;
        if (found && strcmp(found->of, i->of) != 0)
            return nadi_error(r->diags, "space/ambiguous", v->place, NULL,
                              "'%s' is a key of %s and of %s: write %s.%s or %s.%s", v->name,
                              found->of, i->of, found->of, v->name, i->of, v->name);
        if (!found)
            take(r->s, v, i->of, key, v->name);
        found = found ? found : i;
        if (i->kind == NADI_SCHEMA_PLAN)
            return true;
    }
    return found || refuse_name(r, v, inputs);
}

static bool check_own_name(const struct nadi_space_reader *r, const struct nadi_space_variable *v)
{
    const char *p = v->name;
    while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' || *p == '-' ||
           (*p >= '0' && *p <= '9' && p > v->name))
        p++;
    return (*p == '\0' && p > v->name) ||
           nadi_error(r->diags, "space/name", v->place, NULL,
                      "'%s' is no name: letters, digits and '_' are wanted", v->name);
}

/* "tp" and "plan.tp" are one key, of which either value would be passed over. */
static bool is_only(const struct nadi_space_reader *r, const struct nadi_space_variable *v)
{
    for (uint32_t i = 0; i < r->s->variable_count; i++) {
        const struct nadi_space_variable *other = &r->s->variables[i];
        if (other != v && other->of && strcmp(other->of, v->of) == 0 &&
            strcmp(other->path, v->path) == 0)
            return nadi_error(r->diags, "space/same-key", v->place, "leave one out",
                              "'%s' and '%s' are one key", other->name, v->name);
    }
    return true;
}

struct nadi_space_variable *nadi_space_add(struct nadi_space_reader *r, const char *name, bool own,
                                           struct nadi_place place)
{
    struct nadi_space *s = r->s;
    uint32_t i = 0;
    while (i < s->variable_count &&
           !nadi_expression_same_name(s->variables[i].name, name, strlen(name)))
        i++;
    if (i == NADI_SPACE_MOST_VARIABLES) {
        (void)nadi_error(r->diags, "space/variables", place, NULL,
                         "there are more than %d variables", NADI_SPACE_MOST_VARIABLES);
        return NULL;
    }
    if (i < s->variable_count && r->in_file) {
        (void)nadi_error(r->diags, "space/same-key", place, "leave one out",
                         "'%s' and '%s' are one name", s->variables[i].name, name);
        return NULL;
    }
    if (i < s->variable_count && s->variables[i].of == NULL)
        own = true; /* --vary gives a name of one's own other values */
    struct nadi_space_variable *v = &s->variables[i];
    *v = (struct nadi_space_variable){
        .name = nadi_arena_strdup(&s->arena, name), .place = place, .unit = ""};
    v->place.file = nadi_arena_strdup(&s->arena, place.file); /* it outlives the document */
    r->pending[i].text = NULL;
    s->variable_count += i == s->variable_count;
    v->path = v->name;
    return (own ? check_own_name(r, v) : find_key(r, v) && is_only(r, v)) ? v : NULL;
}

static uint32_t find_variable(const void *context, const char *name, size_t length)
{
    const struct nadi_space *s = context;
    for (uint32_t i = 0; i < s->variable_count; i++)
        if (nadi_expression_same_name(s->variables[i].name, name, length))
            return i;
    return NADI_NONE;
}

struct nadi_expression_names nadi_space_names(struct nadi_space *s)
{
    const char **all = NADI_ARENA_NEW(&s->arena, const char *, s->variable_count);
    for (uint32_t i = 0; i < s->variable_count; i++)
        all[i] = s->variables[i].name;
    return (struct nadi_expression_names){
        .find = find_variable, .context = s, .all = all, .count = s->variable_count};
}
