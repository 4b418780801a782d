// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of the netlink family "vnpu": complete with any number of clients,
 * marked as inconsistent if the list changes, and independent of each other.
 */
#include <pthread.h>

#include "core.h"
#include "netlink.h"
#include "nl_quota.h"
#include "trouble.h"

#define CLIENTS	300

static int dump_count(int family, uint8_t command,
		      int (*each)(const struct nlmsghdr *, void *), void *arg)
{
	int fd = nl_open();
	int ret = fd < 0 ? -errno : nl_dump(fd, family, command, each, arg);

	close(fd);
	return ret;
}

TEST_F(netlink, dumps_have_every_device)
{
	EXPECT_EQ((int)self->devices,
		  dump_count(self->family, VNPU_CMD_DEV_GET, NULL, NULL));
	EXPECT_EQ((int)self->devices,
		  dump_count(self->family, VNPU_CMD_MEM_GET, NULL, NULL));
}

struct clients {
	uint64_t last_id;
	uint64_t used;
	int mine;
};

static int count_client(const struct nlmsghdr *head, void *arg)
{
	struct clients *c = arg;
	uint64_t id = nl_u64(head, VNPU_A_CLIENT_ID), used;
	const void *usage, *data;
	uint16_t size, length;

	/* Ids increase, so none comes twice. */
	if (id <= c->last_id)
		return -EBADMSG;
	c->last_id = id;
	if (nl_u32(head, VNPU_A_CLIENT_PID) != (uint32_t)getpid())
		return 0;
	c->mine++;
	usage = nl_attr(head, VNPU_A_CLIENT_USAGE, &length);
	if (!usage)
		return 0;
	data = nl_find(usage, length, VNPU_A_CLIENT_USAGE_MEM_USED, &size);
	if (!data || size != sizeof(used))
		return -EBADMSG;
	memcpy(&used, data, sizeof(used));
	c->used += used;
	return 0;
}

TEST_F(netlink, many_clients_are_dumped_completely)
{
	static struct client clients[CLIENTS];
	struct clients seen = { 0 };
	uint32_t id;
	int i;

	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, client_open_only(&clients[i]));
		ASSERT_EQ(0, mem_alloc(&clients[i], 0, 0, 0, 1, &id));
	}
	EXPECT_LE(CLIENTS + 1, nl_dump(self->fd, self->family,
				       VNPU_CMD_CLIENT_GET, count_client,
				       &seen));
	EXPECT_EQ(CLIENTS + 1, seen.mine);
	EXPECT_EQ(PAGE * CLIENTS, seen.used);
	for (i = 0; i < CLIENTS; i++)
		client_close(&clients[i]);

	seen = (struct clients){ 0 };
	EXPECT_LE(1, nl_dump(self->fd, self->family, VNPU_CMD_CLIENT_GET,
			     count_client, &seen));
	EXPECT_EQ(1, seen.mine);
	EXPECT_EQ(0, seen.used);
}

struct classes {
	uint64_t page_size[3];
	uint64_t used[3];
	uint64_t objects[3];
	int count;
};

static uint64_t inner_u64(const void *nest, uint16_t length, uint16_t type)
{
	uint16_t size;
	const void *data = nl_find(nest, length, type, &size);
	uint64_t value = UINT64_MAX;

	if (data && size == sizeof(value))
		memcpy(&value, data, sizeof(value));
	return value;
}

static int take_classes(const struct nlmsghdr *head, void *arg)
{
	struct classes *c = arg;
	const char *usage, *nest;
	uint16_t left, length;

	if (nl_u32(head, VNPU_A_CLIENT_PID) != (uint32_t)getpid())
		return 0;
	usage = nl_attr(head, VNPU_A_CLIENT_USAGE, &left);
	while (usage && c->count < 3) {
		nest = nl_find(usage, left, VNPU_A_CLIENT_USAGE_CLASS, &length);
		if (!nest)
			break;
		c->page_size[c->count] =
			inner_u64(nest, length, VNPU_A_CLIENT_CLASS_PAGE_SIZE);
		c->used[c->count] =
			inner_u64(nest, length, VNPU_A_CLIENT_CLASS_MEM_USED);
		c->objects[c->count++] =
			inner_u64(nest, length, VNPU_A_CLIENT_CLASS_MEM_OBJECTS);
		left -= (uint16_t)(nest + length - usage);
		usage = nest + length;
	}
	return 0;
}

