// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events shared by two processes: this one, and a peer that executes commands,
 * with streams and a gate of its own.
 */
#include <signal.h>
#include <sys/socket.h>

#include "acl-stream.h"

#define NOT_YET		ACL_ERROR_RT_EVENT_SYNC_TIMEOUT

enum order {
	MAKE, OPEN, CLOSE_GATE, OPEN_GATE, RECORD, WAIT, SYNC_EVENT,
	SYNC_STREAM, ABORT, RENEW_STREAM, RECORD_ANEW, DESTROY,
};

struct message {
	enum order order;
	aclError err;
	aclrtIpcEventHandle handle;
};

/* Objects of each process; stream a records, stream b waits. */
struct side {
	struct work w;
	aclrtEvent event;
};

static aclError obey(struct side *s, struct message *m)
{
	aclrtStream another;
	aclError err;

	switch (m->order) {
	case MAKE:
		err = aclrtCreateEventExWithFlag(&s->event, ACL_EVENT_IPC);
		return err ? err :
		       aclrtIpcGetEventHandle(s->event, &m->handle);
	case OPEN:
		return aclrtIpcOpenEventHandle(m->handle, &s->event);
	case CLOSE_GATE:
		err = aclrtMemset(s->w.gate, 8, 0, 8);
		return err ? err : gate_close(&s->w, s->w.a);
	case OPEN_GATE:
		return gate_open(&s->w);
	case RECORD:
		return aclrtRecordEvent(s->event, s->w.a);
	case WAIT:
		return aclrtStreamWaitEvent(s->w.b, s->event);
	case SYNC_EVENT:
		return aclrtSynchronizeEventWithTimeout(s->event, 50);
	case SYNC_STREAM:
		return aclrtSynchronizeStreamWithTimeout(s->w.b, 50);
	case ABORT:
		return aclrtStreamAbort(s->w.a);
	case RENEW_STREAM:
		err = aclrtDestroyStreamForce(s->w.a);
		return err ? err : aclrtCreateStream(&s->w.a);
	case RECORD_ANEW:
		err = aclrtCreateStream(&another);
		return err ? err : aclrtRecordEvent(s->event, another);
	default:
		return aclrtDestroyEvent(s->event);
	}
}

static void peer_run(int fd)
{
	struct side side = { 0 };
	struct message m;

	if (work_init(&side.w))
		_exit(1);
	while (read(fd, &m, sizeof(m)) == sizeof(m)) {
		m.err = obey(&side, &m);
		if (write(fd, &m, sizeof(m)) != sizeof(m))
			_exit(1);
	}
	_exit(0);
}

FIXTURE(ipc_event) {
	struct side here;
	aclrtIpcEventHandle handle;
	pid_t peer;
	int fd;
};

static aclError tell(FIXTURE_DATA(ipc_event) * self, enum order order)
{
	struct message m = { .order = order, .handle = self->handle };

	if (write(self->fd, &m, sizeof(m)) != sizeof(m) ||
	    read(self->fd, &m, sizeof(m)) != sizeof(m))
		return -1;
	self->handle = m.handle;
	return m.err;
}

static aclError here(FIXTURE_DATA(ipc_event) * self, enum order order)
{
	struct message m = { .order = order, .handle = self->handle };
	aclError err = obey(&self->here, &m);

	self->handle = m.handle;
	return err;
}

static bool is_complete(aclrtEvent event)
{
	aclrtEventRecordedStatus status;

	return !aclrtQueryEventStatus(event, &status) &&
	       status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}

/*
 * Wait until all of its threads are stopped; a running one might still respond.
 */
static bool peer_stop(FIXTURE_DATA(ipc_event) * self)
{
	return !kill(self->peer, SIGSTOP) &&
	       waitpid(self->peer, NULL, WUNTRACED) == self->peer;
}

static void peer_kill(FIXTURE_DATA(ipc_event) * self)
{
	kill(self->peer, SIGKILL);
	child_wait(self->peer);
	close(self->fd);
	self->peer = 0;
}

/* The peer creates the event, and this process opens it. */
FIXTURE_SETUP(ipc_event)
{
	int fds[2];

	fflush(stdout);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				fds));
	self->peer = fork_bound();
	if (!self->peer) {
		close(fds[0]);
		peer_run(fds[1]);
	}
	close(fds[1]);
	self->fd = fds[0];
	OK(work_init(&self->here.w));
	OK(tell(self, MAKE));
	OK(here(self, OPEN));
}

