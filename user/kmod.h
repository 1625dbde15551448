/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module as calls: protocol and sockets together. engine_kmod.c measures
 * by it; the commands that only ask or cancel use it as it is. Calls return 0
 * or -errno and then leave a sentence in k->error.
 */
#ifndef MPROBE_KMOD_H
#define MPROBE_KMOD_H

#include "nl.h"
#include "proto.h"

struct kmod {
	struct nl nl;
	struct engine_info info; /* as it was at kmod_open() */
	void *send;		 /* NL_SEND_BYTES */
	char error[512];
};

/* -ENOENT: the module is not loaded. -EPROTO: it is of another protocol (k->info.protocol). */
int kmod_open(struct kmod *k);
void kmod_close(struct kmod *k); /* ends and frees all that was made through k */
int kmod_info(struct kmod *k, struct engine_info *out);
int kmod_claim(struct kmod *k, const struct proto_claim *c, struct range_info *out);
int kmod_release(struct kmod *k, uint32_t range_id);
/* 0: the largest pages; on failure the range stays as it was, and *out holds nothing */
int kmod_remap(struct kmod *k, uint32_t range_id, uint64_t page_bytes, struct range_info *out);
int kmod_start(struct kmod *k, const struct job_spec *j, uint32_t *job_id);
int kmod_cancel(struct kmod *k, uint32_t job_id, enum mprobe_reason why, bool forget);
int kmod_job(struct kmod *k, uint32_t job_id, struct job_state *out);
/* Appends samples from index `from` on; what was in s before stays, also on failure. */
int kmod_samples(struct kmod *k, const struct job_state *j, uint64_t from, struct sample_set *s);

/* Of all clients; *v is the caller's, to be given to kmod_*_free(). */
int kmod_ranges(struct kmod *k, struct range_info **v, size_t *n);
int kmod_jobs(struct kmod *k, struct job_state **v, size_t *n);
void kmod_ranges_free(struct range_info *v, size_t n);
void kmod_jobs_free(struct job_state *v, size_t n);

/* Waits for events; fn sees each state. Number of events (an overrun counts as one) or -errno. */
int kmod_events(struct kmod *k, int timeout_ms, void (*fn)(const struct job_state *j, void *arg),
		void *arg);

#endif
