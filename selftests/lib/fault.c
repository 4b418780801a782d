// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected faults, as seen by a program that uses AscendCL only: the errors
 * that it gets, the reports to other processes meanwhile, and the recovery
 * afterwards. selftests/uapi tests the driver itself.
 */
#include <linux/vnpu.h>

#include "acl-health.h"
#include "acl-stream.h"
#include "coredump.h"
#include "param.h"
#include "trouble.h"
#include "vnpu.h"

FIXTURE(fault) {
	struct work w;
	uint64_t client;
	size_t free_before;
	unsigned int hang_ms;	/* value before the test */
	int events;
	uint8_t buffer[NL_BUFFER];
};

static int health(void)
{
	return health_of(0);
}

FIXTURE_SETUP(fault)
{
	ASSERT_EQ(0, param_get("hang_timeout_ms", &self->hang_ms));
	/*
	 * Disable the detection of hangs, as the whole machine may be stopped
	 * for a while.
	 */
	ASSERT_EQ(0, param_set("hang_timeout_ms", 0));
	ASSERT_EQ(0, faults_clear(0));
	ASSERT_EQ(HEALTHY, health());
	OK(work_init(&self->w));
	ASSERT_EQ(0, vnpu_client_id(&self->client));
	self->free_before = free_bytes();
	self->events = nl_open_events(self->buffer);
	ASSERT_LE(0, self->events);
}

FIXTURE_TEARDOWN(fault)
{
	EXPECT_EQ(0, faults_clear(0));
	EXPECT_EQ(self->free_before, free_bytes());
	aclrtResetDeviceForce(0);
	aclrtFreeHost(self->w.pinned);
	EXPECT_EQ(0, param_set("hang_timeout_ms", self->hang_ms));
	if (health() != HEALTHY)
		device_reset(0);
	EXPECT_EQ(HEALTHY, health());
	close(self->events);
}

#define WORKS(stream)	works(_metadata, &self->w, stream)

static uint64_t hangs(void)
{
	return device_figure(0, VNPU_A_DEV_HANGS);
}

static uint64_t lost(void)
{
	uint64_t epoch = UINT64_MAX;

	return vnpu_device_lost_epoch(0, &epoch) ? UINT64_MAX : epoch;
}

/* Wait for the next event of a kind; return one of its numbers. */
static uint32_t told(FIXTURE_DATA(fault) * self, uint8_t command, uint16_t attr)
{
	if (event_wait(self->events, command, self->buffer))
		return UINT32_MAX;
	return nl_u32((void *)self->buffer, attr);
}

/*
 * Return the reason of a failed access of the program, as reported to
 * listeners.
 */
static uint32_t fault_told(FIXTURE_DATA(fault) * self, int events)
{
	do {
		if (event_wait(events, VNPU_CMD_TASK_FAULT_NTF, self->buffer))
			return UINT32_MAX;
	} while (nl_u64((void *)self->buffer, VNPU_A_TASK_FAULT_CLIENT_ID) !=
		 self->client);
	return nl_u32((void *)self->buffer, VNPU_A_TASK_FAULT_ERROR);
}

