/* memory_file: the memory file beside the traces of a step: what was given, or the host's memory.
 */
#include "format/doc.h"
#include "format/json_write.h"
#include "model/files.h"

void nadi_model_memory_file(const struct nadi_study *s, struct nadi_str *out)
{
    const double rate = nadi_study_remote_rate(s);
    if (!nadi_step_uses_remote(&s->plan) || !(rate > 0))
        nadi_str_add(out, "{\n  \"memory-type\": \"NO_MEMORY_EXPANSION\"\n}\n");
    else if (!s->host_tier)
        nadi_str_printf(out,
                        "{\n  \"memory-type\": \"PER_NPU_MEMORY_EXPANSION\",\n"
                        "  \"remote-mem-latency\": %d,\n  \"remote-mem-bw\": %.0f\n}\n",
                        NADI_MODEL_REMOTE_LATENCY_NS, rate / 1e9);
    else
        nadi_str_printf(
            out,
            "{\n  \"tiers\": [{\"name\": \"%s\", \"class\": \"G2\", \"scope\": \"npu\", "
            "\"read\": \"%.17gB/s\", \"latency\": \"%dns\"}],\n"
            "  \"links\": [{\"from\": \"npu\", \"to\": \"%s\", \"bandwidth\": "
            "\"%.17gB/s\"}]\n}\n",
            s->host_tier, rate, NADI_MODEL_REMOTE_LATENCY_NS, s->host_tier, rate);
}

static void put_scalar(struct nadi_json *j, const char *key, const struct nadi_doc *doc,
                       const struct nadi_doc_node *node)
{
    double number = 0;
    int64_t whole = 0;
    const enum nadi_doc_scalar kind = nadi_doc_classify(doc, node, &number);
    if (kind == NADI_DOC_NULL)
        nadi_json_null(j, key);
    else if (kind == NADI_DOC_BOOL)
        nadi_json_bool(j, key, number > 0);
    else if (kind == NADI_DOC_INTEGER && nadi_doc_integer(doc, node, &whole) && whole >= 0)
        nadi_json_u64(j, key, (uint64_t)whole);
    else if (kind == NADI_DOC_INTEGER || kind == NADI_DOC_REAL)
        nadi_json_double(j, key, number);
    else
        nadi_json_string(j, key, node->text);
}

/* The device's own memory, whose rate the device says where the file does not: a run of the files
 * knows no device. */
static bool is_local(const struct nadi_doc_node *node)
{
    const struct nadi_doc_node *class = nadi_doc_find(node, "class");
    return class && class->kind == NADI_DOC_SCALAR && strcmp(class->text, "G1") == 0 &&
           !nadi_doc_find(node, "read");
}

struct writing {
    struct nadi_json json;
    const struct nadi_doc *doc;
    double local_rate; /* bytes/s; 0: unknown */
};

static void put(struct writing *w, const char *key, const struct nadi_doc_node *node)
{
    struct nadi_json *j = &w->json;
    if (node->kind != NADI_DOC_MAP && node->kind != NADI_DOC_LIST) {
        put_scalar(j, key, w->doc, node);
        return;
    }
    if (node->kind == NADI_DOC_MAP)
        nadi_json_object(j, key);
    else
        nadi_json_array(j, key);
    for (const struct nadi_doc_node *child = node->first; child; child = child->next)
        put(w, node->kind == NADI_DOC_MAP ? nadi_doc_key(child) : NULL, child);
    if (node->kind == NADI_DOC_MAP && w->local_rate > 0 && is_local(node)) {
        char rate[40];
        snprintf(rate, sizeof(rate), "%.17gB/s", w->local_rate);
        nadi_json_string(j, "read", rate);
    }
    nadi_json_close(j);
}

/* A file that was given may be YAML: it is the same in JSON. */
static bool as_json(const struct nadi_study *s, struct nadi_str *out, struct nadi_diags *diags)
{
    struct nadi_doc doc;
    if (!nadi_doc_parse(&doc, s->memory, s->memory_text, s->memory_bytes,
                        nadi_doc_syntax_of(s->memory, NADI_DOC_JSON), diags))
        return false;
    struct writing w = {.doc = &doc, .local_rate = s->cluster.device.memory_rate};
    nadi_json_begin(&w.json, out);
    put(&w, NULL, doc.root);
    nadi_json_finish(&w.json);
    nadi_doc_release(&doc);
    return true;
}

bool nadi_model_files_memory(const struct nadi_study *s, struct nadi_str *out,
                             struct nadi_diags *diags)
{
    if (s->memory)
        return as_json(s, out, diags);
    if (nadi_step_uses_remote(&s->plan) && !(nadi_study_remote_rate(s) > 0))
        nadi_note(diags, "model/memory-file", NADI_NOWHERE,
                  "give --memory here, or to `nadi run`, or the device a 'host-bandwidth'",
                  "%s has no path to remote memory: memory.json has none either",
                  s->cluster.device.name);
    nadi_model_memory_file(s, out);
    return true;
}
