/* Stored bytes to plain ones and back: codings, several members, damage, files and pipes. */
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "format/inflate.h"
#include "format/out.h"
#include "support/trace_expect.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/skip.h"

static const enum nadi_coding codings[] = {NADI_CODING_PLAIN, NADI_CODING_GZIP, NADI_CODING_ZSTD};

/* Text that compresses a little and is longer than every buffer. */
static void put_text(struct nadi_str *s, size_t bytes)
{
    uint64_t state = 88172645463325252u;
    while (s->length < bytes) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        nadi_str_printf(s, "%" PRIx64 "abcabc", state & 0xffff);
    }
    s->length = bytes;
}

static void encode(struct nadi_str *to, const struct nadi_str *from, enum nadi_coding coding)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    struct nadi_out *sink = nadi_out_memory(to, coding);
    for (size_t at = 0, piece = 1; at < from->length; at += piece, piece = piece * 3 + 1) {
        if (piece > from->length - at)
            piece = from->length - at;
        nadi_out_bytes(sink, from->text + at, piece);
    }
    assert_true(nadi_out_close(sink, &diags));
    nadi_diags_release(&diags);
}

/* Reads all in pieces of `piece`; false on damage, with the code in *code. */
static bool decode(struct nadi_inflate *source, size_t piece, struct nadi_str *to,
                   struct nadi_diags *diags)
{
    char *buffer = NADI_NEW(char, piece);
    size_t got;
    bool ok;
    while ((ok = nadi_inflate_read(source, buffer, piece, &got, diags)) && got)
        nadi_str_add_bytes(to, buffer, got);
    nadi_mem_free(buffer);
    return ok;
}

static void expect_same(const struct nadi_str *stored, const struct nadi_str *plain, size_t piece)
{
    struct nadi_diags diags;
    struct nadi_str got = NADI_STR_INIT;
    uint8_t hash[32], wanted[32];
    uint64_t bytes;
    nadi_diags_init(&diags);
    struct nadi_inflate *source = nadi_inflate_memory("test", nadi_str_get(stored), stored->length);
    assert_true(decode(source, piece, &got, &diags));
    assert_int_equal(got.length, plain->length);
    if (got.length)
        assert_memory_equal(got.text, plain->text, plain->length);
    nadi_inflate_digest(source, hash, &bytes);
    assert_int_equal(bytes, stored->length);
    nadi_sha256(nadi_str_get(stored), stored->length, wanted);
    assert_memory_equal(hash, wanted, sizeof hash);
    nadi_inflate_close(source);
    nadi_str_release(&got);
    nadi_diags_release(&diags);
}

static void round_trips(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 5, 1000, 131072, 400000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct nadi_str plain = NADI_STR_INIT;
        put_text(&plain, sizes[i]);
        for (size_t k = 0; k < 3; k++) {
            struct nadi_str stored = NADI_STR_INIT;
            encode(&stored, &plain, codings[k]);
            if (codings[k] == NADI_CODING_ZSTD) /* Content_Checksum_flag, RFC 8878, 3.1.1.1.1 */
                assert_true(stored.text[4] & 4);
            expect_same(&stored, &plain, 100003);
            if (sizes[i] <= 1000)
                expect_same(&stored, &plain, 1);
            nadi_str_release(&stored);
        }
        nadi_str_release(&plain);
    }
}

static void several_members_in_a_row(void **state)
{
    (void)state;
    for (size_t k = 1; k < 3; k++) {
        struct nadi_str one = NADI_STR_INIT, two = NADI_STR_INIT, both = NADI_STR_INIT,
                        stored = NADI_STR_INIT;
        put_text(&one, 300);
        put_text(&two, 70000);
        nadi_str_add_bytes(&both, one.text, one.length);
        nadi_str_add_bytes(&both, two.text, two.length);
        encode(&stored, &one, codings[k]);
        encode(&stored, &two, codings[k]);
        expect_same(&stored, &both, 4096);
        if (codings[k] == NADI_CODING_GZIP) { /* padding of a tape or an archive */
            for (int i = 0; i < 512; i++)
                nadi_str_add_char(&stored, '\0');
            expect_same(&stored, &both, 4096);
        } else { /* a skippable frame of 3 bytes */
            nadi_str_add_bytes(&stored, "\x50\x2a\x4d\x18\x03\0\0\0xyz", 11);
            expect_same(&stored, &both, 4096);
        }
        nadi_str_release(&one);
        nadi_str_release(&two);
        nadi_str_release(&both);
        nadi_str_release(&stored);
    }
}

