#include "trace/v1/workload.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "trace/inflate.h"

enum { LAYERS_MOST = 1 << 20, WORD_SHOWN = 60 };

static const char *const policy_names[NADI_V1_POLICIES] = {
    [NADI_V1_NONE] = "",
    [NADI_V1_MICRO] = "MICRO",
    [NADI_V1_DATA] = "DATA",
    [NADI_V1_DATA_REORDER] = "DATA_REORDER",
    [NADI_V1_MODEL] = "MODEL",
    [NADI_V1_DISTRIBUTED_INFERENCE] = "DISTRIBUTED_INFERENCE",
    [NADI_V1_HYBRID_DATA_MODEL] = "HYBRID_DATA_MODEL",
    [NADI_V1_HYBRID_MODEL_DATA] = "HYBRID_MODEL_DATA",
    [NADI_V1_HYBRID_DLRM] = "HYBRID_DLRM",
    [NADI_V1_HYBRID_DLRM_ENHANCED] = "HYBRID_DLRM_ENHANCED",
    [NADI_V1_HYBRID_TRANSFORMER] = "HYBRID_TRANSFORMER",
    [NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD] = "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
    [NADI_V1_HYBRID_CUSTOMIZED] = "HYBRID_CUSTOMIZED",
};

static const char *const comm_names[NADI_V1_COMMS] = {
    [NADI_V1_COMM_NONE] = "NONE",       [NADI_V1_ALL_REDUCE] = "ALLREDUCE",
    [NADI_V1_ALL_GATHER] = "ALLGATHER", [NADI_V1_REDUCE_SCATTER] = "REDUCESCATTER",
    [NADI_V1_ALL_TO_ALL] = "ALLTOALL",  [NADI_V1_ALL_REDUCE_ALL_TO_ALL] = "ALLREDUCEALLTOALL",
};

const char *nadi_v1_policy_name(enum nadi_v1_policy policy)
{
    return policy_names[policy];
}

const char *nadi_v1_comm_name(enum nadi_v1_comm comm)
{
    return comm_names[comm];
}

struct reader {
    struct nadi_v1_workload *w;
    struct nadi_diags *diags;
    const char *at;   /* rest of the text, from the line after the current one */
    const char *line; /* start of the current line */
    const char *end;  /* of the current line */
    const char *word; /* next word is looked for from here */
    uint32_t number;  /* of the current line, from 1 */
    uint32_t last_column;
};

