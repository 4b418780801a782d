// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of engines in the netlink family: the stream that each runs, and busy
 * times.
 */
#include "core.h"
#include "nl_stream.h"

#define FILLS		1500	/* of 16 MiB: some seconds */

/*
 * The busy time that sysfs reports for all engines; for vector engines alone in
 * @busy.
 */
static int ask_device(FIXTURE_DATA(streams) * self, uint32_t count[3],
		      uint64_t *busy, uint64_t *time, uint32_t *streams)
{
	static uint8_t answer[NL_BUFFER];
	const struct nlmsghdr *head = (void *)answer;
	const char *pos = (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
	struct nl_msg m;
	size_t left;
	int ret;

	nl_init(&m, (uint16_t)self->family, 0, VNPU_CMD_DEV_GET);
	nl_put_u32(&m, VNPU_A_DEV_ID, 0);
	ret = nl_ask(self->fd, &m, answer);
	if (ret)
		return ret;
	*time = nl_u64(head, VNPU_A_DEV_TIME);
	*streams = nl_u32(head, VNPU_A_DEV_STREAMS);
	for (left = NLMSG_PAYLOAD(head, GENL_HDRLEN); left >= NLA_HDRLEN;) {
		const struct nlattr *attr = (const void *)pos;
		size_t step = NLA_ALIGN(attr->nla_len);
		size_t length = attr->nla_len - NLA_HDRLEN;
		const uint32_t *class;
		uint16_t size;

		if ((attr->nla_type & NLA_TYPE_MASK) == VNPU_A_DEV_ENGINES) {
			class = nl_find(attr + 1, length,
					VNPU_A_DEV_ENGINES_CLASS, &size);
			count[*class] = *(const uint32_t *)
				nl_find(attr + 1, length,
					VNPU_A_DEV_ENGINES_COUNT, &size);
			if (*class == VNPU_ENGINE_CLASS_VECTOR)
				memcpy(busy, nl_find(attr + 1, length,
						     VNPU_A_DEV_ENGINES_BUSY,
						     &size), sizeof(*busy));
		}
		if (step > left)
			break;
		pos += step;
		left -= step;
	}
	return 0;
}

TEST_F(streams, a_busy_engine)
{
	uint64_t busy[2] = {}, time[2] = {};
	uint32_t count[3] = {}, streams;
	struct engines before, e;
	struct stream_reply t;
	int i, ret;

	ASSERT_LT(0, ask_engines(self, &before));
	for (i = 0; i < FILLS; i++)
		stream_put(&self->s, task_fill(self->va, MIB(16), 0, 8));
	ASSERT_EQ(0, stream_submit(&self->s));
	/*
	 * Before the first task is complete, an engine that cannot run it may
	 * have it.
	 */
	ASSERT_EQ(0, wait_point(&self->c, self->s.id, 1, in_ms(10000)));
	/* The current task is reported only from its second turn on. */
	do {
		ASSERT_EQ(0, ask_until(self, &self->s,
				       VNPU_STREAM_STATE_RUNNING, &t));
	} while (t.op == UINT32_MAX);
	EXPECT_EQ(VNPU_ENGINE_CLASS_VECTOR, t.class);
	EXPECT_EQ(VNPU_TASK_FILL, t.op);
	EXPECT_EQ(t.completed + 1, t.seq);
	EXPECT_EQ(FILLS, t.submitted);

	ASSERT_EQ(0, ask_device(self, count, &busy[0], &time[0], &streams));
	usleep(100000);
	ASSERT_EQ(0, ask_device(self, count, &busy[1], &time[1], &streams));
	for (i = 0; i < 1000; i++) {
		ret = ask_engines(self, &e);
		ASSERT_EQ(count[0] + count[1], ret);
		if (e.running[1] == 1)
			break;
	}
	EXPECT_EQ(count[0], e.count[0]);
	EXPECT_EQ(count[1], e.count[1]);
	EXPECT_EQ(1, e.running[1]);
	EXPECT_EQ(t.client, e.client);
	EXPECT_EQ(self->s.number, e.number);
	EXPECT_LE(1, streams);
	TH_LOG("%llu us of %llu us", (busy[1] - busy[0]) / 1000ULL,
	       (time[1] - time[0]) / 1000ULL);
	EXPECT_LE((time[1] - time[0]) / 4, busy[1] - busy[0]);
	EXPECT_GE((time[1] - time[0]) * count[1] + 10000000, busy[1] - busy[0]);
	EXPECT_LT(before.busy[1], e.busy[1]);

	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	do {
		usleep(1000);
		ASSERT_LT(0, ask_engines(self, &e));
	} while (e.asleep < e.count[0] + e.count[1]);
	EXPECT_LE(before.tasks[1], e.tasks[1]);
	EXPECT_EQ(0, e.running[0] + e.running[1]);
}

#define LOOKS_MS	1000
#define LOOKS		8	/* after each task */

static __u64 busy_us(int file)
{
	char text[32] = "";

	if (pread(file, text, sizeof(text) - 1, 0) <= 0)
		abort();
	return strtoull(text, NULL, 10);
}

/*
 * A reader at the end of a turn does not get a larger value than a later
 * reader.
 */
TEST_F_TIMEOUT(streams, busy_time_never_decreases, 60)
{
	__u64 end = now_ms() + LOOKS_MS, last = 0, busy, looks = 0;
	int i, file;

	file = open("/sys/class/vnpu/vnpu0/vector_busy_time_us",
		    O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	do {
		ASSERT_EQ(0, stream_run(&self->s,
					task_fill(self->va, 64, 1, 1)));
		for (i = 0; i < LOOKS; i++, looks++) {
			busy = busy_us(file);
			ASSERT_LE(last, busy) {
				TH_LOG("after %llu looks", looks);
			}
			last = busy;
		}
		ASSERT_EQ(0, stream_wait(&self->s, 30000));
	} while (now_ms() < end);
	close(file);
}

/* The kernels of this process that a dump reports, and what it reports of "add". */
struct kernels {
	int own;
	int unnamed;	/* launches */
	char name[VNPU_ENGINE_NAME_MAX];
	uint64_t client, launches, busy;
	uint32_t device;
};

static int take_kernel(const struct nlmsghdr *head, void *arg)
{
	struct kernels *k = arg;
	const char *name;
	uint16_t size;

	if (nl_u32(head, VNPU_A_KERNEL_PID) != (uint32_t)getpid())
		return 0;
	k->own++;
	name = nl_attr(head, VNPU_A_KERNEL_NAME, &size);
	if (!name || !*name) {
		k->unnamed = (int)nl_u64(head, VNPU_A_KERNEL_LAUNCHES);
		return 0;
	}
	strncpy(k->name, name, sizeof(k->name) - 1);
	k->client = nl_u64(head, VNPU_A_KERNEL_CLIENT_ID);
	k->device = nl_u32(head, VNPU_A_KERNEL_DEV_ID);
	k->launches = nl_u64(head, VNPU_A_KERNEL_LAUNCHES);
	k->busy = nl_u64(head, VNPU_A_KERNEL_BUSY);
	return 0;
}

static int ask_kernels(FIXTURE_DATA(streams) * self, struct kernels *k)
{
	*k = (struct kernels){ 0 };
	return nl_dump(self->fd, self->family, VNPU_CMD_KERNEL_GET,
		       take_kernel, k);
}

/* The driver counts the launches of each kernel, and their time. */
TEST_F(streams, kernels_of_a_core)
{
	struct vnpu_engine_attach at;
	struct kernels k;
	uint32_t i;
	int fd;

	fd = engine_create(&self->c, 0, 2);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &at));
	ASSERT_EQ(0, engine_name(fd, 7, "add"));
	ASSERT_LE(0, ask_kernels(self, &k));
	EXPECT_EQ(0, k.own);
	ASSERT_EQ(0, engine_run_kernel(fd, &self->s, 7, 20));
	ASSERT_EQ(0, engine_run_kernel(fd, &self->s, 7, 30));
	ASSERT_EQ(0, engine_run_kernel(fd, &self->s, 0, 0));
	ASSERT_EQ(0, engine_run_kernel(fd, &self->s, 8, 0));
	ASSERT_LE(2, ask_kernels(self, &k));
	EXPECT_EQ(2, k.own);
	EXPECT_EQ(2, k.unnamed);
	EXPECT_STREQ("add", k.name);
	EXPECT_EQ(at.out_client_id, k.client);
	EXPECT_EQ(0, k.device);
	EXPECT_EQ(2, k.launches);
	EXPECT_LE(50000000, k.busy);
	EXPECT_GE(5000000000, k.busy);
	/* So many are read in several parts. */
	for (i = 8; i < VNPU_ENGINE_KERNELS_MAX; i++) {
		ASSERT_EQ(0, engine_name(fd, i, "a kernel with a longer name"));
		ASSERT_EQ(0, engine_run_kernel(fd, &self->s, i, 0));
	}
	ASSERT_LE(0, ask_kernels(self, &k));
	EXPECT_EQ(VNPU_ENGINE_KERNELS_MAX - 6, k.own);
	EXPECT_EQ(2, k.unnamed);
	/* A wrong number completes nothing. */
	EXPECT_EQ(-EINVAL, engine_run_kernel(fd, &self->s,
					     VNPU_ENGINE_KERNELS_MAX, 0));
	close(fd);
	ASSERT_LE(0, ask_kernels(self, &k));
	EXPECT_EQ(0, k.own);
}

TEST_HARNESS_MAIN
