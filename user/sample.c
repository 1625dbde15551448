// SPDX-License-Identifier: GPL-2.0
#include "sample.h"

#include <errno.h>
#include <stdlib.h>

struct sample sample_unknown(void)
{
	struct sample s = { .irqs = SAMPLE_UNKNOWN,
			    .nmis = SAMPLE_UNKNOWN,
			    .mces = SAMPLE_UNKNOWN,
			    .smis = SAMPLE_UNKNOWN,
			    .gap = SAMPLE_UNKNOWN64,
			    .aperf = SAMPLE_UNKNOWN64,
			    .mperf = SAMPLE_UNKNOWN64 };

	for (int i = 0; i < MPROBE_COUNTERS; i++)
		s.counts[i] = SAMPLE_UNKNOWN64;
	return s;
}

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
	free(j->prefetch_state);
	j->closed = j->broken = j->prefetch_state = NULL;
	j->nr_closed = j->nr_prefetch = 0;
}
