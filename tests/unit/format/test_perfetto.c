/* perfetto: the bytes, by hand for one packet and by a decoder for the rest. */
#include "base/str.h"
#include "format/perfetto.h"

#include "support/pftrace_read.h"

#include <setjmp.h>

#include <cmocka.h>

/* Encoded by hand from the public field numbers. */
static void first_packet(void **state)
{
    static const uint8_t want[] = {
        0x0a, 0x19,                                     /* packet, 25 bytes */
        0xe2, 0x03, 0x12,                               /* track_descriptor (60), 18 bytes */
        0x08, 0x01,                                     /* uuid 1 */
        0x1a, 0x0c,                                     /* process, 12 bytes */
        0x08, 0xac, 0x02,                               /* pid 300 */
        0x32, 0x07, 'r',  'a', 'n', 'k', ' ', '3', '0', /* process_name */
        0x58, 0x03,                                     /* children in explicit order */
        0x50, 0x01,                                     /* sequence 1 */
        0x68, 0x03,                                     /* incremental state cleared and needed */
    };
    struct nadi_str s = NADI_STR_INIT;
    struct nadi_pftrace t;
    (void)state;
    nadi_pftrace_begin(&t, &s);
    nadi_pftrace_process(&t, 300, "rank 30");
    nadi_pftrace_finish(&t);
    assert_int_equal(s.length, sizeof(want));
    assert_memory_equal(nadi_str_get(&s), want, sizeof(want));
    nadi_str_release(&s);
}

static void slices_arguments_and_flows(void **state)
{
    struct nadi_str s = NADI_STR_INIT;
    struct nadi_pftrace t;
    struct pf_trace back;
    (void)state;
    nadi_pftrace_begin(&t, &s);
    uint64_t process = nadi_pftrace_process(&t, 0, "rank 0");
    uint64_t a = nadi_pftrace_track(&t, process, "compute", 1);
    uint64_t b = nadi_pftrace_track(&t, process, "receive", 2);
    nadi_pftrace_slice(&t, a, 0, "COMP_NODE", "matmul");
    nadi_pftrace_arg_u64(&t, "bytes", UINT64_MAX);
    nadi_pftrace_arg_text(&t, "group", "tp \xff");
    nadi_pftrace_flow_begin(&t, 42);
    nadi_pftrace_slice(&t, b, 5, "COMM_RECV_NODE", "matmul");
    nadi_pftrace_slice_end(&t, a, UINT64_C(1) << 60);
    nadi_pftrace_slice_end(&t, b, 7);
    nadi_pftrace_flow_end(&t, 42);
    nadi_pftrace_finish(&t);

    pftrace_read(&back, nadi_str_get(&s), s.length);
    assert_int_equal(back.packet_count, 7);
    assert_int_equal(back.track_count, 3);
    assert_true(back.tracks[0].is_process);
    assert_int_equal(back.tracks[1].parent, back.tracks[0].uuid);
    assert_string_equal(back.tracks[2].name, "receive");
    assert_int_equal(back.tracks[2].order, 2);
    assert_int_equal(back.slice_count, 2);
    assert_string_equal(back.slices[0].name, "matmul");
    assert_string_equal(back.slices[0].category, "COMP_NODE");
    assert_true(back.slices[0].end_ns == UINT64_C(1) << 60);
    assert_true(pf_arg(&back.slices[0], "bytes")->number == UINT64_MAX);
    assert_string_equal(pf_arg(&back.slices[0], "group")->text, "tp \xef\xbf\xbd");
    assert_int_equal(back.slices[0].flow_begin, 42);
    assert_string_equal(back.slices[1].category, "COMM_RECV_NODE");
    assert_int_equal(back.slices[1].flow_end, 42);
    pftrace_release(&back);
    nadi_str_release(&s);
}

/* A name is written once however often it is used. */
static void names_are_interned(void **state)
{
    struct nadi_str s = NADI_STR_INIT;
    struct nadi_pftrace t;
    (void)state;
    nadi_pftrace_begin(&t, &s);
    uint64_t track = nadi_pftrace_process(&t, 0, "rank 0");
    for (uint64_t i = 0; i < 1000; i++) {
        nadi_pftrace_slice(&t, track, 1000000 + 10 * i, "COMP_NODE",
                           "a name that is rather long, forty bytes at least");
        nadi_pftrace_slice_end(&t, track, 1000000 + 10 * i + 5);
    }
    nadi_pftrace_finish(&t);
    assert_in_range(s.length, 1000, 45 * 1000);
    nadi_str_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_packet),
        cmocka_unit_test(slices_arguments_and_flows),
        cmocka_unit_test(names_are_interned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
