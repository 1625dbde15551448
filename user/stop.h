/* SPDX-License-Identifier: GPL-2.0 */
/* Ctrl-C, SIGTERM, SIGHUP: the first asks, the second ends the process at once. */
#ifndef MPROBE_STOP_H
#define MPROBE_STOP_H

#include <stdbool.h>

void stop_catch(void);	 /* from now on */
void stop_release(void); /* as before; forgets what was asked */
bool stop_asked(void);

#endif
