/* learn_order: do the programs of a family say themselves in which order they communicate?
 *
 * They do where each collective and message depends, over others, on the one before it. Where the
 * grammar explains less than half of the nodes, dependencies that are made are not those of any
 * program, and the order has to be said, too. */
#include "base/mem.h"
#include "learned/learn.h"

enum { MOST_ODD = 100 }; /* items that programs of a few operators have as well */

static bool waits(const struct nadi_vocabulary *v, uint32_t symbol)
{
    const uint8_t type = v->symbols.items[symbol].type;
    return type == NADI_NODE_COLL || type == NADI_NODE_SEND || type == NADI_NODE_RECV;
}

struct placed { /* nodes of a class */
    uint32_t *items;
    size_t count, capacity;
};

static bool is_chain(const struct nadi_vocabulary *v, const struct nadi_job_program *p)
{
    struct placed *seen = NADI_ZNEW(struct placed, v->symbols.count);
    uint32_t *latest = NADI_ZNEW(uint32_t, p->node_count), last = 0; /* ids from 1 */
    bool chain = true;
    for (uint32_t n = 0; n < p->node_count && chain; n++) {
        for (uint32_t r = p->ref_start[n]; r < p->ref_start[n + 1]; r++) {
            const struct placed *of = &seen[p->refs[r].kind_of];
            for (uint32_t i = 0; i < p->refs[r].count; i++) {
                const uint32_t on = of->items[of->count - 1 - p->refs[r].k - i];
                latest[n] = latest[on] > latest[n] ? latest[on] : latest[n];
            }
        }
        if (waits(v, p->symbol[n])) {
            chain = latest[n] == last;
            last = latest[n] = n + 1;
        }
        NADI_PUSH(&seen[v->symbols.items[p->symbol[n]].kind_of], n);
    }
    for (size_t i = 0; i < v->symbols.count; i++)
        nadi_mem_free(seen[i].items);
    nadi_mem_free(seen);
    nadi_mem_free(latest);
    return chain;
}

void nadi_learn_order(struct nadi_learning *l)
{
    uint64_t nodes = 0, items = 0;
    bool chains = true;
    for (uint32_t i = 0; i < l->program_count; i++) {
        const struct nadi_job_program *p = l->programs[i].program;
        nodes += p->node_count;
        items += l->grammar.parses[i].count;
        if (i == 0 || p != l->programs[i - 1].program)
            chains = chains && is_chain(l->vocabulary, p);
    }
    l->family->ordered = chains || 2 * items > nodes;
    if (l->model->kind == NADI_LEARNED_STRUCTURAL && 2 * items > nodes && items > MOST_ODD)
        nadi_note(l->diags, "learn/unexplained", NADI_IN_FILE(l->jobs[0]->path),
                  "learn with `--model sequence`, which is for jobs that repeat little",
                  "of %" PRIu64 " operators of this family's programs %" PRIu64
                  " repeat nothing: what is drawn is little else than the job itself",
                  nodes, items);
}
