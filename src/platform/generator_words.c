#include "platform/generator_words.h"

#include "base/mem.h"
#include "base/str.h"
#include "settings/schema.h"

/* Are there numbers between all that separates them? */
static bool is_whole_list(const char *value)
{
    const char *c = value;
    while (*c >= '0' && *c <= '9') {
        c += strspn(c, "0123456789");
        if (!*c)
            return true;
        if (*c == 'x' || *c == ',')
            c++;
    }
    return false;
}

/* "4x4x4" or "4,4,4" as "[4, 4, 4]"; other things as they are, in quotes where YAML would see more
 * than a word in them. */
static void put_value(struct nadi_str *out, const struct nadi_setting *key, const char *value)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-/,";
    const size_t length = strlen(value);
    const bool has_list = key && key->list && *value >= '0' && *value <= '9' &&
                          value[strspn(value, plain)] == '\0' && !strstr(value, ",,") &&
                          value[length - 1] != ',';
    if (has_list) {
        const bool whole = is_whole_list(value);
        nadi_str_add_char(out, '[');
        for (const char *c = value; *c; c++)
            nadi_str_add(out, *c == ',' || (whole && *c == 'x') ? ", " : (const char[]){*c, '\0'});
        nadi_str_add_char(out, ']');
    } else if (*value && !strchr(value, ',') && value[strspn(value, plain)] == '\0')
        nadi_str_add(out, value);
    else {
        nadi_str_add_char(out, '"');
        for (const char *c = value; *c; c++)
            if ((unsigned char)*c >= 0x20)
                nadi_str_printf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        nadi_str_add_char(out, '"');
    }
}

static bool put_pair(struct nadi_str *out, const char *word, struct nadi_diags *diags)
{
    const char *equals = strchr(word, '=');
    char name[64];
    if (!equals || equals == word || (size_t)(equals - word) >= sizeof(name))
        return nadi_error(diags, "topo/word", NADI_NOWHERE,
                          "parameters are written k=8, shape=4x4x4", "'%s' is no parameter", word);
    memcpy(name, word, (size_t)(equals - word));
    name[equals - word] = '\0';
    nadi_str_add(out, ", ");
    put_value(out, NULL, name);
    nadi_str_add(out, ": ");
    put_value(out, nadi_schema_find(nadi_schema_of(NADI_SCHEMA_GENERATOR), name), equals + 1);
    return true;
}

/* The words as the file that says the same. */
static bool put_generator(struct nadi_str *out, const char *const *words, size_t count,
                          struct nadi_diags *diags)
{
    static const char nested[] = "scale-out.", below[] = "scale-out=";
    struct nadi_str inner = NADI_STR_INIT;
    bool ok = true, scale_out = false;
    nadi_str_add(out, "generator: {type: ");
    put_value(out, NULL, words[0]);
    for (size_t i = 1; ok && i < count; i++) {
        if (nadi_str_starts(words[i], nested))
            ok = put_pair(&inner, words[i] + strlen(nested), diags);
        else if (!nadi_str_starts(words[i], below))
            ok = put_pair(out, words[i], diags);
    }
    for (size_t i = 1; i < count; i++)
        if (nadi_str_starts(words[i], below)) {
            nadi_str_add(out, ", scale-out: {type: ");
            put_value(out, NULL, words[i] + strlen(below));
            nadi_str_printf(out, "%s}", nadi_str_get(&inner));
            scale_out = true;
        }
    if (ok && inner.length && !scale_out)
        ok = nadi_error(diags, "topo/word", NADI_NOWHERE, "for example scale-out=leaf-spine",
                        "parameters of a scale-out network, but not which one it is");
    nadi_str_add(out, "}\n");
    nadi_str_release(&inner);
    return ok;
}

bool nadi_generator_is_words(const char *text)
{
    const struct nadi_setting *type =
        nadi_schema_find(nadi_schema_of(NADI_SCHEMA_GENERATOR), "type");
    const size_t length = strcspn(text, " ");
    for (size_t i = 0; type->words[i]; i++)
        if (strlen(type->words[i]) == length && memcmp(type->words[i], text, length) == 0)
            return true;
    return false;
}

const char *nadi_generator_nearest(const char *text)
{
    const struct nadi_setting *type =
        nadi_schema_find(nadi_schema_of(NADI_SCHEMA_GENERATOR), "type");
    char word[64];
    size_t count = 0;
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(text, " "), text);
    while (type->words[count])
        count++;
    return nadi_str_nearest(word, type->words, count);
}

bool nadi_generator_words(struct nadi_doc *doc, const char *const *words, size_t count,
                          struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    const bool ok =
        put_generator(&text, words, count, diags) &&
        nadi_doc_parse(doc, "command line", text.text, text.length, NADI_DOC_YAML, diags);
    nadi_str_release(&text);
    return ok;
}

bool nadi_generator_text(struct nadi_doc *doc, const char *text, struct nadi_diags *diags)
{
    char *copy = NADI_NEW(char, strlen(text) + 1);
    const char **words = NADI_NEW(const char *, strlen(text) + 1);
    size_t count = 0;
    memcpy(copy, text, strlen(text) + 1);
    for (char *at = copy; *at;) {
        at += strspn(at, " ");
        if (!*at)
            break;
        words[count++] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }
    const bool ok = nadi_generator_words(doc, words, count, diags);
    nadi_mem_free(words);
    nadi_mem_free(copy);
    return ok;
}

const char *nadi_generator_text_get(const char *text, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = strchr(text, ' '); at; at = strchr(at, ' ')) {
        at += strspn(at, " ");
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

const char *nadi_generator_text_set(struct nadi_arena *arena, const char *text, const char *key,
                                    const char *value)
{
    const char *old = nadi_generator_text_get(text, key);
    if (!old)
        return nadi_arena_printf(arena, "%s %s=%s", text, key, value);
    return nadi_arena_printf(arena, "%.*s%s%s", (int)(old - text), text, value,
                             old + strcspn(old, " "));
}
