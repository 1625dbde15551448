// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "complete.h"
#include "output.h"
#include "parse.h"
#include <mprobe/version.h>

#define MEASURING (OPT_CSV | OPT_MEASURE)

const struct command cmd_table[] = {
	{ .name = "info",
	  .run = cmd_info,
	  .operands = "",
	  .max_operands = 0,
	  .help = "the machine, and the module where it is loaded",
	  .json = true },
	{ .name = "list",
	  .run = cmd_list,
	  .operands = "",
	  .max_operands = 0,
	  .help = "what can be measured here, who holds it, what would free it",
	  .options = OPT_CSV,
	  .json = true },
	{ .name = "lat",
	  .run = cmd_lat,
	  .operands = "TARGET...",
	  .min_operands = 1,
	  .max_operands = -1,
	  .help = "latency over working-set size, read-only and write-back",
	  .options = MEASURING | OPT_SWEEP,
	  .json = true,
	  .destructive = true },
	{ .name = "bw",
	  .run = cmd_bw,
	  .operands = "TARGET...",
	  .min_operands = 1,
	  .max_operands = -1,
	  .help = "bandwidth over the number of workers, read-only and write-back",
	  .options = MEASURING | OPT_SIZE | OPT_WORKERS,
	  .json = true,
	  .destructive = true },
	{ .name = "run",
	  .run = cmd_run,
	  .operands = "TARGET...",
	  .min_operands = 1,
	  .max_operands = -1,
	  .help = "a single point: one loop with all its parameters",
	  .options = MEASURING | OPT_SIZE | OPT_WORKERS | OPT_POINT,
	  .json = true,
	  .destructive = true },
	{ .name = "compare",
	  .run = cmd_compare,
	  .operands = "TARGET",
	  .min_operands = 1,
	  .max_operands = 1,
	  .help = "kernel against userspace by pages, the same lines in the same order",
	  .options = OPT_CSV | OPT_COMPARE,
	  .json = true,
	  .destructive = true },
	{ .name = "doctor",
	  .run = cmd_doctor,
	  .operands = "",
	  .max_operands = 0,
	  .help = "what here will disturb a measurement, and how to stop it",
	  .options = OPT_DOCTOR,
	  .json = true },
	{ .name = "status",
	  .run = cmd_status,
	  .operands = "",
	  .max_operands = 0,
	  .help = "the module's jobs and ranges, and whose they are",
	  .needs_module = true,
	  .json = true },
	{ .name = "cancel",
	  .run = cmd_cancel,
	  .operands = "JOB...",
	  .min_operands = 1,
	  .max_operands = -1,
	  .help = "end jobs, by the numbers that status shows, or all",
	  .needs_module = true },
	{ 0 },
};

