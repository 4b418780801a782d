/* SPDX-License-Identifier: GPL-2.0-only */
/* Copying and filling of device memory, in the caller's context. */
#ifndef VNPU_COPY_H
#define VNPU_COPY_H

#include <linux/types.h>

struct vnpu_client;

int vnpu_copy(struct vnpu_client *client, u64 dst, u64 src, u64 length,
	      u64 *done);
int vnpu_fill(struct vnpu_client *client, u64 dst, u64 length, u64 value,
	      unsigned int value_size, u64 *done);

#endif
