#include "report/trace_diff.h"
#include "api/inside.h"
#include "api/trace_edit.h"
#include "report/messages_json.h"

void nadi_trace_diff_init(struct nadi_trace_diff *options)
{
    *options = (struct nadi_trace_diff){.size = sizeof(*options), .rows = 10};
}

struct diff {
    const struct nadi_trace_diff *o;
    struct nadi_trace_source source[2];
    struct nadi_str text;
    struct nadi_json json;
    uint32_t same; /* ranks */
    struct nadi_diags *diags;
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* --- the whole ---------------------------------------------------------------------------------
 */

static bool compare_rank(struct diff *d, uint32_t i)
{
    struct nadi_full *a = nadi_full_read(d->source[0].paths[i], d->diags);
    struct nadi_full *b = a ? nadi_full_read(d->source[1].paths[i], d->diags) : NULL;
    if (b) {
        struct nadi_compare c;
        nadi_compare_make(&c, a, b);
        d->same += nadi_compare_same(&c);
        if (d->o->json)
            nadi_trace_diff_json(&c, d->o->rows, &d->json);
        else
            nadi_trace_diff_text(&c, d->o->rows, &d->text);
        nadi_compare_release(&c);
    }
    const bool ok = b != NULL;
    nadi_full_destroy(a);
    nadi_full_destroy(b);
    return ok;
}

static bool sources_agree(const struct diff *d)
{
    if (!d->source[0].manifest != !d->source[1].manifest && d->source[0].count > 1)
        return nadi_error(d->diags, "diff/ranks", NADI_IN_FILE(d->o->second),
                          "compare manifest with manifest, or name two traces",
                          "a manifest's traces are of many ranks each, others of one");
    if (d->source[0].count != d->source[1].count)
        return nadi_error(d->diags, "diff/ranks", NADI_IN_FILE(d->o->second),
                          "compare one rank with one, or jobs of as many ranks",
                          "%u trace%s here, %u in '%s'", d->source[1].count,
                          plural(d->source[1].count), d->source[0].count, d->o->first);
    for (uint32_t i = 0; i < d->source[0].count && d->source[0].count > 1; i++) {
        if (d->source[0].ranks[i] != d->source[1].ranks[i])
            return nadi_error(d->diags, "diff/ranks", NADI_IN_FILE(d->source[1].paths[i]),
                              "compare jobs that have the same ranks",
                              "rank %u, which '%s' has not", d->source[1].ranks[i], d->o->first);
    }
    return true;
}

static bool compare_all(struct diff *d)
{
    bool ok = true;
    const uint32_t count = d->source[0].count;
    if (d->o->json) {
        nadi_json_begin(&d->json, &d->text);
        nadi_json_object(&d->json, NULL);
        nadi_json_array(&d->json, "ranks");
    }
    for (uint32_t i = 0; i < count && ok; i++)
        ok = compare_rank(d, i);
    if (d->o->json) {
        nadi_json_close(&d->json);
        nadi_json_bool(&d->json, "same", ok && d->same == count);
        nadi_json_u64(&d->json, "errors", d->diags->errors);
        nadi_json_array(&d->json, "messages");
        nadi_messages_add_json(d->diags, &d->json);
        nadi_json_close(&d->json);
        nadi_json_close(&d->json);
        nadi_json_finish(&d->json);
    } else if (ok && count > 1) {
        nadi_str_printf(&d->text, "%u of %u %s are the same\n", d->same, count,
                        d->source[0].manifest ? "traces" : "ranks");
    }
    return ok;
}

enum nadi_status nadi_do_trace_diff(const struct nadi_trace_diff *given, int *same, char **report,
                                    struct nadi_diags *messages)
{
    struct nadi_trace_diff o = *given;
    struct diff d = {.o = &o, .diags = messages};
    const bool first = nadi_trace_source_find(&d.source[0], &o.first, 1, messages);
    const bool second = nadi_trace_source_find(&d.source[1], &o.second, 1, messages);
    const bool ok = first && second && sources_agree(&d) && compare_all(&d);
    *same = ok && d.same == d.source[0].count;
    *report = d.text.text;
    nadi_trace_source_release(&d.source[0]);
    nadi_trace_source_release(&d.source[1]);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
