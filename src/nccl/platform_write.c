/* platform_write: a platform as the file that gives it again. */
#include "nccl/platform.h"

static void add_text(struct nadi_str *out, const char *key, const char *text)
{
    if (!text || !*text)
        return;
    nadi_str_printf(out, "%s: \"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            nadi_str_add_char(out, '\\');
        nadi_str_add_char(out, (unsigned char)*text < 32 ? ' ' : *text);
    }
    nadi_str_add(out, "\"\n");
}

static void add_words(struct nadi_str *out, const char *key, const struct nadi_comm_words *w)
{
    if (!w->count)
        return;
    nadi_str_printf(out, "%s: [", key);
    for (uint32_t i = 0; i < w->count; i++)
        nadi_str_printf(out, "%s\"%s\"", i ? ", " : "", w->items[i]);
    nadi_str_add(out, "]\n");
}

static void add_algorithms(const struct nadi_comm_platform *p, struct nadi_str *out)
{
    static const char *const words[NADI_COMM_ALGORITHMS] = {
        "", "ring", "tree", "nvls", "nvlstree", "collnet", "pat", "direct",
    };
    bool all = true;
    for (int a = 1; a < NADI_COMM_ALGORITHMS; a++)
        all &= p->algorithm_allowed[a];
    if (all)
        return;
    nadi_str_add(out, "algorithms: [");
    for (int a = 1, shown = 0; a < NADI_COMM_ALGORITHMS; a++)
        if (p->algorithm_allowed[a])
            nadi_str_printf(out, "%s%s", shown++ ? ", " : "", words[a]);
    nadi_str_add(out, "]\n");
}

static void add_figures(const struct nadi_comm_platform *p, struct nadi_str *out)
{
    for (int f = 0; f < NADI_FIGURES; f++) {
        const struct nadi_comm_figure_about *a = nadi_comm_figure_about((enum nadi_comm_figure)f);
        nadi_str_printf(out, "%s: %.6g%s\n", a->key, p->value[f] / a->scale, a->unit);
    }
}

static void add_lists(const struct nadi_comm_platform *p, struct nadi_str *out)
{
    if (p->interval_count)
        nadi_str_add(out, "intervals:\n");
    for (uint32_t i = 0; i < p->interval_count; i++) {
        const struct nadi_comm_interval *v = &p->intervals[i];
        const struct nadi_comm_figure_about *a = nadi_comm_figure_about(v->figure);
        nadi_str_printf(out, "  - %s %.6g %.6g\n", a->key, v->low / a->scale, v->high / a->scale);
    }
    if (p->residual_count)
        nadi_str_add(out, "residuals:\n");
    for (uint32_t i = 0; i < p->residual_count; i++) {
        const struct nadi_comm_residual *r = &p->residuals[i];
        nadi_str_printf(out, "  - \"%s %u%s%s%s:", nadi_comm_kind_name(r->kind), r->ranks,
                        r->algorithm ? " " : "",
                        r->algorithm ? nadi_comm_algorithm_name(r->algorithm) : "",
                        r->in_place ? " in-place" : "");
        for (uint32_t k = 0; k < r->count; k++)
            nadi_str_printf(out, "%s %.0f %.4f", k ? "," : "", r->bytes[k], r->factor[k]);
        nadi_str_add(out, "\"\n");
    }
    for (uint32_t i = 0; i < p->crossover_count; i++) {
        const struct nadi_comm_crossover *x = &p->crossovers[i], *before = i ? x - 1 : NULL;
        const bool same = before && before->kind == x->kind && before->ranks == x->ranks;
        if (!i)
            nadi_str_add(out, "crossovers:\n");
        if (!same)
            nadi_str_printf(out, "%s  - \"%s %u:", i ? "\"\n" : "", nadi_comm_kind_name(x->kind),
                            x->ranks);
        nadi_str_printf(out, "%s %.0f %s %s", same ? "," : "", x->bytes,
                        nadi_comm_algorithm_name(x->algorithm),
                        nadi_comm_protocol_name(x->protocol));
    }
    if (p->crossover_count)
        nadi_str_add(out, "\"\n");
}

void nadi_comm_platform_write(const struct nadi_comm_platform *p, struct nadi_str *out)
{
    static const char *const generations[] = {"volta", "ampere", "hopper", "blackwell", "cdna"};
    static const char *const transports[] = {"verbs", "efa", "tcpx"};
    add_text(out, "platform", p->name);
    add_text(out, "source", p->source);
    add_text(out, "device", p->device);
    add_words(out, "known-as", &p->known_as);
    add_words(out, "instances", &p->instances);
    nadi_str_printf(out, "gpus-per-node: %u\nnodes: %u\nnics: %u\n", p->gpus_per_node, p->nodes,
                    p->nics);
    nadi_str_printf(out, "link-bandwidth: %.6gGB/s\nnic-bandwidth: %.6gGB/s\n", p->link_rate / 1e9,
                    p->nic_rate / 1e9);
    nadi_str_printf(out, "fabric: %s\nrack: %d\nnvls: %d\nsharp: %d\ngeneration: %s\n",
                    p->mesh   ? "mesh"
                    : p->pcie ? "pcie"
                              : "switch",
                    p->rack, p->nvls, p->sharp, generations[p->generation]);
    nadi_str_printf(out, "transport: %s\nhost: %s\nnet-latency: %.6gns\n", transports[p->transport],
                    p->amd_host   ? "amd"
                    : p->arm_host ? "arm"
                                  : "intel",
                    p->net_latency_ns);
    if (p->pairs_bytes > 0)
        nadi_str_printf(out, "pairs-most: %.0fB\n", p->pairs_bytes);
    if (p->version)
        nadi_str_printf(out, "library: NCCL 2.%u\n", p->version - 200);
    if (p->tree_nics)
        nadi_str_printf(out, "tree-nics: %u\n", p->tree_nics);
    add_algorithms(p, out);
    add_figures(p, out);
    add_lists(p, out);
}
