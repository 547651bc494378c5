/* dumpi: the text of dumpi2ascii, a file of each rank.
 *
 * Calls come as "MPI_Send entering at walltime 1.5, cputime ..", lines of arguments "int count=4",
 * "MPI_Datatype datatype=11 (MPI_DOUBLE)", and "... returning at walltime". The time between two
 * calls is a compute node of the processor; a call waits for what stands before it, nonblocking
 * ones for nothing more, and MPI_Wait for its requests. Communicators other than MPI_COMM_WORLD are
 * refused: the text does not say their members. */
#include "base/file.h"
#include "base/mem.h"
#include "base/time.h"
#include "frontend/frontend.h"

enum { ARGUMENTS = 32 };

struct argument {
    const char *name, *value;
};

struct call {
    char *name;
    struct argument arguments[ARGUMENTS];
    uint32_t count, line;
    int64_t enter_ns, return_ns;
};

struct request {
    int64_t number;
    uint64_t id;
};

struct reader {
    struct nadi_front_job *job;
    uint32_t rank, line;
    const char *path;
    uint64_t last;   /* what the next call waits for */
    int64_t left_ns; /* when the call before was left */
    struct {
        struct request *items;
        size_t count, capacity;
    } requests;
    struct nadi_diags *diags;
};

static struct nadi_place place_of(const struct reader *r, uint32_t line)
{
    struct nadi_place p = NADI_IN_FILE(r->path);
    p.line = line;
    p.rank = r->rank;
    return p;
}

static const char *argument(const struct call *c, const char *name)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (strcmp(c->arguments[i].name, name) == 0)
            return c->arguments[i].value;
    return NULL;
}

/* "12", "12 (MPI_X)", "[4]"; false with an error. */
static bool number_of(struct reader *r, const struct call *c, const char *name, int64_t *number)
{
    const char *value = argument(c, name);
    char digits[24];
    if (value && *value == '[')
        value++;
    const size_t length = value ? strspn(value, "-0123456789") : 0;
    if (length == 0 || length >= sizeof(digits))
        return nadi_error(r->diags, "dumpi/argument", place_of(r, c->line), NULL,
                          "%s: the number '%s' is missing", c->name, name);
    memcpy(digits, value, length);
    digits[length] = '\0';
    return nadi_str_to_i64(digits, number) ||
           nadi_error(r->diags, "dumpi/argument", place_of(r, c->line), NULL,
                      "%s: '%s' is no number: %s", c->name, name, value);
}

/* Bytes of "11 (MPI_DOUBLE)". */
static bool width_of(struct reader *r, const struct call *c, const char *name, uint64_t *bytes)
{
    static const struct {
        const char *word;
        uint64_t bytes;
    } types[] = {{"MPI_CHAR", 1},
                 {"MPI_SIGNED_CHAR", 1},
                 {"MPI_UNSIGNED_CHAR", 1},
                 {"MPI_BYTE", 1},
                 {"MPI_PACKED", 1},
                 {"MPI_SHORT", 2},
                 {"MPI_UNSIGNED_SHORT", 2},
                 {"MPI_INT", 4},
                 {"MPI_UNSIGNED", 4},
                 {"MPI_FLOAT", 4},
                 {"MPI_INTEGER", 4},
                 {"MPI_REAL", 4},
                 {"MPI_LOGICAL", 4},
                 {"MPI_LONG", 8},
                 {"MPI_UNSIGNED_LONG", 8},
                 {"MPI_DOUBLE", 8},
                 {"MPI_LONG_LONG_INT", 8},
                 {"MPI_LONG_LONG", 8},
                 {"MPI_DOUBLE_PRECISION", 8},
                 {"MPI_COMPLEX", 8},
                 {"MPI_DOUBLE_COMPLEX", 16},
                 {"MPI_LONG_DOUBLE", 16}};
    const char *value = argument(c, name), *open = value ? strchr(value, '(') : NULL;
    const size_t length = open ? strcspn(open + 1, ")") : 0;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strlen(types[i].word) == length && memcmp(types[i].word, open + 1, length) == 0) {
            *bytes = types[i].bytes;
            return true;
        }
    return nadi_error(r->diags, "dumpi/type", place_of(r, c->line),
                      "predefined types have a known size; types of the program have none here",
                      "%s: the size of type '%s' is not known", c->name, value ? value : name);
}

