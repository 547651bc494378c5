#include "model/set_words.h"

#include "base/mem.h"
#include "settings/schema.h"

static const char name[] = "--set";
static const char between[] = " ,;\n\t";

bool nadi_set_next(const char **at, struct nadi_set_word *word, struct nadi_diags *diags)
{
    *at += strspn(*at, between);
    const size_t length = strcspn(*at, " ,;\n\t=");
    *word = (struct nadi_set_word){0};
    if (length == 0 && **at != '=')
        return true;
    if (length == 0 || (*at)[length] != '=')
        return nadi_error(diags, "plan/setting", NADI_IN_FILE(name),
                          "write key=value, as in \"tp=8 pp=4\"", "no value for '%.*s'",
                          (int)length, *at);
    word->key = *at;
    word->key_length = length;
    word->value = *at + length + 1;
    const char *end = word->value;
    for (int depth = 0; *end && (depth > 0 || !strchr(between, *end)); end++)
        depth += (*end == '[' || *end == '{') - (*end == ']' || *end == '}');
    word->value_length = (size_t)(end - word->value);
    *at = end;
    return true;
}

/* Those that the plan's study reads, beside the plan. */
static const struct {
    const char *of;
    enum nadi_schema_kind schema;
} descriptions[] = {
    {"model", NADI_SCHEMA_MODEL},
    {"cluster", NADI_SCHEMA_CLUSTER},
    {"device", NADI_SCHEMA_DEVICE},
    {"platform", NADI_SCHEMA_PLATFORM},
};
enum { DESCRIPTIONS = sizeof(descriptions) / sizeof(descriptions[0]) };

/* Which description the word is about; NULL: the plan. */
static const char *description_of(const struct nadi_set_word *word)
{
    for (size_t i = 0; i < DESCRIPTIONS; i++) {
        const size_t length = strlen(descriptions[i].of);
        if (word->key_length > length + 1 && memcmp(word->key, descriptions[i].of, length) == 0 &&
            word->key[length] == '.')
            return descriptions[i].of;
    }
    return NULL;
}

/* A key that the plan has not, but one of the others. */
static bool is_of_plan(const struct nadi_set_word *word, struct nadi_diags *diags)
{
    char key[64];
    snprintf(key, sizeof(key), "%.*s", (int)strcspn(word->key, ".[="), word->key);
    if (nadi_schema_find(nadi_schema_of(NADI_SCHEMA_PLAN), key))
        return true;
    for (size_t i = 0; i < DESCRIPTIONS; i++) {
        char help[160];
        if (!nadi_schema_find(nadi_schema_of(descriptions[i].schema), key))
            continue;
        snprintf(help, sizeof(help), "write --set \"%s.%.*s=...\"", descriptions[i].of,
                 (int)word->key_length, word->key);
        return nadi_error(diags, "plan/setting", NADI_IN_FILE(name), help,
                          "'%s' is no key of a plan, but one of a %s", key, descriptions[i].of);
    }
    return true; /* the plan's reader says what is wrong */
}

/* Is `path` the value at `whole`, or within it? */
static bool is_within(const char *path, const char *whole)
{
    const size_t length = strlen(whole);
    return strncmp(path, whole, length) == 0 && strchr(".[", path[length]);
}

/* Neither of two words changes what the other says. */
static bool is_new(const struct nadi_doc_change *items, size_t count, struct nadi_diags *diags)
{
    const struct nadi_doc_change *last = &items[count];
    for (size_t i = 0; i < count; i++) {
        if (!nadi_str_equal(items[i].of, last->of))
            continue;
        if (nadi_str_equal(items[i].path, last->path))
            return nadi_error(diags, "plan/setting", NADI_IN_FILE(name), "leave one out",
                              "'%s.%s' is given twice", last->of, last->path);
        const bool inner = is_within(last->path, items[i].path);
        if (inner || is_within(items[i].path, last->path))
            return nadi_error(diags, "plan/setting", NADI_IN_FILE(name), "leave one out",
                              "'%s.%s' is given, and so is '%s.%s' of it", last->of,
                              (inner ? &items[i] : last)->path, last->of,
                              (inner ? last : &items[i])->path);
    }
    return true;
}

bool nadi_set_split(struct nadi_set *set, const char *text, const struct nadi_doc_changes *further,
                    struct nadi_arena *arena, struct nadi_diags *diags)
{
    const size_t more = further ? further->count : 0;
    const size_t most = (text ? strlen(text) / 2 : 0) + more;
    struct nadi_doc_change *items = NADI_ARENA_NEW(arena, struct nadi_doc_change, most);
    struct nadi_str plan = NADI_STR_INIT;
    struct nadi_set_word word;
    size_t count = 0;
    bool ok = true;
    for (const char *at = text; ok && at;) {
        ok = nadi_set_next(&at, &word, diags);
        if (!ok || !word.key)
            break;
        const char *of = description_of(&word);
        if (!of) {
            ok = is_of_plan(&word, diags);
            nadi_str_add(&plan, plan.length ? " " : "");
            nadi_str_add_bytes(&plan, word.key, (size_t)(at - word.key));
            continue;
        }
        const size_t skip = strlen(of) + 1;
        items[count] = (struct nadi_doc_change){
            .of = of,
            .path = nadi_arena_strndup(arena, word.key + skip, word.key_length - skip),
            .text = nadi_arena_strndup(arena, word.value, word.value_length),
        };
        ok = is_new(items, count++, diags);
    }
    for (size_t i = 0; i < more; i++)
        items[count++] = further->items[i];
    set->plan = text ? nadi_arena_strdup(arena, nadi_str_get(&plan)) : NULL;
    set->changes = (struct nadi_doc_changes){items, count};
    nadi_str_release(&plan);
    return ok;
}
