// SPDX-License-Identifier: MIT
/*
 * Where shared memory is handed out; fetch.c is where it is fetched.
 *
 * A process that shares memory has a socket in the abstract name space and a
 * thread that answers who connects: one request, one answer.  The kernel tells
 * who that is, with the process id as this process sees it; a process id that it
 * does not see is 0, which no program can allow.
 *
 * Names are seen by everyone in the network namespace, keys never leave the two
 * processes.  So anyone may connect, and guess.  A conversation takes one of a
 * few places, of which a user has no more than some: who is one too many is sent
 * away at once, and may come again.  A wrong guess keeps its place for a while
 * after the answer, so that neither one user nor many together guess faster than
 * 44 bits allow, and others are served meanwhile.
 *
 * A request names the memory by its tag.  The answer proves that its sender
 * knows the key, so that one who takes the name of a service that is gone
 * cannot palm other memory off on an importer.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/random.h>
#include <unistd.h>

#include "fork.h"
#include "service.h"
#include "service_wire.h"
#include "share.h"
#include "thread.h"

#define SERVICES	(1U << 20)
#define NAME_TRIES	64
#define BACKLOG		128

/* A thousand guesses a second: 44 bits outlast that. */
#define PLACES		32
#define PLACES_OF_USER	4
#define GUESS_MS	32

/* How long a peer may be silent. */
#define SILENCE_MS	1000

/* Until there may be a descriptor again. */
#define NO_FILES_MS	10

/* A conversation, or what a wrong guess left of it. */
struct place {
	int fd;				/* -1 if that is closed */
	struct ucred peer;
	int64_t until;			/* 0 while the place is free */
};

static struct {
	int fd;				/* -1 while it does not run */
	uint32_t number;
	struct place places[PLACES];	/* the thread's; fd also in a child */
} service = { .fd = -1 };		/* under the lock of sharing */

/*
 * Descriptors come and go under the lock only: fork() takes it, so that a child
 * knows which it has to close.
 */
static void place_close(struct place *place)
{
	vnpu_share_lock();
	close(place->fd);
	place->fd = -1;
	vnpu_share_unlock();
}

static void place_end(struct place *place)
{
	if (place->fd >= 0)
		place_close(place);
	place->until = 0;
}

/* A peer that does not take its answer does not get it. */
static void send_reply(int fd, struct vnpu_service_reply *reply,
		       const struct vnpu_share_answer *answer)
{
	union {
		struct cmsghdr align;
		char fd[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec iov = { .iov_base = reply, .iov_len = sizeof(*reply) };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (!reply->result) {
		struct cmsghdr *cmsg;

		message.msg_control = &control;
		message.msg_controllen = sizeof(control.fd);
		cmsg = CMSG_FIRSTHDR(&message);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &answer->fd, sizeof(int));
	}
	sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* The descriptors of what is shared exist under the lock only, too. */
static int answer(const struct place *place,
		  const struct vnpu_service_request *request)
{
	struct vnpu_service_reply reply = { .magic = VNPU_SERVICE_MAGIC };
	struct vnpu_share_answer found;

	vnpu_share_lock();
	reply.result = vnpu_share_answer_locked(request->tag, request->nonce,
						place->peer.pid, &found);
	if (!reply.result) {
		reply.proof = found.proof;
		reply.offset = found.offset;
		reply.length = found.length;
	}
	send_reply(place->fd, &reply, &found);
	if (!reply.result)
		close(found.fd);
	vnpu_share_unlock();
	return reply.result;
}

static void take_request(struct place *place)
{
	struct vnpu_service_request request;
	/* Without room for descriptors, what is sent is dropped. */
	ssize_t length = recv(place->fd, &request, sizeof(request),
			      MSG_DONTWAIT | MSG_TRUNC);

	if (length < 0 && errno == EAGAIN)
		return;
	if (length == sizeof(request) &&
	    request.magic == VNPU_SERVICE_MAGIC &&
	    answer(place, &request) != -ENOENT) {
		place_end(place);
		return;
	}
	place_close(place);
	place->until = vnpu_service_now_ms() + GUESS_MS;
}

static struct place *free_place(void)
{
	for (struct place *p = service.places; p < service.places + PLACES; p++)
		if (!p->until)
			return p;
	return NULL;
}

static unsigned int places_of(uid_t uid)
{
	unsigned int count = 0;

	for (struct place *p = service.places; p < service.places + PLACES; p++)
		count += p->until && p->peer.uid == uid;
	return count;
}

/* Let one in; there is a place. */
static void let_in(int listener)
{
	struct place *place = free_place();
	socklen_t length = sizeof(place->peer);
	int error;

	vnpu_share_lock();
	place->fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	error = errno;
	vnpu_share_unlock();
	if (place->fd < 0) {
		if (error == EMFILE || error == ENFILE)
			poll(NULL, 0, NO_FILES_MS);
		return;
	}
	if (getsockopt(place->fd, SOL_SOCKET, SO_PEERCRED, &place->peer,
		       &length) ||
	    places_of(place->peer.uid) >= PLACES_OF_USER)
		place_close(place);
	else
		place->until = vnpu_service_now_ms() + SILENCE_MS;
}

/* Ends what is over, and tells for how long nothing else is: -1 for ever. */
static int expire(void)
{
	const int64_t now = vnpu_service_now_ms();
	int64_t first = INT64_MAX;

	for (struct place *p = service.places; p < service.places + PLACES;
	     p++) {
		if (p->until && p->until <= now)
			place_end(p);
		if (p->until && p->until < first)
			first = p->until;
	}
	return first == INT64_MAX ? -1 : (int)(first - now);
}

static void serve_some(int listener)
{
	struct pollfd polls[PLACES + 1];
	int timeout = expire();

	/* Descriptors that are negative are passed over. */
	for (int i = 0; i < PLACES; i++)
		polls[i] = (struct pollfd){ service.places[i].fd, POLLIN, 0 };
	polls[PLACES] = (struct pollfd){
		.fd = free_place() ? listener : -1,
		.events = POLLIN,
	};
	if (poll(polls, PLACES + 1, timeout) <= 0)
		return;
	for (int i = 0; i < PLACES; i++)
		if (polls[i].revents)
			take_request(&service.places[i]);
	if (polls[PLACES].revents)
		let_in(listener);
}

static void *serve(void *arg)
{
	for (;;)
		serve_some((int)(intptr_t)arg);
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

int vnpu_service_start_locked(uint32_t *number)
{
	int fd, ret;

	if (service.fd >= 0) {
		*number = service.number;
		return 0;
	}

	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	ret = bind_any(fd, number);
	if (!ret && listen(fd, BACKLOG))
		ret = -errno;
	if (!ret) {
		for (int i = 0; i < PLACES; i++)
			service.places[i] = (struct place){ .fd = -1 };
		ret = vnpu_thread_start("vnpu-share", serve,
					(void *)(intptr_t)fd);
	}
	if (ret) {
		close(fd);
		return ret;
	}
	service.fd = fd;
	service.number = *number;
	return 0;
}

void vnpu_service_disown(void)
{
	if (service.fd < 0)
		return;
	for (int i = 0; i < PLACES; i++)
		if (service.places[i].fd >= 0)
			close(service.places[i].fd);
	close(service.fd);
	service.fd = -1;
}
