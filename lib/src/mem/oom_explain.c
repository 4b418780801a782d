// SPDX-License-Identifier: MIT
/*
 * An explanation of a failed allocation: the available memory, the missing
 * resource and the remedy.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "io/io.h"
#include "runtime/device.h"
#include "mem.h"

/* A size as text, like "12.5 MiB". */
struct text {
	char buffer[32];
};

static struct text size_text(uint64_t bytes)
{
	static const char *const units[] = {
		"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"
	};
	struct text text;
	double value = bytes;
	size_t unit = 0;

	while (value >= 1024) {
		value /= 1024;
		unit++;
	}
	snprintf(text.buffer, sizeof(text.buffer), "%.*f %s",
		 unit && value < 1000 ? 1 : 0, value,
		 bytes == 1 ? "byte" : units[unit]);
	return text;
}

static const char *page_class_name(unsigned int page_shift)
{
	switch (page_shift) {
	case VNPU_IO_SHIFT_2M:
		return "2 MiB pages";
	case VNPU_IO_SHIFT_1G:
		return "1 GiB pages";
	default:
		return "4 KiB pages";
	}
}

/* Get the first remedy that applies. */
static const char *advice(const struct vnpu_io_device *info,
			  const struct vnpu_failed_alloc *failed)
{
	if (failed->length > info->total)
		return "The device is smaller than that: request less, or load the module with a larger arena=.";
	if (failed->length > info->free &&
	    info->used >= info->total - info->free)
		return "This process holds all of it: free memory, or request less.";
	if (failed->length > info->free)
		return "Other processes hold the rest (see vnpu-smi info): free memory, end one of them, or request less.";
	if (failed->contiguous)
		return "Enough is free, but not in one run, and the memory in between must not or cannot migrate: aclrtMalloc needs no contiguous memory.";
	if (failed->page_shift == VNPU_IO_SHIFT_4K)
		return "Memory was freed in the meantime: try again.";
	return "Enough is free, but not in such pages: ACL_MEM_MALLOC_NORMAL_ONLY takes 4 KiB pages, which would suffice, and ACL_MEM_MALLOC_HUGE_FIRST falls back to them.";
}

/*
 * Get the driver's report.  If another thread's allocation has failed since,
 * the driver only has the report on that one.
 */
static bool oom_get(const struct vnpu_failed_alloc *failed,
		    struct vnpu_io_oom *oom)
{
	return failed->report && !vnpu_io_oom_query(oom) &&
	       oom->report == failed->report;
}

/* Details from the driver about a failed request. */
struct oom_text {
	char buffer[320];
};

static struct oom_text oom_text(const struct vnpu_failed_alloc *failed)
{
	struct oom_text text = { "" };
	struct vnpu_io_oom oom;
	size_t used;

	if (!oom_get(failed, &oom) || oom.quota != VNPU_IO_QUOTA_NONE)
		return text;
	used = snprintf(text.buffer, sizeof(text.buffer),
			" Fragmentation is %u/1000, compaction would%s help; most is held by",
			oom.frag_index, oom.compaction_helps ? "" : " not");
	for (unsigned int i = 0; i < oom.holders && used < sizeof(text.buffer);
	     i++) {
		const struct vnpu_io_holder *holder = &oom.holder[i];
		size_t room = sizeof(text.buffer) - used;
		const char *comma = i ? "," : "";

		if (holder->pid)
			used += snprintf(text.buffer + used, room,
					 "%s %u (%s): %s", comma, holder->pid,
					 holder->name,
					 size_text(holder->used).buffer);
		else
			used += snprintf(text.buffer + used, room,
					 "%s a process not visible here: %s",
					 comma, size_text(holder->used).buffer);
	}
	if (!oom.holders)
		text.buffer[0] = '\0';
	else if (used < sizeof(text.buffer) - 1)
		strcpy(text.buffer + used, ".");
	return text;
}

static aclError explain_memory(const struct vnpu_io_device *info,
			       const struct vnpu_failed_alloc *failed)
{
	bool is_1g = failed->page_shift == VNPU_IO_SHIFT_1G;
	uint64_t in_pages = is_1g ? info->free_1g : info->free_2m;

	return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
		"size = %llu (%s) does not fit in %s on device %d: %s of %s are free, the largest free run has %s, whole %s pages make up %s; this process (%d) holds %s in %llu block(s). %s%s",
		(unsigned long long)failed->size,
		size_text(failed->size).buffer,
		failed->contiguous ? "one run" :
				     page_class_name(failed->page_shift),
		vnpu_device_user_number(failed->device),
		size_text(info->free).buffer, size_text(info->total).buffer,
		size_text(info->largest_free).buffer,
		is_1g ? "1 GiB" : "2 MiB", size_text(in_pages).buffer, getpid(),
		size_text(info->used).buffer, (unsigned long long)info->objects,
		advice(info, failed), oom_text(failed).buffer);
}

static struct text quota_text(const struct vnpu_io_oom *oom)
{
	const unsigned long long id = oom->quota_id;
	struct text text;

	if (oom->quota == VNPU_IO_QUOTA_UID)
		snprintf(text.buffer, sizeof(text.buffer), "user %llu", id);
	else if (oom->quota == VNPU_IO_QUOTA_CGROUP)
		snprintf(text.buffer, sizeof(text.buffer), "cgroup %llu", id);
	else
		snprintf(text.buffer, sizeof(text.buffer), "this process");
	return text;
}

static aclError explain_quota(const struct vnpu_failed_alloc *failed)
{
	const unsigned long long bytes = failed->size;
	struct vnpu_io_oom oom;

	if (!oom_get(failed, &oom) || oom.quota == VNPU_IO_QUOTA_NONE)
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"size = %llu (%s) exceeds a quota of this process, its user or its cgroup on device %d (see vnpu-smi info -t quota): free memory, or have an administrator raise the quota.",
			bytes, size_text(bytes).buffer,
			vnpu_device_user_number(failed->device));
	return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
		"size = %llu (%s) exceeds the quota of %s on device %d: of %s, %s are used. Free memory, or have an administrator raise the quota (vnpu-smi set -t quota).",
		bytes, size_text(bytes).buffer, quota_text(&oom).buffer,
		vnpu_device_user_number(failed->device),
		size_text(oom.quota_limit).buffer,
		size_text(oom.quota_used).buffer);
}

static aclError explain_addresses(const struct vnpu_failed_alloc *failed)
{
	return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
		"size = %llu (%s): this process has no such range of device addresses left, on device %d or another. Free memory, or raise the limit of its address space (ulimit -v) before it starts.",
		(unsigned long long)failed->size,
		size_text(failed->size).buffer,
		vnpu_device_user_number(failed->device));
}

bool vnpu_mem_is_oom(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EADDRNOTAVAIL;
}

aclError vnpu_oom_explain(int err, const struct vnpu_failed_alloc *failed)
{
	struct vnpu_io_device info;
	aclError ret;

	if (err == -EDQUOT)
		return explain_quota(failed);
	ret = vnpu_device_query(failed->device, &info);
	if (ret)
		return ret;
	/* A size above the memory of the device also has no addresses. */
	if (err == -EADDRNOTAVAIL && failed->length <= info.total)
		return explain_addresses(failed);
	return explain_memory(&info, failed);
}
