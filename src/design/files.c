#include "design/files.h"

#include "base/file.h"
#include "base/units.h"
#include "design/strategies.h"
#include "format/doc_change.h"
#include "format/json_write.h"
#include "platform/catalogue.h"
#include "platform/cluster.h"
#include "platform/generator_words.h"
#include "platform/graph_file.h"

#include <limits.h>
#include <stdlib.h>

/* ---- documents as YAML ----------------------------------------------------------------------- */

static void put_node(const struct nadi_doc *doc, const struct nadi_doc_node *n,
                     struct nadi_str *out)
{
    const enum nadi_doc_scalar kind = nadi_doc_classify(doc, n, NULL);
    if (n->kind == NADI_DOC_SCALAR && (n->quoted || kind == NADI_DOC_TEXT))
        nadi_json_add_text(out, n->text, strlen(n->text));
    else if (n->kind == NADI_DOC_SCALAR)
        nadi_str_add(out, n->text);
    if (n->kind == NADI_DOC_SCALAR)
        return;
    const bool map = n->kind == NADI_DOC_MAP;
    nadi_str_add_char(out, map ? '{' : '[');
    for (const struct nadi_doc_node *e = n->first; e; e = e->next) {
        nadi_str_add(out, e == n->first ? "" : ", ");
        if (map) {
            nadi_json_add_text(out, nadi_doc_key(e), strlen(nadi_doc_key(e)));
            nadi_str_add(out, ": ");
        }
        put_node(doc, e, out);
    }
    nadi_str_add_char(out, map ? '}' : ']');
}

static void put_line(const char *key, const char *text, struct nadi_str *out)
{
    nadi_str_printf(out, "%s: ", key);
    nadi_json_add_text(out, text, strlen(text));
    nadi_str_add_char(out, '\n');
}

/* A name of the program, words of a generator, or the whole path of a file. */
static const char *whole(const char *description, const char *text, struct nadi_arena *arena)
{
    char path[PATH_MAX];
    const char *beside = nadi_catalogue_beside(description, text, arena);
    if (nadi_generator_is_words(text) || !nadi_file_exists(beside) || !realpath(beside, path))
        return nadi_arena_strdup(arena, text);
    return nadi_arena_strdup(arena, path);
}