FIXTURE_TEARDOWN(ipc_event)
{
	if (self->peer)
		peer_kill(self);
}

/* So far the event is the peer's; now this process creates it. */
static void make_it_here(struct __test_metadata *_metadata,
			 FIXTURE_DATA(ipc_event) * self)
{
	OK(here(self, DESTROY));
	OK(here(self, MAKE));
	OK(tell(self, DESTROY));
	OK(tell(self, OPEN));
}

/* A record of the peer is blocked, and stream b waits for it. */
static void wait_for_peer(struct __test_metadata *_metadata,
			  FIXTURE_DATA(ipc_event) * self)
{
	OK(tell(self, CLOSE_GATE));
	OK(tell(self, RECORD));
	OK(here(self, WAIT));
	EXPECT_ACL(NOT_YET, here(self, SYNC_EVENT));
}

TEST_F(ipc_event, before_the_first_record)
{
	EXPECT_TRUE(is_complete(self->here.event));
	OK(here(self, WAIT));
	OK(here(self, SYNC_STREAM));
	OK(here(self, SYNC_EVENT));
}

TEST_F(ipc_event, maker_records)
{
	OK(tell(self, CLOSE_GATE));
	OK(tell(self, RECORD));
	EXPECT_FALSE(is_complete(self->here.event));
	EXPECT_ACL(NOT_YET, here(self, SYNC_EVENT));
	EXPECT_EQ(NOT_YET, tell(self, SYNC_EVENT));
	OK(here(self, WAIT));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, here(self, SYNC_STREAM));
	OK(tell(self, OPEN_GATE));
	OK(aclrtSynchronizeEvent(self->here.event));
	OK(aclrtSynchronizeStreamWithTimeout(self->here.w.b, 10000));
	EXPECT_TRUE(is_complete(self->here.event));
}

TEST_F(ipc_event, opener_records)
{
	OK(here(self, CLOSE_GATE));
	OK(here(self, RECORD));
	OK(tell(self, WAIT));
	EXPECT_EQ(NOT_YET, tell(self, SYNC_EVENT));
	EXPECT_EQ(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, tell(self, SYNC_STREAM));
	OK(here(self, OPEN_GATE));
	OK(aclrtSynchronizeEvent(self->here.event));
	OK(tell(self, SYNC_EVENT));
	OK(tell(self, SYNC_STREAM));
}

/* A wait is for the record that is the latest when the wait is made. */
TEST_F(ipc_event, a_later_record_delays_no_wait)
{
	OK(tell(self, RECORD));
	OK(here(self, WAIT));
	OK(here(self, CLOSE_GATE));
	OK(here(self, RECORD));
	OK(aclrtSynchronizeStreamWithTimeout(self->here.w.b, 10000));
	EXPECT_FALSE(is_complete(self->here.event));

	/* Nor does an earlier record on another stream. */
	OK(here(self, WAIT));
	OK(tell(self, RECORD));
	OK(tell(self, WAIT));
	OK(aclrtSynchronizeEvent(self->here.event));
	OK(tell(self, SYNC_EVENT));
	OK(tell(self, SYNC_STREAM));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, here(self, SYNC_STREAM));
	OK(here(self, OPEN_GATE));
	OK(aclrtSynchronizeStreamWithTimeout(self->here.w.b, 60000));
}

/* Completed records stay complete; the handle cannot be opened any more. */
TEST_F(ipc_event, maker_dies_after_a_record)
{
	aclrtEvent another;

	OK(tell(self, RECORD));
	OK(tell(self, SYNC_EVENT));
	peer_kill(self);
	EXPECT_TRUE(is_complete(self->here.event));
	OK(here(self, WAIT));
	OK(here(self, SYNC_STREAM));
	OK(here(self, RECORD));
	OK(aclrtSynchronizeEventWithTimeout(self->here.event, 10000));
	EXPECT_ACL(BAD_VALUE, aclrtIpcOpenEventHandle(self->handle, &another));
}

/* Make all calls on an event whose latest record is complete. */
static void expect_complete(struct __test_metadata *_metadata,
			    FIXTURE_DATA(ipc_event) * self)
{
	OK(aclrtSynchronizeEventWithTimeout(self->here.event, 60000));
	OK(aclrtSynchronizeStreamWithTimeout(self->here.w.b, 60000));
	EXPECT_TRUE(is_complete(self->here.event));
	OK(here(self, RECORD));
	OK(aclrtSynchronizeEventWithTimeout(self->here.event, 60000));
}

