/* slice: nodes of a step, of a range of ids, of a span of time.
 *
 * A step is what the nodes of one name begin, ProfilerStep#4 say: from the start of the first node
 * of that name to the start of the next step, or to the end of what the node called. Work of the
 * accelerator belongs to the step whose host operator launched it. Where the trace has no times,
 * ids take their place, as they follow the program. */
#include "base/mem.h"
#include "base/str.h"
#include "trace/edit/cut.h"
#include "trace/times.h"

#define STEP_PREFIX "ProfilerStep#"

struct span { /* of times in us, or of ids where there are none */
    uint64_t from, to;
    bool by_id;
};

static bool has_name(const struct nadi_full_node *n, const char *name)
{
    const size_t length = strlen(name);
    return n->name_bytes == length && memcmp(n->name, name, length) == 0;
}

/* "ProfilerStep#12" and nothing behind it. */
static bool is_step(const struct nadi_full_node *n)
{
    const size_t prefix = sizeof(STEP_PREFIX) - 1;
    if (n->name_bytes <= prefix || memcmp(n->name, STEP_PREFIX, prefix) != 0)
        return false;
    for (size_t i = prefix; i < n->name_bytes; i++) {
        if (n->name[i] < '0' || n->name[i] > '9')
            return false;
    }
    return true;
}

static uint64_t place_in(const struct span *s, const struct nadi_full_node *n)
{
    return s->by_id ? n->id : n->start_micros;
}

static bool no_such_step(const struct nadi_full *f, const char *name, uint32_t rank,
                         struct nadi_diags *diags)
{
    enum { LISTED = 20 };
    struct nadi_str steps = NADI_STR_INIT;
    size_t count = 0;
    for (size_t i = 0; i < f->node_count; i++) {
        if (!is_step(&f->nodes[i]))
            continue;
        if (count++ < LISTED)
            nadi_str_printf(&steps, "%s%.*s", steps.length ? ", " : "the trace has ",
                            (int)f->nodes[i].name_bytes, (const char *)f->nodes[i].name);
    }
    if (count > LISTED)
        nadi_str_printf(&steps, " and %zu more", count - LISTED);
    struct nadi_place place = NADI_IN_FILE(f->path);
    place.rank = rank;
    nadi_error(diags, "trace/no-step", place,
               steps.length ? nadi_str_get(&steps)
                            : "the trace has no " STEP_PREFIX "N; cut it by --nodes or --time",
               "no node is called '%s'", name);
    nadi_str_release(&steps);
    return false;
}

/* Where the step ends: at the next one, or behind the last thing that it called. */
static uint64_t end_of(const struct nadi_full *f, const struct nadi_links *l, const struct span *s,
                       uint32_t step)
{
    uint64_t next = UINT64_MAX, last = 0;
    for (uint32_t i = 0; i < f->node_count; i++) {
        const struct nadi_full_node *n = &f->nodes[i];
        const uint64_t at = place_in(s, n);
        const bool same = n->name_bytes == f->nodes[step].name_bytes &&
                          memcmp(n->name, f->nodes[step].name, n->name_bytes) == 0;
        if (i != step && (same || is_step(n)) && at > s->from)
            next = nadi_min_u64(next, at);
    }
    if (next != UINT64_MAX || s->by_id)
        return next;
    last = s->from + f->nodes[step].duration_micros + 1;
    for (uint32_t k = l->child_start[step]; k < l->child_start[step + 1]; k++) {
        const struct nadi_full_node *n = &f->nodes[l->children[k]];
        const uint64_t *deps = nadi_full_deps(f, n);
        for (uint32_t i = n->data_deps; i < n->data_deps + n->ctrl_deps; i++) {
            if (deps[i] == f->nodes[step].id)
                last = nadi_max_u64(last, n->start_micros + n->duration_micros + 1);
        }
    }
    return last;
}

