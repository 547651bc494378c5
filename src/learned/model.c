#include "learned/model.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/time.h"

#include <math.h>

/* Features: sizes of the axes that are not staged, stages, labels, what follows from them (layers
 * of a stage, tokens of a pass, a rank's share of these), places. */
enum { FOLLOWING = 3, PLACES = 4 };

static uint32_t plain_axes(const struct nadi_learned_family *f)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < f->axis_count; a++)
        count += !f->staged[a];
    return count;
}

/* What a label says at the point; 1: there is no such label. */
static double label_at(const struct nadi_learned_family *f, const double *point, const char *name)
{
    for (uint32_t i = 0; i < f->label_count; i++)
        if (strcmp(f->labels[i], name) == 0)
            return point[f->axis_count + i];
    return 1;
}

static bool has_label(const struct nadi_learned_family *f, const char *name)
{
    for (uint32_t i = 0; i < f->label_count; i++)
        if (strcmp(f->labels[i], name) == 0)
            return true;
    return false;
}

uint32_t nadi_learned_feature_count(const struct nadi_learned_family *f)
{
    return plain_axes(f) + 1 + f->label_count + FOLLOWING + PLACES;
}

enum nadi_feature_kind nadi_learned_feature_kind(const struct nadi_learned_family *f,
                                                 uint32_t feature)
{
    const uint32_t axes = plain_axes(f);
    if (feature <= axes)
        return NADI_FEATURE_SIZE;
    const uint32_t label = feature - axes - 1;
    if (label < f->label_count && strcmp(f->labels[label], "sequence") == 0)
        return NADI_FEATURE_SQUARE;
    return feature <= axes + FOLLOWING + f->label_count ? NADI_FEATURE_LABEL : NADI_FEATURE_PLACE;
}

bool nadi_learned_axis_shares(const char *axis)
{
    static const char *const shared[] = {"tp", "cp", "sp", "mp", "etp"};
    bool shares = false;
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
        shares |= strcmp(axis, shared[i]) == 0;
    return shares;
}

/* Ranks that work together on the tokens of a pass. */
static double sharers(const struct nadi_learned_family *f, const double *point)
{
    double product = 1;
    for (uint32_t a = 0; a < f->axis_count; a++)
        product *= !f->staged[a] && nadi_learned_axis_shares(f->axes[a]) ? point[a] : 1;
    return product;
}

uint32_t nadi_learned_stages(const struct nadi_learned_family *f, const double *point)
{
    double stages = 1;
    for (uint32_t a = 0; a < f->axis_count; a++)
        if (f->staged[a])
            stages *= point[a];
    return (uint32_t)stages;
}

void nadi_learned_features(const struct nadi_learned_family *f, const double *point, uint32_t stage,
                           uint32_t stages, double *features)
{
    uint32_t at = 0;
    for (uint32_t a = 0; a < f->axis_count; a++)
        if (!f->staged[a])
            features[at++] = point[a];
    features[at++] = stages;
    for (uint32_t i = 0; i < f->label_count; i++)
        features[at++] = point[f->axis_count + i];
    features[at++] = has_label(f, "layers") ? label_at(f, point, "layers") / stages : 1;
    const double tokens = label_at(f, point, "micro-batch") * label_at(f, point, "sequence");
    features[at++] = tokens;
    features[at++] = tokens / sharers(f, point);
    features[at + NADI_PLACE_FIRST] = stage == 0;
    features[at + NADI_PLACE_LAST] = stage + 1 == stages;
    features[at + NADI_PLACE_AT] = stage;
    features[at + NADI_PLACE_AHEAD] = stages - 1 - stage;
}

void nadi_learned_label_features(const struct nadi_learned_family *f, const char *name, bool *out)
{
    const uint32_t first = plain_axes(f) + 1, following = first + f->label_count;
    for (uint32_t i = 0; i < f->label_count; i++)
        out[first + i] |= strcmp(f->labels[i], name) == 0;
    if (strcmp(name, "layers") == 0)
        out[following] = true;
    if (nadi_learned_label_is_work(name))
        out[following + 1] = out[following + 2] = true;
}

bool nadi_learned_label_is_work(const char *name)
{
    return strcmp(name, "micro-batch") == 0 || strcmp(name, "sequence") == 0;
}

enum nadi_learned_where nadi_learned_where(uint32_t i, uint32_t n)
{
    if (n == 1)
        return NADI_WHERE_ONLY;
    if (i == 0)
        return NADI_WHERE_FIRST;
    if (i + 1 == n)
        return NADI_WHERE_LAST;
    if (n > 3 && i == 1)
        return NADI_WHERE_SECOND;
    if (n > 3 && i + 2 == n)
        return NADI_WHERE_LAST_BUT_ONE;
    return NADI_WHERE_WITHIN;
}

uint32_t nadi_learned_size_hash(uint64_t size)
{
    return (uint32_t)(nadi_hash_u64(size) & 0xffffff);
}

static bool is_avoided(const struct nadi_learned_model *m, uint64_t size)
{
    const uint32_t hash = nadi_learned_size_hash(size);
    NADI_BISECT(uint32_t, low, 0, m->avoid_count, i, m->avoid[i] < hash);
    return low < m->avoid_count && m->avoid[low] == hash;
}

uint64_t nadi_learned_public_size(const struct nadi_learned_model *m, double value)
{
    if (!(value >= 0.5))
        return 0;
    const uint64_t size = nadi_count_round(fmin(value, 1e18));
    if (!is_avoided(m, size))
        return size;
    uint32_t shift = 0;
    while (size >> shift >= 128)
        shift++;
    const uint64_t middle = (size + (shift ? UINT64_C(1) << (shift - 1) : 0)) >> shift;
    for (uint64_t off = 0; off < 64; off++) {
        if (!is_avoided(m, (middle + off) << shift))
            return (middle + off) << shift;
        if (off < middle && !is_avoided(m, (middle - off) << shift))
            return (middle - off) << shift;
    }
    return middle << shift;
}

void nadi_learned_model_release(struct nadi_learned_model *m)
{
    for (uint32_t i = 0; i < m->family_count; i++) {
        nadi_mem_free(m->families[i].symbols.items);
        nadi_mem_free(m->families[i].steps.items);
    }
    nadi_arena_release(&m->arena);
    *m = (struct nadi_learned_model){0};
}