TEST_F(fault, no_memory)
{
	void *p, *q;

	ASSERT_EQ(0, fault_set(VNPU_INJECT_KIND_ALLOC_FAIL, self->client,
			       ANY_CLASS, 2, 0));
	OK(aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(OUT_OF_MEMORY,
		  aclrtMalloc(&q, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_NE(NULL, strstr(recent(), "aclrtMalloc"));
	EXPECT_EQ(OUT_OF_MEMORY, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	ASSERT_EQ(0, event_wait(self->events, VNPU_CMD_OOM_NTF, self->buffer));
	EXPECT_EQ(self->client,
		  nl_u64((void *)self->buffer, VNPU_A_OOM_CLIENT_ID));
	EXPECT_EQ(HEALTHY, health());
	OK(aclrtMalloc(&q, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtFree(p));
	OK(aclrtFree(q));
	WORKS(self->w.a);
}

/* Repeat until the fault has ended. */
TEST_F(fault, rare_lack_of_memory)
{
	const struct fault f = {
		.kind = VNPU_INJECT_KIND_ALLOC_FAIL,
		.client = self->client,
		.class = ANY_CLASS,
		.every = 3,
	};
	void *p;

	ASSERT_EQ(0, fault_change(&f, false));
	for (int i = 1; i <= 30; i++) {
		EXPECT_EQ(i % 3 ? ACL_SUCCESS : OUT_OF_MEMORY,
			  aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
		if (i % 3)
			OK(aclrtFree(p));
	}
	ASSERT_EQ(0, faults_clear(0));
	for (int i = 0; i < 3; i++) {
		OK(aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
		OK(aclrtFree(p));
	}
	WORKS(self->w.a);
}

TEST_F(fault, no_memory_of_the_host)
{
	void *p;

	ASSERT_EQ(0, fault_set(VNPU_INJECT_KIND_HOST_ALLOC_FAIL, self->client,
			       ANY_CLASS, 1, 0));
	EXPECT_EQ(OUT_OF_MEMORY, aclrtMallocHost(&p, MIB));
	EXPECT_NE(NULL, strstr(recent(), "aclrtMallocHost"));
	EXPECT_EQ(HEALTHY, health());
	OK(aclrtMallocHost(&p, MIB));
	OK(aclrtFreeHost(p));
	WORKS(self->w.a);
}

TEST_F(fault, a_hang_ends_at_the_time_limit)
{
	struct work *w = &self->w;
	uint64_t before = hangs();

	OK(aclrtSetOpExecuteTimeOutWithMs(50));
	ASSERT_EQ(0, hang_next(self->client));
	OK(aclrtMemsetAsync(w->dev, AREA, 1, AREA, w->a));
	EXPECT_ACL(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStream(w->a));
	/* No other process may be that quick. */
	OK(aclrtSetOpExecuteTimeOutWithMs(0));
	EXPECT_EQ(HEALTHY, health());
	EXPECT_EQ(before, hangs());
	WORKS(w->a);
	WORKS(w->b);
}

/* The remaining one, as text. */
static const char *coredump(FIXTURE_DATA(fault) * self)
{
	char path[PATH_MAX];
	ssize_t length = 0;
	int fd;

	if (find_coredump(path)) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		length = read(fd, self->buffer, NL_BUFFER - 1);
		close(fd);
	}
	self->buffer[length > 0 ? length : 0] = '\0';
	return (char *)self->buffer;
}

TEST_F_TIMEOUT(fault, a_hang_ends_by_a_reset, 120)
{
	const bool dumps = !access(COREDUMPS, F_OK);
	uint64_t resets = device_figure(0, VNPU_A_DEV_RESETS);
	struct work *w = &self->w;
	uint64_t before = hangs(), epoch = lost();
	char part[64];

	forget_coredump();
	/* Long enough for a thread that only waits for a processor. */
	ASSERT_EQ(0, param_set("hang_timeout_ms", 3000));
	ASSERT_EQ(0, hang_next(self->client));
	OK(aclrtMemsetAsync(w->dev, AREA, 1, AREA, w->a));
	EXPECT_ACL(ACL_ERROR_RT_DEVICE_TASK_ABORT,
		   aclrtSynchronizeStream(w->a));
	EXPECT_EQ(epoch + 1, lost());
	EXPECT_EQ(VNPU_HEALTH_ALARM, told(self, VNPU_CMD_HEALTH_NTF,
					  VNPU_A_HEALTH_STATE));
	EXPECT_EQ(0, told(self, VNPU_CMD_HANG_NTF, VNPU_A_HANG_DEV_ID));
	EXPECT_EQ(self->client,
		  nl_u64((void *)self->buffer, VNPU_A_HANG_CLIENT_ID));
	EXPECT_EQ(VNPU_HEALTH_OK, told(self, VNPU_CMD_HEALTH_NTF,
				       VNPU_A_HEALTH_STATE));
	EXPECT_EQ(VNPU_RESET_REASON_HANG, told(self, VNPU_CMD_RESET_NTF,
					       VNPU_A_RESET_REASON));
	EXPECT_EQ(HEALTHY, health());
	EXPECT_EQ(before + 1, hangs());
	EXPECT_EQ(resets + 1, device_figure(0, VNPU_A_DEV_RESETS));
	snprintf(part, sizeof(part), " client=%llu task=",
		 (unsigned long long)self->client);
	if (dumps) {
		EXPECT_NE(NULL, strstr(coredump(self), " reason=hang\n"));
		EXPECT_NE(NULL, strstr(coredump(self), part));
		forget_coredump();
	}
	WORKS(w->a);
	WORKS(w->b);
	EXPECT_EQ(epoch + 1, lost());
}

TEST_F(fault, a_slow_engine)
{
	struct work *w = &self->w;
	uint64_t before = hangs(), start;

	ASSERT_EQ(0, fault_set(VNPU_INJECT_KIND_ENGINE_SLOW, self->client,
			       ANY_CLASS, 0, 60000000));
	OK(aclrtMemsetAsync(w->dev, AREA, 1, AREA, w->a));
	ASSERT_EQ(0, fault_wait(0, VNPU_INJECT_KIND_ENGINE_SLOW));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(w->a, 10));
	OK(aclrtStreamAbort(w->a));
	OK(aclrtSynchronizeStream(w->a));
	/* 20 ms for each of 4 parts of the one task, and of the other. */
	ASSERT_EQ(0, fault_set(VNPU_INJECT_KIND_ENGINE_SLOW, self->client,
			       ANY_CLASS, 0, 20000));
	start = now_ms();
	WORKS(w->a);
	EXPECT_LE(160, now_ms() - start);
	EXPECT_EQ(HEALTHY, health());
	EXPECT_EQ(before, hangs());
	ASSERT_EQ(0, faults_clear(0));
	WORKS(w->a);
}

struct busy {
	uint64_t client;
	unsigned int streams;
	unsigned int forgotten;	/* idle streams with tasks */
};

static int count_busy(const struct nlmsghdr *head, void *arg)
{
	struct busy *b = arg;

	if (nl_u64(head, VNPU_A_STREAM_CLIENT_ID) != b->client)
		return 0;
	if (nl_u32(head, VNPU_A_STREAM_STATE) != VNPU_STREAM_STATE_IDLE)
		b->streams++;
	else if (nl_u64(head, VNPU_A_STREAM_SUBMITTED) >
		 nl_u64(head, VNPU_A_STREAM_COMPLETED))
		b->forgotten++;
	return 0;
}

/*
 * Wait until no engine looks at a stream of this client, so that all need a
 * doorbell. Return how many have tasks though, or -errno.
 */
static int wait_for_idle(uint64_t client)
{
	int fd = nl_open(), family = nl_family(fd), ret;
	struct busy b;

	do {
		b = (struct busy){ .client = client };
		ret = nl_dump(fd, family, VNPU_CMD_STREAM_GET, count_busy, &b);
	} while ((ret == -EINTR || (ret >= 0 && b.streams)) && !usleep(1000));
	close(fd);
	return ret < 0 ? ret : (int)b.forgotten;
}

TEST_F(fault, a_lost_doorbell)
{
	struct work *w = &self->w;

	WORKS(w->a);
	ASSERT_EQ(0, wait_for_idle(self->client));
	ASSERT_EQ(0, fault_set(VNPU_INJECT_KIND_DOORBELL_LOST, self->client,
			       ANY_CLASS, 1, 0));
	OK(aclrtMemsetAsync(w->dev, AREA, 1, AREA, w->a));
	ASSERT_EQ(0, fault_wait(0, VNPU_INJECT_KIND_DOORBELL_LOST));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(w->a, 60));
	EXPECT_EQ(HEALTHY, health());
	EXPECT_EQ(1, wait_for_idle(self->client));
	/* The next submission rings the doorbell for both. */
	WORKS(w->a);
}

static int error_at(uint32_t kind, uint64_t client, const void *address)
{
	const struct fault f = {
		.kind = kind,
		.client = client,
		.class = ANY_CLASS,
		.nth = 1,
		.addr = (uintptr_t)address,
	};

	return fault_change(&f, false);
}

static aclrtDeviceStatus status(void)
{
	aclrtDeviceStatus s = ACL_RT_DEVICE_STATUS_END;

	return aclrtQueryDeviceStatus(0, &s) ? ACL_RT_DEVICE_STATUS_END : s;
}

TEST_F_TIMEOUT(fault, an_uncorrected_error_of_memory, 120)
{
	uint64_t before = device_figure(0, VNPU_A_DEV_ECC_UNCORRECTED);
	uint64_t epoch = lost();
	struct work *w = &self->w;
	uint8_t *bad = w->dev + 4096 + 17;
	char address[32];
	int faults;

	/* The events come in any order. */
	faults = nl_open_events(self->buffer);
	ASSERT_LE(0, faults);
	snprintf(address, sizeof(address), "%p", (void *)bad);
	ASSERT_EQ(0, error_at(VNPU_INJECT_KIND_ECC_UNCORRECTED, self->client,
			      bad));
	OK(aclrtMemsetAsync(w->dev, AREA, 1, AREA, w->a));
	EXPECT_EQ(ACL_ERROR_RT_DEVICE_MEM_ERROR, aclrtSynchronizeStream(w->a));
	EXPECT_EQ(epoch + 1, lost());
	EXPECT_NE(NULL, strstr(recent(), address));
	EXPECT_EQ(EIO, fault_told(self, faults));
	close(faults);
	EXPECT_EQ(VNPU_HEALTH_ALARM, told(self, VNPU_CMD_HEALTH_NTF,
					  VNPU_A_HEALTH_STATE));
	EXPECT_EQ(UNHEALTHY, health());
	EXPECT_EQ(ACL_RT_DEVICE_STATUS_ABNORMAL, status());
	/*
	 * It was one access. The stream goes on, and the device reports the
	 * error.
	 */
	WORKS(w->a);
	ASSERT_EQ(0, error_at(VNPU_INJECT_KIND_ECC_UNCORRECTED, self->client,
			      bad));
	EXPECT_ACL(ACL_ERROR_RT_DEVICE_MEM_ERROR,
		   aclrtMemset(w->dev, AREA, 2, AREA));
	EXPECT_EQ(before + 2, device_figure(0, VNPU_A_DEV_ECC_UNCORRECTED));
	EXPECT_EQ(UNHEALTHY, health());
	ASSERT_EQ(0, smi("set -t reset -i 0 -y"));
	EXPECT_EQ(VNPU_HEALTH_OK, told(self, VNPU_CMD_HEALTH_NTF,
				       VNPU_A_HEALTH_STATE));
	EXPECT_EQ(HEALTHY, health());
	EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status());
	WORKS(w->a);
}

TEST_F(fault, memory_that_is_not_bound)
{
	uint64_t before = device_figure(0, VNPU_A_DEV_ECC_UNCORRECTED);
	struct work *w = &self->w;
	uint8_t *bad = w->dev + 4096 + 17;
	char address[32];

	snprintf(address, sizeof(address), "%p", (void *)bad);
	ASSERT_EQ(0, error_at(VNPU_INJECT_KIND_ACCESS_FAULT, self->client, bad));
	OK(aclrtMemsetAsync(w->dev, AREA, 1, AREA, w->a));
	EXPECT_EQ(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(w->a));
	EXPECT_NE(NULL, strstr(recent(), address));
	EXPECT_EQ(EFAULT, fault_told(self, self->events));
	ASSERT_EQ(0, error_at(VNPU_INJECT_KIND_ACCESS_FAULT, self->client, bad));
	EXPECT_ACL(BAD_VALUE, aclrtMemset(w->dev, AREA, 2, AREA));
	/* The device is healthy. */
	EXPECT_EQ(before, device_figure(0, VNPU_A_DEV_ECC_UNCORRECTED));
	EXPECT_EQ(HEALTHY, health());
	EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status());
	WORKS(w->a);
}

TEST_F(fault, a_corrected_error_of_memory)
{
	uint64_t before = device_figure(0, VNPU_A_DEV_ECC_CORRECTED);
	struct work *w = &self->w;

	ASSERT_EQ(0, error_at(VNPU_INJECT_KIND_ECC_CORRECTED, self->client,
			      w->dev));
	WORKS(w->a);
	EXPECT_EQ(before + 1, device_figure(0, VNPU_A_DEV_ECC_CORRECTED));
	EXPECT_EQ(HEALTHY, health());
	EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status());
}

/* Lost events are reported to their listener; a program has lost nothing. */
TEST_F(fault, a_lost_event)
{
	void *p;

	ASSERT_EQ(0, fault_set(VNPU_INJECT_KIND_EVENT_OVERRUN, self->client,
			       ANY_CLASS, 1, 0));
	EXPECT_EQ(OUT_OF_MEMORY, aclrtMalloc(&p, 2 * total_bytes(),
					     ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(-ENOBUFS, event_wait(self->events, VNPU_CMD_OOM_NTF,
				       self->buffer));
	EXPECT_EQ(HEALTHY, health());
	EXPECT_EQ(OUT_OF_MEMORY, aclrtMalloc(&p, 2 * total_bytes(),
					     ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(0, event_wait(self->events, VNPU_CMD_OOM_NTF, self->buffer));
	WORKS(self->w.a);
}

TEST_F(fault, faults_without_a_device)
{
	uint64_t epoch = 7;

	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, vnpu_device_lost_epoch(0, NULL));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_device_lost_epoch(64, &epoch));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_DEVICEID,
		   vnpu_device_lost_epoch(-1, &epoch));
	EXPECT_EQ(7, epoch);
}

TEST_HARNESS_MAIN
