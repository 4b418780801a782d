/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Base of the tests of libvnpu-op on the host.  Its objects are linked into the
 * test, which stands for libvnpu: it computes a call at once, with memory of the
 * host as that of the device.
 */
#ifndef SELFTESTS_ACLNN_TEST_H
#define SELFTESTS_ACLNN_TEST_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnn/aclnn_base.h"
#include "../expect.h"

extern const struct test object_tests[], error_tests[], math_tests[],
	shape_tests[], layer_tests[], training_tests[], gradient_tests[],
	expert_tests[], random_tests[], more_tests[], chain_tests[],
	single_tests[], table_tests[], sample_tests[], matrix_tests[],
	attention_tests[], attention_gradient_tests[], collective_tests[],
	grouped_tests[], volume_tests[], fused_tests[], loss_tests[],
	repeat_tests[], middle_tests[], rotary_tests[], deep_tests[],
	various_tests[], complex_tests[], quant_tests[], lora_tests[],
	sparse_tests[], describe_tests[];

/* The last error that was reported. */
extern _Thread_local char last_name[64], last_text[512];
#define TEXT(part)	EXPECT_PART(last_text, part)

/*
 * The last description of an operator: its name, the text, and the length of the part
 * that differs between shapes.  Operators are described while @is_described.
 */
extern char description[4096];
extern bool is_described;

/* Number of calls that were launched. */
extern atomic_uint launches;

/* Make objects, all of which forget() destroys. */
aclTensor *tensor(aclDataType dtype, const void *data, unsigned int rank,
		  const int64_t *dims);
aclTensor *strided(aclDataType dtype, const void *data, unsigned int rank,
		   const int64_t *dims, const int64_t *strides, int64_t offset,
		   int64_t storage);
aclScalar *scalar(float value);
aclScalar *whole(int64_t value);
aclIntArray *ints(unsigned int count, const int64_t *values);
void forget(void);

#define SHAPE(...)							\
	sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t),		\
		(int64_t[]){ __VA_ARGS__ }
#define F32(data, ...)	tensor(ACL_FLOAT, data, SHAPE(__VA_ARGS__))
#define F16(data, ...)	tensor(ACL_FLOAT16, data, SHAPE(__VA_ARGS__))
#define I32(data, ...)	tensor(ACL_INT32, data, SHAPE(__VA_ARGS__))
#define I64(data, ...)	tensor(ACL_INT64, data, SHAPE(__VA_ARGS__))
#define LIST(...)	ints(SHAPE(__VA_ARGS__))

/* Both phases of an operator; its status. */
#define RUN(X, ...)							\
	({								\
		uint64_t size_ = 0;					\
		aclOpExecutor *executor_ = NULL;			\
		aclnnStatus status_ = X##GetWorkspaceSize(		\
			__VA_ARGS__, &size_, &executor_);		\
									\
		if (!status_) {						\
			void *space_ = aligned_alloc(64, size_ + 64);	\
									\
			status_ = X(space_, size_, executor_, NULL);	\
			free(space_);					\
		} else {						\
			note("%s: %s", last_name, last_text);		\
		}							\
		status_;						\
	})

/* Numbers from -2 to 2 that are the same at each run. */
float number(uint64_t index);
void numbers(float *to, unsigned int count, unsigned int seed);

/* Check whether two numbers are equal, up to the precision of f32 or of f16. */
bool near(double is, double want);
bool near_half(double is, double want);

/* f16, by plain code. */
uint16_t to_half(float value);
float from_half(uint16_t bits);

#endif
