/* make_point: sizes and labels of the job that is made. */
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "learned/make.h"

#include <math.h>

static uint32_t width_of(const struct nadi_learned_family *f)
{
    return f->axis_count + f->label_count;
}

static uint32_t label_at(const struct nadi_learned_family *f, const char *name)
{
    for (uint32_t i = 0; i < f->label_count; i++)
        if (strcmp(f->labels[i], name) == 0)
            return f->axis_count + i;
    return NADI_NONE;
}

static void axes_text(const struct nadi_learned_family *f, struct nadi_str *out)
{
    for (uint32_t a = 0; a < f->axis_count; a++)
        nadi_str_printf(out, "%s%s", a ? ", " : "", f->axes[a]);
    if (f->axis_count == 0)
        nadi_str_add(out, "none, one rank");
}

/* "tp=4 dp=8": false with an error. */
static bool read_axes(struct nadi_made_job *job, const char *text, bool *given,
                      struct nadi_diags *diags)
{
    const struct nadi_learned_family *f = job->family;
    while (text && *(text += strspn(text, " ,"))) {
        const size_t length = strcspn(text, "= ,");
        uint32_t a = 0;
        uint64_t size = 0;
        while (a < f->axis_count &&
               (strlen(f->axes[a]) != length || strncmp(f->axes[a], text, length) != 0))
            a++;
        struct nadi_str known = NADI_STR_INIT;
        axes_text(f, &known);
        const char *rest = text[length] == '=' ? nadi_str_take_u64(text + length + 1, &size) : NULL;
        const bool ends = rest && strchr(" ,", *rest); /* at '\\0' too */
        const bool ok = a < f->axis_count && ends && size >= 1 && size <= INT32_MAX && !given[a];
        if (!ok)
            nadi_error(diags, "synth/axes", NADI_NOWHERE,
                       "write axes and sizes, like --axes \"tp=4 dp=8\"",
                       "family %u has the axes %s; found '%.*s'%s", job->number + 1,
                       nadi_str_get(&known), (int)strcspn(text, " ,"), text,
                       a < f->axis_count && given[a] ? ", a second size of this axis" : "");
        nadi_str_release(&known);
        if (!ok)
            return false;
        job->point[a] = (double)size;
        given[a] = true;
        text = rest;
    }
    return true;
}

static double product_of(const struct nadi_made_job *job, uint32_t but)
{
    double product = 1;
    for (uint32_t a = 0; a < job->family->axis_count; a++)
        product *= a == but ? 1 : job->point[a];
    return product;
}

/* The axis that takes what --ranks leaves: replicas that are not given, the outermost first. */
static uint32_t free_axis(const struct nadi_learned_family *f, const bool *given)
{
    uint32_t found = NADI_NONE;
    for (uint32_t a = 0; a < f->axis_count; a++)
        if (!given[a] && !f->staged[a])
            found = a;
    for (uint32_t a = 0; a < f->axis_count; a++)
        if (!given[a] && !f->staged[a] && f->replicas >> a & 1)
            found = a;
    for (uint32_t a = 0; a < f->axis_count && found == NADI_NONE; a++)
        found = given[a] ? NADI_NONE : a;
    return found;
}

static bool take_ranks(struct nadi_made_job *job, uint32_t ranks, const bool *given,
                       struct nadi_diags *diags)
{
    const uint32_t axis = ranks ? free_axis(job->family, given) : NADI_NONE;
    if (axis != NADI_NONE) {
        const double others = product_of(job, axis);
        if (ranks < others)
            return nadi_error(diags, "synth/ranks", NADI_NOWHERE,
                              "ask for a multiple of them, or give smaller --axes",
                              "%u rank%s cannot be divided: the axes but %s make %.0f", ranks,
                              ranks == 1 ? "" : "s", job->family->axes[axis], others);
        job->point[axis] = round(ranks / others);
    }
    const double all = product_of(job, NADI_NONE);
    if (ranks && fabs(all - ranks) > 0.5)
        return nadi_error(diags, "synth/ranks", NADI_NOWHERE,
                          "give --axes whose product is the number of ranks",
                          "the axes make %.0f ranks, not %u", all, ranks);
    if (all > 1 << 26)
        return nadi_error(diags, "synth/ranks", NADI_NOWHERE, "ask for smaller axes",
                          "%.0f ranks are more than %d", all, 1 << 26);
    job->rank_count = (uint32_t)all;
    return true;
}