/* The host operator that launched a node of the accelerator; NADI_NONE when none is known. */
static uint32_t launcher_of(const struct nadi_full *f, const struct nadi_links *l,
                            const bool *on_host, uint32_t node)
{
    uint32_t launcher = NADI_NONE;
    for (uint32_t k = l->dep_start[node]; k < l->dep_start[node + 1]; k++) {
        const uint32_t dep = l->deps[k];
        if (on_host[dep] && (launcher == NADI_NONE || f->nodes[dep].id > f->nodes[launcher].id))
            launcher = dep;
    }
    return launcher;
}

static void select_span(const struct nadi_full *f, const struct nadi_links *l, const struct span *s,
                        bool *keep)
{
    const uint32_t n = l->count;
    bool *on_host = NADI_NEW(bool, n), *inside = NADI_NEW(bool, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t at = place_in(s, &f->nodes[i]);
        on_host[i] = nadi_full_integer(&f->nodes[i], "is_cpu_op", 0) != 0;
        inside[i] = at >= s->from && at < s->to;
    }
    for (uint32_t i = 0; i < n; i++) {
        /* What waits only for work of the accelerator goes with that: in order of dependencies. */
        const uint32_t node = l->order[i];
        if (on_host[node])
            continue;
        const uint32_t launcher = launcher_of(f, l, on_host, node);
        if (launcher != NADI_NONE)
            inside[node] = inside[launcher];
        else if (!nadi_full_has_start(f, &f->nodes[node]) &&
                 l->dep_start[node] < l->dep_start[node + 1])
            inside[node] = inside[l->deps[l->dep_start[node + 1] - 1]];
    }
    for (uint32_t i = 0; i < n; i++)
        keep[i] &= inside[i];
    nadi_mem_free(on_host);
    nadi_mem_free(inside);
}

static bool select_step(const char *name, const struct nadi_full *f, const struct nadi_links *l,
                        uint32_t rank, bool *keep, struct nadi_diags *diags)
{
    struct nadi_str whole = NADI_STR_INIT;
    struct span span = {.by_id = true};
    uint64_t number;
    uint32_t step = NADI_NONE;
    nadi_str_printf(&whole, "%s%s", nadi_str_to_u64(name, &number) ? STEP_PREFIX : "", name);
    for (uint32_t i = 0; i < f->node_count; i++) {
        if (step == NADI_NONE && has_name(&f->nodes[i], nadi_str_get(&whole)))
            step = i;
        span.by_id &= !nadi_full_has_start(f, &f->nodes[i]);
    }
    const bool found = step != NADI_NONE || no_such_step(f, nadi_str_get(&whole), rank, diags);
    nadi_str_release(&whole);
    if (!found)
        return false;
    span.from = place_in(&span, &f->nodes[step]);
    span.to = end_of(f, l, &span, step);
    select_span(f, l, &span, keep);
    return true;
}

static void select_time(const struct nadi_slice *s, const struct nadi_full *f,
                        const struct nadi_links *l, bool *keep)
{
    struct nadi_trace_times times;
    nadi_times_make(&times, f, l);
    for (uint32_t i = 0; i < l->count; i++)
        keep[i] &= times.start[i] >= s->from_ns && times.start[i] < s->to_ns;
    nadi_times_release(&times);
}

bool nadi_slice_select(const struct nadi_slice *s, const struct nadi_full *f,
                       const struct nadi_links *links, uint32_t rank, bool *keep,
                       struct nadi_diags *diags)
{
    for (size_t i = 0; i < f->node_count; i++)
        keep[i] = f->nodes[i].id >= s->first_id && f->nodes[i].id <= s->last_id;
    if (s->step && !select_step(s->step, f, links, rank, keep, diags))
        return false;
    if (s->from_ns != 0 || s->to_ns != UINT64_MAX)
        select_time(s, f, links, keep);
    bool any = false;
    for (size_t i = 0; i < f->node_count; i++) {
        any |= keep[i];
        keep[i] |= f->nodes[i].type == NADI_NODE_METADATA; /* definitions, of groups say */
    }
    struct nadi_place place = NADI_IN_FILE(f->path);
    place.rank = rank;
    return any || nadi_error(diags, "trace/nothing-left", place,
                             "`nadi trace info` says which times there are, `nadi trace show` ids",
                             "no node is inside of what was asked for");
}