static void expect_damage(const struct nadi_str *stored, size_t bytes, enum nadi_coding coding,
                          const char *says)
{
    struct nadi_diags diags;
    struct nadi_str got = NADI_STR_INIT;
    nadi_diags_init(&diags);
    struct nadi_inflate *source = nadi_inflate_memory("test", stored->text, bytes);
    assert_false(decode(source, 4096, &got, &diags));
    assert_int_equal(diags.errors, 1);
    assert_string_equal(diags.items[0].code,
                        coding == NADI_CODING_GZIP ? "trace/damaged-gzip" : "trace/damaged-zstd");
    if (says)
        assert_non_null(strstr(diags.items[0].message, says));
    assert_in_range(diags.items[0].place.offset, got.length, 3000); /* of the 3000 bytes inside */
    nadi_inflate_close(source);
    nadi_str_release(&got);
    nadi_diags_release(&diags);
}

static void damage_is_found(void **state)
{
    (void)state;
    for (size_t k = 1; k < 3; k++) {
        struct nadi_str plain = NADI_STR_INIT, stored = NADI_STR_INIT;
        put_text(&plain, 3000);
        encode(&stored, &plain, codings[k]);
        for (size_t cut = 4; cut < stored.length; cut += 7)
            expect_damage(&stored, cut, codings[k], "the file ends inside the compressed data");
        expect_damage(&stored, stored.length - 1, codings[k], "the file ends inside");
        size_t in_checksum = stored.length - (codings[k] == NADI_CODING_GZIP ? 6 : 2);
        stored.text[in_checksum] ^= 1;
        expect_damage(&stored, stored.length, codings[k], NULL);
        stored.text[in_checksum] ^= 1;
        nadi_str_add(&stored, "and now something else");
        expect_damage(&stored, stored.length, codings[k], NULL);
        nadi_str_release(&plain);
        nadi_str_release(&stored);
    }
}

static void short_magic_is_plain(void **state)
{
    (void)state;
    struct nadi_str stored = NADI_STR_INIT;
    nadi_str_add_bytes(&stored, "\x28\xb5\x2f", 3);
    expect_same(&stored, &stored, 10);
    nadi_str_clear(&stored);
    nadi_str_add_bytes(&stored, "\x1f", 1);
    expect_same(&stored, &stored, 10);
    nadi_str_release(&stored);
}

static char folder[] = "/tmp/nadi-inflate-XXXXXX";

static const char *in_folder(char *buffer, size_t room, const char *name)
{
    snprintf(buffer, room, "%s/%s", folder, name);
    return buffer;
}

static void files_that_cannot_be_opened(void **state)
{
    (void)state;
    struct nadi_diags diags;
    char path[256];
    nadi_diags_init(&diags);
    assert_null(nadi_inflate_open(in_folder(path, sizeof path, "missing.et"), "trace", &diags));
    assert_string_equal(diags.items[0].code, "file/missing");
    assert_string_equal(diags.items[0].place.file, path);
    assert_null(nadi_inflate_open(folder, "trace", &diags));
    assert_string_equal(diags.items[1].code, "file/is-folder");
    if (geteuid() != 0) {
        int fd = open(in_folder(path, sizeof path, "secret.et"), O_CREAT | O_WRONLY, 0);
        assert_true(fd >= 0);
        close(fd);
        assert_null(nadi_inflate_open(path, "trace", &diags));
        assert_string_equal(diags.items[2].code, "file/unreadable");
        unlink(path);
    }
    assert_null(nadi_out_open(in_folder(path, sizeof path, "no/such/folder.et"), NADI_CODING_PLAIN,
                              &diags));
    assert_string_equal(diags.items[diags.count - 1].code, "file/unwritable");
    nadi_diags_release(&diags);
}

