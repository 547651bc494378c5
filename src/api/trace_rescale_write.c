/* trace_rescale_write: the traces of a job at another scale, and its manifest. */
#include "api/inside.h"
#include "api/trace_edit.h"
#include "api/trace_rescale_inside.h"
#include "base/file.h"
#include "base/mem.h"
#include "format/json_write.h"
#include "trace/edit/restage.h"
#include "trace/set.h"

/* ---- writing ------------------------------------------------------------------------------- */

/* The trace of a class by the laws, framed. */
static bool rescale_class(struct nadi_rescale_job *j, uint32_t class, uint32_t rank,
                          struct nadi_str *text)
{
    struct nadi_full *f = nadi_full_read(j->fleet.in.owned[class]->path, j->diags);
    const bool ok = f && nadi_rescale_write(f, &j->rescale, rank, text, &j->report, j->diags);
    nadi_full_destroy(f);
    return ok;
}

static void name_trace(struct nadi_rescale_job *j, size_t number)
{
    nadi_str_clear(&j->path);
    nadi_str_printf(&j->path, "%s.class%zu.et", nadi_str_get(&j->prefix), number);
}

/* Takes the text. */
static void add_text(struct nadi_rescale_job *j, struct nadi_str *text)
{
    name_trace(j, j->made.count);
    NADI_PUSH(&j->made, *text);
    *text = (struct nadi_str)NADI_STR_INIT;
}

static bool write_traces(struct nadi_rescale_job *j)
{
    bool ok = true;
    for (size_t i = 0; i < j->made.count && ok; i++) {
        const struct nadi_str *text = &j->made.items[i];
        name_trace(j, i);
        ok = nadi_file_write(nadi_str_get(&j->path), text->text, text->length, j->diags);
    }
    return ok;
}

/* The places of a class on every axis: a block. False: it is none, or ends within a changed axis.
 */
static bool block_of(const struct nadi_rescale_job *j, uint32_t class,
                     bool *places[NADI_RESCALE_AXES])
{
    const struct nadi_inputs *in = &j->fleet.in;
    uint64_t ranks = 0, block = 1;
    for (uint32_t r = 0; r < in->rank_count; r++) {
        if (in->traces[r] != in->owned[class])
            continue;
        ranks++;
        for (uint32_t a = 0; a < j->axis_count; a++)
            places[a][r / j->axes[a].stride % j->axes[a].size] = true;
    }
    for (uint32_t a = 0; a < j->axis_count; a++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < j->axes[a].size; i++)
            count += places[a][i];
        block *= count;
        if (count < j->axes[a].size && j->axes[a].size != j->axes[a].new_size &&
            j->axes[a].role != NADI_ROLE_PP)
            return false;
    }
    return block == ranks;
}

/* A list of places, as ranges; the axis has as many as `size`. */
static void add_places(const bool *places, uint32_t size, struct nadi_str *out)
{
    const char *comma = "";
    nadi_str_add(out, "[");
    for (uint32_t i = 0; i < size; i++) {
        if (!places[i])
            continue;
        uint32_t last = i;
        while (last + 1 < size && places[last + 1])
            last++;
        nadi_str_printf(out, last > i ? "%s%u..%u" : "%s%u", comma, i, last);
        comma = ", ";
        i = last;
    }
    nadi_str_add(out, "]");
}

/* `stage`: the place in a pipeline with other stages; NADI_NONE: those that the class has. */
static void add_where(const struct nadi_rescale_job *j, bool *const *places, uint32_t stage,
                      struct nadi_str *out)
{
    const char *before = ", where: {";
    bool any = false;
    for (uint32_t a = 0; a < j->axis_count; a++) {
        const uint32_t size = j->axes[a].size;
        uint32_t count = 0;
        for (uint32_t i = 0; i < size; i++)
            count += places[a][i];
        const bool staged = stage != NADI_NONE && j->axes[a].role == NADI_ROLE_PP;
        if (count == size && !staged)
            continue;
        nadi_str_printf(out, "%s%s: ", before, j->axes[a].name);
        if (staged)
            nadi_str_printf(out, "[%u]", stage);
        else
            add_places(places[a], size, out);
        before = ", ";
        any = true;
    }
    nadi_str_add(out, any ? "}}\n" : "}\n");
}

/* The class's places on every axis. NULL with an error when they are no block. */
static bool **places_of(struct nadi_rescale_job *j, uint32_t class)
{
    bool **places = NADI_ARENA_ZNEW(&j->arena, bool *, NADI_RESCALE_AXES);
    for (uint32_t a = 0; a < j->axis_count; a++)
        places[a] = NADI_ARENA_ZNEW(&j->arena, bool, j->axes[a].size);
    if (block_of(j, class, places))
        return places;
    nadi_error(j->diags, "rescale/ranks", NADI_IN_FILE(j->fleet.in.owned[class]->path),
               "--same shape of nadi trace dedup makes one trace of ranks whose times "
               "differ",
               "its ranks are no block along the axes, or differ along one that changes");
    return NULL;
}

