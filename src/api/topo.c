#include <nadi/topo.h>

#include "base/mem.h"
#include "format/schema.h"
#include "report/topo.h"
#include "sim/network_file.h"

struct nadi_topo {
    struct nadi_graph_file file;
};

/* "4x4x4" or "4,4,4" as "[4, 4, 4]"; other things as they are, in quotes where YAML would see more
 * than a word in them. */
static void put_value(struct nadi_str *out, const struct nadi_schema_key *key, const char *value)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-/,";
    const bool has_list =
        key && key->list && *value >= '0' && *value <= '9' && value[strspn(value, plain)] == '\0';
    if (has_list) {
        const bool whole = strspn(value, "0123456789x,") == strlen(value);
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

static bool is_file(const char *word)
{
    const struct nadi_schema_key *type =
        nadi_schema_find(nadi_schema_of(NADI_SCHEMA_GENERATOR), "type");
    for (size_t i = 0; type->words[i]; i++)
        if (nadi_str_equal(type->words[i], word))
            return false;
    return strchr(word, '/') || strchr(word, '.');
}

static bool generate(struct nadi_topo *t, const char *const *words, size_t count,
                     struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_doc doc;
    bool ok = put_generator(&text, words, count, diags) &&
              nadi_doc_parse(&doc, "command line", text.text, text.length, NADI_DOC_YAML, diags);
    nadi_str_release(&text);
    if (!ok) {
        nadi_graph_init(&t->file.graph);
        return false;
    }
    ok = nadi_graph_file_from_doc(&t->file, &doc, diags);
    nadi_doc_release(&doc);
    return ok;
}

/* "leaf=18000,cable=300", before those of the file. */
static bool add_prices(struct nadi_topo *t, const char *text, struct nadi_diags *diags)
{
    struct nadi_graph_file *f = &t->file;
    const size_t most = strlen(text) + 1 + f->price_count;
    struct nadi_graph_price *all = NADI_ARENA_NEW(&f->graph.arena, struct nadi_graph_price, most);
    uint32_t count = 0;
    char *at = nadi_arena_strdup(&f->graph.arena, text);
    while (*at) {
        char *end = at + strcspn(at, ","), *equals = strchr(at, '=');
        char *next = *end ? end + 1 : end;
        double price;
        *end = '\0';
        if (!equals || equals >= end)
            return nadi_error(diags, "topo/price", NADI_NOWHERE, "for example leaf=18000,cable=300",
                              "'%s' is no price", at);
        *equals = '\0';
        if (!nadi_str_to_double(equals + 1, &price) || !(price >= 0))
            return nadi_error(diags, "topo/price", NADI_NOWHERE, "for example leaf=18000,cable=300",
                              "'%s' is no price of '%s'", equals + 1, at);
        if (!nadi_graph_has_price(&f->graph, at))
            return nadi_error(diags, "topo/price", NADI_NOWHERE,
                              "the line 'nodes' has the roles, and links are 'cable'",
                              "no node has the role '%s'", at);
        all[count++] = (struct nadi_graph_price){at, price};
        at = next;
    }
    for (uint32_t i = 0; i < f->price_count; i++)
        all[count + i] = f->prices[i];
    f->prices = all;
    f->price_count += count;
    return true;
}

struct nadi_topo *nadi_topo_open(const char *const *words, size_t count, const char *prices,
                                 struct nadi_diags *messages)
{
    struct nadi_topo *t = NADI_ZNEW(struct nadi_topo, 1);
    NADI_ASSERT(count > 0);
    bool ok;
    if (!is_file(words[0]))
        ok = generate(t, words, count, messages);
    else if (count > 1) {
        nadi_graph_init(&t->file.graph);
        ok = nadi_error(messages, "topo/word", NADI_NOWHERE, "name one file",
                        "a file has no parameters: '%s'", words[1]);
    } else
        ok = nadi_network_file_open(&t->file, words[0], messages);
    if (ok && prices)
        ok = add_prices(t, prices, messages);
    if (ok)
        return t;
    nadi_topo_close(t);
    return NULL;
}

void nadi_topo_close(struct nadi_topo *t)
{
    if (!t)
        return;
    nadi_graph_file_release(&t->file);
    nadi_mem_free(t);
}

char *nadi_topo_report(const struct nadi_topo *t, int json)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_graph_measures m;
    nadi_graph_measure(&m, &t->file.graph, t->file.dims, t->file.dim_count);
    if (json)
        nadi_topo_write_json(&t->file, &m, &text);
    else
        nadi_topo_write_text(&t->file, &m, &text);
    nadi_graph_measures_release(&m);
    return text.text;
}

char *nadi_topo_svg(const struct nadi_topo *t)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_topo_write_svg(&t->file, &text);
    return text.text;
}

char *nadi_topo_file(const struct nadi_topo *t)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_graph_file_write(&t->file, &text);
    return text.text;
}
