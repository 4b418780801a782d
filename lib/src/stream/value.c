// SPDX-License-Identifier: MIT
/*
 * Values in device memory that streams write and wait for.
 */
#include "base/error.h"
#include "base/util.h"
#include "io/io.h"
#include "stream.h"
#include "value.h"

_Static_assert(ACL_STREAM_WAIT_VALUE_GEQ == VNPU_COND_GEQ, "condition");
_Static_assert(ACL_STREAM_WAIT_VALUE_EQ == VNPU_COND_EQ, "condition");
_Static_assert(ACL_STREAM_WAIT_VALUE_AND == VNPU_COND_AND, "condition");
_Static_assert(ACL_STREAM_WAIT_VALUE_NOR == VNPU_COND_NOR, "condition");

static aclError check(const void *addr)
{
	uint64_t va = vnpu_ptr_to_u64(addr);

	if (!addr)
		return vnpu_error_null("devAddr");
	if (va % sizeof(uint64_t))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"devAddr = %p is not aligned to 8 bytes", addr);
	return ACL_SUCCESS;
}

aclError vnpu_value_write_task(void *addr, uint64_t value,
			       struct vnpu_task *task)
{
	*task = (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WRITE,
		.mode = sizeof(value),
		.dst = vnpu_ptr_to_u64(addr),
		.arg0 = value,
	};
	return check(addr);
}

aclError vnpu_value_wait_task(void *addr, uint64_t value, uint32_t flag,
			      struct vnpu_task *task)
{
	aclError ret = check(addr);

	*task = (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WAIT,
		.mode = flag,
		.src = vnpu_ptr_to_u64(addr),
		.arg0 = value,
	};
	if (ret || flag <= ACL_STREAM_WAIT_VALUE_NOR)
		return ret;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"flag = 0x%x is not known; use ACL_STREAM_WAIT_VALUE_*", flag);
}

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag,
			 aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_task task;
	aclError ret = vnpu_value_write_task(devAddr, value, &task);

	if (ret)
		return ret;
	if (flag)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "flag = 0x%x is reserved; pass 0", flag);
	return vnpu_stream_submit_to(stream, &task);
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag,
			aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_task task;
	aclError ret = vnpu_value_wait_task(devAddr, value, flag, &task);

	return ret ? ret : vnpu_stream_submit_to(stream, &task);
}
