#include "synthesize/synth_report.h"

#include "base/units.h"
#include "collective/verify.h"
#include "explore/collective_files.h"
#include "inputs/network_file.h"
#include "sim/run.h"

enum {
    FEW = 32,
    MANY = 256, /* NPUs above which algorithms of n^2 messages are not tried unasked */
};

struct making {
    const struct nadi_synth_order *order;
    struct nadi_graph_file file;
    struct nadi_synth_net net;
    struct nadi_synth synth;
    struct nadi_table table;
    double ns;      /* simulated */
    double plan_ns; /* as planned; negative: it is one of the algorithms that there are */
    uint32_t tries;
    nadi_time bound;
    const char
        *taken;      /* word of the algorithm whose steps are faster than every plan; NULL: none */
    double taken_ns; /* by its word in a system file; `ns` is that of its steps as a file */
    double own_ns;   /* then: the best plan */
    struct nadi_collective_bench bench;
    bool compared;
};

static bool find_kind(const char *word, enum nadi_collective_kind *kind, struct nadi_diags *diags)
{
    const bool known = nadi_collective_find(word, kind);
    if (known && (*kind == NADI_ALL_GATHER || *kind == NADI_REDUCE_SCATTER ||
                  *kind == NADI_ALL_REDUCE || *kind == NADI_ALL_TO_ALL))
        return true;
    return nadi_error(diags, "synth/kind", NADI_NOWHERE,
                      "all-gather, reduce-scatter, all-reduce or all-to-all",
                      known ? "'%s' cannot be synthesised" : "'%s' is no collective", word);
}

static struct nadi_lone_collective lone_of(const struct making *m)
{
    const bool part = m->synth.kind == NADI_ALL_GATHER;
    return (struct nadi_lone_collective){
        .kind = m->synth.kind,
        .bytes = part ? nadi_max_u64(m->order->bytes / m->net.n, 1) : m->order->bytes,
        .table = &m->table,
    };
}

static struct nadi_run_options options_of(const struct making *m)
{
    return (struct nadi_run_options){.network = m->order->topology,
                                     .network_model = nadi_network_sharing,
                                     .injection_scale = 1,
                                     .compute_scale = 1,
                                     .comm_scale = 1};
}

/* Errors only: what is not set in a system file that is not there is no news. */
static void pass_errors(struct nadi_diags *own, struct nadi_diags *diags)
{
    for (size_t i = 0; i < own->count; i++)
        if (own->items[i].severity == NADI_ERROR)
            nadi_diags_add(diags, NADI_ERROR, own->items[i].code, own->items[i].place,
                           own->items[i].hint, "%s", own->items[i].message);
    nadi_diags_release(own);
}

/* How long it takes on the network, messages sharing links. */
static bool simulate(struct making *m, struct nadi_diags *diags)
{
    struct nadi_diags own;
    nadi_diags_init(&own);
    const struct nadi_lone_collective lone = lone_of(m);
    struct nadi_run_options options = options_of(m);
    struct nadi_inputs in;
    struct nadi_result r;
    options.lone = &lone;
    bool ok = nadi_inputs_load(&in, &options, &own);
    if (ok) {
        nadi_simulate(&in, NULL, &r);
        ok = r.outcome == NADI_OUTCOME_DONE;
        if (!ok)
            nadi_error(&own, "synth/unfinished", NADI_NOWHERE, NULL,
                       "the synthesised algorithm did not finish in the simulation");
        m->ns = (double)r.end_ns;
        nadi_result_release(&r);
    }
    nadi_inputs_release(&in);
    pass_errors(&own, diags);
    return ok;
}

