#include "capture/groups.h"

#include "base/map.h"
#include "base/mem.h"

void nadi_groups_book_init(struct nadi_group_book *b)
{
    *b = (struct nadi_group_book){0};
    nadi_arena_init(&b->arena);
    nadi_names_init(&b->names);
}

void nadi_groups_book_release(struct nadi_group_book *b)
{
    nadi_arena_release(&b->arena);
    nadi_names_release(&b->names);
    nadi_mem_free(b->groups.items);
    *b = (struct nadi_group_book){0};
}

static uint32_t find(const struct nadi_group_book *b, uint32_t name)
{
    for (uint32_t i = 0; i < b->groups.count; i++)
        if (b->groups.items[i].name == name)
            return i;
    return NADI_NONE;
}

uint32_t nadi_groups_book_find(const struct nadi_group_book *b, const char *name, size_t bytes)
{
    uint32_t number = nadi_names_find(&b->names, name, bytes);
    return number == NADI_NONE ? NADI_NONE : find(b, number);
}

static struct nadi_book_group *get(struct nadi_group_book *b, struct nadi_view name)
{
    uint32_t number = nadi_names_put(&b->names, name), at = find(b, number);
    if (at == NADI_NONE) {
        struct nadi_book_group g = {number, NADI_NONE, NULL, 0, 0};
        at = (uint32_t)b->groups.count;
        NADI_PUSH(&b->groups, g);
    }
    return &b->groups.items[at];
}

/* [0, 1]; a list that was shortened ("...") counts as unknown, an empty one too. */
static void set_ranks(struct nadi_group_book *b, struct nadi_book_group *g, struct nadi_view list)
{
    struct nadi_pull s = nadi_pull_of(list.at, list.bytes);
    struct nadi_value v;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } ranks = {0};
    int64_t rank;
    bool good = !g->ranks && nadi_pull_open(&s, '[');
    while (good && nadi_pull_item(&s)) {
        good = nadi_pull_value(&s, &v) && nadi_value_integer(&v, &rank) && rank >= 0 &&
               rank < NADI_NONE;
        if (good)
            NADI_PUSH(&ranks, (uint32_t)rank);
    }
    if (good && !s.fault && ranks.count) {
        g->ranks = NADI_ARENA_NEW(&b->arena, uint32_t, ranks.count);
        memcpy(g->ranks, ranks.items, ranks.count * sizeof(*g->ranks));
        g->count = (uint32_t)ranks.count;
        for (uint32_t i = 0; i < g->count; i++)
            b->world = g->ranks[i] >= b->world ? g->ranks[i] + 1 : b->world;
    }
    nadi_mem_free(ranks.items);
}

static void set_size(struct nadi_group_book *b, struct nadi_book_group *g, int64_t size)
{
    if (size <= 0 || size >= NADI_NONE)
        return;
    if (!g->ranks)
        g->count = (uint32_t)size;
    b->world = (uint32_t)size > b->world ? (uint32_t)size : b->world;
}

/* {"pg_name": "0", "pg_desc": .., "ranks": [..], "group_size": 2} */
static void read_group(struct nadi_group_book *b, struct nadi_pull *s)
{
    struct nadi_view key, name = {0}, description = {0}, ranks = {0};
    int64_t size = 0;
    if (!nadi_pull_open(s, '{'))
        return;
    while (nadi_pull_key(s, &key)) {
        struct nadi_value v;
        if (!nadi_pull_value(s, &v))
            return;
        if (NADI_VIEW_IS(key, "pg_name"))
            name = v.text;
        else if (NADI_VIEW_IS(key, "pg_desc"))
            description = v.text;
        else if (NADI_VIEW_IS(key, "ranks") && v.kind == NADI_VALUE_NESTED)
            ranks = v.text;
        else if (NADI_VIEW_IS(key, "group_size") || NADI_VIEW_IS(key, "pg_size"))
            nadi_value_integer(&v, &size);
    }
    if (s->fault || !name.at)
        return;
    struct nadi_book_group *g = get(b, name);
    if (description.at)
        g->description = nadi_names_put(&b->names, description);
    if (ranks.at)
        set_ranks(b, g, ranks);
    set_size(b, g, size);
}

