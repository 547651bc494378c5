/* Any bytes as a simulator's log: at least one error, or spans that end after they began, and a
 * timeline of them. */
#include "report/trace_timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void draw(const struct nadi_issue_log *log)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_out *sink = nadi_out_memory(&text, NADI_CODING_PLAIN);
    static struct nadi_trace_timeline_writer w;
    nadi_timeline_json_begin(&w, sink);
    nadi_timeline_json_log(&w, log, 1000);
    nadi_timeline_json_end(&w);
    NADI_ASSERT(nadi_out_close(sink, &diags));
    NADI_ASSERT(nadi_str_ends(nadi_str_get(&text), "]}\n"));
    nadi_str_release(&text);
    nadi_diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_issue_log log;
    nadi_diags_init(&diags);
    const bool ok = nadi_issue_log_parse(&log, "fuzz.log", (const char *)data, size, &diags);
    NADI_ASSERT(ok ? log.issues.count > 0 : diags.errors > 0);
    for (size_t i = 0; ok && i < log.issues.count; i++)
        NADI_ASSERT(log.issues.items[i].end >= log.issues.items[i].start);
    if (ok)
        draw(&log);
    nadi_issue_log_release(&log);
    nadi_diags_release(&diags);
    return 0;
}
