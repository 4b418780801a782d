/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Injected faults and resets, which an administrator requests by netlink, and
 * the events that report them.
 */
#ifndef SELFTESTS_VNPU_TROUBLE_H
#define SELFTESTS_VNPU_TROUBLE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../tool/nl.h"
#include "util.h"

#define ANY_CLIENT	0
#define ANY_CLASS	(~0U)

/* A fault to be set; attributes that are unset are not sent. */
struct fault {
	__u32 device;
	__u32 kind;
	__u64 client;
	__u32 class;
	__u64 nth;
	__u64 delay_us;
	__u64 addr;
	__u64 every;
	__u32 ppm;
	__u64 seed;
};

static inline int trouble_ask(struct nl_msg *m, void *answer)
{
	static __thread __u8 buffer[NL_BUFFER];
	int fd = nl_open(), ret;

	ret = nl_family(fd);
	if (ret >= 0) {
		m->head.nlmsg_type = (__u16)ret;
		ret = nl_ask(fd, m, answer ? answer : buffer);
	}
	close(fd);
	return ret;
}

static inline int fault_change(const struct fault *f, bool clear)
{
	struct nl_msg m;

	nl_init(&m, 0, 0, VNPU_CMD_INJECT_SET);
	nl_put_u32(&m, VNPU_A_INJECT_DEV_ID, f->device);
	nl_put_u32(&m, VNPU_A_INJECT_KIND, f->kind);
	if (f->client != ANY_CLIENT)
		nl_put_u64(&m, VNPU_A_INJECT_CLIENT_ID, f->client);
	if (f->class != ANY_CLASS)
		nl_put_u32(&m, VNPU_A_INJECT_CLASS, f->class);
	if (f->nth)
		nl_put_u64(&m, VNPU_A_INJECT_NTH, f->nth);
	if (f->delay_us)
		nl_put_u64(&m, VNPU_A_INJECT_DELAY_US, f->delay_us);
	if (f->addr)
		nl_put_u64(&m, VNPU_A_INJECT_ADDR, f->addr);
	if (f->every)
		nl_put_u64(&m, VNPU_A_INJECT_EVERY, f->every);
	if (f->ppm)
		nl_put_u32(&m, VNPU_A_INJECT_PPM, f->ppm);
	if (f->seed)
		nl_put_u64(&m, VNPU_A_INJECT_SEED, f->seed);
	if (clear)
		nl_put(&m, VNPU_A_INJECT_CLEAR, NULL, 0);
	return trouble_ask(&m, NULL);
}

static inline int fault_set(__u32 kind, __u64 client, __u32 class, __u64 nth,
			    __u64 delay_us)
{
	const struct fault f = {
		.kind = kind,
		.client = client,
		.class = class,
		.nth = nth,
		.delay_us = delay_us,
	};

	return fault_change(&f, false);
}

/* Make the next task of a client hang. */
static inline int hang_next(__u64 client)
{
	return fault_set(VNPU_INJECT_KIND_ENGINE_HANG, client, ANY_CLASS, 1, 0);
}

/* Find a fault in the list, and return how often it has happened. */
struct fault_hits {
	__u32 device;
	__u32 kind;
	__u64 hits;
};

static inline int fault_count(const struct nlmsghdr *head, void *arg)
{
	struct fault_hits *f = arg;

	if (nl_u32(head, VNPU_A_INJECT_DEV_ID) == f->device &&
	    nl_u32(head, VNPU_A_INJECT_KIND) == f->kind)
		f->hits += nl_u64(head, VNPU_A_INJECT_HITS);
	return 0;
}

/* Wait until an active fault of a kind has happened; return 0 or -errno. */
static inline int fault_wait(__u32 device, __u32 kind)
{
	struct fault_hits f = { .device = device, .kind = kind };
	int fd = nl_open(), family = nl_family(fd), ret;

	do {
		ret = nl_dump(fd, family, VNPU_CMD_INJECT_GET, fault_count, &f);
	} while ((ret >= 0 || ret == -EINTR) && !f.hits && !usleep(1000));
	close(fd);
	return ret < 0 && !f.hits ? ret : 0;
}

static inline int faults_clear(__u32 device)
{
	struct nl_msg m;

	nl_init(&m, 0, 0, VNPU_CMD_INJECT_SET);
	nl_put_u32(&m, VNPU_A_INJECT_DEV_ID, device);
	nl_put(&m, VNPU_A_INJECT_CLEAR, NULL, 0);
	return trouble_ask(&m, NULL);
}

static inline int device_command(__u8 command, __u32 device, void *answer)
{
	struct nl_msg m;

	nl_init(&m, 0, 0, command);
	nl_put_u32(&m, VNPU_A_DEV_ID, device);
	return trouble_ask(&m, answer);
}

/*
 * Add a device of @size bytes, or as large as others; return its number or
 * -errno.
 */
static inline int device_add(__u64 size)
{
	static __thread __u8 answer[NL_BUFFER];
	struct nl_msg m;
	int ret;

	nl_init(&m, 0, 0, VNPU_CMD_DEV_ADD);
	if (size)
		nl_put_u64(&m, VNPU_A_DEV_MEM_TOTAL, size);
	ret = trouble_ask(&m, answer);
	return ret ? ret : (int)nl_u32((void *)answer, VNPU_A_DEV_ID);
}

static inline int device_remove(__u32 device)
{
	return device_command(VNPU_CMD_DEV_REMOVE, device, NULL);
}

/*
 * Return the number of the next added device; it is freed some time after its
 * last user.
 */
static inline int device_add_at(__u64 size, int wanted)
{
	__u64 end = now_ms() + 20000;
	int device;

	for (;;) {
		device = device_add(size);
		if (device < 0 || device == wanted || now_ms() > end)
			return device;
		if (device_remove((__u32)device))
			return -EPROTO;
		usleep(1000);
	}
}

static inline int device_reset(__u32 device)
{
	return device_command(VNPU_CMD_RESET, device, NULL);
}

/* Return a number that dev-get reports; ~0 on failure. */
static inline __u64 device_figure(__u32 device, __u16 attr)
{
	static __thread __u8 answer[NL_BUFFER];

	if (device_command(VNPU_CMD_DEV_GET, device, answer))
		return ~0ULL;
	return nl_u64((void *)answer, attr);
}

/* Return VNPU_HEALTH_*; ~0 on failure. */
static inline __u32 device_health(__u32 device)
{
	static __thread __u8 answer[NL_BUFFER];

	if (device_command(VNPU_CMD_DEV_GET, device, answer))
		return ~0U;
	return nl_u32((void *)answer, VNPU_A_DEV_HEALTH);
}

/*
 * Wait for the next event of this kind, within the socket's limit; return 0 or
 * -errno.
 */
static inline int event_wait(int fd, __u8 command, void *buffer)
{
	const struct nlmsghdr *head = buffer;
	const struct genlmsghdr *genl = NLMSG_DATA(head);
	ssize_t ret;

	do
		ret = nl_receive(fd, buffer);
	while (ret > 0 && genl->cmd != command);
	return ret < 0 ? (int)ret : 0;
}

#endif
