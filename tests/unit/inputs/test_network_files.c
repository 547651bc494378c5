/* network_files: every key of the files of the models flit and loadstore reaches its member, and
 * nothing else: files with values of all keys that differ from the defaults, whole. */
#include "support/fuzz_load.h"

#include <setjmp.h>

#include <cmocka.h>

static void load(struct nadi_inputs *in, enum nadi_schema_kind kind, const char *text)
{
    assert_true(fuzz_load(in, kind, (const uint8_t *)text, strlen(text)));
}

static void assert_near(double found, double wanted)
{
    assert_true(found > wanted - 1e-9 && found < wanted + 1e-9);
}

static void flit_keys(void **state)
{
    struct nadi_inputs in;
    (void)state;
    load(&in, NADI_SCHEMA_FLIT,
         "clock: 1.5\nflit: 24\npacket: 9\nheader: 12\nvcs: 6\nbuffer: 33\nrouting-delay: 2\n"
         "vc-delay: 3\nswitch-delay: 4\ntraversal-delay: 5\nchannel-delay: 6\ncredit-delay: 7\n"
         "speedup: 2\nflow-control: vct\nrouting: valiant\ndateline: 0\n"
         "wait-for-tail-credit: 1\nseed: 99\n");
    const struct nadi_flit_config *c = &in.flit;
    assert_near(c->clock_ghz, 1.5);
    assert_int_equal(c->flit_bytes, 24);
    assert_int_equal(c->packet_flits, 9);
    assert_int_equal(c->header_bytes, 12);
    assert_int_equal(c->vcs, 6);
    assert_int_equal(c->buffer_flits, 33);
    assert_int_equal(c->routing_delay, 2);
    assert_int_equal(c->vc_delay, 3);
    assert_int_equal(c->switch_delay, 4);
    assert_int_equal(c->traversal_delay, 5);
    assert_int_equal(c->channel_delay, 6);
    assert_int_equal(c->credit_delay, 7);
    assert_int_equal(c->speedup, 2);
    assert_int_equal(c->seed, 99);
    assert_int_equal(c->routing, NADI_FLIT_VALIANT);
    assert_true(c->cut_through && !c->dateline && c->wait_for_tail_credit);
    nadi_inputs_release(&in);
}

static void flit_presets(void **state)
{
    struct nadi_inputs in;
    (void)state;
    for (int garnet = 0; garnet < 2; garnet++) {
        load(&in, NADI_SCHEMA_FLIT, garnet ? "preset: garnet\n" : "preset: booksim\n");
        const struct nadi_flit_config *c = &in.flit;
        assert_int_equal(c->flit_bytes, garnet ? 16 : 32);
        assert_int_equal(c->vcs, garnet ? 4 : 8);
        assert_int_equal(c->least_buffer, garnet ? 4 : 8);
        assert_int_equal(c->buffer_flits, 0);
        assert_int_equal(c->routing_delay, garnet ? 0 : 1);
        assert_int_equal(c->vc_delay, garnet ? 0 : 1);
        assert_int_equal(c->switch_delay, 1);
        assert_int_equal(c->traversal_delay, garnet ? 0 : 1);
        assert_int_equal(c->packet_flits, 16);
        assert_int_equal(c->header_bytes, 0);
        assert_int_equal(c->channel_delay, 0);
        assert_int_equal(c->credit_delay, 0);
        assert_int_equal(c->speedup, 1);
        assert_int_equal(c->seed, 1);
        assert_int_equal(c->routing, NADI_FLIT_DIMENSION_ORDER);
        assert_true(!c->cut_through && c->dateline && !c->wait_for_tail_credit);
        nadi_inputs_release(&in);
    }
}

static void loadstore_keys(void **state)
{
    struct nadi_inputs in;
    (void)state;
    load(&in, NADI_SCHEMA_LOADSTORE,
         "preset: a100\ncopy: sm\ndirection: put\nprotocol: ll128\narbitration: fifo\nsms: 77\n"
         "copy-sms: 11\nrequest: 256\nheader: 17\ncontrol: 18\noutstanding: 19\nexact-lines: 20\n"
         "sm-rate: 21GB/s\nengines: 22\nengine-rate: 23GB/s\nengine-outstanding: 24\n"
         "engine-setup: 25\nmemory: 26\nfence: 27\nll128-latency: 28\npoll: 29\n");
    const struct nadi_loadstore_config *c = &in.loadstore;
    assert_int_equal(c->copy, NADI_COPY_SM);
    assert_int_equal(c->direction, NADI_PUT);
    assert_int_equal(c->protocol, NADI_PROTOCOL_LL128);
    assert_int_equal(c->sms, 77);
    assert_int_equal(c->copy_sms, 11);
    assert_int_equal(c->request_bytes, 256);
    assert_int_equal(c->header_bytes, 17);
    assert_int_equal(c->control_bytes, 18);
    assert_int_equal(c->outstanding, 19);
    assert_int_equal(c->exact_lines, 20);
    assert_near(c->sm_bytes_per_ns, 21);
    assert_int_equal(c->engines, 22);
    assert_near(c->engine_bytes_per_ns, 23);
    assert_int_equal(c->engine_requests, 24);
    assert_near(c->setup_ns, 25);
    assert_near(c->memory_ns, 26);
    assert_near(c->fence_ns, 27);
    assert_near(c->ll128_ns, 28);
    assert_near(c->poll_ns, 29);
    nadi_inputs_release(&in);
    load(&in, NADI_SCHEMA_LOADSTORE, "copy: engine\ndirection: get\nprotocol: auto\n");
    assert_int_equal(c->copy, NADI_COPY_ENGINE);
    assert_int_equal(c->direction, NADI_GET);
    assert_int_equal(c->protocol, NADI_PROTOCOL_AUTO);
    nadi_inputs_release(&in);
}

static void loadstore_presets(void **state)
{
    static const struct {
        const char *text;
        uint32_t sms, copy_sms;
        double engine_rate;
    } presets[] = {{"preset: h100\n", 132, 24, 450},
                   {"preset: a100\n", 108, 24, 300},
                   {"preset: v100\n", 80, 24, 150},
                   {"preset: b200\n", 148, 32, 900}};
    (void)state;
    for (size_t i = 0; i < sizeof(presets) / sizeof(*presets); i++) {
        struct nadi_inputs in;
        load(&in, NADI_SCHEMA_LOADSTORE, presets[i].text);
        const struct nadi_loadstore_config *c = &in.loadstore;
        assert_int_equal(c->sms, presets[i].sms);
        assert_int_equal(c->copy_sms, presets[i].copy_sms);
        assert_near(c->engine_bytes_per_ns, presets[i].engine_rate);
        assert_int_equal(c->request_bytes, 128);
        assert_int_equal(c->header_bytes, 16);
        assert_int_equal(c->control_bytes, 16);
        assert_int_equal(c->outstanding, 256);
        assert_int_equal(c->exact_lines, 8192);
        assert_int_equal(c->engines, 8);
        assert_int_equal(c->engine_requests, 4096);
        assert_near(c->sm_bytes_per_ns, 64);
        assert_near(c->setup_ns, 2000);
        assert_near(c->memory_ns, 50);
        assert_near(c->fence_ns, 1700);
        assert_near(c->ll128_ns, 1300);
        assert_near(c->poll_ns, 0);
        nadi_inputs_release(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flit_keys),
        cmocka_unit_test(flit_presets),
        cmocka_unit_test(loadstore_keys),
        cmocka_unit_test(loadstore_presets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
