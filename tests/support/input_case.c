#include "support/input_case.h"

#include "base/file.h"
#include "trace/write.h"

#include <dirent.h>
#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

static const char standard_system[] =
    "{\"all-reduce-implementation\": [\"ring\"], \"all-gather-implementation\": [\"ring\"],\n"
    " \"reduce-scatter-implementation\": [\"ring\"], \"all-to-all-implementation\": [\"ring\"],\n"
    " \"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1}\n";
static const char standard_network[] = "topology: [Ring]\nnpus_count: [4]\n"
                                       "bandwidth: [50]\nlatency: [500]\n";

void input_case_init(struct input_case *c)
{
    *c = (struct input_case){0};
    snprintf(c->folder, sizeof(c->folder), "/tmp/nadi-inputs-XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    nadi_arena_init(&c->arena);
    nadi_diags_init(&c->diags);
    c->options = (struct nadi_run_options){
        .workload = input_case_path(c, "w"),
        .injection_scale = 1,
        .compute_scale = 1,
        .comm_scale = 1,
    };
    input_case_system(c, standard_system);
    input_case_network(c, standard_network);
    input_case_workload(c, 4, "COMP 1 c us=1\n");
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        char name[320];
        snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(name) != 0)
            remove_folder(name);
    }
    closedir(folder);
    rmdir(path);
}

void input_case_release(struct input_case *c)
{
    if (c->loaded)
        nadi_inputs_release(&c->in);
    nadi_diags_release(&c->diags);
    nadi_str_release(&c->messages);
    remove_folder(c->folder);
    nadi_arena_release(&c->arena);
}

const char *input_case_path(struct input_case *c, const char *name)
{
    return nadi_arena_printf(&c->arena, "%s/%s", c->folder, name);
}

void input_case_write(struct input_case *c, const char *name, const char *text)
{
    assert_true(nadi_file_write(input_case_path(c, name), text, strlen(text), &c->diags));
}

void input_case_system(struct input_case *c, const char *text)
{
    input_case_write(c, "system.json", text);
    c->options.system = input_case_path(c, "system.json");
}

void input_case_network(struct input_case *c, const char *text)
{
    input_case_write(c, "network.yml", text);
    c->options.network = input_case_path(c, "network.yml");
}

void input_case_memory(struct input_case *c, const char *text)
{
    input_case_write(c, "memory.json", text);
    c->options.memory = input_case_path(c, "memory.json");
}

void input_case_groups(struct input_case *c, const char *text)
{
    input_case_write(c, "groups.json", text);
    c->options.groups = input_case_path(c, "groups.json");
}

enum { MOST_ATTRS = 16, MOST_LIST = 16 };

struct line { /* a node being read */
    struct nadi_write_node node;
    struct nadi_write_attr attrs[MOST_ATTRS];
    struct nadi_write_value bools[MOST_LIST];
    uint64_t deps[MOST_LIST];
};

static uint32_t type_of(const char *word)
{
    static const char *const words[] = {"INVALID", "METADATA", "MEM_LOAD", "MEM_STORE",
                                        "COMP",    "SEND",     "RECV",     "COLL"};
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i], word) == 0)
            return i;
    fail_msg("no node type %s", word);
    return 0;
}

static bool is_bool_list(const char *value)
{
    return strchr(value, ',') &&
           (nadi_str_starts(value, "true") || nadi_str_starts(value, "false"));
}

static struct nadi_write_attr attr_of(struct line *l, const char *name, char *value)
{
    int64_t number;
    if (nadi_str_to_i64(value, &number))
        return nadi_write_int64(name, number);
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        return nadi_write_bool(name, value[0] == 't');
    if (value[0] == '\'') {
        value[strlen(value) - 1] = '\0';
        return nadi_write_string(name, value + 1);
    }
    if (!is_bool_list(value))
        return nadi_write_string(name, value);
    struct nadi_write_attr list = {.name = name, .member = NADI_MEMBER_BOOL_LIST, .list = l->bools};
    for (char *word; (word = strsep(&value, ","));)
        l->bools[list.count++] = (struct nadi_write_value){.bits = word[0] == 't'};
    return list;
}

