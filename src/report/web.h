/* web: the pages of reports and sweeps, made of the files in web/ by cmake/web.cmake; the data go
 * between head and tail. */
#ifndef NADI_REPORT_WEB_H
#define NADI_REPORT_WEB_H

#include <stddef.h>

extern const unsigned char nadi_web_page_head[], nadi_web_page_tail[];
extern const size_t nadi_web_page_head_bytes, nadi_web_page_tail_bytes;
extern const unsigned char nadi_web_sweep_head[], nadi_web_sweep_tail[];
extern const size_t nadi_web_sweep_head_bytes, nadi_web_sweep_tail_bytes;

#endif