TEST_F(netlink, a_client_by_page_class)
{
	struct classes c = { 0 };
	uint32_t id[4];

	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, 1, &id[0]));
	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(1), &id[1]));
	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, VNPU_PAGE_SHIFT_2M, MIB(3),
			       &id[2]));
	ASSERT_LE(1, nl_dump(self->fd, self->family, VNPU_CMD_CLIENT_GET,
			     take_classes, &c));
	ASSERT_EQ(2, c.count);
	EXPECT_EQ(PAGE, c.page_size[0]);
	EXPECT_EQ(MIB(1) + PAGE, c.used[0]);
	EXPECT_EQ(2, c.objects[0]);
	EXPECT_EQ(MIB(2), c.page_size[1]);
	EXPECT_EQ(MIB(4), c.used[1]);
	EXPECT_EQ(1, c.objects[1]);

	ASSERT_EQ(0, mem_free(&self->client, id[0]));
	ASSERT_EQ(0, mem_free(&self->client, id[1]));
	c = (struct classes){ 0 };
	ASSERT_LE(1, nl_dump(self->fd, self->family, VNPU_CMD_CLIENT_GET,
			     take_classes, &c));
	EXPECT_EQ(1, c.count);
	EXPECT_EQ(MIB(2), c.page_size[0]);
}

/*
 * If a client ends after the dump has begun, the dump is marked as
 * inconsistent.
 */
TEST_F(netlink, a_dump_reports_that_the_list_changed)
{
	static struct client clients[CLIENTS];
	const struct nlmsghdr *head;
	bool interrupted = false, done = false;
	/* The kernel makes parts as large as this socket has read before. */
	int fd = nl_open();
	struct nl_msg m;
	ssize_t left;
	int i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < CLIENTS; i++)
		ASSERT_EQ(0, client_open_only(&clients[i]));
	nl_init(&m, (uint16_t)self->family, NLM_F_DUMP, VNPU_CMD_CLIENT_GET);
	ASSERT_EQ(0, nl_send(fd, &m, m.head.nlmsg_len));
	ASSERT_GT(recv(fd, self->answer, PAGE, 0), 0);
	for (i = 0; i < CLIENTS; i++)
		client_close(&clients[i]);
	while (!done) {
		left = recv(fd, self->answer, PAGE, 0);
		ASSERT_GT(left, 0);
		for (head = (void *)self->answer; NLMSG_OK(head, left);
		     head = NLMSG_NEXT(head, left)) {
			interrupted |= !!(head->nlmsg_flags & NLM_F_DUMP_INTR);
			done |= head->nlmsg_type == NLMSG_DONE;
		}
	}
	EXPECT_TRUE(interrupted);
	close(fd);
}

#define DEVICES	24

/*
 * Dump devices of which one is replaced after the first part. Return 1 if the
 * dump is marked as inconsistent, 0 if not, or -errno.
 */
static int dump_replaced(int family, uint8_t command, int *device)
{
	static uint8_t answer[NL_BUFFER];
	/* The kernel has made one part when the request is sent. */
	int fd = nl_open(), ret, interrupted = 0;
	const struct nlmsghdr *head;
	bool done = false;
	struct nl_msg m;
	ssize_t left;

	nl_init(&m, (uint16_t)family, NLM_F_DUMP, command);
	ret = nl_send(fd, &m, m.head.nlmsg_len) ?:
	      device_remove((uint32_t)*device);
	if (!ret)
		ret = *device = device_add(MIB(2));
	while (ret >= 0 && !done) {
		left = recv(fd, answer, PAGE, 0);
		ret = left < 0 ? -errno : 0;
		for (head = (void *)answer; NLMSG_OK(head, left);
		     head = NLMSG_NEXT(head, left)) {
			interrupted |= !!(head->nlmsg_flags & NLM_F_DUMP_INTR);
			done |= head->nlmsg_type == NLMSG_DONE;
		}
	}
	close(fd);
	return ret < 0 ? ret : interrupted;
}

/* User ids without processes, clients that do not exist: from this number on. */
#define NOBODY	600000

#define ENTRIES	60	/* a device has at most 64 faults */

/*
 * Let a device have enough quotas, faults and kernels that the dump of each takes
 * several parts. Return the engine file with the kernels, or -errno.
 */
