// SPDX-License-Identifier: MIT
/*
 * Who comes for what this process shares.
 *
 * Names are seen by everyone in the network namespace, keys never leave the two
 * processes.  So anyone may connect, and guess.  A conversation takes one of a
 * few places, of which a user has no more than some: who is one too many is sent
 * away at once, and may come again.  A wrong guess keeps its place for a while
 * after the answer, so that neither one user nor many together guess faster than
 * 44 bits allow, and others are served meanwhile.
 *
 * Those who come may also leave what takes long to close, see parting.h.  So they
 * meet a thread that holds no lock and has a table of descriptors to itself: what
 * they are up to delays nobody, and no child of this process inherits it.
 */
#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "door.h"
#include "hangup.h"
#include "parting.h"
#include "raw.h"
#include "thread.h"

/* A thousand guesses a second: 44 bits outlast that. */
#define PLACES		32
#define PLACES_OF_USER	4
#define GUESS_MS	32

/* How long a peer may be silent, and how long while there is no place for others. */
#define SILENCE_MS	1000
#define HURRY_MS	100

/* Until there may be a descriptor again, or memory. */
#define NOT_NOW_MS	10

/* When to look again at what takes long to close. */
#define PARTING_MS	50

_Static_assert(VNPU_PARTING_MORE > PLACES, "all that are let in can be parted from");

/* A conversation, or what a wrong guess left of it. */
struct place {
	int fd;				/* -1 if that is closed */
	struct ucred peer;
	int64_t until;			/* 0 while the place is free */
};

struct door {
	int listener;
	int service;
	struct vnpu_door_talk *talk;
	struct place places[PLACES];
	struct vnpu_parting parting;
};

static void place_close(struct door *door, struct place *place)
{
	if (vnpu_hang_up_is_plain(place->fd))
		vnpu_raw_close(place->fd);
	else
		vnpu_parting_add(&door->parting, place->fd);
	place->fd = -1;
}

static void place_end(struct door *door, struct place *place)
{
	if (place->fd >= 0)
		place_close(door, place);
	place->until = 0;
}

/* What takes long to close; the rest is not to stay open with it. */
static void part(struct door *door, bool is_urgent)
{
	int kept[PLACES + 2];

	for (int i = 0; i < PLACES; i++)
		kept[i] = door->places[i].fd;
	kept[PLACES] = door->listener;
	kept[PLACES + 1] = door->service;
	vnpu_parting_close(&door->parting, is_urgent, kept, PLACES + 2);
}

static int64_t answer(const struct door *door, const struct place *place,
		      const struct vnpu_service_request *request)
{
	struct vnpu_door_talk *talk = door->talk;
	struct vnpu_service_reply reply;
	int fd = -1;
	char byte;

	talk->request = *request;
	talk->pid = place->peer.pid;
	sem_post(&talk->is_asked);
	vnpu_thread_wait(&talk->is_answered);
	reply = talk->reply;
	/* The kernel drops what has no room in this table. */
	if (!reply.result) {
		vnpu_service_receive(door->service, &byte, sizeof(byte), &fd,
				     0);
		if (fd < 0)
			reply.result = -EMFILE;
	}
	/* A peer that does not take its answer does not get it. */
	vnpu_service_send(place->fd, &reply, sizeof(reply), fd, MSG_DONTWAIT);
	if (fd >= 0)
		vnpu_raw_close(fd);
	if (!talk->reply.result)
		sem_post(&talk->is_closed);
	return reply.result;
}

static void take_request(struct door *door, struct place *place)
{
	struct vnpu_service_request request;
	/* It stays where it is, and with it what it may carry. */
	ssize_t length = vnpu_raw_recv(place->fd, &request, sizeof(request),
				       MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC);

	if (length < 0 && errno == EAGAIN)
		return;
	if (length == sizeof(request) &&
	    request.magic == VNPU_SERVICE_MAGIC &&
	    answer(door, place, &request) != -ENOENT) {
		place_end(door, place);
		return;
	}
	place_close(door, place);
	place->until = vnpu_service_now_ms() + GUESS_MS;
}

static struct place *free_place(struct door *door)
{
	for (struct place *p = door->places; p < door->places + PLACES; p++)
		if (!p->until)
			return p;
	return NULL;
}

static unsigned int places_of(const struct door *door, uid_t uid)
{
	const struct place *p;
	unsigned int count = 0;

	for (p = door->places; p < door->places + PLACES; p++)
		count += p->until && p->peer.uid == uid;
	return count;
}

/* Let one in; there is a place. */
static void let_in(struct door *door)
{
	struct place *place = free_place(door);
	socklen_t length = sizeof(place->peer);

	place->fd = vnpu_raw_accept(door->listener);
	if (place->fd < 0) {
		if (errno == EAGAIN || errno == ECONNABORTED)
			return;
		/* The connection is still there. */
		if (errno == EMFILE || errno == ENFILE)
			part(door, true);
		poll(NULL, 0, NOT_NOW_MS);
		return;
	}
	if (getsockopt(place->fd, SOL_SOCKET, SO_PEERCRED, &place->peer,
		       &length) ||
	    places_of(door, place->peer.uid) >= PLACES_OF_USER)
		place_close(door, place);
	else
		place->until = vnpu_service_now_ms() + SILENCE_MS;
}

