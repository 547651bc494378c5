#include "generate/gen_cluster.h"

#include "base/file.h"
#include "base/str.h"

bool nadi_gen_write(const char *folder, const char *name, const char *text,
                    struct nadi_diags *diags)
{
    struct nadi_str path = NADI_STR_INIT;
    nadi_str_printf(&path, "%s/%s", folder, name);
    const bool ok = nadi_file_write(nadi_str_get(&path), text, strlen(text), diags);
    nadi_str_release(&path);
    return ok;
}

bool nadi_gen_write_system(const char *folder, bool computes, struct nadi_diags *diags)
{
    struct nadi_str text = NADI_STR_INIT;
    nadi_str_printf(&text,
                    "{\n"
                    "  \"scheduling-policy\": \"LIFO\",\n"
                    "  \"endpoint-delay\": 10,\n"
                    "  \"active-chunks-per-dimension\": 1,\n"
                    "  \"preferred-dataset-splits\": 4,\n"
                    "  \"all-reduce-implementation\": [\"ring\"],\n"
                    "  \"all-gather-implementation\": [\"ring\"],\n"
                    "  \"reduce-scatter-implementation\": [\"ring\"],\n"
                    "  \"all-to-all-implementation\": [\"direct\"],\n"
                    "  \"collective-optimization\": \"localBWAware\",\n"
                    "%s"
                    "  \"local-mem-bw\": 2039%s\n"
                    "}\n",
                    computes ? "  \"peak-perf\": 312,\n" : "",
                    computes ? ",\n  \"roofline-enabled\": 0" : "");
    const bool ok = nadi_gen_write(folder, "system.json", nadi_str_get(&text), diags);
    nadi_str_release(&text);
    return ok;
}

bool nadi_gen_write_no_memory(const char *folder, struct nadi_diags *diags)
{
    return nadi_gen_write(folder, "memory.json",
                          "{\n  \"memory-type\": \"NO_MEMORY_EXPANSION\"\n}\n", diags);
}
