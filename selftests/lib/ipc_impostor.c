// SPDX-License-Identifier: GPL-2.0-only
/*
 * What takes the name of a service of shared memory that is gone: it cannot pass for
 * that.
 */
#include "ipc_stranger.h"

#include <sched.h>

enum { SHORT, WRONG, LINGERS, TWO, REFUSES, RESETS, ANSWERS };

struct impostor {
	int listener;
	int readers[ANSWERS];
};

static void answer_as(int fd, int what, struct impostor *self)
{
	uint64_t reply[5] = { 0, what == REFUSES ? -EACCES : 0, 0x1234, 0, SIZE };
	int fds[2] = { fd, fd };
	struct lingerer l;

	memcpy(reply, "VPNUVSH1", 8);
	if ((what == LINGERS || what == REFUSES || what == RESETS) &&
	    lingerer_init(&l)) {
		self->readers[what] = l.reader;
		lingerer_send(&l, fd, reply, sizeof(reply));
	} else {
		send_with(fd, reply, what == SHORT ? 3 : sizeof(reply), fds,
			  what == TWO ? 2 : 0);
	}
}

static void *impostor(void *arg)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct impostor *self = arg;
	char request[64];
	int what, fd;

	/* Nobody sees half of what it does. */
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &first))
		return NULL;
	for (what = 0; what < ANSWERS; what++) {
		fd = accept(self->listener, NULL, NULL);
		if (fd < 0)
			break;
		/* Who closes what is not read resets the connection. */
		if (recv(fd, request, sizeof(request),
			 what == RESETS ? MSG_PEEK : 0) > 0)
			answer_as(fd, what, self);
		close(fd);
	}
	return NULL;
}

FIXTURE(impostor) {
};

FIXTURE_SETUP(impostor)
{
}

FIXTURE_TEARDOWN(impostor)
{
}

TEST_F_TIMEOUT(impostor, is_found_out, LINGER_S)
{
	uint64_t until = now_ms() + LINGER_S * 1000 / 2;
	struct impostor who = { .readers = { -1, -1, -1, -1, -1, -1 } };
	struct sockaddr_un address;
	struct memory m;
	struct peer peer;
	union name name = { 0 };
	pthread_t thread;
	socklen_t length;
	cpu_set_t one;
	int fds, i;

	if (!loopback_is_up())
		SKIP(return, "no loopback device, and it needs an administrator");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	peer_start(&peer);
	OK(aclrtSetDevice(0));
	OK(tell(&peer, MAKE, KEY, 0, NULL));
	OK(tell(&peer, EXPORT, KEY, 1, &name));
	ASSERT_EQ(0, peer_kill(&peer));

	length = service_address(name.key, &address);
	who.listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	ASSERT_EQ(0, bind(who.listener, (struct sockaddr *)&address, length));
	ASSERT_EQ(0, listen(who.listener, 1));
	fds = count_fds();
	ASSERT_EQ(0, pthread_create(&thread, NULL, impostor, &who));
	for (i = 0; i < REFUSES; i++)
		EXPECT_ACL(NO_SUCH_KEY, import(&m, KEY, &name));
	EXPECT_ACL(NOT_ALLOWED, import(&m, KEY, &name));
	EXPECT_ACL(NO_SUCH_KEY, import(&m, KEY, &name));
	pthread_join(thread, NULL);
	EXPECT_GT(until, now_ms());
	for (i = 0; i < ANSWERS; i++)
		if (who.readers[i] >= 0)
			close(who.readers[i]);
	/* Threads close them. */
	while (count_fds() != fds && now_ms() < until)
		usleep(1000);
	EXPECT_EQ(fds, count_fds());
	close(who.listener);
	EXPECT_ACL(NO_SUCH_KEY, import(&m, KEY, &name));
}

TEST_HARNESS_MAIN
