/* schema: one table per kind of input file, from which everything about its keys follows: checking,
 * "did you mean", `nadi explain`, the reference pages in docs/.
 *
 * A value is checked once and returned in base units (ns, B, B/s, FLOP/s); a bare number takes the
 * unit of its key, a text may carry its own: `400Gbps`, `50GB/s`, `500ns`.
 *
 * Numbers in JSON follow the reference: a fraction is truncated where a whole number is required
 * (with a warning), true and false count as 1 and 0. YAML whole numbers may be written 0x10 or
 * 0o17; 010 is ambiguous and refused (doc.h). */
#ifndef NADI_SETTINGS_SCHEMA_H
#define NADI_SETTINGS_SCHEMA_H

#include "format/doc.h"
#include "settings/setting.h"

struct nadi_str;

enum nadi_schema_kind {
    NADI_SCHEMA_SYSTEM,
    NADI_SCHEMA_NETWORK,
    NADI_SCHEMA_MEMORY,
    NADI_SCHEMA_TIERS, /* a memory file of tiers */
    NADI_SCHEMA_TIER,
    NADI_SCHEMA_TIER_LINK,
    NADI_SCHEMA_TIER_TRUSTED,
    NADI_SCHEMA_TIER_POOL,
    NADI_SCHEMA_LEVELS, /* a memory file of levels */
    NADI_SCHEMA_LEVEL,
    NADI_SCHEMA_GROUPS,
    NADI_SCHEMA_CUSTOM_NODES,
    NADI_SCHEMA_MODEL,
    NADI_SCHEMA_PLAN,
    NADI_SCHEMA_DEVICE,
    NADI_SCHEMA_CLUSTER,
    NADI_SCHEMA_PLATFORM,
    NADI_SCHEMA_MANIFEST,
    NADI_SCHEMA_MANIFEST_TRACE, /* one entry of the manifest's list of traces */
    NADI_SCHEMA_PACKET,
    NADI_SCHEMA_FLIT,
    NADI_SCHEMA_LOADSTORE,
    NADI_SCHEMA_NETWORK_V1,
    NADI_SCHEMA_GRAPH, /* a network file of nodes and links */
    NADI_SCHEMA_GRAPH_NODE,
    NADI_SCHEMA_GRAPH_LINK,
    NADI_SCHEMA_GENERATOR,
    NADI_SCHEMA_EVENTS,
    NADI_SCHEMA_EVENTS_LINK,
    NADI_SCHEMA_EVENTS_COMPUTE,
    NADI_SCHEMA_EVENTS_START,
    NADI_SCHEMA_EVENTS_TRAFFIC,
    NADI_SCHEMA_COLLECTIVE, /* an explicit algorithm */
    NADI_SCHEMA_COLLECTIVE_STEP,
    NADI_SCHEMA_ATTACHED, /* an entry of a system file's custom-collectives */
    NADI_SCHEMA_TUNER,    /* the tuner table */
    NADI_SCHEMA_TUNER_RULE,
    NADI_SCHEMA_CATALOGUE, /* of prices and powers */
    NADI_SCHEMA_CATALOGUE_PART,
    NADI_SCHEMA_DIVIDED, /* a network whose bandwidth is divided */
    NADI_SCHEMA_COMMUNICATORS,
    NADI_SCHEMA_LOOP, /* over the layers of a text workload */
    NADI_SCHEMA_LOOP_STEP,
    NADI_SCHEMA_SPACE, /* of a sweep */
    NADI_SCHEMA_SPACE_WORKLOAD,
    NADI_SCHEMA_NET, /* layers of a neural network */
    NADI_SCHEMA_NET_LAYER,
    NADI_SCHEMA_LINK, /* between workers of a partition */
    NADI_SCHEMA_KINDS
};

