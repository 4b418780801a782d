/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptions of calls that are made to fail. */
#ifndef SELFTESTS_LIB_FAIL_NTH_CALLS_H
#define SELFTESTS_LIB_FAIL_NTH_CALLS_H

#include "fail_nth_world.h"

#include <errno.h>

/*
 * Errors for files, if the documentation of the call has them:
 * ACL_ERROR_INVALID_FILE, _RT_FILE_OPEN, _GE_EXEC_MODEL_PATH_INVALID
 */
#define FILES_OPEN	(1U << 0)
#define FILES_WRITE	(1U << 1)	/* ACL_ERROR_WRITE_FILE, _RT_FILE_WRITE */
/* The object keeps the heap memory that it got, until it is destroyed. */
#define KEEPS_ROOM	(1U << 2)
/*
 * The call opens the objects that the process is made of.  In a machine of
 * vnpu-vm they are on 9p, below an overlay. If the kernel has no memory while
 * it opens one of them, that object cannot be opened any more.  So only the
 * heap fails there, except in fail_nth_objects.sh, which has the objects in
 * memory.
 */
#define OPENS_OBJECTS	(1U << 3)

/**
 * struct sweep - a call that is made to fail
 * @name: for reports
 * @before: creates the objects that the call needs, or NULL
 * @call: the call alone
 * @is_partial: a failed call may have done a part: some bytes of a copy, or
 *	all except reporting what it freed
 * @flags: of the ones below, or 0
 */
struct sweep {
	const char *name;
	aclError (*before)(struct world *w);
	aclError (*call)(struct world *w);
	bool is_partial;
	unsigned int flags;
};

/* For a call that returns a negative errno, which no aclError is. */
static inline aclError error_of(int ret)
{
	if (ret >= 0)
		return ret;
	if (ret == -ENOMEM)
		return ACL_ERROR_BAD_ALLOC;
	return ret == -EFAULT ? ACL_ERROR_RT_PARAM_INVALID :
				ACL_ERROR_INTERNAL_ERROR;
}

/* The random numbers that calls write. */
static inline aclrtRandomNumTaskInfo random_info(const struct world *w)
{
	const uint64_t seed = 1, count = 100;
	const float low = 0, high = 1;
	aclrtRandomNumTaskInfo info = {
		.dataType = ACL_FLOAT,
		.randomResultAddr = w->work.dev,
		.randomCounterAddr = w->work.gate,
		.randomSeed = { .size = sizeof(seed) },
		.randomNum = { .size = sizeof(count) },
	};
	aclrtUniformDisInfo *to =
		&info.randomNumFuncParaInfo.paramInfo.uniformDisInfo;

	info.randomNumFuncParaInfo.funcType =
		ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
	memcpy(info.randomSeed.valueOrAddr, &seed, sizeof(seed));
	memcpy(info.randomNum.valueOrAddr, &count, sizeof(count));
	to->min.size = sizeof(low);
	to->max.size = sizeof(high);
	memcpy(to->min.valueOrAddr, &low, sizeof(low));
	memcpy(to->max.valueOrAddr, &high, sizeof(high));
	return info;
}

/* For a call that returns the new object, or NULL without memory. */
static inline aclError made(const void *what)
{
	return what ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}

/* Clear the handle @field of the world if the call does not fail. */
#define END(w, field, call) ({						\
	aclError _err = (call);						\
									\
	if (!_err)							\
		(w)->field = NULL;					\
	_err;								\
})

#define CALL(_name, ...)						\
static aclError call_##_name(struct world *w)				\
{									\
	(void)w;							\
	__VA_ARGS__							\
}

/*
 * Calls that fit in a line: a family lists them in a macro, of which ROW_CALL
 * makes the functions, and ROW_ENTRY the lines of its table.
 */
#define ROW_CALL(_name, _before, ...)					\
static aclError row_##_name(struct world *w)				\
{									\
	(void)w;							\
	return error_of(_name __VA_ARGS__);				\
}

#define ROW_ENTRY(_name, _before, ...)					\
	{ #_name, _before, row_##_name, false, 0 },

/* Results of getters: @n distinguishes several. */
static inline void *result(unsigned int n)
{
	static union {
		uint64_t aligned;
		uint8_t bytes[4096];
	} results[6];

	return &results[n];
}

#endif