static struct nadi_place place(const struct reader *r)
{
    struct nadi_place p = NADI_IN_FILE(r->w->path);
    p.line = r->number;
    p.column = r->last_column;
    return p;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Moves to the next line that is not empty; false at the end. */
static bool next_line(struct reader *r)
{
    while (*r->at) {
        r->line = r->word = r->at;
        r->end = strchr(r->at, '\n');
        r->end = r->end ? r->end : r->at + strlen(r->at);
        r->at = *r->end ? r->end + 1 : r->end;
        r->number++;
        r->last_column = 1;
        for (const char *c = r->line; c < r->end; c++) {
            if (!is_blank(*c))
                return true;
        }
    }
    return false;
}

/* The next word of the line, NULL at its end; *length of it. */
static const char *next_word(struct reader *r, size_t *length)
{
    while (r->word < r->end && is_blank(*r->word))
        r->word++;
    const char *start = r->word;
    while (r->word < r->end && !is_blank(*r->word))
        r->word++;
    *length = (size_t)(r->word - start);
    r->last_column = (uint32_t)(start - r->line) + 1;
    return *length ? start : NULL;
}

static bool missing(struct reader *r, const char *what)
{
    return nadi_error(r->diags, "text/missing", place(r),
                      "a layer is: name, -1, three times (compute time, collective, bytes), update "
                      "time",
                      "the line ends where %s is wanted", what);
}

static bool read_number(struct reader *r, const char *what, uint64_t most, uint64_t *value)
{
    size_t length;
    char text[WORD_SHOWN + 4];
    const char *word = next_word(r, &length);
    if (!word)
        return missing(r, what);
    snprintf(text, sizeof text, "%.*s", (int)nadi_min_u64(length, WORD_SHOWN), word);
    if (length > WORD_SHOWN || !nadi_str_to_u64(text, value) || *value > most)
        return nadi_error(r->diags, "text/number", place(r), NULL,
                          "%s must be a whole number from 0 to %" PRIu64 ", found '%s'", what, most,
                          text);
    return true;
}

/* The index of the word in the table; `count` with an error when it is none of them. */
static uint32_t read_choice(struct reader *r, const char *what, const char *const *names,
                            uint32_t first, uint32_t count)
{
    size_t length;
    char text[WORD_SHOWN + 4];
    const char *word = next_word(r, &length);
    if (!word) {
        (void)!missing(r, what);
        return count;
    }
    for (uint32_t i = first; i < count; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
            return i;
    }
    struct nadi_str allowed = NADI_STR_INIT;
    for (uint32_t i = first; i < count; i++)
        nadi_str_printf(&allowed, "%s%s", i > first ? ", " : "", names[i]);
    snprintf(text, sizeof text, "%.*s", (int)nadi_min_u64(length, WORD_SHOWN), word);
    const char *near = nadi_str_nearest(text, names + first, count - first);
    nadi_error(r->diags, "text/word", place(r), nadi_str_get(&allowed), "'%s' is no %s%s%s%s", text,
               what, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    nadi_str_release(&allowed);
    return count;
}

static bool expect_word(struct reader *r, const char *wanted)
{
    size_t length;
    const char *word = next_word(r, &length);
    if (word && strlen(wanted) == length && memcmp(word, wanted, length) == 0)
        return true;
    return nadi_error(r->diags, "text/header", place(r),
                      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 16 checkpoints: 2 "
                      "0 9 checkpoint_initiates: 2 17 8",
                      "'%s' is wanted here", wanted);
}

static bool at_end_of_line(struct reader *r, const char *what)
{
    size_t length;
    const char *word = next_word(r, &length);
    return !word || nadi_error(r->diags, "text/extra", place(r), "remove it", "'%.*s' follows %s",
                               (int)nadi_min_u64(length, WORD_SHOWN), word, what);
}

struct list { /* layer indices of the header, marked once the number of layers is known */
    uint64_t items[1024];
    uint32_t count;
    struct nadi_place places[1024];
};

static bool read_list(struct reader *r, const char *key, struct list *list)
{
    uint64_t count;
    if (!expect_word(r, key) ||
        !read_number(r, "the number of layers in the list", sizeof(list->items) / 8, &count))
        return false;
    list->count = (uint32_t)count;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!read_number(r, "a layer's index", LAYERS_MOST, &list->items[i]))
            return false;
        list->places[i] = place(r);
    }
    return true;
}

static bool read_header(struct reader *r, struct list *checkpoints, struct list *initiates)
{
    struct nadi_v1_workload *w = r->w;
    uint64_t number = 0;
    const uint32_t policy =
        read_choice(r, "parallelism", policy_names, NADI_V1_MICRO, NADI_V1_POLICIES);
    w->policy = (enum nadi_v1_policy)policy;
    if (policy == NADI_V1_POLICIES)
        return false;
    if (policy == NADI_V1_HYBRID_DLRM || policy == NADI_V1_HYBRID_DLRM_ENHANCED) {
        if (!read_number(r, "the index of the last bottom layer", LAYERS_MOST, &number))
            return false;
        w->last_bottom = (uint32_t)number;
    }
    if (policy == NADI_V1_HYBRID_TRANSFORMER || policy == NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD) {
        if (!expect_word(r, "model_parallel_NPU_group:") ||
            !read_number(r, "the size of a model-parallel group", INT32_MAX, &number))
            return false;
        w->model_group = (uint32_t)number;
        if (w->model_group == 0)
            return nadi_error(r->diags, "text/number", place(r), NULL,
                              "a model-parallel group has at least one NPU");
    }
    if (policy == NADI_V1_HYBRID_TRANSFORMER_FWD_IN_BCKWD &&
        (!read_list(r, "checkpoints:", checkpoints) ||
         !read_list(r, "checkpoint_initiates:", initiates)))
        return false;
    return at_end_of_line(r, "the parallelism");
}

static bool read_phase(struct reader *r, struct nadi_v1_layer *layer, enum nadi_v1_phase phase)
{
    static const char *const times[] = {"the forward compute time",
                                        "the compute time of the input gradient",
                                        "the compute time of the weight gradient"};
    if (!read_number(r, times[phase], INT64_MAX / 1000000000, &layer->time[phase]))
        return false;
    const uint32_t comm = read_choice(r, "collective", comm_names, 0, NADI_V1_COMMS);
    layer->comm[phase] = (enum nadi_v1_comm)comm;
    return comm < NADI_V1_COMMS &&
           read_number(r, "the bytes of the collective", INT64_MAX, &layer->bytes[phase]);
}

