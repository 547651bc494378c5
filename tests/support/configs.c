#include "support/configs.h"

#include "base/mem.h"

bool nadi_test_config_parse(struct nadi_model *m, const char *text, struct nadi_diags *diags)
{
    const size_t bytes = strlen(text);
    char *quoted = NADI_NEW(char, bytes + 1);
    for (size_t i = 0; i <= bytes; i++)
        quoted[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    nadi_diags_init(diags);
    const bool ok = nadi_model_parse(m, "config.json", quoted, bytes, diags);
    nadi_mem_free(quoted);
    return ok;
}

void nadi_test_config_drop(struct nadi_model *m, struct nadi_diags *diags)
{
    nadi_model_release(m);
    nadi_diags_release(diags);
}