static bool is_world(struct reader *r, const struct call *c)
{
    const char *comm = argument(c, "comm");
    return !comm || strstr(comm, "MPI_COMM_WORLD") ||
           nadi_error(r->diags, "dumpi/communicator", place_of(r, c->line),
                      "only MPI_COMM_WORLD: the text does not say the members of others",
                      "%s on communicator %s", c->name, comm);
}

static bool size_of(struct reader *r, const struct call *c, const char *count, const char *type,
                    uint64_t *bytes)
{
    int64_t number;
    uint64_t width;
    if (!number_of(r, c, count, &number) || !width_of(r, c, type, &width))
        return false;
    if (number < 0)
        return nadi_error(r->diags, "dumpi/argument", place_of(r, c->line), NULL,
                          "%s: a count of %" PRId64, c->name, number);
    *bytes = nadi_count_mul((uint64_t)number, width);
    return true;
}

static void add(struct reader *r, const struct nadi_front_node *node, bool blocks, uint64_t *id)
{
    *id = nadi_front_add(r->job, r->rank, node, &r->last, 1);
    if (blocks)
        r->last = *id;
}

static bool add_message(struct reader *r, const struct call *c, bool send, const char *count,
                        const char *type, const char *tag, bool blocks, uint64_t *id)
{
    int64_t peer, number;
    struct nadi_front_node node = {.name = c->name,
                                   .kind = send ? NADI_FRONT_SEND : NADI_FRONT_RECV};
    if (!is_world(r, c) || !number_of(r, c, send ? "dest" : "source", &peer) ||
        !number_of(r, c, tag, &number) || !size_of(r, c, count, type, &node.bytes))
        return false;
    if (peer < 0 || peer >= r->job->rank_count || number < 0 || number > INT32_MAX)
        return nadi_error(r->diags, "dumpi/peer", place_of(r, c->line),
                          "wildcards (MPI_ANY_SOURCE, MPI_ANY_TAG) are not in a trace",
                          "%s with rank %" PRId64 ", tag %" PRId64 "; there are %u files", c->name,
                          peer, number, r->job->rank_count);
    node.peer = (uint32_t)peer;
    node.tag = (uint32_t)number;
    if (node.bytes == 0)
        node.bytes = 1; /* a message without content */
    add(r, &node, blocks, id);
    return true;
}

static bool add_collective(struct reader *r, const struct call *c, enum nadi_collective_kind kind,
                           const char *count, const char *type)
{
    struct nadi_front_node node = {
        .name = c->name, .kind = NADI_FRONT_COLLECTIVE, .collective = kind};
    uint64_t id;
    if (!is_world(r, c) || (count && !size_of(r, c, count, type, &node.bytes)))
        return false;
    if (kind == NADI_ALL_TO_ALL)
        node.bytes = nadi_count_mul(node.bytes, r->job->rank_count); /* the whole buffer */
    node.bytes = node.bytes ? node.bytes : 1;
    add(r, &node, true, &id);
    return true;
}

static bool keep_request(struct reader *r, const struct call *c, uint64_t id)
{
    struct request request = {.id = id};
    if (!number_of(r, c, "request", &request.number))
        return false;
    NADI_PUSH(&r->requests, request);
    return true;
}

/* "[3, 4]" or "3": what they stand for is waited for. */
static void wait_for(struct reader *r, const struct call *c, const char *value)
{
    struct nadi_u64_list deps = {0};
    const struct nadi_front_node node = {.name = c->name, .host = true};
    NADI_PUSH(&deps, r->last);
    for (const char *at = value; at && *at;) {
        char *end;
        const long number = strtol(at, &end, 10);
        if (end == at) {
            at++;
            continue;
        }
        at = end;
        for (size_t i = r->requests.count; i-- > 0;) {
            if (r->requests.items[i].number != number)
                continue;
            NADI_PUSH(&deps, r->requests.items[i].id);
            r->requests.items[i] = r->requests.items[--r->requests.count];
            break;
        }
    }
    r->last = nadi_front_add(r->job, r->rank, &node, deps.items, deps.count);
    nadi_mem_free(deps.items);
}

