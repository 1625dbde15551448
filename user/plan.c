// SPDX-License-Identifier: GPL-2.0
#include "plan.h"

#include <errno.h>
#include <stdlib.h>

int plan_add(struct plan *p, const struct point *one)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 32;
		struct point *v = reallocarray(p->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		p->v = v;
		p->cap = cap;
	}
	p->v[p->n++] = *one;
	return 0;
}

void plan_free(struct plan *p)
{
	free(p->v);
	p->v = NULL;
	p->n = p->cap = 0;
}
