/* SPDX-License-Identifier: GPL-2.0-only */
/* vnpu-bench: the device, as a program for AscendCL uses it. */
#ifndef VNPU_BENCH_NPU_H
#define VNPU_BENCH_NPU_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "bench.h"

/* Open the device until the end of the program. */
void npu_open(const struct options *opt);

/* Convert the result of a call to the closest -errno. */
int npu_errno(aclError err);

/* End the program if @call failed. */
#define NPU_MUST(call)	npu_must(#call, (call))
void npu_must(const char *call, aclError err);

uint64_t npu_free_bytes(void);
uint64_t npu_total_bytes(void);

#endif /* VNPU_BENCH_NPU_H */
