/* SPDX-License-Identifier: MIT */
/*
 * The smallest program that uses a device: allocate 1 MiB of its memory, and free
 * it.
 *
 *	cc minimal.c -Ibuild/cann/include -Lbuild/cann/lib64 -lascendcl
 */
#include "acl/acl.h"

#include <stdio.h>

#define TRY(call)							\
	do {								\
		aclError e = (call);					\
									\
		if (e != ACL_SUCCESS) {					\
			const char *why = aclGetRecentErrMsg();		\
									\
			fprintf(stderr, "%s: error %d\n%s\n", #call, e,	\
				why ? why : "");			\
			return 1;					\
		}							\
	} while (0)

int main(void)
{
	void *memory;

	TRY(aclInit(NULL));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_NORMAL_ONLY));
	printf("1 MiB of device memory at %p\n", memory);
	TRY(aclrtFree(memory));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return 0;
}
