/* schema: every key of every table with a value that is right and one that is wrong; what is said
 * about keys that nobody knows; the texts of explain and of the reference pages. */
#include "base/str.h"
#include "settings/schema.h"
#include "unit/settings/schema_cases.h"

#include <setjmp.h>

#include <cmocka.h>

struct outcome {
    struct nadi_doc doc;
    struct nadi_diags diags;
    struct nadi_schema_values values;
    struct nadi_str text; /* of the diagnostics */
    bool ok;
};

static void check(struct outcome *o, enum nadi_schema_kind kind, const char *text, bool strict)
{
    const struct nadi_schema *schema = nadi_schema_of(kind);
    *o = (struct outcome){0};
    nadi_diags_init(&o->diags);
    if (!nadi_doc_parse(&o->doc, "f", text, strlen(text), schema->syntax, &o->diags))
        fail_msg("%s: %s", text, o->diags.items[0].message);
    o->ok = nadi_schema_check(&o->values, schema, &o->doc, strict, &o->doc.arena, &o->diags);
    for (size_t i = 0; i < o->diags.count; i++)
        nadi_diag_format(&o->diags.items[i], &o->text);
    assert_true(o->ok == (o->diags.errors == 0));
}

static void release(struct outcome *o)
{
    nadi_str_release(&o->text);
    nadi_diags_release(&o->diags);
    nadi_doc_release(&o->doc);
}

enum { KEY_CASES = sizeof(key_cases) / sizeof(key_cases[0]) };

static void check_one(struct outcome *o, const struct key_case *c, const char *value)
{
    struct nadi_str text = NADI_STR_INIT;
    bool json = nadi_schema_of(c->kind)->syntax == NADI_DOC_JSON;
    nadi_str_printf(&text, json ? "{\"%s\": %s}" : "%s: %s", c->key, value);
    check(o, c->kind, nadi_str_get(&text), false);
    nadi_str_release(&text);
}

/* Their cases are in tests/unit/model, tests/unit/cost, tests/cli/optimize,
 * tests/unit/neural. */
static bool is_of_models(int kind)
{
    return kind == NADI_SCHEMA_MODEL || kind == NADI_SCHEMA_PLAN || kind == NADI_SCHEMA_DEVICE ||
           kind == NADI_SCHEMA_CLUSTER || kind == NADI_SCHEMA_PLATFORM ||
           kind == NADI_SCHEMA_CATALOGUE || kind == NADI_SCHEMA_CATALOGUE_PART ||
           kind == NADI_SCHEMA_DIVIDED || kind == NADI_SCHEMA_COMMUNICATORS ||
           kind == NADI_SCHEMA_SPACE_WORKLOAD || kind == NADI_SCHEMA_NET ||
           kind == NADI_SCHEMA_NET_LAYER || kind == NADI_SCHEMA_LOOP ||
           kind == NADI_SCHEMA_LOOP_STEP;
}

static void every_key_has_a_case(void **state)
{
    struct nadi_str missing = NADI_STR_INIT;
    (void)state;
    for (int k = 0; k < NADI_SCHEMA_KINDS; k++) {
        if (is_of_models(k))
            continue;
        const struct nadi_schema *schema = nadi_schema_of((enum nadi_schema_kind)k);
        for (size_t i = 0; i < schema->count && !schema->open; i++) {
            bool found = schema->keys[i].effect != NADI_EFFECT_USED;
            for (size_t c = 0; c < KEY_CASES && !found; c++)
                found = (int)key_cases[c].kind == k &&
                        strcmp(key_cases[c].key, schema->keys[i].name) == 0;
            if (!found)
                nadi_str_printf(&missing, " '%s'", schema->keys[i].name);
        }
    }
    if (missing.length)
        fail_msg("no case for%s", nadi_str_get(&missing));
    nadi_str_release(&missing);
}

