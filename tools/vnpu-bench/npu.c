// SPDX-License-Identifier: GPL-2.0-only
/* vnpu-bench: the device, as a program for AscendCL uses it. */
#include <errno.h>

#include "npu.h"

static const char *explanation(void)
{
	const char *why = aclGetRecentErrMsg();

	return why ? why : "no details";
}

void npu_open(const struct options *opt)
{
	if (aclInit(NULL) || aclrtSetDevice((int32_t)opt->device))
		die(BENCH_NO_DEVICE, "device %u cannot be used: %s",
		    opt->device, explanation());
}

int npu_errno(aclError err)
{
	switch (err) {
	case ACL_SUCCESS:
		return 0;
	case ACL_ERROR_RT_MEMORY_ALLOCATION:
		return -ENOSPC;
	default:
		return -EIO;
	}
}

void npu_must(const char *call, aclError err)
{
	if (err)
		die(BENCH_FAILED, "%s: error %d: %s", call, err,
		    explanation());
}

uint64_t npu_free_bytes(void)
{
	size_t free, total;

	NPU_MUST(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
	return free;
}

uint64_t npu_total_bytes(void)
{
	size_t free, total;

	NPU_MUST(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
	return total;
}
