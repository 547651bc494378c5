/* Functions whose use is a defect here: unbounded writes, hidden state, locale. Included by
 * base/base.h last, after every system header, so that the system's own declarations survive. */
#ifndef NADI_BASE_BANNED_H
#define NADI_BASE_BANNED_H
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets atoi atol atof localtime gmtime ctime
#endif
