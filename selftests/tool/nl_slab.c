// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of slabs in the netlink family: of each client on each device,
 * complete with any number of them, and also while clients begin and end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "client.h"
#include "nl.h"
#include "util.h"

#include "kselftest_harness.h"

#define CLIENTS	300

FIXTURE(slab) {
	int fd;
	int family;
	uint32_t devices;
	struct client client;
};

FIXTURE_SETUP(slab)
{
	client_allow_many();
	self->fd = nl_open_family(&self->family);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, client_open(&self->client));
	self->devices = device_count(&self->client);
}

FIXTURE_TEARDOWN(slab)
{
	client_close(&self->client);
	close(self->fd);
}

/* The sum of all reported values. */
struct slab_reply {
	uint64_t records;
	uint64_t devices;	/* bit N: on device N */
	uint32_t pid;
	uint64_t classes;
	uint32_t last_size;
	uint64_t slabs;
	uint64_t held;
	uint64_t objects;
	uint64_t waste;
};

static uint64_t nested(const void *attrs, size_t length, uint16_t type)
{
	uint64_t value = 0;
	uint16_t size;
	const void *data = nl_find(attrs, length, type, &size);

	if (!data)
		return UINT64_MAX;
	memcpy(&value, data, size < sizeof(value) ? size : sizeof(value));
	return value;
}

static int add_up(const struct nlmsghdr *head, void *arg)
{
	const char *pos = (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
	size_t left = NLMSG_PAYLOAD(head, GENL_HDRLEN);
	struct slab_reply *t = arg;

	t->records++;
	t->devices |= 1ULL << nl_u32(head, VNPU_A_SLAB_DEV_ID) % 64;
	t->pid = nl_u32(head, VNPU_A_SLAB_PID);
	while (left >= NLA_HDRLEN) {
		const struct nlattr *attr = (const void *)pos;
		size_t step = NLA_ALIGN(attr->nla_len);
		size_t length = attr->nla_len - NLA_HDRLEN;

		if ((attr->nla_type & NLA_TYPE_MASK) == VNPU_A_SLAB_CLASS) {
			t->classes++;
			t->last_size = (uint32_t)nested(attr + 1, length,
						VNPU_A_SLAB_CLASS_SIZE);
			t->slabs += nested(attr + 1, length,
					   VNPU_A_SLAB_CLASS_SLABS);
			t->held += nested(attr + 1, length,
					  VNPU_A_SLAB_CLASS_HELD);
			t->objects += nested(attr + 1, length,
					     VNPU_A_SLAB_CLASS_OBJECTS);
			t->waste += nested(attr + 1, length,
					   VNPU_A_SLAB_CLASS_WASTE);
		}
		if (step > left)
			break;
		pos += step;
		left -= step;
	}
	return 0;
}

static int ask(FIXTURE_DATA(slab) * self, struct slab_reply *t)
{
	memset(t, 0, sizeof(*t));
	return nl_dump(self->fd, self->family, VNPU_CMD_SLAB_GET, add_up, t);
}

static int prepare(const struct client *c, uint32_t devices)
{
	__u64 length = WINDOW_SIZE / 64;
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < devices; i++)
		ret = slab_window(c, i, c->base + i * length, length);
	return ret;
}

TEST_F(slab, figures)
{
	const struct client *c = &self->client;
	struct vnpu_device_query q;
	struct slab_reply t;
	__u64 va[40], more;
	size_t i;

	ASSERT_EQ(0, prepare(c, 1));
	EXPECT_EQ(0, ask(self, &t));
	for (i = 0; i < 40; i++)
		ASSERT_EQ(0, slab_alloc(c, 0, 130, &va[i], NULL));
	ASSERT_EQ(0, slab_alloc(c, 0, 64, &more, NULL));

	/* 192 bytes each: 21 in a page. */
	ASSERT_EQ(1, ask(self, &t));
	ASSERT_EQ(0, device_query(c, 0, &q));
	EXPECT_EQ(getpid(), t.pid);
	EXPECT_EQ(1, t.devices);
	EXPECT_EQ(2, t.classes);
	EXPECT_EQ(192, t.last_size);
	EXPECT_EQ(q.out_client_used, t.held);
	EXPECT_EQ(q.out_client_objects, t.slabs);
	EXPECT_EQ(41, t.objects);
	EXPECT_EQ(40 * (192 - 130), t.waste);

	for (i = 0; i < 40; i++)
		ASSERT_EQ(0, va_unbind(c, va[i], 0));
	ASSERT_EQ(1, ask(self, &t));
	EXPECT_EQ(1, t.classes);
	EXPECT_EQ(1, t.objects);
	EXPECT_EQ(0, t.waste);
	ASSERT_EQ(0, va_unbind(c, more, 0));
	EXPECT_EQ(0, ask(self, &t));
}

/* More than a message has room for, of all size classes. */
TEST_F(slab, many_clients)
{
	static struct client clients[CLIENTS];
	uint64_t objects = 0;
	struct slab_reply t;
	uint32_t d;
	__u64 va;
	int i, size;

	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, client_open(&clients[i]));
		ASSERT_EQ(0, prepare(&clients[i], self->devices));
		for (d = 0; d < self->devices; d++)
			ASSERT_EQ(0, slab_alloc(&clients[i], d, 1, &va, NULL));
		objects += self->devices;
		for (size = 128; i < 8 && size <= VNPU_SLAB_MAX_LENGTH;
		     size += 64, objects++)
			ASSERT_EQ(0, slab_alloc(&clients[i], 0, size, &va,
						NULL));
	}
	EXPECT_EQ(CLIENTS * self->devices, ask(self, &t));
	EXPECT_EQ((1ULL << self->devices) - 1, t.devices);
	EXPECT_EQ(objects, t.objects);
	for (i = 0; i < CLIENTS; i++)
		client_close(&clients[i]);
	EXPECT_EQ(0, ask(self, &t));
}

static void *come_and_go(void *arg)
{
	atomic_bool *stop = arg;
	struct client c;
	__u64 va;
	int size;

	while (!*stop) {
		if (client_open(&c))
			return (void *)1;
		if (prepare(&c, 1))
			return (void *)2;
		for (size = 64; size <= VNPU_SLAB_MAX_LENGTH; size += 64)
			if (slab_alloc(&c, 0, size, &va, NULL))
				return (void *)3;
		client_close(&c);
	}
	return NULL;
}

TEST_F(slab, clients_come_and_go)
{
	uint64_t end = now_ms() + 1000;
	atomic_bool stop = false;
	pthread_t thread[3];
	struct slab_reply t;
	void *wrong;
	int i, ret;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, come_and_go,
					    &stop));
	while (now_ms() < end) {
		ret = ask(self, &t);
		EXPECT_TRUE(ret >= 0 || ret == -EINTR);
		/* The figures in each record are consistent. */
		EXPECT_LE(t.objects, t.held / 64);
		EXPECT_GE(t.objects, t.slabs);
	}
	stop = true;
	for (i = 0; i < 3; i++) {
		pthread_join(thread[i], &wrong);
		EXPECT_EQ(NULL, wrong);
	}
	EXPECT_EQ(0, ask(self, &t));
}

TEST_F(slab, can_only_be_dumped)
{
	uint8_t answer[NL_BUFFER];
	struct nl_msg m;

	nl_init(&m, (uint16_t)self->family, 0, VNPU_CMD_SLAB_GET);
	EXPECT_EQ(-EOPNOTSUPP, nl_ask(self->fd, &m, answer));
}

TEST_HARNESS_MAIN
