/* table_tacos: TACOS' CSV of an all-gather as a table.
 *
 *   NPUs Count,4
 *   Links Count,8
 *   Chunks Count,4
 *   Chunk Size,1048576,B
 *   SrcID,DestID,Latency (ns),Bandwidth (GB/s),Chunks
 *   0,1,500,50,0,3
 *
 * A row a link: the chunks that it carries, one after the other, `None` for none; with times
 * behind a colon (`3:976562`, `3:1953124:976562`), which are not looked at. Other lines before the
 * header are not either. Whose a chunk is follows from who never receives it; TACOS may send it
 * back to who has it: where it comes to all, chunk c is NPU c mod N's. Each link is a queue of its
 * sender and one of its receiver; a chunk leaves when it is there. */
#include "base/mem.h"
#include "collective/table_inside.h"

struct link {
    uint32_t from, to, line;
    size_t first, count; /* of chunks */
    uint32_t out, in;    /* queues: of the sender, of the receiver */
};

struct arrival { /* of a chunk at an NPU */
    uint32_t queue, steps;
};

struct reader {
    struct nadi_table_file *f;
    struct nadi_diags *diags;
    uint32_t n, chunk_count, line;
    struct {
        struct link *items;
        size_t count, capacity;
    } links;
    struct {
        uint32_t *items;
        size_t count, capacity;
    } chunks;
    struct arrival *arrivals; /* [npu * chunk_count + chunk]; queue NADI_NONE: none */
    uint32_t *block_of;       /* by chunk */
};

enum { MOST_CHUNKS = 1 << 24, MOST_PLACES = 1 << 28 };

static bool fail(const struct reader *r, const char *hint, const char *said, const char *text)
{
    struct nadi_place place = NADI_IN_FILE(r->f->path);
    place.line = r->line;
    struct nadi_str message = NADI_STR_INIT;
    for (const char *c = said; *c; c++)
        if (*c == '$')
            nadi_str_printf(&message, "'%.40s'", text);
        else
            nadi_str_add_char(&message, *c);
    nadi_error(r->diags, "tacos/csv", place, hint, "%s", nadi_str_get(&message));
    nadi_str_release(&message);
    return false;
}

/* ---- lines and fields ----------------------------------------------------------------------- */

/* Cuts the field at the comma; NULL at the end of the line. */
static char *next_field(char **at)
{
    char *field = *at;
    if (!field)
        return NULL;
    char *comma = strchr(field, ',');
    *at = comma ? comma + 1 : NULL;
    if (comma)
        *comma = '\0';
    field += strspn(field, " \t");
    size_t length = strlen(field);
    while (length > 0 && strchr(" \t\r", field[length - 1]))
        field[--length] = '\0';
    return field;
}

static bool read_u32(const struct reader *r, const char *text, const char *what, uint64_t most,
                     uint32_t *value)
{
    uint64_t number;
    if (!text || !nadi_str_to_u64(text, &number) || number > most)
        return fail(r, what, "$ is no number that may stand here", text ? text : "");
    *value = (uint32_t)number;
    return true;
}

static bool read_count(struct reader *r, char *key, char *rest)
{
    const char *value = next_field(&rest);
    if (strcmp(key, "NPUs Count") == 0)
        return read_u32(r, value, "the number of NPUs", NADI_TABLE_MOST_MEMBERS, &r->n);
    if (strcmp(key, "Chunks Count") == 0)
        return read_u32(r, value, "the number of chunks", MOST_CHUNKS, &r->chunk_count);
    return true; /* what else is said about the synthesis */
}

static bool read_chunks(struct reader *r, struct link *link, char *rest)
{
    for (char *field = next_field(&rest); field; field = next_field(&rest)) {
        uint32_t chunk = 0;
        if (strcmp(field, "None") == 0 || !*field)
            continue;
        field[strcspn(field, ":")] = '\0';
        if (!read_u32(r, field, "chunks are numbered from 0 on", r->chunk_count - 1ULL, &chunk))
            return false;
        NADI_PUSH(&r->chunks, chunk);
        link->count++;
    }
    return true;
}

static bool read_link(struct reader *r, char *row)
{
    struct link link = {.line = r->line, .first = r->chunks.count};
    const char *from = next_field(&row), *to = next_field(&row);
    if (!read_u32(r, from, "NPUs are numbered from 0 on", r->n - 1ULL, &link.from) ||
        !read_u32(r, to, "NPUs are numbered from 0 on", r->n - 1ULL, &link.to))
        return false;
    if (link.from == link.to)
        return fail(r, NULL, "NPU $ has a link to itself", from);
    (void)next_field(&row); /* latency and bandwidth are the network's */
    (void)next_field(&row);
    if (!read_chunks(r, &link, row))
        return false;
    NADI_PUSH(&r->links, link);
    return true;
}

static bool read_lines(struct reader *r, char *data)
{
    bool links = false;
    for (char *line = data; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        r->line++;
        char *rest = line;
        if (links && line[strspn(line, " \t\r")] != '\0') {
            if (!read_link(r, line))
                return false;
        } else if (!links) {
            char *key = next_field(&rest);
            links = strcmp(key, "SrcID") == 0;
            if (links && (r->n == 0 || r->chunk_count == 0))
                return fail(r, "write 'NPUs Count,N' and 'Chunks Count,C' before it",
                            "the numbers of NPUs and chunks are missing", "");
            if (!links && !read_count(r, key, rest))
                return false;
        }
        line = end ? end + 1 : NULL;
    }
    return links || fail(r, "TACOS writes 'SrcID,DestID,Latency (ns),Bandwidth (GB/s),Chunks'",
                         "there is no header of links", "");
}

