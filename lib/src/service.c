// SPDX-License-Identifier: MIT
/*
 * Where shared memory is handed out; fetch.c is where it is fetched.
 *
 * A process that shares memory has a socket in the abstract name space.  Two
 * threads answer who connects, with one answer to one request: door.c talks to who
 * comes, and asks here, where the memory is.  The kernel tells who it is that comes,
 * with the process id as this process sees it; a process id that it does not see is
 * 0, which no program can allow.
 *
 * A request names the memory by its tag.  The answer proves that its sender
 * knows the key, so that one who takes the name of a service that is gone
 * cannot palm other memory off on an importer.
 */
#include <errno.h>
#include <stdbool.h>
#include <sys/random.h>
#include <unistd.h>

#include "door.h"
#include "fork.h"
#include "service.h"
#include "share.h"
#include "thread.h"

#define SERVICES	(1U << 20)
#define NAME_TRIES	64
#define BACKLOG		128

static struct {
	int fd;				/* of the door; -1 while it does not run */
	uint32_t number;
} service = { .fd = -1 };		/* under the lock of sharing */

/*
 * What is shared has descriptors under the lock only: fork() takes it, so that no
 * child inherits them, and who frees memory, so that it is free then.  The door says
 * when it has closed its own.
 */
static void answer(int door, const struct vnpu_door_question *question)
{
	struct vnpu_service_reply reply = { .magic = VNPU_SERVICE_MAGIC };
	struct vnpu_share_answer found = { .fd = -1 };
	char done;

	vnpu_share_lock();
	reply.result = vnpu_share_answer_locked(question->request.tag,
						question->request.nonce,
						question->pid, &found);
	if (!reply.result) {
		reply.proof = found.proof;
		reply.offset = found.offset;
		reply.length = found.length;
	}
	/* A user has no more of them on the way than he may have open. */
	if (vnpu_service_send(door, &reply, sizeof(reply),
			      reply.result ? -1 : found.fd, 0)) {
		reply.result = -EMFILE;
		vnpu_service_send(door, &reply, sizeof(reply), -1, 0);
	}
	if (found.fd >= 0)
		close(found.fd);
	recv(door, &done, sizeof(done), 0);
	vnpu_share_unlock();
}

static void *serve(void *arg)
{
	int door = (int)(intptr_t)arg;
	struct vnpu_door_question question;

	while (recv(door, &question, sizeof(question), 0) == sizeof(question))
		answer(door, &question);
	/* There is no door, see start(). */
	vnpu_share_lock();
	close(door);
	vnpu_share_unlock();
	return NULL;
}

static int bind_any(int fd, uint32_t *number)
{
	for (int i = 0; i < NAME_TRIES; i++) {
		struct sockaddr_un address;
		socklen_t length;

		if (getrandom(number, sizeof(*number), 0) < 0)
			return -errno;
		*number = 1 + *number % (SERVICES - 1);
		length = vnpu_service_address(&address, *number);
		if (!bind(fd, (struct sockaddr *)&address, length))
			return 0;
		if (errno != EADDRINUSE)
			return -errno;
	}
	return -EADDRINUSE;
}

/* A socket that has a name, and its number. */
static int listen_any(uint32_t *number)
{
	int fd = socket(AF_UNIX,
			SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	ret = bind_any(fd, number);
	if (!ret && listen(fd, BACKLOG))
		ret = -errno;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* The end of what the threads talk over that is the service's, or -errno. */
static int start(int listener)
{
	int fds[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	ret = vnpu_thread_start("vnpu-share", serve, (void *)(intptr_t)fds[0]);
	if (ret) {
		close(fds[0]);
		close(fds[1]);
		return ret;
	}
	ret = vnpu_door_open(listener, fds[1]);
	close(fds[1]);
	/* The thread ends, as nobody is at the other end, and closes its own. */
	return ret ? ret : fds[0];
}

int vnpu_service_start_locked(uint32_t *number)
{
	int listener, fd;

	if (service.fd >= 0) {
		*number = service.number;
		return 0;
	}

	listener = listen_any(number);
	if (listener < 0)
		return listener;
	fd = start(listener);
	close(listener);
	if (fd < 0)
		return fd;
	service.fd = fd;
	service.number = *number;
	return 0;
}

void vnpu_service_disown(void)
{
	if (service.fd < 0)
		return;
	close(service.fd);
	service.fd = -1;
}
