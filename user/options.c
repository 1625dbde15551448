// SPDX-License-Identifier: GPL-2.0
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <mprobe/loop.h>

#include "parse.h"

#define FIRST_VALUE 256 /* of getopt's return values for long options: index + this */
#define MAX_OPTIONS 48
#define MAX_ROUNDS  1000
#define MAX_TIME_NS 600000000000ull /* as the protocol bounds a job */

static int fail(char *error, const char *format, const char *a, const char *b)
{
	snprintf(error, PARSE_ERROR, format, a, b);
	return -EINVAL;
}

static int set_help(struct options *o, const char *v, char *error)
{
	(void)v, (void)error;
	o->help = true;
	return 0;
}

static int set_quiet(struct options *o, const char *v, char *error)
{
	(void)v, (void)error;
	o->quiet = true;
	return 0;
}

static int set_csv(struct options *o, const char *v, char *error)
{
	(void)v, (void)error;
	o->csv = true;
	return 0;
}

static int set_strict(struct options *o, const char *v, char *error)
{
	(void)v, (void)error;
	o->strict = true;
	return 0;
}

static int set_overwrite(struct options *o, const char *v, char *error)
{
	(void)v, (void)error;
	o->overwrite = true;
	return 0;
}

static int set_json(struct options *o, const char *v, char *error)
{
	if (!*v)
		return fail(error, "--json needs a file name, or - for standard output%s%s", "",
			    "");
	o->json = v;
	return 0;
}

static int set_samples(struct options *o, const char *v, char *error)
{
	if (!*v)
		return fail(error, "--samples needs a file name, or - for standard output%s%s", "",
			    "");
	o->samples = v;
	return 0;
}

static int set_freq(struct options *o, const char *v, char *error)
{
	(void)v, (void)error;
	o->freq = true;
	return 0;
}

static int set_prefetch(struct options *o, const char *v, char *error)
{
	if (!strcmp(v, "asis"))
		o->prefetch = MPROBE_PREFETCH_ASIS;
	else if (!strcmp(v, "off"))
		o->prefetch = MPROBE_PREFETCH_OFF;
	else if (!strcmp(v, "on"))
		o->prefetch = MPROBE_PREFETCH_ON;
	else
		return fail(error, "--prefetch %s: give off, on or asis%s", v, "");
	return 0;
}

static int set_engine(struct options *o, const char *v, char *error)
{
	if (strcmp(v, "kernel") && strcmp(v, "user"))
		return fail(error, "--engine %s: there are kernel and user%s", v, "");
	o->engine = v;
	return 0;
}

static int set_irqs(struct options *o, const char *v, char *error)
{
	if (strcmp(v, "off") && strcmp(v, "on"))
		return fail(error, "--irqs %s: give off or on%s", v, "");
	o->irqs_off = !strcmp(v, "off");
	return 0;
}

static int set_cpus(struct options *o, const char *v, char *error)
{
	return parse_cpus(v, o->cpus, PLAN_MAX_CPUS, &o->nr_cpus, error);
}

static int set_workers(struct options *o, const char *v, char *error)
{
	free(o->workers);
	o->workers = NULL;
	return parse_counts(v, &o->workers, &o->nr_workers, error);
}

static int set_sizes(struct options *o, const char *v, char *error)
{
	free(o->sizes);
	o->sizes = NULL;
	return parse_sizes(v, &o->sizes, &o->nr_sizes, error);
}

static int set_size(struct options *o, const char *v, char *error)
{
	int ret = parse_size(v, &o->size, error);

	if (ret)
		return ret;
	if (!o->size)
		return fail(error,
			    "--size %s: there is nothing to measure in 0 bytes; "
			    "give a size such as 1G%s",
			    v, "");
	if (o->size % MPROBE_LINE)
		return fail(error, "--size %s: not a multiple of a line's 64 bytes%s", v, "");
	return 0;
}

static int set_time(struct options *o, const char *v, char *error)
{
	int ret = parse_duration(v, &o->time_ns, error);

	if (!ret && o->time_ns > MAX_TIME_NS)
		return fail(error, "--time %s: a point takes at most 10 minutes%s", v, "");
	return ret;
}

static int set_window(struct options *o, const char *v, char *error)
{
	return parse_duration(v, &o->window_ns, error);
}

