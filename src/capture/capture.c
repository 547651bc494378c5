#include "capture/capture.h"

#include "capture/chakra_write.h"
#include "capture/linked.h"

uint32_t nadi_capture_rank(const struct nadi_kineto *k)
{
    if (k->distributed == NADI_NONE)
        return NADI_NONE;
    struct nadi_pull s = nadi_pull_of(nadi_names_get(&k->names, k->distributed),
                                      nadi_names_bytes(&k->names, k->distributed));
    struct nadi_view key;
    int64_t rank = -1;
    if (!nadi_pull_open(&s, '{'))
        return NADI_NONE;
    while (nadi_pull_key(&s, &key)) {
        struct nadi_value v;
        if (!nadi_pull_value(&s, &v))
            return NADI_NONE;
        if (NADI_VIEW_IS(key, "rank") && !nadi_value_integer(&v, &rank))
            rank = -1;
    }
    return rank >= 0 && rank < NADI_NONE ? (uint32_t)rank : NADI_NONE;
}

static const char *path_of(const struct nadi_capture *c)
{
    return c->options.linked ? c->options.linked : c->options.device;
}

static bool read_linked(struct nadi_capture *c, struct nadi_text *text, struct nadi_diags *diags)
{
    uint32_t rank;
    bool good = nadi_linked_read(text, &c->host, &c->kineto, &c->match, &rank, diags);
    if (good && c->options.rank == NADI_NONE)
        c->options.rank = rank;
    return good;
}

static bool read_texts(struct nadi_capture *c, const struct nadi_capture_texts *texts,
                       struct nadi_diags *diags)
{
    c->has_host = texts->host || texts->linked;
    if (texts->linked)
        return read_linked(c, texts->linked, diags);
    if (!nadi_kineto_read(&c->kineto, texts->device, diags))
        return false;
    nadi_kineto_drop_far(&c->kineto, texts->device->path, diags);
    return !texts->host || nadi_host_read(&c->host, texts->host, diags);
}

static bool check_rank(struct nadi_capture *c, struct nadi_diags *diags)
{
    uint32_t said = nadi_capture_rank(&c->kineto);
    c->rank = c->options.rank != NADI_NONE ? c->options.rank : said != NADI_NONE ? said : 0;
    if (said == NADI_NONE || said == c->rank)
        return true;
    struct nadi_place place = NADI_IN_FILE(path_of(c));
    static const char hint[] = "name the files of one rank; --force imports it all the same";
    if (!c->options.force)
        return nadi_error(diags, "capture/rank", place, hint,
                          "this profile is of rank %" PRIu32 ", not of rank %" PRIu32, said,
                          c->rank);
    nadi_warning(diags, "capture/rank", place, NULL,
                 "this profile is of rank %" PRIu32 ", used for rank %" PRIu32, said, c->rank);
    return true;
}

int64_t nadi_capture_host_process(const struct nadi_capture *c)
{
    int64_t process;
    struct nadi_value v = {NADI_VALUE_NUMBER, nadi_host_member(&c->host, "pid")};
    return c->has_host && v.text.at && nadi_value_integer(&v, &process) ? process : -1;
}

/* The same program run twice has the same operators: then only this tells. */
static void compare_processes(const struct nadi_capture *c, struct nadi_diags *diags)
{
    int64_t host = nadi_capture_host_process(c), device = c->kineto.process;
    if (host >= 0 && device >= 0 && host != device)
        nadi_note(diags, "capture/process", NADI_IN_FILE(path_of(c)),
                  "make sure that they are of the same rank",
                  "the execution trace is of process %" PRId64 ", the profile of process %" PRId64
                  ": two ranks, or two runs",
                  host, device);
}

/* Do the two files belong together? */
static bool check_match(struct nadi_capture *c, struct nadi_diags *diags)
{
    const struct nadi_match *m = &c->match;
    struct nadi_place place = NADI_IN_FILE(path_of(c));
    char method[64];
    if (m->trusted) {
        if (m->method == NADI_MATCH_ORDER)
            nadi_warning(diags, "capture/by-order", place,
                         "collect the profile with PyTorch 2.1 or later while the "
                         "ExecutionTraceObserver is on",
                         "no ids in common with the execution trace: %" PRIu64
                         " operators are linked by their order among those of their name",
                         m->agreed);
        return true;
    }
    static const char hint[] = "are both of one run and one rank? --force links what agrees; "
                               "without --host the profile is imported alone";
    if (!c->options.force)
        return nadi_error(diags, "capture/mismatch", place, hint,
                          "the profile and the execution trace do not belong together: of %" PRIu64
                          " operators with one id %" PRIu64 " have one name (by %s; %" PRIu64
                          " operators in the trace, %" PRIu64 " in the profile)",
                          m->same_id, m->agreed, nadi_match_text(m, method), m->host_ops,
                          m->profile_ops);
    nadi_warning(diags, "capture/mismatch", place, NULL,
                 "forced: only %" PRIu64 " of %" PRIu64 " operators are linked to the trace",
                 m->agreed, m->profile_ops);
    return true;
}