/* The algorithms that there are, on the same network. */
static bool compare(struct making *m, struct nadi_diags *diags)
{
    static const char few[] = "oneRing,oneMultiRing,oneRabenseifner,oneTorus,oneHierarchical";
    static const char all[] =
        "oneRing,oneMultiRing,oneMultiRing4,oneDirect,onePairwise,oneBruck,oneRecursiveDoubling,"
        "oneRabenseifner,oneDoubleTree,oneDoubleTree8,onePat,oneTorus,oneHierarchical,ring,direct,"
        "halvingDoubling";
    static const char some_exchange[] = "onePairwise,oneBruck",
                      exchange[] = "oneDirect,onePairwise,oneBruck,direct";
    const char *words = m->order->against;
    if (words && strcmp(words, "none") == 0)
        return true;
    const bool large = m->net.n > MANY;
    if (!words && m->synth.kind == NADI_ALL_TO_ALL)
        words = large ? some_exchange : exchange;
    else if (!words)
        words = large ? few : all;
    const struct nadi_collective_bench_request q = {
        .options = options_of(m),
        .kinds = m->order->kind,
        .algorithms = words,
        .first_bytes = m->order->bytes,
        .last_bytes = m->order->bytes,
        .factor = 2,
    };
    struct nadi_diags own;
    nadi_diags_init(&own);
    m->compared = nadi_collective_bench_run(&m->bench, &q, m->order->against ? diags : &own);
    if (!m->compared)
        nadi_collective_bench_release(&m->bench);
    nadi_diags_release(&own);
    return m->compared || !m->order->against;
}

static bool prove(const struct making *m, struct nadi_diags *diags)
{
    struct nadi_table_file f = {.table = m->table, .path = "the synthesised algorithm"};
    nadi_arena_init(&f.arena);
    const bool right = nadi_table_prove(&f, diags);
    nadi_arena_release(&f.arena);
    return right;
}

/* ---- report ---------------------------------------------------------------------------------- */

static const struct nadi_collective_bench_row *best_of(const struct making *m)
{
    const struct nadi_collective_bench_row *best = NULL;
    for (size_t i = 0; m->compared && i < m->bench.count; i++)
        if (!best || m->bench.items[i].ns < best->ns)
            best = &m->bench.items[i];
    return best;
}

static void add_line(struct nadi_str *out, const char *what, double ns, double than)
{
    char time[32];
    nadi_str_printf(out, "  %-28s %14s", what, nadi_units_time(time, ns));
    if (than > 0)
        nadi_str_printf(out, "  %7.3f", ns / than);
    nadi_str_add_char(out, '\n');
}

static void add_policy(const struct making *m, struct nadi_str *out)
{
    static const char *const near[] = {
        [NADI_SYNTH_FLAT] = "all links alike",
        [NADI_SYNTH_RING] = "to the next NPU only",
        [NADI_SYNTH_PATIENT] = "slow links first, and only for what is not near",
        [NADI_SYNTH_EAGER] = "slow links first",
    };
    const struct nadi_synth_policy *p = &m->synth.policy;
    if (p->at_once) {
        nadi_str_printf(out, "  best of %u tries: everything straight, at once\n", m->tries);
        return;
    }
    nadi_str_printf(out, "  best of %u tries: %u %s, ", m->tries, p->per,
                    p->per == 1 ? "chunk a part" : "chunks a part");
    if (p->batch == 0)
        nadi_str_add(out, "as many a message as help");
    else
        nadi_str_printf(out, "up to %u a message", p->batch);
    nadi_str_printf(out, ", %u %s a port at once,\n  %s, ties %s\n", p->split,
                    p->split == 1 ? "message" : "messages", near[p->nearness],
                    p->ordered ? "by number" : "drawn");
}

