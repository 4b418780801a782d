// SPDX-License-Identifier: MIT
/* The interface to the kernel: engine files, see io_engine.h. */
#include <stdlib.h>
#include <string.h>

#include <linux/vnpu.h>

#include "io_call.h"
#include "io_engine.h"

int vnpu_io_engine_create(uint32_t device, int *fd)
{
	struct vnpu_engine_create create = {
		.size = sizeof(create),
		.device = device,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_ENGINE_CREATE, &create);

	if (!ret)
		*fd = create.out_fd;
	return ret;
}

bool vnpu_io_engine_is_here(void)
{
	const char *value = secure_getenv("VNPU_CORE");

	return value && !strcmp(value, "thread");
}
