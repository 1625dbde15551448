/* SPDX-License-Identifier: GPL-2.0 */
/* Well-formed replies of the module, put attribute by attribute behind a message's header. */
#ifndef MPROBE_TEST_REPLIES_H
#define MPROBE_TEST_REPLIES_H

#include "wire.h"

void reply_info(struct nlmsghdr *nlh, uint32_t protocol);
void reply_range(struct nlmsghdr *nlh, uint32_t id, uint32_t segments);
void reply_job(struct nlmsghdr *nlh, uint32_t id, enum mprobe_state state, uint64_t samples);
/* rows: round = index, worker = index % 2, irqs unknown, start = 1000 x index, work = index + 1 */
void reply_samples(struct nlmsghdr *nlh, uint64_t from, uint32_t rows);

#endif
