/* messages_json: messages as objects of a JSON array. */
#ifndef NADI_REPORT_MESSAGES_JSON_H
#define NADI_REPORT_MESSAGES_JSON_H

#include "base/diag.h"
#include "format/json_write.h"

/* Members of the open object: errors, warnings, notes (their numbers), messages. */
void nadi_messages_json_members(const struct nadi_diags *messages, struct nadi_json *j);
/* Into the array that is open. */
void nadi_messages_add_json(const struct nadi_diags *messages, struct nadi_json *j);

#endif
