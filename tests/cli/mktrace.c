/* mktrace PREFIX: writes Chakra traces from lines of text on standard input, for command-line
 * tests.
 *
 *   rank 0 1                 the nodes that follow go to PREFIX.0.et and PREFIX.1.et
 *   node 3 coll deps=1,2 comm_size=1024 comm_type=0 name=grads
 *
 * Types: invalid metadata load store comp send recv coll. deps, ctrl, us, name and values are the
 * fields of a node; every other key is an attribute: a whole number (int64), a word in quotes
 * ("tp"), or true / false. $r stands for the rank. A line that cannot be read ends the program
 * with 1. */
#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"

#include <chakra.pb-c.h>

enum { MAX_RANKS = 64, MAX_LIST = 32, MAX_WORDS = 32, MAX_LINE = 1024 };

static _Noreturn void fail(const char *what, const char *text)
{
    fprintf(stderr, "mktrace: %s: %s\n", what, text);
    exit(1);
}

static uint64_t number(const char *text)
{
    uint64_t value;
    if (!nadi_str_to_u64(text, &value))
        fail("not a number", text);
    return value;
}

static void write_frame(FILE *file, const ProtobufCMessage *message)
{
    size_t bytes = protobuf_c_message_get_packed_size(message);
    uint8_t *buffer = nadi_mem_alloc(bytes, 1);
    protobuf_c_message_pack(message, buffer);
    for (size_t rest = bytes;; rest >>= 7) {
        fputc((int)(rest & 127) | (rest > 127 ? 128 : 0), file);
        if (rest <= 127)
            break;
    }
    fwrite(buffer, 1, bytes, file);
    nadi_mem_free(buffer);
}

