/* show, then pack, gives the same bytes: for what protobuf's writers make, without "raw", and for
 * messages written in every unusual way that still reads. */
#include "base/mem.h"
#include "support/random_trace.h"
#include "support/wire_put.h"
#include "trace/frames.h"
#include "trace/pack.h"
#include "trace/show.h"

#include <setjmp.h>

#include <cmocka.h>

enum { CASES = 300 };

/* Shows `file` to `text`, packs it again and compares. */
static void round_trip(const struct nadi_str *file, struct nadi_str *text, uint64_t seed)
{
    struct nadi_diags diags;
    struct nadi_str again = NADI_STR_INIT;
    nadi_diags_init(&diags);
    struct nadi_out *sink = nadi_out_memory(text, NADI_CODING_PLAIN);
    const bool shown =
        nadi_show_memory("t.et", nadi_str_get(file), file->length, NADI_SHOW_LINES, sink, &diags);
    assert_true(nadi_out_close(sink, &diags));
    sink = nadi_out_memory(&again, NADI_CODING_PLAIN);
    const bool packed =
        shown && nadi_pack_memory("t.jsonl", nadi_str_get(text), text->length, sink, &diags);
    assert_true(nadi_out_close(sink, &diags));
    if (!packed || again.length != file->length ||
        memcmp(again.text, file->text, file->length) != 0)
        fail_msg("seed %" PRIu64 ": %s: %s\n%s", seed,
                 !shown   ? "not shown"
                 : packed ? "other bytes"
                          : "not packed",
                 diags.count ? diags.items[0].message : "", nadi_str_get(text));
    nadi_str_release(&again);
    nadi_diags_release(&diags);
}

static void what_writers_make(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct nadi_rng r;
        struct nadi_str file = NADI_STR_INIT, text = NADI_STR_INIT;
        nadi_rng_init(&r, seed, "show_pack");
        random_trace_any(&r, &file);
        round_trip(&file, &text, seed);
        if (strstr(nadi_str_get(&text), "\"raw\":"))
            fail_msg("seed %" PRIu64 ": a plain message shown as raw", seed);
        nadi_str_release(&file);
        nadi_str_release(&text);
    }
}

/* A varint with up to two bytes more than it needs. */
static void put_long_varint(struct nadi_rng *r, struct nadi_str *s, uint64_t value)
{
    uint64_t more = nadi_rng_below(r, 3);
    while (value >= 0x80) {
        nadi_str_add_char(s, (char)(value | 0x80));
        value >>= 7;
    }
    if (more == 0) {
        nadi_str_add_char(s, (char)value);
        return;
    }
    nadi_str_add_char(s, (char)(value | 0x80));
    while (--more)
        nadi_str_add_char(s, (char)0x80);
    nadi_str_add_char(s, 0);
}

static void put_odd_attr(struct nadi_rng *r, struct nadi_str *attr)
{
    static const char *const texts[] = {"", "tid", "bad \xff text", "cut \xc3"};
    for (uint64_t left = nadi_rng_below(r, 4); left; left--) {
        struct nadi_str list = NADI_STR_INIT;
        switch (nadi_rng_below(r, 7)) {
        case 0:
            wire_put_text(attr, 1, texts[nadi_rng_below(r, 4)]);
            break;
        case 1:
            wire_put_text(attr, 2, texts[nadi_rng_below(r, 4)]);
            break;
        case 2:
            wire_put_number(attr, 7 + 2 * (uint32_t)nadi_rng_below(r, 4), nadi_rng_u64(r));
            break;
        case 3: /* a list that is not packed, or in two runs */
            wire_put_number(&list, 1, nadi_rng_below(r, 300));
            wire_put_bytes(&list, 1, "\x05\x86\x00\x07", 4);
            wire_put_message(attr, 14, &list);
            break;
        case 4:
            wire_put_fixed(attr, 3, nadi_rng_u64(r) | UINT64_C(0x7ff0000000000000), 8);
            break;
        case 5:
            wire_put_text(attr, 33 + (uint32_t)nadi_rng_below(r, 100), "who knows");
            break;
        default:
            wire_put_number(attr, 27, nadi_rng_below(r, 3));
        }
        nadi_str_release(&list);
    }
}

static void put_odd_field(struct nadi_rng *r, struct nadi_str *node)
{
    struct nadi_str inner = NADI_STR_INIT;
    switch (nadi_rng_below(r, 10)) {
    case 0:
        wire_put_number(node, 1, nadi_rng_below(r, 3));
        break;
    case 1:
        wire_put_text(node, 2, nadi_rng_below(r, 2) ? "" : "name \xe2\x28");
        break;
    case 2:
        wire_put_tag(node, 3, 0);
        put_long_varint(r, node, nadi_rng_below(r, 9));
        break;
    case 3:
        wire_put_number(node, 4 + (uint32_t)nadi_rng_below(r, 2), nadi_rng_u64(r));
        break;
    case 4:
        put_long_varint(r, &inner, nadi_rng_u64(r) >> 14); /* at most 10 bytes */
        wire_put_message(node, 4 + (uint32_t)nadi_rng_below(r, 2), &inner);
        break;
    case 5:
        wire_put_text(&inner, 1 + (uint32_t)nadi_rng_below(r, 4), "[[1, 2]]");
        wire_put_text(&inner, 1, nadi_rng_below(r, 2) ? "again" : "");
        wire_put_message(node, 8 + (uint32_t)nadi_rng_below(r, 2), &inner);
        break;
    case 6:
        wire_put_number(node, 11 + (uint32_t)nadi_rng_below(r, 2000), nadi_rng_u64(r));
        break;
    case 7:
        wire_put_fixed(node, 11 + (uint32_t)nadi_rng_below(r, 20), nadi_rng_u64(r),
                       nadi_rng_below(r, 2) ? 8 : 4);
        break;
    default:
        put_odd_attr(r, &inner);
        wire_put_message(node, 10, &inner);
    }
    nadi_str_release(&inner);
}

static void what_nobody_would_write(void **state)
{
    (void)state;
    size_t raw = 0, plain = 0;
    for (uint64_t seed = 1; seed <= 4 * CASES; seed++) {
        struct nadi_rng r;
        struct nadi_str file = NADI_STR_INIT, text = NADI_STR_INIT, node = NADI_STR_INIT;
        nadi_rng_init(&r, seed, "show_pack odd");
        wire_put_text(&node, 1, "0.0.4");
        if (nadi_rng_below(&r, 2))
            wire_put_text(&node, 77, "unknown");
        wire_put_frame(&file, &node);
        for (uint64_t fields = nadi_rng_below(&r, 7) + 1; fields; fields--)
            put_odd_field(&r, &node);
        put_long_varint(&r, &file, node.length);
        nadi_str_add_bytes(&file, node.text, node.length);
        round_trip(&file, &text, seed);
        *(strstr(nadi_str_get(&text), "\"raw\":") ? &raw : &plain) += 1;
        nadi_str_release(&file);
        nadi_str_release(&text);
        nadi_str_release(&node);
    }
    /* Both ways are taken: unusual ones, and unknown fields by name. */
    assert_true(raw > CASES && plain > CASES / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_writers_make),
        cmocka_unit_test(what_nobody_would_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
