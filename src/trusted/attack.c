#include "trusted/attack.h"

#include "base/mem.h"

struct nadi_wire_entry nadi_attack_entry(struct nadi_trusted_handle h)
{
    return (struct nadi_wire_entry){(uint32_t)h.value, (uint32_t)(h.value >> 32)};
}

struct nadi_attack_outcome nadi_attack_by_status(enum nadi_trust found)
{
    return (struct nadi_attack_outcome){.succeeded = found == NADI_TRUST_OK, .reason = found};
}

enum nadi_trust nadi_attack_send(struct nadi_requester *q, enum nadi_wire_op op,
                                 struct nadi_wire_entry e, uint8_t *pages)
{
    struct nadi_wire_message m = {.op = op, .entries = &e, .entry_count = 1}, reply = {0};
    if (pages) {
        m.pages = pages;
        m.page_count = 1;
        m.page_bytes = q->provider->options.page_bytes;
        m.has_pages = true;
    }
    return nadi_requester_exchange(q, &m, &reply);
}

/* ---- by validation -------------------------------------------------------------------------- */

static struct nadi_attack_outcome read_other(struct nadi_attack_world *w)
{
    return nadi_attack_by_status(
        nadi_attack_send(&w->other.q, NADI_WIRE_READ, nadi_attack_entry(w->pages[0]), NULL));
}

static struct nadi_attack_outcome write_other(struct nadi_attack_world *w)
{
    uint8_t page[NADI_ATTACK_PAGE_BYTES + NADI_TRUSTED_TAG_BYTES] = {0};
    return nadi_attack_by_status(
        nadi_attack_send(&w->other.q, NADI_WIRE_WRITE, nadi_attack_entry(w->pages[0]), page));
}

static struct nadi_attack_outcome stale_handle(struct nadi_attack_world *w)
{
    struct nadi_trusted_handle again;
    const struct nadi_wire_entry stale = nadi_attack_entry(w->pages[0]);
    enum nadi_trust found = nadi_pages_free(&w->user, w->pages[0]);
    if (found == NADI_TRUST_OK)
        found = nadi_pages_alloc(&w->user, 1, &again);
    NADI_ASSERT(found == NADI_TRUST_OK && nadi_attack_entry(again).frame == stale.frame);
    return nadi_attack_by_status(nadi_attack_send(&w->user.q, NADI_WIRE_READ, stale, NULL));
}

/* Frees and takes the frame until its generation would be that of the old handle. */
static struct nadi_attack_outcome wrap_generation(struct nadi_attack_world *w)
{
    struct nadi_trusted_handle h = w->pages[0];
    const struct nadi_wire_entry stale = nadi_attack_entry(h);
    const uint32_t generations = 1u << w->provider.options.generation_bits;
    for (uint32_t i = 0; i < generations; i++) {
        enum nadi_trust found = nadi_pages_free(&w->user, h);
        if (found == NADI_TRUST_OK)
            found = nadi_pages_alloc(&w->user, 1, &h);
        NADI_ASSERT(found == NADI_TRUST_OK);
    }
    return nadi_attack_by_status(nadi_attack_send(&w->user.q, NADI_WIRE_READ, stale, NULL));
}

static struct nadi_attack_outcome write_without_right(struct nadi_attack_world *w)
{
    uint8_t page[NADI_ATTACK_PAGE_BYTES + NADI_TRUSTED_TAG_BYTES] = {0};
    const struct nadi_wire_entry e = nadi_attack_entry(w->pages[0]);
    const enum nadi_trust found = nadi_frames_protect(&w->user.q, &e, 1, NADI_RIGHT_READ);
    NADI_ASSERT(found == NADI_TRUST_OK);
    return nadi_attack_by_status(nadi_attack_send(&w->user.q, NADI_WIRE_WRITE, e, page));
}