static size_t read_list(char *text, uint64_t list[MAX_LIST])
{
    size_t count = 0;
    for (char *at = text; at && *at && count < MAX_LIST;) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        list[count++] = number(at);
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

static Chakra__NodeType read_type(const char *word)
{
    static const char *const types[] = {"invalid", "metadata", "load", "store",
                                        "comp",    "send",     "recv", "coll"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (nadi_str_equal(word, types[i]))
            return (Chakra__NodeType)i;
    }
    fail("no such type", word);
}

/* "[a,10]" */
static Chakra__StringList *read_words(char *text, struct nadi_arena *arena)
{
    Chakra__StringList *list = NADI_ARENA_NEW(arena, Chakra__StringList, 1);
    chakra__string_list__init(list);
    list->values = NADI_ARENA_NEW(arena, char *, MAX_LIST);
    text[strcspn(text, "]")] = '\0';
    for (char *at = text + 1; *at && list->n_values < MAX_LIST;) {
        list->values[list->n_values++] = at;
        at += strcspn(at, ",");
        if (*at)
            *at++ = '\0';
    }
    return list;
}

static void read_attribute(Chakra__AttributeProto *a, char *name, char *value,
                           struct nadi_arena *arena)
{
    chakra__attribute_proto__init(a);
    a->name = name;
    if (nadi_str_equal(value, "true") || nadi_str_equal(value, "false")) {
        a->value_case = CHAKRA__ATTRIBUTE_PROTO__VALUE_BOOL_VAL;
        a->bool_val = value[0] == 't';
    } else if (value[0] == '[') {
        a->value_case = CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_LIST;
        a->string_list = read_words(value, arena);
    } else if (value[0] == '"') {
        a->value_case = CHAKRA__ATTRIBUTE_PROTO__VALUE_STRING_VAL;
        a->string_val = value + 1;
        value[strcspn(value + 1, "\"") + 1] = '\0';
    } else {
        a->value_case = CHAKRA__ATTRIBUTE_PROTO__VALUE_INT64_VAL;
        a->int64_val = (int64_t)number(value);
    }
}

static size_t split(char *line, char *words[MAX_WORDS])
{
    size_t count = 0;
    for (char *at = line + strspn(line, " "); *at && count < MAX_WORDS;) {
        words[count++] = at;
        at += strcspn(at, " ");
        if (*at)
            *at++ = '\0';
        at += strspn(at, " ");
    }
    return count;
}

static void write_node(FILE *file, char *line)
{
    char *words[MAX_WORDS];
    const size_t count = split(line, words);
    if (count < 3)
        fail("node wants an id and a type", line);
    Chakra__AttributeProto attributes[MAX_WORDS], *pointers[MAX_WORDS];
    uint64_t deps[MAX_LIST], ctrl[MAX_LIST];
    Chakra__IOInfo inputs;
    Chakra__Node node;
    struct nadi_arena arena; /* of the node's lists */
    nadi_arena_init(&arena);
    chakra__ioinfo__init(&inputs);
    chakra__node__init(&node);
    node.id = number(words[1]);
    node.type = read_type(words[2]);
    node.attr = pointers;
    for (size_t i = 3; i < count; i++) {
        char *value = strchr(words[i], '=');
        if (!value)
            fail("not key=value", words[i]);
        *value++ = '\0';
        if (nadi_str_equal(words[i], "name")) {
            node.name = value;
        } else if (nadi_str_equal(words[i], "us")) {
            node.duration_micros = number(value);
        } else if (nadi_str_equal(words[i], "deps")) {
            node.n_data_deps = read_list(value, deps);
            node.data_deps = deps;
        } else if (nadi_str_equal(words[i], "ctrl")) {
            node.n_ctrl_deps = read_list(value, ctrl);
            node.ctrl_deps = ctrl;
        } else if (nadi_str_equal(words[i], "values")) {
            inputs.values = value;
            node.inputs = &inputs;
        } else {
            pointers[node.n_attr] = &attributes[node.n_attr];
            read_attribute(&attributes[node.n_attr++], words[i], value, &arena);
        }
    }
    write_frame(file, &node.base);
    nadi_arena_release(&arena);
}

/* The line with every $r replaced. */
static void for_rank(const char *line, uint64_t rank, struct nadi_str *out)
{
    nadi_str_clear(out);
    for (; *line; line++) {
        if (line[0] == '$' && line[1] == 'r') {
            nadi_str_printf(out, "%" PRIu64, rank);
            line++;
        } else {
            nadi_str_add_char(out, *line);
        }
    }
}

static FILE *open_rank(const char *prefix, uint64_t rank)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s.%" PRIu64 ".et", prefix, rank);
    FILE *file = fopen(nadi_str_get(&path), "wb");
    if (!file)
        fail("cannot write", nadi_str_get(&path));
    nadi_str_release(&path);
    static char version[] = "0.0.4";
    Chakra__GlobalMetadata metadata;
    chakra__global_metadata__init(&metadata);
    metadata.version = version;
    write_frame(file, &metadata.base);
    return file;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage", "mktrace PREFIX <TEXT");
    FILE *files[MAX_RANKS];
    uint64_t ranks[MAX_RANKS];
    size_t open = 0;
    char line[MAX_LINE];
    struct nadi_str text = NADI_STR_INIT;
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        char *start = line + strspn(line, " ");
        if (nadi_str_starts(start, "rank ")) {
            char *words[MAX_WORDS];
            while (open > 0)
                fclose(files[--open]);
            const size_t count = split(start, words);
            for (size_t i = 1; i < count; i++) {
                ranks[open] = number(words[i]);
                files[open] = open_rank(argv[1], ranks[open]);
                open++;
            }
        } else if (nadi_str_starts(start, "node ")) {
            for (size_t i = 0; i < open; i++) {
                for_rank(start, ranks[i], &text);
                write_node(files[i], text.text);
            }
        } else if (*start && *start != '#') {
            fail("neither rank nor node", start);
        }
    }
    while (open > 0)
        fclose(files[--open]);
    nadi_str_release(&text);
    return 0;
}
