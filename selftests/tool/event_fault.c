// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of tasks that fail at an address: the task, the address and the
 * reason. The reports of a program that fails as fast as it can are limited.
 */
#include <stdlib.h>

#include "nl.h"
#include "stream.h"
#include "util.h"

#include "kselftest_harness.h"

/* The values of vnpu.yaml. */
#define BURST		3
#define SECONDS		5

#define MANY		400

/* A failing task, with all that the event reports. */
struct program {
	struct client c;
	struct stream s;
	uint64_t id;
	uint64_t va;
};

FIXTURE(event_fault) {
	struct program program;
	uint8_t *buffer;
	int fd;
};

static int program_start(struct program *p)
{
	struct vnpu_info i;
	int ret = client_open(&p->c);

	if (ret)
		return ret;
	p->va = p->c.base + MIB(2);
	ret = info(&p->c, &i);
	p->id = i.out_client_id;
	if (!ret)
		ret = mem_alloc_at(&p->c, 0, 0, 0, PAGE, p->va);
	if (!ret)
		ret = stream_create(&p->s, &p->c, 0);
	if (ret)
		client_close(&p->c);
	return ret;
}

static void program_end(struct program *p)
{
	stream_destroy(&p->s);
	client_close(&p->c);
}

FIXTURE_SETUP(event_fault)
{
	self->buffer = malloc(NL_BUFFER);
	ASSERT_NE(NULL, self->buffer);
	ASSERT_EQ(0, program_start(&self->program));
	self->fd = nl_open_events(self->buffer);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(event_fault)
{
	close(self->fd);
	program_end(&self->program);
	free(self->buffer);
}

/* Wait for the next event of @client: a fault, or its end. */
static int next_of(const FIXTURE_DATA(event_fault) * self, uint64_t client)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	const struct genlmsghdr *genl = NLMSG_DATA(head);
	ssize_t ret;

	for (;;) {
		ret = nl_receive(self->fd, self->buffer);
		if (ret < 0)
			return (int)ret;
		if (genl->cmd == VNPU_CMD_TASK_FAULT_NTF &&
		    nl_u64(head, VNPU_A_TASK_FAULT_CLIENT_ID) == client)
			return genl->cmd;
		if (genl->cmd == VNPU_CMD_CLOSE_NTF &&
		    nl_u64(head, VNPU_A_CLIENT_ID) == client)
			return genl->cmd;
	}
}

static void expect_fault(struct __test_metadata *_metadata,
			 const FIXTURE_DATA(event_fault) * self, int error)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	const struct program *p = &self->program;

	ASSERT_EQ(VNPU_CMD_TASK_FAULT_NTF, next_of(self, p->id));
	EXPECT_EQ(0, nl_u32(head, VNPU_A_TASK_FAULT_DEV_ID));
	EXPECT_EQ(p->s.id, nl_u64(head, VNPU_A_TASK_FAULT_STREAM_ID));
	EXPECT_EQ(p->s.number, nl_u32(head, VNPU_A_TASK_FAULT_STREAM_NUMBER));
	EXPECT_EQ(p->s.last, nl_u64(head, VNPU_A_TASK_FAULT_TASK));
	EXPECT_EQ(VNPU_TASK_COPY, nl_u32(head, VNPU_A_TASK_FAULT_OP));
	EXPECT_EQ(error, nl_u32(head, VNPU_A_TASK_FAULT_ERROR));
	EXPECT_EQ(0, nl_u64(head, VNPU_A_TASK_FAULT_UNREPORTED));
}

