#include "search/space.h"

#include "base/mem.h"
#include "base/str.h"

static const char *const key_names[NADI_SEARCH_KEYS] = {
    "tp",   "cp",        "pp",      "vp",    "ep", "micro-batch", "sequence-parallel",
    "zero", "recompute", "offload", "order",
};
static const char *const recomputes[] = {"none", "selective", "full", NULL};
static const char *const offloads[] = {"optimizer", "gradients", "parameters", "activations", NULL};

/* ---- words --------------------------------------------------------------------------------- */

static bool read_count(const char *word, size_t length, uint32_t *value)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9' || number > UINT32_MAX)
            return false;
        number = 10 * number + (uint64_t)(word[i] - '0');
    }
    *value = (uint32_t)number;
    return length > 0 && number <= INT32_MAX;
}

static bool read_word(const char *const *table, const char *word, size_t length, uint32_t *value)
{
    for (*value = 0; table[*value]; ++*value)
        if (strlen(table[*value]) == length && memcmp(table[*value], word, length) == 0)
            return true;
    return false;
}

/* "optimizer+activations" or "none" */
static bool read_offload(const char *word, size_t length, uint32_t *value)
{
    const char *const end = word + length;
    *value = 0;
    if (length == 4 && memcmp(word, "none", 4) == 0)
        return true;
    while (word < end) {
        size_t part = 0;
        uint32_t bit;
        while (word + part < end && word[part] != '+')
            part++;
        if (!read_word(offloads, word, part, &bit))
            return false;
        *value |= 1U << bit;
        word += part + (word + part < end);
    }
    return length > 0;
}

/* "tp-cp-dp-pp" */
static bool read_order(const char *word, size_t length, uint32_t *value)
{
    char text[16];
    for (*value = 0; *value < NADI_ORDERS; ++*value) {
        nadi_order_text(*value, text);
        if (strlen(text) == length && memcmp(text, word, length) == 0)
            return true;
    }
    return false;
}

static bool read_value(enum nadi_search_key key, const char *word, size_t length, uint32_t *value)
{
    if (key == NADI_SEARCH_OFFLOAD)
        return read_offload(word, length, value);
    if (key == NADI_SEARCH_ORDER)
        return read_order(word, length, value);
    if (key == NADI_SEARCH_RECOMPUTE)
        return read_word(recomputes, word, length, value);
    if (!read_count(word, length, value))
        return false;
    if (key == NADI_SEARCH_ZERO)
        return *value <= 3;
    return key == NADI_SEARCH_SEQUENCE_PARALLEL ? *value <= 1 : *value >= 1;
}

static const char *what_of(enum nadi_search_key key)
{
    switch (key) {
    case NADI_SEARCH_OFFLOAD:
        return "none, or optimizer, gradients, parameters, activations joined by +";
    case NADI_SEARCH_ORDER:
        return "any, or orders of all four as in tp-cp-dp-pp, the innermost first";
    case NADI_SEARCH_RECOMPUTE:
        return "none, selective, full";
    case NADI_SEARCH_ZERO:
        return "0, 1, 2, 3";
    case NADI_SEARCH_SEQUENCE_PARALLEL:
        return "0, 1";
    case NADI_SEARCH_TP:
    case NADI_SEARCH_CP:
    case NADI_SEARCH_PP:
    case NADI_SEARCH_VP:
    case NADI_SEARCH_EP:
    case NADI_SEARCH_MICRO_BATCH:
    case NADI_SEARCH_KEYS:
        break;
    }
    return "whole numbers from 1 on";
}

/* In ascending order, each once. */
static void insert(struct nadi_search_list *l, uint32_t value)
{
    uint32_t at = 0;
    while (at < l->count && l->items[at] < value)
        at++;
    if (at < l->count && l->items[at] == value)
        return;
    memmove(&l->items[at + 1], &l->items[at], (l->count - at) * sizeof(*l->items));
    l->items[at] = value;
    l->count++;
}

