/* Any bytes as the choices that make a whole run: read, run by every executor and held to what any
 * run must fulfil. `property.runs` draws its own bytes. */
#include "support/run_case.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[64];
    snprintf(folder, sizeof(folder), "%s/nadi-runs-XXXXXX", run_case_place());
    NADI_ASSERT(mkdtemp(folder));
    run_case(data, size, folder, NULL);
    run_case_clear(folder);
    (void)rmdir(folder);
    return 0;
}
