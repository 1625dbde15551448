// SPDX-License-Identifier: GPL-2.0
#include "engine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmod.h"

struct job {
	uint32_t id, nr_workers;
	uint64_t next; /* index of the first sample not yet fetched */
	bool done;     /* its DONE event was seen */
};

struct session {
	struct kmod k;
	struct job *jobs; /* owned */
	size_t nr_jobs;
};

static int fail(struct engine *e, int err)
{
	struct session *s = e->priv;

	snprintf(e->error, sizeof(e->error), "%s", s->k.error);
	return err;
}

static struct job *job_of(struct session *s, uint32_t id)
{
	for (size_t i = 0; i < s->nr_jobs; i++)
		if (s->jobs[i].id == id)
			return &s->jobs[i];
	return NULL;
}

static int open_kmod(struct engine *e)
{
	struct session *s = calloc(1, sizeof(*s));
	int err;

	e->priv = s;
	if (!s) {
		snprintf(e->error, sizeof(e->error), "no memory left (ENOMEM)");
		return -ENOMEM;
	}
	err = kmod_open(&s->k);
	if (err) {
		fail(e, err);
		free(s);
		e->priv = NULL;
	}
	return err;
}

static void close_kmod(struct engine *e)
{
	struct session *s = e->priv;

	if (!s)
		return;
	kmod_close(&s->k);
	free(s->jobs);
	free(s);
	e->priv = NULL;
}

static int info(struct engine *e, struct engine_info *out)
{
	struct session *s = e->priv;
	int err = kmod_info(&s->k, out);

	return err ? fail(e, err) : 0;
}

__attribute__((format(printf, 3, 4))) static int refuse(struct engine *e, int err,
							const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(e->error, sizeof(e->error), format, args);
	va_end(args);
	return err;
}

/* What the module cannot know or would not be asked for: names, bad blocks, hidden addresses. */
static int check_claim(struct engine *e, const struct target *t, const struct claim_spec *c)
{
	if (t->kind == TARGET_ANON)
		return refuse(e, -EOPNOTSUPP,
			      "%s is memory of mprobectl itself: take --engine user, or dramN for "
			      "the kernel engine (EOPNOTSUPP)",
			      t->name);
	if (t->kind == TARGET_DRAM)
		return c->bytes ? 0 :
				  refuse(e, -EINVAL, "%s: say how much of it to take (EINVAL)",
					 t->name);
	if (!t->base && t->kind != TARGET_PHYS)
		return refuse(e, -EACCES, "the addresses of %s are hidden: run as root (EACCES)",
			      t->name);
	if (c->bytes > t->bytes)
		return refuse(e, -EFBIG, "%s has %llu bytes, %llu were asked for (EFBIG)", t->name,
			      (unsigned long long)t->bytes, (unsigned long long)c->bytes);
	if (t->badblocks)
		return refuse(e, -EIO,
			      "%s has %llu bad sectors, and a load from one can stop the machine: "
			      "clear them (ndctl clear-errors) or take a part without them as "
			      "phys:BASE+SIZE (EIO)",
			      t->name, (unsigned long long)t->badblocks);
	return 0;
}

static int claim(struct engine *e, const struct target *t, const struct claim_spec *c,
		 struct range_info *out)
{
	struct session *s = e->priv;
	struct proto_claim p = {
		.kind = t->kind == TARGET_DRAM ? MPROBE_RANGE_NODE : MPROBE_RANGE_PHYS,
		.node = t->node,
		.base = t->base,
		.bytes = c->bytes ? c->bytes : t->bytes,
		.page_bytes = c->page_bytes,
		.flags = c->overwrite ? MPROBE_RANGE_F_OVERWRITE : 0,
	};
	int err = check_claim(e, t, c);

	if (err)
		return err;
	err = kmod_claim(&s->k, &p, out);
	if (err == -EBUSY && t->holder[0])
		return refuse(e, err, "%s: %s. %s holds it%s%s", t->name, s->k.error, t->holder,
			      t->free_command[0] ? "; to free it: " : "", t->free_command);
	return err ? refuse(e, err, "%s: %s", t->name, s->k.error) : 0;
}

static int release(struct engine *e, uint32_t range_id)
{
	struct session *s = e->priv;
	int err = kmod_release(&s->k, range_id);

	return err ? fail(e, err) : 0;
}

