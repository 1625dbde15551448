// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <string.h>

#include "output.h"
#include "render_info.h"

/* That there is no module is something to be told, not a failure. */
static void ask_module(const struct cmd *c, struct info *i)
{
	struct engine e = { .ops = c->kernel };

	if (!e.ops->open(&e)) {
		i->has_module = !e.ops->info(&e, &i->module);
		e.ops->close(&e);
	}
	if (!i->has_module)
		snprintf(i->module_error, sizeof(i->module_error), "%s", e.error);
}

static int write_json(FILE *f, const void *info)
{
	return render_info_json(info, f);
}

int cmd_info(const struct cmd *c)
{
	struct info i = { 0 };
	char error[512];
	int err;

	machine_read(&i.machine);
	ask_module(c, &i);
	if (c->opt->json &&
	    output_write(c->opt->json, c->out, write_json, &i, error, sizeof(error)))
		return cmd_fail(c, CMD_FAILED, "%s", error);
	if (c->opt->json && !strcmp(c->opt->json, "-"))
		return CMD_OK;
	err = render_info_text(&i, c->out);
	return err ? cmd_fail(c, CMD_FAILED, "cannot write: %s", strerror(-err)) : CMD_OK;
}
