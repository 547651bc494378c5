/* messages_json: messages as objects of a JSON array. Private to this room. */
#ifndef NADI_API_MESSAGES_JSON_H
#define NADI_API_MESSAGES_JSON_H

#include "base/diag.h"
#include "format/json_write.h"

/* Into the array that is open. */
void nadi_messages_add_json(const struct nadi_diags *messages, struct nadi_json *j);

#endif
