#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "cost/prices.h"
#include "format/doc.h"
#include "format/embedded.h"
#include "format/json_write.h"
#include "nccl/platform.h"
#include "report/model_text.h"

/* What comes with the program is right: a test opens all of it. */
static void open_model(struct nadi_model *m, const char *name)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_model_open(m, name, &diags))
        NADI_BUG("description of %s", name);
    nadi_diags_release(&diags);
}

static void open_device(struct nadi_device *d, const char *name, struct nadi_arena *arena)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_device_open(d, name, arena, &diags))
        NADI_BUG("description of %s", name);
    nadi_diags_release(&diags);
}

static void open_cluster(struct nadi_cluster *c, const char *name)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_cluster_open(c, name, &diags))
        NADI_BUG("description of %s", name);
    nadi_diags_release(&diags);
}

static void open_platform(struct nadi_comm_platform *p, const char *name, struct nadi_arena *arena)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_comm_platform_open(p, name, arena, &diags))
        NADI_BUG("description of %s", name);
    nadi_diags_release(&diags);
}

static void open_prices(struct nadi_prices *p, const char *name)
{
    struct nadi_diags diags;
    nadi_diags_init(&diags);
    if (!nadi_prices_open(p, name, &diags))
        NADI_BUG("catalogue %s", name);
    nadi_diags_release(&diags);
}

/* What a description says of itself; owned by the caller. */
static char *source_of(const struct nadi_embedded *e)
{
    struct nadi_doc doc;
    struct nadi_diags diags;
    struct nadi_str text = NADI_STR_INIT;
    nadi_diags_init(&diags);
    if (!nadi_doc_parse(&doc, e->name, e->text, e->bytes, NADI_DOC_YAML, &diags))
        NADI_BUG("description of %s", e->name);
    const struct nadi_doc_node *source = nadi_doc_find(doc.root, "source");
    nadi_str_add(&text, source ? source->text : "");
    nadi_doc_release(&doc);
    nadi_diags_release(&diags);
    return text.text;
}

static void model_line(const struct nadi_embedded *e, struct nadi_str *out)
{
    struct nadi_model m;
    char all[32], activated[32];
    open_model(&m, e->name);
    const struct nadi_parameters p = nadi_model_parameters(&m);
    nadi_str_printf(out, "  %-22s %-28s %10s", e->name, m.name, nadi_units_count(all, p.all));
    if (m.experts)
        nadi_str_printf(out, ", %s a token", nadi_units_count(activated, p.activated));
    nadi_str_add_char(out, '\n');
    nadi_model_release(&m);
}

static void device_line(const struct nadi_embedded *e, struct nadi_str *out)
{
    struct nadi_device d;
    struct nadi_arena arena;
    char rate[32], memory[32];
    nadi_arena_init(&arena);
    open_device(&d, e->name, &arena);
    nadi_str_printf(out, "  %-22s %-28s %6.0f TFLOP/s in 16 bits, %s at %s\n", e->name, d.name,
                    d.peak[NADI_BF16] / 1e12, nadi_units_bytes(memory, d.memory_bytes),
                    nadi_units_rate(rate, d.memory_rate));
    nadi_arena_release(&arena);
}

static void cluster_line(const struct nadi_embedded *e, struct nadi_str *out)
{
    struct nadi_cluster c;
    open_cluster(&c, e->name);
    nadi_str_printf(out, "  %-22s %-34s", e->name, c.name);
    if (c.platform)
        nadi_str_printf(out, " platform %s", c.platform);
    for (uint32_t d = 0; d < c.topology.dim_count; d++) {
        char rate[32];
        const struct nadi_dim *dim = &c.topology.dims[d];
        nadi_str_printf(out, "%s %s", d ? "," : "", nadi_dim_kind_name(dim->kind));
        if (dim->npus)
            nadi_str_printf(out, " of %u", dim->npus);
        nadi_str_printf(out, " %s", nadi_units_rate(rate, dim->bytes_per_ns * 1e9));
    }
    nadi_str_add_char(out, '\n');
    nadi_cluster_release(&c);
}

static void lines(const char *folder, const char *heading,
                  void (*line)(const struct nadi_embedded *, struct nadi_str *),
                  struct nadi_str *out)
{
    nadi_str_printf(out, "%s\n", heading);
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++)
        if (strcmp(e->folder, folder) == 0)
            line(e, out);
}

static void catalogue_line(const struct nadi_embedded *e, struct nadi_str *out)
{
    struct nadi_prices p;
    open_prices(&p, e->name);
    nadi_str_printf(out, "  %-22s %-34s", e->name, p.name);
    if (p.part_count)
        nadi_str_printf(out, " %" PRIu32 " parts", p.part_count);
    if (p.tier_count)
        nadi_str_printf(out, " %" PRIu32 " tiers", p.tier_count);
    nadi_str_add_char(out, '\n');
    nadi_prices_release(&p);
}

static void platform_line(const struct nadi_embedded *e, struct nadi_str *out)
{
    struct nadi_comm_platform p;
    struct nadi_arena arena;
    char link[32], nic[32];
    nadi_arena_init(&arena);
    open_platform(&p, e->name, &arena);
    nadi_str_printf(out, "  %-22s %-34s %2u of %s", e->name, p.name, p.gpus_per_node,
                    nadi_units_rate(link, p.link_rate));
    if (p.nics)
        nadi_str_printf(out, ", %u NIC%s of %s a node", p.nics, p.nics == 1 ? "" : "s",
                        nadi_units_rate(nic, p.nic_rate));
    nadi_str_add_char(out, '\n');
    nadi_arena_release(&arena);
}