static bool read_list(struct nadi_search_space *s, enum nadi_search_key key, const char *values,
                      size_t length, struct nadi_diags *diags)
{
    struct nadi_search_list *l = &s->lists[key];
    l->items = NADI_ARENA_NEW(&s->arena, uint32_t, length + 2 + NADI_ORDERS);
    l->count = 0;
    if (key == NADI_SEARCH_ORDER && length == 3 && memcmp(values, "any", 3) == 0) {
        for (uint32_t i = 0; i < NADI_ORDERS; i++)
            insert(l, i);
        return true;
    }
    for (const char *at = values; at <= values + length;) {
        size_t part = 0;
        uint32_t value;
        while (at + part < values + length && at[part] != ',')
            part++;
        if (!read_value(key, at, part, &value))
            return nadi_error(diags, "search/value", NADI_IN_FILE("--try"), what_of(key),
                              "'%.*s' is no value of %s", (int)part, at, key_names[key]);
        insert(l, value);
        at += part + 1;
    }
    return true;
}

static bool read_words(struct nadi_search_space *s, const char *words, struct nadi_diags *diags)
{
    for (const char *at = words; *(at += strspn(at, " ;\n\t"));) {
        const size_t length = strcspn(at, " ;\n\t"), name = strcspn(at, "=");
        enum nadi_search_key key = 0;
        while (key < NADI_SEARCH_KEYS &&
               (strlen(key_names[key]) != name || memcmp(at, key_names[key], name) != 0))
            key++;
        if (key == NADI_SEARCH_KEYS) {
            char asked[64];
            snprintf(asked, sizeof(asked), "%.*s", (int)(name < length ? name : length), at);
            const char *near = nadi_str_nearest(asked, key_names, NADI_SEARCH_KEYS);
            struct nadi_str hint = NADI_STR_INIT;
            if (strcmp(asked, "dp") == 0)
                nadi_str_add(&hint, "dp is what the ranks leave: give --ranks, tp, cp and pp; ");
            nadi_str_add(&hint, "searched are");
            for (int i = 0; i < NADI_SEARCH_KEYS; i++)
                nadi_str_printf(&hint, "%s %s", i ? "," : "", key_names[i]);
            if (near && strcmp(asked, "dp") != 0)
                nadi_str_printf(&hint, "; did you mean '%s'?", near);
            nadi_error(diags, "search/key", NADI_IN_FILE("--try"), nadi_str_get(&hint),
                       "'%s' is not searched", asked);
            nadi_str_release(&hint);
            return false;
        }
        if (name >= length)
            return nadi_error(diags, "search/value", NADI_IN_FILE("--try"), "as in tp=1,2,4",
                              "%s has no values", key_names[key]);
        if (s->lists[key].count)
            return nadi_error(diags, "search/twice", NADI_IN_FILE("--try"),
                              "give --set one value, or --try all of them", "%s is given twice",
                              key_names[key]);
        if (!read_list(s, key, at + name + 1, length - name - 1, diags))
            return false;
        at += length;
    }
    return true;
}

/* ---- the plan's own ------------------------------------------------------------------------ */

static uint32_t number_of(const enum nadi_degree order[NADI_DEGREES])
{
    for (uint32_t i = 0; i < NADI_ORDERS; i++) {
        enum nadi_degree one[NADI_DEGREES];
        nadi_strategy_order(i, one);
        if (memcmp(one, order, sizeof(one)) == 0)
            return i;
    }
    NADI_BUG("no order of four degrees");
}

static uint32_t value_in(const struct nadi_model_plan *p, enum nadi_search_key key)
{
    switch (key) {
    case NADI_SEARCH_TP:
        return p->tp;
    case NADI_SEARCH_CP:
        return p->cp;
    case NADI_SEARCH_PP:
        return p->pp;
    case NADI_SEARCH_VP:
        return p->vp;
    case NADI_SEARCH_EP:
        return p->ep;
    case NADI_SEARCH_MICRO_BATCH:
        return (uint32_t)p->micro_batch;
    case NADI_SEARCH_SEQUENCE_PARALLEL:
        return p->sequence_parallel;
    case NADI_SEARCH_ZERO:
        return p->zero;
    case NADI_SEARCH_RECOMPUTE:
        return p->recompute;
    case NADI_SEARCH_OFFLOAD:
        return p->offload;
    case NADI_SEARCH_ORDER:
        return number_of(p->order);
    case NADI_SEARCH_KEYS:
        break;
    }
    NADI_BUG("key %d", (int)key);
}

static void fix(struct nadi_search_space *s, enum nadi_search_key key, uint32_t value)
{
    s->lists[key].items = NADI_ARENA_NEW(&s->arena, uint32_t, 1);
    s->lists[key].items[0] = value;
    s->lists[key].count = 1;
}

