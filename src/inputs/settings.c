/* settings: the echo of the resolved configuration, in the order in which it was read. */
#include "base/mem.h"
#include "base/str.h"
#include "inputs/load.h"

void nadi_settings_add(struct nadi_inputs *in, const char *file, const char *key, const char *value,
                       const char *origin)
{
    if (in->setting_count == in->setting_capacity)
        in->settings = nadi_mem_grow(in->settings, &in->setting_capacity, in->setting_count + 1,
                                     sizeof(*in->settings));
    in->settings[in->setting_count++] = (struct nadi_resolved){
        .file = nadi_arena_strdup(&in->arena, file),
        .key = nadi_arena_strdup(&in->arena, key),
        .value = nadi_arena_strdup(&in->arena, value),
        .origin = nadi_arena_strdup(&in->arena, origin),
    };
}

void nadi_settings_replace(struct nadi_inputs *in, const char *file, const char *key,
                           const char *value, const char *origin)
{
    for (size_t i = 0; i < in->setting_count; i++) {
        struct nadi_resolved *s = &in->settings[i];
        if (strcmp(s->file, file) == 0 && strcmp(s->key, key) == 0) {
            s->value = nadi_arena_strdup(&in->arena, value);
            s->origin = nadi_arena_strdup(&in->arena, origin);
            return;
        }
    }
    NADI_BUG("no setting %s of %s to replace", key, file);
}

void nadi_settings_add_values(struct nadi_inputs *in, const struct nadi_schema_values *values)
{
    struct nadi_str value = NADI_STR_INIT, origin = NADI_STR_INIT;
    for (size_t i = 0; i < values->schema->count; i++) {
        const struct nadi_schema_value *v = &values->items[i];
        if (v->key->effect != NADI_EFFECT_USED)
            continue;
        nadi_str_clear(&value);
        nadi_str_clear(&origin);
        nadi_schema_value_text(v, &value);
        nadi_schema_origin(values, v, &origin);
        nadi_settings_add(in, values->schema->name, v->key->name, nadi_str_get(&value),
                          nadi_str_get(&origin));
    }
    nadi_str_release(&value);
    nadi_str_release(&origin);
}
