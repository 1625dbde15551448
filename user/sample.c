// SPDX-License-Identifier: GPL-2.0
#include "sample.h"

#include <errno.h>
#include <stdlib.h>

int sample_append(struct sample_set *s, const struct sample *one)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 1024;
		struct sample *v = reallocarray(s->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->v = v;
		s->cap = cap;
	}
	s->v[s->n++] = *one;
	return 0;
}

void sample_free(struct sample_set *s)
{
	free(s->v);
	*s = (struct sample_set){};
}

void job_state_free(struct job_state *j)
{
	free(j->closed);
	free(j->broken);
	j->closed = j->broken = NULL;
	j->nr_closed = 0;
}