static int fill_device(struct client *c, uint32_t device)
{
	struct fault fault = {
		.device = device,
		.kind = VNPU_INJECT_KIND_ALLOC_FAIL,
		.class = ANY_CLASS,
		.nth = 1,
	};
	int fd = engine_create(c, device, 0);
	struct vnpu_engine_attach a;
	struct stream s;
	char name[16];
	uint32_t i;
	int ret;

	if (fd < 0)
		return fd;
	ret = window_map(c, WINDOW_SIZE, PROT_NONE) ?: engine_attach(fd, &a) ?:
	      stream_create(&s, c, device);
	for (i = 1; i <= ENTRIES && !ret; i++) {
		snprintf(name, sizeof(name), "kernel_%u", i);
		ret = engine_name(fd, i, name) ?: engine_run_kernel(fd, &s, i, 0);
	}
	for (i = 1; i <= ENTRIES && !ret; i++) {
		fault.client = NOBODY + i;
		ret = fault_change(&fault, false) ?:
		      quota_set(device, VNPU_QUOTA_SCOPE_UID, NOBODY + i, 0);
	}
	return ret ?: stream_destroy(&s) ?: fd;
}

/* A dump goes on in the middle of a device, which may be another one by now. */
TEST_F_TIMEOUT(netlink, a_dump_reports_that_a_device_was_replaced, 120)
{
	static const uint8_t commands[] = {
		VNPU_CMD_DEV_GET, VNPU_CMD_MEM_GET, VNPU_CMD_ENGINE_GET,
		VNPU_CMD_INJECT_GET, VNPU_CMD_KERNEL_GET, VNPU_CMD_QUOTA_GET,
	};
	int devices[DEVICES], engine;
	unsigned int i;

	for (i = 0; i < DEVICES; i++) {
		devices[i] = device_add(MIB(2));
		ASSERT_LE(0, devices[i]);
	}
	/* The replaced devices have nothing but themselves. */
	engine = fill_device(&self->client, (uint32_t)devices[DEVICES - 1]);
	ASSERT_LE(0, engine);
	for (i = 0; i < sizeof(commands); i++) {
		EXPECT_EQ(1, dump_replaced(self->family, commands[i],
					   &devices[i]))
			TH_LOG("command %u", commands[i]);
	}
	close(engine);
	for (i = 0; i < DEVICES; i++)
		EXPECT_EQ(0, device_remove((uint32_t)devices[i]));
}

#define QUOTAS	600

/*
 * Return how many records of a dump belong to a device; @done: it was the last
 * part.
 */
static int count_quotas(const void *part, ssize_t left, uint32_t device,
			bool *done)
{
	const struct nlmsghdr *head = part;
	int count = 0;

	for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
		*done |= head->nlmsg_type == NLMSG_DONE;
		count += head->nlmsg_type != NLMSG_DONE &&
			 nl_u32(head, VNPU_A_QUOTA_DEV_ID) == device;
	}
	return count;
}

/* The quotas of the next device are dumped from the first. */
TEST_F_TIMEOUT(netlink, a_device_is_removed_while_its_quotas_are_dumped, 120)
{
	int one = device_add(MIB(16)), other = device_add(MIB(16)), count = 0;
	/* The kernel makes parts as large as this socket has read before. */
	int fd = nl_open();
	uint32_t first, second;
	bool done = false;
	struct nl_msg m;
	ssize_t left;
	int i;

	ASSERT_LE(0, one);
	ASSERT_LE(0, other);
	first = (uint32_t)(one < other ? one : other);
	second = (uint32_t)(one < other ? other : one);
	for (i = 0; i < QUOTAS; i++)
		ASSERT_EQ(0, quota_set(first, VNPU_QUOTA_SCOPE_UID, NOBODY + i,
				       0));
	ASSERT_EQ(0, quota_set(second, VNPU_QUOTA_SCOPE_UID, NOBODY, 0));
	nl_init(&m, (uint16_t)self->family, NLM_F_DUMP, VNPU_CMD_QUOTA_GET);
	ASSERT_EQ(0, nl_send(fd, &m, m.head.nlmsg_len));
	ASSERT_GT(recv(fd, self->answer, PAGE, 0), 0);
	EXPECT_EQ(0, device_command(VNPU_CMD_DEV_REMOVE, first, NULL));
	do {
		left = recv(fd, self->answer, PAGE, 0);
		count += count_quotas(self->answer, left, second, &done);
	} while (left > 0 && !done);
	EXPECT_LT(0, left) TH_LOG("%s", strerror(errno));
	close(fd);
	EXPECT_EQ(1, count);
	EXPECT_EQ(0, device_command(VNPU_CMD_DEV_REMOVE, second, NULL));
}

