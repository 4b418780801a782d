// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers that mean no good to what serves shared memory, or do not answer.  Whom
 * to talk to is told by the key.
 */
#include "ipc_key.h"

#include <stddef.h>
#include <sys/un.h>

static socklen_t service_address(const char *key, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       sprintf(address->sun_path + 1, "vnpu-share-%.5s", key + 5);
}

/* A connection to the service, or -1. */
static int service_connect(const char *key)
{
	struct sockaddr_un address;
	socklen_t length = service_address(key, &address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, length)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void send_junk(int fd, struct rng *rng, size_t bytes, bool with_fd)
{
	union {
		struct cmsghdr align;
		char buffer[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char junk[512];
	struct iovec iov = { .iov_base = junk, .iov_len = bytes };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	rng_fill(rng, junk, sizeof(junk));
	/* Half of them look right at first sight. */
	if (rng_next(rng) % 2)
		memcpy(junk, "VPNUVSH1", 8);
	if (with_fd) {
		struct cmsghdr *cmsg;

		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		cmsg = CMSG_FIRSTHDR(&message);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

TEST_F(key, junk_is_sent)
{
	static const size_t sizes[] = { 0, 1, 8, 23, 24, 25, 40, 512 };
	struct rng rng = rng_init();
	int i, fd;
	void *p;

	for (i = 0; i < 400; i++) {
		fd = service_connect(self->key);
		ASSERT_LE(0, fd);
		/* Some say nothing; answers are never read. */
		if (i % 7)
			send_junk(fd, &rng, sizes[i % ARRAY_SIZE(sizes)],
				  i % 5 == 0);
		close(fd);
	}
	OK(aclrtIpcMemImportByKey(&p, self->key, 0));
	OK(aclrtIpcMemClose(self->key));
}

/* As many places as there are for a user are taken, and stay so. */
TEST_F(key, peers_are_silent)
{
	int fds[16], i;
	char byte;
	void *p;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = service_connect(self->key);
		ASSERT_LE(0, fds[i]);
	}
	/* This user, too, gets its turn when their time is up. */
	OK(aclrtIpcMemImportByKey(&p, self->key, 0));
	OK(aclrtIpcMemClose(self->key));
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		EXPECT_EQ(0, recv(fds[i], &byte, 1, 0));
		close(fds[i]);
	}
}

#define FLOODERS	4

static void flood(const char *key)
{
	struct rng rng = rng_init();
	int held[64], i = 0;

	memset(held, -1, sizeof(held));
	for (;; i = (i + 1) % ARRAY_SIZE(held)) {
		if (held[i] >= 0)
			close(held[i]);
		held[i] = service_connect(key);
		/* One in four is silent until it is closed. */
		if (held[i] >= 0 && i % 4)
			send_junk(held[i], &rng, 24, false);
	}
}

static bool is_user(uid_t uid)
{
	return !setresuid(uid, uid, uid);
}

/* Other users may connect, and guess: none of them keeps this one from its memory. */
TEST_F_TIMEOUT(key, others_flood, 120)
{
	pid_t pids[FLOODERS];
	int i, round;
	void *p;

	if (geteuid())
		SKIP(return, "needs root, to be other users");
	fflush(stdout);
	for (i = 0; i < FLOODERS; i++) {
		pids[i] = fork_bound();
		if (!pids[i]) {
			if (!is_user(65534 - i / 2))
				_exit(1);
			flood(self->key);
		}
	}
	usleep(200000);
	for (round = 0; round < 10; round++) {
		OK(aclrtIpcMemImportByKey(&p, self->key, 0));
		OK(aclrtIpcMemClose(self->key));
	}
	for (i = 0; i < FLOODERS; i++) {
		EXPECT_EQ(0, kill(pids[i], SIGKILL));
		EXPECT_EQ(pids[i], waitpid(pids[i], NULL, 0));
	}
}

/* What takes the name of a service that is gone cannot pass for it. */
static void *impostor(void *arg)
{
	uint64_t reply[5] = { 0, 0, 0x1234, 0, SIZE };
	int listener = *(int *)arg, rounds = 2, fd;
	char request[64];

	memcpy(reply, "VPNUVSH1", 8);
	while (rounds--) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			break;
		if (recv(fd, request, sizeof(request), 0) > 0)
			send(fd, reply, rounds ? 3 : sizeof(reply),
			     MSG_NOSIGNAL);
		close(fd);
	}
	return NULL;
}

TEST(impostor_is_found_out)
{
	struct sockaddr_un address;
	struct memory m;
	struct peer peer;
	union name name = { 0 };
	pthread_t thread;
	socklen_t length;
	int fd;

	peer_start(&peer);
	OK(aclrtSetDevice(0));
	OK(tell(&peer, MAKE, KEY, 0, NULL));
	OK(tell(&peer, EXPORT, KEY, 1, &name));
	ASSERT_EQ(0, peer_kill(&peer));

	length = service_address(name.key, &address);
	fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	ASSERT_EQ(0, bind(fd, (struct sockaddr *)&address, length));
	ASSERT_EQ(0, listen(fd, 1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, impostor, &fd));
	EXPECT_ACL(NO_SUCH_KEY, import(&m, KEY, &name));
	EXPECT_ACL(NO_SUCH_KEY, import(&m, KEY, &name));
	pthread_join(thread, NULL);
	close(fd);
	EXPECT_ACL(NO_SUCH_KEY, import(&m, KEY, &name));
}

TEST(exporter_is_stopped)
{
	struct memory m;
	struct peer peer;
	union name name = { 0 };

	peer_start(&peer);
	OK(aclrtSetDevice(0));
	OK(tell(&peer, MAKE, KEY, 0, NULL));
	OK(tell(&peer, EXPORT, KEY, 1, &name));
	ASSERT_EQ(0, kill(peer.pid, SIGSTOP));
	ASSERT_EQ(peer.pid, waitpid(peer.pid, NULL, WUNTRACED));
	EXPECT_ACL(ACL_ERROR_RT_WAIT_TIMEOUT, import(&m, KEY, &name));
	ASSERT_EQ(0, kill(peer.pid, SIGCONT));
	OK(import(&m, KEY, &name));
	peer_kill(&peer);
}

TEST_HARNESS_MAIN
