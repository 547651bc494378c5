/* workload: layers, and what must hold for the whole. */
#include "base/file.h"
#include "base/mem.h"
#include "base/signature.h"
#include "base/str.h"
#include "format/inflate.h"
#include "generate/v1/words.h"

static const char *const comm_names[NADI_V1_COMMS] = {
    [NADI_V1_COMM_NONE] = "NONE",       [NADI_V1_ALL_REDUCE] = "ALLREDUCE",
    [NADI_V1_ALL_GATHER] = "ALLGATHER", [NADI_V1_REDUCE_SCATTER] = "REDUCESCATTER",
    [NADI_V1_ALL_TO_ALL] = "ALLTOALL",  [NADI_V1_ALL_REDUCE_ALL_TO_ALL] = "ALLREDUCEALLTOALL",
    [NADI_V1_BROADCAST] = "BROADCAST",
};

const char *nadi_v1_comm_name(enum nadi_v1_comm comm)
{
    return comm_names[comm];
}

/* Is this line a layer's, a name and two numbers? Leaves the line as it was. */
static bool looks_like_layer(struct nadi_v1_words *r)
{
    bool numbers = true;
    size_t length;
    const char *word = nadi_v1_next_word(r, &length);
    for (int i = 0; i < 2 && numbers; i++) {
        word = nadi_v1_next_word(r, &length);
        numbers = word && length <= NADI_V1_WORD_SHOWN && strspn(word, "-0123456789") >= length;
    }
    r->word = r->line;
    return numbers;
}