static int remap(struct engine *e, uint32_t range_id, uint64_t page_bytes, struct range_info *out)
{
	struct session *s = e->priv;
	int err = kmod_remap(&s->k, range_id, page_bytes, out);

	return err ? fail(e, err) : 0;
}

static int range(struct engine *e, uint32_t range_id, struct range_info *out)
{
	struct session *s = e->priv;
	struct range_info *v;
	size_t n, at;
	int err = kmod_ranges(&s->k, &v, &n);

	if (err)
		return fail(e, err);
	for (at = 0; at < n && v[at].id != range_id; at++)
		;
	if (at < n) {
		*out = v[at];
		v[at].segments = NULL;
	}
	kmod_ranges_free(v, n);
	return at < n ? 0 : refuse(e, -EBADF, "range %u is not there any more (EBADF)", range_id);
}

static int start(struct engine *e, const struct job_spec *j, uint32_t *job_id)
{
	struct session *s = e->priv;
	struct job *v = reallocarray(s->jobs, s->nr_jobs + 1, sizeof(*v));
	int err;

	if (!v)
		return refuse(e, -ENOMEM, "no memory left (ENOMEM)");
	s->jobs = v;
	err = kmod_start(&s->k, j, job_id);
	if (err)
		return fail(e, err);
	v[s->nr_jobs++] = (struct job){ .id = *job_id, .nr_workers = j->nr_workers };
	return 0;
}

/* Every client hears of every job. */
static void on_event(const struct job_state *j, void *arg)
{
	struct job *job = job_of(arg, j->id);

	if (job)
		job->done |= j->state == MPROBE_STATE_DONE;
}

static int fetch(struct engine *e, struct job *job, struct sample_set *set, struct job_state *out)
{
	struct session *s = e->priv;
	size_t before = set->n;
	int err = kmod_job(&s->k, job->id, out);

	if (err)
		return fail(e, err);
	if (out->state == MPROBE_STATE_PREPARE) /* its counters are not known yet */
		return 0;
	err = kmod_samples(&s->k, out, job->next, set);
	if (err) {
		job_state_free(out);
		return fail(e, err);
	}
	for (size_t i = before; i < set->n && !err; i++)
		if (set->v[i].worker >= job->nr_workers)
			err = -EBADMSG;
	if (job->next + (set->n - before) < out->samples && out->state == MPROBE_STATE_DONE)
		err = -EBADMSG;
	if (err) {
		job_state_free(out);
		set->n = before;
		return refuse(e, err,
			      "the module's samples do not fit its job (EBADMSG): install "
			      "module and mprobectl from one build");
	}
	job->next += set->n - before;
	job->done |= out->state == MPROBE_STATE_DONE;
	return 0;
}

/*
 * Events come some ten times a second, so this waits for one before it
 * fetches: asking for each window's samples would keep a CPU busy beside the measurement.
 */
static int poll_job(struct engine *e, uint32_t job_id, int timeout_ms, struct sample_set *set,
		    struct job_state *out)
{
	struct session *s = e->priv;
	struct job *job = job_of(s, job_id);
	int got;

	if (!job)
		return refuse(e, -ESRCH, "job %u is not one of this client's (ESRCH)", job_id);
	if (!job->done) {
		got = kmod_events(&s->k, timeout_ms, on_event, s);
		if (got < 0)
			return fail(e, got);
	}
	return fetch(e, job, set, out);
}

static int stop(struct engine *e, uint32_t job_id, enum mprobe_reason why)
{
	struct session *s = e->priv;
	int err = kmod_cancel(&s->k, job_id, why, false);

	return err ? fail(e, err) : 0;
}

static int forget(struct engine *e, uint32_t job_id)
{
	struct session *s = e->priv;
	struct job *job = job_of(s, job_id);
	int err = kmod_cancel(&s->k, job_id, MPROBE_REASON_CANCEL, true);

	if (err)
		return fail(e, err);
	if (job)
		*job = s->jobs[--s->nr_jobs];
	return 0;
}

const struct engine_ops engine_kmod = {
	.name = "kernel",
	.open = open_kmod,
	.close = close_kmod,
	.info = info,
	.claim = claim,
	.release = release,
	.remap = remap,
	.range = range,
	.start = start,
	.poll = poll_job,
	.stop = stop,
	.forget = forget,
};
