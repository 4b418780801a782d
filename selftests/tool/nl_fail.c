// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each request of the netlink family with its first allocation or user copy
 * failing, then its second, and so on, until it needs no more of them. Either
 * the request is carried out, or it is not and the reply says so.
 */
#include "client.h"
#include "coredump.h"
#include "fail.h"
#include "fail_tried.h"
#include "nl.h"
#include "nl_command_list.h"
#include "nl_quota.h"
#include "stream.h"
#include "trouble.h"
#include "util.h"

#include "kselftest_harness.h"

#define NOBODY		65534
#define ANY_LIMIT	MIB(64)
#define LIMIT		2000	/* more than any request needs */

FIXTURE(nl_fail) {
	struct fail fail;
	int family;
	struct client c;
	struct stream stream;
	int devices;
};

/* Events, which no process requests: the kernel may fail to send them. */
static const uint8_t events[] = {
	VNPU_CMD_OOM_NTF, VNPU_CMD_QUOTA_NTF, VNPU_CMD_HANG_NTF,
	VNPU_CMD_RESET_NTF, VNPU_CMD_DEV_ADD_NTF, VNPU_CMD_DEV_REMOVE_NTF,
	VNPU_CMD_OPEN_NTF, VNPU_CMD_CLOSE_NTF, VNPU_CMD_HEALTH_NTF,
	VNPU_CMD_COMPACT_NTF, VNPU_CMD_TASK_FAULT_NTF,
};

/* How many objects exist of the kind that a request creates or removes. */
static int records(int family, uint8_t command)
{
	int fd = nl_open(), ret;

	do
		ret = nl_dump(fd, family, command, NULL, NULL);
	while (ret == -EINTR);
	close(fd);
	return ret;
}

static void start(const FIXTURE_DATA(nl_fail) *self, struct nl_msg *m,
		  uint8_t command)
{
	nl_init(m, (uint16_t)self->family, 0, command);
}

static int ask(const struct nl_msg *m)
{
	uint8_t answer[NL_BUFFER] __attribute__((aligned(8)));
	int fd = nl_open(), ret;

	ret = nl_ask(fd, m, answer);
	close(fd);
	return ret;
}

static void put_device(struct nl_msg *m)
{
	nl_put_u32(m, VNPU_A_DEV_ID, 0);
}

static void put_map(struct nl_msg *m)
{
	put_device(m);
	nl_put_u32(m, VNPU_A_MAP_CELLS, 16);
}

static void put_fit(struct nl_msg *m)
{
	put_device(m);
	nl_put_u64(m, VNPU_A_FIT_LENGTH, MIB(2));
}

static void put_quota(struct nl_msg *m)
{
	nl_put_u32(m, VNPU_A_QUOTA_DEV_ID, 0);
	nl_put_u32(m, VNPU_A_QUOTA_SCOPE, VNPU_QUOTA_SCOPE_UID);
	nl_put_u64(m, VNPU_A_QUOTA_ID, NOBODY);
}

static void put_limit(struct nl_msg *m)
{
	put_quota(m);
	nl_put_u64(m, VNPU_A_QUOTA_LIMIT, ANY_LIMIT);
}

static void put_fault(struct nl_msg *m)
{
	put_device(m);
	nl_put_u32(m, VNPU_A_INJECT_KIND, VNPU_INJECT_KIND_DOORBELL_LOST);
	/* No client has this id. */
	nl_put_u64(m, VNPU_A_INJECT_CLIENT_ID, UINT64_MAX - 1);
	nl_put_u64(m, VNPU_A_INJECT_NTH, 1);
}

static void put_no_fault(struct nl_msg *m)
{
	put_device(m);
	nl_put(m, VNPU_A_INJECT_CLEAR, NULL, 0);
}

static void put_size(struct nl_msg *m)
{
	nl_put_u64(m, VNPU_A_DEV_MEM_TOTAL, MIB(2));
}

static int quotas(FIXTURE_DATA(nl_fail) *self)
{
	return records(self->family, VNPU_CMD_QUOTA_GET);
}

static int faults(FIXTURE_DATA(nl_fail) *self)
{
	return records(self->family, VNPU_CMD_INJECT_GET);
}

static int devices(FIXTURE_DATA(nl_fail) *self)
{
	return records(self->family, VNPU_CMD_DEV_GET);
}

static int resets(FIXTURE_DATA(nl_fail) *self)
{
	(void)self;
	return (int)device_figure(0, VNPU_A_DEV_RESETS);
}

