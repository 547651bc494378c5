/* Any text as a set of flows: an error with a column, or disjoint flows that are written as they
 * are read, and that route rightly or conflict. */
#include "fabric/flows_text.h"
#include "fabric/route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint32_t ports = 2 + (uint32_t)(size ? data[0] % 15 : 0);
    struct nadi_diags diags;
    struct nadi_arena arena;
    struct nadi_fred_set set, again;
    struct nadi_str text = NADI_STR_INIT, written = NADI_STR_INIT;
    nadi_diags_init(&diags);
    nadi_arena_init(&arena);
    nadi_str_add_bytes(&text, size ? data + 1 : data, size ? size - 1 : 0);
    const bool ok = nadi_fred_read_flows(nadi_str_get(&text), ports, &set, &arena, &diags);
    NADI_ASSERT(ok == (diags.errors == 0));
    if (ok) {
        struct nadi_fred f;
        uint32_t where;
        for (uint32_t i = 0; i < set.count; i++) {
            nadi_str_add(&written, i ? ";" : "");
            nadi_fred_write_flow(&set.items[i], &written);
        }
        NADI_ASSERT(nadi_fred_read_flows(nadi_str_get(&written), ports, &again, &arena, &diags));
        NADI_ASSERT(again.count == set.count);
        nadi_fred_init(&f, ports, 1 + (uint32_t)(size % 3));
        if (nadi_fred_route(&f, &set, 10000, NULL) == NADI_FRED_ROUTED)
            NADI_ASSERT(nadi_fred_simulate(&f, &set, &where) == NADI_FRED_FAULTLESS);
        nadi_fred_release(&f);
    } else
        NADI_ASSERT(diags.items[0].place.column > 0);
    nadi_str_release(&text);
    nadi_str_release(&written);
    nadi_arena_release(&arena);
    nadi_diags_release(&diags);
    return 0;
}
