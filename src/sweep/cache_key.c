/* cache_key: the digest of all that decides the result of a point. */
#include "base/build_id.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/str.h"
#include "sweep/cache.h"
#include "sweep/space_inside.h"

struct known { /* what a text stands for */
    char *what, *text;
    bool is_readable, is_of_files;
    uint8_t digest[32]; /* of the files */
};

struct nadi_cache_keys {
    const struct nadi_space *space;
    struct nadi_sha256 begin; /* what all points share */
    uint32_t *order;          /* of variables, by name */
    struct {
        struct known *items;
        size_t count, capacity;
    } known;
    struct nadi_map64 by_text; /* a digest of what and text: the first of those with it */
};

static void add_text(struct nadi_sha256 *h, const char *text)
{
    nadi_sha256_add(h, text, strlen(text) + 1);
}

/* The file that a text names and all that it names, each by its name as seen from the first. */
static void digest_files(struct known *k)
{
    struct nadi_space_word word = {k->what, k->text};
    const struct nadi_space only = {.words = &word, .word_count = 1};
    struct nadi_sweep_inputs files;
    struct nadi_diags diags;
    struct nadi_sha256 h;
    const char *slash = strrchr(k->text, '/');
    const size_t folder = slash ? (size_t)(slash - k->text) + 1 : 0;
    nadi_diags_init(&diags);
    nadi_sha256_begin(&h);
    k->is_readable = nadi_sweep_inputs_find(&files, &only, &diags);
    k->is_of_files = files.count > 0;
    for (size_t i = 0; i < files.count; i++) {
        const char *path = files.items[i].path;
        add_text(&h, strncmp(path, k->text, folder) == 0 ? path + folder : path);
        add_text(&h, files.items[i].sha256);
    }
    nadi_sha256_end(&h, k->digest);
    nadi_sweep_inputs_release(&files);
    nadi_diags_release(&diags);
}

/* Is there a word in it that could be a file beside some input? */
static bool names_file(const char *text)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".csv", ".et"};
    static const char between[] = "[]{}, =";
    for (const char *at = text + strspn(text, between); *at; at += strspn(at, between)) {
        char word[4096];
        struct nadi_quantity q;
        const size_t length = strcspn(at, between);
        if (length >= sizeof(word))
            return true;
        memcpy(word, at, length);
        word[length] = '\0';
        at += length;
        if (nadi_quantity_read(word, &q))
            continue;
        if (strchr(word, '/') || nadi_file_exists(word))
            return true;
        for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
            if (nadi_str_ends(word, endings[i]))
                return true;
    }
    return false;
}

static const struct known *look_up(struct nadi_cache_keys *k, const char *what, const char *text)
{
    const uint64_t hash =
        nadi_hash_bytes(text, strlen(text)) ^ nadi_hash_u64(nadi_hash_bytes(what, strlen(what)));
    uint32_t *at = nadi_map64_put(&k->by_text, hash, (uint32_t)k->known.count, NULL);
    const struct known *had = *at < k->known.count ? &k->known.items[*at] : NULL;
    if (had && strcmp(had->what, what) == 0 && strcmp(had->text, text) == 0)
        return had;
    struct known one = {.what = nadi_mem_copy(what, strlen(what) + 1, 1),
                        .text = nadi_mem_copy(text, strlen(text) + 1, 1),
                        .is_readable = true};
    if (nadi_space_is_path(what))
        digest_files(&one);
    else
        one.is_readable = !names_file(text);
    *at = (uint32_t)k->known.count;
    NADI_PUSH(&k->known, one);
    return &k->known.items[*at];
}

/* A word or a value: the text, or what the files in its place contain. */
static bool add_value(struct nadi_cache_keys *k, struct nadi_sha256 *h, const char *what,
                      const char *text)
{
    const struct known *v = look_up(k, what, text);
    if (v->is_of_files)
        nadi_sha256_add(h, v->digest, sizeof(v->digest));
    else
        add_text(h, text);
    nadi_sha256_add(h, v->is_of_files ? "f" : "t", 1);
    return v->is_readable;
}

/* A name that both an input's key and the text of it have. */
static int compare(const struct nadi_space_variable *a, const struct nadi_space_variable *b)
{
    const int of = strcmp(a->of ? a->of : "", b->of ? b->of : "");
    return of ? of : strcmp(a->path ? a->path : "", b->path ? b->path : "");
}

static void order_variables(struct nadi_cache_keys *k)
{
    const struct nadi_space *s = k->space;
    k->order = NADI_NEW(uint32_t, s->variable_count);
    for (uint32_t i = 0; i < s->variable_count; i++) {
        uint32_t at = i;
        for (; at > 0 && compare(&s->variables[i], &s->variables[k->order[at - 1]]) < 0; at--)
            k->order[at] = k->order[at - 1];
        k->order[at] = i;
    }
}

struct nadi_cache_keys *nadi_cache_keys_open(const struct nadi_space *s, struct nadi_diags *diags)
{
    uint8_t id[NADI_BUILD_ID_BYTES];
    const size_t length = nadi_build_id(id);
    if (length == 0) {
        (void)nadi_error(diags, "sweep/build", NADI_NOWHERE,
                         "leave --cache out, or link nadi with -Wl,--build-id",
                         "this nadi does not know which build it is: it cannot tell its results "
                         "from those of another one");
        return NULL;
    }
    struct nadi_cache_keys *k = NADI_ZNEW(struct nadi_cache_keys, 1);
    k->space = s;
    nadi_map64_init(&k->by_text, 64);
    order_variables(k);
    nadi_sha256_begin(&k->begin);
    add_text(&k->begin, "nadi-cache/1 " NADI_VERSION);
    nadi_sha256_add(&k->begin, id, length);
    add_text(&k->begin, s->simulate_infeasible ? "simulate" : "skip");
    return k;
}

void nadi_cache_keys_close(struct nadi_cache_keys *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->known.count; i++) {
        nadi_mem_free(k->known.items[i].what);
        nadi_mem_free(k->known.items[i].text);
    }
    nadi_mem_free(k->known.items);
    nadi_map64_release(&k->by_text);
    nadi_mem_free(k->order);
    nadi_mem_free(k);
}

bool nadi_cache_key(struct nadi_cache_keys *k, const struct nadi_assignment *a,
                    uint8_t key[NADI_CACHE_KEY])
{
    const struct nadi_space *s = k->space;
    struct nadi_sha256 h = k->begin;
    bool ok = true;
    for (uint32_t i = 0; i < s->word_count; i++) {
        if (nadi_space_variable_of(s, s->words[i].name) != NADI_NONE)
            continue;
        add_text(&h, "run");
        add_text(&h, s->words[i].name);
        ok &= add_value(k, &h, s->words[i].name, s->words[i].text);
    }
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const struct nadi_space_variable *v = &s->variables[k->order[i]];
        if (!v->of)
            continue;
        add_text(&h, v->of);
        add_text(&h, v->path);
        if (a->quantities[k->order[i]].text)
            ok &= add_value(k, &h, strcmp(v->of, "run") == 0 ? v->path : "", a->texts[k->order[i]]);
        else
            add_text(&h, a->texts[k->order[i]]);
    }
    nadi_sha256_end(&h, key);
    return ok;
}
