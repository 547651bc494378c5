/* detail_inside: what the files of detail share. Nothing else includes it. */
#ifndef NADI_REPORT_DETAIL_INSIDE_H
#define NADI_REPORT_DETAIL_INSIDE_H

#include "report/detail.h"

/* Of the messages that the network recorded those that are shown; after the ranks were chosen. */
void nadi_detail_choose_messages(const struct nadi_result *r, struct nadi_detail *d);

#endif
