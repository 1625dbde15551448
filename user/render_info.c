// SPDX-License-Identifier: GPL-2.0
#include "render_info.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <jansson.h>

#include "figure.h"
#include "names.h"
#include "render.h"
#include "render_json.h"
#include <mprobe/version.h>

static const char *const isas[] = {
	[MPROBE_ISA_SCALAR] = "scalar",
	[MPROBE_ISA_AVX2] = "avx2",
	[MPROBE_ISA_AVX512] = "avx512",
};

#define NR_ISAS (sizeof(isas) / sizeof(isas[0]))

/* Nothing to be said of it: not a line. */
__attribute__((format(printf, 3, 4))) static void line(FILE *f, const char *what,
						       const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (text[0])
		fprintf(f, "%-18s %s\n", what, text);
}

static double ms(uint64_t ns)
{
	return ns / 1e6;
}

static const char *switch_of(enum mprobe_prefetch_control control)
{
	switch (control) {
	case MPROBE_PREFETCH_CONTROL_NONE:
		return "none documented for this CPU: no --prefetch off or on";
	case MPROBE_PREFETCH_CONTROL_INTEL:
		return "MSR 0x1a4";
	case MPROBE_PREFETCH_CONTROL_AMD:
		return "MSR 0xc0000108";
	default:
		return "";
	}
}

static void put_module(const struct info *i, FILE *f)
{
	const struct engine_info *m = &i->module;
	char size[FIGURE], list[64] = "";
	const char *clock = names_clock(m->clock);
	double mhz = m->clock_khz / 1e3;

	if (!i->has_module) {
		line(f, "module", "%s", i->module_error);
		return;
	}
	for (size_t k = 1; k < NR_ISAS; k++)
		if (m->isa_mask & 1u << k)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
				 list[0] ? " " : "", isas[k]);
	line(f, "module", "%s, protocol %u%s", m->version, m->protocol,
	     m->locked_down ? ", refused by the kernel's lockdown" : "");
	line(f, "clock", "%s at %.3f MHz, one reading takes %llu ticks (%.1f ns)",
	     clock ? clock : "unknown", mhz, (unsigned long long)m->clock_overhead,
	     m->clock_khz ? m->clock_overhead * 1e3 / mhz : 0.0);
	line(f, "instruction sets", "%s", list);
	line(f, "windows", "%g ms (irqs off: %g ms), at most %g ms (irqs off: %g ms); HZ is %u",
	     ms(m->window_default_ns), ms(m->window_default_irqs_off_ns), ms(m->window_max_ns),
	     ms(m->window_max_irqs_off_ns), m->hz);
	line(f, "limits", "%u jobs, %u workers and %llu samples a job, %u ranges, %s a node range",
	     m->max_jobs, m->max_workers, (unsigned long long)m->max_samples, m->max_ranges,
	     figure_size(size, m->max_bytes & ~((1ull << 20) - 1)));
	line(f, "prefetch switch", "%s", switch_of(m->prefetch_control));
}

static void put_caches(const struct machine *m, FILE *f)
{
	char size[FIGURE], text[256] = "";

	for (int i = 0; i < m->nr_caches; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%sL%d%s %s/%d CPU%s",
			 i ? ", " : "", m->caches[i].level,
			 strcmp(m->caches[i].type, "data") ? "" : "d",
			 figure_size(size, m->caches[i].bytes), m->caches[i].shared_by_cpus,
			 m->caches[i].shared_by_cpus == 1 ? "" : "s");
	line(f, "caches", "%s", text);
}

static const char *count(char *buf, int n)
{
	if (n < 0)
		return "?";
	snprintf(buf, FIGURE, "%d", n);
	return buf;
}

