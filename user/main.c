// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"
#include "output.h"

int main(int argc, char **argv)
{
	if (output_hold())
		return CMD_FAILED;
	return cmd_main(argc, argv, &engine_kmod, &engine_user, stdout);
}
