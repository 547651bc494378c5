#include "support/run_drawn.h"

#include "base/file.h"

#include <math.h>

const char *run_path(struct run_drawn *r, const char *name)
{
    return nadi_arena_printf(&r->arena, "%s/%s", r->folder, name);
}

const char *run_write(struct run_drawn *r, const char *name, const struct nadi_str *text)
{
    const char *path = run_path(r, name);
    FILE *file = fopen(path, "wb");
    NADI_ASSERT(file && fwrite(nadi_str_get(text), 1, text->length, file) == text->length);
    NADI_ASSERT(fclose(file) == 0);
    return path;
}

bool run_odd(struct run_drawn *r, uint64_t one_in)
{
    return r->temper == DRAW_WILD && rarely(&r->d, one_in);
}

/* ---- events -------------------------------------------------------------------------------- */

static void put_ranks(struct run_drawn *r, struct draw *d, struct nadi_str *out)
{
    const uint64_t first = draw_below(d, r->rank_count);
    if (run_odd(r, 16))
        nadi_str_add(out, "\"0-99999999\"");
    else if (rarely(d, 3))
        nadi_str_printf(out, "\"%" PRIu64 "-%" PRIu32 "\"", first, r->rank_count - 1);
    else
        nadi_str_printf(out, "%" PRIu64, first);
}

/* The ends of background traffic: two ranks, or all others to one. */
static enum draw_own put_pair(struct run_drawn *r, struct draw *d, bool to, struct nadi_str *out)
{
    const uint64_t n = r->rank_count;
    if (run_odd(r, 8)) {
        put_ranks(r, d, out);
        return DRAW_WRITTEN;
    }
    if (!to) {
        const bool several = n > 2 && rarely(d, 3);
        r->first_end = several ? n - 1 : draw_below(d, n);
        nadi_str_printf(out, several ? "\"1-%" PRIu64 "\"" : "%" PRIu64, r->first_end);
        r->first_end = several ? 0 : (r->first_end + 1 + draw_below(d, nadi_max_u64(n, 2) - 1)) % n;
    } else
        nadi_str_printf(out, "%" PRIu64, r->first_end);
    return DRAW_WRITTEN;
}

static enum draw_own own_event(void *context, struct draw *d, const struct nadi_setting *key,
                               struct nadi_str *out)
{
    struct run_drawn *r = context;
    const bool to = strcmp(key->name, "to") == 0, end = to || strcmp(key->name, "from") == 0;
    if (strcmp(key->name, "ranks") == 0) {
        if (draw_below(d, 2) == 0)
            return DRAW_LEFT_OUT;
        put_ranks(r, d, out);
        return DRAW_WRITTEN;
    }
    if (strcmp(key->name, "until") == 0 && r->temper != DRAW_WILD && !rarely(d, 8)) {
        nadi_str_printf(out, "\"%" PRIu64 " us\"", pick(d, 1, 4) * 100000);
        return DRAW_WRITTEN;
    }
    if (strcmp(key->name, "dimension") == 0) {
        nadi_str_printf(out, "%" PRIu64, draw_below(d, r->dim_count));
        return DRAW_WRITTEN;
    }
    if (strcmp(key->name, "draw") == 0)
        r->drawn_by_work = false;
    if (strcmp(key->name, "jitter") == 0 && !run_odd(r, 8)) { /* above 1 not all can be */
        nadi_str_printf(out, "0.%" PRIu64, draw_below(d, 100));
        return DRAW_WRITTEN;
    }
    if (strcmp(key->name, "draw-length") == 0 && !r->drawn_by_work && !run_odd(r, 8))
        return DRAW_LEFT_OUT;
    if (!end)
        return DRAW_AS_TABLE;
    if (key->required)
        return put_pair(r, d, to, out);
    if (to && !rarely(d, 16)) /* most pairs of nodes have no link */
        return DRAW_LEFT_OUT;
    nadi_str_printf(out, rarely(d, 16) ? "\"switch %" PRIu64 "\"" : "\"npu %" PRIu64 "\"",
                    draw_below(d, r->rank_count));
    return DRAW_WRITTEN;
}

static enum draw_own own_events(void *context, struct draw *d, const struct nadi_setting *key,
                                struct nadi_str *out)
{
    static const struct {
        const char *key;
        enum nadi_schema_kind kind;
    } lists[] = {{"links", NADI_SCHEMA_EVENTS_LINK},
                 {"compute", NADI_SCHEMA_EVENTS_COMPUTE},
                 {"start", NADI_SCHEMA_EVENTS_START},
                 {"traffic", NADI_SCHEMA_EVENTS_TRAFFIC}};
    struct run_drawn *r = context;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (strcmp(key->name, lists[i].key) != 0)
            continue;
        const bool change = lists[i].kind == NADI_SCHEMA_EVENTS_LINK;
        const bool seen = change                                        ? r->model->change != NULL
                          : lists[i].kind == NADI_SCHEMA_EVENTS_TRAFFIC ? r->model->has_links
                                                                        : true;
        if (!seen && !run_odd(r, 16))
            return DRAW_LEFT_OUT;
        r->drawn_by_work = true;
        const struct draw_map m = {
            .kind = lists[i].kind,
            .temper = r->temper,
            .list_length = 1,
            .one_in = 3,
            .always = " from dimension bandwidth-scale scale ",
            .own = own_event,
            .context = r,
        };
        nadi_str_add(out, "[");
        for (uint64_t more = draw_below(d, 3) + 1; more > 0; more--) {
            draw_map(d, &m, out);
            nadi_str_add(out, more > 1 ? ", " : "");
        }
        nadi_str_add(out, "]");
        return DRAW_WRITTEN;
    }
    return DRAW_AS_TABLE;
}

