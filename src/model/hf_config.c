#include "model/hf_config.h"

#include "base/str.h"

static void mark(struct nadi_hf_config *c, const struct nadi_doc_node *node)
{
    NADI_ASSERT(c->read_count < NADI_HF_MOST_READ);
    for (uint32_t i = 0; i < c->read_count; i++)
        if (c->read[i] == node)
            return;
    c->read[c->read_count++] = node;
}

static const char *next_word(const char *list, char word[64])
{
    list += strspn(list, " ");
    const size_t length = strcspn(list, " ");
    NADI_ASSERT(length < 64);
    memcpy(word, list, length);
    word[length] = '\0';
    return list + length;
}

const struct nadi_doc_node *nadi_hf_find(struct nadi_hf_config *c, const char *names)
{
    const struct nadi_doc_node *first = NULL;
    char key[64];
    for (names = next_word(names, key); key[0]; names = next_word(names, key)) {
        const struct nadi_doc_node *node = nadi_doc_find(c->map, key);
        if (!node)
            continue;
        mark(c, node);
        first = first ? first : node;
    }
    return first;
}

/* What the class takes for the key; NULL: nothing is said. */
static const char *absent_value(const struct nadi_hf_config *c, const char *names, char value[64])
{
    char key[64], pair[64];
    for (names = next_word(names, key); key[0]; names = next_word(names, key)) {
        const size_t length = strlen(key);
        const char *list = c->absent ? c->absent : "";
        for (list = next_word(list, pair); pair[0]; list = next_word(list, pair)) {
            if (strncmp(pair, key, length) != 0 || pair[length] != '=')
                continue;
            memcpy(value, pair + length + 1, strlen(pair + length + 1) + 1);
            return value;
        }
    }
    return NULL;
}

static bool is_null(const struct nadi_hf_config *c, const struct nadi_doc_node *node)
{
    return nadi_doc_classify(c->doc, node, NULL) == NADI_DOC_NULL;
}

static bool count_of(const struct nadi_hf_config *c, const struct nadi_doc_node *node,
                     uint32_t *count)
{
    double value = 0;
    const enum nadi_doc_scalar kind = nadi_doc_classify(c->doc, node, &value);
    if ((kind != NADI_DOC_INTEGER && kind != NADI_DOC_REAL) || !(value >= 0) ||
        value > NADI_HF_MOST_COUNT)
        return false;
    *count = (uint32_t)value;
    return *count >= value; /* 4.0 is whole too */
}

bool nadi_hf_wrong(struct nadi_hf_config *c, const struct nadi_doc_node *node, const char *kind)
{
    char found[96];
    return (c->ok = nadi_error(c->diags, "model/config", nadi_doc_place(c->doc, node), NULL,
                               "'%s' must be %s, found %s", nadi_doc_key(node), kind,
                               nadi_doc_describe(c->doc, node, found)));
}

uint32_t nadi_hf_number(struct nadi_hf_config *c, const char *names, uint32_t absent)
{
    const struct nadi_doc_node *node = nadi_hf_find(c, names);
    char text[64];
    uint32_t value = absent;
    if (!node) {
        if (absent_value(c, names, text) && !nadi_str_to_u32(text, UINT32_MAX, &value))
            NADI_BUG("the table has %s", text);
        return value;
    }
    if (is_null(c, node))
        return 0;
    const struct nadi_doc_node *item = node->kind == NADI_DOC_LIST ? node->first : node;
    /* one of each layer: a list of one says nothing of layers, and is no number */
    bool ok = item && count_of(c, item, &value) && (node->kind != NADI_DOC_LIST || node->count > 1);
    for (uint32_t other; ok && node->kind == NADI_DOC_LIST && item; item = item->next) {
        ok = count_of(c, item, &other);
        if (ok && other != value) {
            nadi_hf_refuse(c, node, "a number that is not the same in all layers");
            return value;
        }
    }
    if (!ok)
        (void)nadi_hf_wrong(c, node, "a whole number up to 1e9");
    return value;
}

uint32_t nadi_hf_no_null(struct nadi_hf_config *c, const char *names, bool needed)
{
    const struct nadi_doc_node *node = nadi_hf_find(c, names);
    char text[64];
    if (node && is_null(c, node) && (needed || absent_value(c, nadi_doc_key(node), text)))
        (void)nadi_hf_wrong(c, node, "a whole number up to 1e9");
    return nadi_hf_number(c, names, 0);
}

bool nadi_hf_is_true(const struct nadi_doc_node *item)
{
    return item->kind == NADI_DOC_SCALAR &&
           (nadi_str_equal(item->text, "true") || nadi_str_equal(item->text, "1"));
}

