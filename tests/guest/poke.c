// SPDX-License-Identifier: GPL-2.0
/*
 * poke: talk to the module without the tool, so that a request which the tool would
 * never send reaches it. One socket, requests one after another:
 *
 *   poke claim kind=1 node=0 bytes=4194304 , start workers{ worker{ cpu=0 loop=3 } }
 *
 * prints for each "COMMAND ok" with the numbers of the reply, or "COMMAND ERRNO sentence".
 * `@range` and `@job` stand for the last id that a reply gave; `NUMBER:u32=V` is an
 * attribute by number; `sleep=MS` waits, `wait` until the last job is done, 60 s at most;
 * `samples` prints their number and the sum of their work. Exit 0 unless the socket itself fails.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/mprobe.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static const struct name {
	const char *name;
	uint16_t id;
	uint8_t bytes;
} attrs[] = {
	{ "kind", MPROBE_A_RANGE_KIND, 4 },   { "flags", MPROBE_A_RANGE_FLAGS, 4 },
	{ "range", MPROBE_A_RANGE_ID, 4 },    { "node", MPROBE_A_NODE, 4 },
	{ "base", MPROBE_A_BASE, 8 },	      { "bytes", MPROBE_A_BYTES, 8 },
	{ "page", MPROBE_A_PAGE_BYTES, 8 },   { "job", MPROBE_A_JOB_ID, 4 },
	{ "jobflags", MPROBE_A_JOB_FLAGS, 4 }, { "time", MPROBE_A_TIME_NS, 8 },
	{ "window", MPROBE_A_WINDOW_NS, 8 },  { "windows", MPROBE_A_MAX_WINDOWS, 8 },
	{ "passes", MPROBE_A_PASSES, 8 },     { "cpu", MPROBE_A_CPU, 4 },
	{ "loop", MPROBE_A_LOOP, 4 },	      { "variant", MPROBE_A_VARIANT, 4 },
	{ "isa", MPROBE_A_ISA, 4 },	      { "offset", MPROBE_A_OFFSET, 8 },
	{ "seed", MPROBE_A_SEED, 8 },	      { "object", MPROBE_A_OBJECT_BYTES, 4 },
	{ "reason", MPROBE_A_REASON, 4 },     { "from", MPROBE_A_FROM, 8 },
}, nests[] = {
	{ "workers{", MPROBE_A_WORKERS, 0 },  { "worker{", MPROBE_A_WORKER, 0 },
}, cmds[] = {
	{ "info", MPROBE_CMD_GET_INFO, 0 },   { "claim", MPROBE_CMD_RANGE_CLAIM, 0 },
	{ "release", MPROBE_CMD_RANGE_RELEASE, 0 }, { "start", MPROBE_CMD_JOB_START, 0 },
	{ "cancel", MPROBE_CMD_JOB_CANCEL, 0 }, { "jobget", MPROBE_CMD_JOB_GET, 0 },
	{ "samples", MPROBE_CMD_SAMPLE_GET, 0 }, { "unknown", __MPROBE_CMD_MAX, 0 },
};

static struct mnl_socket *nl;
static uint16_t family;
static uint32_t seq, last_range, last_job;
static uint32_t last_state;
static bool quiet;
static uint64_t samples, work;
static char buf[32768];

static const struct name *find(const struct name *t, size_t n, const char *word, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(t[i].name) == len && !memcmp(t[i].name, word, len))
			return &t[i];
	return NULL;
}

static void die(const char *what, const char *word)
{
	fprintf(stderr, "poke: %s %s\n", what, word);
	exit(2);
}

static int family_attr(const struct nlattr *a, void *data)
{
	(void)data;
	if (mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_ID)
		family = mnl_attr_get_u16(a);
	return MNL_CB_OK;
}

static int print_attr(const struct nlattr *a, void *data)
{
	uint16_t type = mnl_attr_get_type(a);

	(void)data;
	if (type == MPROBE_A_STATE)
		last_state = mnl_attr_get_u32(a);
	if (quiet)
		return MNL_CB_OK;
	if (type == MPROBE_A_RANGE_ID)
		last_range = mnl_attr_get_u32(a);
	if (type == MPROBE_A_JOB_ID)
		last_job = mnl_attr_get_u32(a);
	if (type == MPROBE_A_SAMPLE_WORK) {
		const uint64_t *v = mnl_attr_get_payload(a);

		for (unsigned int i = 0; i < mnl_attr_get_payload_len(a) / 8; i++, samples++)
			work += v[i];
		return MNL_CB_OK;
	}
	if (type == MPROBE_A_CLOSED && mnl_attr_get_payload_len(a) >= 4)
		printf(" closed=%u", *(const uint32_t *)mnl_attr_get_payload(a));
	for (size_t i = 0; i < N(attrs); i++)
		if (attrs[i].id == type)
			printf(" %s=%" PRIu64, attrs[i].name,
			       attrs[i].bytes == 4 ? mnl_attr_get_u32(a) : mnl_attr_get_u64(a));
	if (type == MPROBE_A_STATE)
		printf(" state=%u", last_state);
	return MNL_CB_OK;
}

static int reply(const struct nlmsghdr *h, void *data)
{
	if (h->nlmsg_type == family)
		mnl_attr_parse(h, GENL_HDRLEN, print_attr, data);
	else
		mnl_attr_parse(h, GENL_HDRLEN, family_attr, data);
	return MNL_CB_OK;
}

static int ext_attr(const struct nlattr *a, void *data)
{
	if (mnl_attr_get_type(a) == NLMSGERR_ATTR_MSG)
		*(const char **)data = mnl_attr_get_str(a);
	return MNL_CB_OK;
}

/* Send what stands in buf; print its name and the answer. */
static void ask(const char *what, struct nlmsghdr *h)
{
	static char in[32768];
	bool more = true;

	if (mnl_socket_sendto(nl, h, h->nlmsg_len) < 0)
		die("send:", strerror(errno));
	if (what && !quiet)
		printf("%s", what);
	while (more) {
		ssize_t got = mnl_socket_recvfrom(nl, in, sizeof(in));
		int left = (int)got;

		if (got < 0)
			die("receive:", strerror(errno));
		for (struct nlmsghdr *r = (void *)in; mnl_nlmsg_ok(r, left);
		     r = mnl_nlmsg_next(r, &left)) {
			const struct nlmsgerr *e = mnl_nlmsg_get_payload(r);
			const char *sentence = "";

			/* a refused dump ends with its error, and what explains it behind that */
			if (r->nlmsg_type == NLMSG_DONE &&
			    mnl_nlmsg_get_payload_len(r) >= sizeof(int) &&
			    *(const int *)mnl_nlmsg_get_payload(r) < 0) {
				more = false;
				if (r->nlmsg_flags & NLM_F_ACK_TLVS)
					mnl_attr_parse(r, sizeof(int), ext_attr, &sentence);
				printf(" %s %s\n",
				       strerrorname_np(-*(const int *)mnl_nlmsg_get_payload(r)),
				       sentence);
				continue;
			}
			if (r->nlmsg_type == NLMSG_DONE) {
				more = false;
				printf(" samples=%" PRIu64 " work=%" PRIu64 " ok\n", samples, work);
				continue;
			}
			if (r->nlmsg_type != NLMSG_ERROR) {
				reply(r, NULL);
				continue;
			}
			more = false;
			if (!e->error) {
				if (what && !quiet)
					printf(" ok\n");
				continue;
			}
			if (r->nlmsg_flags & NLM_F_ACK_TLVS)
				mnl_attr_parse(r,
					       sizeof(*e) + (r->nlmsg_flags & NLM_F_CAPPED ?
								     0 :
								     MNL_ALIGN(e->msg.nlmsg_len -
									       NLMSG_HDRLEN)),
					       ext_attr, &sentence);
			printf("%s %s %s\n",
			       !what ? "no family:" :
			       quiet ? what :
				       "",
			       strerrorname_np(-e->error), sentence);
		}
	}
	fflush(stdout);
}

