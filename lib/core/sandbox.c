// SPDX-License-Identifier: MIT
/*
 * The core gives up rights.  Kernels run with its rights, so it keeps none that it
 * does not need:
 *
 *	descriptors	all but the socket and the engine file are closed
 *	files		none can be opened by path (Landlock, Linux 5.13); memfds
 *			can, which the dynamic loader needs
 *	system calls	those of the list below (seccomp).  Kernels can make none
 *			at all, see exec/signals.c; this is for a process that a
 *			kernel has taken over.
 *	memory		no code can be made at run time, except by mapping a file
 *
 * It ends with its client, when the client's end of the socket is closed.  If
 * it is stuck, the driver kills it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"

static int close_all(bool is_debug)
{
	if (syscall(SYS_close_range, is_debug ? CORE_STATUS + 1 : CORE_STATUS,
		    ~0U, 0))
		return -errno;
	for (int fd = 0; fd < CORE_SOCKET; fd++)
		close(fd);
	for (int fd = 0; fd < CORE_SOCKET; fd++)
		if (open("/dev/null", O_RDWR) != fd)
			return -EIO;
	return 0;
}

int sandbox_begin(bool is_debug)
{
	int ret = close_all(is_debug);

	if (ret)
		return ret;
	/* Neither other processes of the user may look inside, nor core dumps. */
	prctl(PR_SET_DUMPABLE, is_debug);
	if (is_debug)
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

void sandbox_files(void)
{
	/* struct landlock_ruleset_attr of the first version: all of its rights. */
	const uint64_t rights = (1ULL << 13) - 1;
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset	444
#define SYS_landlock_restrict_self	446
#endif
	int fd = syscall(SYS_landlock_create_ruleset, &rights, sizeof(rights), 0);

	/* Without Landlock, the list of system calls has to do. */
	if (fd < 0)
		return;
	syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
}

#if defined(__x86_64__)
#define ARCH	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH	AUDIT_ARCH_AARCH64
#endif

#define ARG(n)	(offsetof(struct seccomp_data, args) + 8 * (n))

#define LOAD(at)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define RETURN(value)	BPF_STMT(BPF_RET | BPF_K, value)
#define ALLOWED		RETURN(SECCOMP_RET_ALLOW)
#define FORBIDDEN	RETURN(SECCOMP_RET_ERRNO | EPERM)
#define JUMP(op, value, yes, no) \
	BPF_JUMP(BPF_JMP | (op) | BPF_K, value, yes, no)

#define ALLOW(name) \
	JUMP(BPF_JEQ, SYS_##name, 0, 1), ALLOWED

/* Allow a call if argument @n has none of @bits. */
#define ALLOW_WITHOUT(name, n, bits) \
	JUMP(BPF_JEQ, SYS_##name, 0, 4), LOAD(ARG(n)), \
	JUMP(BPF_JSET, bits, 0, 1), FORBIDDEN, ALLOWED

/* Allow mapping code from files, but not anonymous memory that is code. */
#define ALLOW_MMAP \
	JUMP(BPF_JEQ, SYS_mmap, 0, 6), LOAD(ARG(2)), \
	JUMP(BPF_JSET, PROT_EXEC, 0, 3), LOAD(ARG(3)), \
	JUMP(BPF_JSET, MAP_ANONYMOUS | MAP_SHARED, 0, 1), FORBIDDEN, ALLOWED

/* Allow signals to threads of this process. */
#define ALLOW_TGKILL \
	JUMP(BPF_JEQ, SYS_tgkill, 0, 4), LOAD(ARG(0)), \
	JUMP(BPF_JEQ, getpid(), 1, 0), FORBIDDEN, ALLOWED

/* Allow the ioctls of engine files. */
#define ALLOW_IOCTL \
	JUMP(BPF_JEQ, SYS_ioctl, 0, 6), LOAD(ARG(1)), \
	JUMP(BPF_JEQ, VNPU_IOCTL_ENGINE_NEXT, 3, 0), \
	JUMP(BPF_JEQ, VNPU_IOCTL_ENGINE_NAME, 2, 0), \
	JUMP(BPF_JEQ, VNPU_IOCTL_ENGINE_SET, 1, 0), FORBIDDEN, ALLOWED

int sandbox_calls(void)
{
	const struct sock_filter filter[] = {
		LOAD(offsetof(struct seccomp_data, arch)),
		JUMP(BPF_JEQ, ARCH, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(offsetof(struct seccomp_data, nr)),
		/* Launches. */
		ALLOW_IOCTL,
		ALLOW(futex),
		ALLOW(rt_sigreturn),
		ALLOW(sendmsg),
		ALLOW(recvmsg),
		ALLOW(ppoll),
		ALLOW_TGKILL,
		ALLOW(getpid),
		ALLOW(gettid),
		ALLOW(setitimer),
		ALLOW(restart_syscall),
		ALLOW(clock_gettime),
		ALLOW(sched_yield),
		ALLOW(nanosleep),
		ALLOW(clock_nanosleep),
		ALLOW(exit_group),
		ALLOW(exit),
		/* Signals other than those of kernels. */
		ALLOW(rt_sigaction),
		ALLOW(rt_sigprocmask),
		/* Memory. */
		ALLOW_MMAP,
		ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
		ALLOW(munmap),
		ALLOW(madvise),
		ALLOW(mremap),
		ALLOW(brk),
		ALLOW(getrandom),
		/* The dynamic loader, and the image for cube cores. */
		ALLOW_WITHOUT(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC),
		ALLOW(read),
		ALLOW(pread64),
		ALLOW(lseek),
		ALLOW(fstat),
		ALLOW(newfstatat),
		ALLOW(close),
		ALLOW(fcntl),
		ALLOW(memfd_create),
		ALLOW(write),
		FORBIDDEN,
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(*filter),
		.filter = (struct sock_filter *)filter,
	};

	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_TSYNC, &program))
		return 0;
	/* Some kernels have no filters.  A kernel then has the program's rights. */
	return errno == ENOSYS ? 0 : -errno;
}
