#include "report/trace_picture.h"

#include "base/units.h"
#include "format/utf8.h"
#include "report/markup.h"

enum { LABEL_COLUMNS = 34 };

/* What a box is drawn as. */
struct look {
    const char *name, *fill, *border;
};

enum look_kind {
    LOOK_HOST,
    LOOK_COMPUTE,
    LOOK_COLLECTIVE,
    LOOK_SEND,
    LOOK_RECEIVE,
    LOOK_MEMORY,
    LOOK_OTHER,
    LOOKS
};

static const struct look looks[LOOKS] = {
    [LOOK_HOST] = {"host", "#eceff1", "#78909c"},
    [LOOK_COMPUTE] = {"compute", "#c8e6c9", "#388e3c"},
    [LOOK_COLLECTIVE] = {"collective", "#bbdefb", "#1976d2"},
    [LOOK_SEND] = {"send", "#d1c4e9", "#5e35b1"},
    [LOOK_RECEIVE] = {"receive", "#ede7f6", "#5e35b1"},
    [LOOK_MEMORY] = {"memory", "#ffe0b2", "#f57c00"},
    [LOOK_OTHER] = {"other", "#ffffff", "#9e9e9e"},
};

static const char critical_colour[] = "#d50000";

static enum look_kind look_of(const struct nadi_picture_box *box, const struct nadi_full *f)
{
    switch (box->stream.kind) {
    case NADI_STREAM_HOST:
        return LOOK_HOST;
    case NADI_STREAM_DEVICE:
        return LOOK_COMPUTE;
    case NADI_STREAM_COMM:
        return f->nodes[box->first].type == NADI_NODE_SEND   ? LOOK_SEND
               : f->nodes[box->first].type == NADI_NODE_RECV ? LOOK_RECEIVE
                                                             : LOOK_COLLECTIVE;
    case NADI_STREAM_MEMORY:
        return LOOK_MEMORY;
    case NADI_STREAM_NONE:
    case NADI_STREAM_KINDS:
        break;
    }
    return LOOK_OTHER;
}

/* Valid UTF-8 without control characters; of what is longer than `columns` the middle is left
 * out. 0: any length. */
static void add_clean(struct nadi_str *out, const struct nadi_full_node *n, size_t columns)
{
    struct nadi_str text = NADI_STR_INIT, clean = NADI_STR_INIT;
    nadi_str_add_bytes(&text, n->name, n->name_bytes);
    for (const char *c = nadi_str_get(&text); *c;) {
        const size_t length = nadi_utf8_length(c);
        if (length == 0 || (unsigned char)*c < 0x20 || *c == 0x7f)
            nadi_str_add_char(&clean, '?');
        else
            nadi_str_add_bytes(&clean, c, length);
        c += length ? length : 1;
    }
    const size_t whole = nadi_utf8_columns(nadi_str_get(&clean));
    size_t column = 0;
    for (const char *c = nadi_str_get(&clean); *c; column++) {
        const size_t length = nadi_utf8_length(c);
        const size_t head = columns * 2 / 3;
        if (columns == 0 || whole <= columns || column < head || column >= whole - (columns - head))
            nadi_str_add_bytes(out, c, length);
        else if (column == head)
            nadi_str_add(out, "...");
        c += length;
    }
    if (nadi_str_get(&clean)[0] == '\0')
        nadi_str_add(out, "(no name)");
    nadi_str_release(&text);
    nadi_str_release(&clean);
}

/* --- DOT ---------------------------------------------------------------------------------------
 */

/* Inside quotes. */
static void add_quoted(struct nadi_str *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            nadi_str_add_char(out, '\\');
        nadi_str_add_char(out, *text);
    }
}

static void add_label(const struct nadi_picture_box *box, const struct nadi_full *f,
                      struct nadi_str *out)
{
    struct nadi_str name = NADI_STR_INIT;
    char time[32], bytes[32];
    add_clean(&name, &f->nodes[box->first], LABEL_COLUMNS);
    add_quoted(out, nadi_str_get(&name));
    if (box->count > 1 && box->same_name)
        nadi_str_printf(out, "\\n%u times", box->count);
    if (box->count > 1 && !box->same_name) {
        nadi_str_clear(&name);
        add_clean(&name, &f->nodes[box->last], LABEL_COLUMNS);
        nadi_str_add(out, box->count == 2 ? "\\n" : "\\n... to ");
        add_quoted(out, nadi_str_get(&name));
        if (box->count > 2)
            nadi_str_printf(out, "\\n%u nodes", box->count);
    }
    if (box->ns || box->bytes)
        nadi_str_add(out, "\\n");
    if (box->ns)
        nadi_str_add(out, nadi_units_time(time, (double)box->ns));
    if (box->bytes && box->stream.kind != NADI_STREAM_DEVICE &&
        box->stream.kind != NADI_STREAM_HOST)
        nadi_str_printf(out, "%s%s", box->ns ? ", " : "",
                        nadi_units_bytes(bytes, (double)box->bytes));
    nadi_str_release(&name);
}

