// SPDX-License-Identifier: GPL-2.0
#include "complete.h"

#include <string.h>

#include "cmd.h"

static void words_of(FILE *f, const struct command *c)
{
	for (const struct option_entry *o = option_table; o->name; o++)
		if (o->sets & cmd_options(c))
			fprintf(f, " --%s", o->name);
}

/* Options with the same answer share one branch of the case, in the table's order. */
static void value_cases(FILE *f)
{
	for (const struct option_entry *o = option_table; o->name; o++) {
		if (!o->arg)
			continue;
		if (o->letter)
			fprintf(f, "\t-%c | --%s)\n", o->letter, o->name);
		else
			fprintf(f, "\t--%s)\n", o->name);
		if (!strcmp(o->arg, "FILE"))
			fprintf(f, "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n");
		else if (o->words)
			fprintf(f, "\t\tCOMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n", o->words);
		fprintf(f, "\t\treturn ;;\n");
	}
}

static void command_cases(FILE *f)
{
	for (const struct command *c = cmd_table; c->name; c++) {
		fprintf(f, "\t%s)\n\t\topts='", c->name);
		words_of(f, c);
		fprintf(f, "'\n");
		if (!strncmp(c->operands, "TARGET", strlen("TARGET")))
			fprintf(f, "\t\toperands=\"anon $(mprobectl list --csv 2>/dev/null |"
				   " awk -F, '!/^#/ && seen++ { print $1 }')\"\n");
		fprintf(f, "\t\t;;\n");
	}
}

void complete_bash(FILE *f)
{
	fprintf(f, "# bash completion for mprobectl, made by `mprobectl --completion bash`\n"
		   "_mprobectl()\n{\n"
		   "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}"
		   " opts='' operands=''\n"
		   "\tCOMPREPLY=()\n"
		   "\tif ((COMP_CWORD == 1)); then\n"
		   "\t\tCOMPREPLY=($(compgen -W '");
	for (const struct command *c = cmd_table; c->name; c++)
		fprintf(f, "%s ", c->name);
	fprintf(f,
		"--help --version --completion' -- \"$cur\"))\n\t\treturn\n\tfi\n"
		"\tcase $prev in\n"
		"\t--completion)\n\t\tCOMPREPLY=($(compgen -W bash -- \"$cur\"))\n\t\treturn ;;\n");
	value_cases(f);
	fprintf(f, "\tesac\n\tcase ${COMP_WORDS[1]} in\n");
	command_cases(f);
	fprintf(f, "\tesac\n"
		   "\tif [[ $cur == -* ]]; then\n"
		   "\t\tCOMPREPLY=($(compgen -W \"$opts\" -- \"$cur\"))\n"
		   "\telse\n"
		   "\t\tCOMPREPLY=($(compgen -W \"$operands\" -- \"$cur\"))\n"
		   "\tfi\n}\n"
		   "complete -o default -F _mprobectl mprobectl\n");
}
