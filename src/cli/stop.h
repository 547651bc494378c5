/* stop: how the program ends before its work is done, by a signal (SIGINT, SIGTERM, SIGHUP) or by
 * --max-wall.
 *
 * Whatever loop runs, in our code or in a library's, on whichever thread: the program is told once.
 * A simulation looks at the flag, stops and writes what it has so far. Work that does not look, and
 * what has not ended 1.5 s later (or a twentieth of --max-wall, where that is more; longer on a
 * machine too busy to run it), is ended by the signal handler itself: exit code 5, and one line
 * that says what was under way. A second signal does not wait, but one within 0.2 s is the same
 * wish: `timeout` signals its child and then its child's group. Files get their names when they
 * are whole (base/file.h), so nothing half written looks done; what was written of them is removed.
 */
#ifndef NADI_CLI_STOP_H
#define NADI_CLI_STOP_H

#include "base/base.h"

/* For main, once. SIGHUP stays off where the caller (`nohup`) has turned it off. Broken pipes and
 * limits of file sizes become errors of the write that met them. */
void nadi_stop_catch(void);
/* Did a pipe break? */
bool nadi_stop_reader_gone(void);

/* --max-wall, from now on; 0: no limit. */
void nadi_stop_after(uint64_t wall_ns);
uint64_t nadi_stop_wall_ms(void); /* of the call before, rounded up; 0: no limit */

/* Whose work it is, "run", and what is under way, "reading the inputs"; texts that stay. */
void nadi_stop_command(const char *name);
void nadi_stop_doing(const char *what);

/* From now on somebody looks at the flag, of enum nadi_stop: others than 0 mean stop. */
const volatile int *nadi_stop_flag(void);
/* Nobody looks any more: from now on a wish ends the program at once. One that was seen before is
 * being followed, with its time. */
void nadi_stop_flag_done(void);

#endif