static long module_references(void)
{
	FILE *f = fopen("/sys/module/vnpu/refcnt", "re");
	long count = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &count) != 1)
		count = -1;
	fclose(f);
	return count;
}

TEST_F(netlink, an_abandoned_dump_leaves_nothing_behind)
{
	static struct client clients[CLIENTS];
	long before = module_references();
	struct nl_msg m;
	int i, fd;

	for (i = 0; i < CLIENTS; i++)
		ASSERT_EQ(0, client_open_only(&clients[i]));
	for (i = 0; i < 200; i++) {
		fd = nl_open();
		ASSERT_GE(fd, 0);
		nl_init(&m, (uint16_t)self->family, NLM_F_DUMP,
			VNPU_CMD_CLIENT_GET);
		ASSERT_EQ(0, nl_send(fd, &m, m.head.nlmsg_len));
		if (i % 2)
			ASSERT_GT(recv(fd, self->answer, PAGE, 0), 0);
		close(fd);
	}
	for (i = 0; i < CLIENTS; i++)
		client_close(&clients[i]);
	EXPECT_EQ(before, module_references());
	EXPECT_EQ((int)self->devices, nl_dump(self->fd, self->family,
					      VNPU_CMD_DEV_GET, NULL, NULL));
}

static int check_sum(const struct nlmsghdr *head, void *arg)
{
	uint64_t total = nl_u64(head, VNPU_A_DEV_MEM_TOTAL);
	uint64_t used = nl_u64(head, VNPU_A_DEV_MEM_USED);
	uint64_t free = nl_u64(head, VNPU_A_DEV_MEM_FREE);

	(void)arg;
	if (used + free != total ||
	    nl_u64(head, VNPU_A_DEV_MEM_LARGEST_FREE) > free)
		return -EBADMSG;
	return 0;
}

static int check_memory(const struct nlmsghdr *head, void *arg)
{
	uint64_t free = nl_u64(head, VNPU_A_MEM_FREE);
	struct sums sums;

	(void)arg;
	sum_memory(head, &sums);
	if (sums.free != free ||
	    sums.class_used != nl_u64(head, VNPU_A_MEM_TOTAL) - free)
		return -EBADMSG;
	return 0;
}

struct reader {
	pthread_t thread;
	int family;
	int devices;
	int error;
};

static void *read_all(void *arg)
{
	struct reader *r = arg;
	int fd = nl_open();
	int i, ret;

	for (i = 0; i < 40 && !r->error; i++) {
		struct clients seen = { 0 };

		ret = nl_dump(fd, r->family, VNPU_CMD_DEV_GET, check_sum, NULL);
		if (ret != r->devices)
			r->error = ret < 0 ? ret : -EBADMSG;
		ret = nl_dump(fd, r->family, VNPU_CMD_MEM_GET, check_memory,
			      NULL);
		if (ret != r->devices)
			r->error = ret < 0 ? ret : -EBADMSG;
		ret = nl_dump(fd, r->family, VNPU_CMD_CLIENT_GET, count_client,
			      &seen);
		if (ret < 0 && ret != -EINTR)
			r->error = ret;
	}
	close(fd);
	return NULL;
}

TEST_F(netlink, readers_and_clients_at_the_same_time)
{
	struct reader readers[4] = { 0 };
	volatile bool *stop;
	pid_t pid;
	size_t i;

	stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, stop);
	pid = fork_bound();
	ASSERT_GE(pid, 0);
	if (!pid) {
		unsigned int turn = 0;

		while (!*stop) {
			struct client c;
			uint32_t id;

			if (client_open_only(&c) ||
			    mem_alloc(&c, turn % self->devices, 0, 0,
				      MIB(1 + turn % 7), &id) ||
			    (turn % 2 && mem_free(&c, id)))
				_exit(1);
			client_close(&c);
			turn++;
		}
		_exit(0);
	}
	for (i = 0; i < 4; i++) {
		readers[i].family = self->family;
		readers[i].devices = (int)self->devices;
		ASSERT_EQ(0, pthread_create(&readers[i].thread, NULL, read_all,
					    &readers[i]));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(readers[i].thread, NULL);
		EXPECT_EQ(0, readers[i].error);
	}
	*stop = true;
	EXPECT_EQ(0, child_wait(pid));
}

TEST_HARNESS_MAIN