static int last_of(const struct nlmsghdr *head, void *arg)
{
	*(uint32_t *)arg = nl_u32(head, VNPU_A_DEV_ID);
	return 0;
}

static int remove_last_device(FIXTURE_DATA(nl_fail) *self)
{
	uint32_t device = 0;
	struct nl_msg m;
	int fd = nl_open(), ret;

	ret = nl_dump(fd, self->family, VNPU_CMD_DEV_GET, last_of, &device);
	close(fd);
	if (ret < 0)
		return ret;
	start(self, &m, VNPU_CMD_DEV_REMOVE);
	nl_put_u32(&m, VNPU_A_DEV_ID, device);
	return ask(&m);
}

static uint32_t added;	/* the device to remove */

static void put_added(struct nl_msg *m)
{
	nl_put_u32(m, VNPU_A_DEV_ID, added);
}

static int add_device(FIXTURE_DATA(nl_fail) *self)
{
	int device = device_add(MIB(2));

	(void)self;
	added = (uint32_t)device;
	return device < 0 ? device : 0;
}

static int remove_added(FIXTURE_DATA(nl_fail) *self)
{
	struct nl_msg m;

	start(self, &m, VNPU_CMD_DEV_REMOVE);
	put_added(&m);
	return ask(&m);
}

static int set_quota(FIXTURE_DATA(nl_fail) *self)
{
	(void)self;
	return quota_set(0, VNPU_QUOTA_SCOPE_UID, NOBODY, ANY_LIMIT);
}

static int remove_quota(FIXTURE_DATA(nl_fail) *self)
{
	(void)self;
	return quota_remove(0, VNPU_QUOTA_SCOPE_UID, NOBODY);
}

static int set_fault(FIXTURE_DATA(nl_fail) *self)
{
	struct nl_msg m;

	start(self, &m, VNPU_CMD_INJECT_SET);
	put_fault(&m);
	return ask(&m);
}

static int clear_faults(FIXTURE_DATA(nl_fail) *self)
{
	struct nl_msg m;

	start(self, &m, VNPU_CMD_INJECT_SET);
	put_no_fault(&m);
	return ask(&m);
}

/*
 * An existing dump keeps another one out. If device_add() fails for it, Linux
 * (up to 6.12 at least) frees the dump twice, in dev_coredumpm_timeout().
 */
static int renew_coredump(FIXTURE_DATA(nl_fail) *self)
{
	struct nl_msg m;

	forget_coredump();
	start(self, &m, VNPU_CMD_RESET);
	put_device(&m);
	return ask(&m);
}

FIXTURE_VARIANT(nl_fail) {
	uint8_t command;
	void (*put)(struct nl_msg *m);	/* its attributes; NULL for a dump */
	int (*count)(FIXTURE_DATA(nl_fail) *self);	/* counts what it changes */
	int step;		/* change of the count */
	int (*before)(FIXTURE_DATA(nl_fail) *self);
	int (*undo)(FIXTURE_DATA(nl_fail) *self);
};

#define REQUEST(_name, ...) \
	FIXTURE_VARIANT_ADD(nl_fail, _name) { __VA_ARGS__ }

REQUEST(devices, VNPU_CMD_DEV_GET);
REQUEST(memories, VNPU_CMD_MEM_GET);
REQUEST(clients, VNPU_CMD_CLIENT_GET);
REQUEST(exited, VNPU_CMD_HISTORY_GET);
REQUEST(slabs, VNPU_CMD_SLAB_GET);
REQUEST(quotas, VNPU_CMD_QUOTA_GET, .before = set_quota, .undo = remove_quota);
REQUEST(streams, VNPU_CMD_STREAM_GET);
REQUEST(engines, VNPU_CMD_ENGINE_GET);
REQUEST(kernels, VNPU_CMD_KERNEL_GET);
REQUEST(faults, VNPU_CMD_INJECT_GET, .before = set_fault,
	.undo = clear_faults);
REQUEST(device, VNPU_CMD_DEV_GET, put_device);
REQUEST(memory, VNPU_CMD_MEM_GET, put_device);
REQUEST(map, VNPU_CMD_MAP_GET, put_map);
REQUEST(fit, VNPU_CMD_FIT_GET, put_fit);
REQUEST(compact, VNPU_CMD_COMPACT, put_device);
REQUEST(reset, VNPU_CMD_RESET, put_device, resets, 1, renew_coredump);
REQUEST(quota_set, VNPU_CMD_QUOTA_SET, put_limit, quotas, 1,
	.undo = remove_quota);
