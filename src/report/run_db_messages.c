/* run_db_messages: what is inside collectives, and the messages of a run. */
#include "base/mem.h"
#include "base/time.h"
#include "report/figures.h"
#include "report/run_db_inside.h"
#include "report/traffic.h"

void nadi_run_db_put_index(struct nadi_database *db, uint32_t index)
{
    nadi_database_u64(db, index == NADI_NONE ? UINT64_MAX : index);
}

void nadi_run_db_put_traffic(struct nadi_database *db, const struct nadi_result *r)
{
    struct nadi_traffic *t = NADI_NEW(struct nadi_traffic, 1);
    nadi_traffic_find(r, t);
    nadi_database_into(db, "completions", 8);
    for (uint32_t i = 0; i < t->size_count; i++) {
        const struct nadi_completions *c = &t->sizes[i];
        const uint64_t values[] = {i,         c->least_bytes, c->below_bytes, c->messages,
                                   c->p50_ns, c->p90_ns,      c->p99_ns,      c->max_ns};
        for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++)
            nadi_database_u64(db, values[v]);
        nadi_database_row(db);
    }
    nadi_database_into(db, "in_flight", 5);
    for (uint32_t b = 0; b < t->bucket_count; b++) {
        nadi_database_u64(db, b);
        nadi_database_double(db, b * t->bucket_ns);
        nadi_database_double(db, (b + 1) * t->bucket_ns);
        nadi_database_double(db, t->in_flight_bytes[b]);
        nadi_database_double(db, t->in_flight[b]);
        nadi_database_row(db);
    }
    nadi_database_into(db, "not_known", 2);
    if (t->why_not) {
        nadi_database_text(db, "messages");
        nadi_database_text(db, t->why_not);
        nadi_database_row(db);
    }
    nadi_mem_free(t);
}

void nadi_run_db_put_messages(struct nadi_database *db, const struct nadi_run_db *run)
{
    const struct nadi_result *r = run->r;
    size_t some;
    const uint32_t *list = nadi_detail_messages(run->detail, &some);
    const size_t count = list ? some : r->logged_count;
    nadi_database_into(db, "messages", 10);
    for (size_t i = 0; i < count; i++) {
        const struct nadi_message_entry *m = &r->logged[list ? list[i] : i];
        if (!m->op)
            continue;
        const struct nadi_collective_result *c = &r->collectives[m->op - 1];
        nadi_database_lasting(db, nadi_group_label(run->in, c->group));
        const uint64_t values[] = {c->sequence,
                                   m->src,
                                   m->dst,
                                   m->bytes,
                                   nadi_time_to_ns(m->sent),
                                   nadi_time_to_ns(m->arrived),
                                   m->waited_ns,
                                   m->queued_ns};
        for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++)
            nadi_database_u64(db, values[v]);
        nadi_run_db_put_index(db, m->link);
        nadi_database_row(db);
    }
}

void nadi_run_db_put_phases(struct nadi_database *db, const struct nadi_phase_plans *p)
{
    nadi_database_into(db, "phases", 8);
    for (size_t i = 0; i < p->list.count; i++) {
        const struct nadi_phase_plan *plan = &p->list.items[i];
        for (uint32_t k = 0; k < plan->count; k++) {
            const struct nadi_why_phase *row = &p->rows.items[plan->first + k];
            nadi_database_u64(db, i);
            nadi_database_u64(db, k);
            nadi_run_db_put_index(db, row->dim);
            nadi_database_text(db, row->algorithm);
            nadi_database_u64(db, plan->chunks);
            nadi_database_u64(db, row->messages);
            nadi_database_u64(db, row->message_bytes);
            nadi_database_double(db, row->share);
            nadi_database_row(db);
        }
    }
}
