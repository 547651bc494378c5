/* Any bytes as a file of a collective, of any form: a table that can be run and checked, or at
 * least one error; what is proved right is right with other times as well; what was read is the
 * same after being written and read again. */
#include "base/mem.h"
#include "collective/table_file.h"
#include "collective/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lanes take their steps as early as they can, or as the last ones that can. */
static bool is_right(const struct nadi_table *t, bool backwards)
{
    const struct nadi_verify_machine machine = {
        .alpha = 1, .beta = 0.01, .gamma = 0.002, .backwards = backwards};
    const struct nadi_program_request q = {
        .kind = t->shape.kind, .n = t->shape.n, .root = t->shape.root, .bytes = 64, .table = t};
    struct nadi_program p;
    NADI_ASSERT(!nadi_program_make(&nadi_program_table, &q, &p));
    return nadi_verify(&p, &machine).result == NADI_VERIFY_OK;
}

static void write_and_read(const struct nadi_table_file *f, struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT, again = NADI_STR_INIT;
    struct nadi_table_file g;
    nadi_table_write_own(&f->table, f->name, &text);
    nadi_str_add(&again, nadi_str_get(&text));
    if (!nadi_table_parse(&g, "f.yml", again.text, again.length, diags))
        NADI_BUG("%s", diags->items[0].message);
    nadi_str_clear(&again);
    nadi_table_write_own(&g.table, g.name, &again);
    NADI_ASSERT(strcmp(text.text, again.text) == 0);
    nadi_table_file_release(&g);
    nadi_str_release(&text);
    nadi_str_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_table_file f;
    char *copy = NADI_ZNEW(char, size + 1);
    if (size)
        memcpy(copy, data, size);
    nadi_diags_init(&diags);
    const bool ok = nadi_table_parse(&f, "f", copy, size, &diags);
    NADI_ASSERT(ok == (diags.errors == 0));
    const double work = ok ? (double)f.table.shape.n * f.table.slots * f.table.shape.n : 0;
    if (ok && work < 1e7 && (double)f.table.queues * f.table.shape.n * f.table.shape.n < 1e7) {
        const bool right = is_right(&f.table, false) && is_right(&f.table, true);
        NADI_ASSERT(!nadi_table_prove(&f, &diags) || right);
        nadi_diags_release(&diags);
        nadi_diags_init(&diags);
        write_and_read(&f, &diags);
    }
    if (ok)
        nadi_table_file_release(&f);
    nadi_diags_release(&diags);
    nadi_mem_free(copy);
    return 0;
}