/* The header that the caller says. */
static bool take_header(struct nadi_v1_words *r, const char *header,
                        struct nadi_v1_list *checkpoints, struct nadi_v1_list *initiates)
{
    struct nadi_v1_words said = {.w = r->w, .diags = r->diags, .at = header};
    const char *path = r->w->path;
    r->w->path = "header";
    const bool ok =
        nadi_v1_next_line(&said)
            ? nadi_v1_read_header(&said, checkpoints, initiates)
            : nadi_error(r->diags, "text/header", NADI_IN_FILE("header"),
                         "HYBRID_TRANSFORMER model_parallel_NPU_group: 16", "it is empty");
    r->w->path = path;
    return ok &&
           (!nadi_v1_next_line(&said) || nadi_error(r->diags, "text/header", NADI_IN_FILE("header"),
                                                    NULL, "it has more than one line"));
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* The ends of SimAI's kinds. */
static enum nadi_v1_group take_group(const char *word, size_t *length)
{
    static const char *const ends[NADI_V1_GROUPS] = {
        [NADI_V1_GROUP_EXPERT] = "_EP", [NADI_V1_GROUP_EXPERT_DATA] = "_DP_EP"};
    for (int g = NADI_V1_GROUPS - 1; g > NADI_V1_GROUP_PLAIN; g--) {
        const size_t end = strlen(ends[g]);
        if (*length > end && memcmp(word + *length - end, ends[g], end) == 0) {
            *length -= end;
            return (enum nadi_v1_group)g;
        }
    }
    return NADI_V1_GROUP_PLAIN;
}

/* Names that only AICB gives. */
static bool is_of_aicb(const char *name)
{
    static const char *const names[] = {"grad_gather", "grad_param_comm", "grad_param_compute",
                                        "micro_test"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool read_phase(struct nadi_v1_words *r, struct nadi_v1_layer *layer,
                       enum nadi_v1_phase phase)
{
    static const char *const times[] = {"the forward compute time",
                                        "the compute time of the input gradient",
                                        "the compute time of the weight gradient"};
    if (!nadi_v1_read_number(r, times[phase], INT64_MAX / 1000000000, &layer->time[phase]))
        return false;
    size_t length;
    const char *word = nadi_v1_next_word(r, &length);
    if (!word)
        return nadi_v1_missing(r, "a collective");
    layer->group[phase] = take_group(word, &length);
    const uint32_t comm =
        nadi_v1_choose(r, word, length, "collective", comm_names, 0, NADI_V1_COMMS);
    layer->comm[phase] = (enum nadi_v1_comm)comm;
    r->w->simai |= layer->group[phase] != NADI_V1_GROUP_PLAIN || comm == NADI_V1_BROADCAST;
    return comm < NADI_V1_COMMS &&
           nadi_v1_read_number(r, "the bytes of the collective", INT64_MAX, &layer->bytes[phase]);
}

static bool read_layer(struct nadi_v1_words *r, struct nadi_v1_layer *layer)
{
    size_t length;
    const char *word = nadi_v1_next_word(r, &length);
    layer->name = nadi_arena_strndup(&r->w->arena, word, length);
    layer->line = r->number;
    r->w->simai |= is_of_aicb(layer->name);
    layer->policy = r->w->policy;
    if (!nadi_v1_next_word(r, &length)) /* -1 in every file; nobody reads it */
        return nadi_v1_missing(r, "a reserved number");
    for (unsigned phase = 0; phase < NADI_V1_PHASES; phase++) {
        if (!read_phase(r, layer, (enum nadi_v1_phase)phase))
            return false;
    }
    if (!nadi_v1_read_number(r, "the update time", INT64_MAX / 1000000000, &layer->update))
        return false;
    if (r->w->policy == NADI_V1_HYBRID_CUSTOMIZED) {
        layer->policy = nadi_v1_read_policy(r, NADI_V1_DATA);
        if (layer->policy == NADI_V1_POLICIES)
            return false;
    }
    return nadi_v1_at_end_of_line(r, "the layer");
}

/* Of a file without a header the layers are those that there are. */
static bool read_layers(struct nadi_v1_words *r, uint32_t count)
{
    struct nadi_v1_workload *w = r->w;
    bool ok = true;
    w->layers = NADI_ARENA_ZNEW(&w->arena, struct nadi_v1_layer, count);
    for (w->layer_count = 0; w->layer_count < count; w->layer_count++) {
        if (!(w->headless && w->layer_count == 0) && !nadi_v1_next_line(r))
            return nadi_error(r->diags, "text/layers", nadi_v1_place(r),
                              "correct the number in the second line or add the layers",
                              "%u layers are announced, the file has %u", count, w->layer_count);
        ok &= read_layer(r, &w->layers[w->layer_count]);
    }
    if (nadi_v1_next_line(r))
        return nadi_error(r->diags, "text/layers", nadi_v1_place(r),
                          "correct the number in the second line or remove the rest",
                          "%u layers are announced, here are more", count);
    return ok;
}

static uint32_t count_lines(const struct nadi_v1_words *r)
{
    struct nadi_v1_words rest = *r;
    uint32_t count = 1; /* this one */
    while (count < NADI_V1_LAYERS_MOST && nadi_v1_next_line(&rest))
        count++;
    return count;
}

/* The parallelism of a file that does not say it: DATA, if nothing else can be meant. */
static bool guess_policy(struct nadi_v1_words *r)
{
    struct nadi_v1_workload *w = r->w;
    for (uint32_t i = 0; i < w->layer_count; i++)
        for (unsigned phase = 0; phase < NADI_V1_WEIGHT_GRADIENT; phase++)
            if (w->layers[i].comm[phase] != NADI_V1_COMM_NONE) {
                struct nadi_place at = NADI_IN_FILE(w->path);
                at.line = w->layers[i].line;
                return nadi_error(
                    r->diags, "text/headless", at,
                    "give the line: --header 'HYBRID_TRANSFORMER model_parallel_NPU_group: 16', "
                    "--header 'HYBRID_DLRM 5' (index of the last bottom layer), ...",
                    "the file does not begin with its parallelism, and the %s of layer '%s' "
                    "communicates: with whom is not said",
                    phase == NADI_V1_FORWARD ? "forward pass" : "input gradient",
                    w->layers[i].name);
            }
    w->policy = NADI_V1_DATA;
    for (uint32_t i = 0; i < w->layer_count; i++)
        w->layers[i].policy = w->policy;
    return true;
}

static bool mark(struct nadi_v1_words *r, const struct nadi_v1_list *list, const char *what,
                 bool **marks)
{
    struct nadi_v1_workload *w = r->w;
    *marks = NADI_ARENA_ZNEW(&w->arena, bool, w->layer_count);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] >= w->layer_count)
            return nadi_error(r->diags, "text/layer-index", list->places[i], NULL,
                              "%s: there is no layer %" PRIu64 ", they are 0 to %u", what,
                              list->items[i], w->layer_count - 1);
        (*marks)[list->items[i]] = true;
    }
    return true;
}

