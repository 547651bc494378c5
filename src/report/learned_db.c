#include "report/learned_db.h"

#include "report/learned_measures.h"
#include "report/measures_db.h"

static const char fidelity_schema[] = NADI_MEASURES_TABLE
    "create table kinds(kind text primary key, real_nodes integer, synthetic_nodes integer,"
    " duration_ks real, duration_ks_within_0_1_percent real, duration_ks_within_5_percent real, "
    "duration_wasserstein_over_mean real,"
    " size_ks real, size_ks_within_0_1_percent real, size_ks_within_5_percent real, "
    "size_wasserstein_over_mean real) without rowid;"
    "create table dependencies(direction text primary key, ks real, ks_within_0_1_percent real, "
    "ks_within_5_percent real,"
    " wasserstein_over_mean real) without rowid;"
    "create table networks(network text primary key, not_simulated text, real_end_ns real,"
    " synthetic_end_ns real, step_error real, real_exposed_ns real, synthetic_exposed_ns real,"
    " real_compute_share real, synthetic_compute_share real, real_overlap real,"
    " synthetic_overlap real) without rowid;"
    "create table quantiles(kind text, figure text, share real, real_value real,"
    " synthetic_value real, primary key(kind, figure, share)) without rowid;";

static const char privacy_schema[] = NADI_MEASURES_TABLE
    "create table jobs(number integer primary key, job text, trained integer, exact real,"
    " within_2_percent real, longest_run integer, runs real);"
    "create table privacy(nearest text, longest_run integer, run_that_training_jobs_share integer,"
    " sizes_of_one_job integer, sizes_of_one_job_in_output integer, training_names integer,"
    " training_names_in_output integer, auc real, auc_deviates real, auc_by text,"
    " auc_runs real, auc_exact real, auc_within_2_percent real, auc_runs_deviates real,"
    " auc_exact_deviates real, auc_within_2_percent_deviates real, auc_of_guessing_deviates real);";

static void distance(struct nadi_database *db, const struct nadi_distance *d)
{
    nadi_database_double(db, d->ks);
    nadi_database_double(db, d->close);
    nadi_database_double(db, d->near);
    nadi_database_double(db, d->wasserstein);
}

static void quantiles(struct nadi_database *db, const char *kind, const char *figure,
                      const struct nadi_distance *d)
{
    for (int q = 0; q < NADI_FIDELITY_POINTS; q++) {
        nadi_database_text(db, kind);
        nadi_database_text(db, figure);
        nadi_database_double(db, (q + 0.5) / NADI_FIDELITY_POINTS);
        nadi_database_double(db, d->quantiles[0][q]);
        nadi_database_double(db, d->quantiles[1][q]);
        nadi_database_row(db);
    }
}

static void networks(struct nadi_database *db, const struct nadi_fidelity *f)
{
    nadi_database_into(db, "networks", 11);
    for (uint32_t i = 0; i < NADI_FIDELITY_NETWORKS; i++) {
        const struct nadi_fidelity_network *n = &f->networks[i];
        nadi_database_text(db, n->name);
        nadi_database_text(db, n->why_not);
        nadi_database_double(db, n->end_ns[0]);
        nadi_database_double(db, n->end_ns[1]);
        nadi_database_double(db, nadi_measure_off(n->end_ns));
        nadi_database_double(db, n->exposed_ns[0]);
        nadi_database_double(db, n->exposed_ns[1]);
        nadi_database_double(db, n->compute_share[0]);
        nadi_database_double(db, n->compute_share[1]);
        nadi_database_double(db, n->overlap[0]);
        nadi_database_double(db, n->overlap[1]);
        nadi_database_row(db);
    }
}

bool nadi_fidelity_db(const struct nadi_fidelity *f, const char *real, const char *synthetic,
                      const char *path, struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_measures_begin(path, fidelity_schema, "fidelity", diags);
    if (!db)
        return false;
    nadi_measures_say(db, "real", real);
    nadi_measures_say(db, "synthetic", synthetic);
    nadi_database_into(db, "kinds", 11);
    for (uint32_t i = 0; i < f->kind_count; i++) {
        nadi_database_text(db, f->kinds[i].name);
        nadi_database_u64(db, f->kinds[i].nodes[0]);
        nadi_database_u64(db, f->kinds[i].nodes[1]);
        distance(db, &f->kinds[i].duration);
        distance(db, &f->kinds[i].size);
        nadi_database_row(db);
    }
    nadi_database_into(db, "dependencies", 5);
    for (int out = 0; out < 2; out++) {
        nadi_database_text(db, out ? "out" : "in");
        distance(db, out ? &f->fan_out : &f->fan_in);
        nadi_database_row(db);
    }
    networks(db, f);
    nadi_database_into(db, "quantiles", 5);
    for (uint32_t i = 0; i < f->kind_count; i++) {
        quantiles(db, f->kinds[i].name, "duration_ns", &f->kinds[i].duration);
        quantiles(db, f->kinds[i].name, "bytes", &f->kinds[i].size);
    }
    return nadi_database_finish(db, diags);
}

bool nadi_privacy_db(const struct nadi_privacy *p, const char *path, struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_measures_begin(path, privacy_schema, "privacy", diags);
    if (!db)
        return false;
    nadi_database_into(db, "jobs", 7);
    for (uint32_t i = 0; i < p->trained + p->held; i++) {
        nadi_database_u64(db, i + 1);
        nadi_database_text(db, p->jobs[i].path);
        nadi_database_u64(db, i < p->trained);
        nadi_database_double(db, p->jobs[i].share[NADI_ATTACK_EXACT]);
        nadi_database_double(db, p->jobs[i].share[NADI_ATTACK_NEAR]);
        nadi_database_u64(db, p->jobs[i].run);
        nadi_database_double(db, p->jobs[i].share[NADI_ATTACK_RUNS]);
        nadi_database_row(db);
    }
    nadi_database_into(db, "privacy", 17);
    nadi_database_text(db, p->jobs[p->nearest].path);
    nadi_database_u64(db, p->run);
    nadi_database_u64(db, p->shared_run);
    nadi_database_u64(db, p->lone_sizes);
    nadi_database_u64(db, p->lone_sizes_out);
    nadi_database_u64(db, p->names);
    nadi_database_u64(db, p->names_out);
    nadi_database_double(db, p->auc[p->strongest].value);
    nadi_database_double(db, p->auc[p->strongest].deviation);
    nadi_database_text(db, p->held ? nadi_attacker_name(p->strongest) : NULL);
    for (int by = 0; by < NADI_ATTACKS; by++)
        nadi_database_double(db, p->auc[by].value);
    for (int by = 0; by < NADI_ATTACKS; by++)
        nadi_database_double(db, p->auc[by].deviation);
    nadi_database_double(db, p->guessing_deviation);
    nadi_database_row(db);
    return nadi_database_finish(db, diags);
}
