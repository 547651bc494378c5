/* run_db_inside: what the files of run_db share. Nothing else includes it. */
#ifndef NADI_REPORT_RUN_DB_INSIDE_H
#define NADI_REPORT_RUN_DB_INSIDE_H

#include "format/database.h"
#include "report/phase_plans.h"
#include "report/run_db.h"

/* NADI_NONE: null. */
void nadi_run_db_put_index(struct nadi_database *db, uint32_t index);

void nadi_run_db_put_traffic(struct nadi_database *db, const struct nadi_result *r);
void nadi_run_db_put_messages(struct nadi_database *db, const struct nadi_run_db *run);
void nadi_run_db_put_phases(struct nadi_database *db, const struct nadi_phase_plans *p);

#endif