struct nadi_schema {
    const char *name;  /* "system" */
    const char *title; /* "system file" */
    const char *option;
    const char *doc; /* what the file is for */
    const char *example;
    enum nadi_doc_syntax syntax; /* if the file's name does not tell */
    bool open;                   /* keys are the user's own names; the one entry describes them */
    const struct nadi_setting *keys;
    size_t count;
};

const struct nadi_schema *nadi_schema_of(enum nadi_schema_kind kind);
const struct nadi_setting *nadi_schema_find(const struct nadi_schema *schema, const char *key);

struct nadi_schema_scalar {
    const struct nadi_doc_node *node; /* NULL: the default; MAP: the map */
    double number;                    /* INTEGER, NUMBER: in the base unit, not cut */
    int64_t integer;                  /* INTEGER: in the key's unit; FLAG, SWITCH: 0 or 1; WORD with
                                         [N]: the number behind it, 0 when there is none */
    uint32_t word;                    /* WORD: index into words */
    const char *text;                 /* TEXT, WORD: as written */
};

struct nadi_schema_value {
    const struct nadi_setting *key;
    const struct nadi_doc_node *node; /* NULL: absent from the file */
    uint32_t count;                   /* 0: absent without a default; 1 unless a list */
    bool told; /* absent and already reported: there is a misspelling of it */
    struct nadi_schema_scalar *items;
};

struct nadi_schema_values {
    const struct nadi_schema *schema;
    const struct nadi_doc *doc;      /* may be NULL: everything at its default */
    struct nadi_schema_value *items; /* one per key of the table, in its order */
};

/* Checks every key of the document against the table. All findings go to diags; false when there
 * was an error. An unknown key is a warning, an error where `strict`. The values live in `arena`
 * and point into the document, which must outlive them. doc may be NULL. */
bool nadi_schema_check(struct nadi_schema_values *values, const struct nadi_schema *schema,
                       const struct nadi_doc *doc, bool strict, struct nadi_arena *arena,
                       struct nadi_diags *diags) NADI_MUST_USE;

/* The same for a map within the document, which the table describes. */
bool nadi_schema_check_map(struct nadi_schema_values *values, const struct nadi_schema *schema,
                           const struct nadi_doc *doc, const struct nadi_doc_node *map, bool strict,
                           struct nadi_arena *arena, struct nadi_diags *diags) NADI_MUST_USE;

/* The value of a key; the key must be in the table. */
const struct nadi_schema_value *nadi_schema_get(const struct nadi_schema_values *values,
                                                const char *key);
/* Shorthands for the first scalar; the key must have a value or a default. */
double nadi_schema_number(const struct nadi_schema_values *values, const char *key);
int64_t nadi_schema_integer(const struct nadi_schema_values *values, const char *key);
uint32_t nadi_schema_word(const struct nadi_schema_values *values, const char *key);
bool nadi_schema_is_set(const struct nadi_schema_values *values, const char *key); /* in the file */

/* The value in SI units with the unit: "10 ns", "[53687091200 B/s, ...]", "none". */
void nadi_schema_value_text(const struct nadi_schema_value *value, struct nadi_str *out);
/* "system.json:5" or "default". */
void nadi_schema_origin(const struct nadi_schema_values *values,
                        const struct nadi_schema_value *value, struct nadi_str *out);

/* The meaning of a key, in all files that have it and in the tables `more` (ends with NULL; may be
 * NULL); all keys, one line each, when `key` is NULL. False when no table has the key: `out` then
 * has similar names, if any. */
bool nadi_explain(const struct nadi_schema *const *more, const char *key, struct nadi_str *out);
/* The same as one JSON object, schema nadi-explain/1. */
bool nadi_explain_as_json(const struct nadi_schema *const *more, const char *key,
                          struct nadi_str *out);
/* What one row says; where: "system file, --system". */
void nadi_explain_setting(const struct nadi_setting *key, const char *where, struct nadi_str *out);
/* The reference page of one kind of file, in Markdown. */
void nadi_schema_markdown(enum nadi_schema_kind kind, struct nadi_str *out);

#endif