static void read_groups(struct nadi_group_book *b, struct nadi_view list)
{
    struct nadi_pull s = nadi_pull_of(list.at, list.bytes);
    if (nadi_pull_open(&s, '['))
        while (nadi_pull_item(&s))
            read_group(b, &s);
}

/* The single input of a process_group:init node is a string that holds JSON. */
static void read_init_node(struct nadi_group_book *b, const struct nadi_host *h,
                           const struct nadi_host_node *n)
{
    struct nadi_view values = nadi_host_part(h, n, n->inputs.values), text;
    struct nadi_pull s = nadi_pull_of(values.at, values.bytes);
    if (!values.at || !values.bytes || !nadi_pull_open(&s, '[') || !nadi_pull_item(&s) ||
        !nadi_pull_string(&s, &text))
        return;
    char *plain = nadi_arena_zalloc(&b->arena, (size_t)text.bytes + NADI_PULL_PAD, 1);
    size_t bytes = nadi_view_unescape(text, plain);
    memset(plain + bytes, 0, (size_t)text.bytes + NADI_PULL_PAD - bytes);
    read_groups(b, (struct nadi_view){.at = plain, .bytes = (uint32_t)bytes});
}

static struct nadi_view name_view(const struct nadi_kineto *k, uint32_t name)
{
    return (struct nadi_view){.at = nadi_names_get(&k->names, name),
                              .bytes = (uint32_t)nadi_names_bytes(&k->names, name)};
}

static void read_distributed(struct nadi_group_book *b, const struct nadi_kineto *k)
{
    struct nadi_view key, text = name_view(k, k->distributed);
    struct nadi_pull s = nadi_pull_of(text.at, text.bytes);
    if (!nadi_pull_open(&s, '{'))
        return;
    while (nadi_pull_key(&s, &key)) {
        struct nadi_value v;
        int64_t world;
        if (!nadi_pull_value(&s, &v))
            return;
        if (NADI_VIEW_IS(key, "world_size") && nadi_value_integer(&v, &world) && world > 0 &&
            world < NADI_NONE)
            b->world = (uint32_t)world > b->world ? (uint32_t)world : b->world;
        else if (NADI_VIEW_IS(key, "pg_config") && v.kind == NADI_VALUE_NESTED)
            read_groups(b, v.text);
    }
}

/* What single collectives say of their group. */
static void read_collectives(struct nadi_group_book *b, const struct nadi_kineto *k)
{
    uint32_t last_group = NADI_NONE, last_ranks = NADI_NONE; /* they repeat */
    for (size_t i = 0; i < k->details.count; i++) {
        const struct nadi_event_detail *d = &k->details.items[i];
        if (d->group == NADI_NONE || (d->group == last_group && d->group_ranks == last_ranks))
            continue;
        last_group = d->group;
        last_ranks = d->group_ranks;
        if (nadi_names_bytes(&k->names, d->group) == 0)
            continue;
        struct nadi_book_group *g = get(b, name_view(k, d->group));
        if (d->group_description != NADI_NONE && g->description == NADI_NONE)
            g->description = nadi_names_put(&b->names, name_view(k, d->group_description));
        if (d->group_ranks != NADI_NONE)
            set_ranks(b, g, name_view(k, d->group_ranks));
        set_size(b, g, d->group_size);
    }
}

/* Attributes of record_param_comms nodes, where the profile has none. */
static void read_host_collectives(struct nadi_group_book *b, const struct nadi_host *h)
{
    for (size_t i = 0; i < h->comms.count; i++) {
        const struct nadi_host_comm *c = &h->comms.items[i];
        if (c->group == NADI_NONE || nadi_names_bytes(&h->names, c->group) == 0)
            continue;
        struct nadi_view name = {.at = nadi_names_get(&h->names, c->group),
                                 .bytes = (uint32_t)nadi_names_bytes(&h->names, c->group)};
        struct nadi_book_group *g = get(b, name);
        if (!g->ranks && c->first_rank >= 0 && c->rank_stride > 0 && c->group_size > 0 &&
            c->group_size < 1 << 24 && c->first_rank < NADI_NONE && c->rank_stride < NADI_NONE &&
            c->first_rank + c->rank_stride * c->group_size < NADI_NONE) {
            g->count = (uint32_t)c->group_size;
            g->ranks = NADI_ARENA_NEW(&b->arena, uint32_t, g->count);
            for (uint32_t r = 0; r < g->count; r++)
                g->ranks[r] = (uint32_t)(c->first_rank + c->rank_stride * r);
            if (g->ranks[g->count - 1] >= b->world)
                b->world = g->ranks[g->count - 1] + 1;
        }
        set_size(b, g, c->group_size);
    }
}

