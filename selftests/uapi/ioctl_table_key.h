/* SPDX-License-Identifier: GPL-2.0-only */
/* The ioctls of ioctl_table.h for keys. */
#ifndef SELFTESTS_VNPU_IOCTL_TABLE_KEY_H
#define SELFTESTS_VNPU_IOCTL_TABLE_KEY_H

#include "key.h"

static struct key prepared_key(struct __test_metadata *_metadata,
			       FIXTURE_DATA(abi) * self)
{
	struct key key = { };
	int page = shared_page();

	EXPECT_LE(0, page);
	EXPECT_EQ(0, key_create(&self->c, page, 0, 0, &key));
	close(page);
	return key;
}

static void prepare_key_create(struct __test_metadata *_metadata,
			       FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_key_create *a = arg;

	(void)self;
	a->fd = shared_page();
	ASSERT_LE(0, a->fd);
}

static void prepare_key_destroy(struct __test_metadata *_metadata,
				FIXTURE_DATA(abi) * self, void *arg)
{
	struct key key = prepared_key(_metadata, self);
	struct vnpu_key_destroy *a = arg;

	memcpy(a->key, key.words, sizeof(a->key));
}

static void prepare_key_allow(struct __test_metadata *_metadata,
			      FIXTURE_DATA(abi) * self, void *arg)
{
	static const __s32 one = 1;
	struct key key = prepared_key(_metadata, self);
	struct vnpu_key_allow *a = arg;

	memcpy(a->key, key.words, sizeof(a->key));
	a->pids = addr(&one);
	a->count = 1;
}

static void prepare_key_open(struct __test_metadata *_metadata,
			     FIXTURE_DATA(abi) * self, void *arg)
{
	struct key key = prepared_key(_metadata, self);
	struct vnpu_key_open *a = arg;

	memcpy(a->key, key.words, sizeof(a->key));
}

/* clang-format off */
FIXTURE_VARIANT_ADD(abi, key_create)
{
	.name = "VNPU_IOCTL_KEY_CREATE",
	.nr = VNPU_IOCTL_KEY_CREATE,
	.size = sizeof(struct vnpu_key_create),
	.mandatory = END(vnpu_key_create, data),
	.flags = VNPU_KEY_F_ANY_PROCESS | VNPU_KEY_F_SHORT,
	.out = { SPAN(vnpu_key_create, out_key) },
	.prepare = prepare_key_create,
};

FIXTURE_VARIANT_ADD(abi, key_destroy)
{
	.name = "VNPU_IOCTL_KEY_DESTROY",
	.nr = VNPU_IOCTL_KEY_DESTROY,
	.size = sizeof(struct vnpu_key_destroy),
	.mandatory = END(vnpu_key_destroy, key),
	.prepare = prepare_key_destroy,
};

FIXTURE_VARIANT_ADD(abi, key_allow)
{
	.name = "VNPU_IOCTL_KEY_ALLOW",
	.nr = VNPU_IOCTL_KEY_ALLOW,
	.size = sizeof(struct vnpu_key_allow),
	.mandatory = END(vnpu_key_allow, count),
	.prepare = prepare_key_allow,
};

FIXTURE_VARIANT_ADD(abi, key_open)
{
	.name = "VNPU_IOCTL_KEY_OPEN",
	.nr = VNPU_IOCTL_KEY_OPEN,
	.size = sizeof(struct vnpu_key_open),
	.mandatory = END(vnpu_key_open, out_data),
	.out = { SPAN(vnpu_key_open, out_fd), SPAN(vnpu_key_open, out_data) },
	.prepare = prepare_key_open,
};
/* clang-format on */

#endif
