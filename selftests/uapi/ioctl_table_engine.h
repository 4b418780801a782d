/* SPDX-License-Identifier: GPL-2.0-only */
/* The ioctl of ioctl_table.h for engine files. */
#ifndef SELFTESTS_VNPU_IOCTL_TABLE_ENGINE_H
#define SELFTESTS_VNPU_IOCTL_TABLE_ENGINE_H

/* A client has one engine file per device: close the one of the last call. */
static void prepare_engine_create(struct __test_metadata *_metadata,
				  FIXTURE_DATA(abi) * self, void *arg)
{
	char path[32], name[64];
	ssize_t length;
	int fd;

	(void)_metadata;
	(void)self;
	(void)arg;
	for (fd = 3; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, name, sizeof(name) - 1);
		if (length < 0)
			continue;
		name[length] = 0;
		if (strstr(name, "vnpu-engine"))
			close(fd);
	}
}

/* clang-format off */
FIXTURE_VARIANT_ADD(abi, engine_create)
{
	.name = "VNPU_IOCTL_ENGINE_CREATE",
	.nr = VNPU_IOCTL_ENGINE_CREATE,
	.size = sizeof(struct vnpu_engine_create),
	.mandatory = END(vnpu_engine_create, slots),
	.reserved = { SPAN(vnpu_engine_create, __reserved) },
	.out = { SPAN(vnpu_engine_create, out_fd) },
	.prepare = prepare_engine_create,
};
/* clang-format on */

#endif
