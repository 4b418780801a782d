/* SPDX-License-Identifier: MIT */
/* Tasks that write random numbers. */
#ifndef VNPU_LIB_RANDOM_H
#define VNPU_LIB_RANDOM_H

#include <linux/vnpu_task.h>

#include "acl/acl_rt.h"

struct vnpu_stream;

/*
 * Set the addresses, the seed and the number of a task, or report an error.  Waits
 * for the stream if the seed or the number is in device memory.
 */
aclError vnpu_random_change(struct vnpu_stream *stream,
			    const aclrtRandomNumTaskInfo *info,
			    struct vnpu_task *task);

#endif /* VNPU_LIB_RANDOM_H */