static bool take_label(struct nadi_made_job *job, const char *name, double value,
                       struct nadi_diags *diags)
{
    const uint32_t at = label_at(job->family, name);
    if (!(value > 0))
        return true;
    if (fabs(value - round(value)) > 0)
        return nadi_error(diags, "synth/label", NADI_NOWHERE, "ask for a whole number",
                          "%s %g is no whole number", name, value);
    if (at == NADI_NONE)
        return nadi_error(diags, "synth/label", NADI_NOWHERE,
                          "learn from manifests with labels, as `nadi model trace` writes them",
                          "family %u was learned from jobs without the label '%s'", job->number + 1,
                          name);
    job->point[at] = value;
    return true;
}

/* batch = micro-batch x micro-batches x replicas: the one that is not asked for follows. */
static bool settle_batch(struct nadi_made_job *job, bool batch_given, struct nadi_diags *diags)
{
    const struct nadi_learned_family *f = job->family;
    const uint32_t batch = label_at(f, "batch"), size = label_at(f, "micro-batch"),
                   count = label_at(f, "micro-batches");
    double replicas = 1;
    if (!(f->replicas >> 31) || batch == NADI_NONE || size == NADI_NONE || count == NADI_NONE)
        return true;
    for (uint32_t a = 0; a < f->axis_count; a++)
        replicas *= f->replicas >> a & 1 ? job->point[a] : 1;
    if (batch_given)
        job->point[count] = job->point[batch] / (job->point[size] * replicas);
    else
        job->point[batch] = job->point[size] * job->point[count] * replicas;
    if (job->point[count] < 1 || fabs(job->point[count] - round(job->point[count])) > 1e-9)
        return nadi_error(
            diags, "synth/batch", NADI_NOWHERE, "give a batch that is a multiple of it",
            "a batch of %.0f is no multiple of %.0f, micro-batches of %.0f on %.0f "
            "replicas",
            job->point[batch], job->point[size] * replicas, job->point[size], replicas);
    return true;
}

/* --- what is drawn -----------------------------------------------------------------------------
 */

struct value {
    double value;
    uint32_t jobs; /* that have it */
};

struct values { /* ascending, each once */
    struct value *items;
    size_t count, capacity;
};

static void add_value(struct values *v, double value)
{
    const struct value fresh = {value, 1};
    size_t at = v->count;
    while (at > 0 && v->items[at - 1].value > value - 1e-9)
        at--;
    if (at < v->count && v->items[at].value < value + 1e-9) {
        v->items[at].jobs++;
        return;
    }
    NADI_PUSH(v, fresh);
    memmove(v->items + at + 1, v->items + at, (v->count - at - 1) * sizeof(*v->items));
    v->items[at] = fresh;
}

/* A value that one job alone has says that it was there: it is not drawn while there are others. */
static void drop_lone(struct values *v)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->count; i++)
        if (v->items[i].jobs > 1)
            v->items[kept++] = v->items[i];
    v->count = kept ? kept : v->count;
}

static const char *setting_name(const struct nadi_learned_family *f, uint32_t setting)
{
    return setting < f->axis_count ? f->axes[setting] : f->labels[setting - f->axis_count];
}

/* Have both families the same axes? Their jobs differ in what they do on them. */
static bool same_axes(const struct nadi_learned_family *f, const struct nadi_learned_family *g)
{
    bool same = f->axis_count == g->axis_count && f->label_count == g->label_count;
    for (uint32_t i = 0; i < width_of(f) && same; i++)
        same = strcmp(setting_name(f, i), setting_name(g, i)) == 0;
    return same;
}

