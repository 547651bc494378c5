#include "executor/executors.h"

#include "base/str.h"

const struct nadi_executor nadi_executor_message = {
    .name = "message",
    .summary = "Every message and every endpoint stage is an event. Always right.",
};

const struct nadi_executor nadi_executor_phase = {
    .name = "phase",
    .summary = "The ends of a phase are a function of its starts, where messages cannot meet.",
    .solves_phases = true,
};

const struct nadi_executor nadi_executor_fold = {
    .name = "fold",
    .summary = "Ranks that are provably the same are simulated as one.",
    .solves_phases = true,
    .folds = true,
};

const struct nadi_executor nadi_executor_keyed = {
    .name = "message",
    .summary = "As message; members of a group that disagree are matched by ends, tag and size.",
    .keyed = true,
};

#define ROW(name) &nadi_executor_##name,
const struct nadi_executor *const nadi_executors[] = {NADI_EXECUTORS(ROW, ) NULL};

const struct nadi_executor *nadi_executor_find(const char *name)
{
    for (size_t i = 0; nadi_executors[i]; i++)
        if (nadi_str_equal(nadi_executors[i]->name, name))
            return nadi_executors[i];
    return NULL;
}
