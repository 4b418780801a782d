// SPDX-License-Identifier: MIT
/* The numbers of devices, see device_number.h. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/handle.h"
#include "device_number.h"
#include "io.h"

/*
 * The visible devices by the user's number, as indexes of the driver.  The
 * indexes need not begin at 0, because the process may not have all devices.
 * Constant once nr_visible is set.
 */
static uint32_t visible[VNPU_IO_MAX_DEVICES];
static atomic_int nr_visible = -1;

static bool is_visible(uint32_t device, int count)
{
	for (int i = 0; i < count; i++)
		if (visible[i] == device)
			return true;
	return false;
}

/*
 * Parse ASCEND_RT_VISIBLE_DEVICES: the numbers, from 0, that the devices of
 * this process have without the variable, separated by commas and nothing else.
 * As CANN documents, the list ends before the first entry that is not the
 * number of a device; a repeated entry also ends it.  CANN supports ascending
 * order only; this library accepts any order.
 */
static int parse_visible(const char *list, const uint32_t *indexes,
			 uint32_t count)
{
	int found = 0;

	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long device = strtoul(list, &end, 10);

		if ((*end && *end != ',') || device >= count ||
		    is_visible(indexes[device], found))
			break;
		visible[found++] = indexes[device];
		if (!*end)
			break;
		list = end + 1;
	}
	return found;
}

static int setup_visible(void)
{
	const char *list = getenv("ASCEND_RT_VISIBLE_DEVICES");
	uint32_t indexes[VNPU_IO_MAX_DEVICES];
	uint32_t count;
	int ret = vnpu_io_open();

	if (ret)
		return ret;
	if (atomic_load_explicit(&nr_visible, memory_order_acquire) >= 0)
		return 0;
	ret = vnpu_io_devices(indexes, &count);
	if (ret)
		return ret;

	vnpu_runtime_lock();
	if (atomic_load(&nr_visible) < 0) {
		int found = count;

		if (list) {
			found = parse_visible(list, indexes, count);
		} else {
			for (uint32_t i = 0; i < count; i++)
				visible[i] = indexes[i];
		}
		atomic_store_explicit(&nr_visible, found,
				      memory_order_release);
	}
	vnpu_runtime_unlock();
	return 0;
}

aclError vnpu_device_count_get(uint32_t *count)
{
	int ret = setup_visible();

	if (ret)
		return vnpu_error_open(ret);
	*count = atomic_load(&nr_visible);
	return ACL_SUCCESS;
}

aclError vnpu_device_resolve(int64_t user_device, uint32_t *device)
{
	uint32_t count = 0;
	aclError ret = vnpu_device_count_get(&count);

	if (ret)
		return ret;
	if (user_device < 0 || user_device >= count)
		return vnpu_error(ACL_ERROR_RT_INVALID_DEVICEID,
			"device %lld does not exist; this process sees %u device(s), numbered from 0 (see ASCEND_RT_VISIBLE_DEVICES)",
			(long long)user_device, count);
	*device = visible[user_device];
	return ACL_SUCCESS;
}

int32_t vnpu_device_user_number(int64_t device)
{
	int count = atomic_load_explicit(&nr_visible, memory_order_acquire);

	for (int i = 0; i < count; i++)
		if (visible[i] == device)
			return i;
	return -1;
}
