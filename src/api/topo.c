#include "report/topo.h"
#include "api/inside.h"
#include "base/mem.h"
#include "format/embedded.h"
#include "inputs/network_file.h"
#include "platform/generator_words.h"

struct nadi_topo {
    struct nadi_graph_file file;
};

static bool generate(struct nadi_topo *t, const char *const *words, size_t count,
                     struct nadi_diags *diags)
{
    struct nadi_doc doc;
    bool ok = count == 1 ? nadi_generator_text(&doc, words[0], diags)
                         : nadi_generator_words(&doc, words, count, diags);
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

/* Parameters behind what is no generator. */
static bool refuse_words(const char *const *words, struct nadi_diags *diags)
{
    const char *near = nadi_generator_nearest(words[0]);
    if (strpbrk(words[0], "./") || nadi_embedded_find("platforms", words[0]))
        return nadi_error(diags, "topo/word", NADI_NOWHERE, "name one network",
                          "'%s' takes no parameters: '%s'", words[0], words[1]);
    if (near)
        return nadi_error(diags, "topo/word", NADI_NOWHERE, NULL,
                          "no generator is called '%s', did you mean '%s'?", words[0], near);
    return nadi_error(diags, "topo/word", NADI_NOWHERE, "`nadi help topo` names them",
                      "no generator is called '%s'", words[0]);
}

struct nadi_topo *nadi_do_topo_open(const char *const *words, size_t count, const char *prices,
                                    struct nadi_diags *messages)
{
    struct nadi_topo *t = NADI_ZNEW(struct nadi_topo, 1);
    bool ok;
    if (nadi_generator_is_words(words[0]))
        ok = generate(t, words, count, messages);
    else if (count > 1) {
        nadi_graph_init(&t->file.graph);
        ok = refuse_words(words, messages);
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

char *nadi_do_topo_report(const struct nadi_topo *t, int json)
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

char *nadi_do_topo_svg(const struct nadi_topo *t)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_topo_write_svg(&t->file, &text);
    return text.text;
}

char *nadi_do_topo_file(const struct nadi_topo *t)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_graph_file_write(&t->file, &text);
    return text.text;
}