static void add_text(const struct making *m, struct nadi_str *out)
{
    char size[32], rate[32];
    const double bytes = (double)m->order->bytes, bound = (double)m->bound / 1e3;
    const double own = m->taken ? m->own_ns : m->ns;
    nadi_str_printf(out, "%s of %s on %u NPUs, %zu messages of a plan\n",
                    nadi_collective_label(m->synth.kind), nadi_units_bytes(size, bytes), m->net.n,
                    m->synth.plan.sends.count);
    add_policy(m, out);
    nadi_str_printf(out, "\n  %-28s %14s  %7s\n", "network model flow", "time", "factor");
    add_line(out, "synthesised", own, own);
    add_line(out, "as planned", m->plan_ns, own);
    add_line(out, "lower bound", bound, own);
    const struct nadi_collective_bench_row *best = best_of(m);
    for (size_t i = 0; m->compared && i < m->bench.count; i++)
        add_line(out, m->bench.items[i].algorithm, m->bench.items[i].ns, own);
    nadi_str_add_char(out, '\n');
    if (m->taken)
        nadi_str_printf(out, "  %s is faster than every plan: it is what is proved and written\n",
                        m->taken);
    if (m->taken && (m->ns < m->taken_ns || m->ns > m->taken_ns))
        nadi_str_printf(out,
                        "  %s as its steps in a file, without the delays of `%s`'s own engine\n",
                        nadi_units_time(size, m->ns), m->taken);
    if (!m->taken && best)
        nadi_str_printf(out, "  the best other, %s, takes %.3f times as long\n", best->algorithm,
                        best->ns / own);
    nadi_str_printf(out, "  algorithm bandwidth %s, %.1f %% of what the bound allows\n",
                    nadi_units_rate(rate, m->ns > 0 ? bytes / m->ns * 1e9 : 0),
                    m->ns > 0 ? bound / m->ns * 100 : 0);
}

static void add_row(const struct making *m, const char *name, double ns, struct nadi_str *out)
{
    const double own = m->taken ? m->own_ns : m->ns;
    nadi_str_printf(out, "%s,%s,%u,%" PRIu64 ",%.3f,%.6g\n", nadi_collective_label(m->synth.kind),
                    name, m->net.n, m->order->bytes, ns, own > 0 ? ns / own : 1);
}