static void dot_box(const struct nadi_picture *p, const struct nadi_picture_box *box,
                    const struct nadi_full *f, struct nadi_str *out)
{
    const struct look *look = &looks[look_of(box, f)];
    const uint64_t first = f->nodes[box->first].id, last = f->nodes[box->last].id;
    nadi_str_printf(out, "  n%" PRIu64 " [label=\"", first);
    add_label(box, f, out);
    nadi_str_printf(out, "\", fillcolor=\"%s\", color=\"%s\"", look->fill,
                    box->critical ? critical_colour : look->border);
    if (box->critical)
        nadi_str_add(out, ", penwidth=3");
    if (box->first == p->middle)
        nadi_str_add(out, ", peripheries=2");
    nadi_str_printf(out, ", tooltip=\"%s, node %" PRIu64, look->name, first);
    if (box->count > 1)
        nadi_str_printf(out, " to %" PRIu64, last);
    if (box->stream.numbered)
        nadi_str_printf(out, ", %s %" PRId64,
                        box->stream.kind == NADI_STREAM_HOST ? "thread" : "stream",
                        box->stream.number);
    nadi_str_add(out, "\"];\n");
}

static void dot_edge(const struct nadi_picture *p, const struct nadi_picture_edge *e,
                     const struct nadi_full *f, struct nadi_str *out)
{
    static const char *const styles[] = {
        [NADI_EDGE_DATA] = "",
        [NADI_EDGE_CONTROL] = "style=dashed",
        [NADI_EDGE_PATH] = "style=dotted",
    };
    nadi_str_printf(out, "  n%" PRIu64 " -> n%" PRIu64 " [%s",
                    f->nodes[p->boxes.items[e->from].first].id,
                    f->nodes[p->boxes.items[e->to].first].id, styles[e->kind]);
    if (e->critical)
        nadi_str_printf(out, "%scolor=\"%s\", penwidth=2.5, weight=8",
                        e->kind == NADI_EDGE_DATA ? "" : ", ", critical_colour);
    nadi_str_add(out, "];\n");
}

/* The cells of the legend: only what is in the picture. */
static void add_legend(const struct nadi_picture *p, const struct nadi_full *f,
                       struct nadi_str *out)
{
    bool used[LOOKS] = {false}, edges[3] = {false};
    static const char *const names[] = {"solid: waits for its data", "dashed: control",
                                        "dotted: over nodes not shown"};
    for (size_t i = 0; i < p->boxes.count; i++)
        used[look_of(&p->boxes.items[i], f)] = true;
    for (size_t i = 0; i < p->edges.count; i++)
        edges[p->edges.items[i].kind] = true;
    nadi_str_add(out, "<TR><TD><TABLE BORDER=\"0\" CELLSPACING=\"4\" CELLBORDER=\"1\"><TR>");
    for (unsigned k = 0; k < LOOKS; k++) {
        if (used[k])
            nadi_str_printf(out, "<TD BGCOLOR=\"%s\" COLOR=\"%s\">%s</TD>", looks[k].fill,
                            looks[k].border, looks[k].name);
    }
    nadi_str_printf(out, "<TD COLOR=\"%s\"><FONT COLOR=\"%s\">critical path</FONT></TD>",
                    critical_colour, critical_colour);
    for (unsigned k = 0; k < 3; k++) {
        if (edges[k])
            nadi_str_printf(out, "<TD BORDER=\"0\">%s</TD>", names[k]);
    }
    nadi_str_add(out, "</TR></TABLE></TD></TR>");
}

static void add_title(const struct nadi_picture *p, const struct nadi_full *f, const char *title,
                      struct nadi_str *out)
{
    char time[32];
    nadi_str_add(out, "<<TABLE BORDER=\"0\" CELLBORDER=\"0\"><TR><TD><B>");
    nadi_markup_add(out, title);
    nadi_str_printf(out, "</B>: %zu of %zu nodes", p->selected, f->node_count);
    if (p->all_boxes < p->selected)
        nadi_str_printf(out, ", chains folded into %zu", p->all_boxes);
    if (p->candidates < p->all_boxes)
        nadi_str_printf(out, ", %zu match", p->candidates);
    if (p->boxes.count < p->candidates)
        nadi_str_printf(out, ", the %zu heaviest shown", p->boxes.count);
    nadi_str_printf(out, "; critical path of the trace %s</TD></TR>",
                    nadi_units_time(time, (double)p->critical_ns));
    add_legend(p, f, out);
    nadi_str_add(out, "</TABLE>>");
}

