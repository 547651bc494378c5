#include "learned/model_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "format/wire.h"

#include <math.h>

static const char magic[] = "nadi-traces";

enum { HEAD = sizeof(magic) - 1 + 1 + 8 + 32, MOST_DEPTH = 64 };

/* One walk for both directions: what is written in an order is read in it. */
struct stream {
    struct nadi_str *out; /* NULL: reading */
    struct nadi_wire_cursor in;
    struct nadi_arena *arena;
    const char *bad; /* the first thing that is wrong */
};

static void fail(struct stream *s, const char *what)
{
    if (!s->bad)
        s->bad = what;
    s->in.at = s->in.end;
}

static void number(struct stream *s, uint32_t *value, uint32_t most, const char *what)
{
    uint64_t wide = *value;
    if (s->out) {
        nadi_wire_add_varint(s->out, wide);
        return;
    }
    if (!nadi_wire_varint(&s->in, &wide) || wide > most) {
        fail(s, what);
        wide = 0;
    }
    *value = (uint32_t)wide;
}

static void byte(struct stream *s, uint8_t *value, uint32_t most, const char *what)
{
    uint32_t wide = *value;
    number(s, &wide, most, what);
    *value = (uint8_t)wide;
}

static void flag(struct stream *s, bool *value)
{
    uint32_t wide = *value;
    number(s, &wide, 1, "a flag");
    *value = wide != 0;
}

static void sign(struct stream *s, int32_t *value)
{
    uint32_t zigzag = (uint32_t)*value << 1 ^ (*value < 0 ? UINT32_MAX : 0);
    number(s, &zigzag, UINT32_MAX, "a step");
    *value = (int32_t)(zigzag >> 1 ^ (zigzag & 1 ? UINT32_MAX : 0));
}

static void real(struct stream *s, double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof(bits));
    for (int i = 0; i < 8; i++) {
        if (s->out)
            nadi_str_add_char(s->out, (char)(bits >> 8 * i & 0xff));
        else if (s->in.at < s->in.end)
            bits = (bits & ~(UINT64_C(0xff) << 8 * i)) | (uint64_t)*s->in.at++ << 8 * i;
        else
            fail(s, "it ends within a number");
    }
    if (s->out)
        return;
    memcpy(value, &bits, sizeof(bits));
    if (s->bad || isinf(*value))
        *value = 0;
}

static void number_real(struct stream *s, double *value)
{
    real(s, value);
    if (!s->out && isnan(*value))
        fail(s, "a figure that is no number");
}

static void name(struct stream *s, char *text)
{
    for (uint32_t i = 0; i + 1 < NADI_LEARNED_NAME; i++) {
        uint32_t letter = (uint8_t)text[i];
        number(s, &letter, 126, "a name");
        text[i] = (char)letter;
        if (!letter)
            break;
        if (!s->out && !(letter == '-' || (letter >= '0' && letter <= '9') ||
                         (letter >= 'a' && letter <= 'z')))
            fail(s, "a name");
    }
    text[NADI_LEARNED_NAME - 1] = '\0';
}

/* Room for items of at least `least` bytes each in what is left to read; none if there are fewer.
 */
static void *items(struct stream *s, uint32_t *count, size_t least, size_t size)
{
    if ((size_t)(s->in.end - s->in.at) / least < *count) {
        fail(s, "more items than there are bytes");
        *count = 0;
    }
    return nadi_arena_zalloc(s->arena, *count, size);
}

#define COUNT(s, count, array, least)                                                              \
    do {                                                                                           \
        number((s), &(count), NADI_NONE - 1, "a count");                                           \
        if (!(s)->out)                                                                             \
            (array) = items((s), &(count), (least), sizeof(*(array)));                             \
    } while (0)

/* --- laws --------------------------------------------------------------------------------------
 */

