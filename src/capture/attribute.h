/* attribute: one entry of a node's list of attributes,
 *
 *   {"name": "rf_id", "type": "uint64", "value": 0}
 *
 * A capture has millions of them, and PyTorch writes the same seven in the same order and spacing
 * for every node; so the text that is expected next is tried first. */
#ifndef NADI_CAPTURE_ATTRIBUTE_H
#define NADI_CAPTURE_ATTRIBUTE_H

#include "format/json_pull.h"

enum nadi_known_attr {
    NADI_KNOWN_RF_ID,
    NADI_KNOWN_FW_PARENT,
    NADI_KNOWN_SEQ_ID,
    NADI_KNOWN_SCOPE,
    NADI_KNOWN_TID,
    NADI_KNOWN_FW_TID,
    NADI_KNOWN_NUMBERS, /* those before are whole numbers */
    NADI_KNOWN_OP_SCHEMA = NADI_KNOWN_NUMBERS,
    NADI_KNOWN_ATTRS,
    NADI_KNOWN_NOT = NADI_KNOWN_ATTRS
};

struct nadi_attr_item {
    enum nadi_known_attr known;
    struct nadi_view name; /* when it is none of the known */
    struct nadi_value value;
    int64_t number; /* of the known numbers */
    bool given;     /* the value is there and, of a known number, is one */
};

/* "rf_id", ... */
const char *nadi_known_attr_name(enum nadi_known_attr known);

/* Reads the entry that comes next; `expected` is the one that follows the last. False with a
 * fault. */
bool nadi_attr_item(struct nadi_pull *s, enum nadi_known_attr expected,
                    struct nadi_attr_item *item);

#endif
