// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ABI for 32-bit programs: this program runs its tests, and then executes
 * the 32-bit one built from the same source. Both use the kernel's nolibc, so
 * that no 32-bit C library is needed.
 */
#include <linux/vnpu.h>
#include <linux/vnpu_task.h>

#define WINDOW	(64UL << 20)
#define PAGE	((unsigned long)VNPU_PAGE_SIZE)

#define TESTS	9

static const char *const names[TESTS] = {
	"open", "window", "info", "query", "copies", "high_addresses",
	"bad_structs", "stream", "small_stream",
};

static int failed;
static int number;

static void result(int good)
{
	const char *name = names[number++ % TESTS];

	if (!good)
		failed = 1;
	printf("%sok %d %s_bit.%s\n", good ? "" : "not ", number,
	       sizeof(void *) == 4 ? "32" : "64", name);
}

static int call(int fd, unsigned long nr, void *arg)
{
	return ioctl(fd, nr, arg) ? -errno : 0;
}

static __u64 addr(const void *p)
{
	return (unsigned long)p;
}

static int is_info_right(int fd)
{
	struct vnpu_info i = { .size = sizeof(i) };

	return !call(fd, VNPU_IOCTL_INFO, &i) &&
	       i.out_abi_version == VNPU_ABI_VERSION && i.out_device_count &&
	       i.out_client_id;
}

static int is_query_right(int fd)
{
	struct {
		struct vnpu_device_query q;
		unsigned char behind[8];
	} s;
	int i, untouched = 0;

	memset(&s, 0xff, sizeof(s));
	s.q.size = sizeof(s.q);
	s.q.flags = 0;
	s.q.device = 0;
	if (call(fd, VNPU_IOCTL_DEVICE_QUERY, &s.q))
		return 0;
	for (i = 0; i < 8; i++)
		untouched += s.behind[i] == 0xff;
	return untouched == 8 && s.q.out_total && !s.q.out_client_used &&
	       s.q.out_bus_id[4] == ':';
}

static int copies(int fd, char *window)
{
	struct vnpu_mem_alloc a = {
		.size = sizeof(a),
		.flags = VNPU_MEM_F_BIND,
		.length = 2 * PAGE,
		.va = addr(window) + WINDOW - 2 * PAGE,
	};
	struct vnpu_fill f = {
		.size = sizeof(f),
		.dst = a.va,
		.length = 2 * PAGE,
		.value = 0x1122334455667788ULL,
		.value_size = 8,
	};
	__u64 seen[4] = {};
	struct vnpu_copy k = {
		.size = sizeof(k),
		.dst = addr(seen),
		.src = a.va + PAGE - 16,
		.length = sizeof(seen),
	};

	return !call(fd, VNPU_IOCTL_MEM_ALLOC, &a) &&
	       !call(fd, VNPU_IOCTL_FILL, &f) && f.out_done == 2 * PAGE &&
	       !call(fd, VNPU_IOCTL_COPY, &k) && k.out_done == sizeof(seen) &&
	       seen[0] == f.value && seen[3] == f.value;
}

/* Addresses above 32 bits must not be truncated. */
static int refuses_high_addresses(int fd, char *window)
{
	static __u64 victim;
	struct vnpu_copy k = {
		.size = sizeof(k),
		.dst = (1ULL << 32) + addr(&victim),
		.src = addr(window) + WINDOW - PAGE,
		.length = 8,
	};
	struct vnpu_fill f = {
		.size = sizeof(f),
		.dst = (1ULL << 32) + k.src,
		.length = 8,
		.value = 1,
	};

	return call(fd, VNPU_IOCTL_COPY, &k) == -EFAULT && !victim &&
	       call(fd, VNPU_IOCTL_FILL, &f) == -EFAULT;
}

static int refuses_bad_structs(int fd)
{
	struct {
		struct vnpu_mem_free f;
		__u64 tail;
	} s = { .f = { .size = sizeof(s) }, .tail = 1 };

	if (call(fd, VNPU_IOCTL_MEM_FREE, &s) != -E2BIG)
		return 0;
	s.f.size = 8;
	if (call(fd, VNPU_IOCTL_MEM_FREE, &s) != -EINVAL)
		return 0;
	s.f.size = sizeof(s.f);
	s.f.__reserved = 1;
	if (call(fd, VNPU_IOCTL_MEM_FREE, &s) != -EOPNOTSUPP)
		return 0;
	return call(fd, VNPU_IOCTL_MEM_FREE, 0) == -EFAULT &&
	       call(fd, _IO(VNPU_IOCTL_TYPE, 0xff), &s) == -ENOTTY;
}

