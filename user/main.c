// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

int main(int argc, char **argv)
{
	return cmd_main(argc, argv, &engine_kmod, &engine_user, stdout);
}