const struct command *cmd_find(const char *name)
{
	for (const struct command *c = cmd_table; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

unsigned int cmd_options(const struct command *c)
{
	return c->options | OPT_ALWAYS | (c->json ? OPT_JSON : 0) |
	       (c->destructive ? OPT_OVERWRITE : 0);
}

int cmd_fail(const struct cmd *c, enum cmd_exit code, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "mprobectl %s: ", c->command->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return code;
}

static void help_all(FILE *f)
{
	fprintf(f,
		"usage: mprobectl COMMAND [OPTION...] [OPERAND...]\n\n"
		"Latency and bandwidth of memory that can be published, or a reason why not.\n\n");
	for (const struct command *c = cmd_table; c->name; c++)
		fprintf(f, "  %-8s %-10s %s%s\n", c->name, c->operands, c->help,
			c->needs_module ? " (needs the module)" : "");
	fprintf(f,
		"\n  --help, --version, --completion bash\n\n"
		"A TARGET is memory by name (`mprobectl list`): dram0, pmem0, dax0.0, cxl-region0,\n"
		"phys:0x100000000+1G; anon or anon:NODE is the tool's own and needs no module.\n"
		"`mprobectl COMMAND --help` lists a command's options, mprobectl(8) defines all of it.\n");
}

static void help_one(FILE *f, const struct command *c)
{
	fprintf(f, "usage: mprobectl %s [OPTION...]%s%s\n\n%c%s.\n", c->name,
		*c->operands ? " " : "", c->operands, toupper((unsigned char)c->help[0]),
		c->help + 1);
	if (c->needs_module)
		fprintf(f, "Needs the module (insmod mprobe.ko) and root.\n");
	if (c->destructive)
		fprintf(f,
			"Loops that write, and every chase (its order is written first), destroy what the\n"
			"memory holds: on a target that holds data they need --overwrite.\n");
	fputc('\n', f);
	options_help(f, cmd_options(c));
}

/* -1: not a word for the program itself */
static int run_global(int argc, char **argv, FILE *out)
{
	if (argc < 2) {
		help_all(stderr);
		return CMD_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help_all(out);
		return CMD_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		fprintf(out, "mprobectl %s\n", MPROBE_VERSION);
		return CMD_OK;
	}
	if (!strcmp(argv[1], "--completion")) {
		if (argc == 3 && !strcmp(argv[2], "bash")) {
			complete_bash(out);
			return CMD_OK;
		}
		fprintf(stderr, "mprobectl: --completion knows one shell: --completion bash\n");
		return CMD_USAGE;
	}
	return -1;
}

static int check_operands(const struct cmd *c)
{
	const struct command *k = c->command;

	if (c->argc < k->min_operands)
		return cmd_fail(c, CMD_USAGE, "no %s given; `mprobectl %s` shows what there is",
				strcmp(k->operands, "JOB...") ? "target" : "job",
				strcmp(k->operands, "JOB...") ? "list" : "status");
	if (k->max_operands >= 0 && c->argc > k->max_operands)
		return cmd_fail(c, CMD_USAGE,
				"'%s' is one word too many; see `mprobectl %s --help`",
				c->argv[k->max_operands], k->name);
	if (c->opt->csv && c->opt->json && !strcmp(c->opt->json, "-"))
		return cmd_fail(c, CMD_USAGE,
				"--csv and --json - would both write to standard output; "
				"give --json a file");
	if (c->opt->samples && !strcmp(c->opt->samples, "-") &&
	    (c->opt->csv || (c->opt->json && !strcmp(c->opt->json, "-"))))
		return cmd_fail(c, CMD_USAGE,
				"--samples - and %s would both write to standard output; "
				"give --samples a file",
				c->opt->csv ? "--csv" : "--json -");
	if (c->opt->samples && c->opt->json && strcmp(c->opt->json, "-") &&
	    !strcmp(c->opt->samples, c->opt->json))
		return cmd_fail(c, CMD_USAGE, "--samples and --json would both write %s",
				c->opt->json);
	return CMD_OK;
}

static int run_command(const struct command *k, int argc, char **argv,
		       const struct engine_ops *kernel, const struct engine_ops *user, FILE *out)
{
	struct options opt;
	char error[PARSE_ERROR];
	struct cmd c = { .command = k,
			 .opt = &opt,
			 .all_argc = argc,
			 .all_argv = argv,
			 .kernel = kernel,
			 .user = user,
			 .out = out };
	char **words = calloc(argc, sizeof(*words)); /* getopt moves operands to the end */
	int first, ret;

	if (!words)
		return cmd_fail(&c, CMD_FAILED, "out of memory");
	memcpy(words, argv + 1, (argc - 1) * sizeof(*words));
	if (options_parse(&opt, argc - 1, words, cmd_options(k), &first, error)) {
		ret = cmd_fail(&c, CMD_USAGE, "%s", error);
	} else if (opt.help) {
		help_one(out, k);
		ret = CMD_OK;
	} else {
		c.argc = argc - 1 - first;
		c.argv = words + first;
		ret = check_operands(&c);
		if (!ret && opt.json && output_check(opt.json, error, sizeof(error)))
			ret = cmd_fail(&c, CMD_FAILED, "%s", error);
		if (!ret && opt.samples && output_check(opt.samples, error, sizeof(error)))
			ret = cmd_fail(&c, CMD_FAILED, "%s", error);
		if (!ret)
			ret = k->run(&c);
	}
	options_free(&opt);
	free(words);
	return ret;
}

int cmd_main(int argc, char **argv, const struct engine_ops *kernel, const struct engine_ops *user,
	     FILE *out)
{
	const struct command *k;
	char error[PARSE_ERROR];
	int ret = run_global(argc, argv, out);

	if (ret < 0) {
		k = cmd_find(argv[1]);
		if (!k) {
			fprintf(stderr, "mprobectl: unknown command '%s'; there are:", argv[1]);
			for (k = cmd_table; k->name; k++)
				fprintf(stderr, " %s", k->name);
			fprintf(stderr, "\n");
			return CMD_USAGE;
		}
		ret = run_command(k, argc, argv, kernel, user, out);
	}
	/* a command that failed has said why: it may be this */
	if (output_flush(out, error, sizeof(error)) && ret != CMD_FAILED) {
		fprintf(stderr, "mprobectl: %s\n", error);
		ret = CMD_FAILED;
	}
	return ret;
}
