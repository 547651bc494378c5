#include "support/fuzz_told.h"

static fuzz_listener *listening;

void fuzz_listen(fuzz_listener *listener)
{
    listening = listener;
}

void fuzz_release(struct nadi_diags *diags)
{
    if (listening)
        listening(diags);
    nadi_diags_release(diags);
}
