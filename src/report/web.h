/* web: the report's page, made of the files in web/ by cmake/web.cmake; the data go between. */
#ifndef NADI_REPORT_WEB_H
#define NADI_REPORT_WEB_H

#include <stddef.h>

extern const unsigned char nadi_web_head[], nadi_web_tail[];
extern const size_t nadi_web_head_bytes, nadi_web_tail_bytes;

#endif