static void files_appear_only_when_complete(void **state)
{
    (void)state;
    struct nadi_diags diags;
    struct stat about;
    char path[256];
    nadi_diags_init(&diags);
    struct nadi_out *sink =
        nadi_out_open(in_folder(path, sizeof path, "a.et"), NADI_CODING_ZSTD, &diags);
    nadi_out_bytes(sink, "x", 1);
    assert_int_equal(stat(path, &about), -1);
    assert_true(nadi_out_close(sink, &diags));
    assert_int_equal(stat(path, &about), 0);
    sink = nadi_out_open(in_folder(path, sizeof path, "b.et"), NADI_CODING_GZIP, &diags);
    nadi_out_bytes(sink, "x", 1);
    nadi_out_discard(sink);
    nadi_out_discard(NULL);
    assert_int_equal(stat(path, &about), -1);
    assert_int_equal(stat(in_folder(path, sizeof path, "b.et.part"), &about), -1);
    unlink(in_folder(path, sizeof path, "a.et"));
    nadi_diags_release(&diags);
}

static void a_stored_file_is_hashed_in_pieces(void **state)
{
    (void)state;
    struct nadi_str plain = NADI_STR_INIT;
    struct nadi_diags diags;
    uint8_t hash[32], wanted[32];
    uint64_t bytes = 0;
    char path[256];
    nadi_diags_init(&diags);
    put_text(&plain, 300000);
    in_folder(path, sizeof path, "c.et");
    assert_true(nadi_file_write(path, plain.text, plain.length, &diags));
    assert_true(nadi_inflate_hash_file(path, hash, &bytes));
    nadi_sha256(plain.text, plain.length, wanted);
    assert_int_equal(bytes, plain.length);
    assert_memory_equal(hash, wanted, sizeof hash);
    unlink(path);
    assert_false(nadi_inflate_hash_file(path, hash, &bytes));
    assert_false(nadi_inflate_hash_file(folder, hash, &bytes));
    nadi_str_release(&plain);
    nadi_diags_release(&diags);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    struct nadi_diags diags;
    char path[256];
    nadi_diags_init(&diags);
    in_folder(path, sizeof path, "full.et.part");
    if (access("/dev/full", W_OK) != 0 || symlink("/dev/full", path) != 0)
        skip_because("no /dev/full");
    struct nadi_out *sink =
        nadi_out_open(in_folder(path, sizeof path, "full.et"), NADI_CODING_PLAIN, &diags);
    assert_non_null(sink);
    nadi_out_bytes(sink, path, sizeof path);
    assert_false(nadi_out_close(sink, &diags));
    assert_string_equal(diags.items[0].code, "file/unwritable");
    nadi_diags_release(&diags);
}

struct slow_writer {
    int fd;
    const struct nadi_str *data;
};

static void *write_slowly(void *argument)
{
    const struct slow_writer *w = argument;
    for (size_t i = 0; i < w->data->length; i++) {
        if (write(w->fd, w->data->text + i, 1) != 1)
            break;
    }
    close(w->fd);
    return NULL;
}

static void pipes_in_single_bytes(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct nadi_str plain = NADI_STR_INIT, stored = NADI_STR_INIT, got = NADI_STR_INIT;
        struct nadi_diags diags;
        char path[256];
        int ends[2];
        pthread_t thread;
        nadi_diags_init(&diags);
        put_text(&plain, 2000);
        encode(&stored, &plain, codings[k]);
        assert_int_equal(pipe(ends), 0);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        struct nadi_inflate *source = nadi_inflate_open(path, "trace", &diags);
        assert_non_null(source);
        close(ends[0]);
        struct slow_writer w = {ends[1], &stored};
        assert_int_equal(pthread_create(&thread, NULL, write_slowly, &w), 0);
        assert_true(decode(source, 1000, &got, &diags));
        pthread_join(thread, NULL);
        assert_int_equal(got.length, plain.length);
        assert_memory_equal(got.text, plain.text, got.length);
        nadi_inflate_close(source);
        nadi_str_release(&plain);
        nadi_str_release(&stored);
        nadi_str_release(&got);
        nadi_diags_release(&diags);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(several_members_in_a_row),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(short_magic_is_plain),
        cmocka_unit_test(files_that_cannot_be_opened),
        cmocka_unit_test(files_appear_only_when_complete),
        cmocka_unit_test(a_stored_file_is_hashed_in_pieces),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(pipes_in_single_bytes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