TEST_F(event_fault, unbound_address)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	struct program *p = &self->program;

	ASSERT_EQ(0, stream_do(&p->s, task_fill(p->va, PAGE, 0, 8)));
	ASSERT_EQ(-EFAULT, stream_do(&p->s, task_copy(p->va, p->va + MIB(1),
						      PAGE)));
	expect_fault(_metadata, self, EFAULT);
	EXPECT_EQ(MIB(3), nl_u64(head, VNPU_A_TASK_FAULT_OFFSET));

	/* At the end of a binding. */
	ASSERT_EQ(-EFAULT, stream_do(&p->s, task_copy(p->va + PAGE / 2, p->va,
						      PAGE / 2 + 1)));
	expect_fault(_metadata, self, EFAULT);
	EXPECT_EQ(MIB(2) + PAGE, nl_u64(head, VNPU_A_TASK_FAULT_OFFSET));
}

TEST_F(event_fault, access_denied)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	struct program *p = &self->program;

	ASSERT_EQ(0, va_protect(&p->c, p->va, PAGE, 0, VNPU_ACCESS_READ));
	ASSERT_EQ(-EACCES, stream_do(&p->s, task_copy(p->va + 8, p->va, 8)));
	expect_fault(_metadata, self, EACCES);
	EXPECT_EQ(MIB(2) + 8, nl_u64(head, VNPU_A_TASK_FAULT_OFFSET));
}

/* Other users only get the fact that the address is elsewhere. */
TEST_F(event_fault, address_outside_of_the_window)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	struct program *p = &self->program;
	const uint64_t places[BURST] = {
		0, p->c.base - 1, p->c.base + WINDOW_SIZE,
	};
	uint16_t size;
	size_t i;

	for (i = 0; i < BURST; i++) {
		ASSERT_EQ(-EFAULT, stream_do(&p->s, task_copy(p->va, places[i],
							      1)));
		expect_fault(_metadata, self, EFAULT);
		EXPECT_EQ(NULL, nl_attr(head, VNPU_A_TASK_FAULT_OFFSET, &size));
	}
}

/*
 * All failures are counted; those that are reported come before the report of
 * the client's end.
 */
TEST_F(event_fault, reports_are_limited)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	uint64_t last = 0, start = now_ns(), intervals;
	struct program p;
	unsigned int reported;
	int i;

	ASSERT_EQ(0, program_start(&p));
	for (i = 0; i < MANY; i++)
		stream_put(&p.s, task_copy(p.va, p.va + PAGE, 1));
	ASSERT_EQ(0, stream_submit(&p.s));
	ASSERT_EQ(0, stream_wait(&p.s, NL_SECONDS * 1000));
	EXPECT_EQ(MANY, p.s.ring->errors);
	program_end(&p);
	/* The driver counts in ticks, so allow one more. */
	intervals = (now_ns() - start) / (SECONDS * 1000000000ULL) + 2;

	for (reported = 0; next_of(self, p.id) == VNPU_CMD_TASK_FAULT_NTF; reported++) {
		uint64_t seq = nl_u64(head, VNPU_A_TASK_FAULT_TASK);

		EXPECT_EQ(seq - last - 1,
			  nl_u64(head, VNPU_A_TASK_FAULT_UNREPORTED));
		last = seq;
	}
	EXPECT_EQ(VNPU_CMD_CLOSE_NTF,
		  ((const struct genlmsghdr *)NLMSG_DATA(head))->cmd);
	EXPECT_LE(1, reported);
	EXPECT_LE(reported, BURST * intervals);
}

/* One client's limit does not affect another client. */
TEST_F(event_fault, limit_of_each_client)
{
	struct program *p = &self->program, flood;
	int i;

	ASSERT_EQ(0, program_start(&flood));
	for (i = 0; i < MANY; i++)
		stream_put(&flood.s, task_copy(flood.va, flood.va + PAGE, 1));
	ASSERT_EQ(0, stream_submit(&flood.s));
	ASSERT_EQ(0, stream_wait(&flood.s, NL_SECONDS * 1000));
	ASSERT_EQ(-EFAULT, stream_do(&p->s, task_copy(p->va, p->va + PAGE, 1)));
	expect_fault(_metadata, self, EFAULT);
	program_end(&flood);
}

TEST_HARNESS_MAIN
