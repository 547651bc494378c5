/* Any bytes as flow.txt: as many flows as promised, all within bounds, or at least one error. */
#include "base/mem.h"
#include "network/flow_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_flow_list list = {0};
    char *text = NADI_NEW(char, size + 1);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    nadi_diags_init(&diags);
    const bool good = nadi_flow_list_parse(&list, "fuzz.txt", text, size, &diags);
    NADI_ASSERT(good == (diags.errors == 0));
    for (size_t i = 0; i < list.count; i++)
        NADI_ASSERT(list.items[i].start >= 0 && list.items[i].priority >= 1 &&
                    list.items[i].priority <= 7);
    nadi_flow_list_release(&list);
    nadi_diags_release(&diags);
    nadi_mem_free(text);
    return 0;
}
