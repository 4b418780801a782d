// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench pool: other allocators. Each is malloc() of another process of
 * this program, which receives its commands through a pipe.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "pool.h"

struct pool_peer pool_peers[] = {
	{ .name = "glibc" },
	{ .name = "jemalloc", .library = "libjemalloc.so.2" },
	{ .name = "mimalloc", .library = "libmimalloc.so.2" },
	{ .name = "tcmalloc", .library = "libtcmalloc_minimal.so.4" },
};

const size_t pool_peer_count = ARRAY_SIZE(pool_peers);

struct answer {
	uint64_t ns;
	int64_t failure;
};

static bool read_all(int fd, void *data, size_t size)
{
	return read(fd, data, size) == (ssize_t)size;
}

static bool write_all(int fd, const void *data, size_t size)
{
	return write(fd, data, size) == (ssize_t)size;
}

bool pool_peer_is_preloaded(void)
{
	const char *library = getenv("LD_PRELOAD");
	void *(*function)(size_t size) = malloc;
	void *addr;
	Dl_info info;

	memcpy(&addr, &function, sizeof(addr));
	return !library || !*library ||
	       (dladdr(addr, &info) && strstr(info.dli_fname, library));
}

enum bench_exit bench_pool_peer(const struct options *opt)
{
	struct pool_load load;
	struct answer answer;

	(void)opt;
	if (!pool_peer_is_preloaded())
		return BENCH_FAILED;
	while (read_all(STDIN_FILENO, &load, sizeof(load))) {
		answer.failure = pool_run(&load, NULL, &answer.ns);
		if (!write_all(STDOUT_FILENO, &answer, sizeof(answer)))
			return BENCH_FAILED;
	}
	return BENCH_OK;
}

static void become(const struct pool_peer *peer, const char *command, int in,
		   int out)
{
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0)
		_exit(BENCH_FAILED);
	if (peer->library)
		setenv("LD_PRELOAD", peer->library, 1);
	else
		unsetenv("LD_PRELOAD");
	/* The linker reports missing libraries there. */
	close(STDERR_FILENO);
	execl("/proc/self/exe", "vnpu-bench", command, (char *)NULL);
	_exit(BENCH_FAILED);
}

void pool_peer_start(struct pool_peer *peer, const char *command)
{
	int to[2], from[2];
	pid_t pid;

	signal(SIGPIPE, SIG_IGN);
	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		die(BENCH_FAILED, "cannot create a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		die(BENCH_FAILED, "cannot create a process: %s", strerror(errno));
	if (!pid)
		become(peer, command, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	peer->pid = pid;
	peer->to = to[1];
	peer->from = from[0];
}

void pool_peer_stop(struct pool_peer *peer)
{
	close(peer->to);
	close(peer->from);
	waitpid(peer->pid, NULL, 0);
}

int pool_peer_run(struct pool_peer *peer, const struct pool_load *load,
		  uint64_t *ns)
{
	struct answer answer;

	if (!write_all(peer->to, load, sizeof(*load)) ||
	    !read_all(peer->from, &answer, sizeof(answer)))
		return -ENOENT;
	*ns = answer.ns;
	return (int)answer.failure;
}