void run_draw_events(struct run_drawn *r)
{
    const struct draw_map m = {
        .kind = NADI_SCHEMA_EVENTS,
        .temper = r->temper,
        .list_length = 1,
        .one_in = 2,
        .own = own_events,
        .context = r,
    };
    struct nadi_str text = NADI_STR_INIT;
    draw_map(&r->d, &m, &text);
    r->setup.events = run_write(r, "events.yml", &text);
    nadi_str_release(&text);
}

/* ---- the setup ----------------------------------------------------------------------------- */

static double draw_scale(struct run_drawn *r)
{
    static const double scales[] = {1, 1, 1, 0.5, 2, 0.7, 1.3, 10};
    static const double bold[] = {1e-9, 1e6, 1e9, 1e3};
    static const double wild[] = {0, -1, 1e300, (double)NAN, (double)INFINITY};
    if (!rarely(&r->d, 4))
        return 1;
    if (r->temper == DRAW_WILD && rarely(&r->d, 8))
        return wild[draw_below(&r->d, 5)];
    if (r->temper > DRAW_PLAIN && rarely(&r->d, 4))
        return bold[draw_below(&r->d, 4)];
    return scales[draw_below(&r->d, 8)];
}

static void draw_setup(struct run_drawn *r)
{
    struct draw *d = &r->d;
    struct nadi_setup *s = &r->setup;
    s->max_wall_ms = RUN_MOST_WALL_MS;
    s->compute_scale = draw_scale(r);
    s->comm_scale = draw_scale(r);
    s->injection_scale = draw_scale(r);
    if (rarely(d, 6))
        s->queues_per_dim =
            (uint32_t)nadi_max_u64(draw_count(d, r->temper), r->temper != DRAW_WILD);
    if (rarely(d, 12))
        s->max_sim_ns = pick_size(d, 24);
    s->rendezvous = rarely(d, 10);
    s->compat = rarely(d, 16);
    if (r->model == &nadi_network_packet && rarely(d, 5))
        s->packet_compat = "ns3";
    r->keep_ops = draw_below(d, 2);
    r->keep_usage = rarely(d, 4);
    r->check = rarely(d, 4);
    r->show = rarely(d, 8);
    r->twice = rarely(d, 6);
    r->write = rarely(d, 12);
    r->why = r->write && draw_below(d, 2);
    r->sensitivity = r->why && rarely(d, 6);
}

void run_drawn_init(struct run_drawn *r, const uint8_t *bytes, size_t count, const char *folder)
{
    static const enum draw_temper tempers[] = {DRAW_PLAIN, DRAW_BOLD,  DRAW_PLAIN, DRAW_WILD,
                                               DRAW_BOLD,  DRAW_PLAIN, DRAW_PLAIN, DRAW_BOLD};
    *r = (struct run_drawn){.d = draw_from_bytes(bytes, count), .folder = folder};
    nadi_arena_init(&r->arena);
    nadi_setup_init(&r->setup);
    uint64_t models = 0;
    while (nadi_network_models[models])
        models++;
    const uint64_t model = draw_below(&r->d, models);
    r->model = nadi_network_models[model];
    r->setup.network_model = rarely(&r->d, 32) ? "auto" : r->model->name;
    r->temper = tempers[draw_below(&r->d, 8)];
    draw_setup(r);
    run_draw_network(r);
    run_draw_workload(r);
    run_draw_system(r);
    if (rarely(&r->d, 5))
        run_draw_events(r);
}

void run_drawn_release(struct run_drawn *r)
{
    if (r->has_job)
        job_release(&r->job);
    nadi_arena_release(&r->arena);
}

void run_drawn_command(const struct run_drawn *r, struct nadi_str *out)
{
    const struct nadi_setup *s = &r->setup;
    nadi_str_printf(out, "nadi run --workload %s --system %s --network %s --network-model %s",
                    s->workload, s->system, s->network, s->network_model);
    if (s->memory)
        nadi_str_printf(out, " --memory %s", s->memory);
    if (s->groups)
        nadi_str_printf(out, " --groups %s", s->groups);
    if (s->events)
        nadi_str_printf(out, " --events %s", s->events);
    nadi_str_printf(out, " --queues-per-dim %" PRIu32, s->queues_per_dim);
    nadi_str_printf(out, " --compute-scale %.9g --comm-scale %.9g --injection-scale %.9g",
                    s->compute_scale, s->comm_scale, s->injection_scale);
    if (s->max_sim_ns)
        nadi_str_printf(out, " --max-sim %" PRIu64 "ns", s->max_sim_ns);
    nadi_str_printf(out, " --max-wall %" PRIu64 "ms%s%s", s->max_wall_ms,
                    s->rendezvous ? " --rendezvous" : "", s->packet_compat ? " --compat ns3" : "");
    nadi_str_add(out, s->compat ? " (drop-in)\n" : "\n");
}