/* Every initiating layer needs a checkpoint before it, to start from. */
static bool check_marks(struct nadi_v1_words *r)
{
    const struct nadi_v1_workload *w = r->w;
    bool any = false;
    for (uint32_t i = 0; i < w->layer_count; i++) {
        any |= w->checkpoint[i];
        if (!w->initiate[i] || any)
            continue;
        struct nadi_place p = NADI_IN_FILE(w->path);
        p.line = 1;
        return nadi_error(r->diags, "text/checkpoint", p, "add a checkpoint",
                          "layer %u initiates recomputation, but no checkpoint is before it", i);
    }
    return true;
}

static bool read_number_of_layers(struct nadi_v1_words *r, uint64_t *count)
{
    if (!nadi_v1_next_line(r))
        return nadi_error(r->diags, "text/layers", nadi_v1_place(r), NULL,
                          "the second line, the number of layers, is missing");
    return nadi_v1_read_number(r, "the number of layers", NADI_V1_LAYERS_MOST, count) &&
           nadi_v1_at_end_of_line(r, "the number of layers") &&
           (*count > 0 ||
            nadi_error(r->diags, "text/layers", nadi_v1_place(r), NULL, "there is no layer"));
}

/* The first line is read. */
static bool read_rest(struct nadi_v1_words *r, const struct nadi_v1_reading *reading,
                      struct nadi_v1_list *checkpoints, struct nadi_v1_list *initiates)
{
    const char *header = reading->header;
    uint64_t count = 0;
    r->w->headless = looks_like_layer(r);
    if (r->w->headless) {
        if (header && !take_header(r, header, checkpoints, initiates))
            return false;
        return read_layers(r, count_lines(r)) && (header || guess_policy(r));
    }
    if (header && !reading->may_have_one)
        return nadi_error(r->diags, "text/header", nadi_v1_place(r), "leave out --header",
                          "the file begins with a header of its own");
    return nadi_v1_read_header(r, checkpoints, initiates) && read_number_of_layers(r, &count) &&
           read_layers(r, (uint32_t)count);
}

static bool read_all(struct nadi_v1_words *r, const struct nadi_v1_reading *reading,
                     struct nadi_v1_list *checkpoints, struct nadi_v1_list *initiates)
{
    struct nadi_v1_workload *w = r->w;
    if (!nadi_v1_next_line(r))
        return nadi_error(r->diags, "text/empty", NADI_IN_FILE(w->path), NULL, "the file is empty");
    if (!read_rest(r, reading, checkpoints, initiates))
        return false;
    if (w->policy == NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD)
        return mark(r, checkpoints, "checkpoints", &w->checkpoint) &&
               mark(r, initiates, "checkpoint_initiates", &w->initiate) && check_marks(r);
    if ((w->policy == NADI_V1_HYBRID_DLRM || w->policy == NADI_V1_HYBRID_DLRM_ENHANCED) &&
        w->last_bottom >= w->layer_count) {
        struct nadi_place p = NADI_IN_FILE(w->path);
        p.line = 1;
        return nadi_error(r->diags, "text/layer-index", p, NULL,
                          "the last bottom layer is %u, layers are 0 to %u", w->last_bottom,
                          w->layer_count - 1);
    }
    return true;
}

/* The text with '\n' at the ends of its lines and no NUL in it. */
static char *clean_copy(struct nadi_arena *arena, const char *text, size_t bytes)
{
    char *copy = nadi_arena_alloc(arena, bytes + 1, 1);
    size_t to = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\r' && i + 1 < bytes && text[i + 1] == '\n')
            continue;
        copy[to++] = text[i] == '\r' ? '\n' : text[i] ? text[i] : ' ';
    }
    copy[to] = '\0';
    return copy;
}

