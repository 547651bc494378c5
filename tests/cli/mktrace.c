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
#include "base/diag.h"
#include "trace/write.h"

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

static uint32_t read_type(const char *word)
{
    static const char *const types[NADI_NODE_TYPES] = {"invalid", "metadata", "load", "store",
                                                       "comp",    "send",     "recv", "coll"};
    for (uint32_t i = 0; i < NADI_NODE_TYPES; i++) {
        if (nadi_str_equal(word, types[i]))
            return i;
    }
    fail("no such type", word);
}

/* "[a,10]" */
static size_t read_words(char *text, struct nadi_write_value list[MAX_LIST])
{
    size_t count = 0;
    text[strcspn(text, "]")] = '\0';
    for (char *at = text + 1; *at && count < MAX_LIST;) {
        list[count++] = (struct nadi_write_value){.text = at};
        at += strcspn(at, ",");
        if (*at)
            *at++ = '\0';
    }
    return count;
}

static struct nadi_write_attr read_attribute(const char *name, char *value,
                                             struct nadi_write_value list[MAX_LIST])
{
    if (nadi_str_equal(value, "true") || nadi_str_equal(value, "false"))
        return nadi_write_bool(name, value[0] == 't');
    if (value[0] == '[')
        return (struct nadi_write_attr){.name = name,
                                        .member = NADI_MEMBER_STRING_LIST,
                                        .list = list,
                                        .count = read_words(value, list)};
    if (value[0] != '"')
        return nadi_write_int64(name, (int64_t)number(value));
    value[strcspn(value + 1, "\"") + 1] = '\0';
    return nadi_write_string(name, value + 1);
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

static void write_node(struct nadi_trace_writer *w, char *line)
{
    char *words[MAX_WORDS];
    const size_t count = split(line, words);
    if (count < 3)
        fail("node wants an id and a type", line);
    struct nadi_write_attr attrs[MAX_WORDS];
    struct nadi_write_value lists[MAX_WORDS][MAX_LIST];
    uint64_t deps[MAX_LIST], ctrl[MAX_LIST];
    struct nadi_write_node node = {
        .id = number(words[1]),
        .type = read_type(words[2]),
        .data_deps = deps,
        .ctrl_deps = ctrl,
        .attrs = attrs,
    };
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
            node.data_dep_count = read_list(value, deps);
        } else if (nadi_str_equal(words[i], "ctrl")) {
            node.ctrl_dep_count = read_list(value, ctrl);
        } else if (nadi_str_equal(words[i], "values")) {
            node.inputs.values = value;
        } else {
            attrs[node.attr_count] = read_attribute(words[i], value, lists[node.attr_count]);
            node.attr_count++;
        }
    }
    nadi_trace_writer_node(w, &node);
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

static struct nadi_trace_writer *open_rank(const char *prefix, uint64_t rank)
{
    struct nadi_str path = NADI_STR_INIT;
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    nadi_str_printf(&path, "%s.%" PRIu64 ".et", prefix, rank);
    struct nadi_trace_writer *w =
        nadi_trace_writer_open(nadi_str_get(&path), NADI_CODING_PLAIN, &diags);
    if (!w)
        fail("cannot write", nadi_str_get(&path));
    nadi_str_release(&path);
    nadi_diags_release(&diags);
    nadi_trace_writer_metadata(w, &(struct nadi_write_metadata){.version = "0.0.4"});
    return w;
}

static void close_rank(struct nadi_trace_writer *w)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_trace_writer_close(w, &diags))
        fail("cannot write", diags.items[0].message);
    nadi_diags_release(&diags);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage", "mktrace PREFIX <TEXT");
    struct nadi_trace_writer *files[MAX_RANKS];
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
                close_rank(files[--open]);
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
        close_rank(files[--open]);
    nadi_str_release(&text);
    return 0;
}