/* Values of a setting in the jobs of all families, as far as jobs with the family's axes reach:
 * which of them its own jobs have, and how often, would tell who is among them. Of a family that is
 * asked for as far as its own jobs. */
static void find_values(const struct nadi_learned_model *m, const struct nadi_learned_family *f,
                        uint32_t setting, bool asked, struct values *v)
{
    double least = f->hull[2 * setting], most = f->hull[2 * setting + 1];
    for (uint32_t i = 0; i < m->family_count; i++)
        if (!asked && same_axes(f, &m->families[i])) {
            least = fmin(least, m->families[i].hull[2 * setting]);
            most = fmax(most, m->families[i].hull[2 * setting + 1]);
        }
    for (uint32_t i = 0; i < m->family_count; i++) {
        const struct nadi_learned_family *g = &m->families[i];
        for (uint32_t k = 0; k < width_of(g); k++) {
            if ((k < g->axis_count) != (setting < f->axis_count) ||
                strcmp(setting_name(f, setting), setting_name(g, k)) != 0)
                continue;
            for (uint32_t j = 0; j < g->jobs; j++) {
                const double value = g->points[(size_t)j * width_of(g) + k];
                if (value >= least && value <= most)
                    add_value(v, value);
            }
        }
    }
}

/* Each value is as likely. In a private model how many jobs have it may show. */
static double draw_setting(const struct nadi_made_job *job, const struct nadi_learned_model *m,
                           uint32_t setting, bool asked, struct nadi_rng *rng)
{
    const struct nadi_learned_family *f = job->family;
    struct values v = {NULL, 0, 0};
    if (job->epsilon > 0)
        return f->points[nadi_rng_below(rng, f->jobs) * width_of(f) + setting];
    find_values(m, f, setting, asked, &v);
    drop_lone(&v);
    const double drawn = v.items[nadi_rng_below(rng, v.count)].value;
    nadi_mem_free(v.items);
    return drawn;
}

static void draw_point(struct nadi_made_job *job, const struct nadi_learned_model *m,
                       const struct nadi_learned_wish *wish, uint32_t attempt)
{
    const struct nadi_learned_family *f = job->family;
    const bool last = attempt + 1 == NADI_LEARNED_DRAWS;
    struct nadi_rng rng;
    char stream[16];
    snprintf(stream, sizeof(stream), "point %u", attempt);
    nadi_rng_init(&rng, wish->seed, stream);
    const uint64_t k = nadi_rng_below(&rng, f->jobs);
    for (uint32_t i = 0; i < width_of(f); i++)
        job->point[i] = wish->point ? wish->point[i]
                        : last      ? f->points[k * width_of(f) + i]
                                    : draw_setting(job, m, i, wish->family != NADI_NONE, &rng);
}

/* How many jobs a family has at least that is drawn: what is drawn of one job is that job, and of
 * few it is near to one of them. */
static uint32_t fewest_jobs(const struct nadi_learned_model *m, uint32_t largest)
{
    enum { FEW = 4, SHARE = 3 };
    const uint32_t share = m->families[largest].jobs / SHARE;
    return share < 2 ? (m->families[largest].jobs < 2 ? 1 : 2) : share < FEW ? share : FEW;
}

/* How likely a family is to be drawn. In a private model as many times as it has jobs; else the
 * first of those with the same axes stands for them, and is as likely as any other. */
static uint64_t weight_of(const struct nadi_learned_model *m, uint32_t family, uint32_t fewest)
{
    const uint32_t jobs = m->families[family].jobs;
    if (m->private.epsilon > 0)
        return jobs;
    for (uint32_t i = 0; i < family; i++)
        if (m->families[i].jobs >= fewest && same_axes(&m->families[i], &m->families[family]))
            return 0;
    return jobs >= fewest;
}