static void read_field(struct line *l, char *word)
{
    char *value = strchr(word, '=');
    assert_non_null(value);
    *value++ = '\0';
    if (strcmp(word, "us") == 0) {
        assert_true(nadi_str_to_u64(value, &l->node.duration_micros));
    } else if (strcmp(word, "values") == 0) {
        l->node.inputs.values = value;
    } else if (strcmp(word, "deps") == 0) {
        for (char *id; (id = strsep(&value, ","));)
            assert_true(nadi_str_to_u64(id, &l->deps[l->node.data_dep_count++]));
        l->node.data_deps = l->deps;
    } else {
        assert_true(l->node.attr_count < MOST_ATTRS);
        l->attrs[l->node.attr_count++] = attr_of(l, word, value);
        l->node.attrs = l->attrs;
    }
}

static void write_node(struct nadi_trace_writer *w, char *text)
{
    struct line l = {0};
    l.node.type = type_of(strsep(&text, " "));
    assert_true(nadi_str_to_u64(strsep(&text, " "), &l.node.id));
    l.node.name = strsep(&text, " ");
    for (char *word; (word = strsep(&text, " "));)
        read_field(&l, word);
    nadi_trace_writer_node(w, &l.node);
}

void input_case_trace(struct input_case *c, const char *stem, uint32_t rank, const char *lines)
{
    char name[64];
    snprintf(name, sizeof(name), "%s.%u.et", stem, rank);
    struct nadi_trace_writer *w =
        nadi_trace_writer_open(input_case_path(c, name), NADI_CODING_PLAIN, &c->diags);
    struct nadi_write_metadata metadata = {.version = "0.0.4"};
    char *text = nadi_arena_strdup(&c->arena, lines);
    nadi_trace_writer_metadata(w, &metadata);
    for (char *line; (line = strsep(&text, "\n"));)
        if (*line)
            write_node(w, line);
    assert_true(nadi_trace_writer_close(w, &c->diags));
}

void input_case_workload(struct input_case *c, uint32_t count, const char *lines)
{
    for (uint32_t r = 0; r < count; r++)
        input_case_trace(c, "w", r, lines);
}

static void collect_messages(struct input_case *c)
{
    struct nadi_str all = NADI_STR_INIT;
    nadi_str_clear(&c->messages);
    for (size_t i = 0; i < c->diags.count; i++)
        nadi_diag_format(&c->diags.items[i], &all);
    const char *p = nadi_str_get(&all), *at;
    while ((at = strstr(p, c->folder))) {
        nadi_str_add_bytes(&c->messages, p, (size_t)(at - p));
        p = at + strlen(c->folder);
        p += *p == '/';
    }
    nadi_str_add(&c->messages, p);
    nadi_str_release(&all);
}

bool input_case_load(struct input_case *c, bool check)
{
    if (c->loaded)
        nadi_inputs_release(&c->in);
    nadi_diags_release(&c->diags);
    nadi_diags_init(&c->diags);
    bool ok = nadi_inputs_load(&c->in, &c->options, &c->diags);
    c->loaded = true;
    if (ok && check)
        ok = nadi_inputs_check(&c->in, &c->diags);
    collect_messages(c);
    assert_true(ok == (c->diags.errors == 0));
    return ok;
}

void input_case_refused_saying(struct input_case *c, const char *says)
{
    assert_false(input_case_load(c, true));
    if (!strstr(nadi_str_get(&c->messages), says))
        fail_msg("%s\nlacks: %s", nadi_str_get(&c->messages), says);
}

static void expect(struct input_case *c, bool check, bool accepted, const char *messages)
{
    bool ok = input_case_load(c, check);
    assert_string_equal(nadi_str_get(&c->messages), messages);
    assert_true(ok == accepted);
}

void input_case_refused(struct input_case *c, const char *messages)
{
    expect(c, false, false, messages);
}

void input_case_accepted(struct input_case *c, const char *messages)
{
    expect(c, false, true, messages);
}

void input_case_check_refused(struct input_case *c, const char *messages)
{
    expect(c, true, false, messages);
}

void input_case_check_accepted(struct input_case *c, const char *messages)
{
    expect(c, true, true, messages);
}

static const struct nadi_resolved *find_setting(const struct input_case *c, const char *file,
                                                const char *key)
{
    for (size_t i = 0; i < c->in.setting_count; i++)
        if (strcmp(c->in.settings[i].file, file) == 0 && strcmp(c->in.settings[i].key, key) == 0)
            return &c->in.settings[i];
    return NULL;
}

const char *input_case_setting(const struct input_case *c, const char *file, const char *key)
{
    const struct nadi_resolved *s = find_setting(c, file, key);
    return s ? s->value : "";
}

const char *input_case_origin(const struct input_case *c, const char *file, const char *key)
{
    const struct nadi_resolved *s = find_setting(c, file, key);
    return s ? s->origin : "";
}