static void right_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEY_CASES; i++) {
        struct outcome o;
        struct nadi_str echo = NADI_STR_INIT, origin = NADI_STR_INIT;
        check_one(&o, &key_cases[i], key_cases[i].good);
        const struct nadi_schema_value *v = nadi_schema_get(&o.values, key_cases[i].key);
        assert_non_null(v->node);
        assert_true(nadi_schema_is_set(&o.values, key_cases[i].key));
        char quoted[80];
        snprintf(quoted, sizeof(quoted), "'%s", v->key->name);
        if (strstr(nadi_str_get(&o.text), quoted) && !strstr(nadi_str_get(&o.text), "not set"))
            fail_msg("%s", nadi_str_get(&o.text));
        nadi_schema_value_text(v, &echo);
        assert_string_equal(nadi_str_get(&echo), key_cases[i].echo);
        nadi_schema_origin(&o.values, v, &origin);
        assert_string_equal(nadi_str_get(&origin), "f:1");
        nadi_str_release(&echo);
        nadi_str_release(&origin);
        release(&o);
    }
}

static void wrong_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEY_CASES; i++) {
        struct outcome o;
        if (!key_cases[i].bad)
            continue; /* flags take everything */
        check_one(&o, &key_cases[i], key_cases[i].bad);
        assert_false(o.ok);
        if (!strstr(nadi_str_get(&o.text), key_cases[i].code) ||
            !strstr(nadi_str_get(&o.text), key_cases[i].key))
            fail_msg("%s: %s", key_cases[i].key, nadi_str_get(&o.text));
        assert_int_equal(o.diags.items[0].place.line, 1);
        assert_true(o.diags.items[0].place.column > 1);
        release(&o);
    }
}

static void defaults(void **state)
{
    (void)state;
    struct nadi_arena arena;
    struct nadi_diags diags;
    struct nadi_schema_values v;
    nadi_arena_init(&arena);
    nadi_diags_init(&diags);
    assert_true(nadi_schema_check(&v, nadi_schema_of(SYSTEM), NULL, true, &arena, &diags));
    assert_int_equal(diags.count, 0);
    assert_int_equal(nadi_schema_integer(&v, "endpoint-delay"), 10);
    assert_int_equal(nadi_schema_integer(&v, "local-reduction-delay"), 1);
    assert_int_equal(nadi_schema_integer(&v, "preferred-dataset-splits"), 1);
    assert_int_equal(nadi_schema_integer(&v, "active-chunks-per-dimension"), 1);
    assert_int_equal(nadi_schema_integer(&v, "roofline-enabled"), 0);
    assert_int_equal(nadi_schema_word(&v, "scheduling-policy"), 0);
    assert_int_equal(nadi_schema_word(&v, "collective-optimization"), 0);
    assert_true(nadi_schema_number(&v, "peak-perf") <= 0);
    assert_int_equal(nadi_schema_get(&v, "all-reduce-implementation")->count, 0);
    assert_string_equal(nadi_schema_get(&v, "local-mem-trace-filename")->items[0].text,
                        "local_mem_trace");
    struct nadi_str s = NADI_STR_INIT;
    nadi_schema_value_text(nadi_schema_get(&v, "all-reduce-implementation"), &s);
    nadi_schema_origin(&v, nadi_schema_get(&v, "L"), &s);
    assert_string_equal(nadi_str_get(&s), "nonedefault");
    nadi_str_release(&s);
    nadi_diags_release(&diags);
    nadi_arena_release(&arena);
}

/* The network's GB counts 2^30 bytes, and the product is rounded once. */
static void bandwidth_is_exact(void **state)
{
    (void)state;
    struct outcome o;
    check(&o, NETWORK, "bandwidth: [741.34, 12.5GiB/s]\n", false);
    const struct nadi_schema_value *v = nadi_schema_get(&o.values, "bandwidth");
    double expected = 741.34 * 1073741824.0;
    assert_memory_equal(&v->items[0].number, &expected, sizeof(expected));
    expected = 12.5 * 1073741824.0;
    assert_memory_equal(&v->items[1].number, &expected, sizeof(expected));
    release(&o);
}

struct message_case {
    enum nadi_schema_kind kind;
    bool strict;
    const char *text, *messages;
};