/* How far one of the family's jobs is from the point, in octaves; far more beyond its jobs' reach.
 * The batch follows from other labels. */
static double far_from(const struct nadi_learned_family *f, uint32_t job, const double *point)
{
    enum { BEYOND = 100 };
    const uint32_t batch = label_at(f, "batch");
    double sum = 0;
    for (uint32_t k = 0; k < width_of(f); k++) {
        const double off = log2(f->points[(size_t)job * width_of(f) + k] / point[k]);
        const double reached = fmin(fmax(point[k], f->hull[2 * k]), f->hull[2 * k + 1]);
        const double beyond = log2(point[k] / reached);
        sum += k == batch ? 0 : off * off + BEYOND * beyond * beyond;
    }
    return sum;
}

/* Of the families with the axes of the one that was drawn, the one that has a job nearest to the
 * point. */
static void settle_family(struct nadi_made_job *job, const struct nadi_learned_model *m,
                          uint32_t fewest)
{
    const struct nadi_learned_family *f = job->family;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < m->family_count; i++) {
        const struct nadi_learned_family *g = &m->families[i];
        for (uint32_t k = 0; k < g->jobs && g->jobs >= fewest && same_axes(f, g); k++) {
            const double far = far_from(g, k, job->point);
            if (far < least - 1e-9) {
                least = far;
                job->number = i;
            }
        }
    }
    job->family = &m->families[job->number];
}

/* Where one cannot make what is asked for, another one may; the last draw is of the largest. */
static void draw_family(struct nadi_made_job *job, const struct nadi_learned_model *m,
                        const struct nadi_learned_wish *wish, uint32_t attempt)
{
    struct nadi_rng rng;
    char stream[24] = "family";
    uint64_t sum = 0;
    uint32_t largest = 0;
    const bool last = attempt + 1 == NADI_LEARNED_DRAWS;
    if (attempt)
        snprintf(stream, sizeof(stream), "family %u", attempt);
    nadi_rng_init(&rng, wish->seed, stream);
    for (uint32_t i = 0; i < m->family_count; i++)
        largest = m->families[i].jobs > m->families[largest].jobs ? i : largest;
    const uint32_t fewest = fewest_jobs(m, largest);
    for (uint32_t i = 0; i < m->family_count; i++)
        sum += weight_of(m, i, fewest);
    uint64_t at = nadi_rng_below(&rng, sum);
    for (job->number = 0; at >= weight_of(m, job->number, fewest); job->number++)
        at -= weight_of(m, job->number, fewest);
    if (last)
        job->number = largest;
    if (wish->family != NADI_NONE)
        job->number = wish->family;
    job->family = &m->families[job->number];
    draw_point(job, m, wish, attempt);
    if (!last && wish->family == NADI_NONE && m->private.epsilon <= 0)
        settle_family(job, m, fewest);
}

static void look_beyond(struct nadi_made_job *job, struct nadi_diags *diags)
{
    const struct nadi_learned_family *f = job->family;
    for (uint32_t i = 0; i < width_of(f); i++) {
        const double least = f->hull[2 * i], most = f->hull[2 * i + 1];
        if (job->point[i] <= most && job->point[i] >= least)
            continue;
        job->beyond = true;
        nadi_note(diags, "synth/beyond", NADI_NOWHERE,
                  "learn from jobs around it for figures that are more certain",
                  "%s %.0f is beyond what was learned, %.0f to %.0f",
                  i < f->axis_count ? f->axes[i] : f->labels[i - f->axis_count], job->point[i],
                  least, most);
    }
}

static bool uses(const struct nadi_law *law, const bool *features)
{
    bool any = false;
    for (uint32_t v = 0; v < law->used; v++)
        any |= features[law->var[v]];
    return any;
}

