// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of streams in the netlink family: their current state, complete with
 * any number of them, and also while streams begin and end.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "nl_stream.h"

#define CLIENTS		20
#define STREAMS		30	/* for each client */

TEST_F(streams, a_new_stream)
{
	struct stream_reply t;

	ASSERT_EQ(0, ask(self, &self->s, &t));
	EXPECT_EQ(self->s.number, t.number);
	EXPECT_EQ(0, t.device);
	EXPECT_EQ(0, t.priority);
	EXPECT_EQ(VNPU_STREAM_STATE_IDLE, t.state);
	EXPECT_EQ(0, t.submitted);
	EXPECT_EQ(0, t.completed);
	EXPECT_EQ(UINT64_MAX, t.seq);
	EXPECT_EQ(0, t.errors);
	EXPECT_EQ(0, t.cancelled);
	EXPECT_EQ(0, t.busy);
	EXPECT_FALSE(t.has_error);
	EXPECT_FALSE(t.stopped);
	EXPECT_FALSE(t.broken);
	ASSERT_EQ(0, stream_set(&self->s, VNPU_STREAM_SET_F_PRIORITY, 5, 0, 0));
	ASSERT_EQ(0, ask(self, &self->s, &t));
	EXPECT_EQ(5, t.priority);
}

TEST_F(streams, completed_work)
{
	struct vnpu_stream_query q;
	struct stream_reply t;

	ASSERT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
	ASSERT_EQ(-EFAULT, stream_do(&self->s, task_fill(self->va + MIB(32),
							 4096, 0, 1)));
	ASSERT_EQ(0, stream_do(&self->s, task_fill(self->va, MIB(1), 0, 1)));
	ASSERT_EQ(0, ask_until(self, &self->s, VNPU_STREAM_STATE_IDLE, &t));
	ASSERT_EQ(0, stream_query(&self->s, &q));
	EXPECT_EQ(3, t.submitted);
	EXPECT_EQ(3, t.completed);
	EXPECT_EQ(UINT64_MAX, t.seq);
	EXPECT_EQ(VNPU_ENGINE_CLASS_VECTOR, t.class);
	EXPECT_EQ(1, t.errors);
	EXPECT_EQ(EFAULT, t.error);
	EXPECT_EQ(VNPU_TASK_FILL, t.error_op);
	EXPECT_EQ(2, t.error_seq);
	EXPECT_EQ(q.out_busy_ns, t.busy);
	EXPECT_LT(0, t.busy);
}

TEST_F(streams, a_waiting_stream)
{
	struct stream_reply t, later;
	__u64 id;
	int i;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	stream_put(&self->s, task_wait(id, 1));
	for (i = 0; i < 10; i++)
		stream_put(&self->s, (struct vnpu_task){});
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, ask_until(self, &self->s, VNPU_STREAM_STATE_BLOCKED, &t));
	usleep(20000);
	ASSERT_EQ(0, ask(self, &self->s, &later));
	EXPECT_EQ(11, later.submitted);
	EXPECT_EQ(0, later.completed);
	EXPECT_EQ(1, later.seq);
	EXPECT_EQ(VNPU_TASK_WAIT, later.op);
	EXPECT_LE(t.time + 20000000, later.time);
	EXPECT_GT(20000000000, later.time);
	/* A waiting stream is not busy. */
	EXPECT_GT(10000000, later.busy);

	ASSERT_EQ(0, timeline_signal(&self->c, id, 1, VNPU_SIGNAL_ADVANCE));
	ASSERT_EQ(0, stream_wait(&self->s, 10000));
	ASSERT_EQ(0, ask(self, &self->s, &t));
	EXPECT_EQ(11, t.completed);
	EXPECT_EQ(UINT64_MAX, t.seq);
}

TEST_F(streams, a_stopped_stream)
{
	struct stream_reply t;

	ASSERT_EQ(0, stream_set(&self->s, VNPU_STREAM_SET_F_STOP, 0, 1, 0));
	stream_put(&self->s, (struct vnpu_task){ .op = 255 });
	stream_put(&self->s, (struct vnpu_task){});
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_wait(&self->s, 10000));
	ASSERT_EQ(0, ask_until(self, &self->s, VNPU_STREAM_STATE_IDLE, &t));
	EXPECT_TRUE(t.stopped);
	EXPECT_EQ(EINVAL, t.error);
	EXPECT_EQ(255, t.error_op);
	EXPECT_EQ(1, t.errors);
	EXPECT_EQ(1, t.cancelled);
}

