// SPDX-License-Identifier: GPL-2.0
#include "engine.h"

#include <stdlib.h>

void range_info_free(struct range_info *r)
{
	free(r->segments);
	r->segments = NULL;
	r->nr_segments = 0;
}