static int set_precision(struct options *o, const char *v, char *error)
{
	return parse_share(v, &o->precision, error);
}

static int set_seed(struct options *o, const char *v, char *error)
{
	int ret = parse_u64(v, &o->seed, error);

	if (!ret && o->seed > INT64_MAX) /* JSON's integers are signed here */
		return fail(error, "--seed %s: give 0 to 9223372036854775807%s", v, "");
	return ret;
}

static int set_warmup(struct options *o, const char *v, char *error)
{
	if (!strcmp(v, "0")) {
		o->warmup_bytes = 0;
		return 0;
	}
	return parse_size(v, &o->warmup_bytes, error);
}

static int set_passes(struct options *o, const char *v, char *error)
{
	int ret = parse_u64(v, &o->passes, error);

	if (!ret && !o->passes)
		return fail(error, "--passes %s: give 1 or more%s", v, "");
	return ret;
}

static int set_page(struct options *o, const char *v, char *error)
{
	o->thp = !strcasecmp(v, "thp");
	if (!strcasecmp(v, "4K"))
		o->page_bytes = 4096;
	else if (!strcasecmp(v, "2M") || o->thp)
		o->page_bytes = 2u << 20;
	else if (!strcasecmp(v, "1G"))
		o->page_bytes = 1u << 30;
	else
		return fail(error, "--page %s: there are 4K, 2M, 1G and thp%s", v, "");
	return 0;
}

static int set_object(struct options *o, const char *v, char *error)
{
	uint64_t bytes;
	int ret = parse_size(v, &bytes, error);

	if (ret)
		return ret;
	if (bytes < MPROBE_LINE || bytes > 4096 || bytes & (bytes - 1))
		return fail(error, "--object %s: a power of two from 64 to 4096 bytes%s", v, "");
	o->object_bytes = bytes;
	return 0;
}

static int set_order_window(struct options *o, const char *v, char *error)
{
	return orders_parse_window(v, &o->order_window_bytes, error);
}

static int set_order(struct options *o, const char *v, char *error)
{
	return orders_parse(v, o->orders, &o->nr_orders, error);
}

static int set_rounds(struct options *o, const char *v, char *error)
{
	int ret = parse_u64(v, &o->rounds, error);

	if (!ret && (!o->rounds || o->rounds > MAX_ROUNDS))
		return fail(error, "--rounds %s: give 1 to 1000%s", v, "");
	return ret;
}

/* Names of loops, variants and instruction sets are those of the table of loops. */
enum loop_word { WORD_LOOP, WORD_VARIANT, WORD_ISA };

static const char *loop_word(const struct mprobe_loop *l, enum loop_word which, int *id)
{
	switch (which) {
	case WORD_LOOP:
		*id = l->loop_id;
		return l->name;
	case WORD_VARIANT:
		*id = l->variant_id;
		return l->variant;
	default:
		*id = l->isa_id;
		return l->isa;
	}
}

static int find_word(enum loop_word which, const char *option, const char *v, char *error)
{
	const struct mprobe_loop *l;
	char known[128] = "", framed[32], seen[160];
	int id;

	for (uint32_t i = 0; (l = mprobe_loop_nth(i)); i++) {
		const char *word = loop_word(l, which, &id);

		if (!strcmp(word, v))
			return id;
		snprintf(framed, sizeof(framed), " %s,", word);
		snprintf(seen, sizeof(seen), "%s", known);
		if (!strstr(seen, framed))
			strncat(known, framed, sizeof(known) - strlen(known) - 1);
	}
	if (*known)
		known[strlen(known) - 1] = '\0';
	snprintf(error, PARSE_ERROR, "--%s %s: unknown; there are%s", option, v, known);
	return -EINVAL;
}

static int set_loop(struct options *o, const char *v, char *error)
{
	int id = find_word(WORD_LOOP, "loop", v, error);

	o->loop = id < 0 ? 0 : id;
	return id < 0 ? id : 0;
}

static int set_variant(struct options *o, const char *v, char *error)
{
	int id = find_word(WORD_VARIANT, "variant", v, error);

	o->variant = id < 0 ? 0 : id;
	return id < 0 ? id : 0;
}

static int set_isa(struct options *o, const char *v, char *error)
{
	int id = find_word(WORD_ISA, "isa", v, error);

	o->isa = id < 0 ? 0 : id;
	return id < 0 ? id : 0;
}