static bool read_layer(struct reader *r, struct nadi_v1_layer *layer)
{
    size_t length;
    const char *word = next_word(r, &length);
    layer->name = nadi_arena_strndup(&r->w->arena, word, length);
    layer->line = r->number;
    layer->policy = r->w->policy;
    if (!next_word(r, &length)) /* -1 in every file; nobody reads it */
        return missing(r, "a reserved number");
    for (unsigned phase = 0; phase < NADI_V1_PHASES; phase++) {
        if (!read_phase(r, layer, (enum nadi_v1_phase)phase))
            return false;
    }
    if (!read_number(r, "the update time", INT64_MAX / 1000000000, &layer->update))
        return false;
    if (r->w->policy == NADI_V1_HYBRID_CUSTOMIZED) {
        const uint32_t policy =
            read_choice(r, "parallelism of a layer", policy_names, NADI_V1_DATA, NADI_V1_POLICIES);
        layer->policy = (enum nadi_v1_policy)policy;
        if (policy == NADI_V1_POLICIES)
            return false;
    }
    return at_end_of_line(r, "the layer");
}

static bool read_layers(struct reader *r, uint32_t count)
{
    struct nadi_v1_workload *w = r->w;
    bool ok = true;
    w->layers = NADI_ARENA_ZNEW(&w->arena, struct nadi_v1_layer, count);
    for (w->layer_count = 0; w->layer_count < count; w->layer_count++) {
        if (!next_line(r))
            return nadi_error(r->diags, "text/layers", place(r),
                              "correct the number in the second line or add the layers",
                              "%u layers are announced, the file has %u", count, w->layer_count);
        ok &= read_layer(r, &w->layers[w->layer_count]);
    }
    if (next_line(r))
        return nadi_error(r->diags, "text/layers", place(r),
                          "correct the number in the second line or remove the rest",
                          "%u layers are announced, here are more", count);
    return ok;
}

static bool mark(struct reader *r, const struct list *list, const char *what, bool **marks)
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
static bool check_marks(struct reader *r)
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

static bool read_all(struct reader *r, struct list *checkpoints, struct list *initiates)
{
    struct nadi_v1_workload *w = r->w;
    uint64_t count = 0;
    if (!next_line(r))
        return nadi_error(r->diags, "text/empty", NADI_IN_FILE(w->path), NULL, "the file is empty");
    if (!read_header(r, checkpoints, initiates))
        return false;
    if (!next_line(r))
        return nadi_error(r->diags, "text/layers", place(r), NULL,
                          "the second line, the number of layers, is missing");
    if (!read_number(r, "the number of layers", LAYERS_MOST, &count) ||
        !at_end_of_line(r, "the number of layers"))
        return false;
    if (count == 0)
        return nadi_error(r->diags, "text/layers", place(r), NULL, "there is no layer");
    if (!read_layers(r, (uint32_t)count))
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

bool nadi_v1_parse(struct nadi_v1_workload *w, const char *path, const char *text, size_t bytes,
                   struct nadi_diags *diags)
{
    *w = (struct nadi_v1_workload){0};
    nadi_arena_init(&w->arena);
    w->path = nadi_arena_strdup(&w->arena, path);
    w->text = clean_copy(&w->arena, text, bytes);
    struct reader r = {.w = w, .diags = diags, .at = w->text};
    struct list *lists = NADI_ZNEW(struct list, 2);
    const bool ok = read_all(&r, &lists[0], &lists[1]);
    nadi_mem_free(lists);
    return ok;
}

bool nadi_v1_read(struct nadi_v1_workload *w, const char *path, struct nadi_diags *diags)
{
    char *data = NULL;
    size_t bytes = 0;
    struct nadi_str text = NADI_STR_INIT;
    *w = (struct nadi_v1_workload){0};
    nadi_arena_init(&w->arena);
    const bool ok = nadi_file_read(path, "text workload", &data, &bytes, diags) &&
                    nadi_inflate_all(path, data, bytes, &text, diags) &&
                    nadi_v1_parse(w, path, nadi_str_get(&text), text.length, diags);
    nadi_mem_free(data);
    nadi_str_release(&text);
    return ok;
}

void nadi_v1_release(struct nadi_v1_workload *w)
{
    nadi_arena_release(&w->arena);
    *w = (struct nadi_v1_workload){0};
}