bool nadi_search_is_fixed(const struct nadi_model_plan *asked, const char *key)
{
    bool placed = false;
    for (uint32_t i = 0; i < NADI_PLACED_PARTS; i++)
        placed |= asked->place[i] != NULL;
    return nadi_plan_has(asked, key) ||
           (placed && strcmp(key, key_names[NADI_SEARCH_OFFLOAD]) == 0);
}

nadi_plan_keys nadi_search_varied(const struct nadi_model_plan *asked,
                                  const struct nadi_search_space *s)
{
    nadi_plan_keys keys = 0;
    for (enum nadi_search_key key = 0; key < NADI_SEARCH_KEYS; key++)
        if (s ? s->lists[key].count != 1 : !nadi_search_is_fixed(asked, key_names[key]))
            keys |= nadi_plan_bit(key_names[key]);
    return keys;
}

bool nadi_search_space_init(struct nadi_search_space *s, const struct nadi_model *m,
                            const struct nadi_model_plan *asked, const char *words,
                            struct nadi_diags *diags)
{
    *s = (struct nadi_search_space){0};
    nadi_arena_init(&s->arena);
    for (enum nadi_search_key key = 0; key < NADI_SEARCH_KEYS; key++)
        if (nadi_search_is_fixed(asked, key_names[key]))
            fix(s, key, value_in(asked, key));
    if (words && !read_words(s, words, diags))
        return false;
    if (!m->experts && !s->lists[NADI_SEARCH_EP].count)
        fix(s, NADI_SEARCH_EP, 1);
    if (!nadi_model_is_transformer(m) && !s->lists[NADI_SEARCH_CP].count)
        fix(s, NADI_SEARCH_CP, 1);
    if (!nadi_model_is_transformer(m) && !s->lists[NADI_SEARCH_RECOMPUTE].count)
        fix(s, NADI_SEARCH_RECOMPUTE, NADI_RECOMPUTE_NONE);
    return true;
}

void nadi_search_space_release(struct nadi_search_space *s)
{
    nadi_mem_free(s->shapes.items);
    nadi_arena_release(&s->arena);
    *s = (struct nadi_search_space){0};
}

/* ---- shapes -------------------------------------------------------------------------------- */

struct making {
    struct nadi_search_space *s;
    const struct nadi_model *m;
    const struct nadi_model_plan *asked;
    uint32_t layers;
    struct nadi_strategy now;
};

/* Values of a key that divide `whole`, up to `most`. */
static struct nadi_search_list divisors(struct making *k, enum nadi_search_key key, uint64_t whole,
                                        uint64_t most)
{
    const struct nadi_search_list *given = &k->s->lists[key];
    struct nadi_search_list l = {0};
    uint32_t room = 0;
    if (given->count) { /* all of them: what does not divide is impossible, and counted */
        return *given;
    }
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            l.items = NADI_ARENA_NEW(&k->s->arena, uint32_t, room);
        for (uint64_t d = 1; d <= whole && d <= most; d++)
            if (whole % d == 0 && d <= INT32_MAX) {
                if (pass)
                    l.items[l.count++] = (uint32_t)d;
                else
                    room++;
            }
    }
    return l;
}

static void add_shapes_of_sequences(struct making *k)
{
    const struct nadi_search_list *given = &k->s->lists[NADI_SEARCH_SEQUENCE_PARALLEL];
    const bool either = k->now.tp > 1 && nadi_model_is_transformer(k->m) && !k->m->experts;
    for (uint32_t on = 0; on < 2; on++) {
        bool wanted = either || on == (k->now.tp > 1 && nadi_model_is_transformer(k->m));
        if (given->count && k->now.tp > 1) {
            wanted = false;
            for (uint32_t i = 0; i < given->count; i++)
                wanted |= given->items[i] == on;
        }
        if (!wanted)
            continue;
        k->now.sequence_parallel = on;
        NADI_PUSH(&k->s->shapes, k->now);
    }
}

static void add_shapes_of_batch(struct making *k)
{
    const uint64_t batch = k->asked->batch;
    if (batch % k->now.dp != 0)
        return;
    const struct nadi_search_list l =
        divisors(k, NADI_SEARCH_MICRO_BATCH, batch / k->now.dp, batch / k->now.dp);
    for (uint32_t i = 0; i < l.count; i++) {
        k->now.micro_batch = l.items[i];
        add_shapes_of_sequences(k);
    }
}

