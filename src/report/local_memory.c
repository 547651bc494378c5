#include "report/local_memory.h"
#include "base/mem.h"
#include "format/json_write.h"

enum { LIFETIME_PIDS = 1000000, COUNTER_PIDS = 2000000, HEAT_PIDS = 3000000 };

struct page {
    struct nadi_json j;
    uint32_t rank;
    const struct nadi_trace *trace;
    const struct nadi_local_memory *m;
};

/* Opens the row of an event; the caller adds what it has more and closes it. */
static void begin_event(struct page *p, const char *name, const char *category, const char *phase,
                        uint64_t pid, uint64_t tid, uint64_t ns)
{
    nadi_json_row(&p->j, NULL);
    nadi_json_string(&p->j, "name", name);
    nadi_json_string(&p->j, "cat", category);
    nadi_json_string(&p->j, "ph", phase);
    nadi_json_u64(&p->j, "pid", pid);
    nadi_json_u64(&p->j, "tid", tid);
    nadi_json_double(&p->j, "ts", (double)ns / 1000);
}

static void add_use(struct page *p, const struct nadi_tensor_use *use)
{
    const char *name = p->m->tensors[use->tensor].name;
    const char *category = use->is_write ? "tensorWrite" : "tensorRead";
    for (int end = 0; end < 2; end++) {
        begin_event(p, name, category, end ? "E" : "B", p->rank, use->tensor,
                    end ? use->end_ns : use->start_ns);
        nadi_json_row(&p->j, "args");
        nadi_json_u64(&p->j, "size", use->bytes);
        const bool known = use->node != NADI_NONE;
        nadi_json_string(&p->j, "node_name",
                         known ? nadi_trace_name(p->trace, use->node) : "UNDEFINED");
        nadi_json_u64(&p->j, "node_id", known ? p->trace->id[use->node] : UINT64_MAX);
        nadi_json_close(&p->j);
        nadi_json_close(&p->j);
    }
}

static void add_lifetime(struct page *p, uint32_t index)
{
    const struct nadi_tensor *t = &p->m->tensors[index];
    const uint64_t pid = (uint64_t)p->rank + LIFETIME_PIDS;
    begin_event(p, t->name, "tensorLifetime", "B", pid, index, t->born_ns);
    nadi_json_close(&p->j);
    if (t->dies_ns == UINT64_MAX)
        return;
    begin_event(p, t->name, "tensorLifetime", "E", pid, index, t->dies_ns);
    nadi_json_close(&p->j);
}

static void add_step(struct page *p, const struct nadi_memory_step *step)
{
    begin_event(p, "GPU Memory Usage (MB)", "GPU Memory", "C", (uint64_t)p->rank + COUNTER_PIDS, 0,
                step->ns);
    nadi_json_row(&p->j, "args");
    nadi_json_double(&p->j, "Memory_MB", (double)step->bytes / 1048576);
    nadi_json_close(&p->j);
    nadi_json_close(&p->j);
}

struct lifetime {
    uint32_t tensor;
    uint64_t ns;
};

static int longest_first(const void *a, const void *b)
{
    const struct lifetime *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

static void add_label(struct page *p, const char *kind, const char *name)
{
    nadi_json_row(&p->j, NULL);
    nadi_json_string(&p->j, "name", kind);
    nadi_json_string(&p->j, "ph", "M");
    nadi_json_u64(&p->j, "pid", (uint64_t)p->rank + HEAT_PIDS);
    nadi_json_u64(&p->j, "tid", 0);
    nadi_json_row(&p->j, "args");
    nadi_json_string(&p->j, "name", name);
    nadi_json_close(&p->j);
    nadi_json_close(&p->j);
}

static void add_heat_map(struct page *p)
{
    struct lifetime *lives = NADI_NEW(struct lifetime, p->m->tensor_count);
    size_t count = 0;
    for (uint32_t i = 0; i < p->m->tensor_count; i++) {
        const struct nadi_tensor *t = &p->m->tensors[i];
        if (t->dies_ns != UINT64_MAX && t->dies_ns > t->born_ns)
            lives[count++] = (struct lifetime){i, t->dies_ns - t->born_ns};
    }
    qsort(lives, count, sizeof(*lives), longest_first);
    const uint64_t pid = (uint64_t)p->rank + HEAT_PIDS;
    add_label(p, "process_name", "Tensor Lifetime Heap");
    add_label(p, "thread_name", "Longest Lifetime \xe2\x86\x92 Shortest Lifetime");
    uint64_t at_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const struct nadi_tensor *t = &p->m->tensors[lives[i].tensor];
        begin_event(p, t->name, "tensorLifetimeHeatmap", "X", pid, 0, at_ns);
        nadi_json_double(&p->j, "dur", (double)lives[i].ns / 1000);
        nadi_json_row(&p->j, "args");
        nadi_json_u64(&p->j, "size", t->bytes);
        nadi_json_close(&p->j);
        nadi_json_close(&p->j);
        at_ns += lives[i].ns;
    }
    begin_event(p, "Tensor Lifetime Heatmap", "tensorLifetimeHeatmap", "i", pid, 0, 0);
    nadi_json_close(&p->j);
    nadi_mem_free(lives);
}

void nadi_report_local_memory(uint32_t rank, const struct nadi_trace *trace,
                              const struct nadi_local_memory *m, struct nadi_str *out)
{
    struct page p = {.rank = rank, .trace = trace, .m = m};
    nadi_json_begin(&p.j, out);
    nadi_json_object(&p.j, NULL);
    nadi_json_array(&p.j, "traceEvents");
    for (size_t i = 0; i < m->use_count; i++)
        add_use(&p, &m->uses[i]);
    for (uint32_t i = 0; i < m->tensor_count; i++)
        add_lifetime(&p, i);
    for (size_t i = 0; i < m->step_count; i++)
        add_step(&p, &m->steps[i]);
    add_heat_map(&p);
    nadi_json_close(&p.j);
    nadi_json_close(&p.j);
    nadi_json_finish(&p.j);
}
