#include "report/pool.h"

#include "base/units.h"
#include "format/json_write.h"

static const char *data_of(const struct nadi_pool_row *r)
{
    return r->transfer.shared ? "shared" : "private";
}

static const char *direction_of(const struct nadi_pool_row *r)
{
    return r->transfer.store ? "store" : "load";
}

/* What an NPU gets, GB/s. */
static double rate_of(const struct nadi_pool_row *r)
{
    return r->form.total > 0 ? (double)r->transfer.bytes / nadi_time_in_ns(r->form.total) : 0;
}

static bool same_pool(const struct nadi_pool *a, const struct nadi_pool *b)
{
    return a->nodes == b->nodes && a->npus == b->npus && a->switches == b->switches &&
           a->groups == b->groups;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void heading(const struct nadi_pool *p, struct nadi_str *out)
{
    nadi_str_printf(out,
                    "%u nodes of %u NPUs, %u out-node switches, %u memory groups\n\n"
                    "  %-7s  %-5s  %9s  %9s  %9s  %9s  %9s  %7s  %11s  %11s  %-13s  %9s\n",
                    p->nodes, p->npus, p->switches, p->groups, "data", "", "group", "out link",
                    "NPU link", "chunk", "bytes", "rounds", "closed form", "simulated", "slowest",
                    "an NPU");
    nadi_str_printf(out, "  %-7s  %-5s  %9s  %9s  %9s  %9s  %9s  %7s  %11s  %11s  %-13s  %9s\n", "",
                    "", "GB/s", "GB/s", "GB/s", "", "an NPU", "", "", "", "", "GB/s");
}

void nadi_pool_text(const struct nadi_pool_rows *r, struct nadi_str *out)
{
    bool equal = true, any = false;
    for (size_t i = 0; i < r->count; i++) {
        const struct nadi_pool_row *row = &r->items[i];
        char chunk[32], bytes[32], form[32], run[32] = "-";
        if (i == 0 || !same_pool(&row->pool, &row[-1].pool)) {
            nadi_str_add(out, i ? "\n" : "");
            heading(&row->pool, out);
        }
        if (row->has_run)
            nadi_units_time(run, nadi_time_in_ns(row->run.total));
        any |= row->has_run;
        equal &= !row->has_run || row->run.total == row->form.total;
        nadi_str_printf(out,
                        "  %-7s  %-5s  %9.4g  %9.4g  %9.4g  %9s  %9s  %7" PRIu64
                        "  %11s  %11s  %-13s  %9.4g\n",
                        data_of(row), direction_of(row), row->pool.gbps[NADI_POOL_GROUP],
                        row->pool.gbps[NADI_POOL_OUT], row->pool.gbps[NADI_POOL_NPU],
                        nadi_units_bytes(chunk, (double)row->pool.chunk_bytes),
                        nadi_units_bytes(bytes, (double)row->transfer.bytes), row->form.rounds,
                        nadi_units_time(form, nadi_time_in_ns(row->form.total)), run,
                        nadi_pool_stage_name(row->form.slowest), rate_of(row));
    }
    if (any)
        nadi_str_printf(out, "\n%s\n",
                        equal ? "The simulation takes what the closed form says, to the picosecond."
                              : "The simulation differs from the closed form: a defect of nadi.");
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

static const char *const keys[] = {"group", "out", "npu"};

static void json_row(const struct nadi_pool_row *row, struct nadi_json *j)
{
    nadi_json_object(j, NULL);
    nadi_json_string(j, "data", data_of(row));
    nadi_json_string(j, "direction", direction_of(row));
    nadi_json_u64(j, "nodes", row->pool.nodes);
    nadi_json_u64(j, "npus_per_node", row->pool.npus);
    nadi_json_u64(j, "switches", row->pool.switches);
    nadi_json_u64(j, "groups", row->pool.groups);
    nadi_json_u64(j, "chunk_bytes", row->pool.chunk_bytes);
    nadi_json_u64(j, "bytes", row->transfer.bytes);
    nadi_json_u64(j, "rounds", row->form.rounds);
    nadi_json_array(j, "stages");
    for (int s = 0; s < NADI_POOL_STAGES; s++) {
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", keys[s]);
        nadi_json_double(j, "bandwidth_gbps", row->pool.gbps[s]);
        nadi_json_double(j, "latency_ns", row->pool.latency_ns[s]);
        nadi_json_double(j, "round_ns", nadi_time_in_ns(row->form.stage[s]));
        nadi_json_u64(j, "bytes", row->form.bytes[s]);
        nadi_json_double(j, "busy", row->form.busy[s]);
        nadi_json_close(j);
    }
    nadi_json_close(j);
    nadi_json_string(j, "slowest", keys[row->form.slowest]);
    nadi_json_double(j, "form_ns", nadi_time_in_ns(row->form.total));
    if (row->has_run)
        nadi_json_double(j, "simulated_ns", nadi_time_in_ns(row->run.total));
    nadi_json_double(j, "npu_rate_gbps", rate_of(row));
    nadi_json_close(j);
}

void nadi_pool_json(const struct nadi_pool_rows *r, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_array(&j, "rows");
    for (size_t i = 0; i < r->count; i++)
        json_row(&r->items[i], &j);
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_pool_csv(const struct nadi_pool_rows *r, struct nadi_str *out)
{
    nadi_str_add(out,
                 "data,direction,nodes,npus_per_node,switches,groups,chunk_bytes,bytes,rounds");
    for (int s = 0; s < NADI_POOL_STAGES; s++)
        nadi_str_printf(out, ",%s_gbps,%s_latency_ns,%s_round_ns,%s_bytes", keys[s], keys[s],
                        keys[s], keys[s]);
    nadi_str_add(out, ",slowest,form_ns,simulated_ns,npu_rate_gbps\n");
    for (size_t i = 0; i < r->count; i++) {
        const struct nadi_pool_row *row = &r->items[i];
        nadi_str_printf(out, "%s,%s,%u,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64, data_of(row),
                        direction_of(row), row->pool.nodes, row->pool.npus, row->pool.switches,
                        row->pool.groups, row->pool.chunk_bytes, row->transfer.bytes,
                        row->form.rounds);
        for (int s = 0; s < NADI_POOL_STAGES; s++)
            nadi_str_printf(out, ",%.9g,%.9g,%.3f,%" PRIu64, row->pool.gbps[s],
                            row->pool.latency_ns[s], nadi_time_in_ns(row->form.stage[s]),
                            row->form.bytes[s]);
        nadi_str_printf(out, ",%s,%.3f,", keys[row->form.slowest],
                        nadi_time_in_ns(row->form.total));
        if (row->has_run)
            nadi_str_printf(out, "%.3f", nadi_time_in_ns(row->run.total));
        nadi_str_printf(out, ",%.6g\n", rate_of(row));
    }
}
