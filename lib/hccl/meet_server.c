// SPDX-License-Identifier: MIT
/*
 * The server's side of a meeting, see meet.h.
 *
 * A connection becomes a rank by a valid first message.  Those without one are
 * closed after a while, and the oldest of them as soon as there are too many: a
 * rank sends its message at once.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "message.h"

#define STRANGERS_MAX	64
#define STRANGER_MS	5000

struct guest {
	int fd;			/* -1 if there is none */
	bool is_rank;
	uint64_t since;		/* when it connected */
	struct hccl_member member;
};

struct server {
	int listener;
	struct hccl_place place;
	uint64_t deadline;
	unsigned int ranks;	/* 0 until the first has come */
	unsigned int present;
	bool is_over;
	struct guest guests[HCCL_RANKS_MAX + STRANGERS_MAX];
};

#define GUESTS_MAX	(HCCL_RANKS_MAX + STRANGERS_MAX)

static void guest_close(struct guest *guest)
{
	if (guest->fd < 0)
		return;
	hccl_file_close(guest->fd);
	guest->fd = -1;
	if (guest->is_rank)
		hccl_file_close(guest->member.alive);
	guest->is_rank = false;
}

/* Send a guest away; as the message has a file, it gets its own @alive back. */
static void refuse(struct guest *guest, int alive, HcclResult result,
		   const char *text)
{
	struct hccl_welcome welcome = {
		.magic = HCCL_MESSAGE_MAGIC,
		.result = result,
	};

	snprintf(welcome.text, sizeof(welcome.text), "%s", text);
	hccl_message_send(guest->fd, &welcome, sizeof(welcome), &alive, 1);
	guest_close(guest);
}

/* Close the place first: ranks that have an answer may meet there again. */
static void end(struct server *server)
{
	hccl_file_close(server->listener);
	server->listener = -1;
	server->is_over = true;
}

static void give_up(struct server *server, HcclResult result, const char *text)
{
	end(server);
	for (unsigned int i = 0; i < GUESTS_MAX; i++)
		if (server->guests[i].is_rank)
			refuse(&server->guests[i],
			       server->guests[i].member.alive, result, text);
}

static struct guest *rank_of(struct server *server, unsigned int rank)
{
	for (unsigned int i = 0; i < GUESTS_MAX; i++)
		if (server->guests[i].is_rank &&
		    server->guests[i].member.self.rank == rank)
			return &server->guests[i];
	return NULL;
}

static bool introduce_all(struct server *server, struct guest *to)
{
	for (unsigned int i = 0; i < server->ranks; i++) {
		const struct hccl_member *member =
			&rank_of(server, i)->member;
		struct hccl_introduction other = {
			.magic = HCCL_MESSAGE_MAGIC,
			.self = member->self,
		};

		if (hccl_message_send(to->fd, &other, sizeof(other),
				      &member->alive, 1))
			return false;
	}
	return true;
}

/* All ranks are here: give them what they need. */
static void begin(struct server *server)
{
	const struct hccl_welcome welcome = { .magic = HCCL_MESSAGE_MAGIC };
	int memory = hccl_file_memory(server->ranks);

	if (memory < 0) {
		give_up(server, HCCL_E_MEMORY,
			"there is no memory to share among the ranks");
		return;
	}
	end(server);
	/* If a rank has gone by now, the others detect that later. */
	for (unsigned int i = 0; i < server->ranks; i++) {
		struct guest *guest = rank_of(server, i);

		if (!hccl_message_send(guest->fd, &welcome, sizeof(welcome),
				       &memory, 1))
			introduce_all(server, guest);
	}
	hccl_file_close(memory);
}

/* Return why a rank cannot be admitted, or NULL. */
static const char *objection(struct server *server,
			     const struct hccl_self *self, char text[HCCL_TEXT])
{
	if (!self->ranks || self->ranks > HCCL_RANKS_MAX ||
	    self->rank >= self->ranks)
		return "the rank, or the number of ranks, is out of range";
	if (server->ranks && self->ranks != server->ranks) {
		snprintf(text, HCCL_TEXT,
			 "rank %u expects %u ranks, but the first that came expects %u",
			 self->rank, self->ranks, server->ranks);
		return text;
	}
	if (rank_of(server, self->rank)) {
		snprintf(text, HCCL_TEXT, "rank %u has come twice", self->rank);
		return text;
	}
	for (unsigned int i = 0; i < GUESTS_MAX; i++) {
		const struct guest *guest = &server->guests[i];

		if (!guest->is_rank ||
		    guest->member.self.device != self->device)
			continue;
		snprintf(text, HCCL_TEXT, "ranks %u and %u use the same device",
			 guest->member.self.rank, self->rank);
		return text;
	}
	return NULL;
}

static bool is_admitted(const struct server *server, const struct guest *guest,
			const struct hccl_hello *hello)
{
	struct ucred user;
	socklen_t length = sizeof(user);
	uint8_t differs = 0;

	if (hello->version != HCCL_PLACE_VERSION)
		return false;
	for (size_t i = 0; i < sizeof(hello->token); i++)
		differs |= hello->token[i] ^ server->place.token[i];
	if (differs)
		return false;
	return !server->place.same_user ||
	       (!getsockopt(guest->fd, SOL_SOCKET, SO_PEERCRED, &user,
			    &length) && user.uid == geteuid());
}