/* The other requester takes the frame that the user freed, and looks at what it was given. */
static struct nadi_attack_outcome read_remains(struct nadi_attack_world *w)
{
    struct nadi_trusted_handle h;
    bool any = false;
    enum nadi_trust found = nadi_pages_free(&w->user, w->pages[0]);
    if (found == NADI_TRUST_OK)
        found = nadi_pages_alloc(&w->other, 1, &h);
    const uint32_t frame = nadi_attack_entry(h).frame;
    NADI_ASSERT(found == NADI_TRUST_OK && frame == nadi_attack_entry(w->pages[0]).frame);
    const uint8_t *bytes = nadi_provider_memory(&w->provider, frame);
    for (uint32_t i = 0; i < w->provider.options.kept_bytes; i++)
        any |= bytes[i] != 0;
    return (struct nadi_attack_outcome){.succeeded = any};
}

/* ---- in the hosts' memory ------------------------------------------------------------------- */

static uint8_t *stored(struct nadi_attack_world *w, uint32_t page)
{
    return nadi_provider_memory(&w->provider, nadi_attack_entry(w->pages[page]).frame);
}

static enum nadi_trust read_back(struct nadi_attack_world *w, uint32_t page)
{
    uint8_t bytes[NADI_ATTACK_PAGE_BYTES];
    return nadi_pages_read(&w->user, w->pages[page], bytes);
}