static void add_trace(const struct nadi_rescale_job *j, bool *const *places, uint32_t stage,
                      struct nadi_str *out)
{
    nadi_str_printf(out, "  - {file: \"%s\"", nadi_file_name(nadi_str_get(&j->path)));
    add_where(j, places, stage, out);
}

static uint32_t rank_of(const struct nadi_rescale_job *j, uint32_t class)
{
    uint32_t rank = 0;
    while (rank + 1 < j->fleet.in.rank_count &&
           j->fleet.in.traces[rank] != j->fleet.in.owned[class])
        rank++;
    return rank;
}

static bool write_classes(struct nadi_rescale_job *j, struct nadi_str *manifest)
{
    for (uint32_t c = 0; c < j->fleet.in.owned_count; c++) {
        struct nadi_str text = NADI_STR_INIT;
        bool *const *places = NULL;
        const bool ok =
            rescale_class(j, c, rank_of(j, c), &text) && (places = places_of(j, c)) != NULL;
        if (ok)
            add_text(j, &text);
        nadi_str_release(&text);
        if (!ok)
            return false;
        add_trace(j, places, NADI_NONE, manifest);
    }
    return true;
}

/* ---- other stages --------------------------------------------------------------------------- */

struct staged { /* a class, by the laws */
    struct nadi_full *full;
    bool *apart;
    bool *const *places;
};

struct stages {
    struct nadi_rescale_job *j;
    struct staged *classes;
    uint32_t axis, old, new; /* the pipeline's axis and its sizes */
    struct nadi_restage how;
    struct nadi_pipeline pipeline;
};

static bool stage_class(struct stages *s, uint32_t class)
{
    struct nadi_rescale_job *j = s->j;
    struct staged *c = &s->classes[class];
    struct nadi_str text = NADI_STR_INIT;
    const char *path = j->fleet.in.owned[class]->path;
    if ((c->places = places_of(j, class)) && rescale_class(j, class, rank_of(j, class), &text))
        c->full = nadi_full_parse(path, nadi_str_get(&text), text.length, j->diags);
    nadi_str_release(&text);
    if (c->full)
        c->apart = nadi_rescale_apart(&j->rescale, c->full);
    return c->full != NULL;
}

/* Have they places beside those along the pipeline in common? */
static bool beside(const struct stages *s, const struct staged *a, const struct staged *b)
{
    for (uint32_t x = 0; x < s->j->axis_count; x++) {
        bool any = x == s->axis;
        for (uint32_t i = 0; i < s->j->axes[x].size; i++)
            any |= a->places[x][i] && b->places[x][i];
        if (!any)
            return false;
    }
    return true;
}

/* A class that has the stage, and ranks beside `like` where that is not NULL. */
static const struct staged *class_with(const struct stages *s, uint32_t stage,
                                       const struct staged *like)
{
    for (uint32_t c = 0; c < s->j->fleet.in.owned_count; c++)
        if (s->classes[c].places[s->axis][stage] && (!like || beside(s, &s->classes[c], like)))
            return &s->classes[c];
    return NULL;
}

/* The optimizer's work goes with the gradients that are left. */
static bool fit_optimizer(struct stages *s, const struct staged *c, struct nadi_str *text)
{
    struct nadi_rescale_job *j = s->j;
    struct nadi_full *f =
        nadi_full_parse(c->full->path, nadi_str_get(text), text->length, j->diags);
    nadi_str_clear(text);
    const bool ok = f && nadi_rescale_optimizer(f, &j->rescale, c->full, text, j->diags);
    nadi_full_destroy(f);
    return ok;
}

static bool write_stage(struct stages *s, const struct staged *c, struct nadi_str *manifest)
{
    struct nadi_str text = NADI_STR_INIT;
    const struct staged *last = s->how.last ? class_with(s, s->old - 1, c) : NULL;
    s->how.apart = c->apart;
    s->how.last = last ? last->full : NULL;
    s->how.last_apart = last ? last->apart : NULL;
    bool ok = nadi_restage_write(c->full, &s->how, &text, s->j->diags);
    if (ok && last)
        ok = fit_optimizer(s, c, &text);
    if (ok)
        add_text(s->j, &text);
    nadi_str_release(&text);
    if (ok)
        add_trace(s->j, c->places, s->how.new_stage, manifest);
    return ok;
}

/* Stage t of the new pipeline is made of which old one. */
static uint32_t source_stage(const struct stages *s, uint32_t t)
{
    if (t == 0 || t + 1 == s->new)
        return t ? s->old - 1 : 0;
    return s->old > 2 ? (uint32_t)nadi_min_u64(t, s->old - 2) : 0;
}

