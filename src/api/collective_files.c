#include "explore/collective_files.h"
#include "api/inside.h"
#include "base/units.h"

void nadi_collective_check_options_init(struct nadi_collective_check_options *options)
{
    *options = (struct nadi_collective_check_options){.size = sizeof(*options),
                                                      .bytes = UINT64_C(64) << 20,
                                                      .latency_ns = 1000,
                                                      .bandwidth = "100GB/s"};
}

/* "100GB/s", or a number of GB/s. */
static bool read_rate(const char *text, double *bytes_per_s, struct nadi_diags *messages)
{
    bool has_unit;
    *bytes_per_s = 0;
    if (!text)
        return true;
    if (!nadi_units_parse(text, NADI_DIMENSION_RATE, bytes_per_s, &has_unit) || !(*bytes_per_s > 0))
        return nadi_error(messages, "usage/rate", NADI_NOWHERE, "write 100GB/s or 400Gbps",
                          "'%s' is no bandwidth", text);
    if (!has_unit)
        *bytes_per_s *= 1e9;
    return true;
}

enum nadi_status nadi_do_collective_check_files(const struct nadi_collective_check_options *o,
                                                char **report, struct nadi_diags *messages)
{
    struct nadi_str text = NADI_STR_INIT;
    struct nadi_collective_check_request request = {
        .paths = o->files,
        .count = o->file_count,
        .bytes = o->bytes,
        .latency_s = (double)o->latency_ns * 1e-9,
        .csv = o->csv,
    };
    if (!read_rate(o->bandwidth, &request.bytes_per_s, messages) ||
        !read_rate(o->reduction_bandwidth, &request.adds_per_s, messages))
        return NADI_STATUS_INPUT;
    const bool ok = nadi_collective_check(&request, &text, messages);
    *report = text.text;
    return ok ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}

void nadi_collective_convert_options_init(struct nadi_collective_convert_options *options)
{
    *options = (struct nadi_collective_convert_options){.size = sizeof(*options),
                                                        .bytes = UINT64_C(64) << 20};
}

enum nadi_status nadi_do_collective_convert_file(const struct nadi_collective_convert_options *o,
                                                 struct nadi_diags *messages)
{
    const struct nadi_collective_convert_request request = {
        .from = o->from,
        .algorithm = o->algorithm,
        .kind = o->kind,
        .members = o->members,
        .to = o->to,
        .form = o->form ? nadi_table_form_find(o->form) : NADI_TABLE_NO_FORM,
        .bytes = o->bytes,
    };
    if (!o->from == !o->algorithm || (o->algorithm && o->members == 0)) {
        nadi_error(messages, "usage/input", NADI_NOWHERE, NULL,
                   "give a file, or --algorithm with --kind and --members");
        return NADI_STATUS_INPUT;
    }
    return nadi_collective_convert(&request, messages) ? NADI_STATUS_DONE : NADI_STATUS_INPUT;
}