static void add_shapes_of_experts(struct making *k)
{
    const uint32_t grid = k->now.tp * k->now.cp * k->now.dp;
    const struct nadi_search_list l = divisors(k, NADI_SEARCH_EP, k->m->experts, grid);
    for (uint32_t i = 0; i < l.count; i++) {
        k->now.ep = l.items[i];
        add_shapes_of_batch(k);
    }
}

/* Stages that are all alike, but for what stands before and behind the layers. */
static void add_shapes_of_stages(struct making *k)
{
    const struct nadi_search_list *given = &k->s->lists[NADI_SEARCH_VP];
    const uint32_t most = k->now.pp > 1 ? k->layers / k->now.pp : 1;
    for (uint32_t i = 0; i < (given->count ? given->count : most); i++) {
        k->now.vp = given->count ? given->items[i] : i + 1;
        if (k->now.vp > 1 && !given->count && k->layers % (k->now.pp * k->now.vp) != 0)
            continue;
        if (given->count && k->now.pp == 1 && k->now.vp > 1)
            continue;
        add_shapes_of_experts(k);
    }
}

/* Of a sequence, as the plan has them once it is complete. */
static uint64_t tokens_of(const struct nadi_model *m, const struct nadi_model_plan *asked)
{
    struct nadi_diags diags;
    struct nadi_model_plan p = *asked;
    nadi_arena_init(&p.arena);
    nadi_diags_init(&diags);
    p.tp = p.cp = p.pp = p.vp = p.ep = 1;
    p.dp = 0;
    p.batch = p.micro_batch = 0;
    p.varied = ~(nadi_plan_keys)0;
    const bool complete = nadi_plan_resolve(&p, m, &diags);
    const uint64_t tokens = complete ? p.tokens : 0; /* 0 is divided by all: nothing is left out */
    nadi_diags_release(&diags);
    nadi_arena_release(&p.arena);
    return tokens;
}

void nadi_search_space_shapes(struct nadi_search_space *s, const struct nadi_model *m,
                              const struct nadi_model_plan *asked, uint32_t layers)
{
    const uint32_t ranks = asked->ranks;
    const uint64_t tokens = tokens_of(m, asked);
    struct making k = {.s = s, .m = m, .asked = asked, .layers = layers};
    const bool transformer = nadi_model_is_transformer(m);
    const bool split = transformer || m->family == NADI_FAMILY_MLP;
    const struct nadi_search_list tp = divisors(&k, NADI_SEARCH_TP, ranks,
                                                transformer ? m->heads
                                                : split     ? ranks
                                                            : 1);
    for (uint32_t a = 0; a < tp.count; a++) {
        if (ranks % tp.items[a] != 0 ||
            (transformer && !s->lists[NADI_SEARCH_TP].count && m->heads % tp.items[a] != 0))
            continue;
        k.now.tp = tp.items[a];
        const uint32_t without_tp = ranks / k.now.tp;
        const struct nadi_search_list cp = divisors(&k, NADI_SEARCH_CP, without_tp, without_tp);
        for (uint32_t b = 0; b < cp.count; b++) {
            if (without_tp % cp.items[b] != 0 ||
                (!s->lists[NADI_SEARCH_CP].count && tokens % cp.items[b] != 0))
                continue;
            k.now.cp = cp.items[b];
            const uint32_t rest = without_tp / k.now.cp;
            const struct nadi_search_list pp =
                divisors(&k, NADI_SEARCH_PP, rest, split ? layers + 2 : 1);
            for (uint32_t c = 0; c < pp.count; c++) {
                if (rest % pp.items[c] != 0)
                    continue;
                k.now.pp = pp.items[c];
                k.now.dp = rest / k.now.pp;
                if (asked->dp == 0 || asked->dp == k.now.dp)
                    add_shapes_of_stages(&k);
            }
        }
    }
}

/* ---- strategies of a shape ----------------------------------------------------------------- */

