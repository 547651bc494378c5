#include "trace/edit/cut.h"

#include "base/mem.h"
#include "format/wire.h"
#include "trace/edit/contract.h"
#include "trace/full_write.h"
#include "trace/times.h"

/* A node without a time or attributes, where many meet many, or for nothing at all. */
static void write_junction(struct nadi_out *sink, struct nadi_str *scratch, const char *name,
                           uint64_t id, const struct nadi_u64_list *data,
                           const struct nadi_u64_list *ctrl)
{
    nadi_str_clear(scratch);
    nadi_wire_add_number(scratch, NADI_CHAKRA_ID, id);
    nadi_wire_add_text(scratch, NADI_CHAKRA_NAME, name);
    nadi_wire_add_number(scratch, NADI_CHAKRA_TYPE, NADI_NODE_METADATA);
    nadi_wire_add_packed(scratch, NADI_CHAKRA_CTRL_DEPS, ctrl->items, ctrl->count);
    nadi_wire_add_packed(scratch, NADI_CHAKRA_DATA_DEPS, data->items, data->count);
    nadi_frame_write(sink, scratch->text, scratch->length);
}

static void write_nodes(struct nadi_contract *c, const struct nadi_full *f, struct nadi_out *sink,
                        struct nadi_edit_report *report)
{
    struct nadi_u64_list data = {0}, ctrl = {0};
    struct nadi_str scratch = NADI_STR_INIT;
    uint64_t rewritten = 0, deps = 0, written = 0;
    NADI_RESERVE(&data, 1);
    NADI_RESERVE(&ctrl, 1);
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->state[i] == NADI_CONTRACT_GONE)
            continue;
        const bool changed = nadi_contract_deps(c, i, &data, &ctrl);
        const struct nadi_node_patch patch = {
            .deps = true,
            .data_deps = data.items,
            .data_count = data.count,
            .ctrl_deps = ctrl.items,
            .ctrl_count = ctrl.count,
        };
        written++;
        deps += changed ? data.count + ctrl.count : f->nodes[i].data_deps + f->nodes[i].ctrl_deps;
        if (c->state[i] == NADI_CONTRACT_JUNCTION) {
            write_junction(sink, &scratch, "junction", f->nodes[i].id, &data, &ctrl);
        } else {
            rewritten += changed;
            nadi_full_write_node(sink, &scratch, &f->nodes[i], changed ? &patch : NULL);
        }
    }
    if (written == 0) { /* a trace has a node at least: readers refuse others */
        const struct nadi_u64_list none = {0};
        write_junction(sink, &scratch, "nothing is left", c->count ? f->nodes[0].id : 0, &none,
                       &none);
        nadi_edit_report_add(report, "ranks left with an empty node", 1);
        written = 1;
    }
    nadi_edit_report_add(report, "nodes written", written);
    nadi_edit_report_add(report, "of them junctions", c->junctions);
    nadi_edit_report_add(report, "nodes that wait for others now", rewritten);
    nadi_edit_report_add(report, "dependencies written", deps);
    nadi_mem_free(data.items);
    nadi_mem_free(ctrl.items);
    nadi_str_release(&scratch);
}

static void count_dropped(const struct nadi_full *f, const struct nadi_links *links,
                          const bool *keep, struct nadi_edit_report *report)
{
    static const char *const figures[] = {
        "dropped INVALID_NODE",   "dropped METADATA_NODE",  "dropped MEM_LOAD_NODE",
        "dropped MEM_STORE_NODE", "dropped COMP_NODE",      "dropped COMM_SEND_NODE",
        "dropped COMM_RECV_NODE", "dropped COMM_COLL_NODE", "dropped of unknown type"};
    uint64_t ns = 0, dropped = 0, nothing = 0;
    for (uint32_t i = 0; i < links->count; i++) {
        if (keep[i])
            continue;
        const uint64_t duration = nadi_full_duration_ns(&f->nodes[i]);
        const uint32_t type = f->nodes[i].type;
        nadi_edit_report_add(report, figures[type < NADI_NODE_TYPES ? type : NADI_NODE_TYPES], 1);
        nadi_edit_report_name(report, "dropped", &f->nodes[i], duration);
        if (__builtin_add_overflow(ns, duration, &ns))
            ns = UINT64_MAX;
        dropped++;
    }
    for (size_t i = 0; i < links->faults.count; i++) {
        const enum nadi_link_fault_kind kind = links->faults.items[i].kind;
        nothing += kind == NADI_LINK_DANGLING || kind == NADI_LINK_SELF;
    }
    nadi_edit_report_add(report, "nodes dropped", dropped);
    nadi_edit_report_add(report, "time of the dropped, ns", ns);
    nadi_edit_report_add(report, "dependencies on nothing dropped", nothing);
}

void nadi_cut_write(const struct nadi_full *f, const struct nadi_links *links, const bool *keep,
                    struct nadi_out *sink, struct nadi_edit_report *report)
{
    struct nadi_contract c;
    nadi_edit_report_add(report, "nodes read", f->node_count);
    nadi_edit_report_add(report, "dependencies read", f->dep_ids.count);
    count_dropped(f, links, keep, report);
    nadi_contract_make(&c, f, links, keep);
    nadi_full_write_metadata(sink, f);
    write_nodes(&c, f, sink, report);
    nadi_contract_release(&c);
}
