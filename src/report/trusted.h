/* trusted: texts of a trusted memory pool: what it would cost, what it took, attacks, leaks. */
#ifndef NADI_REPORT_TRUSTED_H
#define NADI_REPORT_TRUSTED_H

#include "base/str.h"
#include "trusted/attack.h"
#include "trusted/leak.h"
#include "trusted/timing.h"

struct nadi_trusted_report {
    const struct nadi_trusted_bench *bench;
    const struct nadi_trusted_result *result;
    const char *oblivious, *pattern; /* as they are called */
};

void nadi_trusted_plan_text(const struct nadi_trusted_report *r, struct nadi_str *out);
void nadi_trusted_bench_text(const struct nadi_trusted_report *r, struct nadi_str *out);
void nadi_trusted_bench_json(const struct nadi_trusted_report *r, struct nadi_str *out);
void nadi_trusted_bench_csv(const struct nadi_trusted_report *r, struct nadi_str *out);

void nadi_trusted_attack_text(const struct nadi_attack_row *rows, size_t count,
                              struct nadi_str *out);
void nadi_trusted_attack_json(const struct nadi_attack_row *rows, size_t count,
                              struct nadi_str *out);
void nadi_trusted_attack_csv(const struct nadi_attack_row *rows, size_t count,
                             struct nadi_str *out);

void nadi_trusted_leak_text(const struct nadi_leak_options *o, const struct nadi_leak_result *r,
                            const char *oblivious, struct nadi_str *out);
void nadi_trusted_leak_json(const struct nadi_leak_options *o, const struct nadi_leak_result *r,
                            const char *oblivious, struct nadi_str *out);
void nadi_trusted_leak_csv(const struct nadi_leak_options *o, const struct nadi_leak_result *r,
                           const char *oblivious, struct nadi_str *out);

#endif