REQUEST(quota_remove, VNPU_CMD_QUOTA_REMOVE, put_quota, quotas, -1, set_quota,
	remove_quota);
REQUEST(fault_set, VNPU_CMD_INJECT_SET, put_fault, faults, 1,
	.undo = clear_faults);
REQUEST(fault_clear, VNPU_CMD_INJECT_SET, put_no_fault, faults, -1, set_fault,
	clear_faults);
REQUEST(device_add, VNPU_CMD_DEV_ADD, put_size, devices, 1,
	.undo = remove_last_device);
REQUEST(device_remove, VNPU_CMD_DEV_REMOVE, put_added, devices, -1, add_device,
	remove_added);

FIXTURE_SETUP(nl_fail)
{
	int fd = nl_open();
	int ret = fail_begin(&self->fail);
	__u64 va;

	if (ret == -EOPNOTSUPP)
		SKIP(return, "the kernel has no fault injection");
	ASSERT_EQ(0, ret);
	self->family = nl_family(fd);
	ASSERT_GT(self->family, 0);
	close(fd);
	self->devices = records(self->family, VNPU_CMD_DEV_GET);
	/* Cause something to report. */
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(2), self->c.base));
	ASSERT_EQ(0, slab_window(&self->c, 0, self->c.base + MIB(64), MIB(64)));
	ASSERT_EQ(0, slab_alloc(&self->c, 0, 100, &va, NULL));
	ASSERT_EQ(0, stream_create(&self->stream, &self->c, 0));
}

FIXTURE_TEARDOWN(nl_fail)
{
	fail_end(&self->fail);
	EXPECT_EQ(0, stream_destroy(&self->stream));
	client_close(&self->c);
	EXPECT_EQ(self->devices, records(self->family, VNPU_CMD_DEV_GET));
}

static int make(FIXTURE_DATA(nl_fail) *self,
		const FIXTURE_VARIANT(nl_fail) *variant, unsigned int n,
		bool *hit)
{
	uint8_t answer[NL_BUFFER] __attribute__((aligned(8)));
	int fd = nl_open(), ret;
	struct nl_msg m;

	start(self, &m, variant->command);
	if (variant->put)
		variant->put(&m);
	tried[variant->command] = 1;
	fail_arm(&self->fail, n);
	ret = variant->put ? nl_ask(fd, &m, answer) :
	      nl_dump(fd, self->family, variant->command, NULL, NULL);
	*hit = fail_disarm(&self->fail);
	close(fd);
	return ret < 0 ? ret : 0;
}

static bool is_fault(int ret)
{
	return ret == -ENOMEM || ret == -ENOBUFS || ret == -EFAULT;
}

TEST_F_TIMEOUT(nl_fail, each_request, 240)
{
	unsigned int n, failed = 0;
	int ret, there = 0, before = 0;
	bool hit = true;

	for (n = 1; hit; n++) {
		ASSERT_GT(LIMIT, n);
		ASSERT_EQ(0, variant->before ? variant->before(self) : 0);
		if (variant->count)
			before = variant->count(self);
		ret = make(self, variant, n, &hit);
		if (ret) {
			failed++;
			EXPECT_TRUE(hit && is_fault(ret)) {
				TH_LOG("failure %u: %d", n, ret);
			}
		}
		if (variant->count)
			there = variant->count(self);
		/*
		 * The result is only unknown if the reply cannot be received.
		 */
		if (ret != -EFAULT)
			EXPECT_EQ(before + (ret ? 0 : variant->step), there) {
				TH_LOG("failure %u: %d", n, ret);
			}
		if (variant->undo && (variant->step <= 0 || there > before))
			variant->undo(self);
	}
	printf("# %u injected, %u requests failed\n", n - 2, failed);
	fflush(stdout);
}

/* The last of all fixtures, which runs when the others are done. */
#include "fail_table.h"

TEST_F(table, all_requests_were_tried)
{
	bool is_event[256] = { };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		is_event[events[i]] = true;
	EXPECT_EQ(VNPU_CMD_MAX, ARRAY_SIZE(nl_command_list));
	for (i = 0; i < ARRAY_SIZE(nl_command_list); i++) {
		uint8_t command = nl_command_list[i].command;

		EXPECT_EQ(!is_event[command], tried[command]) {
			TH_LOG("%s: %s", nl_command_list[i].name,
			       tried[command] ? "an event was to fail" :
						"it was not to fail");
		}
	}
}

TEST_HARNESS_MAIN