uint32_t nadi_hf_times(struct nadi_hf_config *c, uint64_t a, uint64_t b)
{
    if (!a || b <= NADI_HF_MOST_COUNT / a)
        return (uint32_t)(a * b);
    c->ok = nadi_error(c->diags, "model/config", NADI_IN_FILE(c->doc->path), NULL,
                       "model_type '%s' has a width above 1e9: %" PRIu64 " times %" PRIu64, c->type,
                       a, b);
    return NADI_HF_MOST_COUNT;
}

static bool is_switch(const struct nadi_hf_config *c, const struct nadi_doc_node *node)
{
    double number = 0;
    switch (nadi_doc_classify(c->doc, node, &number)) {
    case NADI_DOC_NULL:
    case NADI_DOC_BOOL:
        return true;
    case NADI_DOC_INTEGER:
        return !(number < 0) && !(number > 1);
    case NADI_DOC_TEXT:
        return nadi_str_equal(node->text, "true") || nadi_str_equal(node->text, "false");
    case NADI_DOC_REAL:
    case NADI_DOC_SCALAR_NONE:
        break;
    }
    return false;
}

bool nadi_hf_truth(struct nadi_hf_config *c, const char *names, bool absent)
{
    const struct nadi_doc_node *node = nadi_hf_find(c, names);
    char text[64];
    if (node)
        return is_switch(c, node) ? nadi_hf_is_true(node) : nadi_hf_wrong(c, node, "true or false");
    return absent_value(c, names, text) ? nadi_str_equal(text, "true") : absent;
}

const char *nadi_hf_text(struct nadi_hf_config *c, const char *names)
{
    const struct nadi_doc_node *node = nadi_hf_find(c, names);
    return node && node->kind == NADI_DOC_SCALAR && !is_null(c, node) ? node->text : "";
}

/* The names of transformers' ACT2FN, and what remote code calls them; gates multiply two halves. */
static const char plain_activations[] =
    "gelu gelu_10 gelu_accurate gelu_fast gelu_new gelu_python gelu_python_tanh gelu_pytorch_tanh "
    "hard_swish laplace leaky_relu linear mish prelu quick_gelu relu relu2 relu6 sigmoid silu "
    "swish tanh xielu";
static const char gated_activations[] = "swiglu swigluoai geglu reglu glu";

static bool refuse_activation(struct nadi_hf_config *c, const struct nadi_doc_node *node)
{
    char found[96];
    struct nadi_str known = NADI_STR_INIT;
    nadi_str_printf(&known, "known: %s, and of two halves: %s", plain_activations,
                    gated_activations);
    c->ok = nadi_error(c->diags, "model/unmodelled", nadi_doc_place(c->doc, node),
                       nadi_str_get(&known), "'%s' of model_type '%s' is %s: no known activation",
                       nadi_doc_key(node), c->type, nadi_doc_describe(c->doc, node, found));
    nadi_str_release(&known);
    return false;
}

bool nadi_hf_gate(struct nadi_hf_config *c, const char *names, const char *absent, bool *gated)
{
    const char *found = nadi_hf_text(c, names), *word = *found ? found : absent;
    *gated = nadi_hf_has_word(gated_activations, word);
    return *gated || nadi_hf_has_word(plain_activations, word) ||
           refuse_activation(c, nadi_hf_find(c, names));
}

bool nadi_hf_check_activations(struct nadi_hf_config *c, bool gated)
{
    static const char *const keys[] = {"hidden_act",
                                       "hidden_activation",
                                       "activation",
                                       "activation_type",
                                       "act_fn",
                                       "afn",
                                       "ff_activation",
                                       "mlp_hidden_act",
                                       "dense_act_fn",
                                       "feed_forward_proj",
                                       "activation_function",
                                       "activation_fn_name"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct nadi_doc_node *node = nadi_doc_find(c->map, keys[i]);
        if (!node || is_null(c, node))
            continue;
        if (node->kind != NADI_DOC_SCALAR)
            return nadi_hf_wrong(c, node, "the name of an activation");
        const size_t prefix = nadi_str_starts(node->text, "gated-") ? strlen("gated-") : 0; /* T5 */
        if (!nadi_hf_has_word(plain_activations, node->text + prefix) &&
            !nadi_hf_has_word(gated_activations, node->text))
            return refuse_activation(c, node);
        if (!gated && nadi_hf_has_word(gated_activations, node->text))
            return nadi_hf_refuse(c, node, "a product of two halves of the feed-forward layer");
    }
    return true;
}

const struct nadi_doc_node *nadi_hf_list(struct nadi_hf_config *c, const char *names)
{
    const struct nadi_doc_node *node = nadi_hf_find(c, names);
    if (!node)
        return NULL;
    const bool text = nadi_doc_classify(c->doc, node, NULL) == NADI_DOC_TEXT && node->text[0];
    if (text || (node->kind == NADI_DOC_MAP && node->count))
        (void)nadi_hf_wrong(c, node, "a list");
    return node->kind == NADI_DOC_LIST && node->first ? node : NULL;
}

