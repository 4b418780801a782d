// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers that mean no good to what serves shared memory, or do not answer.  Whom
 * to talk to is told by the key.
 */
#include "ipc_key.h"

#include <dlfcn.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
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

/* A message with descriptors, if there are any. */
static bool send_with(int to, const void *data, size_t bytes, const int *fds,
		      int nr_fds)
{
	union {
		struct cmsghdr align;
		char buffer[CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)data, .iov_len = bytes };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (nr_fds) {
		struct cmsghdr *cmsg;

		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&message);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, nr_fds * sizeof(int));
	}
	return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

static void send_junk(int fd, struct rng *rng, size_t bytes, bool with_fd)
{
	char junk[512];

	rng_fill(rng, junk, sizeof(junk));
	/* Half of them look right at first sight. */
	if (rng_next(rng) % 2)
		memcpy(junk, "VPNUVSH1", 8);
	send_with(fd, junk, bytes, &fd, with_fd);
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

#define LINGER_S	100

/* What a close takes so long of, as nobody reads what was sent, and who does not. */
struct lingerer {
	int fd;
	int reader;
};

static bool loopback_is_up(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	bool is_up = !ioctl(fd, SIOCGIFFLAGS, &request);

	if (is_up && !(request.ifr_flags & IFF_UP)) {
		request.ifr_flags |= IFF_UP;
		is_up = !ioctl(fd, SIOCSIFFLAGS, &request);
	}
	close(fd);
	return is_up;
}

static bool lingerer_init(struct lingerer *l)
{
	const struct linger linger = { .l_onoff = 1, .l_linger = LINGER_S };
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	static const char much[65536];
	const int few = 4096;

	l->fd = socket(AF_INET, SOCK_STREAM, 0);
	/* Many of them have room in memory; a connection has its listener's. */
	if (setsockopt(l->fd, SOL_SOCKET, SO_SNDBUF, &few, sizeof(few)) ||
	    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &few, sizeof(few)) ||
	    bind(listener, (struct sockaddr *)&address, length) ||
	    listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) ||
	    connect(l->fd, (struct sockaddr *)&address, length))
		return false;
	l->reader = accept(listener, NULL, NULL);
	close(listener);
	while (send(l->fd, much, sizeof(much), MSG_DONTWAIT) > 0)
		;
	return l->reader >= 0 && !setsockopt(l->fd, SOL_SOCKET, SO_LINGER,
					     &linger, sizeof(linger));
}

static void *close_in_time(void *arg)
{
	close((int)(intptr_t)arg);
	return NULL;
}

/* Who closes it last waits until the reader is gone. */
static void lingerer_leave(const struct lingerer *l)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, close_in_time,
			   (void *)(intptr_t)l->fd))
		abort();
	pthread_detach(thread);
}

/* It goes with a message. */
static bool lingerer_send(const struct lingerer *l, int to, const void *data,
			  size_t bytes)
{
	bool is_sent = send_with(to, data, bytes, &l->fd, 1);

	lingerer_leave(l);
	return is_sent;
}

/*
 * With the request; behind one that is junk, or a guess; by one who says nothing
 * else; and by those who are sent away, as there are more of them than are let in.
 */
#define WAYS	4
#define HOSTILE	16

TEST_F_TIMEOUT(key, what_takes_long_to_close, LINGER_S)
{
	uint64_t guess[3] = { 0, 1, 2 }, until = now_ms() + LINGER_S * 1000 / 2;
	struct lingerer l[HOSTILE];
	int fds[HOSTILE], sent = 0, i;
	void *p, *shared;
	char key[65];
	pid_t pid;

	if (!loopback_is_up())
		SKIP(return, "no loopback device, and it needs an administrator");
	memcpy(guess, "VPNUVSH1", 8);
	OK(aclrtMalloc(&shared, SIZE, ACL_MEM_MALLOC_HUGE_ONLY));
	OK(aclrtIpcMemGetExportKey(shared, SIZE, key, sizeof(key), 0));
	for (i = 0; i < HOSTILE; i++) {
		ASSERT_TRUE(lingerer_init(&l[i]));
		fds[i] = service_connect(self->key);
		ASSERT_LE(0, fds[i]);
		if (i % WAYS == 1)
			send_with(fds[i], guess, 1, NULL, 0);
		if (i % WAYS == 2)
			send_with(fds[i], guess, sizeof(guess), NULL, 0);
		/* An empty message is one, too. */
		if (i % WAYS == 3)
			send_with(fds[i], guess, 0, NULL, 0);
		sent += lingerer_send(&l[i], fds[i], guess,
				      i % WAYS ? 1 : sizeof(guess));
		if (i % 2)
			close(fds[i]);
	}
	EXPECT_LT(0, sent);
	/* All goes on, however long they could hold it up. */
	OK(aclrtIpcMemImportByKey(&p, self->key, 0));
	OK(aclrtIpcMemClose(self->key));
	pid = fork_bound();
	if (!pid)
		_exit(0);
	EXPECT_EQ(0, child_wait(pid));
	OK(aclrtFree(shared));
	EXPECT_GT(until, now_ms());
	for (i = 0; i < HOSTILE; i++) {
		close(l[i].reader);
		if (i % 2 == 0)
			close(fds[i]);
	}
}