static void put_law(struct stream *s, struct nadi_law *law, uint32_t features)
{
    byte(s, &law->form, NADI_LAW_FORMS - 1, "the form of a law");
    byte(s, &law->used, NADI_LAW_USED, "the features of a law");
    byte(s, &law->terms, NADI_LAW_TERMS, "the terms of a law");
    for (uint32_t v = 0; v < law->used; v++)
        byte(s, &law->var[v], features - 1, "a feature");
    for (uint32_t t = 0; t < law->terms; t++)
        for (uint32_t v = 0; v < law->used; v++) {
            int32_t power = law->power[t][v];
            sign(s, &power);
            law->power[t][v] = (int8_t)power;
            if (power < -2 || power > 2)
                fail(s, "an exponent");
        }
    uint32_t coefs = law->form == NADI_LAW_SUM ? law->terms : law->used + 1u;
    coefs = law->form == NADI_LAW_CONSTANT ? 1 : law->form == NADI_LAW_NEAREST ? 0 : coefs;
    for (uint32_t k = 0; k < coefs; k++)
        number_real(s, &law->coef[k]);
    real(s, &law->spread);
    number_real(s, &law->noise);
    COUNT(s, law->knot_count, law->knots, 8);
    if (law->form == NADI_LAW_NEAREST && law->knot_count == 0)
        fail(s, "a law without samples");
    for (uint32_t k = 0; k < law->knot_count && !s->bad; k++) {
        for (uint32_t v = 0; v < law->used; v++)
            number_real(s, &law->knots[k].at[v]);
        number_real(s, &law->knots[k].value);
    }
}

/* --- families ----------------------------------------------------------------------------------
 */

static void put_offs(struct stream *s, struct nadi_learned_run *run)
{
    number(s, &run->off_count, NADI_LEARNED_OFFS, "distances");
    for (uint32_t i = 0; i < run->off_count; i++)
        sign(s, &run->off[i]);
}

static void put_cell(struct stream *s, const struct nadi_learned_family *f,
                     const struct nadi_learned_slot *slot, struct nadi_learned_cell *c)
{
    const uint32_t features = nadi_learned_feature_count(f);
    number(s, &c->where, 0xffffff, "a cell");
    number(s, &c->jobs, f->jobs, "the jobs of a cell");
    if (slot->symbol == NADI_NONE) {
        put_law(s, &c->count, features);
        return;
    }
    put_law(s, &c->duration_ns, features);
    put_law(s, &c->ops, features);
    put_law(s, &c->bytes, features);
    put_law(s, &c->shape, features);
    COUNT(s, c->shape_count, c->shapes, 1);
    if (c->shape_count == 0)
        fail(s, "a node without dependencies to choose from");
    for (uint32_t i = 0; i < c->shape_count && !s->bad; i++) {
        struct nadi_learned_shape *shape = &c->shapes[i];
        COUNT(s, shape->run_count, shape->runs, 20);
        for (uint32_t r = 0; r < shape->run_count && !s->bad; r++) {
            number(s, &shape->runs[r].kind_of, (uint32_t)f->symbols.count - 1, "a dependency");
            put_law(s, &shape->runs[r].k, features);
            put_law(s, &shape->runs[r].count, features);
            put_offs(s, &shape->runs[r]);
        }
    }
    const uint8_t type = f->symbols.items[slot->symbol].type;
    if (type == NADI_NODE_SEND || type == NADI_NODE_RECV)
        put_law(s, &c->peer, features);
}

static void put_slot(struct stream *s, struct nadi_learned_family *f, uint32_t at)
{
    struct nadi_learned_slot *slot = &f->slots[at];
    uint32_t symbol = slot->symbol + 1; /* 0: a rule */
    number(s, &symbol, (uint32_t)f->symbols.count, "a symbol");
    slot->symbol = symbol - 1;
    if (slot->symbol == NADI_NONE) {
        number(s, &slot->first, f->slot_count, "a rule");
        number(s, &slot->count, f->slot_count, "the length of a rule");
        if (slot->first <= at || slot->count == 0 || slot->count > f->slot_count - slot->first)
            fail(s, "a rule");
    }
    if (at < f->outer_count)
        put_law(s, &slot->present, nadi_learned_feature_count(f));
    COUNT(s, slot->cell_count, slot->cells, 20);
    if (slot->cell_count == 0)
        fail(s, "a slot without cells");
    for (uint32_t c = 0; c < slot->cell_count && !s->bad; c++)
        put_cell(s, f, slot, &slot->cells[c]);
}