void nadi_groups_collect(struct nadi_group_book *b, const struct nadi_host *host,
                         const struct nadi_kineto *kineto)
{
    if (kineto->distributed != NADI_NONE)
        read_distributed(b, kineto);
    for (size_t i = 0; host && i < host->nodes.count; i++)
        if (host->nodes.items[i].flags & NADI_HOST_IS_GROUPS)
            read_init_node(b, host, &host->nodes.items[i]);
    read_collectives(b, kineto);
    if (host)
        read_host_collectives(b, host);
}

#define NO_NUMBER UINT64_MAX

struct entry { /* a group of a book */
    const struct nadi_group_book *book;
    struct nadi_book_group *group;
    uint64_t wanted;     /* its name as a number, NO_NUMBER: it is none */
    uint32_t owner;      /* the book */
    uint32_t occurrence; /* how many groups of the same ranks the book has before it */
};

static const char *name_of(const struct entry *e)
{
    return nadi_names_get(&e->book->names, e->group->name);
}

static int compare_ranks(const struct nadi_book_group *a, const struct nadi_book_group *b)
{
    if (!a->ranks && !b->ranks)
        return a->count < b->count ? -1 : a->count > b->count;
    if (!a->ranks || !b->ranks)
        return a->ranks ? -1 : 1;
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (a->ranks[i] != b->ranks[i])
            return a->ranks[i] < b->ranks[i] ? -1 : 1;
    return a->count < b->count ? -1 : a->count > b->count;
}

/* "2" before "10", numbers before words. */
static int compare_names(const struct entry *x, const struct entry *y)
{
    if (x->wanted != y->wanted)
        return x->wanted < y->wanted ? -1 : 1;
    return strcmp(name_of(x), name_of(y));
}

/* By ranks and name; the books of one name in their order. */
static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = compare_ranks(x->group, y->group);
    if (order == 0)
        order = compare_names(x, y);
    return order ? order : x->owner < y->owner ? -1 : x->owner > y->owner;
}

static int compare_occurrences(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->occurrence != y->occurrence)
        return x->occurrence < y->occurrence ? -1 : 1;
    return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static bool is_world(const struct nadi_book_group *g, uint32_t world)
{
    if (!g->ranks)
        return g->count == world || g->count == 0;
    if (g->count != world)
        return false;
    for (uint32_t i = 0; i < world; i++)
        if (g->ranks[i] != i)
            return false;
    return true;
}

static struct entry *collect_entries(struct nadi_group_book *const *books, size_t count,
                                     size_t *entries)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += books[i]->groups.count;
    struct entry *e = NADI_NEW(struct entry, total);
    *entries = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t g = 0; g < books[i]->groups.count; g++) {
            struct nadi_book_group *group = &books[i]->groups.items[g];
            struct entry *new = &e[(*entries)++];
            *new = (struct entry){books[i], group, NO_NUMBER, (uint32_t)i, 0};
            if (!nadi_str_to_u64(name_of(new), &new->wanted) || new->wanted >= INT32_MAX)
                new->wanted = NO_NUMBER;
        }
    if (total)
        qsort(e, total, sizeof(*e), compare_entries);
    return e;
}

/* Groups of the same ranks are as many communicators. Where the books have more names for them
 * than any one book has groups, the processes named them apart, each for itself: then the first of
 * each book are one, the second, and so on. Else the name tells. Sets `occurrence` to the number of
 * the communicator. */