/* ---- queues, arrivals, blocks ---------------------------------------------------------------- */

static void number_queues(struct reader *r)
{
    uint32_t *out = NADI_ZNEW(uint32_t, r->n), *in = NADI_ZNEW(uint32_t, r->n), most = 0;
    for (size_t i = 0; i < r->links.count; i++) {
        struct link *l = &r->links.items[i];
        l->out = out[l->from]++;
        l->in = in[l->to]++;
        most = l->out + 1 > most ? l->out + 1 : most;
    }
    for (size_t i = 0; i < r->links.count; i++)
        r->links.items[i].in += most;
    nadi_mem_free(out);
    nadi_mem_free(in);
}

static bool find_arrivals(struct reader *r)
{
    const size_t places = (size_t)r->n * r->chunk_count;
    r->arrivals = NADI_NEW(struct arrival, places);
    memset(r->arrivals, 0xff, places * sizeof(*r->arrivals));
    for (size_t i = 0; i < r->links.count; i++) {
        const struct link *l = &r->links.items[i];
        for (uint32_t k = 0; k < l->count; k++) {
            const uint32_t chunk = r->chunks.items[l->first + k];
            struct arrival *a = &r->arrivals[(size_t)l->to * r->chunk_count + chunk];
            char number[16];
            snprintf(number, sizeof(number), "%u", chunk);
            r->line = l->line;
            if (a->queue != NADI_NONE)
                return fail(r, NULL, "chunk $ comes to its NPU a second time", number);
            *a = (struct arrival){l->in, k + 1};
        }
    }
    return true;
}

/* The only NPU that never receives a chunk has it; of one that comes to all, NPU c mod N has it and
 * does not wait for it. */
static bool find_owners(struct reader *r)
{
    struct nadi_place place = NADI_IN_FILE(r->f->path);
    uint32_t *owned = NADI_ZNEW(uint32_t, r->n);
    bool ok = true;
    r->block_of = NADI_NEW(uint32_t, r->chunk_count);
    for (uint32_t c = 0; c < r->chunk_count && ok; c++) {
        uint32_t without[2] = {NADI_NONE, NADI_NONE}, count = 0;
        for (uint32_t m = 0; m < r->n; m++)
            if (r->arrivals[(size_t)m * r->chunk_count + c].queue == NADI_NONE && count++ < 2)
                without[count - 1] = m;
        if (count == 0) {
            without[0] = c % r->n;
            r->arrivals[(size_t)without[0] * r->chunk_count + c].queue = NADI_NONE;
        }
        if (count > 1)
            ok =
                nadi_error(r->diags, "collective/wrong", place, NULL,
                           "this is no ALL_GATHER: chunk %u never comes to NPUs %u and %u, and one "
                           "alone can have had it",
                           c, without[0], without[1]);
        else
            r->block_of[c] = without[0];
        if (ok)
            owned[without[0]]++;
    }
    const uint32_t part = r->chunk_count / r->n;
    for (uint32_t m = 0; m < r->n && ok; m++)
        if (owned[m] != part || r->chunk_count % r->n != 0)
            ok = nadi_error(r->diags, "tacos/owner", place, NULL,
                            "NPU %u has %u of %u chunks, not each of %u NPUs as many", m, owned[m],
                            r->chunk_count, r->n);
    memset(owned, 0, r->n * sizeof(*owned));
    for (uint32_t c = 0; c < r->chunk_count && ok; c++) {
        const uint32_t owner = r->block_of[c];
        r->block_of[c] = owner * part + owned[owner]++;
    }
    nadi_mem_free(owned);
    return ok;
}

static void add_link(struct reader *r, const struct link *l)
{
    struct nadi_table *t = &r->f->table;
    for (size_t k = 0; k < l->count; k++) {
        const uint32_t chunk = r->chunks.items[l->first + k];
        const struct arrival *a = &r->arrivals[(size_t)l->from * r->chunk_count + chunk];
        struct nadi_step *s = nadi_table_add(t, l->from, l->out);
        s->to = l->to;
        s->to_queue = l->in;
        if (a->queue != NADI_NONE) {
            s->wait_queue = (int)a->queue;
            s->wait_steps = a->steps;
        }
        nadi_table_line(t, l->line);
        nadi_table_send(t, r->block_of[chunk], 1);
        nadi_table_add(t, l->to, l->in)->from = l->from;
        nadi_table_line(t, l->line);
    }
}

static bool make_table(struct reader *r)
{
    const struct nadi_table_shape shape = {
        .kind = NADI_ALL_GATHER, .n = r->n, .blocks = r->chunk_count};
    if ((uint64_t)r->n * r->chunk_count > MOST_PLACES)
        return fail(r, NULL, "too many NPUs and chunks", "");
    number_queues(r);
    if (!find_arrivals(r) || !find_owners(r))
        return false;
    nadi_table_init(&r->f->table, &shape);
    for (size_t i = 0; i < r->links.count; i++)
        add_link(r, &r->links.items[i]);
    return true;
}

bool nadi_table_read_tacos(struct nadi_table_file *f, char *data, struct nadi_diags *diags)
{
    struct reader r = {.f = f, .diags = diags};
    const bool ok = read_lines(&r, data) && make_table(&r);
    nadi_mem_free(r.links.items);
    nadi_mem_free(r.chunks.items);
    nadi_mem_free(r.arrivals);
    nadi_mem_free(r.block_of);
    return ok;
}
