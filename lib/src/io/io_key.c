// SPDX-License-Identifier: MIT
/* Keys by which other processes open files. */
#include <errno.h>

#include <linux/vnpu.h>

#include "base/util.h"
#include "io.h"
#include "io_call.h"

int vnpu_io_key_create(const struct vnpu_io_key_spec *spec, uint64_t key[2])
{
	struct vnpu_key_create create = {
		.size = sizeof(create),
		.flags = (spec->any_process ? VNPU_KEY_F_ANY_PROCESS : 0) |
			 (spec->is_short ? VNPU_KEY_F_SHORT : 0),
		.fd = spec->fd,
		.kind = spec->kind,
		.data = { spec->data[0], spec->data[1] },
	};
	int ret = vnpu_io_call(VNPU_IOCTL_KEY_CREATE, &create);

	if (!ret) {
		key[0] = create.out_key[0];
		key[1] = create.out_key[1];
	}
	return ret;
}

int vnpu_io_key_destroy(const uint64_t key[2])
{
	struct vnpu_key_destroy destroy = {
		.size = sizeof(destroy),
		.key = { key[0], key[1] },
	};

	return vnpu_io_retry(VNPU_IOCTL_KEY_DESTROY, &destroy);
}

/* Count the ids from the first on that one call can take. */
static uint32_t count_valid(const int32_t *pids, size_t count)
{
	uint32_t n = 0;

	while (n < count && n < VNPU_KEY_ALLOW_MAX && pids[n] > 0)
		n++;
	return n;
}

int vnpu_io_key_allow(const uint64_t key[2], const int32_t *pids, size_t count)
{
	struct vnpu_key_allow allow = {
		.size = sizeof(allow),
		.key = { key[0], key[1] },
	};
	int ret = 0;

	while (!ret && count) {
		uint32_t valid = count_valid(pids, count);

		if (valid) {
			allow.pids = vnpu_ptr_to_u64(pids);
			allow.count = valid;
			ret = vnpu_io_call(VNPU_IOCTL_KEY_ALLOW, &allow);
		} else {
			valid = 1;
		}
		pids += valid;
		count -= valid;
	}
	return ret;
}

int vnpu_io_key_open(const uint64_t key[2], uint32_t kind, int *fd,
		     uint64_t data[2])
{
	struct vnpu_key_open open = {
		.size = sizeof(open),
		.key = { key[0], key[1] },
		.kind = kind,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_KEY_OPEN, &open);

	if (!ret) {
		*fd = open.out_fd;
		data[0] = open.out_data[0];
		data[1] = open.out_data[1];
	}
	return ret;
}