static void tell_apart(struct entry *e, size_t count, uint32_t *of_owner)
{
    uint32_t names = 0, most = 0;
    for (size_t i = 0; i < count; i++)
        of_owner[e[i].owner] = 0;
    for (size_t i = 0; i < count; i++) {
        names += i == 0 || compare_names(&e[i - 1], &e[i]) != 0;
        e[i].occurrence = of_owner[e[i].owner]++;
        most = of_owner[e[i].owner] > most ? of_owner[e[i].owner] : most;
    }
    if (names > most) {
        qsort(e, count, sizeof(*e), compare_occurrences);
        return;
    }
    for (size_t i = 0, name = 0; i < count; i++) {
        name += i > 0 && compare_names(&e[i - 1], &e[i]) != 0;
        e[i].occurrence = (uint32_t)name;
    }
}

/* Numbers communicators of the same ranks: that of its name, if nobody has it, else, when `next` is
 * given, the next free one. The first of all ranks has 0; others of all ranks too where it is not
 * known which ranks those are, for a group without ranks can only be that of all. */
static void number_communicators(struct entry *e, size_t count, bool world,
                                 struct nadi_map64 *taken, uint32_t *next)
{
    for (size_t i = 0; i < count; i++) {
        const bool again = i > 0 && e[i].occurrence == e[i - 1].occurrence;
        if (again || e[i].group->number != NADI_NONE) {
            e[i].group->number = again ? e[i - 1].group->number : e[i].group->number;
            continue;
        }
        if (world && (e[i].occurrence == 0 || !e[i].group->ranks)) {
            e[i].group->number = 0;
            continue;
        }
        bool added = false;
        if (e[i].wanted && e[i].wanted != NO_NUMBER)
            nadi_map64_put(taken, e[i].wanted, 0, &added);
        if (added)
            e[i].group->number = (uint32_t)e[i].wanted;
        else if (next)
            do {
                nadi_map64_put(taken, ++*next, 0, &added);
                e[i].group->number = *next;
            } while (!added);
    }
}

void nadi_groups_number(struct nadi_group_book *const *books, size_t count, uint32_t world)
{
    size_t entries;
    struct entry *e = collect_entries(books, count, &entries);
    uint32_t *of_owner = NADI_NEW(uint32_t, count), next = 0;
    struct nadi_map64 taken;
    nadi_map64_init(&taken, entries);
    for (size_t i = 0; i < count; i++)
        world = books[i]->world > world ? books[i]->world : world;
    for (size_t i = 0; i < entries; i++)
        e[i].group->number = NADI_NONE;
    for (int pass = 0; pass < 2; pass++) /* those that their names number go first */
        for (size_t i = 0, to; i < entries; i = to) {
            for (to = i + 1; to < entries && compare_ranks(e[i].group, e[to].group) == 0; to++)
                ;
            if (pass == 0)
                tell_apart(e + i, to - i, of_owner);
            number_communicators(e + i, to - i, is_world(e[i].group, world), &taken,
                                 pass == 0 ? NULL : &next);
        }
    nadi_map64_release(&taken);
    nadi_mem_free(of_owner);
    nadi_mem_free(e);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct nadi_book_group *const *x = a, *const *y = b;
    return (*x)->number < (*y)->number ? -1 : (*x)->number > (*y)->number;
}

bool nadi_groups_json(struct nadi_group_book *const *books, size_t count, struct nadi_str *out)
{
    struct {
        const struct nadi_book_group **items;
        size_t count, capacity;
    } list = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t g = 0; g < books[i]->groups.count; g++)
            if (books[i]->groups.items[g].number != 0 && books[i]->groups.items[g].ranks)
                NADI_PUSH(&list, &books[i]->groups.items[g]);
    if (list.count)
        qsort(list.items, list.count, sizeof(*list.items), compare_numbers);
    nadi_str_add(out, "{");
    size_t written = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct nadi_book_group *g = list.items[i];
        if (i && list.items[i - 1]->number == g->number)
            continue;
        nadi_str_printf(out, "%s\n  \"%" PRIu32 "\": [", written++ ? "," : "", g->number);
        for (uint32_t r = 0; r < g->count; r++)
            nadi_str_printf(out, "%s%" PRIu32, r ? ", " : "", g->ranks[r]);
        nadi_str_add(out, "]");
    }
    nadi_str_add(out, written ? "\n}\n" : "}\n");
    nadi_mem_free(list.items);
    return written > 0;
}
