#include "api/inside.h"
#include "base/child.h"
#include "fleet/source.h"
#include "format/out.h"
#include "report/trace_picture.h"

enum { LAYOUT_SECONDS = 120 };

enum format { FORMAT_DOT, FORMAT_GRAPHML, FORMAT_SVG, FORMATS };

static const char *const format_names[FORMATS] = {"dot", "graphml", "svg"};

void nadi_trace_graph_init(struct nadi_trace_graph *options)
{
    *options = (struct nadi_trace_graph){
        .size = sizeof(*options), .output = "-", .distance = 2, .most = 100};
}

/* Does the name, without .gz or .zst, end in ".svg" or the like? */
static bool is_named(const char *output, const char *format)
{
    struct nadi_str name = NADI_STR_INIT, ending = NADI_STR_INIT;
    const size_t coded = nadi_str_ends(output, ".gz") ? 3 : nadi_str_ends(output, ".zst") ? 4 : 0;
    nadi_str_add_bytes(&name, output, strlen(output) - coded);
    nadi_str_printf(&ending, ".%s", format);
    const bool yes = nadi_str_ends(nadi_str_get(&name), nadi_str_get(&ending));
    nadi_str_release(&name);
    nadi_str_release(&ending);
    return yes;
}

static bool find_format(const struct nadi_trace_graph *o, enum format *format,
                        struct nadi_diags *messages)
{
    *format = FORMAT_DOT;
    for (unsigned i = 0; i < FORMATS; i++) {
        if (o->format ? nadi_str_equal(o->format, format_names[i])
                      : is_named(o->output, format_names[i])) {
            *format = (enum format)i;
            return true;
        }
    }
    return !o->format || nadi_error(messages, "usage/word", NADI_NOWHERE, "use dot, graphml or svg",
                                    "no format is called '%s'", o->format);
}

static bool lay_out(const struct nadi_str *dot, struct nadi_str *svg, struct nadi_diags *messages)
{
    static const char *const arguments[] = {"dot", "-Tsvg", NULL};
    struct nadi_str errors = NADI_STR_INIT;
    bool ok = false;
    switch (nadi_child_filter(arguments, dot, LAYOUT_SECONDS, svg, &errors)) {
    case NADI_CHILD_DONE:
        ok = true;
        break;
    case NADI_CHILD_MISSING:
        nadi_error(messages, "graph/no-graphviz", NADI_NOWHERE,
                   "install graphviz (Debian: apt-get install graphviz), or write DOT or GraphML",
                   "an SVG is laid out by graphviz, and there is no program 'dot' here");
        break;
    case NADI_CHILD_LATE:
        nadi_error(messages, "graph/late", NADI_NOWHERE, "draw less, with --most or --around",
                   "graphviz was ended after %d s", LAYOUT_SECONDS);
        break;
    case NADI_CHILD_FAILED:
    case NADI_CHILD_SYSTEM:
        nadi_error(messages, "graph/graphviz", NADI_NOWHERE, "write DOT and run graphviz on it",
                   "graphviz failed%s%.*s", errors.length ? ": " : "",
                   (int)nadi_min_u64(strcspn(nadi_str_get(&errors), "\n"), 200),
                   nadi_str_get(&errors));
        break;
    }
    nadi_str_release(&errors);
    return ok;
}

/* What the picture does not show is said, not silent. */
static void say_what_is_left_out(const struct nadi_picture *p, const char *path,
                                 struct nadi_diags *messages)
{
    if (p->boxes.count < p->candidates)
        nadi_note(messages, "graph/most", NADI_IN_FILE(path),
                  "--most draws more; --operator or --around draw a part of it",
                  "%zu of %zu boxes are drawn, the heaviest; dotted edges lead over the others",
                  p->boxes.count, p->candidates);
}

static bool write_text(const char *path, const struct nadi_str *text, struct nadi_diags *messages)
{
    struct nadi_out *sink = nadi_out_open(path, nadi_coding_of(path), messages);
    if (!sink)
        return false;
    nadi_out_bytes(sink, nadi_str_get(text), text->length);
    return nadi_out_close(sink, messages);
}

static bool draw(const struct nadi_trace_graph *o, const struct nadi_full *f, enum format format,
                 struct nadi_str *text, struct nadi_diags *messages)
{
    const struct nadi_picture_choice choice = {
        .pattern = o->pattern,
        .around = o->around,
        .step = o->step,
        .distance = o->distance,
        .expand = o->expand != 0,
        .most = o->most,
    };
    struct nadi_picture picture;
    struct nadi_str dot = NADI_STR_INIT;
    bool ok = nadi_picture_make(&picture, f, &choice, messages);
    if (ok) {
        say_what_is_left_out(&picture, f->path, messages);
        if (format == FORMAT_GRAPHML)
            nadi_picture_graphml(&picture, f, text);
        else
            nadi_picture_dot(&picture, f, o->inputs.names[0], format == FORMAT_DOT ? text : &dot);
        ok = format != FORMAT_SVG || lay_out(&dot, text, messages);
    }
    nadi_str_release(&dot);
    nadi_picture_release(&picture);
    return ok;
}

enum nadi_status nadi_do_trace_graph(const struct nadi_trace_graph *given,
                                     struct nadi_diags *messages)
{
    struct nadi_trace_graph options = *given;
    struct nadi_trace_source source;
    enum format format;
    if (!find_format(&options, &format, messages))
        return NADI_STATUS_INPUT;
    bool ok = nadi_trace_source_one(&source, options.inputs.names, options.inputs.count, messages);
    if (ok) {
        struct nadi_str text = NADI_STR_INIT;
        struct nadi_full *f = nadi_full_read(source.paths[0], messages);
        ok = f && draw(&options, f, format, &text, messages) &&
             write_text(options.output, &text, messages);
        nadi_full_destroy(f);
        nadi_str_release(&text);
    }
    nadi_trace_source_release(&source);
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