/*
 * More than are let in, of one user: nobody else waits for them, nor do as many
 * threads.
 */
#define MANY		100
#define TOO_MANY	272	/* to be left open */
#define THREADS		8

static bool leave_one(const char *key, struct lingerer *l)
{
	bool is_sent = false;

	if (!lingerer_init(l))
		return false;
	/* It may be sent away before. */
	while (!is_sent) {
		int fd = service_connect(key);

		if (fd < 0)
			return false;
		is_sent = send_with(fd, "", 1, &l->fd, 1);
		close(fd);
	}
	lingerer_leave(l);
	return true;
}

static void leave_many(const char *key, int done)
{
	struct lingerer l;
	int i;

	for (i = 0; i < MANY; i++)
		if (!leave_one(key, &l))
			_exit(1);
	baton_pass(done);
	for (;;)
		pause();
}

TEST_F_TIMEOUT(key, another_leaves_many, LINGER_S)
{
	int before = count_entries("/proc/self/task"), done[2], round;
	uint64_t until = now_ms() + LINGER_S * 1000 / 2;
	struct pollfd wait = { .events = POLLIN };
	pid_t pid;
	void *p;

	if (geteuid())
		SKIP(return, "needs root, to be another user");
	if (!loopback_is_up())
		SKIP(return, "no loopback device, and it needs an administrator");
	ASSERT_EQ(0, pipe(done));
	fflush(stdout);
	pid = fork_bound();
	if (!pid) {
		if (!is_user(65534))
			_exit(1);
		leave_many(self->key, done[1]);
	}
	close(done[1]);
	wait.fd = done[0];
	/* While they come, and when all are there. */
	for (round = 0; round < 2; round++) {
		OK(aclrtIpcMemImportByKey(&p, self->key, 0));
		OK(aclrtIpcMemClose(self->key));
		EXPECT_GT(before + THREADS, count_entries("/proc/self/task"));
		if (!round)
			EXPECT_EQ(1, poll(&wait, 1, LINGER_S * 1000 / 4));
	}
	EXPECT_GT(until, now_ms());
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
	close(done[0]);
}

/* The door gets no threads, as if the process had as many as it may. */
static atomic_bool is_out_of_threads;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*run)(void *arg), void *arg)
{
	static typeof(pthread_create) *next;
	char name[16];

	if (atomic_load(&is_out_of_threads) && !prctl(PR_GET_NAME, name) &&
	    !strcmp(name, "vnpu-door"))
		return EAGAIN;
	if (!next)
		next = dlsym(RTLD_NEXT, "pthread_create");
	return next(thread, attr, run, arg);
}

/* What takes long to close stays open then, and when it is too much nobody is let in. */
TEST_F_TIMEOUT(key, no_thread_to_close, LINGER_S)
{
	uint64_t until = now_ms() + LINGER_S * 1000 / 2;
	struct lingerer l[TOO_MANY];
	int i;
	void *p;

	if (!loopback_is_up())
		SKIP(return, "no loopback device, and it needs an administrator");
	atomic_store(&is_out_of_threads, true);
	for (i = 0; i < TOO_MANY; i++) {
		if (i == HOSTILE) {
			OK(aclrtIpcMemImportByKey(&p, self->key, 0));
			OK(aclrtIpcMemClose(self->key));
		}
		ASSERT_TRUE(leave_one(self->key, &l[i]));
	}
	atomic_store(&is_out_of_threads, false);
	OK(aclrtIpcMemImportByKey(&p, self->key, 0));
	OK(aclrtIpcMemClose(self->key));
	EXPECT_GT(until, now_ms());
	for (i = 0; i < TOO_MANY; i++)
		close(l[i].reader);
}

/* The thread that talks to peers, which has descriptors of its own. */
static int door_thread(void)
{
	DIR *dir = opendir("/proc/self/task");
	char path[300], name[16] = "";
	struct dirent *entry;
	int thread = 0;

	while (dir && !thread && (entry = readdir(dir))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
			 entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) &&
		    !strcmp(name, "vnpu-door\n"))
			thread = atoi(entry->d_name);
		fclose(file);
	}
	closedir(dir);
	return thread;
}

/* What is written to these by a library that ends the program, say. */
TEST_F(key, peers_get_no_standard_descriptors)
{
	int fds[4], i, thread = door_thread();
	char path[64], what[64];

	ASSERT_LT(0, thread);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = service_connect(self->key);
	usleep(100000);
	for (i = 0; i <= 2; i++) {
		memset(what, 0, sizeof(what));
		sprintf(path, "/proc/self/task/%d/fd/%d", thread, i);
		EXPECT_LT(0, readlink(path, what, sizeof(what) - 1));
		EXPECT_EQ(NULL, strstr(what, "socket")) TH_LOG("%s", what);
	}
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
}

/* What takes the name of a service that is gone cannot pass for it. */
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