static void framework_line(const struct nadi_embedded *e, struct nadi_str *out)
{
    char *source = source_of(e);
    size_t length = strcspn(source, ":;(");
    while (length > 0 && source[length - 1] == ' ')
        length--;
    nadi_str_printf(out, "  %-22s %.*s\n", e->name, (int)length, source);
    nadi_mem_free(source);
}

void nadi_model_list_text(struct nadi_str *out)
{
    lines("models", "models, and their parameters", model_line, out);
    lines("devices", "\ndevices", device_line, out);
    lines("clusters", "\nclusters, and what a device gets out of each dimension", cluster_line,
          out);
    lines(
        "platforms",
        "\nplatforms of communication libraries: a --network of `nadi run`, a start for `nadi fit`",
        platform_line, out);
    lines("frameworks", "\nframeworks of training: the key `framework` of a plan", framework_line,
          out);
    lines("catalogues",
          "\ncatalogues of prices and powers: for `nadi cost`; of energies: for --energy",
          catalogue_line, out);
}

static void add_models(struct nadi_json *j)
{
    nadi_json_array(j, "models");
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        struct nadi_model m;
        if (strcmp(e->folder, "models") != 0)
            continue;
        open_model(&m, e->name);
        const struct nadi_parameters p = nadi_model_parameters(&m);
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", e->name);
        nadi_json_string(j, "title", m.name);
        nadi_json_string(j, "family", nadi_family_name(m.family));
        nadi_json_double(j, "parameters", p.all);
        nadi_json_double(j, "activated", p.activated);
        nadi_json_string(j, "source", m.source);
        nadi_json_close(j);
        nadi_model_release(&m);
    }
    nadi_json_close(j);
}

static void add_devices(struct nadi_json *j)
{
    nadi_json_array(j, "devices");
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        struct nadi_device d;
        struct nadi_arena arena;
        if (strcmp(e->folder, "devices") != 0)
            continue;
        nadi_arena_init(&arena);
        open_device(&d, e->name, &arena);
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", e->name);
        nadi_json_string(j, "title", d.name);
        nadi_json_double(j, "bf16_flops_per_s", d.peak[NADI_BF16]);
        nadi_json_double(j, "memory_bytes", d.memory_bytes);
        nadi_json_double(j, "memory_bytes_per_s", d.memory_rate);
        nadi_json_string(j, "source", d.source);
        nadi_json_close(j);
        nadi_arena_release(&arena);
    }
    nadi_json_close(j);
}

static void add_clusters(struct nadi_json *j)
{
    nadi_json_array(j, "clusters");
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        struct nadi_cluster c;
        if (strcmp(e->folder, "clusters") != 0)
            continue;
        open_cluster(&c, e->name);
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", e->name);
        nadi_json_string(j, "title", c.name);
        nadi_json_string(j, "device", c.device.name);
        nadi_json_string(j, "source", c.source);
        nadi_json_close(j);
        nadi_cluster_release(&c);
    }
    nadi_json_close(j);
}

static void add_platforms(struct nadi_json *j)
{
    nadi_json_array(j, "platforms");
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        struct nadi_comm_platform p;
        struct nadi_arena arena;
        if (strcmp(e->folder, "platforms") != 0)
            continue;
        nadi_arena_init(&arena);
        open_platform(&p, e->name, &arena);
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", e->name);
        nadi_json_string(j, "title", p.name);
        nadi_json_u64(j, "gpus_per_node", p.gpus_per_node);
        nadi_json_double(j, "link_bytes_per_s", p.link_rate);
        nadi_json_u64(j, "nics", p.nics);
        nadi_json_double(j, "nic_bytes_per_s", p.nic_rate);
        nadi_json_string(j, "source", p.source);
        nadi_json_close(j);
        nadi_arena_release(&arena);
    }
    nadi_json_close(j);
}

static void add_catalogues(struct nadi_json *j)
{
    nadi_json_array(j, "catalogues");
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        struct nadi_prices p;
        if (strcmp(e->folder, "catalogues") != 0)
            continue;
        open_prices(&p, e->name);
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", e->name);
        nadi_json_string(j, "title", p.name);
        nadi_json_u64(j, "parts", p.part_count);
        nadi_json_u64(j, "tiers", p.tier_count);
        nadi_json_string(j, "source", p.source);
        nadi_json_close(j);
        nadi_prices_release(&p);
    }
    nadi_json_close(j);
}

static void add_frameworks(struct nadi_json *j)
{
    nadi_json_array(j, "frameworks");
    for (const struct nadi_embedded *e = nadi_embedded_files; e->name; e++) {
        if (strcmp(e->folder, "frameworks") != 0)
            continue;
        char *source = source_of(e);
        nadi_json_row(j, NULL);
        nadi_json_string(j, "name", e->name);
        nadi_json_string(j, "source", source);
        nadi_json_close(j);
        nadi_mem_free(source);
    }
    nadi_json_close(j);
}

void nadi_model_list_json(struct nadi_str *out)
{
    struct nadi_json j;
    nadi_json_begin(&j, out);
    nadi_json_object(&j, NULL);
    add_models(&j);
    add_devices(&j);
    add_clusters(&j);
    add_platforms(&j);
    add_frameworks(&j);
    add_catalogues(&j);
    nadi_json_close(&j);
    nadi_json_finish(&j);
}
