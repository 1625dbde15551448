/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files below a root ("" on a real machine). All return 0, -ENOENT (the kernel has no such thing:
 * its file system is there, the file is not) or another -errno (it can't be told; -ENODATA: the
 * file system is not there, or the file is empty, -EBADMSG: it says something unexpected).
 */
#ifndef MPROBE_DOCTOR_READ_H
#define MPROBE_DOCTOR_READ_H

#include <stddef.h>

#include <hwloc.h>

int doctor_read_text(const char *root, const char *path, char **out,
		     size_t *len); /* all; owned; untouched where it fails */
int doctor_read_line(const char *root, const char *path, char *out, size_t len);
int doctor_read_choice(const char *root, const char *path, char *out, size_t len); /* a [b] c: b */
int doctor_read_number(const char *root, const char *path, long long *out);
/* "0-3,8", "" and "(null)" are no CPU; out is left alone where this fails */
int doctor_read_list(const char *root, const char *path, hwloc_bitmap_t out);
int doctor_read_there(const char *root, const char *path); /* is it there? 0 or as above */

#endif
