/* SPDX-License-Identifier: MIT */
/* Tasks that write a value in device memory, or wait for one. */
#ifndef VNPU_LIB_VALUE_H
#define VNPU_LIB_VALUE_H

#include <linux/vnpu_task.h>

#include "acl/acl_rt.h"

/* Make a task of aclrtValueWrite() or aclrtValueWait(), or report an error. */
aclError vnpu_value_write_task(void *addr, uint64_t value,
			       struct vnpu_task *task);
aclError vnpu_value_wait_task(void *addr, uint64_t value, uint32_t flag,
			      struct vnpu_task *task);

#endif /* VNPU_LIB_VALUE_H */