static void put_symbols(struct stream *s, struct nadi_learned_family *f)
{
    uint32_t count = (uint32_t)f->symbols.count;
    number(s, &count, NADI_NONE - 2, "a count");
    if (!s->out && (size_t)(s->in.end - s->in.at) / 6 < count) {
        fail(s, "more symbols than there are bytes");
        count = 0;
    }
    if (!s->out) {
        NADI_RESERVE(&f->symbols, count + 1);
        f->symbols.count = count;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct nadi_learned_symbol *x = &f->symbols.items[i];
        if (!s->out)
            *x = (struct nadi_learned_symbol){0};
        byte(s, &x->type, NADI_NODE_TYPES - 1, "a type of nodes");
        byte(s, &x->kind, NADI_COLLECTIVE_KINDS - 1, "a kind of collective");
        byte(s, &x->flags, 0x7f, "flags");
        number(s, &x->role, (UINT32_C(1) << f->axis_count) - 1, "a group");
        number(s, &x->kind_of, count - 1, "a class");
        number(s, &x->channel, count - 1, "a channel");
        put_law(s, &x->total, nadi_learned_feature_count(f));
        if (x->type < NADI_NODE_MEM_LOAD)
            fail(s, "a type of nodes");
    }
    uint32_t steps = (uint32_t)f->steps.count;
    number(s, &steps, NADI_NONE - 2, "a count");
    if (!s->out && (size_t)(s->in.end - s->in.at) < steps) {
        fail(s, "more steps than there are bytes");
        steps = 0;
    }
    if (!s->out) {
        NADI_RESERVE(&f->steps, steps + 1);
        f->steps.count = steps;
    }
    for (uint32_t i = 0; i < steps; i++) {
        if (!s->out)
            f->steps.items[i] = (struct nadi_learned_step){0};
        sign(s, &f->steps.items[i].stages);
        for (uint32_t a = 0; a < f->axis_count; a++)
            sign(s, &f->steps.items[i].axes[a]);
    }
}

/* Rules lie behind the slots that use them, so that there is no cycle; how deep? */
static void check_depth(struct stream *s, const struct nadi_learned_family *f)
{
    uint8_t *depth = NADI_ZNEW(uint8_t, f->slot_count);
    for (uint32_t i = 0; i < f->slot_count && !s->bad; i++) {
        const struct nadi_learned_slot *slot = &f->slots[i];
        for (uint32_t k = 0; slot->symbol == NADI_NONE && k < slot->count; k++) {
            if (depth[i] + 1 > depth[slot->first + k])
                depth[slot->first + k] = (uint8_t)(depth[i] + 1);
            if (depth[slot->first + k] > MOST_DEPTH)
                fail(s, "rules within rules, too deep");
        }
    }
    nadi_mem_free(depth);
}

static void single(struct stream *s, float *value)
{
    uint32_t bits;
    memcpy(&bits, value, sizeof(bits));
    for (int i = 0; i < 4; i++) {
        if (s->out)
            nadi_str_add_char(s->out, (char)(bits >> 8 * i & 0xff));
        else
            bits = (bits & ~(UINT32_C(0xff) << 8 * i)) | (uint32_t)*s->in.at++ << 8 * i;
    }
    if (!s->out)
        memcpy(value, &bits, sizeof(bits));
}

/* Sizes follow from the family; weights are bounded, so that sums of them are finite. */
static void put_net(struct stream *s, struct nadi_learned_family *f)
{
    static const float most = 1000;
    if (!s->out)
        f->net = nadi_gru_sized(f->outer_count, nadi_learned_feature_count(f) + NADI_GRU_PROGRESS);
    put_law(s, &f->items, nadi_learned_feature_count(f));
    number_real(s, &f->net_loss);
    const size_t weights = nadi_gru_weights(&f->net);
    if (!s->out) {
        if (s->bad || (size_t)(s->in.end - s->in.at) / sizeof(float) < weights) {
            fail(s, "it ends within the network");
            return;
        }
        f->net.weights = nadi_arena_zalloc(s->arena, weights, sizeof(float));
    }
    for (size_t i = 0; i < weights && !s->bad; i++) {
        single(s, &f->net.weights[i]);
        if (!(f->net.weights[i] <= most && f->net.weights[i] >= -most))
            fail(s, "a weight");
    }
}

