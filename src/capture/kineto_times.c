#include "base/mem.h"
#include "base/time.h"
#include "capture/kineto.h"

enum { FAR_HOURS = 24 }; /* profiles are seconds long, at most minutes */

#define FAR_NS (FAR_HOURS * INT64_C(3600000000000))

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t median_start(const struct nadi_kineto *k)
{
    int64_t *starts = NADI_NEW(int64_t, k->events.count);
    for (size_t i = 0; i < k->events.count; i++)
        starts[i] = k->events.items[i].ts_ns;
    qsort(starts, k->events.count, sizeof(*starts), ascending);
    const int64_t median = starts[nadi_quantile_index(k->events.count, 0.5)];
    nadi_mem_free(starts);
    return median;
}

static bool are_near(const struct nadi_kineto *k)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < k->events.count; i++) {
        const struct nadi_kineto_event *e = &k->events.items[i];
        first = e->ts_ns < first ? e->ts_ns : first;
        last = e->ts_ns + e->dur_ns > last ? e->ts_ns + e->dur_ns : last;
    }
    return k->events.count == 0 || last / 2 - first / 2 < FAR_NS / 2;
}

static bool is_far(const struct nadi_kineto_event *e, int64_t median)
{
    return e->ts_ns / 2 - median / 2 > FAR_NS / 2 || median / 2 - e->ts_ns / 2 > FAR_NS / 2 ||
           e->dur_ns > FAR_NS;
}

void nadi_kineto_drop_far(struct nadi_kineto *k, const char *file, struct nadi_diags *diags)
{
    if (are_near(k))
        return;
    const int64_t median = median_start(k);
    const size_t count = k->events.count;
    uint32_t first = NADI_NONE;
    size_t kept = 0;
    k->with_rf = k->with_external = 0;
    for (size_t i = 0; i < count; i++) {
        const struct nadi_kineto_event e = k->events.items[i];
        if (is_far(&e, median)) {
            first = first == NADI_NONE ? e.name : first;
            continue;
        }
        k->events.items[kept++] = e;
        k->with_rf += nadi_event_is_operator(&e) && e.rf_id > 0;
        k->with_external += nadi_event_is_operator(&e) && e.external_id > 0;
    }
    k->events.count = kept;
    if (kept < count)
        nadi_warning(diags, "capture/far-event", NADI_IN_FILE(file),
                     "their times (ts, dur) are damaged, or of another clock",
                     "%zu of %zu events lie more than %d hours from the others and are left out, "
                     "the first is \"%s\"",
                     count - kept, count, FAR_HOURS, nadi_names_get(&k->names, first));
}