static bool write_stages(struct stages *s, struct nadi_str *manifest)
{
    const struct staged *first = class_with(s, 0, NULL), *end = class_with(s, s->old - 1, first);
    bool ok = nadi_pipeline_read(&s->pipeline, first->full, (end ? end : first)->full,
                                 (end ? end : first)->apart, s->how.stride, s->j->diags);
    s->how.pipeline = &s->pipeline;
    for (uint32_t t = 0; t < s->new &&ok; t++) {
        const bool middle = t > 0 && t + 1 < s->new;
        s->how.stage = source_stage(s, t);
        s->how.new_stage = t;
        for (uint32_t c = 0; c < s->j->fleet.in.owned_count && ok; c++) {
            s->how.last = middle && s->old == 2 && end ? end->full : NULL;
            if (s->classes[c].places[s->axis][s->how.stage])
                ok = write_stage(s, &s->classes[c], manifest);
        }
    }
    nadi_pipeline_release(&s->pipeline);
    return ok;
}

static bool write_pipeline(struct nadi_rescale_job *j, struct nadi_str *manifest)
{
    const struct nadi_scaled_axis *axis = nadi_rescale_pipeline(j);
    const uint32_t classes = j->fleet.in.owned_count;
    struct stages s = {.j = j,
                       .classes = NADI_ZNEW(struct staged, classes + 1),
                       .axis = (uint32_t)(axis - j->axes),
                       .old = axis->size,
                       .new = axis->new_size,
                       .how = {.stages = axis->size, .new_stages = axis->new_size, .stride = 1}};
    bool ok = true;
    for (uint32_t a = 0; a < s.axis; a++)
        s.how.stride *= j->axes[a].new_size;
    for (uint32_t c = 0; c < classes && ok; c++)
        ok = stage_class(&s, c);
    ok = ok && write_stages(&s, manifest);
    for (uint32_t c = 0; c < classes; c++) {
        nadi_full_destroy(s.classes[c].full);
        nadi_mem_free(s.classes[c].apart);
    }
    nadi_mem_free(s.classes);
    return ok;
}

/* ---- more micro-batches --------------------------------------------------------------------- */

/* A trace of the ranks with this stage; the caller destroys it. */
static struct nadi_full *read_stage(struct nadi_rescale_job *j, const struct nadi_scaled_axis *axis,
                                    uint32_t stage)
{
    uint32_t rank = stage * axis->stride, class = 0;
    while (j->fleet.in.owned[class] != j->fleet.in.traces[rank])
        class ++;
    return nadi_full_read(j->fleet.in.owned[class]->path, j->diags);
}

/* Of 1F1B the first stage does as GPipe does where there are no more micro-batches than stages: all
 * forward passes, then all backward ones. What would be repeated then is that. */
static bool check_steady(struct nadi_rescale_job *j)
{
    const struct nadi_scaled_axis *axis = nadi_rescale_pipeline(j);
    const struct nadi_rescale *r = &j->rescale;
    if (!axis || axis->size < 2 || r->new_batches <= r->batches || r->batches > axis->size)
        return true;
    struct nadi_full *first = read_stage(j, axis, 0);
    struct nadi_full *last = first ? read_stage(j, axis, axis->size - 1) : NULL;
    bool *apart = last ? nadi_rescale_apart(r, last) : NULL;
    struct nadi_diags other; /* another schedule, which says so itself */
    struct nadi_pipeline pipeline = {0};
    nadi_diags_init(&other);
    const bool turns = last &&
                       nadi_pipeline_read(&pipeline, first, last, apart, r->stride, &other) &&
                       !pipeline.gpipe;
    nadi_diags_release(&other);
    nadi_pipeline_release(&pipeline);
    nadi_mem_free(apart);
    nadi_full_destroy(last);
    nadi_full_destroy(first);
    if (turns)
        return nadi_error(j->diags, "rescale/warm-up", NADI_IN_FILE(j->fleet.in.owned[0]->path),
                          "trace a step of more micro-batches than stages",
                          "of 1F1B with %" PRIu32 " micro-batches on %" PRIu32
                          " stages no turn of a forward and a backward pass is in the first "
                          "stage's trace: none can be repeated",
                          r->batches, axis->size);
    return last != NULL;
}

/* ---- the manifest --------------------------------------------------------------------------- */

static void add_label(const struct nadi_rescale_job *j, const char *name, enum quantity q,
                      struct nadi_str *out)
{
    const uint64_t value = j->to[q] ? j->to[q] : j->from[q];
    if (value)
        nadi_str_printf(out, "%s%s: %" PRIu64, out->length ? ", " : "", name, value);
}

