// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers that mean no good to what serves shared memory, or do not answer.  Whom
 * to talk to is told by the key.
 */
#include "ipc_key.h"
#include "ipc_stranger.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/prctl.h>

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

/* Processes of so many users that do something to a service until they are killed. */
static void others_start(pid_t *pids, int count, int users,
			 void (*run)(const char *key), const char *key)
{
	int i;

	fflush(stdout);
	for (i = 0; i < count; i++) {
		pids[i] = fork_bound();
		if (pids[i])
			continue;
		if (!is_user(65534 - i % users))
			_exit(1);
		run(key);
	}
}

/* Whether all went on until now. */
static bool others_stop(const pid_t *pids, int count)
{
	bool all = true;
	int i, status;

	for (i = 0; i < count; i++) {
		kill(pids[i], SIGKILL);
		all &= waitpid(pids[i], &status, 0) == pids[i] &&
		       WIFSIGNALED(status);
	}
	return all;
}

/* Other users may connect, and guess: none of them keeps this one from its memory. */
TEST_F_TIMEOUT(key, others_flood, 120)
{
	pid_t pids[FLOODERS];
	int round;
	void *p;

	if (geteuid())
		SKIP(return, "needs root, to be other users");
	others_start(pids, FLOODERS, FLOODERS / 2, flood, self->key);
	usleep(200000);
	for (round = 0; round < 10; round++) {
		OK(aclrtIpcMemImportByKey(&p, self->key, 0));
		OK(aclrtIpcMemClose(self->key));
	}
	EXPECT_TRUE(others_stop(pids, FLOODERS));
}

/*
 * As many users as somebody has user ids, who say nothing: they take all places, and
 * more of them wait than are let in and sent away in the time an importer has.
 */
#define SILENT		96
#define SILENT_USERS	24

static void be_silent(const char *key)
{
	int held[64], i = 0;

	memset(held, -1, sizeof(held));
	for (;; i = (i + 1) % ARRAY_SIZE(held)) {
		if (held[i] >= 0)
			close(held[i]);
		held[i] = service_connect(key);
	}
}

TEST_F_TIMEOUT(key, many_users_are_silent, 120)
{
	pid_t pids[SILENT];
	int round;
	void *p;

	if (geteuid())
		SKIP(return, "needs root, to be other users");
	others_start(pids, SILENT, SILENT_USERS, be_silent, self->key);
	sleep(1);
	for (round = 0; round < 3; round++) {
		OK(aclrtIpcMemImportByKey(&p, self->key, 0));
		OK(aclrtIpcMemClose(self->key));
	}
	EXPECT_TRUE(others_stop(pids, SILENT));
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