static bool take_call(struct reader *r, const struct call *c)
{
    static const struct {
        const char *name, *count, *type;
        enum nadi_collective_kind kind;
    } collectives[] = {
        {"MPI_Allreduce", "count", "datatype", NADI_ALL_REDUCE},
        {"MPI_Reduce", "count", "datatype", NADI_REDUCE},
        {"MPI_Bcast", "count", "datatype", NADI_BROADCAST},
        {"MPI_Allgather", "sendcount", "sendtype", NADI_ALL_GATHER},
        {"MPI_Alltoall", "sendcount", "sendtype", NADI_ALL_TO_ALL},
        {"MPI_Gather", "sendcount", "sendtype", NADI_GATHER},
        {"MPI_Scatter", "recvcount", "recvtype", NADI_SCATTER},
        {"MPI_Barrier", NULL, NULL, NADI_BARRIER},
    };
    static const char *const sends[] = {"MPI_Send",  "MPI_Bsend",  "MPI_Ssend",  "MPI_Rsend",
                                        "MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend"};
    static const char *const refused[] = {
        "MPI_Start",  "MPI_Alltoallv",        "MPI_Allgatherv", "MPI_Reduce_scatter",
        "MPI_Scan",   "MPI_Gatherv",          "MPI_Scatterv",   "MPI_Put",
        "MPI_Get",    "MPI_Accumulate",       "MPI_Startall",   "MPI_Alltoallw",
        "MPI_Exscan", "MPI_Sendrecv_replace", "MPI_Waitany",    "MPI_Waitsome"};
    uint64_t id;
    for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++)
        if (strcmp(c->name, collectives[i].name) == 0)
            return add_collective(r, c, collectives[i].kind, collectives[i].count,
                                  collectives[i].type);
    for (size_t i = 0; i < sizeof(sends) / sizeof(sends[0]); i++)
        if (strcmp(c->name, sends[i]) == 0)
            return add_message(r, c, true, "count", "datatype", "tag", i < 4, &id) &&
                   (i < 4 || keep_request(r, c, id));
    if (strcmp(c->name, "MPI_Recv") == 0)
        return add_message(r, c, false, "count", "datatype", "tag", true, &id);
    if (strcmp(c->name, "MPI_Irecv") == 0)
        return add_message(r, c, false, "count", "datatype", "tag", false, &id) &&
               keep_request(r, c, id);
    if (strcmp(c->name, "MPI_Sendrecv") == 0)
        return add_message(r, c, true, "sendcount", "sendtype", "sendtag", false, &id) &&
               add_message(r, c, false, "recvcount", "recvtype", "recvtag", true, &id);
    if (strcmp(c->name, "MPI_Wait") == 0)
        wait_for(r, c, argument(c, "request"));
    else if (strcmp(c->name, "MPI_Waitall") == 0)
        wait_for(r, c, argument(c, "requests"));
    else
        r->job->left_out++;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (strcmp(c->name, refused[i]) == 0)
            return nadi_error(r->diags, "dumpi/call", place_of(r, c->line), NULL,
                              "%s has no counterpart in a trace", c->name);
    return true;
}

/* "MPI_Send entering at walltime 11.000000200, cputime": the time; false: no such line. */
static bool read_time(const char *line, const char *word, int64_t *ns)
{
    const char *at = strstr(line, word);
    uint64_t seconds, nanos = 0;
    if (!at || !(at = nadi_str_take_u64(at + strlen(word), &seconds)) || seconds > INT32_MAX)
        return false;
    if (*at == '.') {
        const size_t digits = strspn(at + 1, "0123456789");
        if (digits > 9)
            return false;
        for (size_t i = 0; i < 9; i++)
            nanos = nanos * 10 + (uint64_t)(i < digits ? at[1 + i] - '0' : 0);
    }
    *ns = (int64_t)(seconds * 1000000000 + nanos);
    return true;
}

