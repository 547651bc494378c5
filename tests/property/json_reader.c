/* The reader of JSON documents against libfyaml's, on the fuzzers' corpus and on changed copies of
 * it: what both take is the same tree with the same places (but for "\\r\\n", which libfyaml counts
 * as two lines of JSON, and is not drawn). Ours is stricter: it takes nothing that
 * the other does not, and what it refuses alone it refuses for one of the reasons listed here. */
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "format/doc.h"

#include <dirent.h>
#include <libfyaml.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { CHANGED = 40000, LARGEST = 3000 };

struct corpus {
    struct {
        struct nadi_str *items;
        size_t count, capacity;
    } texts;
};

/* ---- trees as text ------------------------------------------------------------------------- */

static void add_node(const struct nadi_doc_node *n, struct nadi_str *out)
{
    nadi_str_printf(out, "%u:%u", n->line, n->column);
    if (n->kind == NADI_DOC_SCALAR) {
        nadi_str_printf(out, "%s<%s> ", n->quoted ? "q" : "", n->text);
        return;
    }
    nadi_str_add(out, n->kind == NADI_DOC_MAP ? "{ " : "[ ");
    for (const struct nadi_doc_node *c = n->first; c; c = c->next) {
        if (n->kind == NADI_DOC_MAP) {
            const struct nadi_doc_member *m = (const struct nadi_doc_member *)(const void *)c;
            nadi_str_printf(out, "%u:%uk<%s> ", m->key_line, m->key_column, m->key);
        }
        add_node(c, out);
    }
    nadi_str_add(out, n->kind == NADI_DOC_MAP ? "} " : "] ");
}

static void add_place(struct fy_event *e, bool quoted, struct nadi_str *out)
{
    const struct fy_mark *mark = fy_event_start_mark(e);
    nadi_str_printf(out, "%d:%d", mark->line + 1, mark->column + !quoted);
}

struct their {
    bool in_map[NADI_DOC_MAX_DEPTH + 1], is_key[NADI_DOC_MAX_DEPTH + 1];
    int depth;
    bool too_deep;
};

static void add_event(struct their *t, struct fy_event *e, struct nadi_str *out)
{
    const bool key = t->in_map[t->depth] && t->is_key[t->depth];
    const bool opens = e->type == FYET_MAPPING_START || e->type == FYET_SEQUENCE_START;
    if (e->type == FYET_SCALAR || opens)
        t->is_key[t->depth] = !t->is_key[t->depth];
    if (e->type == FYET_SCALAR) {
        const bool quoted = fy_event_get_node_style(e) == FYNS_DOUBLE_QUOTED;
        size_t length = 0;
        const char *text = e->scalar.value ? fy_token_get_text(e->scalar.value, &length) : NULL;
        add_place(e, quoted, out);
        nadi_str_add(out, key ? "k<" : quoted ? "q<" : "<");
        nadi_str_add_bytes(out, text ? text : "", length);
        nadi_str_add(out, "> ");
    } else if (opens && t->depth < NADI_DOC_MAX_DEPTH) {
        const bool map = e->type == FYET_MAPPING_START;
        add_place(e, false, out);
        nadi_str_add(out, map ? "{ " : "[ ");
        t->depth++;
        t->in_map[t->depth] = t->is_key[t->depth] = map;
    } else if (opens) {
        t->too_deep = true;
    } else if (e->type == FYET_MAPPING_END || e->type == FYET_SEQUENCE_END) {
        nadi_str_add(out, e->type == FYET_MAPPING_END ? "} " : "] ");
        t->depth -= t->depth > 0;
    }
}

static bool read_theirs(const struct nadi_str *text, struct nadi_str *out)
{
    struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_FORCE};
    struct fy_parser *parser = fy_parser_create(&config);
    struct fy_diag *log = fy_parser_get_diag(parser);
    fy_diag_set_collect_errors(log, true);
    struct their t = {0};
    struct fy_event *e;
    bool ok = fy_parser_set_string(parser, text->text, text->length) == 0;
    while (ok && !t.too_deep && (e = fy_parser_parse(parser))) {
        add_event(&t, e, out);
        fy_parser_event_free(parser, e);
    }
    ok = ok && !t.too_deep && !fy_parser_get_stream_error(parser);
    fy_diag_reset_error(log); /* frees the collected errors */
    fy_diag_unref(log);
    fy_parser_destroy(parser);
    return ok;
}

/* ---- the comparison ------------------------------------------------------------------------ */

/* What JSON says and libfyaml does not hold to, by our message. */
static bool is_stricter(const struct nadi_diag *d)
{
    static const char *const why[] = {"control character", "surrogate", "comments are not JSON"};
    if (strcmp(d->code, "doc/syntax") != 0) /* keys twice, depth, NUL, no text */
        return true;
    for (size_t i = 0; i < sizeof(why) / sizeof(why[0]); i++)
        if (strstr(d->message, why[i]))
            return true;
    return false;
}

