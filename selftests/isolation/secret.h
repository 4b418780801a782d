/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests that look for other clients' data: allocate all of
 * a device's memory, and read it.
 *
 * A client that has written nothing reads only zeros. Any other value is a
 * leak, whether it is the secret or not.
 */
#ifndef SELFTESTS_ISOLATION_SECRET_H
#define SELFTESTS_ISOLATION_SECRET_H

#include "../uapi/client.h"
#include "../uapi/util.h"

#define SECRET	0x5ec2e75ec2e75ec2ULL
#define STEP	MIB(4)	/* bytes that are read at a time */

#define NO_LEAK	(~0ULL)

/*
 * Bind the whole of a device consecutively: memory in large pages, then the
 * rest.
 */
static inline int take_all(const struct client *c, __u32 device, __u32 flags,
			   bool large_pages, __u64 va, __u64 *length)
{
	struct vnpu_device_query q;
	__u64 large = 0;
	int ret;

	ret = device_query(c, device, &q);
	if (ret)
		return ret;
	if (large_pages && q.out_free_2m) {
		large = q.out_free_2m;
		ret = mem_alloc_at(c, device, flags, VNPU_PAGE_SHIFT_2M, large,
				   va);
	}
	if (!ret && q.out_free > large)
		ret = mem_alloc_at(c, device, flags, 0, q.out_free - large,
				   va + large);
	*length = q.out_free;
	return ret;
}

static inline int write_fill(const struct client *c, __u64 va, __u64 length)
{
	return fill(c, va, length, SECRET, 8);
}

/*
 * Return the offset of the first part of a range that is not all zeros, or
 * NO_LEAK.
 */
static inline __u64 find_leak(const struct client *c, __u64 va, __u64 length)
{
	__u64 at, n, leak = NO_LEAK;
	__u8 *seen = malloc(STEP);

	for (at = 0; at < length && leak == NO_LEAK; at += n) {
		n = length - at < STEP ? length - at : STEP;
		if (!seen || copy(c, addr(seen), va + at, n) ||
		    !is_all(seen, 0, n))
			leak = at;
	}
	free(seen);
	return leak;
}

/*
 * Do the same for the memory of all devices, none of which may be allocated;
 * offsets count across devices.
 */
static inline __u64 find_leak_anywhere(void)
{
	__u64 before = 0, length = 0, leak = NO_LEAK;
	struct client spy;
	__u32 d;

	if (client_open(&spy))
		return 0;
	for (d = 0; d < device_count(&spy) && leak == NO_LEAK; d++) {
		const __u64 va = spy.base + before;

		if (device_used(&spy, d) ||
		    take_all(&spy, d, 0, false, va, &length))
			leak = before;
		else if (find_leak(&spy, va, length) != NO_LEAK)
			leak = before + find_leak(&spy, va, length);
		before += length;
	}
	client_close(&spy);
	return leak;
}

#endif
