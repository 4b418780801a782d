// SPDX-License-Identifier: MIT
/*
 * Time limits of tasks and of waits.
 *
 * As in CANN, the limits belong to the process, apply to tasks that are
 * submitted after they were set, and need no context.  The driver counts
 * milliseconds, which is the interval that is reported.
 */
#include <stdatomic.h>

#include "base/error.h"
#include "timeout.h"

#define INTERVAL_US	1000
#define LONGEST_US	((uint64_t)UINT32_MAX * INTERVAL_US)

_Atomic uint32_t vnpu_timeout_execute_ms;
static _Atomic uint32_t wait_ms;

uint32_t vnpu_timeout_wait(void)
{
	return atomic_load_explicit(&wait_ms, memory_order_relaxed);
}

uint32_t vnpu_timeout_from_seconds(uint64_t seconds)
{
	return seconds < UINT32_MAX / 1000 ? seconds * 1000 : UINT32_MAX;
}

aclError vnpu_timeout_check(int32_t timeout)
{
	if (timeout > 0 || timeout == -1)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"timeout = %d is invalid; use at least 1 ms, or -1 for no limit",
		timeout);
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
	atomic_store(&wait_ms, vnpu_timeout_from_seconds(timeout));
	return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
	atomic_store(&vnpu_timeout_execute_ms, vnpu_timeout_from_seconds(timeout));
	return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
	atomic_store(&vnpu_timeout_execute_ms, timeout);
	return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
	VNPU_CALL();
	uint64_t actual = LONGEST_US;

	if (!actualTimeout)
		return vnpu_error_null("actualTimeout");
	if (timeout && timeout < LONGEST_US)
		actual = (timeout + INTERVAL_US - 1) / INTERVAL_US *
			 INTERVAL_US;
	atomic_store(&vnpu_timeout_execute_ms, timeout ? actual / INTERVAL_US : 0);
	*actualTimeout = actual;
	return ACL_SUCCESS;
}

aclError aclrtGetOpTimeOutInterval(uint64_t *interval)
{
	VNPU_CALL();

	if (!interval)
		return vnpu_error_null("interval");
	*interval = INTERVAL_US;
	return ACL_SUCCESS;
}

aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs)
{
	VNPU_CALL();

	if (!timeoutMs)
		return vnpu_error_null("timeoutMs");
	*timeoutMs = vnpu_timeout_execute();
	return ACL_SUCCESS;
}
