#include "report/run_db.h"

#include "base/mem.h"
#include "report/run_drawing.h"

bool nadi_run_db_write(const struct nadi_result_data *run, const char *path,
                       struct nadi_diags *diags)
{
    struct nadi_str schema = NADI_STR_INIT;
    struct nadi_topo_drawing drawing;
    struct nadi_phase_plans phases;
    struct nadi_result_data of = *run;
    nadi_run_db_schema(&schema);
    struct nadi_database *db = nadi_database_create(path, nadi_str_get(&schema), diags);
    nadi_str_release(&schema);
    if (!db)
        return false;
    struct nadi_traffic *traffic = NADI_NEW(struct nadi_traffic, 1);
    nadi_run_drawing(of.in, &drawing);
    nadi_phase_plans_init(&phases, of.in);
    nadi_traffic_find(of.r, traffic);
    of.drawing = &drawing;
    of.phases = &phases;
    of.traffic = traffic;
    nadi_views_database(&of, db);
    nadi_mem_free(traffic);
    nadi_phase_plans_release(&phases);
    nadi_topo_release(&drawing);
    return nadi_database_finish(db, diags);
}

void nadi_run_db_schema(struct nadi_str *out)
{
    nadi_views_schema(out);
    nadi_str_add(out,
                 "create view timeline as select s.rank, s.track, o.name, o.type, o.group_name, "
                 "o.bytes, s.start_ns, s.end_ns, s.end_ns - s.start_ns as duration_ns, "
                 "s.slack_ns, s.node from spans s join ranks r on r.rank = s.rank "
                 "join ops o on o.trace = r.trace and o.node = s.node;");
}