static const struct message_case message_cases[] = {
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\",\n  \"prefered-dataset-splits\": 4}",
     "f:2:3: warning[schema/unknown-key]: unknown key 'prefered-dataset-splits', did you mean "
     "'preferred-dataset-splits'? Not set: using 1 chunk.\n"},
    {MEMORY, false, "{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bandwidth\": 3}",
     "f:1:32: warning[schema/unknown-key]: unknown key 'remote-mem-bandwidth'; it is ignored\n"
     "  help: `nadi explain` lists the keys of the memory file\n"},
    {MEMORY, true, "{\"memory-type\": \"MEMORY_POOL\", \"num-node\": 3}",
     "f:1:32: error[schema/unknown-key]: unknown key 'num-node', did you mean 'num-nodes'? Not "
     "set: using 0.\n"},
    {MEMORY, false, "{\"memory-type\": \"MEMORY_POOL\", \"num-nodes\": 1, \"num-node\": 3}",
     "f:1:48: warning[schema/unknown-key]: unknown key 'num-node', did you mean 'num-nodes'?\n"},
    {MEMORY, false, "{}", "f: note[schema/default]: 'memory-type' not set: no remote memory\n"},
    {MEMORY, false, "[]",
     "f:1:1: error[schema/map]: the memory file must be a map of keys and values, found a list of "
     "0\n  help: for example:\n{\n  \"memory-type\": \"MEMORY_POOL\",\n  \"remote-mem-latency\": "
     "\"1us\",\n  \"remote-mem-bw\": \"100GB/s\"\n}\n\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1,\n"
     " \"boost-mode\": 1}",
     "f:2:2: note[schema/no-effect]: 'boost-mode' is accepted for compatibility and has no effect. "
     "The reference does not read it either.\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1,\n"
     " \"replay-only\": false}",
     "f:2:17: warning[schema/flag]: 'replay-only' is 'false', which turns it ON: as in the "
     "reference, only the number 0 turns it off\n"
     "  help: write 0 to turn it off, 1 to turn it on\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 2.9,\n"
     " \"endpoint-delay\": true, \"model-shared-bus\": 2}",
     "f:1:69: warning[schema/cut]: 'preferred-dataset-splits' is cut to 2: it takes whole numbers\n"
     "  help: write a whole number\n"
     "f:2:20: warning[schema/bool-as-number]: true counts as 1\n"
     "  help: write a number\n"
     "f:2:46: warning[schema/switch]: 'model-shared-bus' is the number 2, which turns it off: only "
     "1 turns it on\n  help: write 0 or 1\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1,\n"
     " \"all-reduce-implementation\": \"ring_doubleBinaryTree\"}",
     "f:2:31: error[schema/list]: 'all-reduce-implementation' must be a list, found the text "
     "\"ring_doubleBinaryTree\"\n  help: write [\"ring\", \"doubleBinaryTree\"]\n"},
    {SYSTEM, false,
     "{\"collective-optimization\": \"baseline\", \"preferred-dataset-splits\": 1,\n"
     " \"all-reduce-implementation\": [\"ring\", \"dircet4\", \"direct123456\"]}",
     "f:2:40: error[schema/word]: 'all-reduce-implementation[1]' must be one of ring, direct[N], "
     "halvingDoubling, doubleBinaryTree, oneRing, oneDirect[N], oneHalvingDoubling, multiRing[N], "
     "pairwise, bruck, recursiveDoubling, rabenseifner, tree[N], doubleTree[N], chain[N], pat, "
     "torus, "
     "hierarchical, inSwitch[N], inSwitchStore, oneMultiRing[N], onePairwise, oneBruck, "
     "oneRecursiveDoubling, oneRabenseifner, "
     "oneTree[N], oneDoubleTree[N], oneChain[N], onePat, oneTorus, oneHierarchical, "
     "oneInSwitch[N], oneInSwitchStore; found the text "
     "\"dircet4\"\n  help: did you mean 'direct'?\n"
     "f:2:51: error[schema/word]: 'all-reduce-implementation[2]': what follows 'direct' in "
     "'direct123456' is no number\n"
     "  help: a number behind the word has at most 5 digits and nothing after it\n"},
    {NETWORK, false, "topologies-per-dim: [Ring]\nunits-count: [8]\n",
     "f:1:1: warning[schema/legacy]: keys of the ASTRA-sim 1.x format, not read: "
     "'topologies-per-dim' (now topology), 'units-count' (now npus_count)\n"
     "  help: write 'topology', 'npus_count', 'bandwidth' and 'latency' instead, each a list with "
     "one entry a dimension\n"
     "f: error[schema/missing]: required key 'topology' is missing\n"
     "  help: add it; see `nadi explain topology`\n"
     "f: error[schema/missing]: required key 'npus_count' is missing\n"
     "  help: add it; see `nadi explain npus_count`\n"
     "f: error[schema/missing]: required key 'bandwidth' is missing\n"
     "  help: add it; see `nadi explain bandwidth`\n"
     "f: error[schema/missing]: required key 'latency' is missing\n"
     "  help: add it; see `nadi explain latency`\n"},
    {NETWORK, false,
     "topology: [ring]\nnpus_count: 8\nbandwidth: ['50', 40Gigs, .nan]\nlatency: [true]\n",
     "f:1:12: error[schema/word]: 'topology[0]' must be one of Ring, FullyConnected, Switch, "
     "Mesh[N], Torus[N], UnidirectionalRing; found "
     "the text \"ring\"\n  help: did you mean 'Ring'?\n"
     "f:2:13: error[schema/list]: 'npus_count' must be a list, found the number 8\n"
     "  help: write [8]\n"
     "f:3:19: error[schema/unit]: 'bandwidth[1]' must be a number (of GB/s of 2^30 bytes) or a "
     "text "
     "with a unit, found the text \"40Gigs\"\n"
     "  help: units are B/s, kB/s, MB/s, GB/s, TB/s, GiB/s, Mbps, Gbps, Tbps\n"
     "f:3:27: error[schema/range]: 'bandwidth[2]' is not a number\n"
     "f:4:11: error[schema/type]: 'latency[0]' must be a number (of ns) or a text with a unit, "
     "found "
     "'true'\n"},
};

