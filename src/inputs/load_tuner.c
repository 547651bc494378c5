/* load_tuner: a tuner table -> which collectives run which step generator, in which protocol. */
#include "base/mem.h"
#include "collective/program.h"
#include "inputs/load.h"

void nadi_read_tuner(struct nadi_load *l, const struct nadi_schema_values *values)
{
    const struct nadi_schema_value *v = nadi_schema_get(values, "tuner");
    if (v->count == 0)
        return;
    if (l->in->options.compat) {
        nadi_note(l->diags, "system/no-effect", nadi_doc_place(values->doc, v->node),
                  "use 'nadi run', where it has", "'tuner' has no effect under this program name");
        return;
    }
    l->tuner = nadi_arena_strdup(&l->in->arena, v->items[0].text);
}

static bool refuse(struct nadi_load *l, const struct nadi_schema_values *v, const char *key,
                   const char *word, const char *why)
{
    return nadi_error(
        l->diags, "tuner/algorithm", nadi_doc_place(v->doc, nadi_schema_get(v, key)->node),
        "docs/models/collectives.md lists the step generators", "'%s': %s", word, why);
}

/* "oneRing": as a list of the system file has it. */
static bool read_word(struct nadi_load *l, const struct nadi_schema_values *v,
                      enum nadi_collective_kind kind, const char *word,
                      struct nadi_algorithm_choice *choice)
{
    enum nadi_native_kind native;
    const bool known = nadi_native_kind_of(kind, &native);
    NADI_ASSERT(known);
    if (!nadi_algorithm_read(word, choice) || !choice->flat)
        return refuse(l, v, "algorithm", word, "there is no such step generator");
    if (!nadi_native_takes_dims(native) ||
        (choice->program && !nadi_program_runs(choice->program, kind)))
        return refuse(l, v, "algorithm", word, "does not do this collective");
    return true;
}

