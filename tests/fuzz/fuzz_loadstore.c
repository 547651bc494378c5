/* Any bytes as a loadstore file: a configuration within its bounds with which two messages arrive,
 * or at least one error. */
#include "support/flow_case.h"
#include "support/fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_out(const struct nadi_loadstore_config *config)
{
    struct flow_case c;
    flow_case_init(&c);
    c.loadstore = config;
    flow_case_dim(&c, NADI_DIM_SWITCH, 3, 10, 5);
    flow_case_open(&c, &nadi_network_loadstore);
    flow_case_send(&c, 0, 0, 1, 5000);
    flow_case_send(&c, 0, 2, 1, 0);
    flow_case_run(&c);
    NADI_ASSERT(flow_case_ns(&c, 0) > 0 && flow_case_ns(&c, 1) > 0);
    flow_case_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct nadi_inputs in;
    if (fuzz_load(&in, NADI_SCHEMA_LOADSTORE, data, size)) {
        const struct nadi_loadstore_config *c = &in.loadstore;
        NADI_ASSERT(c->copy_sms >= 1 && (c->copy_sms < c->sms || c->copy == NADI_COPY_ENGINE) &&
                    c->engines >= 1);
        NADI_ASSERT(c->request_bytes >= 8 && c->request_bytes % 8 == 0);
        NADI_ASSERT(c->outstanding >= 1 && c->engine_requests >= 1);
        NADI_ASSERT(c->sm_bytes_per_ns > 0 && c->engine_bytes_per_ns > 0);
        NADI_ASSERT(c->protocol == NADI_PROTOCOL_SIMPLE || c->protocol == NADI_PROTOCOL_AUTO ||
                    (c->direction == NADI_PUT && c->copy == NADI_COPY_SM));
        try_out(c);
    }
    nadi_inputs_release(&in);
    return 0;
}
