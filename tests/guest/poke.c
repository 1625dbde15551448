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
 * `samples` prints their number and the sum of their work, `dump` each (see print_rows()); `sh=COMMAND` runs it with
 * RANGE set to the last range's id. Exit 0 unless the socket itself fails.
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
	{ "orderwindow", MPROBE_A_ORDER_WINDOW, 8 },
	{ "reason", MPROBE_A_REASON, 4 },     { "from", MPROBE_A_FROM, 8 },
	{ "control", MPROBE_A_PREFETCH_CONTROL, 4 }, { "prefetch", MPROBE_A_PREFETCH, 4 },
	{ "warmup", MPROBE_A_WARMUP_BYTES, 8 }, { "clock", MPROBE_A_CLOCK, 4 },	      { "khz", MPROBE_A_CLOCK_KHZ, 8 },
	{ "maps", MPROBE_A_USER_MAPS, 4 },    { "user4k", MPROBE_A_USER_4K, 8 },
	{ "user2m", MPROBE_A_USER_2M, 8 },    { "user1g", MPROBE_A_USER_1G, 8 },
	{ "mapped4k", MPROBE_A_MAPPED_4K, 8 }, { "mapped2m", MPROBE_A_MAPPED_2M, 8 },
	{ "mapped1g", MPROBE_A_MAPPED_1G, 8 }, { "owner", MPROBE_A_OWNER, 4 },
}, nests[] = {
	{ "workers{", MPROBE_A_WORKERS, 0 },  { "worker{", MPROBE_A_WORKER, 0 },
}, cmds[] = {
	{ "info", MPROBE_CMD_GET_INFO, 0 },   { "claim", MPROBE_CMD_RANGE_CLAIM, 0 },
	{ "release", MPROBE_CMD_RANGE_RELEASE, 0 }, { "start", MPROBE_CMD_JOB_START, 0 },
	{ "cancel", MPROBE_CMD_JOB_CANCEL, 0 }, { "jobget", MPROBE_CMD_JOB_GET, 0 },
	{ "samples", MPROBE_CMD_SAMPLE_GET, 0 }, { "dump", MPROBE_CMD_SAMPLE_GET, 0 },
	{ "unknown", __MPROBE_CMD_MAX, 0 },
	{ "remap", MPROBE_CMD_RANGE_REMAP, 0 }, { "ranges", MPROBE_CMD_RANGE_GET, 0 },
};

static struct mnl_socket *nl;
static uint16_t family;
static uint32_t seq, last_range, last_job;
static uint32_t last_state;
static bool quiet, rows;
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
	if (type == MPROBE_A_COUNTERS)
		printf(" counters=%u", mnl_attr_get_payload_len(a) / 4);
	if (type == MPROBE_A_CLOSED && mnl_attr_get_payload_len(a) >= 4)
		printf(" closed=%u", *(const uint32_t *)mnl_attr_get_payload(a));
	if (type == MPROBE_A_PREFETCH_STATE)
		for (size_t i = 0; i < mnl_attr_get_payload_len(a) / 4; i++)
			printf("%s%u",
			       i ? "," : " off=", ((const uint32_t *)mnl_attr_get_payload(a))[i]);
	if (type == MPROBE_A_SEGMENT_BASE)
		printf(" first=%#" PRIx64, *(const uint64_t *)mnl_attr_get_payload(a));
	for (size_t i = 0; i < N(attrs); i++)
		if (attrs[i].id == type)
			printf(" %s=%" PRIu64, attrs[i].name,
			       attrs[i].bytes == 4 ? mnl_attr_get_u32(a) : mnl_attr_get_u64(a));
	if (type == MPROBE_A_STATE)
		printf(" state=%u", last_state);
	return MNL_CB_OK;
}

static int collect(const struct nlattr *a, void *data)
{
	const struct nlattr **columns = data;

	if (mnl_attr_get_type(a) <= MPROBE_A_MAX)
		columns[mnl_attr_get_type(a)] = a;
	return MNL_CB_OK;
}

/* A line a sample: `sample`, these columns in this order (`-`: all ones), the number of values in SAMPLE_COUNTS. */
static void print_rows(const struct nlmsghdr *h)
{
	static const struct name of[] = {
		{ "round", MPROBE_A_SAMPLE_ROUND, 4 }, { "worker", MPROBE_A_SAMPLE_WORKER, 4 },
		{ "flags", MPROBE_A_SAMPLE_FLAGS, 4 }, { "irqs", MPROBE_A_SAMPLE_IRQS, 4 },
		{ "nmis", MPROBE_A_SAMPLE_NMIS, 4 },   { "mces", MPROBE_A_SAMPLE_MCES, 4 },
		{ "smis", MPROBE_A_SAMPLE_SMIS, 4 },   { "reads", MPROBE_A_SAMPLE_READS, 4 },
		{ "start", MPROBE_A_SAMPLE_START, 8 }, { "ticks", MPROBE_A_SAMPLE_TICKS, 8 },
		{ "work", MPROBE_A_SAMPLE_WORK, 8 },   { "gap", MPROBE_A_SAMPLE_GAP, 8 },
		{ "aperf", MPROBE_A_SAMPLE_APERF, 8 }, { "mperf", MPROBE_A_SAMPLE_MPERF, 8 },
	};
	const struct nlattr *columns[MPROBE_A_MAX + 1] = { NULL }, *counts;
	unsigned int i, n;

	mnl_attr_parse(h, GENL_HDRLEN, collect, columns);
	counts = columns[MPROBE_A_SAMPLE_COUNTS];
	for (i = 0; i < N(of); i++)
		if (!columns[of[i].id])
			die("no column", of[i].name);
	n = mnl_attr_get_payload_len(columns[MPROBE_A_SAMPLE_ROUND]) / 4;
	for (unsigned int row = 0; row < n; row++) {
		printf("sample");
		for (i = 0; i < N(of); i++) {
			const void *v = mnl_attr_get_payload(columns[of[i].id]);
			uint64_t one = of[i].bytes == 4 ? ((const uint32_t *)v)[row] :
							  ((const uint64_t *)v)[row];

			if (mnl_attr_get_payload_len(columns[of[i].id]) != n * of[i].bytes)
				die("column of another length:", of[i].name);
			if (one == (of[i].bytes == 4 ? UINT32_MAX : UINT64_MAX))
				printf(" -");
			else
				printf(" %" PRIu64, one);
		}
		printf(" %u\n", counts ? mnl_attr_get_payload_len(counts) / 8 / n : 0);
	}
}

static int reply(const struct nlmsghdr *h, void *data)
{
	if (rows && h->nlmsg_type == family)
		print_rows(h);
	else if (h->nlmsg_type == family)
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
				if (!what || strcmp(what, "ranges"))
					printf(" samples=%" PRIu64 " work=%" PRIu64, samples, work);
				printf(" ok\n");
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

static void shell(const char *command)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", last_range);
	setenv("RANGE", number, 1);
	if (system(command) == -1)
		die("no shell for", command);
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
	if (!strncmp(*w, "sh=", 3)) {
		shell(*w + 3);
		return w + 1;
	}
	if (!c)
		die("unknown command", *w);
	h = begin(family, (uint8_t)c->id, MPROBE_GENL_VERSION);
	if (c->id == MPROBE_CMD_SAMPLE_GET || c->id == MPROBE_CMD_RANGE_GET)
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
	rows = !strcmp(c->name, "dump");
	ask(rows ? NULL : c->name, h);
	rows = false;
	return w;
}

int main(int argc, char **argv)
{
	struct nlmsghdr *h;
	int one = 1;

	nl = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
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
