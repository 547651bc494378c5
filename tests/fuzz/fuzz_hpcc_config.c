/* Any bytes as config.txt: every value within its bounds, or at least one error. */
#include "base/mem.h"
#include "inputs/model_presets.h"
#include "network/packet/cc.h"
#include "network/packet/hpcc_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_diags diags;
    struct nadi_arena arena;
    struct nadi_packet_config c;
    struct nadi_hpcc_files files = {0};
    char *text = NADI_NEW(char, size + 1);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    nadi_diags_init(&diags);
    nadi_arena_init(&arena);
    nadi_packet_config_init_hpcc(&c);
    const bool good = nadi_hpcc_config_parse(&c, &files, "fuzz.txt", text, size, &arena, &diags);
    NADI_ASSERT(good == (diags.errors == 0));
    NADI_ASSERT(c.cc && c.payload_bytes >= 1 && c.payload_bytes <= 9000);
    NADI_ASSERT(c.ecn_rows <= NADI_MAX_ECN_ROWS);
    for (uint32_t i = 1; i < c.ecn_rows; i++)
        NADI_ASSERT(c.ecn_map[i].bits_per_s > c.ecn_map[i - 1].bits_per_s);
    NADI_ASSERT(c.loss >= 0 && c.loss < 1 && c.gain >= 0 && c.gain <= 1);
    nadi_arena_release(&arena);
    nadi_diags_release(&diags);
    nadi_mem_free(text);
    return 0;
}