/* Degrees of 1 do not matter: is the order the same as an earlier one of the list? */
static bool order_repeats(const struct nadi_strategy *s, const struct nadi_search_list *orders,
                          uint32_t at)
{
    const uint32_t degree[NADI_DEGREES] = {s->tp, s->cp, s->dp, s->pp};
    enum nadi_degree mine[NADI_DEGREES], other[NADI_DEGREES];
    nadi_strategy_order(orders->items[at], mine);
    for (uint32_t i = 0; i < at; i++) {
        uint32_t a = 0, b = 0;
        bool same = true;
        nadi_strategy_order(orders->items[i], other);
        for (; same && a < NADI_DEGREES && b < NADI_DEGREES; a++, b++) {
            while (a < NADI_DEGREES && degree[mine[a]] == 1)
                a++;
            while (b < NADI_DEGREES && degree[other[b]] == 1)
                b++;
            same = a == NADI_DEGREES || b == NADI_DEGREES || mine[a] == other[b];
        }
        if (same)
            return true;
    }
    return false;
}

void nadi_search_space_each(const struct nadi_search_space *s, size_t shape, bool host,
                            nadi_strategy_visit *visit, void *context)
{
    uint32_t all_zero[] = {0, 1, 2, 3}, all_again[] = {0, 1, 2};
    uint32_t all_away[] = {0, NADI_OFFLOAD_OPTIMIZER, NADI_OFFLOAD_ACTIVATIONS,
                           NADI_OFFLOAD_OPTIMIZER | NADI_OFFLOAD_ACTIVATIONS};
    struct nadi_strategy now = s->shapes.items[shape];
    uint32_t usual = 0;
    struct nadi_search_list orders = s->lists[NADI_SEARCH_ORDER], zero = s->lists[NADI_SEARCH_ZERO],
                            again = s->lists[NADI_SEARCH_RECOMPUTE],
                            away = s->lists[NADI_SEARCH_OFFLOAD];
    if (!zero.count)
        zero = (struct nadi_search_list){all_zero, now.dp * now.cp > 1 ? 4 : 1};
    if (!again.count)
        again = (struct nadi_search_list){all_again, 3};
    if (!away.count)
        away = (struct nadi_search_list){all_away, host ? 4 : 1};
    if (!orders.count)
        orders = (struct nadi_search_list){&usual, 1};
    for (uint32_t i = 0; i < orders.count; i++) {
        now.order = orders.items[i];
        if (order_repeats(&now, &orders, i))
            continue;
        for (uint32_t r = 0; r < again.count; r++)
            for (uint32_t z = 0; z < zero.count; z++)
                for (uint32_t o = 0; o < away.count; o++) {
                    now.recompute = (uint8_t)again.items[r];
                    now.zero = (uint8_t)zero.items[z];
                    now.offload = (uint8_t)away.items[o];
                    visit(context, &now);
                }
    }
}

/* ---- text ---------------------------------------------------------------------------------- */

static const char *const degrees[NADI_DEGREES] = {"tp", "cp", "dp", "pp"};

static void join_order(uint32_t order, char between, char out[16])
{
    enum nadi_degree all[NADI_DEGREES];
    nadi_strategy_order(order, all);
    snprintf(out, 16, "%s%c%s%c%s%c%s", degrees[all[0]], between, degrees[all[1]], between,
             degrees[all[2]], between, degrees[all[3]]);
}

void nadi_order_text(uint32_t order, char out[16])
{
    join_order(order, '-', out);
}

void nadi_offload_text(unsigned offload, char out[64])
{
    int length = 0;
    snprintf(out, 64, "none");
    for (int i = 0; offloads[i]; i++)
        if (offload >> i & 1)
            length += snprintf(out + length, (size_t)(64 - length), "%s%s", length ? "+" : "",
                               offloads[i]);
}

void nadi_strategy_text(const struct nadi_strategy *s, struct nadi_str *out)
{
    nadi_str_printf(out,
                    "tp=%u cp=%u pp=%u vp=%u dp=%u ep=%u micro-batch=%u sequence-parallel=%d "
                    "zero=%u recompute=%s offload=[",
                    s->tp, s->cp, s->pp, s->vp, s->dp, s->ep, s->micro_batch, s->sequence_parallel,
                    s->zero, recomputes[s->recompute]);
    for (int i = 0, any = 0; offloads[i]; i++)
        if (s->offload >> i & 1)
            nadi_str_printf(out, "%s%s", any++ ? "," : "", offloads[i]);
    nadi_str_add(out, "]");
    if (s->order) {
        char order[16];
        join_order(s->order, ',', order);
        nadi_str_printf(out, " order=[%s]", order);
    }
}
