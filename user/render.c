// SPDX-License-Identifier: GPL-2.0
#include "render.h"

#include <errno.h>

int render_flush(FILE *f, bool failed)
{
	if (!failed && !fflush(f) && !ferror(f))
		return 0;
	return errno ? -errno : -EIO;
}