/* True when both take it. */
static bool compare(const struct nadi_str *text)
{
    struct nadi_str mine = NADI_STR_INIT, other = NADI_STR_INIT;
    struct nadi_diags diags;
    struct nadi_doc doc;
    nadi_diags_init(&diags);
    const bool ours = nadi_doc_parse(&doc, "f", text->text, text->length, NADI_DOC_JSON, &diags);
    const bool theirs = read_theirs(text, &other);
    bool twice = false; /* the last value counts here, libfyaml's parser hands out both */
    for (size_t i = 0; i < diags.count; i++)
        twice |= strcmp(diags.items[i].code, "doc/duplicate-key") == 0;
    const bool scalar = ours && doc.root->kind == NADI_DOC_SCALAR;
    if (ours) {
        add_node(doc.root, &mine);
        nadi_doc_release(&doc);
    }
    if (ours && !theirs && !scalar) /* libfyaml takes no tab behind a lone scalar */
        fail_msg("taken, but not by libfyaml: %s", text->text);
    if (ours && theirs && !twice && strcmp(nadi_str_get(&mine), nadi_str_get(&other)) != 0)
        fail_msg("%s\nours   %s\ntheirs %s", text->text, nadi_str_get(&mine), nadi_str_get(&other));
    if (!ours && theirs && !is_stricter(&diags.items[0]))
        fail_msg("%s: refused, but not by libfyaml: %s", diags.items[0].message, text->text);
    nadi_diags_release(&diags);
    nadi_str_release(&mine);
    nadi_str_release(&other);
    return ours;
}

/* ---- corpus -------------------------------------------------------------------------------- */

static void take_folder(struct corpus *c, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        struct nadi_str path = NADI_STR_INIT;
        struct nadi_diags ignored;
        char *data;
        size_t bytes;
        nadi_diags_init(&ignored);
        nadi_str_printf(&path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' &&
            nadi_file_read(path.text, "corpus", &data, &bytes, &ignored)) {
            struct nadi_str text = NADI_STR_INIT;
            nadi_str_add_bytes(&text, data, bytes);
            if (bytes > 0 && bytes <= LARGEST && !strchr(text.text, '\r') &&
                strchr("{[", text.text[strspn(text.text, " \n")]))
                NADI_PUSH(&c->texts, text);
            else
                nadi_str_release(&text);
            nadi_mem_free(data);
        }
        nadi_diags_release(&ignored);
        nadi_str_release(&path);
    }
    if (dir)
        closedir(dir);
}

static int by_text(const void *a, const void *b)
{
    const struct nadi_str *x = a, *y = b;
    return strcmp(x->text, y->text);
}

static void read_corpus(struct corpus *c)
{
    static const char *const things[] = {"system",   "groups", "memory", "model",
                                         "platform", "pack",   "linked", "network_v1"};
    *c = (struct corpus){0};
    for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
        struct nadi_str folder = NADI_STR_INIT;
        nadi_str_printf(&folder, "%s/fuzz/corpus/%s", NADI_TEST_DIR, things[i]);
        take_folder(c, folder.text);
        nadi_str_release(&folder);
    }
    assert_true(c->texts.count > 30);
    qsort(c->texts.items, c->texts.count, sizeof(*c->texts.items),
          by_text); /* not as on the disk */
}

static void change(struct nadi_rng *rng, const struct corpus *c, struct nadi_str *text)
{
    static const char *const pieces[] = {
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        " ",
        "\n",

        "\t",
        "0",
        "-",
        "1e5",
        ".5",
        "true",
        "null",
        "[1,2]",
        "{\"a\":1}",
        "\\u00e9",
        "\\",
        "\xc3\xa9",
        "\xe2\x82\xac",
        "\"x\": ",
        "01",
        "1.",
        "'",
        "#",
        "//",
        "\\ud83d\\ude00",
        "\\n",
        "false",
        "nul",
        "\"\"",
        "1E+2",
    };
    const struct nadi_str *from = &c->texts.items[nadi_rng_below(rng, c->texts.count)];
    nadi_str_clear(text);
    nadi_str_add_bytes(text, from->text, from->length);
    for (uint64_t n = nadi_rng_below(rng, 4); n-- > 0;) {
        const size_t at = (size_t)nadi_rng_below(rng, text->length + 1);
        const size_t left = text->length - at;
        const size_t cut = (size_t)nadi_rng_below(rng, left < 6 ? left + 1 : 6);
        const char *piece = nadi_rng_below(rng, 3)
                                ? pieces[nadi_rng_below(rng, sizeof(pieces) / sizeof(*pieces))]
                                : "";
        struct nadi_str next = NADI_STR_INIT;
        nadi_str_add_bytes(&next, text->text, at);
        nadi_str_add(&next, piece);
        nadi_str_add_bytes(&next, text->text + at + cut, left - cut);
        nadi_str_release(text);
        *text = next;
    }
}

static void same_trees(void **state)
{
    (void)state;
    struct corpus c;
    struct nadi_rng rng;
    struct nadi_str text = NADI_STR_INIT;
    read_corpus(&c);
    for (size_t i = 0; i < c.texts.count; i++)
        (void)compare(&c.texts.items[i]);
    nadi_rng_init(&rng, 1, "json");
    int taken = 0;
    for (int i = 0; i < CHANGED; i++) {
        change(&rng, &c, &text);
        taken += compare(&text);
    }
    assert_true(taken > CHANGED / 5 && taken < CHANGED - CHANGED / 5);
    nadi_str_release(&text);
    for (size_t i = 0; i < c.texts.count; i++)
        nadi_str_release(&c.texts.items[i]);
    nadi_mem_free(c.texts.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