/* Read the first message of a guest. */
static void hear(struct server *server, struct guest *guest)
{
	struct hccl_hello hello;
	char text[HCCL_TEXT];
	const char *problem;
	int alive;
	int ret = hccl_file_receive(guest->fd, &hello, sizeof(hello), &alive,
				    1);

	if (ret == -EAGAIN)
		return;
	if (ret) {
		guest_close(guest);
		return;
	}
	if (!is_admitted(server, guest, &hello) ||
	    !hccl_file_is_pipe(alive)) {
		hccl_file_close(alive);
		guest_close(guest);
		return;
	}
	problem = objection(server, &hello.self, text);
	if (problem) {
		refuse(guest, alive, HCCL_E_PARA, problem);
		hccl_file_close(alive);
		return;
	}
	guest->member.self = hello.self;
	guest->member.alive = alive;
	guest->is_rank = true;
	server->ranks = hello.self.ranks;
	if (++server->present == server->ranks)
		begin(server);
}

/* Remove a rank that has ended: its socket becomes readable while it waits. */
static void lose(struct server *server, struct guest *guest)
{
	char text[HCCL_TEXT];

	snprintf(text, sizeof(text),
		 "rank %u (process %d) ended before all ranks had come",
		 guest->member.self.rank, guest->member.self.pid);
	guest_close(guest);
	give_up(server, HCCL_E_REMOTE, text);
}

/* Find a place for a guest, if necessary that of the oldest stranger. */
static struct guest *seat(struct server *server)
{
	struct guest *oldest = NULL;
	unsigned int strangers = 0;

	for (unsigned int i = 0; i < GUESTS_MAX; i++) {
		struct guest *guest = &server->guests[i];

		if (guest->fd < 0 || guest->is_rank)
			continue;
		strangers++;
		if (!oldest || guest->since < oldest->since)
			oldest = guest;
	}
	if (strangers == STRANGERS_MAX)
		guest_close(oldest);
	for (unsigned int i = 0; i < GUESTS_MAX; i++)
		if (server->guests[i].fd < 0)
			return &server->guests[i];
	return NULL;
}

static void admit(struct server *server)
{
	int fd = hccl_file_accept(server->listener);
	struct guest *guest = fd < 0 ? NULL : seat(server);

	if (!guest) {
		hccl_file_close(fd);
		return;
	}
	guest->fd = fd;
	guest->since = hccl_now();
}

static void serve_once(struct server *server)
{
	struct pollfd pollers[GUESTS_MAX + 1];
	uint64_t now = hccl_now();
	int wait = STRANGER_MS;

	if (server->deadline - now < (uint64_t)wait)
		wait = (int)(server->deadline - now);
	for (unsigned int i = 0; i < GUESTS_MAX; i++) {
		struct guest *guest = &server->guests[i];

		if (!guest->is_rank && now - guest->since > STRANGER_MS)
			guest_close(guest);
		pollers[i] = (struct pollfd){ guest->fd, POLLIN, 0 };
	}
	pollers[GUESTS_MAX] = (struct pollfd){ server->listener, POLLIN, 0 };
	if (poll(pollers, GUESTS_MAX + 1, wait) <= 0)
		return;
	for (unsigned int i = 0; i < GUESTS_MAX && !server->is_over; i++) {
		struct guest *guest = &server->guests[i];

		if (!pollers[i].revents || guest->fd < 0)
			continue;
		if (guest->is_rank)
			lose(server, guest);
		else
			hear(server, guest);
	}
	if (pollers[GUESTS_MAX].revents && !server->is_over)
		admit(server);
}

static void timeout(struct server *server)
{
	char text[HCCL_TEXT];
	size_t length;

	length = (size_t)snprintf(text, sizeof(text),
		"%u of %u ranks came in time; missing:", server->present,
		server->ranks);
	for (unsigned int i = 0; i < server->ranks &&
	     length < sizeof(text) - 8; i++)
		if (!rank_of(server, i))
			length += (size_t)snprintf(text + length,
				sizeof(text) - length, " %u", i);
	give_up(server, HCCL_E_TIMEOUT, text);
}

static void server_free(struct server *server)
{
	for (unsigned int i = 0; i < GUESTS_MAX; i++)
		guest_close(&server->guests[i]);
	hccl_file_close(server->listener);
	free(server);
}

static void *serve(void *arg)
{
	struct server *server = arg;

	while (!server->is_over) {
		if (hccl_now() >= server->deadline)
			timeout(server);
		else
			serve_once(server);
	}
	server_free(server);
	return NULL;
}

/* Start a detached thread that takes no signals of the program. */
static int start(struct server *server)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	int ret;

	ret = pthread_attr_init(&attributes);
	if (ret)
		return ret;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, &attributes, serve, server);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return ret;
}

HcclResult hccl_meet_serve(const struct hccl_place *place, unsigned int seconds)
{
	struct server *server = calloc(1, sizeof(*server));
	struct sockaddr_un address;
	socklen_t length = hccl_place_address(place, &address);
	int err = 0;

	if (!server)
		return HCCL_E_MEMORY;
	server->place = *place;
	server->deadline = hccl_now() + (uint64_t)seconds * 1000;
	for (unsigned int i = 0; i < GUESTS_MAX; i++)
		server->guests[i].fd = -1;
	server->listener = hccl_file_socket(SOCK_NONBLOCK);
	if (server->listener < 0) {
		free(server);
		return HCCL_E_SYSCALL;
	}
	if (bind(server->listener, (struct sockaddr *)&address, length) ||
	    listen(server->listener, HCCL_RANKS_MAX))
		err = errno;
	else
		err = start(server);
	if (!err)
		return HCCL_SUCCESS;
	server_free(server);
	return err == EADDRINUSE ? HCCL_E_UNAVAIL : HCCL_E_SYSCALL;
}
