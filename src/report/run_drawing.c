#include "report/run_drawing.h"

#include "base/mem.h"

/* "fat-tree", "dragonfly", "file", ...: what the loader said of the network. */
static const char *kind_of(const struct nadi_inputs *in)
{
    for (size_t i = 0; i < in->setting_count; i++)
        if (nadi_str_equal(in->settings[i].file, "network") &&
            nadi_str_equal(in->settings[i].key, "graph"))
            return in->settings[i].value;
    return "";
}

void nadi_run_drawing(const struct nadi_inputs *in, struct nadi_topo_drawing *d)
{
    *d = (struct nadi_topo_drawing){0};
    if (in->has_graph && !in->graph.of_topology)
        nadi_topo_layout(&in->graph, kind_of(in), d);
}

uint32_t nadi_run_drawing_box(const struct nadi_topo_drawing *d, uint32_t device)
{
    const struct nadi_graph *g = d->g;
    if (!g)
        return NADI_NONE;
    if (device < g->host_count)
        return d->box_of[g->hosts[device]];
    device -= g->host_count;
    return device < g->switch_count ? d->box_of[g->switches[device]] : NADI_NONE;
}

static void put_boxes(struct nadi_database *db, const struct nadi_topo_drawing *d)
{
    nadi_database_into(db, "drawing_boxes", 9);
    for (size_t i = 0; i < d->boxes.count; i++) {
        const struct nadi_topo_box *b = &d->boxes.items[i];
        const uint32_t host = b->count == 1 && !b->more ? d->g->nodes[b->first].host : NADI_NONE;
        char label[64];
        nadi_topo_label(d, b, label);
        nadi_database_u64(db, i);
        nadi_database_double(db, b->x);
        nadi_database_double(db, b->y);
        nadi_database_double(db, b->w);
        nadi_database_double(db, b->h);
        nadi_database_text(db, b->role);
        nadi_database_text(db, label);
        nadi_database_u64(db, b->count);
        nadi_database_u64(db, host == NADI_NONE ? UINT64_MAX : host);
        nadi_database_row(db);
    }
}

static void put_lines(struct nadi_database *db, const struct nadi_topo_drawing *d)
{
    struct nadi_topo_lines lines = {0};
    nadi_topo_lines_find(d, &lines);
    nadi_database_into(db, "drawing_lines", 3);
    for (size_t i = 0; i < lines.count; i++) {
        nadi_database_u64(db, lines.items[i].a);
        nadi_database_u64(db, lines.items[i].b);
        nadi_database_u64(db, lines.items[i].count);
        nadi_database_row(db);
    }
    nadi_mem_free(lines.items);
}

void nadi_run_drawing_put(struct nadi_database *db, const struct nadi_topo_drawing *d)
{
    if (!d->g)
        return;
    put_boxes(db, d);
    put_lines(db, d);
    nadi_database_into(db, "drawing_frames", 5);
    for (size_t i = 0; i < d->frames.count; i++) {
        const struct nadi_topo_frame *f = &d->frames.items[i];
        nadi_database_double(db, f->x);
        nadi_database_double(db, f->y);
        nadi_database_double(db, f->w);
        nadi_database_double(db, f->h);
        nadi_database_text(db, f->label);
        nadi_database_row(db);
    }
}