static bool names_file(const char *key)
{
    static const char *const keys[] = {"device", "graph", "platform", "packet"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static void put_map(const struct nadi_doc *doc, const char *name, const char *device,
                    struct nadi_arena *arena, struct nadi_str *out)
{
    for (const struct nadi_doc_node *e = doc->root->first; e; e = e->next) {
        const char *key = nadi_doc_key(e);
        if (device && strcmp(key, "device") == 0)
            put_line(key, device, out);
        else if (names_file(key) && e->kind == NADI_DOC_SCALAR)
            put_line(key, whole(name, e->text, arena), out);
        else {
            nadi_str_printf(out, "%s: ", key);
            put_node(doc, e, out);
            nadi_str_add_char(out, '\n');
        }
    }
}

static bool put_device(const struct nadi_design_changes *c, const char *name,
                       struct nadi_arena *arena, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    if (!nadi_catalogue_doc_changed(&doc, "devices", name, &c->changes, diags))
        return false;
    put_map(&doc, name, NULL, arena, out);
    nadi_doc_release(&doc);
    return true;
}

static const char heading[] = "# Made by nadi optimize.\n";

bool nadi_design_cluster_file(const struct nadi_design_problem *p, uint64_t point,
                              struct nadi_str *out, struct nadi_str *device_file,
                              struct nadi_diags *diags)
{
    struct nadi_design_changes c;
    struct nadi_doc doc;
    nadi_design_changes_init(&c, p);
    nadi_design_changes_take(&c, p, point);
    bool ok = nadi_catalogue_doc_changed(&doc, "clusters", c.cluster, &c.changes, diags);
    if (ok) {
        const struct nadi_doc_node *device = nadi_doc_find(doc.root, "device");
        const bool changed = device && nadi_doc_changes_any(&c.changes, "device");
        nadi_str_add(out, heading);
        put_map(&doc, c.cluster, changed ? "device.yaml" : NULL, &c.arena, out);
        if (changed) {
            nadi_str_add(device_file, heading);
            ok = put_device(&c, nadi_catalogue_beside(c.cluster, device->text, &c.arena), &c.arena,
                            device_file, diags);
        }
        nadi_doc_release(&doc);
    }
    nadi_design_changes_release(&c);
    return ok;
}

/* ---- the network ----------------------------------------------------------------------------- */

static void put_dims(const struct nadi_topology *t, struct nadi_str *out)
{
    static const char *const keys[] = {"topology", "npus_count", "bandwidth", "latency",
                                       "oversubscription"};
    nadi_str_add(out, heading);
    for (int k = 0; k < 5; k++) {
        nadi_str_printf(out, "%s: [", keys[k]);
        for (uint32_t d = 0; d < t->dim_count; d++) {
            const struct nadi_dim *dim = &t->dims[d];
            nadi_str_add(out, d ? ", " : "");
            if (k == 0 && dim->axes > 1)
                nadi_str_printf(out, "%s%" PRIu32, nadi_dim_kind_name(dim->kind), dim->axes);
            else if (k == 0)
                nadi_str_add(out, nadi_dim_kind_name(dim->kind));
            else if (k == 1)
                nadi_str_printf(out, "%" PRIu32, dim->npus);
            else if (k == 2)
                nadi_str_printf(out, "%.12gGB/s", dim->bytes_per_ns);
            else if (k == 3)
                nadi_str_printf(out, "%.12gns", dim->latency_ns);
            else
                nadi_str_printf(out, "%.12g",
                                dim->oversubscription > 1 ? dim->oversubscription : 1);
        }
        nadi_str_add(out, "]\n");
    }
}

bool nadi_design_network_file(const struct nadi_design_problem *p, uint64_t point,
                              struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_design_changes changes;
    struct nadi_cluster c;
    nadi_design_changes_init(&changes, p);
    nadi_design_changes_take(&changes, p, point);
    bool ok = nadi_cluster_open_changed(&c, changes.cluster, &changes.changes, diags) &&
              nadi_cluster_fit(&c, p->ranks, c.topology.dims[0].npus, diags);
    if (ok && c.graph) {
        struct nadi_graph_file f;
        ok = nadi_graph_file_read(&f, c.graph, diags);
        if (ok)
            nadi_graph_file_write(&f, out);
        nadi_graph_file_release(&f);
    } else if (ok)
        put_dims(&c.topology, out);
    nadi_cluster_release(&c);
    nadi_design_changes_release(&changes);
    return ok;
}

bool nadi_design_plan_file(const struct nadi_design_problem *p, const struct nadi_design *d,
                           uint32_t workload, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_design_changes changes;
    struct nadi_arena arena;
    struct nadi_study study;
    char time[32];
    nadi_arena_init(&arena);
    nadi_design_changes_init(&changes, p);
    nadi_design_changes_take(&changes, p, d->point);
    const struct nadi_design_ask ask = {p, workload, &changes, 1};
    const struct nadi_search_setup setup = nadi_design_search_setup(&ask, &arena);
    const struct nadi_design_step *s = &d->steps[workload];
    const bool ok = nadi_search_study(&setup, &s->strategy, &study, diags);
    if (ok)
        nadi_plan_write(&study.plan,
                        nadi_arena_printf(&arena, "# Made by nadi optimize: %s, %s a step.\n",
                                          study.model.name, nadi_units_time(time, s->step_ns)),
                        out);
    nadi_study_close(&study);
    nadi_design_changes_release(&changes);
    nadi_arena_release(&arena);
    return ok;
}