static struct nlmsghdr *begin(uint16_t type, uint8_t cmd, uint8_t version)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *g;

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	h->nlmsg_seq = ++seq;
	g = mnl_nlmsg_put_extra_header(h, sizeof(*g));
	g->cmd = cmd;
	g->version = version;
	return h;
}

static void put(struct nlmsghdr *h, const char *word)
{
	const char *eq = strchr(word, '=');
	const struct name *a;
	struct name numbered;
	uint64_t v;

	if (!eq)
		die("what is", word);
	a = find(attrs, N(attrs), word, (size_t)(eq - word));
	if (!a && word[0] >= '0' && word[0] <= '9') {
		numbered.id = (uint16_t)strtoul(word, NULL, 10);
		numbered.bytes = strstr(word, ":u64=") ? 8 : 4;
		a = &numbered;
	}
	if (!a)
		die("unknown attribute", word);
	v = !strcmp(eq + 1, "@range") ? last_range :
	    !strcmp(eq + 1, "@job")   ? last_job :
					strtoull(eq + 1, NULL, 0);
	if (a->bytes == 8)
		mnl_attr_put_u64(h, a->id, v);
	else
		mnl_attr_put_u32(h, a->id, (uint32_t)v);
}

static void wait_job(void)
{
	struct nlmsghdr *h;

	last_state = 0;
	for (int i = 0; i < 600 && last_state != MPROBE_STATE_DONE; i++) {
		h = begin(family, MPROBE_CMD_JOB_GET, MPROBE_GENL_VERSION);
		mnl_attr_put_u32(h, MPROBE_A_JOB_ID, last_job);
		quiet = true;
		ask("wait", h);
		quiet = false;
		if (!last_state)
			return;
		usleep(100000);
	}
}

