// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's own loads and stores to device addresses: refused unless the
 * memory permits them, and until the binding is removed. A debugger can access
 * all.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "client.h"
#include "util.h"

#define SIZE	MIB(64)

FIXTURE(host)
{
	struct client c;
	__u64 va;
};

FIXTURE_SETUP(host)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, SIZE, PROT_READ | PROT_WRITE));
	self->va = self->c.base + MIB(4);
}

FIXTURE_TEARDOWN(host)
{
	client_close(&self->c);
}

static volatile __u8 *byte_at(__u64 va)
{
	return ptr(va);
}

TEST_F(host, refused_by_default)
{
	__u8 seen = 0;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, 2 * PAGE, self->va));
	ASSERT_EQ(0, fill(&self->c, self->va, 2 * PAGE, 0x12, 1));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + PAGE, 1));
	ASSERT_EQ(0, copy(&self->c, addr(&seen), self->va + PAGE, 1));
	EXPECT_EQ(0x12, seen);
}

TEST_F(host, nothing_is_bound)
{
	EXPECT_EQ(SIGSEGV, touch_read(self->c.base));
	EXPECT_EQ(SIGSEGV, touch_write(self->c.base, 1));
	EXPECT_EQ(SIGSEGV, touch_read(self->c.base + SIZE - 1));
}

TEST_F(host, loads_and_stores)
{
	const __u64 len = KIB(64);
	__u8 *seen = malloc(len);
	__u64 i;

	ASSERT_TRUE(seen);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, len,
				  self->va));
	ASSERT_EQ(0, fill(&self->c, self->va, len, 0x21, 1));
	for (i = 0; i < len; i += 97) {
		EXPECT_EQ(0x21, *byte_at(self->va + i));
	}
	for (i = 0; i < len; i++)
		*byte_at(self->va + i) = i * 7;
	ASSERT_EQ(0, copy(&self->c, addr(seen), self->va, len));
	for (i = 0; i < len && seen[i] == (__u8)(i * 7); i++)
		;
	EXPECT_EQ(len, i);

	/* Data that the device writes later is visible at once. */
	ASSERT_EQ(0, fill(&self->c, self->va, len, 0x22, 1));
	EXPECT_EQ(0x22, *byte_at(self->va + len - 1));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + len));
	EXPECT_EQ(SIGSEGV, touch_read(self->va - 1));
	free(seen);
}

TEST_F(host, window_rights_hold)
{
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  self->va));
	*byte_at(self->va) = 1;
	ASSERT_EQ(0, mprotect(ptr(self->va), PAGE, PROT_READ));
	EXPECT_EQ(0, touch_read(self->va));
	EXPECT_EQ(SIGSEGV, touch_write(self->va, 2));
	ASSERT_EQ(0, mprotect(ptr(self->va), PAGE, PROT_NONE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	ASSERT_EQ(0, mprotect(ptr(self->va), PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(1, *byte_at(self->va));
	EXPECT_EQ(0, touch_write(self->va, 3));

	/* Copies by the kernel do not depend on the host's rights. */
	ASSERT_EQ(0, mprotect(ptr(self->va), PAGE, PROT_NONE));
	EXPECT_EQ(0, fill(&self->c, self->va, PAGE, 4, 1));
}

/* Two addresses of one object show the same bytes to the host as well. */
TEST_F(host, bound_twice)
{
	__u32 id;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
			       4 * PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, 4 * PAGE, 0));
	ASSERT_EQ(0, va_bind(&self->c, id, self->va + MIB(1), PAGE,
			     2 * PAGE));
	*byte_at(self->va + 2 * PAGE + 5) = 0x5a;
	EXPECT_EQ(0x5a, *byte_at(self->va + MIB(1) + 5));

	/* Only the unbound range disappears. */
	ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + 2 * PAGE + 5));
	EXPECT_EQ(0x5a, *byte_at(self->va + MIB(1) + 5));
}

TEST_F(host, gone_after_unbind)
{
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  4 * PAGE, self->va));
	EXPECT_EQ(0, touch_write(self->va, 1));
	EXPECT_EQ(0, touch_write(self->va + 3 * PAGE, 1));
	ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + 3 * PAGE, 1));

	/* A new binding at the same address shows the new memory. */
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  PAGE, self->va));
	ASSERT_EQ(0, fill(&self->c, self->va, PAGE, 9, 1));
	EXPECT_EQ(9, *byte_at(self->va));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + PAGE));
	ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, self->va));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
}

struct hammer {
	__u64 va;
	volatile bool stop;
	volatile unsigned long hits, misses;
	volatile int unexpected;
};

/*
 * Memory of each round holds one value: another value is another round's
 * memory.
 */