/* The nolibc of the kernel's tools has no 64-bit offsets on 32 bits. */
static void *map_at(int fd, __u64 offset, __u64 length)
{
	const int prot = PROT_READ | PROT_WRITE;
	long at;

#ifdef __NR_mmap2
	if (offset >> 44)
		return 0;
	at = my_syscall6(__NR_mmap2, 0, (unsigned long)length, prot, MAP_SHARED,
			 fd, (unsigned long)(offset >> 12));
#else
	at = my_syscall6(__NR_mmap, 0, length, prot, MAP_SHARED, fd, offset);
#endif
	return (unsigned long)at > -4096UL ? 0 : (void *)at;
}

/* One task fails and one does not, for more than a full round of the ring. */
static int submits(int fd, struct vnpu_ring *ring, __u64 id)
{
	struct vnpu_task *slots = (void *)((char *)ring + ring->tasks_offset);
	struct vnpu_task_failure *f =
		(void *)((char *)ring + ring->failures_offset);
	struct vnpu_stream_doorbell bell = { .size = sizeof(bell), .id = id };
	struct vnpu_point point = { .id = id };
	struct vnpu_wait wait = {
		.size = sizeof(wait),
		.points = addr(&point),
		.count = 1,
		.timeout_ns = ~0ULL,
	};

	while (point.value <= ring->ring_tasks) {
		__u64 at = point.value & (ring->ring_tasks - 1);

		slots[at] = (struct vnpu_task){ .op = 99 };
		slots[at + 1] = (struct vnpu_task){ .op = VNPU_TASK_NOP };
		point.value += 2;
		__atomic_store_n(&ring->tail, point.value, __ATOMIC_SEQ_CST);
		if (call(fd, VNPU_IOCTL_STREAM_DOORBELL, &bell) ||
		    call(fd, VNPU_IOCTL_WAIT, &wait) ||
		    ring->failures != point.value / 2 ||
		    ring->errors != point.value / 2)
			return 0;
	}
	return f[1].seq == 3 && f[1].op == 99 && f[1].error == EINVAL;
}

static int runs_a_stream(int fd, __u32 tasks)
{
	struct vnpu_stream_create a = { .size = sizeof(a), .ring_tasks = tasks };
	struct vnpu_stream_destroy d = { .size = sizeof(d) };
	struct vnpu_ring *ring;
	int good;

	if (call(fd, VNPU_IOCTL_STREAM_CREATE, &a))
		return 0;
	ring = map_at(fd, a.out_mmap_offset, a.out_map_size);
	good = ring && ring->version == VNPU_RING_VERSION &&
	       ring->ring_tasks == a.ring_tasks &&
	       (!tasks || a.ring_tasks == tasks) && submits(fd, ring, a.out_id);
	d.id = a.out_id;
	return !call(fd, VNPU_IOCTL_STREAM_DESTROY, &d) && good;
}

static void run(void)
{
	char *window;
	int fd;

	fd = open("/dev/vnpu", O_RDWR);
	result(fd >= 0);
	window = mmap(0, WINDOW, PROT_NONE, MAP_SHARED, fd, VNPU_MMAP_WINDOW);
	result(window != MAP_FAILED);
	result(is_info_right(fd));
	result(is_query_right(fd));
	result(copies(fd, window));
	result(refuses_high_addresses(fd, window));
	result(refuses_bad_structs(fd));
	result(runs_a_stream(fd, 0));
	result(runs_a_stream(fd, VNPU_RING_TASKS_MIN));
}

/* Execute the 32-bit program beside this one, if the machine can run it. */
static int continue_in_32_bits(const char *self)
{
	char path[4096], *argv[] = { path, failed ? "failed" : "passed", 0 };
	int i;

	if (strlen(self) + 4 <= sizeof(path)) {
		strlcpy(path, self, sizeof(path));
		strlcat(path, "-32", sizeof(path));
		execve(path, argv, environ);
	}
	for (i = 0; i < TESTS; i++)
		printf("ok %d 32_bit.%s # SKIP no 32-bit programs here\n",
		       ++number, names[i]);
	return failed;
}

int main(int argc, char **argv)
{
	if (sizeof(void *) == 4) {
		number = TESTS;
		failed = argc > 1 && !strcmp(argv[1], "failed");
		run();
		return failed;
	}
	printf("TAP version 13\n1..%d\n", 2 * TESTS);
	run();
	return continue_in_32_bits(argv[0]);
}