/* Protocols are those of step generators. */
static bool read_wire(struct nadi_load *l, const struct nadi_schema_values *v, const char *word,
                      struct nadi_algorithm_choice *choice)
{
    static const char *const keys[] = {"protocol", "message-overhead", "channels"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if ((i == 2 || !choice->program) && nadi_schema_is_set(v, keys[i]))
            return refuse(l, v, keys[i], word, "only step generators have such a thing");
    choice->wire = (enum nadi_wire_form)nadi_schema_word(v, "protocol");
    const double overhead = nadi_schema_number(v, "message-overhead");
    choice->overhead_ns = overhead < UINT32_MAX ? (uint32_t)overhead : UINT32_MAX;
    return true;
}

/* A word a dimension. */
static bool read_dimensions(struct nadi_load *l, const struct nadi_schema_values *v,
                            enum nadi_collective_kind kind, struct nadi_implementation *i)
{
    const struct nadi_schema_value *list = nadi_schema_get(v, "by-dimension");
    enum nadi_native_kind native;
    const bool known = nadi_native_kind_of(kind, &native);
    NADI_ASSERT(known);
    if (nadi_schema_is_set(v, "algorithm") || !nadi_native_takes_dims(native))
        return refuse(l, v, "by-dimension", list->items[0].text,
                      nadi_schema_is_set(v, "algorithm") ? "'algorithm' says another"
                                                         : "this collective takes all members");
    if (list->count > l->in->topology.dim_count)
        return refuse(l, v, "by-dimension", list->items[0].text,
                      "there are more words than the network has dimensions");
    i->count = list->count;
    for (uint32_t d = 0; d < list->count; d++) {
        const char *word = list->items[d].text;
        const bool good = nadi_algorithm_read(word, &i->dims[d]);
        NADI_ASSERT(good); /* it is one of the schema's words */
        if (i->dims[d].program && !nadi_program_runs(i->dims[d].program, kind))
            return refuse(l, v, "by-dimension", word, "does not do this collective");
        if (!read_wire(l, v, word, &i->dims[d]))
            return false;
    }
    return true;
}

/* The algorithm of a rule: a name with a number, or a number of channels. */
static bool read_algorithm(struct nadi_load *l, const struct nadi_schema_values *v,
                           enum nadi_collective_kind kind, struct nadi_algorithm_choice *choice)
{
    const char *word = nadi_schema_get(v, "algorithm")->items[0].text;
    const bool has_channels = nadi_schema_is_set(v, "channels");
    char name[64];
    uint32_t number;
    const bool is_name = nadi_str_split_number(word, name, sizeof(name), &number);
    if (strncmp(word, "one", strlen("one")) == 0)
        return read_word(l, v, kind, word, choice) && read_wire(l, v, word, choice);
    choice->algorithm = NADI_ALGORITHM_PROGRAM;
    choice->flat = true;
    choice->program = nadi_program_find(name);
    if (has_channels && choice->program && choice->program->with_channels)
        choice->program = choice->program->with_channels;
    if (!choice->program)
        return refuse(l, v, "algorithm", word, "there is no such step generator");
    if (!nadi_program_runs(choice->program, kind))
        return refuse(l, v, "algorithm", word, "does not do this collective");
    if (!is_name || (number > 0 && choice->program->number == NADI_NUMBER_NONE))
        return refuse(l, v, "algorithm", word, "takes no such number");
    if (has_channels && (number > 0 || choice->program->number != NADI_NUMBER_CHANNELS))
        return refuse(l, v, "channels", word, "its channels are not to be chosen");
    choice->window = has_channels ? (uint32_t)nadi_schema_integer(v, "channels") : number;
    choice->wire = (enum nadi_wire_form)nadi_schema_word(v, "protocol");
    const double overhead = nadi_schema_number(v, "message-overhead");
    choice->overhead_ns = overhead < UINT32_MAX ? (uint32_t)overhead : UINT32_MAX;
    return true;
}

static bool read_rule(struct nadi_load *l, const struct nadi_schema_values *v,
                      struct nadi_attached *a)
{
    enum nadi_collective_kind kind;
    const bool known = nadi_collective_find(nadi_schema_get(v, "kind")->items[0].text, &kind) &&
                       nadi_native_kind_of(kind, &a->kind);
    NADI_ASSERT(known);
    a->members = nadi_schema_is_set(v, "members") ? (uint32_t)nadi_schema_integer(v, "members") : 0;
    a->least_bytes =
        nadi_schema_is_set(v, "min-size") ? (uint64_t)nadi_schema_integer(v, "min-size") : 0;
    a->most_bytes = nadi_schema_is_set(v, "max-size") ? (uint64_t)nadi_schema_integer(v, "max-size")
                                                      : UINT64_MAX;
    a->implementation.count = 1;
    if (a->least_bytes > a->most_bytes)
        return nadi_error(l->diags, "tuner/sizes",
                          nadi_doc_place(v->doc, nadi_schema_get(v, "min-size")->node), NULL,
                          "'min-size' is above 'max-size'");
    if (nadi_schema_get(v, "by-dimension")->count > 0)
        return read_dimensions(l, v, kind, &a->implementation);
    if (!nadi_schema_is_set(v, "algorithm"))
        return nadi_error(
            l->diags, "tuner/algorithm", nadi_doc_place(v->doc, nadi_schema_get(v, "kind")->node),
            "docs/models/collectives.md lists the step generators", "the rule has no 'algorithm'");
    return read_algorithm(l, v, kind, &a->implementation.dims[0]);
}

/* A broadcast that no rule fits must be something too: what the first rule says. */
static bool read_rules(struct nadi_load *l, const struct nadi_schema_values *values,
                       struct nadi_attached *attached, uint32_t most)
{
    struct nadi_system_config *s = &l->in->system;
    const struct nadi_schema_value *rules = nadi_schema_get(values, "rules");
    bool ok = true;
    for (uint32_t i = 0; i < rules->count; i++) {
        struct nadi_schema_values v;
        if (s->attached_count == most || s->attached_count == 250)
            return nadi_error(l->diags, "tuner/rules",
                              nadi_doc_place(values->doc, rules->items[i].node), NULL,
                              "more than 250 rules and custom collectives together");
        struct nadi_attached *a = &attached[s->attached_count];
        *a = (struct nadi_attached){0};
        const bool good =
            nadi_schema_check_map(&v, nadi_schema_of(NADI_SCHEMA_TUNER_RULE), values->doc,
                                  rules->items[i].node, true, &l->in->arena, l->diags) &&
            read_rule(l, &v, a);
        s->attached_count += good;
        ok &= good;
        if (good && a->kind == NADI_NATIVE_BROADCAST && s->native[a->kind].count == 0)
            s->native[a->kind] = a->implementation;
    }
    return ok;
}

bool nadi_load_tuner(struct nadi_load *l, struct nadi_attached *attached, uint32_t most)
{
    struct nadi_doc doc;
    struct nadi_schema_values values;
    if (!l->tuner)
        return true;
    if (strcmp(l->tuner, "auto") == 0)
        return nadi_load_auto(l, attached);
    if (!nadi_load_document(l, NADI_SCHEMA_TUNER, nadi_load_resolve(l, l->tuner, ""), &doc))
        return false;
    const bool ok = nadi_schema_check(&values, nadi_schema_of(NADI_SCHEMA_TUNER), &doc,
                                      l->in->options.strict, &doc.arena, l->diags) &&
                    read_rules(l, &values, attached, most);
    nadi_doc_release(&doc);
    return ok;
}
