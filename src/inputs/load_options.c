/* load_options: what the command line says, checked and echoed. */
#include "base/str.h"
#include "format/number.h"
#include "inputs/load.h"

#include <math.h>

static struct nadi_place option_place(const char *option)
{
    return NADI_IN_FILE(option);
}

static bool is_path_given(struct nadi_load *l, const char *path, const char *option)
{
    if (path && *path)
        return true;
    return nadi_error(l->diags, "option/missing", option_place(option), NULL,
                      "this option is required");
}

static bool is_scale(struct nadi_load *l, double value, const char *option)
{
    if (isfinite(value) && value >= 0 && value <= 1e9)
        return true;
    return nadi_error(l->diags, "option/range", option_place(option), NULL,
                      "must be a number from 0 to 1e9, found %g", value);
}

/* Under the drop-in names the scales do nothing, as there. */
static void neutralise(struct nadi_load *l, double *scale, const char *option)
{
    if (*scale >= 1 && *scale <= 1)
        return;
    nadi_note(l->diags, "option/no-effect", option_place(option),
              "run `nadi run` with the same option for a scale that works",
              "has no effect under this program name, as in the reference");
    *scale = 1;
}

static void echo_number(struct nadi_load *l, const char *key, const char *option, double value,
                        double preset, const char *unit)
{
    struct nadi_str s = NADI_STR_INIT;
    nadi_number_add_double(&s, value);
    nadi_str_add(&s, unit);
    bool is_preset = value >= preset && value <= preset;
    nadi_settings_add(l->in, "command line", key, nadi_str_get(&s), is_preset ? "default" : option);
    nadi_str_release(&s);
}

static void echo_flag(struct nadi_load *l, const char *key, const char *option, bool on)
{
    nadi_settings_add(l->in, "command line", key, on ? "on" : "off", on ? option : "default");
}

static void echo(struct nadi_load *l)
{
    const struct nadi_run_options *o = &l->in->options;
    if (!o->lone)
        nadi_settings_add(l->in, "command line", "workload", o->workload, "--workload");
    if (!o->choose_model)
        nadi_settings_add(l->in, "command line", "network-model", o->network_model->name,
                          "--network-model");
    echo_number(l, "queues-per-dim", "--queues-per-dim", o->queues_per_dim, 1, "");
    echo_number(l, "injection-scale", "--injection-scale", o->injection_scale, 1, "");
    echo_number(l, "compute-scale", "--compute-scale", o->compute_scale, 1, "");
    echo_number(l, "comm-scale", "--comm-scale", o->comm_scale, 1, "");
    echo_flag(l, "rendezvous", "--rendezvous", o->rendezvous);
    if (o->match_mismatched)
        nadi_settings_add(l->in, "command line", "mismatch", "warn",
                          o->compat ? "default" : "--mismatch");
    if (o->max_sim_ns)
        echo_number(l, "max-sim", "--max-sim", (double)o->max_sim_ns, 0, " ns");
    if (o->max_wall_ms)
        echo_number(l, "max-wall", "--max-wall", (double)o->max_wall_ms, 0, " ms");
}

bool nadi_load_options(struct nadi_load *l)
{
    struct nadi_run_options *o = &l->in->options;
    bool ok = o->lone || is_path_given(l, o->workload, "--workload");
    ok &= o->lone || is_path_given(l, o->system, "--system");
    ok &= is_path_given(l, o->network, "--network");
    ok &= is_scale(l, o->injection_scale, "--injection-scale");
    ok &= is_scale(l, o->compute_scale, "--compute-scale");
    ok &= is_scale(l, o->comm_scale, "--comm-scale");
    if (!ok)
        return false;
    if (!o->network_model)
        o->network_model = nadi_network_default;
    if (o->queues_per_dim == 0)
        o->queues_per_dim = 1;
    if (o->compat) {
        neutralise(l, &o->compute_scale, "--compute-scale");
        neutralise(l, &o->comm_scale, "--comm-scale");
        if (o->groups && strstr(o->groups, "empty")) {
            if (strcmp(o->groups, "empty") != 0)
                nadi_note(l->diags, "option/no-effect", option_place(o->groups),
                          "rename the file or its folder",
                          "the groups file is not read: a path that contains 'empty' means none "
                          "under this program name, as in the reference");
            o->groups = NULL;
        }
    }
    echo(l);
    return true;
}
