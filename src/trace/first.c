#include "trace/first.h"

#include "base/signature.h"
#include "base/str.h"

#define CONVERT_HINT                                                                               \
    "a Chakra execution trace is made by a trace converter or `nadi gen`; see `nadi help run`"

/* The first bytes of the file in hexadecimal and as text. */
static void add_first_bytes(struct nadi_str *s, const uint8_t *p, size_t bytes)
{
    size_t shown = bytes < 8 ? bytes : 8;
    for (size_t i = 0; i < shown; i++)
        nadi_str_printf(s, "%s%02x", i ? " " : "", p[i]);
    nadi_str_add(s, " \"");
    for (size_t i = 0; i < shown; i++)
        nadi_str_add_char(s, p[i] >= 0x20 && p[i] < 0x7f ? (char)p[i] : '.');
    nadi_str_add(s, "\"");
}

static const char *guess(const uint8_t *p, size_t bytes)
{
    if (memmem(p, bytes, "nadi-manifest:", 14))
        return "this is a manifest of a job: name the traces that it lists, one of each kind of "
               "rank; with --files `nadi gen` and `nadi model trace` write one for each rank";
    if (bytes >= 1 && (p[0] == '{' || p[0] == '['))
        return "this looks like JSON; a PyTorch capture must be converted to a Chakra trace first";
    if (bytes >= 2 && p[0] == 0x1f && p[1] == 0x8b)
        return "this was compressed twice with gzip; decompress it once";
    if (bytes >= 4 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0)
        return "this was compressed twice with zstd; decompress it once";
    return CONVERT_HINT;
}

const char *nadi_first_guess(const struct nadi_frames *f)
{
    return guess(f->window, f->end);
}

/* `m` is the first message; its frame starts the window. */
static bool not_chakra(const struct nadi_frames *f, struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(f->path);
    struct nadi_str first = NADI_STR_INIT;
    place.offset = 0;
    add_first_bytes(&first, f->window, f->end);
    const struct nadi_signature *s = nadi_signature_find(f->path, f->window, f->end);
    if (s && !nadi_signature_is_for(s, "Chakra trace"))
        nadi_error(diags, "trace/not-chakra", place, nadi_signature_hint(s),
                   "this is %s; a Chakra ET is wanted (first bytes %s)", nadi_signature_form(s),
                   nadi_str_get(&first));
    else
        nadi_error(diags, "trace/not-chakra", place, nadi_first_guess(f),
                   "not a Chakra ET (first bytes %s)", nadi_str_get(&first));
    nadi_str_release(&first);
    return false;
}

static bool is_old_version(const uint8_t *p, size_t bytes)
{
    return bytes == 5 && memcmp(p, "0.0.", 4) == 0 && p[4] >= '1' && p[4] <= '3';
}

/* The schema attribute reads like "1.0.2-chakra.0.0.4". */
bool nadi_first_accept(const struct nadi_frame *m, const struct nadi_raw_metadata *raw)
{
    const uint8_t *version = raw->version_bytes ? raw->version : raw->schema;
    size_t bytes = raw->version_bytes ? raw->version_bytes : raw->schema_bytes;
    const uint8_t *dash = version ? memmem(version, bytes, "chakra.", 7) : NULL;
    if (dash) {
        bytes -= (size_t)(dash + 7 - version);
        version = dash + 7;
    }
    if (!version || !is_old_version(version, bytes))
        return true;
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.offset = m->offset;
    return nadi_error(m->diags, "trace/old-schema", place, NADI_OLD_SCHEMA_HINT,
                      "the file says that it was written with Chakra schema %.5s",
                      (const char *)version);
}

static bool no_metadata(const struct nadi_frame *m)
{
    struct nadi_place place = NADI_IN_FILE(m->path);
    place.offset = m->offset;
    return nadi_error(m->diags, "trace/no-metadata", place,
                      "write a GlobalMetadata message first; other tools would lose the first node "
                      "silently",
                      "the first message is a Node where GlobalMetadata must stand");
}

bool nadi_first_read(struct nadi_frames *f, struct nadi_frame *message,
                     struct nadi_raw_metadata *raw, struct nadi_diags *diags)
{
    struct nadi_place place = NADI_IN_FILE(f->path);
    switch (nadi_frames_next(f, message, diags)) {
    case NADI_FRAME_END:
        place.offset = 0;
        return nadi_error(diags, "trace/empty-file", place,
                          "write the trace again; a trace starts with a GlobalMetadata message",
                          "the file is empty");
    case NADI_FRAME_FAILED:
        return false;
    case NADI_FRAME_CUT:
    case NADI_FRAME_MESSAGE:
        break;
    }
    switch (nadi_decode_first(message, raw)) {
    case NADI_FIRST_UNKNOWN:
        return not_chakra(f, diags);
    case NADI_FIRST_NODE:
        return message->cut ? nadi_frame_cut_error(message) : no_metadata(message);
    case NADI_FIRST_OLD_SCHEMA:
        place.offset = message->offset;
        return nadi_error(diags, "trace/old-schema", place, NADI_OLD_SCHEMA_HINT,
                          "the first message follows an old Chakra schema (0.0.1 to 0.0.3)");
    case NADI_FIRST_METADATA:
        break;
    }
    return message->cut ? nadi_frame_cut_error(message) : nadi_first_accept(message, raw);
}
