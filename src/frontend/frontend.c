#include "frontend/frontend.h"

static const char *const mlir[] = {".mlir", NULL};
static const char *const hlo[] = {".hlo", ".hlo.txt", "_optimizations.txt", NULL};
static const char *const xplane[] = {".xplane.pb", ".pb", NULL};
static const char *const json[] = {".trace.json.gz", ".trace.json", ".json.gz", ".json", NULL};
static const char *const sqlite[] = {".sqlite", ".sqlite3", ".db", ".csv", NULL};
static const char *const param[] = {".param.json", NULL};
static const char *const dot[] = {".dot", ".gv", NULL};
static const char *const text[] = {".txt", ".ascii", NULL};

static const struct nadi_front_form forms[] = {
    {"stablehlo", mlir, nadi_front_read_stablehlo},
    {"hlo", hlo, nadi_front_read_hlo},
    {"xplane", xplane, nadi_front_read_xplane},
    {"param", param, nadi_front_read_param},
    {"trace-viewer", json, nadi_front_read_trace_viewer},
    {"nsight", sqlite, nadi_front_read_nsight},
    {"flexflow", dot, nadi_front_read_flexflow},
    {"dumpi", text, nadi_front_read_dumpi},
};

const struct nadi_front_form *nadi_front_form_find(const char *name, const char *path,
                                                   struct nadi_diags *diags)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (name && nadi_str_equal(name, forms[i].name))
            return &forms[i];
        for (const char *const *e = forms[i].endings; *e && !name; e++)
            if (nadi_str_ends(path, *e))
                return &forms[i];
    }
    nadi_error(diags, "usage/form", NADI_IN_FILE(path),
               "--form stablehlo, hlo, xplane, trace-viewer, nsight, flexflow, dumpi or param",
               "nothing says what form the file has");
    return NULL;
}