static bool end_call(struct reader *r, struct call *c, const char *line)
{
    if (!read_time(line, " returning at walltime ", &c->return_ns) || c->return_ns < c->enter_ns ||
        (r->left_ns != INT64_MIN && c->enter_ns < r->left_ns))
        return nadi_error(r->diags, "dumpi/time", place_of(r, r->line), NULL,
                          "%s ends before it begins, or begins before the call before it ended",
                          c->name);
    if (r->left_ns != INT64_MIN && c->enter_ns > r->left_ns) {
        const struct nadi_front_node compute = {
            .name = "compute", .host = true, .ns = (uint64_t)(c->enter_ns - r->left_ns)};
        uint64_t id;
        add(r, &compute, true, &id);
    }
    r->left_ns = c->return_ns;
    return take_call(r, c);
}

/* "MPI_Datatype datatype=11 (MPI_DOUBLE)", "int sendcounts[4]=[1, 2]" */
static void take_argument(struct call *c, char *line)
{
    char *equals = strchr(line, '=');
    if (!equals || c->count == ARGUMENTS)
        return;
    *equals = '\0';
    char *bracket = strchr(line, '[');
    if (bracket)
        *bracket = '\0';
    char *blank = strrchr(line, ' ');
    c->arguments[c->count++] = (struct argument){blank ? blank + 1 : line, equals + 1};
}

static bool take_line(struct reader *r, struct call *c, char *line)
{
    const size_t word = strcspn(line, " ");
    if (strstr(line, " entering at walltime ")) {
        *c = (struct call){.name = line, .line = r->line};
        if (!read_time(line, " entering at walltime ", &c->enter_ns))
            return nadi_error(r->diags, "dumpi/time", place_of(r, r->line), NULL,
                              "this is no time of dumpi2ascii");
        line[word] = '\0';
        return true;
    }
    if (!strstr(line, " returning at walltime ")) {
        if (c->name)
            take_argument(c, line);
        return true;
    }
    if (!c->name || strlen(c->name) != word || memcmp(c->name, line, word) != 0)
        return nadi_error(r->diags, "dumpi/call", place_of(r, r->line), NULL,
                          "%.*s returns, and was not entered", (int)(word < 64 ? word : 64), line);
    const bool ok = end_call(r, c, line);
    c->name = NULL;
    return ok;
}

bool nadi_dumpi_parse(struct nadi_front_job *job, uint32_t rank, const char *path, char *text,
                      struct nadi_diags *diags)
{
    struct reader r = {
        .job = job, .rank = rank, .path = path, .left_ns = INT64_MIN, .diags = diags};
    struct call call = {0};
    bool ok = true;
    for (char *at = text, *next; *at && ok; at = next) {
        char *end = at + strcspn(at, "\n");
        next = *end ? end + 1 : end;
        *end = '\0';
        r.line++;
        ok = take_line(&r, &call, at);
    }
    if (ok && call.name)
        ok = nadi_error(diags, "dumpi/cut", place_of(&r, call.line), "convert the whole trace",
                        "the file ends within %s", call.name);
    if (ok && job->ranks[rank].nodes.count == 0)
        ok = nadi_error(diags, "dumpi/empty", place_of(&r, 0),
                        "the text that dumpi2ascii prints of a trace",
                        "there is no call of MPI that a trace can hold");
    nadi_mem_free(r.requests.items);
    return ok;
}

bool nadi_front_read_dumpi(struct nadi_front_job *job, const struct nadi_front_source *source,
                           struct nadi_diags *diags)
{
    bool ok = true;
    if (source->ranks && source->ranks != source->count)
        return nadi_error(diags, "usage/ranks", NADI_NOWHERE, "leave out --ranks",
                          "%u ranks, and %zu files, one of each rank", source->ranks,
                          source->count);
    nadi_front_grow(job, (uint32_t)source->count);
    for (size_t i = 0; i < source->count && ok; i++) {
        char *text;
        size_t bytes;
        if (!nadi_file_read(source->paths[i], "DUMPI text", &text, &bytes, diags))
            return false;
        ok = nadi_dumpi_parse(job, (uint32_t)i, source->paths[i], text, diags);
        nadi_mem_free(text);
    }
    return ok;
}