/* Ends what is over, and tells for how long nothing else is: -1 for ever. */
static int expire(struct door *door)
{
	const int64_t early = free_place(door) ? 0 : SILENCE_MS - HURRY_MS;
	const int64_t now = vnpu_service_now_ms();
	int64_t first = INT64_MAX;

	for (struct place *p = door->places; p < door->places + PLACES; p++) {
		/* A guess has its time in any case. */
		int64_t until = p->fd < 0 ? p->until : p->until - early;

		if (!p->until)
			continue;
		if (until <= now)
			place_end(door, p);
		else if (until < first)
			first = until;
	}
	return first == INT64_MAX ? -1 : (int)(first - now);
}

static void serve_some(struct door *door)
{
	struct pollfd polls[PLACES + 1];
	int timeout = expire(door);
	bool is_full;

	part(door, false);
	is_full = vnpu_parting_is_full(&door->parting);
	/* Descriptors that are negative are passed over. */
	for (int i = 0; i < PLACES; i++)
		polls[i] = (struct pollfd){ door->places[i].fd, POLLIN, 0 };
	polls[PLACES] = (struct pollfd){
		.fd = free_place(door) && !is_full ? door->listener : -1,
		.events = POLLIN,
	};
	if (door->parting.count && (timeout < 0 || timeout > PARTING_MS))
		timeout = PARTING_MS;
	if (poll(polls, PLACES + 1, timeout) <= 0)
		return;
	for (int i = 0; i < PLACES; i++)
		if (polls[i].revents)
			take_request(door, &door->places[i]);
	if (polls[PLACES].revents)
		let_in(door);
}

/* Sanitizers tell the program's what they find. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FIRST_OWN	(STDERR_FILENO + 1)
#else
#define FIRST_OWN	0
#endif

static int drop(int first, int last, unsigned int flags)
{
	if (first < FIRST_OWN)
		first = FIRST_OWN;
	if (first > last || !close_range(first, last, flags))
		return 0;
	return -errno;
}

/* No peer is to be where messages are written to that something goes wrong. */
static int fill_standard(void)
{
	int fd;

	do
		fd = (int)syscall(SYS_epoll_create1, EPOLL_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -errno;
	vnpu_raw_close(fd);
	return 0;
}

/*
 * Have a table of descriptors with none but these two, and some of no use.  The
 * others' copies are closed before the call goes on, as its thread may rely on its own
 * close of a lock or a pipe to be the last; that of another thread may not be, if it
 * comes meanwhile.  Each is flushed, which cannot be avoided: a file of a network is
 * written back, and what mq_notify() asked for before, in this process, is to be asked
 * for again.
 */
static int keep_only(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;
	int ret;

	ret = drop(high + 1, INT_MAX, CLOSE_RANGE_UNSHARE);
	if (!ret)
		ret = drop(low + 1, high - 1, 0);
	if (!ret)
		ret = drop(0, low - 1, 0);
	return ret ? ret : fill_standard();
}

struct vnpu_door_talk *vnpu_door_talk_new(void)
{
	struct vnpu_door_talk *talk = calloc(1, sizeof(*talk));

	if (!talk)
		return NULL;
	sem_init(&talk->is_known, 0, 0);
	sem_init(&talk->is_asked, 0, 0);
	sem_init(&talk->is_answered, 0, 0);
	sem_init(&talk->is_closed, 0, 0);
	return talk;
}

void vnpu_door_talk_free(struct vnpu_door_talk *talk)
{
	sem_destroy(&talk->is_known);
	sem_destroy(&talk->is_asked);
	sem_destroy(&talk->is_answered);
	sem_destroy(&talk->is_closed);
	free(talk);
}

void vnpu_door_begin(struct vnpu_door_talk *talk, bool is_served)
{
	talk->is_served = is_served;
	sem_post(&talk->is_known);
}

struct opening {
	int listener;
	int service;
	struct vnpu_door_talk *talk;
	sem_t is_open;
	int error;
};

static void *serve(void *arg)
{
	struct opening *opening = arg;
	struct door door = {
		.listener = opening->listener,
		.service = opening->service,
		.talk = opening->talk,
	};
	int error;

	vnpu_thread_set_name("vnpu-door");
	error = keep_only(door.listener, door.service);
	for (int i = 0; i < PLACES; i++)
		door.places[i].fd = -1;
	opening->error = error;
	sem_post(&opening->is_open);
	if (error)
		return NULL;
	vnpu_thread_wait(&door.talk->is_known);
	while (door.talk->is_served)
		serve_some(&door);
	vnpu_door_talk_free(door.talk);
	return NULL;
}

int vnpu_door_open(int listener, int service, struct vnpu_door_talk *talk)
{
	struct opening opening = {
		.listener = listener,
		.service = service,
		.talk = talk,
	};
	int ret;

	if (sem_init(&opening.is_open, 0, 0))
		return -errno;
	ret = vnpu_thread_start(serve, &opening);
	if (!ret) {
		vnpu_thread_wait(&opening.is_open);
		ret = opening.error;
	}
	sem_destroy(&opening.is_open);
	return ret;
}
