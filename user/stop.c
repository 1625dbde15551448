// SPDX-License-Identifier: GPL-2.0
#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "cmd.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static volatile sig_atomic_t asked;
static struct sigaction before[SIGNALS];

static void on_signal(int sig)
{
	(void)sig;
	if (asked)
		_exit(CMD_CANCELLED); /* the module frees what is ours with the socket */
	asked = 1;
}

void stop_catch(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	asked = 0;
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], &sa, &before[i]);
		if (before[i].sa_handler == SIG_IGN) /* nohup, a background job: stay so */
			sigaction(signals[i], &before[i], NULL);
	}
}

void stop_release(void)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	asked = 0;
}

bool stop_asked(void)
{
	return asked;
}