const struct option_entry option_table[] = {
	{ "help", 'h', NULL, NULL, OPT_ALWAYS, "this list", set_help },
	{ "json", 'j', "FILE", NULL, OPT_JSON, "write the JSON document (-: to standard output)",
	  set_json },
	{ "csv", 0, NULL, NULL, OPT_CSV, "comma-separated values in place of the table", set_csv },
	{ "quiet", 'q', NULL, NULL, OPT_MEASURE | OPT_COMPARE,
	  "no progress and no notes on standard error", set_quiet },
	{ "engine", 'e', "NAME", "kernel user", OPT_MEASURE,
	  "who runs the loops: kernel, or user for anon (default: by target)", set_engine },
	{ "cpus", 'c', "LIST", NULL, OPT_MEASURE | OPT_COMPARE | OPT_DOCTOR,
	  "CPUs in the order in which workers take them (default: the node's, siblings last)",
	  set_cpus },
	{ "workers", 'w', "LIST", NULL, OPT_WORKERS,
	  "numbers of workers: 4 or 1..8 or 1,2,4 (bw: 1 to the number of CPUs; run: 1)",
	  set_workers },
	{ "sizes", 's', "LIST", NULL, OPT_SWEEP | OPT_COMPARE,
	  "working sets: 16K,64M or 16K..1G:4 points an octave (16K..1G; compare 64M,256M,1G)",
	  set_sizes },
	{ "size", 's', "SIZE", NULL, OPT_SIZE, "working set of each worker (default 1G)",
	  set_size },
	{ "time", 't', "TIME", NULL, OPT_MEASURE | OPT_COMPARE,
	  "of a point at most (default 1s; lat and compare 500ms; by passes 1m)", set_time },
	{ "precision", 'p', "SHARE", NULL, OPT_MEASURE,
	  "stop a point when its 95 % interval is within +-SHARE (default 0.5%; 0: never)",
	  set_precision },
	{ "window", 0, "TIME", NULL, OPT_MEASURE | OPT_COMPARE,
	  "stretch without interruption (default: a quarter of a tick, 2ms with interrupts off)",
	  set_window },
	{ "warmup", 0, "SIZE", NULL, OPT_MEASURE | OPT_COMPARE,
	  "touched by each worker before it counts (default: twice the last cache)", set_warmup },
	{ "irqs", 0, "off|on", "off on", OPT_MEASURE,
	  "interrupts in windows (kernel engine; default on)", set_irqs },
	{ "prefetch", 0, "off|on|asis", "off on asis", OPT_MEASURE,
	  "hardware prefetchers while it measures (kernel engine; default asis)", set_prefetch },
	{ "freq", 0, NULL, NULL, OPT_MEASURE,
	  "a table of governor, turbo, measured frequency and core cycles", set_freq },
	{ "samples", 0, "FILE", NULL, OPT_MEASURE,
	  "write every window as comma-separated values (-: to standard output)", set_samples },
	{ "page", 0, "SIZE", "4K 2M 1G thp", OPT_MEASURE,
	  "pages: anon exactly these (default 4K); kernel engine none larger", set_page },
	{ "seed", 0, "NUMBER", NULL, OPT_MEASURE | OPT_COMPARE, "of the chase's order (default 1)",
	  set_seed },
	{ "variant", 'v', "NAME", "ro wb store nt", OPT_MEASURE | OPT_COMPARE,
	  "only this one (lat, bw: ro and wb; run, compare: ro)", set_variant },
	{ "isa", 0, "NAME", "scalar avx2 avx512", OPT_MEASURE,
	  "instruction set of the loop (default: the widest)", set_isa },
	{ "loop", 'l', "NAME", "chase stream order", OPT_POINT, "the loop (default chase)",
	  set_loop },
	{ "object", 0, "SIZE", NULL, OPT_POINT, "unit of a chase: 64 to 4096 bytes (default 64)",
	  set_object },
	{ "order-window", 0, "SIZE", NULL, OPT_SWEEP | OPT_POINT,
	  "confine a chase's order to windows of so many bytes, one after another",
	  set_order_window },
	{ "order", 0, "LIST", "random window:256K", OPT_COMPARE,
	  "orders to compare: random, window:SIZE or several (default random)", set_order },
	{ "rounds", 'r', "NUMBER", NULL, OPT_COMPARE,
	  "turns of each way to measure (default 8; below 6 there are no intervals)", set_rounds },
	{ "passes", 0, "NUMBER", NULL, OPT_POINT,
	  "stop after exactly so many passes of each worker", set_passes },
	{ "overwrite", 0, NULL, NULL, OPT_OVERWRITE, "what the targets hold may be destroyed",
	  set_overwrite },
	{ "strict", 0, NULL, NULL, OPT_MEASURE | OPT_COMPARE | OPT_DOCTOR,
	  "exit 3 on any taint but virtualised (doctor: on what disturbs or cannot be told)",
	  set_strict },
	{ 0 },
};

