// SPDX-License-Identifier: GPL-2.0-only
/*
 * What serves shared memory where the kernel gives it less than it asks for: this
 * has functions of the C library that fail, for the library's own threads.
 */
#include "ipc_stranger.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static atomic_int fails;	/* messages of the service that are not sent */
static int fails_with;
static atomic_int starts;	/* threads that start before one does not */
static atomic_bool is_visited;	/* by a stranger, when one does not */
static atomic_int others_named;	/* threads, by one that is not they */

static bool is_service(void)
{
	char name[16];

	return !prctl(PR_GET_NAME, name) && !strcmp(name, "vnpu-share");
}

long syscall(long number, ...)
{
	static long (*next)(long number, ...);
	long a[6];
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_sendmsg && is_service() &&
	    atomic_fetch_sub(&fails, 1) > 0) {
		errno = fails_with;
		return -1;
	}
	if (!next)
		next = dlsym(RTLD_NEXT, "syscall");
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* The name of the only service there is, as in /proc/net/unix. */
static bool find_service(char *key)
{
	FILE *names = fopen("/proc/net/unix", "r");
	char line[200], *name = NULL;

	while (names && !name && fgets(line, sizeof(line), names))
		name = strstr(line, "@vnpu-share-");
	if (names)
		fclose(names);
	/* Where a key has it. */
	if (name)
		sprintf(key, "     %.5s", name + strlen("@vnpu-share-"));
	return name;
}

/* What takes long to close is left with a service that is about to begin. */
static void visit(void)
{
	struct sockaddr_un address;
	struct lingerer l;
	socklen_t length;
	char key[16];
	int fd;

	if (!find_service(key) || !lingerer_init(&l))
		return;
	length = service_address(key, &address);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (!connect(fd, (struct sockaddr *)&address, length))
		lingerer_send(&l, fd, "", 1);
	else
		lingerer_leave(&l);
	close(fd);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*run)(void *arg), void *arg)
{
	static typeof(pthread_create) *next;

	if (!atomic_fetch_sub(&starts, 1)) {
		if (atomic_load(&is_visited))
			visit();
		return EAGAIN;
	}
	if (!next)
		next = dlsym(RTLD_NEXT, "pthread_create");
	return next(thread, attr, run, arg);
}

/* Which opens a file for it, that any child inherits, unless it is the thread itself. */
int pthread_setname_np(pthread_t thread, const char *name)
{
	static typeof(pthread_setname_np) *next;

	if (!pthread_equal(thread, pthread_self()))
		atomic_fetch_add(&others_named, 1);
	if (!next)
		next = dlsym(RTLD_NEXT, "pthread_setname_np");
	return next(thread, name);
}

FIXTURE(trouble) {
	struct memory m;
};

FIXTURE_SETUP(trouble)
{
	atomic_store(&starts, -1);
	OK(aclrtSetDevice(0));
	OK(make(&self->m, KEY));
}

FIXTURE_TEARDOWN(trouble)
{
	OK(destroy(&self->m));
}

TEST_F(trouble, descriptors_are_not_sent)
{
	static const struct {
		int error;
		aclError is_told;
	} why[] = {
		{ ENOBUFS, ACL_ERROR_RT_MEMORY_ALLOCATION },
		{ ENOMEM, ACL_ERROR_RT_MEMORY_ALLOCATION },
		{ ETOOMANYREFS, ACL_ERROR_RT_DRV_INTERNAL_ERROR },
	};
	int i, times;
	pid_t pid;
	void *p;

	OK(export(&self->m, 0));
	for (i = 0; i < ARRAY_SIZE(why); i++) {
		for (times = 1; times <= 3; times++) {
			fails_with = why[i].error;
			atomic_store(&fails, times);
			EXPECT_ACL(why[i].is_told,
				   aclrtIpcMemImportByKey(&p, self->m.name.key, 0));
			atomic_store(&fails, 0);
			/* Nobody waits for what was not said. */
			pid = fork_bound();
			if (!pid)
				_exit(0);
			EXPECT_EQ(0, child_wait(pid));
		}
	}
	OK(aclrtIpcMemImportByKey(&p, self->m.name.key, 0));
	OK(aclrtIpcMemClose(self->m.name.key));
}

TEST_F(trouble, threads_do_not_start)
{
	int before = count_fds(), i;
	void *p;

	for (i = 0; i < 2; i++) {
		atomic_store(&starts, i);
		EXPECT_NE(ACL_SUCCESS, export(&self->m, 0));
		/* No child that is forked now has more, either. */
		EXPECT_EQ(before, count_fds());
	}
	OK(export(&self->m, 0));
	OK(aclrtIpcMemImportByKey(&p, self->m.name.key, 0));
	OK(aclrtIpcMemClose(self->m.name.key));
}

/* No stranger has come before it is clear that there will be somebody to meet him. */
TEST_F_TIMEOUT(trouble, a_stranger_comes_before, LINGER_S)
{
	uint64_t until = now_ms() + LINGER_S * 1000 / 2;
	int i;

	if (!loopback_is_up())
		SKIP(return, "no loopback device, and it needs an administrator");
	atomic_store(&is_visited, true);
	for (i = 0; i < 2; i++) {
		atomic_store(&starts, i);
		EXPECT_NE(ACL_SUCCESS, export(&self->m, 0));
	}
	EXPECT_GT(until, now_ms());
	OK(export(&self->m, 0));
}

TEST_F(trouble, a_thread_names_itself)
{
	OK(export(&self->m, 0));
	EXPECT_EQ(0, atomic_load(&others_named));
}

TEST_HARNESS_MAIN