static void put_family(struct stream *s, struct nadi_learned_family *f, enum nadi_learned_kind kind)
{
    number(s, &f->jobs, 1 << 24, "the jobs of a family");
    number(s, &f->axis_count, NADI_LEARNED_AXES, "the axes of a family");
    for (uint32_t a = 0; a < f->axis_count; a++) {
        name(s, f->axes[a]);
        flag(s, &f->staged[a]);
    }
    number(s, &f->label_count, NADI_LEARNED_LABELS, "the labels of a family");
    for (uint32_t i = 0; i < f->label_count; i++)
        name(s, f->labels[i]);
    const uint32_t width = f->axis_count + f->label_count;
    if (!s->out) {
        if (f->jobs == 0 || (uint64_t)f->jobs * width * 8 > (uint64_t)(s->in.end - s->in.at))
            fail(s, "a family without jobs");
        f->points =
            nadi_arena_zalloc(s->arena, s->bad ? 0 : (size_t)f->jobs * width, sizeof(*f->points));
    }
    for (size_t i = 0; i < (size_t)f->jobs * width && !s->bad; i++) {
        number_real(s, &f->points[i]);
        if (!s->out && !(f->points[i] >= 1 && f->points[i] <= 1e15))
            fail(s, "a size");
    }
    if (!s->out)
        f->hull = nadi_arena_zalloc(s->arena, s->bad ? 0 : 2 * (size_t)width, sizeof(*f->hull));
    for (size_t i = 0; i < 2 * (size_t)width && !s->bad; i++)
        number_real(s, &f->hull[i]);
    number_real(s, &f->pace);
    if (!s->out && !(f->pace > 0 && f->pace <= 1e9))
        fail(s, "a pace");
    number(s, &f->replicas, UINT32_MAX, "replicas");
    flag(s, &f->concurrent);
    flag(s, &f->ordered);
    put_symbols(s, f);
    number(s, &f->slot_count, NADI_NONE - 1, "a count");
    if (!s->out)
        f->slots = items(s, &f->slot_count, 2, sizeof(*f->slots));
    number(s, &f->outer_count, f->slot_count, "the outermost slots");
    for (uint32_t i = 0; i < f->slot_count && !s->bad; i++)
        put_slot(s, f, i);
    if (!s->out && !s->bad)
        check_depth(s, f);
    if (kind == NADI_LEARNED_SEQUENCE && !s->bad)
        put_net(s, f);
}

/* Sizes are drawn from those within the reach of a family's jobs: there is one. */
static void check_reach(struct stream *s, const struct nadi_learned_family *f)
{
    const size_t width = (size_t)f->axis_count + f->label_count;
    for (size_t i = 0; i < width; i++) {
        bool any = false;
        for (size_t j = 0; j < f->jobs; j++) {
            const double size = f->points[j * width + i];
            any |= size >= f->hull[2 * i] && size <= f->hull[2 * i + 1];
        }
        if (!any)
            fail(s, "the reach of a size");
    }
}

static void put_model(struct stream *s, struct nadi_learned_model *m)
{
    uint32_t kind = m->kind;
    number(s, &kind, NADI_LEARNED_KINDS - 1, "the kind of model");
    m->kind = (enum nadi_learned_kind)kind;
    number_real(s, &m->private.epsilon);
    number(s, &m->private.settings, NADI_LEARNED_AXES + NADI_LEARNED_LABELS, "a count");
    number(s, &m->private.left_out, NADI_NONE - 1, "a count");
    number(s, &m->private.kept, NADI_NONE - 1, "a count");
    if (!(m->private.epsilon >= 0) || (m->private.epsilon > 0 && m->private.settings == 0))
        fail(s, "epsilon");
    number(s, &m->job_count, 1 << 24, "the jobs");
    COUNT(s, m->family_count, m->families, 8);
    uint64_t jobs = 0;
    for (uint32_t i = 0; i < m->family_count && !s->bad; i++) {
        put_family(s, &m->families[i], m->kind);
        jobs += m->families[i].jobs;
        if (!s->out && !s->bad)
            check_reach(s, &m->families[i]);
    }
    if (!s->bad && jobs != m->job_count)
        fail(s, "the jobs of its families");
    COUNT(s, m->avoid_count, m->avoid, 1);
    uint32_t last = 0;
    for (uint32_t i = 0; i < m->avoid_count && !s->bad; i++) {
        uint32_t gap = m->avoid[i] - last;
        number(s, &gap, 0xffffff - last, "sizes to avoid");
        last = m->avoid[i] = last + gap;
    }
    if (!s->bad && (m->family_count == 0 || s->in.at != s->in.end))
        fail(s, "what stands behind the end");
}