/* Whatever the ring contains, reported values are plausible. */
TEST_F(streams, an_invalid_tail)
{
	struct stream_reply t;

	ASSERT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
	self->s.ring->tail = 1ULL << 63;
	ASSERT_EQ(0, ask(self, &self->s, &t));
	EXPECT_EQ(1, t.submitted);
	EXPECT_EQ(1, t.completed);
	stream_doorbell(&self->s);
	EXPECT_EQ(-EIO, stream_wait(&self->s, 10000) ?:
			wait_point(&self->c, self->s.id, 2, in_ms(10000)));
	ASSERT_EQ(0, ask_until(self, &self->s, VNPU_STREAM_STATE_IDLE, &t));
	EXPECT_TRUE(t.broken);
	EXPECT_EQ(1, t.submitted);
	EXPECT_EQ(1, t.completed);
	EXPECT_EQ(UINT64_MAX, t.seq);
}

struct all {
	uint64_t client;
	uint64_t id;
	uint64_t mine;
};

static int count_stream(const struct nlmsghdr *head, void *arg)
{
	uint64_t client = nl_u64(head, VNPU_A_STREAM_CLIENT_ID);
	uint64_t id = nl_u64(head, VNPU_A_STREAM_ID);
	uint64_t submitted = nl_u64(head, VNPU_A_STREAM_SUBMITTED);
	uint64_t completed = nl_u64(head, VNPU_A_STREAM_COMPLETED);
	struct all *all = arg;

	/* In order, so none comes twice. */
	if (client < all->client || (client == all->client && id <= all->id))
		return -EBADMSG;
	if (submitted - completed > VNPU_RING_TASKS)
		return -ERANGE;
	all->client = client;
	all->id = id;
	all->mine += nl_u32(head, VNPU_A_STREAM_PID) == (uint32_t)getpid();
	return 0;
}

static int ask_all(FIXTURE_DATA(streams) * self, struct all *all)
{
	memset(all, 0, sizeof(*all));
	return nl_dump(self->fd, self->family, VNPU_CMD_STREAM_GET,
		       count_stream, all);
}

struct sums {
	uint64_t streams;
	uint64_t busy;
};

static int sum_client(const struct nlmsghdr *head, void *arg)
{
	struct sums *sums = arg;

	if (nl_u32(head, VNPU_A_CLIENT_PID) != (uint32_t)getpid())
		return 0;
	sums->streams += nl_u32(head, VNPU_A_CLIENT_STREAMS);
	sums->busy += nl_u64(head, VNPU_A_CLIENT_BUSY);
	return 0;
}

static int ask_clients(FIXTURE_DATA(streams) * self, struct sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	return nl_dump(self->fd, self->family, VNPU_CMD_CLIENT_GET, sum_client,
		       sums);
}

/* More than a message has room for, among timelines that are not streams. */
TEST_F(streams, many_of_many_clients)
{
	static struct client clients[CLIENTS];
	struct stream s[STREAMS];
	struct vnpu_stream_query q;
	struct sums sums;
	struct all all;
	__u64 id;
	int i, j;

	ASSERT_EQ(0, stream_do(&self->s, task_fill(self->va, MIB(1), 0, 1)));
	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, client_open_only(&clients[i]));
		for (j = 0; j < STREAMS; j++) {
			ASSERT_EQ(0, stream_create_only(&s[j], &clients[i], 0,
							0, 0, 0));
			ASSERT_EQ(0, timeline_create(&clients[i], 0, 0, 0,
						     &id));
		}
		ASSERT_EQ(0, stream_destroy(&s[i]));
	}
	EXPECT_LE(CLIENTS * (STREAMS - 1) + 1, ask_all(self, &all));
	EXPECT_EQ(CLIENTS * (STREAMS - 1) + 1, all.mine);
	ASSERT_LE(CLIENTS + 1, ask_clients(self, &sums));
	ASSERT_EQ(0, stream_query(&self->s, &q));
	EXPECT_EQ(CLIENTS * (STREAMS - 1) + 1, sums.streams);
	EXPECT_EQ(q.out_busy_ns, sums.busy);
	for (i = 0; i < CLIENTS; i++)
		client_close(&clients[i]);
	EXPECT_LE(1, ask_all(self, &all));
	EXPECT_EQ(1, all.mine);
}