static void *hammer_run(void *arg)
{
	struct hammer *h = arg;
	int sig, n = 0;

	while (!h->stop) {
		sig = n++ & 1 ? touch_write(h->va + 8, 0x77) :
				touch_read(h->va);
		if (!sig)
			h->hits++;
		else if (sig == SIGSEGV)
			h->misses++;
		else
			h->unexpected = sig;
	}
	return NULL;
}

/*
 * Memory is unbound while other threads touch it. Another client that allocates
 * it the next moment must be out of their reach.
 */
TEST_F(host, revoked_under_load)
{
	struct hammer h = { .va = self->va };
	struct client other;
	pthread_t thread[2];
	uint64_t until;
	__u8 seen[PAGE];
	unsigned int i;

	ASSERT_EQ(0, client_open(&other));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, hammer_run, &h));
	}
	for (until = now_ms() + 1500; now_ms() < until || !h.misses;) {
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS,
					  0, PAGE, self->va));
		for (i = 0; i < 50 && !h.hits; i++)
			usleep(100);
		h.hits = 0;
		ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
		ASSERT_EQ(0, mem_alloc_at(&other, 0, 0, 0, PAGE, other.base));
		ASSERT_EQ(0, fill(&other, other.base, PAGE, 0x11, 1));
		ASSERT_EQ(0, copy(&other, addr(seen), other.base, PAGE));
		ASSERT_TRUE(is_all(seen, 0x11, PAGE));
		ASSERT_EQ(0, va_unbind(&other, other.base, 0));
	}
	h.stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT_LT(0, h.misses);
	EXPECT_EQ(0, h.unexpected);
	client_close(&other);
}

TEST_F(host, not_in_a_forked_child)
{
	pid_t pid;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  self->va));
	*byte_at(self->va) = 0x31;
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (touch_read(self->va) != SIGSEGV ||
		    touch_write(self->va, 0x66) != SIGSEGV)
			_exit(1);
		/* The child has no mapping at all. */
		_exit(msync(ptr(self->va), PAGE, MS_ASYNC) == -1 &&
		      errno == ENOMEM ? 0 : 2);
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0x31, *byte_at(self->va));
}

/* The owner cannot change this. */
TEST_F(host, madvise_changes_nothing)
{
	static const int advice[] = {
		MADV_DOFORK, MADV_DODUMP, MADV_DONTNEED, MADV_REMOVE,
		MADV_WIPEONFORK, MADV_KEEPONFORK, MADV_MERGEABLE,
		MADV_HUGEPAGE, MADV_WILLNEED, MADV_FREE, MADV_PAGEOUT,
		MADV_POPULATE_WRITE,
	};
	unsigned int i;
	pid_t pid;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  self->va));
	*byte_at(self->va) = 0x31;
	for (i = 0; i < ARRAY_SIZE(advice); i++) {
		madvise(ptr(self->c.base), SIZE, advice[i]);
		ASSERT_EQ(0, touch_read(self->va))
			TH_LOG("advice %d", advice[i]);
		ASSERT_EQ(0x31, *byte_at(self->va));
	}
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(touch_read(self->va) != SIGSEGV ||
		      touch_write(self->va, 0x66) != SIGSEGV);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0x31, *byte_at(self->va));
}

/* The pages belong to the kernel, and cannot be pinned. */
TEST_F(host, cannot_be_pinned)
{
	struct iovec local, remote;
	__u8 byte = 0;
	int out[2];

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  self->va));
	*byte_at(self->va) = 1;
	local = (struct iovec){ &byte, 1 };
	remote = (struct iovec){ ptr(self->va), 1 };
	EXPECT_EQ(-1, process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, pipe(out));
	EXPECT_EQ(-1, vmsplice(out[1], &remote, 1, 0));
	EXPECT_EQ(EFAULT, errno);

	/* A system call that copies works like a load. */
	EXPECT_EQ(1, write(out[1], ptr(self->va), 1));
	EXPECT_EQ(1, read(out[0], ptr(self->va + 1), 1));
	EXPECT_EQ(1, *byte_at(self->va + 1));
}

/*
 * A stopped owner, as a debugger sees it: a window without host rights, two
 * adjacent bindings, and a hole after them.
 */
FIXTURE(debugger)
{
	pid_t pid;
	int mem;
	/*
	 * written by the owner: its va, then the values that it read at the end
	 */
	__u64 *shared;
};