/* A record ends with the process that made it, as with its stream. */
TEST_F(ipc_event, maker_dies_with_a_record_queued)
{
	wait_for_peer(_metadata, self);
	peer_kill(self);
	expect_complete(_metadata, self);
	OK(here(self, WAIT));
	OK(aclrtSynchronizeStreamWithTimeout(self->here.w.b, 60000));
}

/* No process has requested the stream of the maker yet. */
TEST_F(ipc_event, maker_dies_before_any_wait)
{
	OK(tell(self, CLOSE_GATE));
	OK(tell(self, RECORD));
	peer_kill(self);
	EXPECT_TRUE(is_complete(self->here.event));
	OK(here(self, WAIT));
	expect_complete(_metadata, self);
}

TEST_F(ipc_event, opener_dies_with_a_record_queued)
{
	make_it_here(_metadata, self);
	wait_for_peer(_metadata, self);
	peer_kill(self);
	expect_complete(_metadata, self);
}

/* The later record is one of another process, and is not complete. */
TEST_F(ipc_event, peer_dies_between_records)
{
	OK(tell(self, CLOSE_GATE));
	OK(tell(self, RECORD));
	OK(here(self, CLOSE_GATE));
	OK(here(self, RECORD));
	OK(here(self, WAIT));
	peer_kill(self);
	EXPECT_ACL(NOT_YET, here(self, SYNC_EVENT));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, here(self, SYNC_STREAM));
	OK(here(self, OPEN_GATE));
	expect_complete(_metadata, self);
}

TEST_F(ipc_event, record_is_aborted)
{
	wait_for_peer(_metadata, self);
	OK(tell(self, ABORT));
	expect_complete(_metadata, self);
	OK(tell(self, RECORD));
	OK(tell(self, SYNC_EVENT));
}

TEST_F(ipc_event, stream_of_a_record_is_destroyed)
{
	wait_for_peer(_metadata, self);
	OK(tell(self, RENEW_STREAM));
	expect_complete(_metadata, self);
	OK(tell(self, RECORD));
	OK(tell(self, SYNC_EVENT));
}

/* Neither the recording nor the waiting process has to keep the event. */
TEST_F(ipc_event, destroyed_with_a_record_queued)
{
	OK(tell(self, CLOSE_GATE));
	OK(tell(self, RECORD));
	OK(here(self, CLOSE_GATE));
	OK(gate_close(&self->here.w, self->here.w.b));
	OK(here(self, WAIT));
	OK(here(self, DESTROY));
	OK(tell(self, DESTROY));
	OK(here(self, OPEN_GATE));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, here(self, SYNC_STREAM));
	OK(tell(self, OPEN_GATE));
	OK(aclrtSynchronizeStreamWithTimeout(self->here.w.b, 60000));
}

/* A wait needs no reply of the process that has recorded. */
TEST_F(ipc_event, maker_is_stopped)
{
	OK(tell(self, CLOSE_GATE));
	OK(tell(self, RECORD));
	ASSERT_TRUE(peer_stop(self));
	EXPECT_FALSE(is_complete(self->here.event));
	EXPECT_ACL(NOT_YET, here(self, SYNC_EVENT));
	OK(here(self, WAIT));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, here(self, SYNC_STREAM));
	peer_kill(self);
	expect_complete(_metadata, self);
}

/*
 * An event outlasts the streams it is recorded on; this many exist at a time.
 */
TEST_F_TIMEOUT(ipc_event, on_many_streams, 120)
{
	enum { MOST = 126 };
	aclrtStream s[MOST + 1];
	int i;

	for (i = 0; i < 2 * MOST; i++) {
		OK(aclrtCreateStream(&s[0]));
		OK(aclrtMemsetAsync(self->here.w.dev, 8, 0, 8, s[0]));
		OK(aclrtRecordEvent(self->here.event, s[0]));
		ASSERT_EQ(ACL_SUCCESS, aclrtDestroyStream(s[0]));
	}
	for (i = 0; i <= MOST; i++) {
		ASSERT_EQ(ACL_SUCCESS, aclrtCreateStream(&s[i]));
		OK(aclrtMemsetAsync(self->here.w.dev, 8, 0, 8, s[i]));
		EXPECT_EQ(i < MOST ? ACL_SUCCESS :
				     ACL_ERROR_RT_NO_EVENT_RESOURCE,
			  aclrtRecordEvent(self->here.event, s[i]));
	}
	OK(tell(self, SYNC_EVENT));
	OK(aclrtDestroyStream(s[0]));
	OK(aclrtRecordEvent(self->here.event, s[MOST]));
	for (i = 1; i <= MOST; i++)
		OK(aclrtDestroyStream(s[i]));
	expect_complete(_metadata, self);
}