/* Does any law of the family follow from one of the features? */
static bool follows(const struct nadi_learned_family *f, const bool *features)
{
    bool any = false;
    for (uint32_t s = 0; s < f->slot_count && !any; s++)
        for (uint32_t c = 0; c < f->slots[s].cell_count && !any; c++) {
            const struct nadi_learned_cell *cell = &f->slots[s].cells[c];
            const bool node = f->slots[s].symbol != NADI_NONE;
            any = node ? uses(&cell->duration_ns, features) || uses(&cell->ops, features) ||
                             uses(&cell->bytes, features)
                       : uses(&cell->count, features);
        }
    return any;
}

/* Has the body of a rule something to compute? */
static bool has_work(const struct nadi_learned_family *f, const struct nadi_learned_slot *slot)
{
    bool any = false;
    for (uint32_t i = 0; i < slot->count && !any; i++) {
        const struct nadi_learned_slot *in = &f->slots[slot->first + i];
        any = in->symbol == NADI_NONE ? has_work(f, in)
                                      : f->symbols.items[in->symbol].type == NADI_NODE_COMP;
    }
    return any;
}

/* Does a loop that computes come round as often as one of the features says? */
static bool comes_round(const struct nadi_learned_family *f, const bool *features)
{
    bool any = false;
    for (uint32_t s = 0; s < f->slot_count && !any; s++)
        for (uint32_t c = 0; c < f->slots[s].cell_count && !any; c++)
            any = f->slots[s].symbol == NADI_NONE && uses(&f->slots[s].cells[c].count, features) &&
                  has_work(f, &f->slots[s]);
    return any;
}

/* A label that all jobs have the same value of: is what another one changes known? */
static bool is_told(const struct nadi_made_job *job, const char *name, struct nadi_diags *diags)
{
    const struct nadi_learned_family *f = job->family;
    const uint32_t at = label_at(f, name);
    bool features[NADI_LAW_FEATURES] = {false};
    if (at == NADI_NONE || f->hull[2 * at] < f->hull[2 * at + 1] ||
        fabs(job->point[at] - f->hull[2 * at]) < 0.5)
        return true;
    nadi_learned_label_features(f, name, features);
    if (strcmp(name, "micro-batches") == 0 ? comes_round(f, features) : follows(f, features))
        return true;
    return nadi_error(diags, "synth/untold", NADI_NOWHERE,
                      "learn from jobs with other values of it, too",
                      "what %s %.0f changes is not known: all jobs of family %u had %.0f", name,
                      job->point[at], job->number + 1, f->hull[2 * at]);
}

/* A point that nothing is changed of says itself how its batch is divided. */
static bool is_whole(const struct nadi_learned_wish *w)
{
    return w->point && !w->axes && !w->ranks && !(w->batch > 0) && !(w->micro_batch > 0);
}

bool nadi_make_point(struct nadi_made_job *job, const struct nadi_learned_model *m,
                     const struct nadi_learned_wish *wish, uint32_t attempt,
                     struct nadi_diags *diags)
{
    bool given[NADI_LEARNED_AXES] = {false};
    if (wish->family != NADI_NONE && wish->family >= m->family_count)
        return nadi_error(diags, "synth/family", NADI_NOWHERE, NULL,
                          "the model has the families 1 to %u, not %u", m->family_count,
                          wish->family + 1);
    draw_family(job, m, wish, attempt);
    const bool ok = read_axes(job, wish->axes, given, diags) &&
                    take_ranks(job, wish->ranks, given, diags) &&
                    take_label(job, "layers", wish->layers, diags) &&
                    take_label(job, "micro-batch", wish->micro_batch, diags) &&
                    take_label(job, "sequence", wish->sequence, diags) &&
                    take_label(job, "batch", wish->batch, diags) &&
                    (is_whole(wish) || settle_batch(job, wish->batch > 0, diags));
    if (!ok)
        return false;
    job->stage_count = nadi_learned_stages(job->family, job->point);
    look_beyond(job, diags);
    return is_told(job, "layers", diags) && is_told(job, "micro-batch", diags) &&
           is_told(job, "micro-batches", diags) && is_told(job, "sequence", diags);
}