FIXTURE_SETUP(debugger)
{
	char path[64];
	int status;

	self->shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->shared);
	self->pid = fork_bound();
	ASSERT_LE(0, self->pid);
	if (!self->pid) {
		struct client c;

		if (client_open(&c) ||
		    mem_alloc_at(&c, 0, 0, 0, PAGE, c.base) ||
		    mem_alloc_at(&c, 0, 0, 0, PAGE, c.base + PAGE) ||
		    fill(&c, c.base, 2 * PAGE, 0x1122334455667788, 8))
			_exit(1);
		self->shared[0] = c.base;
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		if (copy(&c, addr(&self->shared[1]), c.base + PAGE - 8, 24))
			_exit(2);
		_exit(0);
	}
	ASSERT_EQ(self->pid, waitpid(self->pid, &status, 0));
	ASSERT_TRUE(WIFSTOPPED(status));
	snprintf(path, sizeof(path), "/proc/%d/mem", self->pid);
	self->mem = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->mem);
}

FIXTURE_TEARDOWN(debugger)
{
	close(self->mem);
	kill(self->pid, SIGKILL);
	waitpid(self->pid, NULL, 0);
}

TEST_F(debugger, ptrace)
{
	const __u64 va = self->shared[0];
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKDATA, self->pid, ptr(va), 0);
	EXPECT_EQ(0, errno);
	EXPECT_EQ((long)0x1122334455667788, word);
	EXPECT_EQ(0, ptrace(PTRACE_POKEDATA, self->pid, ptr(va + PAGE),
			    (void *)0x55));
	word = ptrace(PTRACE_PEEKDATA, self->pid, ptr(va + PAGE), 0);
	EXPECT_EQ(0x55, word);
	EXPECT_EQ(-1, ptrace(PTRACE_PEEKDATA, self->pid, ptr(va + 2 * PAGE),
			     0));
	EXPECT_EQ(EIO, errno);

	/* The owner reads the value that the debugger wrote. */
	ASSERT_EQ(0, ptrace(PTRACE_DETACH, self->pid, 0, 0));
	EXPECT_EQ(0, child_wait(self->pid));
	EXPECT_EQ(0x1122334455667788, self->shared[1]);
	EXPECT_EQ(0x55, self->shared[2]);
	EXPECT_EQ(0x1122334455667788, self->shared[3]);
}

TEST_F(debugger, proc_mem)
{
	const __u64 va = self->shared[0];
	__u8 page[3 * PAGE];

	EXPECT_EQ(2 * PAGE, pread(self->mem, page, 2 * PAGE, va));
	EXPECT_EQ(0, memcmp(page, page + 8, 2 * PAGE - 8));
	EXPECT_EQ(0x88, page[0]);

	/* Across the border of two bindings, and up to the hole. */
	memset(page, 0x5c, 16);
	EXPECT_EQ(16, pwrite(self->mem, page, 16, va + PAGE - 8));
	EXPECT_EQ(PAGE, pread(self->mem, page, 3 * PAGE, va + PAGE));
	EXPECT_TRUE(is_all(page, 0x5c, 8));
	EXPECT_EQ(0x88, page[8]);
	EXPECT_EQ(3, pread(self->mem, page, 3, va + PAGE + 4093));
	EXPECT_EQ(-1, pread(self->mem, page, 1, va + 2 * PAGE));
	EXPECT_EQ(EIO, errno);
	EXPECT_EQ(-1, pwrite(self->mem, page, 1, va + 2 * PAGE));
	EXPECT_EQ(EIO, errno);

	ASSERT_EQ(0, ptrace(PTRACE_DETACH, self->pid, 0, 0));
	EXPECT_EQ(0, child_wait(self->pid));
	EXPECT_EQ(0x5c5c5c5c5c5c5c5c, self->shared[1]);
	EXPECT_EQ(0x5c5c5c5c5c5c5c5c, self->shared[2]);
	EXPECT_EQ(0x1122334455667788, self->shared[3]);
}

TEST_F_TIMEOUT(debugger, gdb, 120)
{
	char command[256];
	FILE *f;
	char out[256] = "";
	bool found = false;

	if (system("command -v gdb >/dev/null 2>&1"))
		SKIP(return, "no gdb");
	/* A process has one tracer; it stays stopped between the two. */
	ASSERT_EQ(0, ptrace(PTRACE_DETACH, self->pid, 0, SIGSTOP));
	snprintf(command, sizeof(command),
		 "gdb -nx -batch -iex 'set auto-solib-add off' "
		 "-iex 'set debuginfod enabled off' -p %d "
		 "-ex 'set {long}%#llx = 0x77' -ex 'x/2gx %#llx' "
		 "2>/dev/null", self->pid,
		 self->shared[0] + PAGE, self->shared[0] + PAGE);
	f = popen(command, "r");
	ASSERT_TRUE(f);
	while (fgets(out, sizeof(out), f))
		found |= strstr(out, "0x0000000000000077") &&
			 strstr(out, "0x1122334455667788");
	pclose(f);
	EXPECT_TRUE(found);
}

TEST_HARNESS_MAIN
