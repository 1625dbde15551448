// SPDX-License-Identifier: GPL-2.0
#include "check.h"
#include "limits.h"
#include "prefetch.h"
#include "range.h"

#include <linux/log2.h>

static int refuse(struct mprobe_refusal *no, int error, const char *why)
{
	no->why = why;
	return error;
}

static int find_loop(const struct mprobe_worker_spec *s, struct mprobe_worker *w,
		     struct mprobe_refusal *no)
{
	enum mprobe_loop_missing missing;

	w->loop = mprobe_loop_find(s->loop, s->variant, s->isa, &missing);
	if (w->loop)
		return 0;
	switch (missing) {
	case MPROBE_NO_LOOP:
		return refuse(no, -EBADRQC, "there is no such loop; use chase, stream or order");
	case MPROBE_NO_VARIANT:
		return refuse(no, -EBADSLT, "the loop has no such variant");
	default:
		return refuse(no, -ENOEXEC,
			      "the CPU or the loop lacks this instruction set; leave it out");
	}
}

/* The range, once for all workers of the job. */
static int take_range(struct mprobe_job *job, struct mprobe_worker *w, u32 id,
		      struct mprobe_refusal *no)
{
	struct mprobe_range *r;
	u32 i;
	int ret;

	for (i = 0; i < job->nr_ranges; i++) {
		if (job->ranges[i]->id == id) {
			w->range = job->ranges[i];
			return 0;
		}
	}
	r = mprobe_range_get(id, job->owner);
	if (!r)
		return refuse(no, -EBADF, "this client has claimed no range of this id");
	ret = mprobe_range_use(r, &no->why);
	if (ret) {
		mprobe_range_put(r);
		return ret;
	}
	job->ranges[job->nr_ranges++] = r;
	w->range = r;
	return 0;
}

static int check_part(const struct mprobe_worker_spec *s, struct mprobe_worker *w,
		      struct mprobe_refusal *no)
{
	u32 object = w->object_bytes;

	if (!is_power_of_2(object))
		return refuse(no, -EINVAL, "the object's size must be a power of two");
	if (w->order_window && (!is_power_of_2(w->order_window) || w->order_window < 2 * object))
		return refuse(no, -EINVAL,
			      "an order's window must be a power of two, of two objects at least");
	if (w->order_window && w->loop->loop_id == MPROBE_LOOP_STREAM)
		return refuse(no, -EINVAL, "a stream has no order that a window could confine");
	if (w->loop->loop_id == MPROBE_LOOP_STREAM)
		object = MPROBE_LINE;
	if (s->offset > w->range->bytes || s->bytes > w->range->bytes - s->offset)
		return refuse(no, -EFBIG,
			      "the part lies outside the range; claim more or measure less");
	if (s->bytes < object)
		return refuse(no, -EADDRNOTAVAIL, "the part is smaller than one object");
	if ((s->offset | s->bytes) & (object - 1))
		return refuse(no, -EADDRNOTAVAIL,
			      "offset and size of the part must be multiples of the object");
	if ((w->loop->flags & (MPROBE_LOOP_F_WRITES | MPROBE_LOOP_F_ORDER)) &&
	    mprobe_range_holds_data(w->range))
		return refuse(
			no, -EROFS,
			"it writes to memory that holds data; claim it with the overwrite flag");
	return 0;
}

static bool one_chase(const struct mprobe_worker *a, const struct mprobe_worker *b)
{
	return (a->loop->flags & b->loop->flags & MPROBE_LOOP_F_ORDER) && a->offset == b->offset &&
	       a->bytes == b->bytes && a->seed == b->seed && a->object_bytes == b->object_bytes &&
	       a->order_window == b->order_window;
}

static int check_overlap(const struct mprobe_job *job, const struct mprobe_worker *w,
			 struct mprobe_refusal *no)
{
	const struct mprobe_worker *o;

	for (o = job->workers; o < w; o++) {
		if (!o->loop || o->range != w->range || o->offset + o->bytes <= w->offset ||
		    w->offset + w->bytes <= o->offset || one_chase(o, w))
			continue;
		return refuse(no, -EMLINK,
			      "two parts overlap; give each worker its own, or all one chase");
	}
	return 0;
}

static int check_worker(struct mprobe_job *job, const struct mprobe_worker_spec *s,
			struct mprobe_worker *w, struct mprobe_refusal *no)
{
	int ret;

	w->cpu = s->cpu;
	if (s->loop == MPROBE_LOOP_BUILD)
		return 0;
	w->offset = s->offset;
	w->bytes = s->bytes;
	w->seed = s->seed;
	w->object_bytes = s->object_bytes ?: MPROBE_LINE;
	w->order_window = s->order_window;
	ret = find_loop(s, w, no);
	if (!ret)
		ret = take_range(job, w, s->range_id, no);
	if (!ret)
		ret = check_part(s, w, no);
	if (!ret)
		ret = check_overlap(job, w, no);
	if (ret)
		return ret;
	job->leader = job->leader ?: w;
	job->nr_measuring++;
	return 0;
}

static int check_limits(const struct mprobe_job_spec *s, struct mprobe_job *job,
			struct mprobe_refusal *no)
{
	bool irqs_off = s->flags & MPROBE_JOB_F_IRQS_OFF;

	job->owner = s->owner;
	job->flags = s->flags;
	job->time_ns = s->time_ns ?: MPROBE_TIME_DEFAULT_NS;
	job->window_ns = s->window_ns ?: mprobe_limits.window_default_ns[irqs_off];
	job->max_windows = s->max_windows;
	job->passes = s->passes;
	job->warmup_bytes = s->warmup_bytes;
	if (job->window_ns > mprobe_limits.window_ns[irqs_off])
		return refuse(no, -ETIME,
			      "the window is longer than the module's window_max_ms allows");
	if (!s->nr_workers)
		return refuse(no, -ENODATA, "a job needs a worker");
	return 0;
}

int mprobe_check_job(const struct mprobe_job_spec *spec, struct mprobe_job *job,
		     struct mprobe_refusal *no)
{
	int ret = check_limits(spec, job, no);
	u32 i;

	for (i = 0; i < spec->nr_workers && !ret; i++) {
		job->workers[i].job = job;
		job->workers[i].index = i;
		ret = check_worker(job, &spec->workers[i], &job->workers[i], no);
		if (ret)
			no->worker = i;
	}
	if (!ret && !job->nr_measuring)
		return refuse(no, -ENODATA, "a job needs a worker that measures, not only helpers");
	return ret ? ret : mprobe_prefetch_check(spec->prefetch, job, no);
}