/* --- the file ----------------------------------------------------------------------------------
 */

bool nadi_learned_model_write(struct nadi_learned_model *m, const char *path,
                              struct nadi_diags *diags)
{
    struct nadi_str body = NADI_STR_INIT, file = NADI_STR_INIT;
    struct stream s = {.out = &body, .arena = &m->arena};
    uint8_t hash[32];
    put_model(&s, m);
    nadi_str_add(&file, magic);
    nadi_str_add_char(&file, NADI_LEARNED_VERSION);
    for (int i = 0; i < 8; i++)
        nadi_str_add_char(&file, (char)((uint64_t)body.length >> 8 * i & 0xff));
    nadi_sha256(body.text, body.length, hash);
    nadi_str_add_bytes(&file, hash, sizeof(hash));
    nadi_str_add_bytes(&file, body.text, body.length);
    const bool ok = nadi_file_write(path, file.text, file.length, diags);
    nadi_str_release(&body);
    nadi_str_release(&file);
    return ok;
}

bool nadi_learned_model_parse(struct nadi_learned_model *m, const char *path, const void *data,
                              size_t bytes, struct nadi_diags *diags)
{
    *m = (struct nadi_learned_model){0};
    nadi_arena_init(&m->arena);
    struct stream s = {.in = nadi_wire_of(data, bytes), .arena = &m->arena};
    put_model(&s, m);
    if (s.bad)
        return nadi_error(diags, "learned/content", NADI_IN_FILE(path),
                          "make the model again with `nadi trace learn`",
                          "the model is inconsistent: %s", s.bad);
    return true;
}

static bool check_head(const char *path, const uint8_t *data, size_t bytes,
                       struct nadi_diags *diags)
{
    const size_t at = sizeof(magic) - 1;
    uint64_t length = 0;
    uint8_t hash[32];
    static const char again[] = "make the model again with `nadi trace learn`";
    if (bytes < at || memcmp(data, magic, at) != 0)
        return nadi_error(diags, "learned/foreign", NADI_IN_FILE(path),
                          "name a file that `nadi trace learn` wrote",
                          "this is no model of traces");
    if (bytes < HEAD)
        return nadi_error(diags, "learned/truncated", NADI_IN_FILE(path), again,
                          "the model ends within its head, after %zu bytes", bytes);
    if (data[at] != NADI_LEARNED_VERSION)
        return nadi_error(diags, "learned/version", NADI_IN_FILE(path), again,
                          "the model has version %u, this program reads version %u", data[at],
                          NADI_LEARNED_VERSION);
    for (int i = 0; i < 8; i++)
        length |= (uint64_t)data[at + 1 + (size_t)i] << 8 * i;
    if (length != bytes - HEAD)
        return nadi_error(diags, "learned/truncated", NADI_IN_FILE(path), again,
                          "the model should have %" PRIu64 " bytes behind its head, there are %zu",
                          length, bytes - HEAD);
    nadi_sha256(data + HEAD, bytes - HEAD, hash);
    if (memcmp(hash, data + at + 9, sizeof(hash)) != 0)
        return nadi_error(diags, "learned/damaged", NADI_IN_FILE(path), again,
                          "the model is damaged: its SHA-256 is not the one in its head");
    return true;
}

bool nadi_learned_model_read(struct nadi_learned_model *m, const char *path,
                             struct nadi_diags *diags)
{
    char *data;
    size_t bytes;
    *m = (struct nadi_learned_model){0};
    nadi_arena_init(&m->arena);
    if (!nadi_file_read(path, "model of traces", &data, &bytes, diags))
        return false;
    const bool ok = check_head(path, (const uint8_t *)data, bytes, diags) &&
                    nadi_learned_model_parse(m, path, data + HEAD, bytes - HEAD, diags);
    nadi_mem_free(data);
    return ok;
}