static void put_machine(const struct machine *m, FILE *f)
{
	char size[FIGURE], sockets[FIGURE], cores[FIGURE], cpus[FIGURE], smt[FIGURE];

	line(f, "CPU", "%s", m->cpu_model);
	line(f, "topology", "sockets %s, cores %s, CPUs %s, threads a core %s",
	     count(sockets, m->sockets), count(cores, m->cores), count(cpus, m->cpus),
	     count(smt, m->smt));
	put_caches(m, f);
	for (int i = 0; i < m->nr_nodes; i++)
		line(f, i ? "" : "NUMA nodes", "%d: %s, %s%s", m->nodes[i].node,
		     figure_size(size, m->nodes[i].bytes & ~((1ull << 20) - 1)),
		     m->nodes[i].cpus[0] ? "CPUs " : "no CPUs", m->nodes[i].cpus);
	for (int i = 0; i < m->nr_dimms; i++)
		line(f, i ? "" : "DIMMs", "%s: %s %s %s", m->dimms[i].locator,
		     m->dimms[i].bytes ? figure_size(size, m->dimms[i].bytes) : "size unknown",
		     m->dimms[i].type, m->dimms[i].speed);
	line(f, "kernel", "%s", m->kernel_release);
	line(f, "command line", "%s", m->kernel_cmdline);
	line(f, "mitigations", "%s", m->mitigations);
	line(f, "transparent huge", "%s", m->thp);
	line(f, "governor", "%s", m->governor);
	line(f, "turbo", "%s", m->turbo);
	line(f, "prefetchers", "%s", m->prefetchers);
	if (m->virtualised < 0)
		line(f, "hypervisor", "unknown");
	else
		line(f, "hypervisor", "%s%s", m->virtualised ? m->hypervisor : "none",
		     m->emulated == 1 ? " (the CPU is emulated: figures say nothing about memory)" :
					"");
}

int render_info_text(const struct info *i, FILE *f)
{
	errno = 0;
	line(f, "mprobectl", "%s", MPROBE_VERSION);
	put_module(i, f);
	put_machine(&i->machine, f);
	return render_flush(f, false);
}

static json_t *module(const struct engine_info *m)
{
	const char *clock = names_clock(m->clock), *prefetch;
	json_t *list = json_array();

	prefetch = names_prefetch_control(m->prefetch_control);

	for (size_t k = 1; k < NR_ISAS; k++)
		if (m->isa_mask & 1u << k)
			json_array_append_new(list, json_string(isas[k]));
	return json_pack("{s:s, s:i, s:o, s:I, s:I, s:i, s:o, s:i, s:i, s:i, s:I, s:I, s:I, s:I, "
			 "s:I, s:I, s:o, s:b}",
			 "version", m->version, "protocol", m->protocol, "clock",
			 clock ? json_string(clock) : json_null(), "clock_khz",
			 (json_int_t)m->clock_khz, "clock_overhead_ticks",
			 (json_int_t)m->clock_overhead, "hz", m->hz, "isas", list, "max_jobs",
			 m->max_jobs, "max_ranges", m->max_ranges, "max_workers", m->max_workers,
			 "max_range_bytes", (json_int_t)m->max_bytes, "max_samples",
			 (json_int_t)m->max_samples, "window_max_ns", (json_int_t)m->window_max_ns,
			 "window_max_irqs_off_ns", (json_int_t)m->window_max_irqs_off_ns,
			 "window_default_ns", (json_int_t)m->window_default_ns,
			 "window_default_irqs_off_ns", (json_int_t)m->window_default_irqs_off_ns,
			 "prefetch_control", prefetch ? json_string(prefetch) : json_null(),
			 "locked_down", m->locked_down);
}

int render_info_json(const struct info *i, FILE *f)
{
	json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", "mprobe-info/1", "tool",
			      MPROBE_VERSION, "module",
			      i->has_module ? module(&i->module) : json_null(), "module_error",
			      i->has_module ? json_null() : json_string(i->module_error), "machine",
			      render_json_machine(&i->machine));
	bool bad;

	if (!o)
		return -ENOMEM;
	errno = 0;
	bad = json_dumpf(o, f, JSON_INDENT(2)) || fputc('\n', f) < 0;
	json_decref(o);
	return render_flush(f, bad);
}
