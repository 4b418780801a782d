/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers of tests besides a client: reproducible random numbers, memory
 * accesses that survive SIGSEGV, children, time, and what the kernel reports of
 * them.
 */
#ifndef SELFTESTS_VNPU_UTIL_H
#define SELFTESTS_VNPU_UTIL_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Return a line of /proc/self/status, in KiB, or -1. */
/* Read the number in a file of sysfs or a cgroup; UINT64_MAX if there is none. */
static inline __attribute__((format(printf, 1, 2))) uint64_t
file_u64(const char *format, ...)
{
	unsigned long long value = UINT64_MAX;
	char path[192];
	va_list args;
	FILE *f;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	f = fopen(path, "re");
	if (!f)
		return UINT64_MAX;
	if (fscanf(f, "%llu", &value) != 1)
		value = UINT64_MAX;
	fclose(f);
	return value;
}

static inline long status_kib(const char *name)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kib = atol(line + strlen(name) + 1);
	if (f)
		fclose(f);
	return kib;
}

static inline long pinned_kib(void)
{
	return status_kib("VmPin:");
}

/* Return an unsigned number from the environment, to vary a run. */
static inline uint64_t env_u64(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);

	return s && *s ? strtoull(s, NULL, 0) : otherwise;
}

/* xorshift64*: small, and the same on every machine. */
struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dULL;
}

static inline uint64_t rng_below(struct rng *r, uint64_t limit)
{
	return rng_next(r) % limit;
}

static inline void rng_fill(struct rng *r, void *buffer, size_t length)
{
	uint8_t *p = buffer;
	uint64_t v;

	for (; length >= sizeof(v); p += sizeof(v), length -= sizeof(v)) {
		v = rng_next(r);
		memcpy(p, &v, sizeof(v));
	}
	v = rng_next(r);
	memcpy(p, &v, length);
}

/* Seed by VNPU_SEED, or randomly, and print the seed to repeat the run. */
static inline struct rng rng_init(void)
{
	struct timespec t;
	struct rng r;

	clock_gettime(CLOCK_REALTIME, &t);
	r.state = env_u64("VNPU_SEED",
			  (uint64_t)t.tv_sec * 1000000007ULL +
			  (uint64_t)t.tv_nsec);
	if (!r.state)
		r.state = 1;
	printf("# VNPU_SEED=%llu\n", (unsigned long long)r.state);
	fflush(stdout);
	return r;
}

/* Return whether all bytes are @value. */
static inline int is_all(const void *buffer, int value, size_t length)
{
	const uint8_t *p = buffer;

	return !length ||
	       (p[0] == (uint8_t)value && !memcmp(p, p + 1, length - 1));
}

static __thread sigjmp_buf touch_env;
static __thread volatile sig_atomic_t touch_armed;

/* A fault outside of touch() returns to happen again, and kills the process. */
static inline void touch_caught(int sig)
{
	if (touch_armed)
		siglongjmp(touch_env, sig);
	signal(sig, SIG_DFL);
}

enum touch { TOUCH_READ, TOUCH_WRITE };

/*
 * Read the byte at @p into @value or write it there. Return 0 or the signal
 * that this raised. Any thread may call it.
 */
static inline int touch(enum touch how, volatile uint8_t *p, uint8_t *value)
{
	struct sigaction act = { .sa_handler = touch_caught };
	int sig;

	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
	sig = sigsetjmp(touch_env, 1);
	if (!sig) {
		touch_armed = 1;
		if (how == TOUCH_READ)
			*value = *p;
		else
			*p = *value;
	}
	touch_armed = 0;
	return sig;
}

static inline int touch_read(uint64_t address)
{
	uint8_t v;

	return touch(TOUCH_READ, (volatile uint8_t *)(uintptr_t)address, &v);
}

static inline int touch_write(uint64_t address, uint8_t value)
{
	return touch(TOUCH_WRITE, (volatile uint8_t *)(uintptr_t)address,
		     &value);
}

/* fork() a child that does not outlive its parent. */
static inline pid_t fork_bound(void)
{
	pid_t pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* Return the exit code of a child, or 256 + the signal that ended it. */
static inline int child_wait(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* Send one byte over a pipe: the other side has reached this point. */
static inline void baton_pass(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(125);
}

static inline void baton_take(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		_exit(125);
}

#endif