/* A parallelism that AICB writes, and all-gathers, whose bytes it counts in another way. */
static bool may_be_of_aicb(const struct nadi_v1_workload *w)
{
    if (w->headless ||
        (w->policy != NADI_V1_MICRO && w->policy != NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD))
        return false;
    for (uint32_t i = 0; i < w->layer_count; i++)
        for (unsigned phase = 0; phase < NADI_V1_PHASES; phase++)
            if (w->layers[i].comm[phase] == NADI_V1_ALL_GATHER && w->layers[i].bytes[phase] > 0)
                return true;
    return false;
}

/* SimAI's words in a workload of another dialect, or that have no meaning in its parallelism. */
static bool settle_dialect(struct nadi_v1_workload *w, enum nadi_v1_dialect dialect,
                           struct nadi_diags *diags)
{
    struct nadi_place at = NADI_IN_FILE(w->path);
    bool grouped = false;
    for (uint32_t i = 0; i < w->layer_count && !grouped; i++)
        for (unsigned phase = 0; phase < NADI_V1_PHASES && !grouped; phase++) {
            grouped = w->layers[i].group[phase] != NADI_V1_GROUP_PLAIN;
            at.line = w->layers[i].line;
        }
    if (grouped && w->model_group == 0)
        return nadi_error(diags, "text/dialect", at, "_EP and _DP_EP are of HYBRID_TRANSFORMER*",
                          "%s has no groups of experts", nadi_v1_policy_name(w->policy));
    if (dialect == NADI_V1_DIALECT_AUTO && !w->simai && may_be_of_aicb(w))
        nadi_note(diags, "text/dialect", NADI_IN_FILE(w->path),
                  "if AICB (SimAI) wrote it: --dialect simai",
                  "the bytes of all-gathers are taken as those of one rank, as in ASTRA-sim 1.0");
    if (dialect != NADI_V1_DIALECT_AUTO)
        w->simai = dialect == NADI_V1_DIALECT_SIMAI;
    return !grouped || w->simai ||
           nadi_error(diags, "text/dialect", at, "leave out --dialect",
                      "ASTRA-sim 1.0 has no groups of experts");
}

bool nadi_v1_parse(struct nadi_v1_workload *w, const char *path, const char *text, size_t bytes,
                   const struct nadi_v1_reading *reading, struct nadi_diags *diags)
{
    *w = (struct nadi_v1_workload){0};
    w->job =
        (struct nadi_v1_simai){.experts = 1, .stages = 1, .virtual_parts = 1, .micro_batches = 1};
    nadi_arena_init(&w->arena);
    w->path = nadi_arena_strdup(&w->arena, path);
    w->text = clean_copy(&w->arena, text, bytes);
    struct nadi_v1_words r = {.w = w, .diags = diags, .at = w->text};
    struct nadi_v1_list *lists = NADI_ZNEW(struct nadi_v1_list, 2);
    const bool ok =
        read_all(&r, reading, &lists[0], &lists[1]) && settle_dialect(w, reading->dialect, diags);
    nadi_mem_free(lists);
    return ok;
}

bool nadi_v1_read(struct nadi_v1_workload *w, const char *path,
                  const struct nadi_v1_reading *reading, struct nadi_diags *diags)
{
    char *data = NULL;
    size_t bytes = 0;
    struct nadi_str text = NADI_STR_INIT;
    *w = (struct nadi_v1_workload){0};
    nadi_arena_init(&w->arena);
    const bool ok =
        nadi_file_read(path, "text workload", &data, &bytes, diags) &&
        nadi_inflate_all(path, data, bytes, &text, diags) &&
        nadi_signature_check(path, "text workload", nadi_str_get(&text), text.length, diags) &&
        nadi_v1_parse(w, path, nadi_str_get(&text), text.length, reading, diags);
    nadi_mem_free(data);
    nadi_str_release(&text);
    return ok;
}

void nadi_v1_release(struct nadi_v1_workload *w)
{
    nadi_arena_release(&w->arena);
    *w = (struct nadi_v1_workload){0};
}
