// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <string.h>

#include "output.h"
#include "render_list.h"

static int write_json(FILE *f, const void *list)
{
	return render_list_json(list, f);
}

static int write_text(const struct cmd *c, const struct target_list *l)
{
	if (c->opt->json && !strcmp(c->opt->json, "-"))
		return 0;
	return c->opt->csv ? render_list_csv(l, c->out) : render_list_table(l, c->out);
}

int cmd_list(const struct cmd *c)
{
	struct target_list l;
	char error[512];
	int ret = CMD_OK, err;

	if (target_list_all(&l, error, sizeof(error)))
		return cmd_fail(c, CMD_FAILED, "%s", error);
	if (c->opt->json &&
	    output_write(c->opt->json, c->out, write_json, &l, error, sizeof(error)))
		ret = cmd_fail(c, CMD_FAILED, "%s", error);
	err = ret ? 0 : write_text(c, &l);
	if (err)
		ret = cmd_fail(c, CMD_FAILED, "cannot write the list: %s", strerror(-err));
	target_list_free(&l);
	return ret;
}
