/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of launches: a stream, the kernels of kernels.asc, and 1 MiB to work on. */
#ifndef SELFTESTS_LIB_LAUNCH_H
#define SELFTESTS_LIB_LAUNCH_H

#include "acl-test.h"
#include "acl-kernel.h"

#define VECTOR_EXCEPTION	ACL_ERROR_RT_VECTOR_CORE_EXCEPTION

FIXTURE(launch) {
	aclrtStream stream;
	aclrtBinHandle bin;
	uint32_t *x;		/* of 1 MiB */
	uint32_t *host;
};

FIXTURE_SETUP(launch)
{
	char path[PATH_MAX];

	kernels_path(path, sizeof(path));
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	OK(aclrtBinaryLoadFromFile(path, NULL, &self->bin));
	OK(aclrtMalloc((void **)&self->x, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(self->x, MIB, 0, MIB));
	self->host = calloc(1, MIB);
	ASSERT_NE(NULL, self->host);
}

FIXTURE_TEARDOWN(launch)
{
	aclrtResetDeviceForce(0);
	aclFinalize();
	free(self->host);
}

#define FUNC(name) ({							\
	aclrtFuncHandle func_ = NULL;					\
	OK(aclrtBinaryGetFunction(self->bin, name, &func_));		\
	func_;								\
})

static inline aclError launch(aclrtFuncHandle func, uint32_t blocks,
		       aclrtStream stream, const void *args, size_t size)
{
	return aclrtLaunchKernelWithHostArgs(func, blocks, stream, NULL,
					     (void *)args, size, NULL, 0);
}

static inline aclError launch_on(aclrtFuncHandle func, uint32_t blocks,
			  aclrtStream stream, void *x)
{
	return launch(func, blocks, stream, &x, sizeof(x));
}

#define GET(bytes) \
	OK(aclrtMemcpy(self->host, bytes, self->x, bytes, \
		       ACL_MEMCPY_DEVICE_TO_HOST))

struct add_args {
	void *x, *y;
	uint32_t add, n;
};

#endif /* SELFTESTS_LIB_LAUNCH_H */
