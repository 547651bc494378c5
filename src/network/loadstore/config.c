#include "network/loadstore/config.h"

void nadi_loadstore_config_init(struct nadi_loadstore_config *c)
{
    *c = (struct nadi_loadstore_config){
        .copy = NADI_COPY_SM,
        .direction = NADI_PUT,
        .protocol = NADI_PROTOCOL_SIMPLE,
        .sms = 132,
        .copy_sms = 24,
        .request_bytes = 128,
        .header_bytes = 16,
        .control_bytes = 16,
        .outstanding = 256,
        .engines = 8,
        .engine_requests = 4096,
        .exact_lines = 8192,
        .sm_bytes_per_ns = 64,
        .engine_bytes_per_ns = 450,
        .memory_ns = 50,
        .fence_ns = 1700,
        .ll128_ns = 1300,
        .poll_ns = 0,
        .setup_ns = 2000,
    };
}
