/* api_traces: cases of captures and traces: looks, pictures, changes, jobs made of them. */
#include "base/base.h"
#include "support/api_place.h"

#include <nadi/import.h>
#include <nadi/trace_edit.h>

enum nadi_status api_capture(const struct api_place *p)
{
    struct nadi_trace_import import;
    char files[3][PATH_BYTES], *report = NULL;
    nadi_trace_import_init(&import);
    import.host = api_in_folder(files[0], p->in, "host.{rank}.json");
    import.device = api_in_folder(files[1], p->in, "device.{rank}.json");
    import.output = api_in_folder(files[2], p->out, "imported");
    import.threads = 2;
    struct nadi_diags *m = nadi_messages_create();
    const enum nadi_status status = nadi_trace_import(&import, &report, m);
    api_say(p, report);
    return api_end(p, status, false, m);
}

enum nadi_status api_capture_twice(const struct api_place *p)
{
    struct nadi_trace_link link;
    struct nadi_trace_convert convert;
    char files[4][PATH_BYTES], *report = NULL, *second = NULL;
    nadi_trace_link_init(&link);
    nadi_trace_convert_init(&convert);
    link.host = api_in_folder(files[0], p->in, "host.0.json");
    link.device = api_in_folder(files[1], p->in, "device.0.json");
    convert.input = link.output = api_in_folder(files[2], p->out, "linked.json.gz");
    convert.output = api_in_folder(files[3], p->out, "converted.et.zst");
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_trace_link(&link, &report, m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_convert(&convert, &second, m);
    api_say(p, report);
    api_say(p, second);
    return api_end(p, status, false, m);
}

enum nadi_status api_trace_looks(const struct api_place *p)
{
    char trace[PATH_BYTES], lines[PATH_BYTES], packed[PATH_BYTES], *texts[3] = {NULL};
    const char *const names[] = {api_in_folder(trace, p->in, "step")};
    const struct nadi_trace_inputs inputs = {names, 1};
    struct nadi_trace_info info;
    struct nadi_trace_check check;
    struct nadi_trace_diff diff;
    struct nadi_trace_show show;
    struct nadi_trace_pack pack;
    char first[PATH_BYTES];
    int same;
    nadi_trace_info_init(&info);
    nadi_trace_check_init(&check);
    nadi_trace_diff_init(&diff);
    nadi_trace_show_init(&show);
    nadi_trace_pack_init(&pack);
    info.inputs = check.inputs = inputs;
    info.format = "json";
    diff.first = show.input = api_in_folder(first, p->in, "step.0.et");
    diff.second = pack.output = api_in_folder(packed, p->out, "packed.et.gz");
    pack.input = show.output = api_in_folder(lines, p->out, "lines.jsonl.zst");
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_trace_info(&info, &texts[0], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_check(&check, &texts[1], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_show(&show, m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_pack(&pack, m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_diff(&diff, &same, &texts[2], m);
    for (size_t i = 0; i < 3; i++)
        api_say(p, texts[i]);
    return api_end(p, status, false, m);
}

enum nadi_status api_trace_pictures(const struct api_place *p)
{
    char trace[PATH_BYTES], dot[PATH_BYTES], json[PATH_BYTES];
    const char *const names[] = {api_in_folder(trace, p->in, "step.0.et")};
    struct nadi_trace_graph graph;
    struct nadi_trace_timeline timeline;
    nadi_trace_graph_init(&graph);
    nadi_trace_timeline_init(&timeline);
    graph.inputs = timeline.inputs = (struct nadi_trace_inputs){names, 1};
    graph.output = api_in_folder(dot, p->out, "graph.graphml");
    timeline.output = api_in_folder(json, p->out, "timeline.json");
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_trace_graph(&graph, m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_timeline(&timeline, m);
    return api_end(p, status, false, m);
}

enum nadi_status api_trace_changes(const struct api_place *p)
{
    char trace[PATH_BYTES], output[4][PATH_BYTES], *texts[4] = {NULL};
    const char *const names[] = {api_in_folder(trace, p->in, "step.0.et")};
    const struct nadi_trace_inputs inputs = {names, 1};
    struct nadi_trace_slice slice;
    struct nadi_trace_filter filter;
    struct nadi_trace_merge merge;
    struct nadi_trace_repair repair;
    nadi_trace_slice_init(&slice);
    nadi_trace_filter_init(&filter);
    nadi_trace_merge_init(&merge);
    nadi_trace_repair_init(&repair);
    slice.edit.inputs = filter.edit.inputs = merge.edit.inputs = repair.edit.inputs = inputs;
    slice.edit.output = api_in_folder(output[0], p->out, "slice.et");
    filter.edit.output = api_in_folder(output[1], p->out, "filter.et");
    merge.edit.output = api_in_folder(output[2], p->out, "merge.et");
    repair.edit.output = api_in_folder(output[3], p->out, "repair.et");
    slice.last_id = 3;
    filter.drop_name = "^comp.*[0-9]$";
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_trace_slice(&slice, &texts[0], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_filter(&filter, &texts[1], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_merge(&merge, &texts[2], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_repair(&repair, &texts[3], m);
    for (size_t i = 0; i < 4; i++)
        api_say(p, texts[i]);
    return api_end(p, status, false, m);
}

enum nadi_status api_trace_jobs(const struct api_place *p)
{
    char trace[PATH_BYTES], text[PATH_BYTES], output[3][PATH_BYTES], *texts[3] = {NULL};
    const char *const names[] = {api_in_folder(trace, p->in, "step")};
    struct nadi_trace_anonymize anonymize;
    struct nadi_trace_dedup dedup;
    struct nadi_trace_from_text from_text;
    nadi_trace_anonymize_init(&anonymize);
    nadi_trace_dedup_init(&dedup);
    nadi_trace_from_text_init(&from_text);
    anonymize.edit.inputs = dedup.edit.inputs = (struct nadi_trace_inputs){names, 1};
    anonymize.edit.output = api_in_folder(output[0], p->out, "anonymous");
    anonymize.key = "key";
    dedup.edit.output = api_in_folder(output[1], p->out, "dedup");
    from_text.input = api_in_folder(text, p->in, "micro.txt");
    from_text.output = api_in_folder(output[2], p->out, "from-text");
    from_text.unit = "us";
    from_text.ranks = 4;
    struct nadi_diags *m = nadi_messages_create();
    enum nadi_status status = nadi_trace_anonymize(&anonymize, &texts[0], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_dedup(&dedup, &texts[1], m);
    if (status == NADI_STATUS_DONE)
        status = nadi_trace_from_text(&from_text, &texts[2], m);
    for (size_t i = 0; i < 3; i++)
        api_say(p, texts[i]);
    return api_end(p, status, false, m);
}