void nadi_picture_dot(const struct nadi_picture *p, const struct nadi_full *f, const char *title,
                      struct nadi_str *out)
{
    nadi_str_add(out, "digraph \"");
    struct nadi_str clean = NADI_STR_INIT;
    const struct nadi_full_node as_node = {.name = (const uint8_t *)title,
                                           .name_bytes = (uint32_t)strlen(title)};
    add_clean(&clean, &as_node, 0);
    add_quoted(out, nadi_str_get(&clean));
    nadi_str_add(out, "\" {\n"
                      "  graph [fontname=\"Helvetica\", fontsize=12, labelloc=t, bgcolor=white,\n"
                      "         nodesep=0.2, ranksep=0.35, label=");
    add_title(p, f, nadi_str_get(&clean), out);
    nadi_str_add(out, "];\n"
                      "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", "
                      "fontsize=10, margin=\"0.1,0.05\"];\n"
                      "  edge [color=\"#607d8b\", arrowsize=0.6];\n");
    for (size_t i = 0; i < p->boxes.count; i++)
        dot_box(p, &p->boxes.items[i], f, out);
    for (size_t i = 0; i < p->edges.count; i++)
        dot_edge(p, &p->edges.items[i], f, out);
    nadi_str_add(out, "}\n");
    nadi_str_release(&clean);
}

/* --- GraphML -----------------------------------------------------------------------------------
 */

static void graphml_key(struct nadi_str *out, const char *name, const char *of, const char *type)
{
    nadi_str_printf(out, "  <key id=\"%s_%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", of,
                    name, of, name, type);
}

static void graphml_u64(struct nadi_str *out, const char *name, uint64_t value)
{
    nadi_str_printf(out, "<data key=\"node_%s\">%" PRIu64 "</data>", name, value);
}

static void graphml_box(const struct nadi_picture_box *box, const struct nadi_full *f,
                        struct nadi_str *out)
{
    struct nadi_str name = NADI_STR_INIT;
    add_clean(&name, &f->nodes[box->first], 0);
    nadi_str_printf(out, "    <node id=\"n%" PRIu64 "\"><data key=\"node_name\">",
                    f->nodes[box->first].id);
    nadi_markup_add(out, nadi_str_get(&name));
    nadi_str_printf(out, "</data><data key=\"node_kind\">%s</data>", looks[look_of(box, f)].name);
    if (box->stream.numbered)
        nadi_str_printf(out, "<data key=\"node_lane\">%" PRId64 "</data>", box->stream.number);
    graphml_u64(out, "nodes", box->count);
    graphml_u64(out, "last_id", f->nodes[box->last].id);
    graphml_u64(out, "duration_ns", box->ns);
    graphml_u64(out, "bytes", box->bytes);
    nadi_str_printf(out, "<data key=\"node_critical\">%s</data></node>\n",
                    box->critical ? "true" : "false");
    nadi_str_release(&name);
}

void nadi_picture_graphml(const struct nadi_picture *p, const struct nadi_full *f,
                          struct nadi_str *out)
{
    static const char *const kinds[] = {"data", "control", "path"};
    nadi_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    graphml_key(out, "name", "node", "string");
    graphml_key(out, "kind", "node", "string");
    graphml_key(out, "lane", "node", "long");
    graphml_key(out, "nodes", "node", "long");
    graphml_key(out, "last_id", "node", "string");
    graphml_key(out, "duration_ns", "node", "long");
    graphml_key(out, "bytes", "node", "long");
    graphml_key(out, "critical", "node", "boolean");
    graphml_key(out, "kind", "edge", "string");
    graphml_key(out, "critical", "edge", "boolean");
    nadi_str_add(out, "  <graph edgedefault=\"directed\">\n");
    for (size_t i = 0; i < p->boxes.count; i++)
        graphml_box(&p->boxes.items[i], f, out);
    for (size_t i = 0; i < p->edges.count; i++) {
        const struct nadi_picture_edge *e = &p->edges.items[i];
        nadi_str_printf(out,
                        "    <edge source=\"n%" PRIu64 "\" target=\"n%" PRIu64
                        "\"><data key=\"edge_kind\">%s</data>"
                        "<data key=\"edge_critical\">%s</data></edge>\n",
                        f->nodes[p->boxes.items[e->from].first].id,
                        f->nodes[p->boxes.items[e->to].first].id, kinds[e->kind],
                        e->critical ? "true" : "false");
    }
    nadi_str_add(out, "  </graph>\n</graphml>\n");
}