static const char *who_takes(const char *word, unsigned int sets)
{
	for (const struct option_entry *e = option_table; e->name; e++)
		if (!strcmp(word, e->name) && !(e->sets & sets))
			return e->sets == OPT_COMPARE ? " (`compare` takes it)" :
			       e->sets & OPT_POINT    ? " (`run` takes it)" :
			       e->sets & OPT_SWEEP    ? " (`lat` takes it)" :
			       e->sets & (OPT_WORKERS | OPT_SIZE) ?
						     " (`bw` and `run` take it)" :
			       e->sets & (OPT_MEASURE | OPT_OVERWRITE) ?
						     " (`lat`, `bw` and `run` take it)" :
						     "";
	return "";
}

static int refuse_word(char *error, char **argv, int c, unsigned int sets)
{
	const char *word = optind > 0 ? argv[optind - 1] : "";
	char letter[3] = { '-', optopt < FIRST_VALUE ? optopt : 0, '\0' };

	if (c == ':') {
		if (optopt >= FIRST_VALUE)
			snprintf(error, PARSE_ERROR, "--%s needs a value",
				 option_table[optopt - FIRST_VALUE].name);
		else
			snprintf(error, PARSE_ERROR, "%s needs a value", letter);
	} else if (optopt >= FIRST_VALUE) {
		snprintf(error, PARSE_ERROR, "--%s takes no value",
			 option_table[optopt - FIRST_VALUE].name);
	} else if (optopt) {
		snprintf(error, PARSE_ERROR, "unknown option %s; --help lists them", letter);
	} else {
		snprintf(error, PARSE_ERROR,
			 "%s: no such option of this command%s; "
			 "--help lists them",
			 word, who_takes(word + 2, sets));
	}
	return -EINVAL;
}

static const struct option_entry *entry_of(int c, unsigned int sets)
{
	if (c >= FIRST_VALUE)
		return &option_table[c - FIRST_VALUE];
	for (const struct option_entry *e = option_table; e->name; e++)
		if (e->letter == c && e->sets & sets)
			return e;
	return NULL;
}

int options_parse(struct options *o, int argc, char **argv, unsigned int sets, int *first,
		  char *error)
{
	struct option longs[MAX_OPTIONS] = { 0 };
	char letters[3 * MAX_OPTIONS] = ":", *at = letters + 1;
	const struct option_entry *e;
	int n = 0, c, ret;

	memset(o, 0, sizeof(*o));
	o->precision = 0.005;
	o->warmup_bytes = UINT64_MAX;
	o->seed = 1;
	for (e = option_table; e->name; e++) {
		if (!(e->sets & sets))
			continue;
		longs[n++] = (struct option){ e->name, e->arg ? required_argument : no_argument,
					      NULL, FIRST_VALUE + (int)(e - option_table) };
		if (e->letter) {
			*at++ = e->letter;
			if (e->arg)
				*at++ = ':';
		}
	}
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return refuse_word(error, argv, c, sets);
		e = entry_of(c, sets);
		ret = e->set(o, optarg, error);
		if (ret)
			return ret;
	}
	*first = optind;
	return 0;
}

void options_free(struct options *o)
{
	free(o->workers);
	free(o->sizes);
}

void options_help(FILE *f, unsigned int sets)
{
	char name[40];

	for (const struct option_entry *e = option_table; e->name; e++) {
		if (!(e->sets & sets))
			continue;
		snprintf(name, sizeof(name), "--%s%s%s", e->name, e->arg ? " " : "",
			 e->arg ? e->arg : "");
		if (e->letter)
			fprintf(f, "  -%c, %-18s %s\n", e->letter, name, e->help);
		else
			fprintf(f, "      %-18s %s\n", name, e->help);
	}
}
