/* dedup_text: which ranks run which trace, as text and JSON. */
#ifndef NADI_REPORT_DEDUP_TEXT_H
#define NADI_REPORT_DEDUP_TEXT_H

#include "fleet/dedup.h"

void nadi_dedup_text(const struct nadi_dedup *w, struct nadi_str *out);
/* One object, with the messages. */
void nadi_dedup_json(const struct nadi_dedup *w, struct nadi_str *out);

#endif