bool nadi_hf_enter(struct nadi_hf_config *c, const char *name)
{
    const struct nadi_doc_node *node = nadi_hf_find(c, name);
    if (node && node->kind != NADI_DOC_MAP && !is_null(c, node))
        return nadi_hf_wrong(c, node, "a map");
    if (!node || node->kind != NADI_DOC_MAP)
        return false;
    c->map = node;
    return true;
}

static bool wrong_list(struct nadi_hf_config *c, const struct nadi_doc_node *list, const char *kind)
{
    return c->ok && nadi_hf_wrong(c, list, kind); /* once, not for each layer */
}

bool nadi_hf_lists_number(struct nadi_hf_config *c, const struct nadi_doc_node *list,
                          uint32_t number)
{
    bool found = false;
    uint32_t value;
    for (const struct nadi_doc_node *item = list ? list->first : NULL; item; item = item->next) {
        if (!count_of(c, item, &value))
            return wrong_list(c, list, "a list of whole numbers");
        found |= value == number;
    }
    return found;
}

static const struct nadi_doc_node *item_at(const struct nadi_doc_node *list, uint32_t index)
{
    const struct nadi_doc_node *item = list ? list->first : NULL;
    for (; item && index > 0; index--)
        item = item->next;
    return item;
}

const char *nadi_hf_word_at(const struct nadi_doc_node *list, uint32_t index)
{
    const struct nadi_doc_node *item = item_at(list, index);
    return item && item->kind == NADI_DOC_SCALAR ? item->text : "";
}

uint32_t nadi_hf_number_at(struct nadi_hf_config *c, const struct nadi_doc_node *list,
                           uint32_t index)
{
    const struct nadi_doc_node *item = item_at(list, index);
    uint32_t value = 0;
    if (list && (!item || !count_of(c, item, &value)))
        (void)wrong_list(c, list, "a list of whole numbers up to 1e9, one of each layer or stage");
    return value;
}

bool nadi_hf_bit_at(struct nadi_hf_config *c, const struct nadi_doc_node *list, uint32_t index)
{
    const uint32_t value = nadi_hf_number_at(c, list, index);
    if (value > 1)
        (void)wrong_list(c, list, "a list of 0 and 1");
    return value == 1;
}

bool nadi_hf_has_only(struct nadi_hf_config *c, const struct nadi_doc_node *list, const char *words)
{
    char kind[96];
    snprintf(kind, sizeof(kind), "a list of these words: %s", words);
    for (const struct nadi_doc_node *item = list ? list->first : NULL; item; item = item->next)
        if (item->kind != NADI_DOC_SCALAR || !item->text || !nadi_hf_has_word(words, item->text))
            return nadi_hf_wrong(c, list, kind);
    return true;
}

bool nadi_hf_refuse(struct nadi_hf_config *c, const struct nadi_doc_node *at, const char *what)
{
    char found[96];
    if (!at)
        return (c->ok = nadi_error(c->diags, "model/unmodelled", NADI_IN_FILE(c->doc->path), NULL,
                                   "model_type '%s' %s, which is not modelled", c->type, what));
    c->ok = nadi_error(c->diags, "model/unmodelled", nadi_doc_place(c->doc, at), NULL,
                       "'%s' of model_type '%s' is %s: %s, which is not modelled", nadi_doc_key(at),
                       c->type, nadi_doc_describe(c->doc, at, found), what);
    return false;
}

/* ---- keys that nobody read ----------------------------------------------------------------- */

/* Parts of names that speak of the shape, between underscores. */
static const char shape_words[] =
    " adapter altup block blocks cla compress conv cross dim dims expert experts ffn hc heads "
    "hybrid indexer kv laurel layer layers linear lora mamba mlp moe ngram pattern period rank "
    "recurrent rnn routed rwkv s4 share shared sparse ssm swa width window ";

static const char *const shape_ends[] = {
    "hidden_size", "intermediate_size", "embedding_size", "_embd", "_layer", NULL,
};

