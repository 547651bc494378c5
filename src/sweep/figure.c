#include "sweep/figure.h"

#include "base/str.h"

const struct nadi_sweep_figure nadi_sweep_figures[NADI_SWEEP_FIGURES] = {
    [NADI_SWEEP_STEP] = {"step_ns", "step-time", "ns", -1, "a training step, or the whole run"},
    [NADI_SWEEP_TOKENS] = {"tokens_per_s", "tokens-per-second", "1/s", 1,
                           "tokens or samples a second, of all devices"},
    [NADI_SWEEP_MFU] = {"mfu", "mfu", "", 1,
                        "share of the devices' peak that the model's FLOPs take"},
    [NADI_SWEEP_MODEL_FLOPS] = {"model_flops", "model-flops", "FLOP/s", 1,
                                "the model's FLOPs a second and device"},
    [NADI_SWEEP_MEMORY] = {"memory_bytes", "memory", "B", -1, "of the fullest device"},
    [NADI_SWEEP_MISSING] = {"missing_bytes", "missing-memory", "B", -1,
                            "that the fullest device lacks; 0: it fits"},
    [NADI_SWEEP_FITS] = {"fits", "fits", "", 1, "1: it fits the devices' memory"},
    [NADI_SWEEP_RANKS] = {"ranks", "devices", "", -1, "devices"},
    [NADI_SWEEP_COMPUTE] = {"compute_ns", "compute", "ns", -1,
                            "that a rank computes in a step, mean"},
    [NADI_SWEEP_EXPOSED] = {"exposed_ns", "exposed-communication", "ns", -1,
                            "of communication while a rank does not compute, mean"},
    [NADI_SWEEP_IDLE] = {"idle_ns", "idle", "ns", -1, "while a rank has nothing in flight, mean"},
    [NADI_SWEEP_BUBBLE] = {"bubble", "bubble", "", -1,
                           "share that the pipeline's schedule leaves idle with even stages"},
    [NADI_SWEEP_BOUND] = {"lower_bound_ns", NULL, "ns", -1, "no run of these inputs is faster"},
    [NADI_SWEEP_JOULES] = {"network_joules", "network-joules", "J", -1,
                           "of what the network carried, with run: {energy: NAME}"},
    [NADI_SWEEP_CAPITAL] = {"capital_usd", "capital", "$", -1,
                            "of all parts, with run: {catalogue: NAME}"},
    [NADI_SWEEP_POWER] = {"power_w", "power", "W", -1, "of all parts at most, with a catalogue"},
    [NADI_SWEEP_HOURLY] = {"usd_per_hour", "usd-per-hour", "$/h", -1,
                           "capital over the years and electricity of the step"},
    [NADI_SWEEP_PER_DOLLAR] = {"tokens_per_dollar", "tokens-per-dollar", "1/$", 1,
                               "tokens or samples a $"},
    [NADI_SWEEP_PER_JOULE] = {"tokens_per_joule", "tokens-per-joule", "1/J", 1,
                              "tokens or samples a J of the facility"},
    [NADI_SWEEP_ILLUSTRATIVE] = {"illustrative", NULL, "", -1,
                                 "1: some price or power has no source"},
};

uint32_t nadi_sweep_objective(const char *name)
{
    for (uint32_t i = 0; i < NADI_SWEEP_FIGURES; i++)
        if (nadi_str_equal(nadi_sweep_figures[i].objective, name) ||
            nadi_str_equal(nadi_sweep_figures[i].column, name))
            return i;
    return NADI_NONE;
}
