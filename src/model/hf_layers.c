#include "model/hf_layers.h"

#include "base/str.h"

/* ---- views --------------------------------------------------------------------------------- */

uint8_t *nadi_hf_flags(struct nadi_model *m)
{
    uint8_t *flags = NADI_ARENA_ZNEW(&m->arena, uint8_t, m->layers);
    if (m->layer_flags)
        memcpy(flags, m->layer_flags, m->layers);
    m->layer_flags = flags;
    return flags;
}

static struct nadi_model *add_view(struct nadi_model *m)
{
    if ((m->view_count & (m->view_count - 1)) == 0) { /* full at powers of two */
        struct nadi_model *more =
            NADI_ARENA_ZNEW(&m->arena, struct nadi_model, m->view_count ? 2 * m->view_count : 1);
        if (m->view_count)
            memcpy(more, m->views, m->view_count * sizeof(*more));
        m->views = more;
    }
    return &m->views[m->view_count++];
}

void nadi_hf_place(struct nadi_model *m, uint32_t layer, const struct nadi_model *wanted)
{
    struct nadi_model clean;
    memcpy(&clean, wanted, sizeof(clean)); /* with its padding: it is compared */
    clean.arena = (struct nadi_arena){0};
    clean.views = NULL;
    clean.layer_views = NULL;
    clean.layer_flags = NULL;
    clean.view_count = 0;
    if (!m->layer_views)
        m->layer_views = NADI_ARENA_ZNEW(&m->arena, uint16_t, m->layers);
    uint32_t v = 0;
    while (v < m->view_count && memcmp(&m->views[v], &clean, sizeof(clean)) != 0)
        v++;
    if (v == m->view_count)
        memcpy(add_view(m), &clean, sizeof(clean));
    m->layer_views[layer] = (uint16_t)(v + 1);
}

struct nadi_model nadi_hf_mlp_only(const struct nadi_model *m)
{
    struct nadi_model view = *m;
    view.no_attention = true;
    return view;
}

struct nadi_model nadi_hf_with_state(const struct nadi_model *m, const struct nadi_recurrent *r)
{
    struct nadi_model view = *m;
    view.no_attention = true;
    view.recurrent = r;
    return view;
}

/* ---- recurrent layers ---------------------------------------------------------------------- */

struct nadi_recurrent *nadi_hf_recurrent(struct nadi_model *m, const char *name,
                                         enum nadi_state_kind kind)
{
    struct nadi_recurrent *r = NADI_ARENA_ZNEW(&m->arena, struct nadi_recurrent, 1);
    r->name = name;
    r->kind = kind;
    return r;
}

void nadi_hf_project(struct nadi_recurrent *r, const char *name, uint64_t from, uint64_t to,
                     unsigned flags)
{
    NADI_ASSERT(r->projection_count < NADI_MOST_PROJECTIONS);
    r->projections[r->projection_count++] =
        (struct nadi_projection){.name = name, .from = from, .to = to, .flags = flags};
}

/* A list of one more. */
static const struct nadi_projection *with(struct nadi_model *m, const struct nadi_projection *list,
                                          uint32_t *count, const struct nadi_projection *p)
{
    struct nadi_projection *more = NADI_ARENA_ZNEW(&m->arena, struct nadi_projection, *count + 1);
    if (*count)
        memcpy(more, list, *count * sizeof(*more));
    more[(*count)++] = *p;
    return more;
}

void nadi_hf_side(struct nadi_model *m, struct nadi_model *view, const char *name, uint64_t from,
                  uint64_t to, unsigned flags)
{
    const struct nadi_projection side = {.name = name, .from = from, .to = to, .flags = flags};
    view->side = with(m, view->side, &view->side_count, &side);
}

void nadi_hf_front(struct nadi_model *m, const struct nadi_projection *p)
{
    m->front = with(m, m->front, &m->front_count, p);
}

const struct nadi_recurrent *nadi_hf_mamba2(struct nadi_model *m, const struct nadi_mamba2 *s)
{
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "mamba-2 block", NADI_STATE_CHUNKS);
    const uint64_t inner = (uint64_t)s->heads * s->head_dim;
    const uint64_t shared = 2ULL * s->groups * s->state;
    const unsigned bias = s->bias ? NADI_PROJECTION_BIAS : 0;
    r->heads = s->heads;
    r->groups = s->groups;
    r->key_dim = s->state;
    r->value_dim = s->head_dim;
    r->chunk = s->chunk;
    nadi_hf_project(r, "state input", m->hidden, 2 * inner + shared + s->heads, bias);
    r->conv_channels = inner + shared;
    r->conv_width = s->conv;
    r->conv_bias = s->conv_bias;
    r->own = 3ULL * s->heads + (s->norm ? inner : 0); /* steps, decays, what goes past the state */
    r->norm_width = inner;
    nadi_hf_project(r, "state output", inner, m->hidden,
                    bias | NADI_PROJECTION_ROWS | NADI_PROJECTION_LAST);
    return r;
}

const struct nadi_recurrent *nadi_hf_mamba(struct nadi_model *m, const struct nadi_mamba *s)
{
    struct nadi_recurrent *r = nadi_hf_recurrent(m, "mamba block", NADI_STATE_SCAN);
    const uint64_t inner = s->inner;
    const unsigned bias = s->bias ? NADI_PROJECTION_BIAS : 0;
    r->heads = s->inner;
    r->groups = 1;
    r->key_dim = s->state;
    r->value_dim = 1;
    nadi_hf_project(r, "state input", m->hidden, 2 * inner, bias);
    r->conv_channels = inner;
    r->conv_width = s->conv;
    r->conv_bias = s->conv_bias;
    nadi_hf_project(r, "steps, inputs, outputs", inner, s->rank + 2ULL * s->state,
                    NADI_PROJECTION_ROWS);
    nadi_hf_project(r, "steps", s->rank, inner, NADI_PROJECTION_BIAS);
    r->own = inner * s->state + inner;
    r->common = s->norms ? s->rank + 2ULL * s->state : 0;
    nadi_hf_project(r, "state output", inner, m->hidden,
                    bias | NADI_PROJECTION_ROWS | NADI_PROJECTION_LAST);
    return r;
}

/* ---- keys ---------------------------------------------------------------------------------- */

uint32_t nadi_hf_auto(struct nadi_hf_config *c, const char *names, uint32_t automatic)
{
    return nadi_str_equal(nadi_hf_text(c, names), "auto") ? automatic
                                                          : nadi_hf_number(c, names, automatic);
}