static void messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(message_cases) / sizeof(message_cases[0]); i++) {
        struct outcome o;
        check(&o, message_cases[i].kind, message_cases[i].text, message_cases[i].strict);
        assert_string_equal(nadi_str_get(&o.text), message_cases[i].messages);
        release(&o);
    }
}

/* What the reference's JSON reader takes for "not equal to 0". */
static void flags(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool on, warned;
    } cases[] = {
        {"0", false, false},   {"0.0", false, false}, {"1", true, false},   {"-3", true, false},
        {"true", true, false}, {"false", true, true}, {"null", true, true}, {"\"0\"", true, true},
        {"[]", true, true},    {"{}", true, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outcome o;
        struct key_case c = {.kind = SYSTEM, .key = "roofline-enabled"};
        check_one(&o, &c, cases[i].value);
        assert_true(o.ok);
        assert_int_equal(nadi_schema_integer(&o.values, c.key), cases[i].on);
        assert_int_equal(o.diags.warnings, cases[i].warned);
        release(&o);
    }
}

static void windows(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        uint32_t index;
        int64_t number;
    } cases[] = {
        {"ring", 0, 0},      {"direct", 1, 0},       {"direct8", 1, 8}, {"direct99999", 1, 99999},
        {"oneDirect", 5, 0}, {"oneDirect12", 5, 12}, {"oneRing", 4, 0},
    };
    static const char *const wrong[] = {"direct-1", "direct+1", "direct8x",     "direct 8",
                                        "direct0",  "direct1.", "direct100000", "direct0x8"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct outcome o;
        struct nadi_str text = NADI_STR_INIT;
        nadi_str_printf(&text, "{\"all-reduce-implementation\": [\"%s\"]}", cases[i].word);
        check(&o, SYSTEM, nadi_str_get(&text), false);
        const struct nadi_schema_scalar *s =
            nadi_schema_get(&o.values, "all-reduce-implementation")->items;
        assert_true(o.ok);
        assert_int_equal(s->word, cases[i].index);
        assert_int_equal(s->integer, cases[i].number);
        nadi_str_release(&text);
        release(&o);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct outcome o;
        struct nadi_str text = NADI_STR_INIT;
        nadi_str_printf(&text, "{\"all-reduce-implementation\": [\"%s\"]}", wrong[i]);
        check(&o, SYSTEM, nadi_str_get(&text), false);
        assert_false(o.ok);
        assert_int_equal(o.diags.errors, 1);
        nadi_str_release(&text);
        release(&o);
    }
}

