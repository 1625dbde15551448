// SPDX-License-Identifier: GPL-2.0
#include "kmod.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABSENT \
	"the mprobe module is not loaded: insmod mprobe.ko (make module); without it there is anon"

/* The module's own sentence where there is one; what was tried otherwise. */
static int fail(struct kmod *k, int err, const char *what)
{
	const char *name = strerrorname_np(-err);

	if (err == -EBADMSG)
		snprintf(k->error, sizeof(k->error),
			 "%s: the module's answer is not what its protocol says (%s): install "
			 "module and mprobectl from one build",
			 what, name);
	else if (k->nl.error[0])
		snprintf(k->error, sizeof(k->error), "%s (%s)", k->nl.error, name);
	else if (err == -ENOENT || err == -EPROTONOSUPPORT)
		snprintf(k->error, sizeof(k->error),
			 "%s: the module has been unloaded (%s): load it again and repeat the run",
			 what, name);
	else if (err == -EPERM)
		snprintf(k->error, sizeof(k->error), "%s: not allowed (%s): run as root", what,
			 name);
	else
		snprintf(k->error, sizeof(k->error), "%s: %s (%s)", what, strerror(-err),
			 name ? name : "unknown error");
	return err;
}

/* built: what the builder said */
static int talk(struct kmod *k, int built, const struct nl_sink *sink, const char *what)
{
	int err = built ? built : nl_request(&k->nl, k->send, sink);

	if (built)
		k->nl.error[0] = '\0';
	if (built == -EMSGSIZE) {
		snprintf(k->error, sizeof(k->error),
			 "%s: the request is larger than a message can be (EMSGSIZE): take fewer "
			 "workers",
			 what);
		return built;
	}
	return err ? fail(k, err, what) : 0;
}

static struct proto_buf room(struct kmod *k)
{
	return (struct proto_buf){ .data = k->send,
				   .bytes = NL_SEND_BYTES,
				   .family = k->nl.family };
}

/* A reply of one message: parsed once, and -EBADMSG where it never came. */
struct single {
	int (*parse)(const struct nlmsghdr *nlh, void *out);
	void *out;
	bool seen;
};

static int on_single(const struct nlmsghdr *nlh, void *arg)
{
	struct single *s = arg;
	int err;

	if (s->seen)
		return -EBADMSG;
	err = s->parse(nlh, s->out);
	s->seen = !err;
	return err;
}

static int ask(struct kmod *k, int built, struct single *s, const char *what)
{
	const struct nl_sink sink = { .message = on_single, .arg = s };
	int err = talk(k, built, &sink, what);

	if (!err && !s->seen)
		err = fail(k, -EBADMSG, what);
	return err;
}

static int parse_info(const struct nlmsghdr *nlh, void *out)
{
	return proto_parse_info(nlh, out);
}

static int parse_range(const struct nlmsghdr *nlh, void *out)
{
	return proto_parse_range(nlh, out);
}

static int parse_job(const struct nlmsghdr *nlh, void *out)
{
	return proto_parse_job(nlh, out);
}

static int parse_started(const struct nlmsghdr *nlh, void *out)
{
	return proto_parse_started(nlh, out);
}

int kmod_info(struct kmod *k, struct engine_info *out)
{
	struct single s = { .parse = parse_info, .out = out };
	struct proto_buf b = room(k);
	int err = ask(k, proto_get_info(&b), &s, "asking the module for its properties");

	if (err == -EPROTO)
		snprintf(k->error, sizeof(k->error),
			 "the module speaks protocol %u, this mprobectl %d: install both from one "
			 "build (EPROTO)",
			 out->protocol, MPROBE_PROTOCOL);
	return err;
}

int kmod_open(struct kmod *k)
{
	int err;

	memset(k, 0, sizeof(*k));
	err = nl_open(&k->nl, MPROBE_GENL_NAME, MPROBE_GENL_GROUP);
	if (err == -ENOENT) {
		snprintf(k->error, sizeof(k->error), ABSENT);
		return err;
	}
	if (err)
		return fail(k, err, "opening a netlink socket to the module");
	k->send = malloc(NL_SEND_BYTES);
	err = k->send ? kmod_info(k, &k->info) : fail(k, -ENOMEM, "opening the module");
	if (err)
		kmod_close(k);
	return err;
}

void kmod_close(struct kmod *k)
{
	nl_close(&k->nl);
	free(k->send);
	k->send = NULL;
}

int kmod_claim(struct kmod *k, const struct proto_claim *c, struct range_info *out)
{
	struct single s = { .parse = parse_range, .out = out };
	struct proto_buf b = room(k);
	int err;

	memset(out, 0, sizeof(*out));
	err = ask(k, proto_claim(&b, c), &s, "claiming memory");
	if (err)
		range_info_free(out);
	return err;
}

int kmod_release(struct kmod *k, uint32_t range_id)
{
	struct proto_buf b = room(k);

	return talk(k, proto_release(&b, range_id), NULL, "releasing memory");
}

