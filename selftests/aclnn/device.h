/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of operators on a device: memory, tensors, and calls of both phases. */
#ifndef SELFTESTS_ACLNN_DEVICE_H
#define SELFTESTS_ACLNN_DEVICE_H

#include "aclnnop/aclnn_add.h"

#define COUNT	512
#define BYTES	(COUNT * COUNT * sizeof(float))

FIXTURE(aclnn) {
	aclrtStream stream;
	float *a, *b, *c;	/* of the device */
	float *host;
};

FIXTURE_SETUP(aclnn)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	OK(aclrtMalloc((void **)&self->a, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMalloc((void **)&self->b, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMalloc((void **)&self->c, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
	self->host = malloc(BYTES);
	ASSERT_NE(NULL, self->host);
}

FIXTURE_TEARDOWN(aclnn)
{
	aclrtResetDeviceForce(0);
	aclFinalize();
	free(self->host);
}

static inline aclTensor *make(aclDataType dtype, void *data, int64_t rows,
		       int64_t columns)
{
	const int64_t dims[] = { rows, columns };

	return aclCreateTensor(dims, 2, dtype, NULL, 0, ACL_FORMAT_ND, dims, 2,
			       data);
}

#define F32(data, rows, columns)	make(ACL_FLOAT, data, rows, columns)

/* Both phases; the objects are destroyed before the stream runs the operator. */
#define RUN(X, stream, ...)						\
	({								\
		uint64_t size_;						\
		aclOpExecutor *executor_;				\
		aclnnStatus status_ = X##GetWorkspaceSize(		\
			__VA_ARGS__, &size_, &executor_);		\
									\
		if (!status_)						\
			status_ = X(NULL, 0, executor_, stream);	\
		status_;						\
	})

static inline aclnnStatus add(aclrtStream stream, float *to, float *other,
			      float factor, int64_t rows, int64_t columns)
{
	aclScalar *alpha = aclCreateScalar(&factor, ACL_FLOAT);
	aclTensor *t = F32(to, rows, columns), *o = F32(other, rows, columns);
	aclnnStatus status = RUN(aclnnInplaceAdd, stream, t, o, alpha);

	aclDestroyTensor(t);
	aclDestroyTensor(o);
	aclDestroyScalar(alpha);
	return status;
}

static inline void put(float *to, const float *from, size_t count)
{
	aclrtMemcpy(to, count * sizeof(float), from, count * sizeof(float),
		    ACL_MEMCPY_HOST_TO_DEVICE);
}

static inline void get(float *to, const float *from, size_t count)
{
	aclrtMemcpy(to, count * sizeof(float), from, count * sizeof(float),
		    ACL_MEMCPY_DEVICE_TO_HOST);
}

#endif /* SELFTESTS_ACLNN_DEVICE_H */
