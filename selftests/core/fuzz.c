// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for libFuzzer, with the target that is named when it is compiled.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	long before = core_allocated;

	FUZZ_TARGET(data, size);
	MUST(core_allocated == before);
	return 0;
}
