/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of work on streams: two streams, device memory, and
 * a gate that blocks a stream until it is opened.
 */
#ifndef SELFTESTS_LIB_ACL_STREAM_H
#define SELFTESTS_LIB_ACL_STREAM_H

#include <stdatomic.h>

#include "acl-test.h"

#define AREA	MIB

struct work {
	aclrtStream a, b;
	uint64_t *gate;		/* device memory */
	uint8_t *dev;		/* AREA bytes on the device, zeroed */
	uint8_t *pinned;	/* AREA bytes of pinned memory, zeroed */
};

static inline aclError work_init(struct work *w)
{
	aclError err = aclrtSetDevice(0);

	if (!err)
		err = aclrtCreateStream(&w->a);
	if (!err)
		err = aclrtCreateStream(&w->b);
	if (!err)
		err = aclrtMalloc((void **)&w->gate, 64,
				  ACL_MEM_MALLOC_NORMAL_ONLY);
	if (!err)
		err = aclrtMemset(w->gate, 64, 0, 64);
	if (!err)
		err = aclrtMalloc((void **)&w->dev, AREA,
				  ACL_MEM_MALLOC_NORMAL_ONLY);
	if (!err)
		err = aclrtMemset(w->dev, AREA, 0, AREA);
	if (!err)
		err = aclrtMallocHost((void **)&w->pinned, AREA);
	return err;
}

static inline void work_fini(struct work *w)
{
	aclrtResetDeviceForce(0);
	if (w->pinned)
		aclrtFreeHost(w->pinned);
}

/* A device address without memory. */
static inline aclError freed_address(uint8_t **freed)
{
	aclError err = aclrtMalloc((void **)freed, 4 * MIB,
				   ACL_MEM_MALLOC_HUGE_ONLY);

	return err ? err : aclrtFree(*freed);
}

/* Block the stream until the gate is opened. */
static inline aclError gate_close(struct work *w, aclrtStream stream)
{
	return aclrtValueWait(w->gate, 1, ACL_STREAM_WAIT_VALUE_EQ, stream);
}

/* Signal on the default stream, which is never blocked. */
static inline aclError gate_open(struct work *w)
{
	return aclrtValueWrite(w->gate, 1, 0, NULL);
}

static inline bool is_asleep(pid_t thread)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		abort();
	fclose(file);
	return state == 'S';
}

/* Wait until a thread that publishes its id right before it waits is asleep. */
static inline void wait_asleep(_Atomic pid_t *thread)
{
	while (!atomic_load(thread) || !is_asleep(*thread))
		usleep(1000);
}

static inline uint64_t dev_u64(const void *dev)
{
	uint64_t value = ~0ULL;

	return aclrtMemcpy(&value, sizeof(value), dev, sizeof(value),
			   ACL_MEMCPY_DEVICE_TO_HOST) ? ~0ULL : value;
}

static inline bool all_are(const uint8_t *bytes, uint8_t value, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i] != value)
			return false;
	return true;
}

#endif