/* Every bit in turn; succeeds where one passes. */
static struct nadi_attack_outcome flip_bits(struct nadi_attack_world *w, uint32_t from, uint32_t to)
{
    struct nadi_attack_outcome out = {.reason = NADI_TRUST_OK};
    uint8_t *bytes = stored(w, 0);
    for (uint32_t bit = 8 * from; !out.succeeded && bit < 8 * to; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        out = nadi_attack_by_status(read_back(w, 0));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    return out;
}

static struct nadi_attack_outcome flip_page(struct nadi_attack_world *w)
{
    return flip_bits(w, 0, NADI_ATTACK_PAGE_BYTES);
}

static struct nadi_attack_outcome flip_tag(struct nadi_attack_world *w)
{
    return flip_bits(w, NADI_ATTACK_PAGE_BYTES, NADI_ATTACK_PAGE_BYTES + NADI_TRUSTED_TAG_BYTES);
}

static void flush(struct nadi_attack_world *w)
{
    if (nadi_tree_flush(&w->user.q.tree) != NADI_TRUST_OK)
        NADI_BUG("the tree cannot be written");
}

/* A node's bits are the engine's own counters: what counts is whether it takes an altered one. */
static struct nadi_attack_outcome flip_node(struct nadi_attack_world *w)
{
    struct nadi_attack_outcome out = {.reason = NADI_TRUST_OK};
    struct nadi_tree *t = &w->user.q.tree;
    const uint32_t frame = nadi_attack_entry(w->pages[0]).frame;
    uint8_t *node = t->memory + (size_t)(frame / t->options.arity) * NADI_TREE_NODE_BYTES;
    for (uint32_t bit = 0; !out.succeeded && bit < 8 * NADI_TREE_NODE_BYTES; bit++) {
        uint64_t counter;
        flush(w);
        node[bit / 8] ^= (uint8_t)(1 << bit % 8);
        out = nadi_attack_by_status(nadi_tree_get(t, frame, &counter));
        node[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    return out;
}

static struct nadi_attack_outcome swap_pages(struct nadi_attack_world *w)
{
    for (uint32_t i = 0; i < w->provider.options.kept_bytes; i++) {
        const uint8_t byte = stored(w, 0)[i];
        stored(w, 0)[i] = stored(w, 1)[i];
        stored(w, 1)[i] = byte;
    }
    return nadi_attack_by_status(read_back(w, 0));
}

static struct nadi_attack_outcome serve_other_frame(struct nadi_attack_world *w)
{
    memcpy(stored(w, 0), stored(w, 1), w->provider.options.kept_bytes);
    return nadi_attack_by_status(read_back(w, 0));
}

/* Puts the page back as it was before a second write; with the nodes of the counter tree as well.
 */
static struct nadi_attack_outcome replay(struct nadi_attack_world *w, bool nodes)
{
    const struct nadi_tree *t = &w->user.q.tree;
    const uint8_t page[NADI_ATTACK_PAGE_BYTES] = {9};
    flush(w);
    uint8_t *old_page = nadi_mem_copy(stored(w, 0), w->provider.options.kept_bytes, 1);
    uint8_t *old_nodes = nadi_mem_copy(t->memory, (size_t)t->node_count + 1, NADI_TREE_NODE_BYTES);
    const enum nadi_trust found = nadi_pages_write(&w->user, w->pages[0], page);
    NADI_ASSERT(found == NADI_TRUST_OK);
    flush(w);
    memcpy(stored(w, 0), old_page, w->provider.options.kept_bytes);
    if (nodes)
        memcpy(t->memory, old_nodes, ((size_t)t->node_count + 1) * NADI_TREE_NODE_BYTES);
    nadi_mem_free(old_page);
    nadi_mem_free(old_nodes);
    return nadi_attack_by_status(read_back(w, 0));
}

static struct nadi_attack_outcome replay_page(struct nadi_attack_world *w)
{
    return replay(w, false);
}

static struct nadi_attack_outcome replay_nodes(struct nadi_attack_world *w)
{
    return replay(w, true);
}

/* ---- all ------------------------------------------------------------------------------------ */

const struct nadi_attack nadi_attacks[] = {
    {"read-other", "read another requester's page", "owner of the frame", NADI_TRUST_OWNER,
     NADI_ABLATE_OWNER, 0, 0, read_other},
    {"write-other", "write another requester's page", "owner of the frame", NADI_TRUST_OWNER,
     NADI_ABLATE_OWNER, 0, 0, write_other},
    {"stale-handle", "use a handle of a page that was freed", "generation", NADI_TRUST_GENERATION,
     NADI_ABLATE_GENERATION, 0, 0, stale_handle},
    {"generation-wrap", "free until the generations begin again", "used-up frames retire",
     NADI_TRUST_OWNER, NADI_ABLATE_RETIRE, 3, 0, wrap_generation},
    {"no-right", "write a page that is only for reading", "rights", NADI_TRUST_RIGHT,
     NADI_ABLATE_RIGHT, 0, 0, write_without_right},
    {"remains", "read what the former owner left", "free wipes", NADI_TRUST_OK, NADI_ABLATE_WIPE, 0,
     0, read_remains},
    {"flip-page", "flip each bit of a stored page", "tag of the page", NADI_TRUST_PAGE_MAC,
     NADI_ABLATE_PAGE_MAC, 0, 0, flip_page},
    {"flip-tag", "flip each bit of a page's tag", "tag of the page", NADI_TRUST_PAGE_MAC,
     NADI_ABLATE_PAGE_MAC, 0, 0, flip_tag},
    {"flip-node", "flip each bit of a counter node", "tag of the node", NADI_TRUST_TREE_MAC,
     NADI_ABLATE_TREE_MAC, 0, 0, flip_node},
    {"swap-pages", "exchange two pages of one owner", "frame in the nonce", NADI_TRUST_PAGE_MAC,
     NADI_ABLATE_ADDRESS, 0, 0, swap_pages},
    {"other-frame", "return another frame's page", "frame in the nonce", NADI_TRUST_PAGE_MAC,
     NADI_ABLATE_ADDRESS, 0, 0, serve_other_frame},
    {"replay-page", "put back an older page and its tag", "counter in the nonce",
     NADI_TRUST_PAGE_MAC, NADI_ABLATE_COUNTER, 0, 0, replay_page},
    {"replay-nodes", "put back page, tag and all counter nodes", "root on chip",
     NADI_TRUST_TREE_MAC, NADI_ABLATE_ROOT, 0, 0, replay_nodes},
    {"alter-request", "send a write to another frame", "tag of the channel", NADI_TRUST_CHANNEL_MAC,
     NADI_ABLATE_CHANNEL_MAC, 0, 0, nadi_attack_alter_request},
    {"cut-request", "cut a write of two pages to one", "tag of the channel", NADI_TRUST_CHANNEL_MAC,
     NADI_ABLATE_CHANNEL_MAC, 0, 0, nadi_attack_cut_request},
    {"alter-reply", "turn a refusal into an OK", "tag of the channel", NADI_TRUST_CHANNEL_MAC,
     NADI_ABLATE_CHANNEL_MAC, 0, 0, nadi_attack_alter_reply},
    {"drop-write", "drop a write and answer for the provider", "no reply without a tag",
     NADI_TRUST_LOST, NADI_ABLATE_CHANNEL_MAC, 0, 0, nadi_attack_drop},
    {"repeat-write", "deliver a write again, after a later one", "sequence", NADI_TRUST_SEQUENCE,
     NADI_ABLATE_SEQUENCE, 0, 0, nadi_attack_repeat},
    {"reorder", "deliver a write after a later one", "sequence", NADI_TRUST_SEQUENCE,
     NADI_ABLATE_SEQUENCE, 0, 0, nadi_attack_reorder},
    {"old-reply", "answer with an older reply", "sequence", NADI_TRUST_SEQUENCE,
     NADI_ABLATE_SEQUENCE, 0, 0, nadi_attack_old_reply},
    {"forge", "free a page from the host, without the key", "tag of the channel",
     NADI_TRUST_CHANNEL_MAC, NADI_ABLATE_CHANNEL_MAC, 0, 0, nadi_attack_forge},
    {"false-key", "exchange a public key at start-up", "proof of the device",
     NADI_TRUST_ATTESTATION, NADI_ABLATE_ATTESTATION, 0, 0, nadi_attack_false_key},
    {.name = NULL},
};

const char *nadi_ablation_name(unsigned ablation)
{
    static const char *const names[] = {
        "owner",       "generation", "right", "page-mac", "address",     "counter", "tree-mac",
        "channel-mac", "sequence",   "wipe",  "retire",   "attestation", "root"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (ablation == 1u << i)
            return names[i];
    return "none";
}

bool nadi_attack_is_held(const struct nadi_attack_row *r)
{
    return !r->with.succeeded && r->with.reason == r->attack->reason && r->without.succeeded;
}

static struct nadi_attack_outcome run_once(const struct nadi_attack *a, uint64_t seed,
                                           unsigned ablated)
{
    struct nadi_attack_world *w = NADI_ZNEW(struct nadi_attack_world, 1);
    struct nadi_trusted_options o;
    nadi_trusted_options_init(&o);
    o.pages = NADI_ATTACK_PAGES;
    o.page_bytes = NADI_ATTACK_PAGE_BYTES;
    o.tree_arity = 8;
    o.owner_entries = 16;
    o.retries = a->retries;
    o.ablated = ablated;
    o.seed = &seed;
    if (a->generation_bits)
        o.generation_bits = a->generation_bits;
    w->link = (struct nadi_link){nadi_attack_pass, &w->attacker};
    w->attacker.provider = &w->provider;
    nadi_trusted_provider_init(&w->provider, &o, 3);
    enum nadi_trust found = nadi_pages_init(&w->user, &w->provider, 0, &o, &w->link);
    if (found == NADI_TRUST_OK)
        found = nadi_pages_init(&w->other, &w->provider, 1, &o, NULL);
    if (found == NADI_TRUST_OK)
        found = nadi_pages_alloc(&w->user, 4, w->pages);
    for (uint32_t i = 0; found == NADI_TRUST_OK && i < 4; i++) {
        const uint8_t page[NADI_ATTACK_PAGE_BYTES] = {(uint8_t)(i + 1)};
        found = nadi_pages_write(&w->user, w->pages[i], page);
    }
    NADI_ASSERT(found == NADI_TRUST_OK);
    const struct nadi_attack_outcome out = a->run(w);
    nadi_pages_release(&w->user);
    nadi_pages_release(&w->other);
    nadi_provider_release(&w->provider);
    nadi_mem_free(w->attacker.copy);
    nadi_mem_free(w);
    return out;
}

void nadi_attack_run(const struct nadi_attack *a, uint64_t seed, struct nadi_attack_row *r)
{
    *r = (struct nadi_attack_row){.attack = a};
    r->with = run_once(a, seed, NADI_ABLATE_NONE);
    r->without = run_once(a, seed, a->ablation);
}
