#include "api/inside.h"
#include "api/trace_edit.h"
#include "base/file.h"
#include "base/str.h"
#include "base/units.h"
#include "generate/v1/loop_form.h"
#include "generate/v1/output.h"
#include "sim/fleet.h"

void nadi_trace_from_text_init(struct nadi_trace_from_text *options)
{
    *options = (struct nadi_trace_from_text){
        .size = sizeof(*options),
        .input = "-",
        .passes = 1,
        .carry = "auto",
        .compression = "none",
        .dialect = "auto",
    };
}

/* The place of a word among `words`; `count` with an error when it is none of them. */
static size_t word_of(const char *what, const char *word, const char *const *words, size_t count,
                      const char *hint, struct nadi_diags *messages)
{
    for (size_t i = 0; i < count; i++) {
        if (nadi_str_equal(word, words[i]))
            return i;
    }
    nadi_error(messages, "usage/word", NADI_NOWHERE, hint, "no %s is called '%s'", what,
               word ? word : "");
    return count;
}

static bool read_options(const struct nadi_trace_from_text *given, struct nadi_v1_options *o,
                         struct nadi_v1_reading *reading, struct nadi_diags *messages)
{
    static const char *const dialects[] = {"auto", "astra-sim", "simai"};
    static const char *const units[] = {"ns", "us", "ms"},
                             *const carriers[] = {"auto", "dims", "groups"},
                             *const codings[] = {"none", "gzip", "zstd"};
    static const uint64_t factors[] = {1, 1000, 1000000};
    o->converter = given->compat != NULL;
    o->passes = given->passes;
    if (given->compat && !nadi_str_equal(given->compat, "1.0.0"))
        return nadi_error(messages, "usage/word", NADI_NOWHERE, "use 1.0.0",
                          "no compatible form is called '%s'", given->compat);
    if (!given->unit && !given->compat)
        return nadi_error(messages, "usage/unit", NADI_NOWHERE,
                          "ASTRA-sim 1.0 and SimAI count ns; the Chakra converter took the same "
                          "numbers for us",
                          "the unit of the file's times must be named: ns, us or ms");
    const char *unit = given->unit ? given->unit : "us";
    const size_t u = word_of("unit of time", unit, units, 3, "use ns, us or ms", messages);
    const size_t c = word_of("way to carry collectives", given->carry, carriers, 3,
                             "use auto, dims or groups", messages);
    const size_t z =
        word_of("compression", given->compression, codings, 3, "use none, gzip or zstd", messages);
    const size_t d =
        word_of("dialect", given->dialect, dialects, 3, "use auto, astra-sim or simai", messages);
    if (u == 3 || c == 3 || z == 3 || d == 3)
        return false;
    if (given->compat && given->loop)
        return nadi_error(messages, "usage/loop", NADI_NOWHERE, "leave one of them out",
                          "the text converter %s knows no loops of files", given->compat);
    if (given->compat && u != 1)
        return nadi_error(messages, "usage/unit", NADI_NOWHERE, "leave out the unit, or --compat",
                          "the text converter 1.0.0 takes every time for us");
    *reading =
        (struct nadi_v1_reading){.header = given->header, .dialect = (enum nadi_v1_dialect)d};
    o->unit_ns = factors[u];
    o->unit_name = units[u];
    o->carry = (enum nadi_v1_carry)c;
    o->coding = (enum nadi_coding)z;
    return true;
}

