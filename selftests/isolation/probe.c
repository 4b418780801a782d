// SPDX-License-Identifier: GPL-2.0-only
/*
 * Helpers of scripts:
 *
 *	probe list		print the bytes of each device, a line each
 *	probe unload		try to unload the module; print the error's name
 *	probe insist MS		retry that for MS until it succeeds; print how
 *				often it was refused, and the last error
 *	probe hold KIND		hold the node until standard input ends: by an
 *				open file, by a mapping alone, or as the orphan
 *				that inherited a dead client's file; print
 *				"ready" when it is held
 *	probe write		fill all device memory, and do not clear it
 *	probe scan		fail unless all device memory reads as zeros
 *	probe exceed		fail unless a run longer than any free one of
 *				device 0 is refused for lack of device memory;
 *				print "one run" if all of it is one free run
 *	probe calm		print "calm", or what a storm left behind; the
 *				caller must be the only client
 *	probe churn MS		open, use and close as fast as possible,
 *				whether the module is loaded or not
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>

#include "../storm/storm.h"

#define STEP	MIB(4)

static int fail(const char *what, int error)
{
	fprintf(stderr, "probe: %s: %s\n", what, strerror(error));
	return 1;
}

static int list(void)
{
	struct vnpu_device_query q;
	struct client c;
	__u32 d;
	int ret = client_open_only(&c);

	if (ret)
		return fail(VNPU_NODE, -ret);
	for (d = 0; !device_query(&c, d, &q); d++)
		printf("%llu\n", q.out_total);
	return d == device_count(&c) ? 0 : 1;
}

static const char *try_unload(void)
{
	if (!syscall(SYS_delete_module, "vnpu", O_NONBLOCK))
		return "unloaded";
	return strerrorname_np(errno);
}

static int unload(void)
{
	puts(try_unload());
	return 0;
}

static int insist(const char *ms)
{
	uint64_t until = now_ms() + strtoull(ms, NULL, 10);
	unsigned long refused = 0;
	const char *answer;

	while (!strcmp(answer = try_unload(), "EAGAIN")) {
		refused++;
		if (now_ms() >= until)
			break;
		usleep(500);
	}
	printf("%lu %s\n", refused, answer);
	return 0;
}

static void wait_for_end_of_input(void)
{
	char byte;

	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static int hold(const char *kind)
{
	struct client c;
	int ret = client_open(&c);
	pid_t pid;

	if (!ret)
		ret = mem_alloc_at(&c, 0, 0, 0, PAGE, c.base);
	if (ret)
		return fail(VNPU_NODE, -ret);
	if (!strcmp(kind, "mapping")) {
		close(c.fd);
	} else if (!strcmp(kind, "orphan")) {
		pid = fork();
		if (pid < 0)
			return fail("fork", errno);
		/*
		 * Close the output, as the script waits until all holders of it
		 * have ended.
		 */
		if (pid)
			_exit(0);
		while (getppid() != 1)
			usleep(1000);
	} else if (strcmp(kind, "file")) {
		return fail(kind, EINVAL);
	}
	wait_for_end_of_input();
	return 0;
}

/* Bind all memory of a device at the start of the window, in any page size. */
static int take_all(const struct client *c, __u32 device, __u64 *length)
{
	struct vnpu_device_query q;
	int ret = device_query(c, device, &q);

	if (ret)
		return ret;
	*length = q.out_total;
	return mem_alloc_at(c, device, 0, 0, q.out_total, c->base);
}

static int is_zero(const struct client *c, __u64 length)
{
	__u8 *seen = malloc(STEP);
	__u64 at, n;
	int ret = seen ? 0 : -ENOMEM;

	for (at = 0; at < length && !ret; at += n) {
		n = length - at < STEP ? length - at : STEP;
		ret = copy(c, addr(seen), c->base + at, n);
		if (!ret && !is_all(seen, 0, n))
			ret = -EBADMSG;
	}
	free(seen);
	return ret;
}

static int every_device(bool write)
{
	struct client c;
	__u64 length;
	__u32 d;
	int ret = client_open(&c);

	for (d = 0; !ret && d < device_count(&c); d++) {
		ret = take_all(&c, d, &length);
		if (!ret && write)
			ret = fill(&c, c.base, length, 0x5ec2e75ec2e75ec2, 8);
		else if (!ret)
			ret = is_zero(&c, length);
		if (!ret)
			ret = va_unbind(&c, c.base, 0);
	}
	return ret ? fail(write ? "write" : "scan", -ret) : 0;
}

static int exceed(void)
{
	struct vnpu_device_query q;
	struct client c;
	__u32 id;
	int ret = client_open(&c);

	if (!ret)
		ret = device_query(&c, 0, &q);
	if (ret)
		return fail(VNPU_NODE, -ret);
	if (q.out_free != q.out_total)
		return fail("exceed", EBUSY);
	if (q.out_largest_free == q.out_total) {
		puts("one run");
		return 0;
	}
	ret = mem_alloc(&c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			q.out_largest_free + PAGE, &id);
	return ret == -ENOSPC ? 0 : fail("exceed", -ret);
}

static int calm(void)
{
	struct calm calm;
	int ret = calm_begin(&calm);

	if (ret && ret != -EBUSY)
		return fail("calm", -ret);
	puts(calm_again(&calm) ?: "calm");
	calm_end(&calm);
	return 0;
}

static int churn(const char *ms)
{
	uint64_t until = now_ms() + strtoull(ms, NULL, 10);
	unsigned long used = 0;
	struct client c;

	while (now_ms() < until) {
		if (client_open(&c))
			continue;
		if (mem_alloc_at(&c, 0, 0, 0, KIB(64), c.base) ||
		    fill(&c, c.base, KIB(64), 1, 1))
			return 1;
		client_close(&c);
		used++;
		/* Leave moments in which no process uses the module. */
		usleep(1000);
	}
	printf("%lu\n", used);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	if (argc == 2 && !strcmp(argv[1], "unload"))
		return unload();
	if (argc == 3 && !strcmp(argv[1], "insist"))
		return insist(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "write"))
		return every_device(true);
	if (argc == 2 && !strcmp(argv[1], "scan"))
		return every_device(false);
	if (argc == 2 && !strcmp(argv[1], "exceed"))
		return exceed();
	if (argc == 2 && !strcmp(argv[1], "calm"))
		return calm();
	if (argc == 3 && !strcmp(argv[1], "churn"))
		return churn(argv[2]);
	fprintf(stderr,
		"usage: probe list|unload|insist MS|hold KIND|write|scan|exceed|calm|churn MS\n");
	return 2;
}
