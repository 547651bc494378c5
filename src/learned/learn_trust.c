/* learn_trust: which features a law may follow from, those that are likelier first. */
#include "learned/learn.h"

/* Loops go over layers and micro-batches: no program counts tokens. */
static bool is_counter(const char *label)
{
    return strcmp(label, "layers") == 0 || strcmp(label, "micro-batches") == 0;
}

/* Figures depend on work, layers of the stage, axes and the pipeline's ends; counts on layers,
 * micro-batches and places. */
void nadi_learned_trust_of(struct nadi_learned_trust *t, const struct nadi_learned_family *f)
{
    const uint32_t count = nadi_learned_feature_count(f), places = count - 4;
    uint8_t labels[NADI_LAW_FEATURES], sizes[NADI_LAW_FEATURES];
    uint32_t label_count = 0, size_count = 0;
    t->figure_count = t->count_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        t->kinds[i] = nadi_learned_feature_kind(f, i);
        if (t->kinds[i] == NADI_FEATURE_LABEL || t->kinds[i] == NADI_FEATURE_SQUARE)
            labels[label_count++] = (uint8_t)i;
        else if (t->kinds[i] == NADI_FEATURE_SIZE)
            sizes[size_count++] = (uint8_t)i;
    }
    /* Labels that follow the others are layers of a stage, tokens of a pass, a rank's share. */
    const uint8_t share = labels[--label_count], tokens = labels[--label_count];
    for (int counter = 1; counter >= 0; counter--) {
        for (uint32_t i = label_count; i-- > 0;)
            if ((i >= f->label_count || is_counter(f->labels[i])) == counter)
                t->counts[t->count_count++] = labels[i];
        for (uint32_t i = 0; i < 4 && counter; i++)
            t->counts[t->count_count++] = (uint8_t)(places + i);
        for (uint32_t i = 0; i < size_count && !counter; i++)
            t->counts[t->count_count++] = sizes[size_count - 1 - i];
        t->trusted_counts = counter ? t->count_count : t->trusted_counts;
    }
    uint32_t first = 0;
    t->figures[t->figure_count++] = tokens;
    t->figures[t->figure_count++] = share;
    while (first < f->label_count && nadi_learned_label_is_work(f->labels[first]))
        t->figures[t->figure_count++] = labels[first++];
    t->figures[t->figure_count++] = labels[--label_count];
    for (uint32_t i = 0; i < size_count; i++)
        t->figures[t->figure_count++] = sizes[i];
    t->figures[t->figure_count++] = (uint8_t)(places + NADI_PLACE_FIRST);
    t->figures[t->figure_count++] = (uint8_t)(places + NADI_PLACE_LAST);
    t->trusted_count = t->figure_count;
    while (label_count > first)
        t->figures[t->figure_count++] = labels[--label_count];
}