int kmod_remap(struct kmod *k, uint32_t range_id, uint64_t page_bytes, struct range_info *out)
{
	struct single s = { .parse = parse_range, .out = out };
	struct proto_buf b = room(k);
	int err;

	memset(out, 0, sizeof(*out));
	err = ask(k, proto_remap(&b, range_id, page_bytes), &s, "mapping memory anew");
	if (err)
		range_info_free(out);
	return err;
}

int kmod_start(struct kmod *k, const struct job_spec *j, uint32_t *job_id)
{
	struct single s = { .parse = parse_started, .out = job_id };
	struct proto_buf b = room(k);

	return ask(k, proto_start(&b, j), &s, "starting a job");
}

int kmod_cancel(struct kmod *k, uint32_t job_id, enum mprobe_reason why, bool forget)
{
	struct proto_buf b = room(k);

	return talk(k, proto_cancel(&b, job_id, why, forget), NULL, "ending a job");
}

int kmod_job(struct kmod *k, uint32_t job_id, struct job_state *out)
{
	struct single s = { .parse = parse_job, .out = out };
	struct proto_buf b = room(k);
	int err;

	memset(out, 0, sizeof(*out));
	err = ask(k, proto_job(&b, job_id), &s, "asking for a job's state");
	if (err)
		job_state_free(out);
	return err;
}

struct samples {
	struct sample_set *set;
	const struct job_state *job;
	size_t before;
	uint64_t from;
};

static int on_samples(const struct nlmsghdr *nlh, void *arg)
{
	struct samples *s = arg;
	uint64_t from;
	size_t had = s->set->n;
	int err = proto_parse_samples(nlh, s->job, &from, s->set);

	if (!err && from != s->from + (had - s->before))
		err = -EBADMSG;
	return err;
}

static void restart_samples(void *arg)
{
	struct samples *s = arg;

	s->set->n = s->before;
}

int kmod_samples(struct kmod *k, const struct job_state *j, uint64_t from, struct sample_set *set)
{
	struct samples s = { .set = set, .job = j, .before = set->n, .from = from };
	const struct nl_sink sink = { on_samples, restart_samples, &s };
	struct proto_buf b = room(k);
	int err = talk(k, proto_samples(&b, j->id, from), &sink, "reading samples");

	if (err)
		restart_samples(&s);
	return err;
}

/* A dump of records of one size. */
struct table {
	char *v;
	size_t n, size;
	int (*parse)(const struct nlmsghdr *nlh, void *out);
	void (*free)(void *one);
};

static int on_row(const struct nlmsghdr *nlh, void *arg)
{
	struct table *t = arg;
	char *v = reallocarray(t->v, t->n + 1, t->size);
	int err;

	if (!v)
		return -ENOMEM;
	t->v = v;
	err = t->parse(nlh, v + t->n * t->size);
	t->n += !err;
	return err;
}

static void drop_rows(void *arg)
{
	struct table *t = arg;

	for (size_t i = 0; i < t->n; i++)
		t->free(t->v + i * t->size);
	free(t->v);
	t->v = NULL;
	t->n = 0;
}

static int dump(struct kmod *k, int built, struct table *t, const char *what)
{
	const struct nl_sink sink = { on_row, drop_rows, t };
	int err = talk(k, built, &sink, what);

	if (err)
		drop_rows(t);
	return err;
}

static void free_range(void *one)
{
	range_info_free(one);
}

static void free_job(void *one)
{
	job_state_free(one);
}

int kmod_ranges(struct kmod *k, struct range_info **v, size_t *n)
{
	struct table t = { .size = sizeof(**v), .parse = parse_range, .free = free_range };
	struct proto_buf b = room(k);
	int err = dump(k, proto_ranges(&b), &t, "listing ranges");

	*v = (void *)t.v;
	*n = t.n;
	return err;
}

int kmod_jobs(struct kmod *k, struct job_state **v, size_t *n)
{
	struct table t = { .size = sizeof(**v), .parse = parse_job, .free = free_job };
	struct proto_buf b = room(k);
	int err = dump(k, proto_jobs(&b), &t, "listing jobs");

	*v = (void *)t.v;
	*n = t.n;
	return err;
}

void kmod_ranges_free(struct range_info *v, size_t n)
{
	struct table t = { .v = (void *)v, .n = n, .size = sizeof(*v), .free = free_range };

	drop_rows(&t);
}

void kmod_jobs_free(struct job_state *v, size_t n)
{
	struct table t = { .v = (void *)v, .n = n, .size = sizeof(*v), .free = free_job };

	drop_rows(&t);
}

struct listener {
	void (*fn)(const struct job_state *j, void *arg);
	void *arg;
};

static int on_event(const struct nlmsghdr *nlh, void *arg)
{
	struct listener *l = arg;
	struct job_state j;
	int err = proto_parse_job(nlh, &j);

	if (!err)
		l->fn(&j, l->arg);
	job_state_free(&j);
	return err;
}

int kmod_events(struct kmod *k, int timeout_ms, void (*fn)(const struct job_state *j, void *arg),
		void *arg)
{
	struct listener l = { fn, arg };
	const struct nl_sink sink = { .message = on_event, .arg = &l };
	int got;

	k->nl.error[0] = '\0';
	got = nl_events(&k->nl, timeout_ms, &sink);
	return got < 0 ? fail(k, got, "waiting for the module's events") : got;
}
