// SPDX-License-Identifier: MIT
/*
 * The reason why a device has no more streams, events or notifies for this
 * process: none are left, a quota allows no more, or the share of this process
 * is used up.
 */
#include <stdio.h>

#include "io/io.h"
#include "lack.h"

static const char *const plurals[] = {
	[VNPU_IO_LIMIT_STREAMS] = "streams",
	[VNPU_IO_LIMIT_EVENTS] = "events",
	[VNPU_IO_LIMIT_COUNTERS] = "notifies",
};

/* The names of vnpu-smi set --resource. */
static const char *const resources[] = {
	[VNPU_IO_LIMIT_STREAMS] = "streams",
	[VNPU_IO_LIMIT_EVENTS] = "events",
	[VNPU_IO_LIMIT_COUNTERS] = "counters",
};

static void put_quota(struct vnpu_lack_text *text, int32_t user_device,
		      enum vnpu_io_limit_kind kind,
		      const struct vnpu_io_limit *limit)
{
	char owner[40] = "this process";

	if (limit->scope == VNPU_IO_QUOTA_UID)
		snprintf(owner, sizeof(owner), "user %llu",
			 (unsigned long long)limit->id);
	else if (limit->scope == VNPU_IO_QUOTA_CGROUP)
		snprintf(owner, sizeof(owner), "cgroup %llu",
			 (unsigned long long)limit->id);
	snprintf(text->words, sizeof(text->words),
		 "the quota of %s allows no more %s on device %d: of %llu, %llu are used; destroy some, or have an administrator raise the quota (vnpu-smi set -t quota --resource %s)",
		 owner, plurals[kind], (int)user_device,
		 (unsigned long long)limit->limit,
		 (unsigned long long)limit->used, resources[kind]);
}

struct vnpu_lack_text vnpu_lack_text(uint32_t device, int32_t user_device,
				     enum vnpu_io_limit_kind kind)
{
	struct vnpu_lack_text text;
	struct vnpu_io_limit limit;

	if (vnpu_io_limit(device, kind, &limit))
		limit.scope = VNPU_IO_QUOTA_NONE;
	switch (limit.scope) {
	case VNPU_IO_QUOTA_CLIENT:
	case VNPU_IO_QUOTA_UID:
	case VNPU_IO_QUOTA_CGROUP:
		put_quota(&text, user_device, kind, &limit);
		break;
	case VNPU_IO_QUOTA_SHARE:
		snprintf(text.words, sizeof(text.words),
			 "this process has %llu %s of device %d, which is its full share while other processes have theirs; destroy some, or have an administrator set a quota (vnpu-smi set -t quota --resource %s)",
			 (unsigned long long)limit.used, plurals[kind],
			 (int)user_device, resources[kind]);
		break;
	default:
		snprintf(text.words, sizeof(text.words),
			 "device %d has no %s left for any process; destroy unused ones",
			 (int)user_device, plurals[kind]);
	}
	return text;
}
