// SPDX-License-Identifier: MIT
/*
 * Counting notifies: counters of the driver, of which 32 bits are used.
 */
#include <stddef.h>

#include "base/error.h"
#include "base/gate.h"
#include "collective.h"
#include "notify.h"
#include "stream.h"

/* The bits of a counter that a notify uses. */
#define COUNT_MASK	UINT32_MAX

static aclError null_notify(void)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"cntNotify is NULL; pass one from aclrtCntNotifyCreate");
}

static aclError counter_of(aclrtCntNotify notify, uint64_t *counter)
{
	if (!notify)
		return null_notify();
	return vnpu_notify_counter(VNPU_HANDLE_CNT_NOTIFY, notify, counter);
}

aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag)
{
	VNPU_CALL();

	vnpu_gate_pass();
	if (!cntNotify)
		return null_notify();
	if (flag)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = %llu is reserved; pass 0",
			(unsigned long long)flag);
	return vnpu_notify_create(VNPU_HANDLE_CNT_NOTIFY, cntNotify);
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify)
{
	VNPU_CALL();
	struct vnpu_notify *found;
	aclError ret;

	vnpu_gate_pass();
	if (!cntNotify)
		return null_notify();
	ret = vnpu_notify_lock(VNPU_HANDLE_CNT_NOTIFY, cntNotify, &found);
	return ret ? ret : vnpu_notify_destroy(found);
}

static int signal_mode(aclrtCntNotifyRecordMode mode)
{
	switch (mode) {
	case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE:
		return VNPU_SIGNAL_SET;
	case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
		return VNPU_SIGNAL_ADD;
	case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
		return VNPU_SIGNAL_OR;
	case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
		return VNPU_SIGNAL_AND;
	default:
		return -1;
	}
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
			      aclrtCntNotifyRecordInfo *info)
{
	VNPU_CALL();
	struct vnpu_task task = { .op = VNPU_TASK_SIGNAL };
	uint64_t counter;
	aclError ret;
	int mode;

	if (!info)
		return vnpu_error_null("info");
	mode = signal_mode(info->mode);
	if (mode < 0)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"info->mode = %d is not known; use a value of aclrtCntNotifyRecordMode",
			info->mode);
	ret = counter_of(cntNotify, &counter);
	if (ret)
		return ret;
	task.dst = counter;
	task.mode = mode;
	task.arg0 = info->value;
	return vnpu_stream_submit_to(stream, &task);
}

/* Get the condition, value and mask of a wait; false for an unknown mode. */
static bool wait_plan(const aclrtCntNotifyWaitInfo *info,
		      struct vnpu_task *task)
{
	task->arg0 = info->value;
	task->arg1 = COUNT_MASK;
	switch (info->mode) {
	case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE:
		task->mode = VNPU_COND_LESS;
		return true;
	case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE:
		task->mode = VNPU_COND_EQ;
		return true;
	case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE:
		task->mode = VNPU_COND_GREATER;
		return true;
	case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE:
		task->mode = VNPU_COND_NOT_LESS;
		return true;
	case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE:
		/* No bit is required; a mask of 0 would be invalid. */
		task->mode = info->value ? VNPU_COND_EQ : VNPU_COND_NOT_LESS;
		if (info->value)
			task->arg1 = info->value;
		return true;
	default:
		return false;
	}
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify,
				       aclrtStream stream,
				       aclrtCntNotifyWaitInfo *info)
{
	VNPU_CALL();
	struct vnpu_task task = { .op = VNPU_TASK_COUNTER_WAIT };
	uint64_t counter;
	aclError ret;

	if (!info)
		return vnpu_error_null("info");
	if (!wait_plan(info, &task))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"info->mode = %d is not known; use a value of aclrtCntNotifyWaitMode",
			info->mode);
	if (info->isClear > 1)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"info->isClear = %u is out of range; use 0 or 1",
			info->isClear);
	ret = counter_of(cntNotify, &counter);
	if (ret)
		return ret;
	task.src = counter;
	task.flags = info->isClear ? VNPU_TASK_F_CLEAR : 0;
	task.timeout_ms = vnpu_seconds_to_ms(info->timeout);
	return vnpu_stream_submit_to(stream, &task);
}

/* Submit a task that names the counter of a notify in its member @counter. */
static aclError submit_count(aclrtCntNotify notify, struct vnpu_task *task,
			     __u64 *counter, aclrtStream stream)
{
	uint64_t found;
	aclError ret = counter_of(notify, &found);

	if (ret)
		return ret;
	*counter = found;
	return vnpu_stream_submit_to(stream, task);
}

aclError vnpu_collective_count_set(aclrtCntNotify notify, uint64_t value,
				   aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_task task = {
		.op = VNPU_TASK_SIGNAL,
		.mode = VNPU_SIGNAL_SET,
		.arg0 = value,
	};

	return submit_count(notify, &task, &task.dst, stream);
}

aclError vnpu_collective_count_wait(aclrtCntNotify notify, uint64_t value,
				    aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_task task = {
		.op = VNPU_TASK_COUNTER_WAIT,
		.mode = VNPU_COND_NOT_LESS,
		.arg0 = value,
		.arg1 = UINT64_MAX,
	};

	return submit_count(notify, &task, &task.src, stream);
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_task task = {
		.op = VNPU_TASK_SIGNAL,
		.mode = VNPU_SIGNAL_SET,
	};
	uint64_t counter;
	aclError ret = counter_of(cntNotify, &counter);

	if (ret)
		return ret;
	task.dst = counter;
	return vnpu_stream_submit_to(stream, &task);
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId)
{
	VNPU_CALL();
	struct vnpu_notify *found;
	aclError ret;

	if (!cntNotify)
		return null_notify();
	if (!notifyId)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"notifyId is NULL; pass a valid pointer");
	ret = vnpu_notify_lock(VNPU_HANDLE_CNT_NOTIFY, cntNotify, &found);
	if (ret)
		return ret;
	*notifyId = found->number;
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}
