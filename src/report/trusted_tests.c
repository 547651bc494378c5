/* trusted_tests: attacks and leaks. */
#include "format/csv_write.h"
#include "format/json_write.h"
#include "report/trusted.h"

/* ---- attacks -------------------------------------------------------------------------------- */

static const char *observed(const struct nadi_attack_outcome *o)
{
    if (o->succeeded)
        return "succeeds";
    return o->reason == NADI_TRUST_OK ? "nothing there" : nadi_trust_name(o->reason);
}

static const char *expected(const struct nadi_attack *a)
{
    return observed(&(struct nadi_attack_outcome){false, a->reason});
}

void nadi_trusted_attack_text(const struct nadi_attack_row *rows, size_t count,
                              struct nadi_str *out)
{
    size_t held = 0;
    nadi_str_printf(out, "%-16s %-45s %-23s %-13s %-13s %s\n", "attack", "what it does", "defence",
                    "expected", "observed", "without it");
    for (size_t i = 0; i < count; i++) {
        const struct nadi_attack_row *r = &rows[i];
        const bool is_held = nadi_attack_is_held(r);
        held += is_held;
        nadi_str_printf(out, "%-16s %-45s %-23s %-13s %-13s %s%s\n", r->attack->name,
                        r->attack->what, r->attack->defence, expected(r->attack),
                        observed(&r->with), observed(&r->without), is_held ? "" : "  NOT HELD");
    }
    nadi_str_printf(out,
                    "\n%zu of %zu attacks are refused for the expected reason and succeed "
                    "without the defence.\n",
                    held, count);
}

void nadi_trusted_attack_json(const struct nadi_attack_row *rows, size_t count,
                              struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_array(&j, "attacks");
    for (size_t i = 0; i < count; i++) {
        const struct nadi_attack_row *r = &rows[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "attack", r->attack->name);
        nadi_json_string(&j, "what", r->attack->what);
        nadi_json_string(&j, "defence", r->attack->defence);
        nadi_json_string(&j, "expected", expected(r->attack));
        nadi_json_string(&j, "observed", observed(&r->with));
        nadi_json_string(&j, "ablation", nadi_ablation_name(r->attack->ablation));
        nadi_json_string(&j, "without", observed(&r->without));
        nadi_json_bool(&j, "held", nadi_attack_is_held(r));
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_trusted_attack_csv(const struct nadi_attack_row *rows, size_t count, struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "attack,what,defence,expected,observed,ablation,without,held");
    for (size_t i = 0; i < count; i++) {
        const struct nadi_attack_row *r = &rows[i];
        const char *const texts[] = {r->attack->name,      r->attack->what,
                                     r->attack->defence,   expected(r->attack),
                                     observed(&r->with),   nadi_ablation_name(r->attack->ablation),
                                     observed(&r->without)};
        for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
            nadi_csv_text(&csv, texts[k]);
        nadi_csv_u64(&csv, nadi_attack_is_held(r));
        nadi_csv_end_row(&csv);
    }
}

/* ---- leaks ---------------------------------------------------------------------------------- */

void nadi_trusted_leak_text(const struct nadi_leak_options *o, const struct nadi_leak_result *r,
                            const char *oblivious, struct nadi_str *out)
{
    nadi_str_printf(out,
                    "%s: %u trials of %u accesses to %d pages; %d tests, each at 0.01 / %d = %.2g\n"
                    "\n%-9s %-12s %-12s %10s\n",
                    oblivious, o->trials, o->accesses, NADI_LEAK_PAGES, NADI_LEAK_ROWS,
                    NADI_LEAK_ROWS, r->threshold, "test", "sequence", "and", "p");
    for (uint32_t i = 0; i < NADI_LEAK_ROWS; i++) {
        const struct nadi_leak_row *row = &r->rows[i];
        nadi_str_printf(out, "%-9s %-12s %-12s %10.3g%s\n", nadi_leak_test_name(row->test),
                        nadi_leak_sequence_name(row->first),
                        row->first == row->second ? "" : nadi_leak_sequence_name(row->second),
                        row->p, row->fails ? "  differs" : "");
    }
    nadi_str_printf(out, "\ndocumented: %s; observed: %s\n", nadi_leak_expectation(o->oblivious),
                    r->as_documented ? "so" : "NOT SO");
}

void nadi_trusted_leak_json(const struct nadi_leak_options *o, const struct nadi_leak_result *r,
                            const char *oblivious, struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    nadi_json_string(&j, "oblivious", oblivious);
    nadi_json_u64(&j, "trials", o->trials);
    nadi_json_u64(&j, "accesses", o->accesses);
    nadi_json_double(&j, "threshold", r->threshold);
    nadi_json_string(&j, "documented", nadi_leak_expectation(o->oblivious));
    nadi_json_bool(&j, "as_documented", r->as_documented);
    nadi_json_array(&j, "tests");
    for (uint32_t i = 0; i < NADI_LEAK_ROWS; i++) {
        const struct nadi_leak_row *row = &r->rows[i];
        nadi_json_row(&j, NULL);
        nadi_json_string(&j, "test", nadi_leak_test_name(row->test));
        nadi_json_string(&j, "first", nadi_leak_sequence_name(row->first));
        nadi_json_string(&j, "second", nadi_leak_sequence_name(row->second));
        nadi_json_double(&j, "p", row->p);
        nadi_json_bool(&j, "differs", row->fails);
        nadi_json_close(&j);
    }
    nadi_json_close(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}

void nadi_trusted_leak_csv(const struct nadi_leak_options *o, const struct nadi_leak_result *r,
                           const char *oblivious, struct nadi_str *out)
{
    struct nadi_csv csv = {.out = out};
    nadi_csv_header(&csv, "oblivious,trials,accesses,test,first,second,p,threshold,differs");
    for (uint32_t i = 0; i < NADI_LEAK_ROWS; i++) {
        const struct nadi_leak_row *row = &r->rows[i];
        nadi_csv_text(&csv, oblivious);
        nadi_csv_u64(&csv, o->trials);
        nadi_csv_u64(&csv, o->accesses);
        nadi_csv_text(&csv, nadi_leak_test_name(row->test));
        nadi_csv_text(&csv, nadi_leak_sequence_name(row->first));
        nadi_csv_text(&csv, nadi_leak_sequence_name(row->second));
        nadi_csv_double(&csv, row->p);
        nadi_csv_double(&csv, r->threshold);
        nadi_csv_u64(&csv, row->fails);
        nadi_csv_end_row(&csv);
    }
}