/* "16x16" */
static bool parse_topology(const char *text, struct nadi_v1_shape *shape,
                           struct nadi_diags *messages)
{
    uint64_t product = 1, value = 0;
    bool digits = false, ok = true;
    shape->dim_count = 0;
    for (const char *c = text; ok; c++) {
        if (*c >= '0' && *c <= '9') {
            value = value * 10 + (uint64_t)(*c - '0');
            digits = true;
            ok = value <= INT32_MAX;
            continue;
        }
        ok = digits && value > 0 && (*c == 'x' || *c == '\0') &&
             shape->dim_count < NADI_V1_DIMS_MOST && (product *= value) <= INT32_MAX;
        if (ok)
            shape->dims[shape->dim_count++] = (uint32_t)value;
        value = 0;
        digits = false;
        if (*c == '\0')
            break;
    }
    return ok || nadi_error(messages, "usage/topology", NADI_NOWHERE,
                            "the NPUs of each dimension, innermost first, like 8x4",
                            "'%s' is no topology", text);
}

static bool find_dims(const struct nadi_trace_from_text *given, struct nadi_v1_shape *shape,
                      struct nadi_diags *messages)
{
    if ((given->topology != NULL) + (given->network != NULL) + (given->ranks != 0) > 1)
        return nadi_error(messages, "usage/topology", NADI_NOWHERE,
                          "--topology 16x16, --network FILE or --ranks 8",
                          "name the ranks in one way: a topology, a network or their number");
    shape->dim_count = 0; /* the file may say it */
    if (given->topology)
        return parse_topology(given->topology, shape, messages);
    if (given->network)
        return nadi_fleet_dims(given->network, shape->dims, &shape->dim_count, messages);
    shape->dims[0] = given->ranks;
    shape->dim_count = given->ranks != 0;
    return true;
}

static char *describe(const struct nadi_v1_workload *w, const struct nadi_v1_shape *shape,
                      const struct nadi_v1_options *o, const char *prefix,
                      const struct nadi_v1_written *written)
{
    struct nadi_str text = NADI_STR_INIT;
    char busy[32];
    nadi_str_printf(&text, "%s%s%s: %u layer%s, times in %s%s\n",
                    w->loop ? w->loop->name : nadi_v1_policy_name(w->policy),
                    w->simai ? " of SimAI" : "", w->headless ? " (no header)" : "", w->layer_count,
                    w->layer_count == 1 ? "" : "s", o->unit_name,
                    o->converter ? " as the converter has it" : "");
    nadi_str_printf(&text, "%s.0.et", prefix);
    if (shape->ranks > 1)
        nadi_str_printf(&text, " to %s.%u.et", prefix, shape->ranks - 1);
    nadi_str_printf(&text, ": %zu nodes and %s of compute a rank\n", written->nodes,
                    nadi_units_time(busy, (double)written->busy_ns));
    if (written->groups)
        nadi_str_printf(&text, "%s.groups.json: the groups, for --groups\n", prefix);
    return text.text;
}

enum nadi_status nadi_do_trace_from_text(const struct nadi_trace_from_text *given, char **report,
                                         struct nadi_diags *messages)
{
    struct nadi_trace_from_text whole = *given;
    struct nadi_v1_options options = {0};
    struct nadi_v1_shape shape = {0};
    struct nadi_v1_reading reading;
    struct nadi_v1_workload workload;
    struct nadi_v1_written written = {0};
    struct nadi_v1_loop_form loop = {.count = 0};
    if (!nadi_edit_prefix(whole.output, messages))
        return NADI_STATUS_INPUT;
    if (!read_options(&whole, &options, &reading, messages) || !find_dims(&whole, &shape, messages))
        return NADI_STATUS_INPUT;
    const bool ok = nadi_v1_read(&workload, whole.input, &reading, messages) &&
                    (!whole.loop || nadi_v1_loop_read(&loop, whole.loop, &workload, messages)) &&
                    nadi_v1_shape_find(&shape, &workload, options.converter, messages) &&
                    nadi_file_make_parent(whole.output, messages) &&
                    nadi_v1_write(&workload, &shape, &options, whole.output, &written, messages);
    if (ok)
        *report = describe(&workload, &shape, &options, whole.output, &written);
    nadi_v1_release(&workload);
    if (whole.loop)
        nadi_v1_loop_form_release(&loop);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
