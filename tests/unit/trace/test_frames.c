/* The window over a file of messages: as small as the file lets it be, as large as a message needs.
 */
#include "trace/frames.h"

#include "base/mem.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* `count` messages of `bytes` bytes each, all of one letter. */
static void put_messages(struct nadi_str *file, size_t count, size_t bytes)
{
    struct nadi_diags diags;
    char *message = NADI_NEW(char, bytes);
    nadi_diags_init(&diags);
    struct nadi_out *out = nadi_out_memory(file, NADI_CODING_PLAIN);
    for (size_t i = 0; i < count; i++) {
        memset(message, 'a' + (int)(i % 26), bytes);
        nadi_frame_write(out, message, bytes);
    }
    assert_true(nadi_out_close(out, &diags));
    nadi_diags_release(&diags);
    nadi_mem_free(message);
}

/* All messages come whole; returns how many times larger than at first the window is. */
static size_t growth(size_t count, size_t bytes)
{
    struct nadi_str file = NADI_STR_INIT;
    struct nadi_diags diags;
    struct nadi_frames f;
    struct nadi_frame m;
    nadi_diags_init(&diags);
    put_messages(&file, count, bytes);
    nadi_frames_init(&f, "test.et",
                     nadi_inflate_memory("test.et", nadi_str_get(&file), file.length));
    const size_t first = f.capacity;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(nadi_frames_next(&f, &m, &diags), NADI_FRAME_MESSAGE);
        assert_int_equal(m.number, i + 1);
        assert_int_equal(m.bytes, bytes);
        assert_int_equal(m.data_offset - m.offset, file.length / count - bytes);
        assert_int_equal(m.offset, i * (file.length / count));
        assert_int_equal(m.data[0], 'a' + (int)(i % 26));
        assert_int_equal(m.data[bytes - 1], 'a' + (int)(i % 26));
    }
    assert_int_equal(nadi_frames_next(&f, &m, &diags), NADI_FRAME_END);
    const size_t times = f.capacity / first;
    nadi_frames_release(&f);
    nadi_str_release(&file);
    nadi_diags_release(&diags);
    return times;
}

static void the_window_of_a_short_file_does_not_grow(void **state)
{
    (void)state;
    assert_int_equal(growth(3, 10), 1);
    assert_int_equal(growth(40, 1000), 1);
}

static void the_window_of_a_long_file_is_moved_less_often(void **state)
{
    (void)state;
    assert_int_equal(growth(2000, 1000), 4);
    assert_int_equal(growth(4000, 1000), 4);
}

static void the_window_holds_the_largest_message(void **state)
{
    (void)state;
    assert_int_equal(growth(1, 700000), 16);
    assert_int_equal(growth(3, 700000), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_of_a_short_file_does_not_grow),
        cmocka_unit_test(the_window_of_a_long_file_is_moved_less_often),
        cmocka_unit_test(the_window_holds_the_largest_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