static const struct {
    const char *name;
    enum quantity quantity;
} scaled_labels[] = {{"layers", QUANTITY_LAYERS},
                     {"batch", QUANTITY_BATCH},
                     {"micro-batch", QUANTITY_MICRO_BATCH},
                     {"sequence", QUANTITY_SEQUENCE}};
enum { SCALED_LABELS = sizeof(scaled_labels) / sizeof(scaled_labels[0]) };

/* The job's other labels, as they were. */
static void keep_label(const struct nadi_rescale_job *j, const struct nadi_doc_node *n,
                       struct nadi_str *out)
{
    const char *name = nadi_doc_key(n);
    double number;
    for (size_t i = 0; i < SCALED_LABELS; i++)
        if (nadi_str_equal(name, scaled_labels[i].name))
            return;
    nadi_str_add(out, out->length ? ", " : "");
    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")] == '\0')
        nadi_str_add(out, name);
    else
        nadi_json_add_text(out, name, strlen(name));
    nadi_str_add(out, ": ");
    const enum nadi_doc_scalar class = nadi_doc_classify(&j->doc, n, &number);
    if (nadi_str_equal(name, "micro-batches") && j->rescale.new_batches)
        nadi_str_printf(out, "%" PRIu32, j->rescale.new_batches);
    else if (class == NADI_DOC_INTEGER || class == NADI_DOC_REAL)
        nadi_str_add(out, n->text);
    else
        nadi_json_add_text(out, n->text, strlen(n->text));
}

static void add_labels(const struct nadi_rescale_job *j, struct nadi_str *out)
{
    const struct nadi_doc_node *had = nadi_doc_find(j->doc.root, "labels");
    struct nadi_str labels = NADI_STR_INIT;
    for (size_t i = 0; i < SCALED_LABELS; i++)
        add_label(j, scaled_labels[i].name, scaled_labels[i].quantity, &labels);
    for (const struct nadi_doc_node *n = had ? had->first : NULL; n; n = n->next)
        keep_label(j, n, &labels);
    if (labels.length && had)
        nadi_str_printf(out, "labels: {%s}\n", nadi_str_get(&labels));
    nadi_str_release(&labels);
}

static bool write_manifest(struct nadi_rescale_job *j, const struct nadi_str *traces)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_add(&text, "nadi-manifest: 1\naxes: {");
    for (uint32_t a = 0; a < j->axis_count; a++)
        nadi_str_printf(&text, "%s%s: %u", a ? ", " : "", j->axes[a].name, j->axes[a].new_size);
    nadi_str_add(&text, j->group_count ? "}\ngroups:\n" : "}\n");
    const struct nadi_doc_node *map = nadi_doc_find(j->doc.root, "groups");
    for (const struct nadi_doc_node *n = map ? map->first : NULL; n; n = n->next) {
        nadi_str_printf(&text, "  %s: [", nadi_doc_key(n));
        for (const struct nadi_doc_node *a = n->first; a; a = a->next)
            nadi_str_printf(&text, "%s%s", a == n->first ? "" : ", ", a->text);
        nadi_str_add(&text, "]\n");
    }
    const struct nadi_doc_node *peers = nadi_doc_find(j->doc.root, "peers");
    nadi_str_printf(&text, "peers: %s\n", peers ? peers->text : "absolute");
    add_labels(j, &text);
    nadi_str_printf(&text, "traces:\n%s", nadi_str_get(traces));
    nadi_str_clear(&j->path);
    nadi_str_printf(&j->path, "%s.yml", nadi_str_get(&j->prefix));
    const bool ok = nadi_file_write(nadi_str_get(&j->path), text.text, text.length, j->diags);
    nadi_str_release(&text);
    return ok;
}

bool nadi_rescale_write_job(struct nadi_rescale_job *j)
{
    const struct nadi_scaled_axis *pipeline = nadi_rescale_pipeline(j);
    const char *output = j->o->edit.output;
    struct nadi_str traces = NADI_STR_INIT;
    size_t length = strlen(output);
    if (!nadi_edit_prefix(output, j->diags) || !check_steady(j))
        return false;
    if (nadi_str_ends(output, ".yml"))
        length -= 4;
    nadi_str_add_bytes(&j->prefix, output, length);
    bool ok = pipeline && pipeline->size != pipeline->new_size ? write_pipeline(j, &traces)
                                                               : write_classes(j, &traces);
    struct nadi_trace_set *set =
        ok ? nadi_trace_set_begin(nadi_str_get(&j->prefix), j->diags) : NULL;
    ok = nadi_trace_set_end(set, set && write_traces(j) && write_manifest(j, &traces));
    for (size_t i = 0; i < j->made.count; i++)
        nadi_str_release(&j->made.items[i]);
    nadi_mem_free(j->made.items);
    nadi_str_release(&traces);
    return ok;
}