static void explain_one(void **state)
{
    (void)state;
    struct nadi_str s = NADI_STR_INIT;
    assert_true(nadi_explain(NULL, "bandwidth", &s));
    assert_true(nadi_str_starts(
        nadi_str_get(&s),
        "bandwidth   [network file, --network]\n"
        "  Bandwidth of one link of each dimension. A bare number counts GB of 2^30 bytes, as in "
        "the "
        "reference; with a unit it is what the unit says (50GB/s is 5*10^10 B/s).\n"
        "  type      list of numbers\n"
        "  unit      a bare number counts GB/s of 2^30 bytes\n"
        "            with a unit: B/s, kB/s, MB/s, GB/s, TB/s, GiB/s, Mbps, Gbps, Tbps\n"
        "  range     more than 0, at most 1000000000000, or .inf\n"
        "  default   required\n"));
    assert_non_null(strstr(nadi_str_get(&s), "\nbandwidth   [cluster, --cluster]\n"));
    nadi_str_clear(&s);
    assert_false(nadi_explain(NULL, "bandwith", &s));
    assert_string_equal(nadi_str_get(&s),
                        "no input file has a key 'bandwith'; did you mean 'bandwidth'?\n");
    nadi_str_clear(&s);
    assert_true(nadi_explain(NULL, "units-count", &s));
    assert_non_null(
        strstr(nadi_str_get(&s), "ASTRA-sim 1.x format and not read; write 'npus_count'"));
    nadi_str_clear(&s);
    assert_true(nadi_explain(NULL, "boost-mode", &s));
    assert_non_null(strstr(nadi_str_get(&s), "has no effect"));
    nadi_str_release(&s);
}

/* Every key can be explained, is in the list of all, and is on its page. */
static void every_key_is_documented(void **state)
{
    (void)state;
    struct nadi_str all = NADI_STR_INIT, one = NADI_STR_INIT, page = NADI_STR_INIT;
    assert_true(nadi_explain(NULL, NULL, &all));
    for (int k = 0; k < NADI_SCHEMA_KINDS; k++) {
        const struct nadi_schema *schema = nadi_schema_of((enum nadi_schema_kind)k);
        nadi_str_clear(&page);
        nadi_schema_markdown((enum nadi_schema_kind)k, &page);
        assert_non_null(strstr(nadi_str_get(&page), schema->option));
        assert_non_null(strstr(nadi_str_get(&page), schema->example));
        for (size_t i = 0; i < schema->count; i++) {
            const struct nadi_setting *key = &schema->keys[i];
            char row[80], line[80];
            nadi_str_clear(&one);
            assert_true(nadi_explain(NULL, key->name, &one));
            assert_non_null(strstr(nadi_str_get(&one), key->doc));
            snprintf(row, sizeof(row), "\n| `%s` | ", key->name);
            assert_non_null(strstr(nadi_str_get(&page), row));
            snprintf(line, sizeof(line), "\n  %s ", key->name);
            assert_true(key->effect == NADI_EFFECT_LEGACY || strstr(nadi_str_get(&all), line));
        }
    }
    nadi_str_release(&all);
    nadi_str_release(&one);
    nadi_str_release(&page);
}

/* The examples that the pages and messages show are right. */
static void examples_are_accepted(void **state)
{
    (void)state;
    for (int k = 0; k < NADI_SCHEMA_KINDS; k++) {
        const struct nadi_schema *schema = nadi_schema_of((enum nadi_schema_kind)k);
        struct outcome o;
        if (schema->open)
            continue;
        check(&o, (enum nadi_schema_kind)k, schema->example, true);
        assert_true(o.ok);
        assert_int_equal(o.diags.warnings, 0);
        release(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_has_a_case),
        cmocka_unit_test(right_values),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(defaults),
        cmocka_unit_test(bandwidth_is_exact),
        cmocka_unit_test(messages),
        cmocka_unit_test(flags),
        cmocka_unit_test(windows),
        cmocka_unit_test(explain_one),
        cmocka_unit_test(every_key_is_documented),
        cmocka_unit_test(examples_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