static void add_rows(const struct making *m, struct nadi_str *out)
{
    nadi_str_add(out, "collective,algorithm,npus,size_bytes,time_ns,factor\n");
    add_row(m, "synthesised", m->taken ? m->own_ns : m->ns, out);
    add_row(m, "planned", m->plan_ns, out);
    add_row(m, "bound", (double)m->bound / 1e3, out);
    for (size_t i = 0; m->compared && i < m->bench.count; i++)
        add_row(m, m->bench.items[i].algorithm, m->bench.items[i].ns, out);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Keeps the plan if it is faster than what there is. */
static bool hold(struct making *m, struct nadi_synth *synth, struct nadi_diags *diags)
{
    const struct nadi_table old = m->table;
    const double old_ns = m->ns;
    nadi_synth_table(synth, &m->net, &m->table);
    m->tries += synth->tries;
    const bool ok = simulate(m, diags), better = ok && (old_ns < 0 || m->ns < old_ns);
    struct nadi_table lost = better ? old : m->table;
    struct nadi_synth loser = better ? m->synth : *synth;
    if (better)
        m->synth = *synth;
    m->table = better ? m->table : old;
    m->ns = better ? m->ns : old_ns;
    nadi_table_release(&lost);
    nadi_synth_release(&loser);
    return ok;
}

/* A plan of each style, simulated: plans know nothing of fair shares. Large networks get one. */
static bool plan(struct making *m, struct nadi_synth_request *q, struct nadi_diags *diags)
{
    const bool large = m->net.n > MANY;
    m->ns = -1;
    m->synth.kind = q->kind;
    for (int s = large ? NADI_SYNTH_ANY : NADI_SYNTH_ONE_BY_ONE; s < NADI_SYNTH_STYLES; s++) {
        struct nadi_synth synth;
        q->style = (enum nadi_synth_style)s;
        if (s == NADI_SYNTH_AT_ONCE && q->kind == NADI_ALL_REDUCE && m->net.n > FEW)
            continue; /* n^3 waits */
        if (nadi_synth_run(&synth, &m->net, q) ? !hold(m, &synth, diags) : false)
            return false;
        if (large)
            break;
    }
    m->plan_ns = m->synth.policy.at_once ? m->ns : (double)m->synth.plan.end / 1e3;
    return true;
}

/* Can the form that is written say that steps send ahead? */
static bool says_ahead(const struct nadi_synth_order *o)
{
    if (o->form != NADI_TABLE_NO_FORM)
        return o->form == NADI_TABLE_OWN;
    return !o->out || !nadi_str_ends(o->out, ".xml");
}

/* The steps of an algorithm that there is, simulated as a file of them plays: kept where they are
 * faster than what is held. */
static bool try_steps(struct making *m, const struct nadi_collective_bench_row *row,
                      struct nadi_diags *diags)
{
    struct nadi_program_request q = {
        .kind = m->synth.kind, .n = m->net.n, .bytes = m->order->bytes};
    struct nadi_program p;
    for (uint32_t d = 0; d < m->file.dim_count; d++)
        if (m->file.dims[d] > 1)
            q.dims[q.dim_count++] = m->file.dims[d];
    char *word = nadi_arena_strdup(&m->bench.arena, row->algorithm + strlen("one"));
    word[0] |= 0x20; /* "oneRing" is "ring" of all members */
    if (nadi_collective_program(word, &q, &m->bench.arena, &p))
        return true;
    struct nadi_table old = m->table;
    const double old_ns = m->ns;
    nadi_table_of_program(&m->table, &p);
    m->table.shape.sends_ahead &= says_ahead(m->order);
    const bool ok = simulate(m, diags), better = ok && m->ns < old_ns;
    struct nadi_table lost = better ? old : m->table;
    if (better) {
        m->taken = row->algorithm;
        m->taken_ns = row->ns;
    } else {
        m->table = old;
        m->ns = old_ns;
    }
    nadi_table_release(&lost);
    return ok;
}

/* Where steps of an algorithm that there is beat every plan, they are what is written. */
static bool take_better(struct making *m, struct nadi_diags *diags)
{
    bool ok = true;
    m->own_ns = m->ns;
    for (size_t i = 0; m->compared && i < m->bench.count && ok; i++)
        if (m->bench.items[i].ns < m->own_ns && nadi_str_starts(m->bench.items[i].algorithm, "one"))
            ok = try_steps(m, &m->bench.items[i], diags);
    return ok;
}

static bool make(struct making *m, struct nadi_str *out, struct nadi_diags *diags)
{
    const struct nadi_synth_order *o = m->order;
    struct nadi_synth_request q = {
        .bytes = (double)o->bytes, .chunks = o->chunks, .tries = o->tries, .seed = o->seed};
    if (!find_kind(o->kind, &q.kind, diags) || !nadi_synth_net_init(&m->net, &m->file, diags) ||
        !plan(m, &q, diags) || !compare(m, diags) || !take_better(m, diags) || !prove(m, diags))
        return false;
    m->bound = nadi_synth_bound(&m->net, &m->file.graph, q.kind, q.bytes);
    (o->csv ? add_rows : add_text)(m, out);
    return !o->out || nadi_collective_write(&m->table, m->taken ? m->taken : "synthesised", o->out,
                                            o->form, o->bytes, diags);
}

bool nadi_synth_make(const struct nadi_synth_order *order, struct nadi_str *out,
                     struct nadi_diags *diags)
{
    struct making m = {.order = order};
    bool ok = nadi_network_file_open(&m.file, order->topology, diags);
    ok = ok && make(&m, out, diags);
    if (m.compared)
        nadi_collective_bench_release(&m.bench);
    nadi_table_release(&m.table);
    nadi_synth_release(&m.synth);
    nadi_synth_net_release(&m.net);
    nadi_graph_file_release(&m.file);
    return ok;
}