static const struct nadi_host *host_of(const struct nadi_capture *c)
{
    return c->has_host ? &c->host : NULL;
}

static const struct nadi_match *match_of(const struct nadi_capture *c)
{
    return c->has_host ? &c->match : NULL;
}

static void work_out(struct nadi_capture *c)
{
    nadi_device_build(&c->device, &c->kineto);
    struct nadi_timeline_calls calls = {c->device.launch_end, c->device.waits};
    nadi_timeline_build(&c->timeline, &c->kineto, &calls);
    nadi_device_attach(&c->device, &c->timeline);
    nadi_sync_find(&c->sync, &c->timeline, &c->device);
    nadi_delays_find(&c->delays, &c->sync, &c->timeline, &c->device, c->options.resolution_ns);
    nadi_groups_book_init(&c->book);
    nadi_groups_collect(&c->book, host_of(c), &c->kineto);
}

static bool parse(struct nadi_capture *c, const struct nadi_capture_texts *texts,
                  struct nadi_diags *diags)
{
    const char *host = c->options.linked ? c->options.linked : c->options.host;
    if (!read_texts(c, texts, diags) || !check_rank(c, diags) ||
        (c->has_host && !nadi_host_check_ids(&c->host, host, c->options.force, diags)))
        return false;
    if (c->has_host && !texts->linked) {
        nadi_match(&c->match, &c->host, &c->kineto);
        if (!check_match(c, diags))
            return false;
        compare_processes(c, diags);
    }
    work_out(c);
    if (c->timeline.op_count || c->device.work_count)
        return true;
    return nadi_error(diags, "capture/empty", NADI_IN_FILE(path_of(c)),
                      "profile with ProfilerActivity.CPU and, where there is one, the device",
                      "the profile has neither operators nor device work");
}

bool nadi_capture_parse(struct nadi_capture *c, const struct nadi_capture_options *options,
                        const struct nadi_capture_texts *texts, struct nadi_diags *diags)
{
    *c = (struct nadi_capture){.options = *options, .host.text.fd = -1};
    return parse(c, texts, diags);
}

bool nadi_capture_read(struct nadi_capture *c, const struct nadi_capture_options *o,
                       struct nadi_diags *diags)
{
    struct nadi_text host = {.fd = -1}, device = {.fd = -1}, linked = {.fd = -1};
    struct nadi_capture_texts texts = {
        o->host && !o->linked ? &host : NULL,
        o->linked ? NULL : &device,
        o->linked ? &linked : NULL,
    };
    *c = (struct nadi_capture){.options = *o, .host.text.fd = -1};
    bool good = (!texts.host || nadi_text_open(&host, o->host, true, diags)) &&
                (!texts.device || nadi_text_open(&device, o->device, false, diags)) &&
                (!texts.linked || nadi_text_open(&linked, o->linked, true, diags)) &&
                parse(c, &texts, diags);
    nadi_text_release(&host);
    nadi_text_release(&device);
    nadi_text_release(&linked);
    return good;
}

void nadi_capture_build(struct nadi_capture *c, struct nadi_diags *diags)
{
    struct nadi_comm_sources comm = {&c->timeline, &c->device, host_of(c), match_of(c), &c->book};
    nadi_comm_find(&c->comm, &comm);
    nadi_work_costs_find(&c->costs, &c->timeline, &c->device, host_of(c), match_of(c));
    struct nadi_graph_sources sources = {&c->timeline,
                                         &c->device,
                                         &c->sync,
                                         &c->comm,
                                         &c->delays,
                                         path_of(c),
                                         c->options.resolution_ns};
    nadi_built_graph_make(&c->graph, &sources, diags);
}

void nadi_capture_write(const struct nadi_capture *c, struct nadi_out *out)
{
    struct nadi_chakra_sources sources = {
        .graph = &c->graph,
        .timeline = &c->timeline,
        .device = &c->device,
        .comm = &c->comm,
        .costs = &c->costs,
        .book = &c->book,
        .host = host_of(c),
        .match = match_of(c),
        .rank = c->rank,
    };
    nadi_chakra_write(out, &sources);
}

void nadi_capture_link(const struct nadi_capture *c, struct nadi_out *out)
{
    struct nadi_linked_sources sources = {&c->host,     &c->kineto, &c->match,
                                          &c->timeline, &c->device, c->rank};
    nadi_linked_write(out, &sources);
}

void nadi_capture_release(struct nadi_capture *c)
{
    nadi_built_graph_release(&c->graph);
    nadi_work_costs_release(&c->costs);
    nadi_comm_release(&c->comm);
    nadi_groups_book_release(&c->book);
    nadi_delays_release(&c->delays);
    nadi_sync_release(&c->sync);
    nadi_timeline_release(&c->timeline);
    nadi_device_release(&c->device);
    nadi_match_release(&c->match);
    nadi_kineto_release(&c->kineto);
    nadi_host_release(&c->host);
}