TEST_F_TIMEOUT(ipc_event, maker_of_all_records_is_stopped, 240)
{
	for (int i = 0; i < 126; i++)
		ASSERT_EQ(ACL_SUCCESS, tell(self, RECORD_ANEW));
	ASSERT_TRUE(peer_stop(self));
	EXPECT_ACL(ACL_ERROR_RT_NO_EVENT_RESOURCE, here(self, RECORD));
	ASSERT_EQ(0, kill(self->peer, SIGCONT));
}

TEST_F(ipc_event, opener_dies)
{
	make_it_here(_metadata, self);
	OK(tell(self, RECORD));
	OK(tell(self, SYNC_EVENT));
	peer_kill(self);
	OK(here(self, RECORD));
	OK(aclrtSynchronizeEventWithTimeout(self->here.event, 10000));
}

TEST_F(ipc_event, handle_ends_with_the_event)
{
	aclrtIpcEventHandle again, junk;
	aclrtEvent mine, same;

	memset(&again, 0, sizeof(again));
	OK(here(self, DESTROY));
	OK(here(self, OPEN));
	OK(tell(self, DESTROY));
	EXPECT_ACL(BAD_VALUE, aclrtIpcOpenEventHandle(self->handle, &same));

	OK(aclrtCreateEventExWithFlag(&mine, ACL_EVENT_IPC));
	OK(aclrtIpcGetEventHandle(mine, &junk));
	OK(aclrtIpcGetEventHandle(mine, &again));
	EXPECT_EQ(0, memcmp(&junk, &again, sizeof(again)));
	OK(aclrtIpcOpenEventHandle(again, &same));
	OK(aclrtRecordEvent(same, self->here.w.a));
	OK(aclrtSynchronizeEventWithTimeout(mine, 10000));
	OK(aclrtDestroyEvent(mine));
	OK(aclrtSynchronizeEventWithTimeout(same, 10000));

	memset(&junk, 'x', sizeof(junk));
	EXPECT_ACL(BAD_VALUE, aclrtIpcOpenEventHandle(junk, &same));
	again.reserved[20] ^= 1;
	EXPECT_ACL(BAD_VALUE, aclrtIpcOpenEventHandle(again, &same));
}

TEST_F(ipc_event, refused)
{
	const aclError no = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
	aclrtEventWaitStatus waited;
	aclrtEvent e = self->here.event, plain;
	aclrtEventStatus status;
	uint64_t us;
	uint32_t id;
	float ms;

	EXPECT_ACL(BAD_VALUE,
		   aclrtCreateEventExWithFlag(&plain, ACL_EVENT_IPC |
					      ACL_EVENT_SYNC));
	EXPECT_ACL(BAD_VALUE,
		   aclrtCreateEventWithFlag(&plain, ACL_EVENT_IPC));
	OK(here(self, RECORD));
	EXPECT_ACL(no, aclrtResetEvent(e, NULL));
	EXPECT_ACL(no, aclrtQueryEvent(e, &status));
	EXPECT_ACL(no, aclrtQueryEventWaitStatus(e, &waited));
	EXPECT_ACL(no, aclrtEventElapsedTime(&ms, e, e));
	EXPECT_ACL(no, aclrtEventGetTimestamp(e, &us));
	EXPECT_ACL(no, aclrtGetEventId(e, &id));

	OK(aclrtCreateEventExWithFlag(&plain, ACL_EVENT_SYNC));
	EXPECT_ACL(BAD_VALUE, aclrtIpcGetEventHandle(plain, &self->handle));
	/* Only its maker has a handle. */
	EXPECT_ACL(BAD_VALUE, aclrtIpcGetEventHandle(e, &self->handle));
	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcGetEventHandle(NULL, &self->handle));
	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcGetEventHandle(e, NULL));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtIpcGetEventHandle(self->here.w.dev, &self->handle));
	EXPECT_ACL(NULL_OR_ZERO, aclrtIpcOpenEventHandle(self->handle, NULL));
	OK(aclrtResetDevice(0));
	EXPECT_ACL(NO_CONTEXT, aclrtIpcOpenEventHandle(self->handle, &e));
	EXPECT_ACL(NO_CONTEXT, aclrtIpcGetEventHandle(e, &self->handle));
}

TEST_HARNESS_MAIN
