#include "model/hf_class.h"

#include "base/str.h"

/* ---- which architecture -------------------------------------------------------------------- */

/* Letters and digits of a class or type, in lower case: "Qwen2_5_VL" and "qwen2_5_vl" are one. */
void nadi_hf_plain_name(const char *name, char plain[128])
{
    size_t length = 0;
    for (; *name && length < 127; name++)
        if (*name != '_' && *name != '-' && *name != '.')
            plain[length++] = (char)(*name >= 'A' && *name <= 'Z' ? *name + 32 : *name);
    plain[length] = '\0';
}

static enum nadi_hf_class kind_of(const char *ending)
{
    static const char with[] = "forcausallm lmheadmodel lmheadcustommodel withlmheadmodel "
                               "doubleheadsmodel forconditionalgeneration forvision2seq "
                               "forpretraining formaskedlm forcausallmwithvalue "
                               "forcausallmeagle3 mtmodel modellm";
    static const char without[] =
        "model forsequenceclassification fortokenclassification forquestionanswering "
        "forrewardmodel forprocessrewardmodel forsequenceembedding";
    return nadi_hf_has_word(with, ending)      ? NADI_HF_CLASS_WITH_HEAD
           : nadi_hf_has_word(without, ending) ? NADI_HF_CLASS_WITHOUT_HEAD
                                               : NADI_HF_CLASS_UNKNOWN;
}

/* How the class goes on behind one of the names in a list; the longest of these names counts. */
static size_t match_class(const char *list, const char *class_name, enum nadi_hf_class *kind)
{
    size_t best = 0;
    while (list && *list) {
        char name[128], plain[128];
        const size_t length = strcspn(list, " ");
        NADI_ASSERT(length < sizeof(name));
        memcpy(name, list, length);
        name[length] = '\0';
        nadi_hf_plain_name(name, plain);
        const size_t plain_length = strlen(plain);
        if (plain_length > best && nadi_str_starts(class_name, plain) &&
            kind_of(class_name + plain_length) != NADI_HF_CLASS_UNKNOWN) {
            best = plain_length;
            *kind = kind_of(class_name + plain_length);
        }
        list += length;
        list += strspn(list, " ");
    }
    return best;
}

size_t nadi_hf_rule_fits(const struct nadi_hf_rule *rule, const char *class_name,
                         enum nadi_hf_class *kind)
{
    enum nadi_hf_class by_class = NADI_HF_CLASS_UNKNOWN;
    const size_t type = match_class(rule->types, class_name, kind);
    const size_t class_length = match_class(rule->classes, class_name, &by_class);
    if (class_length > type)
        *kind = by_class;
    return class_length > type ? class_length : type;
}

/* The class of the model, "" where none is said. */
const char *nadi_hf_class_of(const struct nadi_doc_node *map)
{
    const struct nadi_doc_node *list = nadi_doc_find(map, "architectures");
    const bool has =
        list && list->kind == NADI_DOC_LIST && list->first && list->first->kind == NADI_DOC_SCALAR;
    return has ? list->first->text : "";
}

const struct nadi_hf_rule *nadi_hf_rule_of_class(const char *class_name)
{
    const struct nadi_hf_rule *best = NULL, *rule;
    size_t most = 0;
    char plain[128];
    nadi_hf_plain_name(class_name, plain);
    for (size_t i = 0; (rule = nadi_hf_rule_at(i)); i++) {
        enum nadi_hf_class kind = NADI_HF_CLASS_UNKNOWN;
        const size_t length = nadi_hf_rule_fits(rule, plain, &kind);
        if (length > most)
            best = rule;
        most = length > most ? length : most;
    }
    return best;
}

/* ---- refusals ------------------------------------------------------------------------------ */

static bool shares_beginning(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same] && a[same] != '_')
        same++;
    return same >= 3 && same * 2 >= strlen(a);
}

/* Known types whose names begin alike. */
static void add_near(const char *type, struct nadi_str *out)
{
    const struct nadi_hf_rule *rule;
    uint32_t count = 0;
    for (size_t i = 0; (rule = nadi_hf_rule_at(i)); i++) {
        char name[64];
        const size_t length = strcspn(rule->types, " ");
        NADI_ASSERT(length < sizeof(name));
        memcpy(name, rule->types, length);
        name[length] = '\0';
        if (rule->refused || !shares_beginning(type, name) || count == 4)
            continue;
        nadi_str_printf(out, "%s'%s'", count ? ", " : "; near it are known ", name);
        count++;
    }
}

bool nadi_hf_refuse_type(struct nadi_hf_config *c, const struct nadi_doc_node *at, const char *type)
{
    struct nadi_str near = NADI_STR_INIT;
    add_near(type, &near);
    const struct nadi_place place = at ? nadi_doc_place(c->doc, at) : NADI_IN_FILE(c->doc->path);
    nadi_error(c->diags, "model/type", place,
               "docs/guide/models.md has the known types; where its layers are those of one of "
               "them, write that model_type into a copy of the file, else describe the model: "
               "docs/reference/input-model.md",
               "model_type '%s' is not known, and no other is taken for it%s", type,
               nadi_str_get(&near));
    nadi_str_release(&near);
    return false;
}

bool nadi_hf_refuse_mechanism(struct nadi_hf_config *c, const struct nadi_hf_rule *rule)
{
    struct nadi_str keys = NADI_STR_INIT;
    const struct nadi_doc_node *first = NULL;
    for (const struct nadi_doc_node *node = c->map->first; node; node = node->next) {
        if (!nadi_hf_has_word(rule->keys, nadi_doc_key(node)))
            continue;
        nadi_str_printf(&keys, "%s'%s'", first ? ", " : " (", nadi_doc_key(node));
        first = first ? first : node;
    }
    if (first)
        nadi_str_add_char(&keys, ')');
    nadi_error(c->diags, "model/unmodelled",
               first ? nadi_doc_key_place(c->doc, first) : NADI_IN_FILE(c->doc->path), NULL,
               "model_type '%s' has what is not modelled: %s%s", c->type, rule->refused,
               nadi_str_get(&keys));
    nadi_str_release(&keys);
    return false;
}