/* An imported stream is reported for its creator only. */
TEST_F(streams, an_import_is_not_a_stream)
{
	int file = timeline_export(&self->c, self->s.id, 0);
	struct all before, after;
	struct client c;
	__u32 kind;
	__u64 id;

	ASSERT_LE(0, file);
	ASSERT_LE(1, ask_all(self, &before));
	ASSERT_EQ(0, client_open_only(&c));
	ASSERT_EQ(0, timeline_import(&c, file, &id, &kind));
	ASSERT_EQ(VNPU_TIMELINE_KIND_STREAM, kind);
	ASSERT_LE(1, ask_all(self, &after));
	EXPECT_EQ(before.mine, after.mine);
	client_close(&c);
	close(file);
}

static void *come_and_go(void *arg)
{
	atomic_bool *stop = arg;
	struct stream s[8];
	struct client c;
	intptr_t rounds;
	int i;

	for (rounds = 1; !*stop; rounds++) {
		if (client_open(&c))
			return (void *)-1;
		for (i = 0; i < 8; i++)
			if (stream_create(&s[i], &c, 0) ||
			    stream_run(&s[i], task_wait(s[i / 2].id, 1)))
				return (void *)-2;
		/* Some streams end by themselves, some with their client. */
		for (i = 0; i < 8; i += 2)
			if (stream_destroy(&s[i]))
				return (void *)-3;
		for (i = 1; i < 8; i += 2)
			munmap(s[i].ring, s[i].map_size);
		client_close(&c);
	}
	return (void *)rounds;
}

TEST_F_TIMEOUT(streams, streams_come_and_go, 60)
{
	uint64_t end = now_ms() + 1500;
	atomic_bool stop = false;
	pthread_t thread[3];
	unsigned int interrupted = 0;
	struct engines e;
	struct sums sums;
	struct all all;
	void *result;
	int i, ret;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, come_and_go,
					    &stop));
	while (now_ms() < end) {
		ret = ask_all(self, &all);
		EXPECT_TRUE(ret >= 0 || ret == -EINTR);
		interrupted += ret == -EINTR;
		ret = ask_clients(self, &sums);
		EXPECT_TRUE(ret >= 0 || ret == -EINTR);
		EXPECT_LT(0, ask_engines(self, &e));
	}
	stop = true;
	for (i = 0; i < 3; i++) {
		pthread_join(thread[i], &result);
		EXPECT_LT(0, (intptr_t)result);
	}
	TH_LOG("%u dumps were disturbed", interrupted);
	EXPECT_LE(1, ask_all(self, &all));
	EXPECT_EQ(1, all.mine);
	ASSERT_LE(1, ask_clients(self, &sums));
	EXPECT_EQ(1, sums.streams);
}

/*
 * If a stream ends after the dump has begun, the dump is marked as
 * inconsistent.
 */
TEST_F(streams, a_dump_reports_that_the_list_changed)
{
	static struct stream s[500];
	uint8_t answer[4096] __attribute__((aligned(8)));
	const struct nlmsghdr *head;
	bool interrupted = false, done = false;
	struct nl_msg m;
	ssize_t left;
	int i;

	for (i = 0; i < 500; i++)
		ASSERT_EQ(0, stream_create_only(&s[i], &self->c, 0, 0, 0, 0));
	nl_init(&m, (uint16_t)self->family, NLM_F_DUMP, VNPU_CMD_STREAM_GET);
	ASSERT_EQ(0, nl_send(self->fd, &m, m.head.nlmsg_len));
	ASSERT_GT(recv(self->fd, answer, sizeof(answer), 0), 0);
	for (i = 0; i < 500; i++)
		ASSERT_EQ(0, stream_destroy(&s[i]));
	while (!done) {
		left = recv(self->fd, answer, sizeof(answer), 0);
		ASSERT_GT(left, 0);
		for (head = (void *)answer; NLMSG_OK(head, left);
		     head = NLMSG_NEXT(head, left)) {
			interrupted |= !!(head->nlmsg_flags & NLM_F_DUMP_INTR);
			done |= head->nlmsg_type == NLMSG_DONE;
		}
	}
	EXPECT_TRUE(interrupted);
}

TEST_F(streams, can_only_be_dumped)
{
	uint8_t answer[NL_BUFFER];
	struct nl_msg m;

	nl_init(&m, (uint16_t)self->family, 0, VNPU_CMD_STREAM_GET);
	EXPECT_EQ(-EOPNOTSUPP, nl_ask(self->fd, &m, answer));
	nl_init(&m, (uint16_t)self->family, 0, VNPU_CMD_ENGINE_GET);
	EXPECT_EQ(-EOPNOTSUPP, nl_ask(self->fd, &m, answer));
}

TEST_HARNESS_MAIN
