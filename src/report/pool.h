/* pool: times of hierarchical pools (`nadi memory pool`) as text, JSON and CSV. */
#ifndef NADI_REPORT_POOL_H
#define NADI_REPORT_POOL_H

#include "base/str.h"
#include "pool/pool.h"

struct nadi_pool_row {
    struct nadi_pool pool;
    struct nadi_pool_transfer transfer;
    struct nadi_pool_time form, run;
    bool has_run; /* it was simulated too */
};

struct nadi_pool_rows {
    const struct nadi_pool_row *items;
    size_t count;
};

void nadi_pool_text(const struct nadi_pool_rows *r, struct nadi_str *out);
void nadi_pool_json(const struct nadi_pool_rows *r, struct nadi_str *out);
void nadi_pool_csv(const struct nadi_pool_rows *r, struct nadi_str *out);

#endif