/* Names with such parts that change neither the parameters nor the time of a layer. */
static const char harmless_names[] =
    " apply_query_key_layer_scaling context_window_size dim_model_base embd_layer "
    "enable_expert_tensor_parallelism encoder_no_repeat_ngram_size ffn_act_fn "
    "ffn_inter_padding_size first_layer_fusion kv_cache_scheme layer_norm_type "
    "mlp_gated_linear_units mlp_hidden_act moe_capacity moe_drop_tokens moe_eval_capacity_factor "
    "moe_gate moe_gate_act moe_group_experts moe_layer_use_aux moe_loss_weight moe_min_capacity "
    "moe_multimodal_dispatch_use_allgather moe_norm_min moe_normalize_expert_weights "
    "moe_renormalize moe_routed_scaling_factor moe_router_activation_func "
    "moe_router_enable_expert_bias moe_router_scaling_factor moe_router_topk_scaling_factor "
    "moe_token_dropping moe_train_capacity_factor moe_use_aux_free moe_use_hard_gate "
    "mtp_transformer_layers mup_base_width no_repeat_ngram_size no_rope_layer_interval "
    "no_rope_layers nope_layer_interval num_expert_group num_nextn_predict_layers post_layer_norm "
    "pre_allocate_kv_cache pruned_heads routed_scaling_factor scale_attn_by_inverse_layer_idx "
    "scale_width shared_input_output_embedding use_kv_cache use_mixed_mlp_moe ";

static const char *const harmless_starts[] = {
    "rope",    "rotary", "initializer", "vision",  "image",      "img",       "video",
    "audio",   "speech", "summary",     "torch",   "_",          "tokenizer", "transformers",
    "output_", "mrope",  "quant",       "router_", "generation", "mm_",       "resid_",
    "init_",   "yarn",   "tie_",        "mtp_",    "use_mamba",  "time_step", NULL,
};

static const char *const harmless_ends[] = {
    "_dropout",    "_dropout_prob", "_pdrop", "_eps",       "_epsilon", "_token_id",
    "_token_ids",  "_token_index",  "_theta", "_loss_coef", "_dtype",   "_std",
    "_token",      "_loss_alpha",   "_init",  "_aux_coef",  "_scale",   "_base_freq",
    "_logits",     "_in_fp32",      "_gain",  "_alpha",     "_limit",   "_act",
    "_activation", "_cache_dtype",  NULL,
};

bool nadi_hf_has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; length && !strchr(word, ' ') && (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool has_word(const char *list, const char *word, size_t length)
{
    for (const char *at = list; length && (at = strchr(at, word[0])); at++)
        if (at > list && at[-1] == ' ' && strncmp(at, word, length) == 0 && at[length] == ' ')
            return true;
    return false;
}

static bool speaks_of_shape(const struct nadi_hf_config *c, const char *key)
{
    if (has_word(harmless_names, key, strlen(key)) ||
        (c->ignored && nadi_hf_has_word(c->ignored, key)))
        return false;
    for (size_t i = 0; harmless_starts[i]; i++)
        if (nadi_str_starts(key, harmless_starts[i]))
            return false;
    for (size_t i = 0; harmless_ends[i]; i++)
        if (nadi_str_ends(key, harmless_ends[i]))
            return false;
    for (const char *at = key; *at;) {
        const size_t length = strcspn(at, "_.-");
        if (length && has_word(shape_words, at, length))
            return true;
        at += length;
        at += strspn(at, "_.-");
    }
    for (size_t i = 0; shape_ends[i]; i++)
        if (nadi_str_ends(key, shape_ends[i]))
            return true;
    return false;
}

/* Not null, false, 0 or empty. */
static bool says_something(const struct nadi_hf_config *c, const struct nadi_doc_node *node)
{
    double number = 0;
    switch (nadi_doc_classify(c->doc, node, &number)) {
    case NADI_DOC_SCALAR_NONE:
        return node->count > 0;
    case NADI_DOC_NULL:
        return false;
    case NADI_DOC_BOOL:
    case NADI_DOC_INTEGER:
    case NADI_DOC_REAL:
        return number < 0 || number > 0;
    case NADI_DOC_TEXT:
        return node->text[0] != '\0';
    }
    NADI_BUG("kind of a scalar");
}

static bool was_read(const struct nadi_hf_config *c, const struct nadi_doc_node *node)
{
    for (uint32_t i = 0; i < c->read_count; i++)
        if (c->read[i] == node)
            return true;
    return false;
}

bool nadi_hf_check_unread(struct nadi_hf_config *c, const struct nadi_doc_node *map)
{
    bool ok = true;
    char found[96];
    for (const struct nadi_doc_node *node = map->first; node; node = node->next) {
        if (was_read(c, node)) {
            if (node->kind == NADI_DOC_MAP)
                ok &= nadi_hf_check_unread(c, node);
            continue;
        }
        if (!says_something(c, node) || !speaks_of_shape(c, nadi_doc_key(node)))
            continue;
        ok = nadi_error(c->diags, "model/unmodelled", nadi_doc_key_place(c->doc, node),
                        "where it changes no layer, leave it out of a copy of the file; where it "
                        "does, the model cannot be described",
                        "'%s' (%s) is not known of model_type '%s': what it changes is not "
                        "modelled",
                        nadi_doc_key(node), nadi_doc_describe(c->doc, node, found), c->type);
    }
    return ok;
}
