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
	int fd;				/* to the door; -1 while there is none */
	uint32_t number;
} service = { .fd = -1 };		/* under the lock of sharing */

/* Hand a descriptor to the door.  0 or -errno. */
static int pass(int fd)
{
	char byte = 0;
	int ret = vnpu_service_send(service.fd, &byte, sizeof(byte), fd, 0);

	switch (ret) {
	/* A user has no more of them on the way than he may have open. */
	case -ETOOMANYREFS:
		return -EMFILE;
	case -ENOBUFS:
		return -ENOMEM;
	default:
		return ret;
	}
}

/*
 * What is shared has descriptors under the lock only: fork() takes it, so that no
 * child inherits them, and who frees memory, so that it is free then.
 */
static void answer(struct vnpu_door_talk *talk)
{
	struct vnpu_service_reply reply = { .magic = VNPU_SERVICE_MAGIC };
	struct vnpu_share_answer found = { .fd = -1 };

	vnpu_share_lock();
	reply.result = vnpu_share_answer_locked(talk->request.tag,
						talk->request.nonce,
						talk->pid, &found);
	if (!reply.result) {
		reply.result = pass(found.fd);
		close(found.fd);
	}
	if (!reply.result) {
		reply.proof = found.proof;
		reply.offset = found.offset;
		reply.length = found.length;
	}
	talk->reply = reply;
	sem_post(&talk->is_answered);
	if (!reply.result)
		vnpu_thread_wait(&talk->is_closed);
	vnpu_share_unlock();
}

static void *serve(void *arg)
{
	struct vnpu_door_talk *talk = arg;

	vnpu_thread_set_name("vnpu-share");
	for (;;) {
		vnpu_thread_wait(&talk->is_asked);
		answer(talk);
	}
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
static int name_any(uint32_t *number)
{
	int fd = socket(AF_UNIX,
			SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	ret = bind_any(fd, number);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* What talks to who comes, as soon as that can be.  0 or -errno. */
static int open_door(int listener, int door, struct vnpu_door_talk **talk)
{
	int ret;

	*talk = vnpu_door_talk_new();
	if (!*talk)
		return -ENOMEM;
	ret = vnpu_door_open(listener, door, *talk);
	if (!ret)
		return 0;
	vnpu_door_talk_free(*talk);
	*talk = NULL;
	return ret;
}

/*
 * Nobody can come before there is a door.  That has a copy of the listener, and closes
 * it last: what strangers have left there by then may take long to close.
 */
static int start_threads(int listener, int door)
{
	struct vnpu_door_talk *talk;
	int ret = open_door(listener, door, &talk);

	if (!ret && listen(listener, BACKLOG))
		ret = -errno;
	close(listener);
	if (!ret)
		ret = vnpu_thread_start(serve, talk);
	if (talk)
		vnpu_door_begin(talk, !ret);
	return ret;
}

/*
 * The end of what descriptors go over that is the service's, or -errno.  The listener
 * is closed.
 */
static int start(int listener)
{
	int fds[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds)) {
		ret = -errno;
		close(listener);
		return ret;
	}
	ret = start_threads(listener, fds[1]);
	close(fds[1]);
	if (!ret)
		return fds[0];
	close(fds[0]);
	return ret;
}

int vnpu_service_start_locked(uint32_t *number)
{
	int listener, fd;

	if (service.fd >= 0) {
		*number = service.number;
		return 0;
	}

	listener = name_any(number);
	if (listener < 0)
		return listener;
	fd = start(listener);
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
