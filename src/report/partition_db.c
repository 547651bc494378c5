/* partition_db: networks taken apart as a database, for `nadi query` (measures_db.h). */
#include "report/measures_db.h"
#include "report/partition.h"

#include <math.h>

static const char schema[] = NADI_MEASURES_TABLE
    "create table methods(method text primary key, bytes integer, messages integer,"
    " transfers integer, macs integer, weights integer, macs_imbalance real,"
    " weights_imbalance real, accuracy real, output_error real) without rowid;"
    "create table latencies(method text, network text, latency_ns real,"
    " primary key(method, network)) without rowid;"
    "create table layers(method text, number integer, layer text, kind text, channels integer,"
    " bytes integer, messages integer, transfers integer, sum_bytes integer, macs integer,"
    " weights integer, fidelity real, primary key(method, number)) without rowid;"
    "create table workers(method text, worker integer, macs integer, weights integer,"
    " sent_bytes integer, received_bytes integer, primary key(method, worker)) without rowid;"
    "create table pairs(method text, number integer, layer text, sums integer, sender integer,"
    " receiver integer, bytes integer, primary key(method, number, sums, sender, receiver)) "
    "without rowid;"
    "create table placement(number integer, layer text, channel integer, worker integer,"
    " primary key(number, channel)) without rowid;";

static void put_measures(struct nadi_database *db, const struct nadi_partition_report *r)
{
    char text[32];
    snprintf(text, sizeof(text), "%u", r->methods[0].r->traffic.workers);
    nadi_measures_say(db, "workers", text);
    snprintf(text, sizeof(text), "%.9g", r->methods[0].r->mu);
    nadi_measures_say(db, "mu", text);
    if (!isnan(r->accuracy)) {
        snprintf(text, sizeof(text), "%.9g", r->accuracy);
        nadi_measures_say(db, "given_accuracy", text);
        nadi_measures_say(db, "labelled", r->labelled ? "1" : "0");
    }
    nadi_measures_say(db, "loss_kept", !r->searched || r->kept ? "1" : "0");
    snprintf(text, sizeof(text), "%" PRIu64, r->checked);
    nadi_measures_say(db, "samples_checked", text);
    snprintf(text, sizeof(text), "%" PRIu64, r->same);
    nadi_measures_say(db, "samples_same", text);
}

static void put_method(struct nadi_database *db, const struct nadi_partition_method *m)
{
    const struct nadi_placed_traffic *t = &m->r->traffic;
    nadi_database_text(db, m->name);
    nadi_database_u64(db, t->all.bytes);
    nadi_database_u64(db, t->all.messages);
    nadi_database_u64(db, t->all.transfers);
    nadi_database_u64(db, t->all.macs);
    nadi_database_u64(db, t->all.weights);
    nadi_database_double(db, nadi_traffic_imbalance(t->macs, t->workers));
    nadi_database_double(db, nadi_traffic_imbalance(t->weights, t->workers));
    nadi_database_double(db, m->accuracy);
    nadi_database_double(db, m->output_error);
    nadi_database_row(db);
}

static void put_layers(struct nadi_database *db, const struct nadi_partition_report *r, size_t i)
{
    for (uint32_t n = 0; n < r->given->count; n++) {
        const struct nadi_nn_layer *l = &r->given->layers[n];
        const struct nadi_layer_traffic *t = &r->methods[i].r->traffic.layers[n];
        nadi_database_text(db, r->methods[i].name);
        nadi_database_u64(db, n);
        nadi_database_text(db, l->name);
        nadi_database_text(db, nadi_nn_kind_name(l->kind));
        nadi_database_u64(db, l->channels);
        nadi_database_u64(db, t->bytes);
        nadi_database_u64(db, t->messages);
        nadi_database_u64(db, t->transfers);
        nadi_database_u64(db, t->sum_bytes);
        nadi_database_u64(db, t->macs);
        nadi_database_u64(db, t->weights);
        nadi_database_double(db, i == 0 && r->samples ? r->methods[0].r->layers[n].fidelity
                                                      : (double)NAN);
        nadi_database_row(db);
    }
}

static void put_workers(struct nadi_database *db, const struct nadi_partition_method *m)
{
    const struct nadi_placed_traffic *t = &m->r->traffic;
    for (uint32_t k = 0; k < t->workers; k++) {
        uint64_t sent = 0, received = 0;
        for (size_t i = 0; i < t->pairs.count; i++) {
            sent += t->pairs.items[i].from == k ? t->pairs.items[i].bytes : 0;
            received += t->pairs.items[i].to == k ? t->pairs.items[i].bytes : 0;
        }
        nadi_database_text(db, m->name);
        nadi_database_u64(db, k);
        nadi_database_u64(db, t->macs[k]);
        nadi_database_u64(db, t->weights[k]);
        nadi_database_u64(db, sent);
        nadi_database_u64(db, received);
        nadi_database_row(db);
    }
}

static void put_pairs(struct nadi_database *db, const struct nadi_partition_report *r, size_t i)
{
    const struct nadi_placed_traffic *t = &r->methods[i].r->traffic;
    for (size_t n = 0; n < t->pairs.count; n++) {
        const struct nadi_pair_traffic *p = &t->pairs.items[n];
        nadi_database_text(db, r->methods[i].name);
        nadi_database_u64(db, p->layer);
        nadi_database_text(db, r->given->layers[p->layer].name);
        nadi_database_u64(db, p->sums);
        nadi_database_u64(db, p->from);
        nadi_database_u64(db, p->to);
        nadi_database_u64(db, p->bytes);
        nadi_database_row(db);
    }
}

static void put_placement(struct nadi_database *db, const struct nadi_partitioned *r)
{
    for (uint32_t i = 0; i < r->nn.count; i++)
        for (uint32_t c = 0; c < r->nn.layers[i].channels; c++) {
            const uint32_t k = nadi_placement_of(&r->placement, i, c);
            nadi_database_u64(db, i);
            nadi_database_text(db, r->nn.layers[i].name);
            nadi_database_u64(db, c);
            if (k == NADI_NONE)
                nadi_database_null(db);
            else
                nadi_database_u64(db, k);
            nadi_database_row(db);
        }
}

bool nadi_partition_db(const struct nadi_partition_report *r, const char *path,
                       struct nadi_diags *diags)
{
    struct nadi_database *db = nadi_measures_begin(path, schema, "partition", diags);
    if (!db)
        return false;
    put_measures(db, r);
    nadi_database_into(db, "methods", 10);
    for (size_t i = 0; i < r->count; i++)
        put_method(db, &r->methods[i]);
    nadi_database_into(db, "latencies", 3);
    for (size_t i = 0; i < r->count; i++)
        for (size_t n = 0; n < r->network_count; n++)
            if (!isnan(r->methods[i].ns[n])) {
                nadi_database_text(db, r->methods[i].name);
                nadi_database_text(db, r->networks[n]);
                nadi_database_double(db, r->methods[i].ns[n]);
                nadi_database_row(db);
            }
    nadi_database_into(db, "layers", 12);
    for (size_t i = 0; i < r->count; i++)
        put_layers(db, r, i);
    nadi_database_into(db, "workers", 6);
    for (size_t i = 0; i < r->count; i++)
        put_workers(db, &r->methods[i]);
    nadi_database_into(db, "pairs", 7);
    for (size_t i = 0; i < r->count; i++)
        put_pairs(db, r, i);
    nadi_database_into(db, "placement", 4);
    put_placement(db, r->methods[0].r);
    return nadi_database_finish(db, diags);
}