static char **request(char **w)
{
	const struct name *c = find(cmds, N(cmds), *w, strlen(*w));
	struct nlattr *open[8];
	struct nlmsghdr *h;
	int depth = 0;

	if (!strncmp(*w, "sleep=", 6)) {
		usleep((useconds_t)strtoul(*w + 6, NULL, 10) * 1000);
		return w + 1;
	}
	if (!strcmp(*w, "wait")) {
		wait_job();
		return w + 1;
	}
	if (!c)
		die("unknown command", *w);
	h = begin(family, (uint8_t)c->id, MPROBE_GENL_VERSION);
	if (c->id == MPROBE_CMD_SAMPLE_GET)
		h->nlmsg_flags |= NLM_F_DUMP;
	for (w++; *w && strcmp(*w, ","); w++) {
		const struct name *n = find(nests, N(nests), *w, strlen(*w));

		if (n && depth < 8)
			open[depth++] = mnl_attr_nest_start(h, n->id);
		else if (!strcmp(*w, "}") && depth)
			mnl_attr_nest_end(h, open[--depth]);
		else
			put(h, *w);
	}
	ask(c->name, h);
	return w;
}

int main(int argc, char **argv)
{
	struct nlmsghdr *h;
	int one = 1;

	nl = mnl_socket_open(NETLINK_GENERIC);
	if (argc < 2 || !nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0)
		die("no socket:", strerror(errno));
	mnl_socket_setsockopt(nl, NETLINK_EXT_ACK, &one, sizeof(one));
	h = begin(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(h, CTRL_ATTR_FAMILY_NAME, MPROBE_GENL_NAME);
	ask(NULL, h);
	if (!family)
		return 1;
	for (char **w = argv + 1; *w;) {
		if (strcmp(*w, ","))
			w = request(w);
		else
			w++;
	}
	mnl_socket_close(nl);
	return 0;
}
