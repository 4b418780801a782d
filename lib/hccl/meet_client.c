// SPDX-License-Identifier: MIT
/* A rank's side of a meeting, see meet.h. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "message.h"

/* The pause before a place is tried again that has no server yet. */
#define RETRY_MS	10

/* The pause between two looks for ranks that will not come. */
#define WATCH_MS	100

/* How long a rank waits, and what ends its wait before. */
struct limit {
	uint64_t deadline;
	const struct hccl_watch *watch;
};

void hccl_members_free(struct hccl_member *members, unsigned int count)
{
	for (unsigned int i = 0; members && i < count; i++)
		hccl_file_close(members[i].alive);
	free(members);
}

static HcclResult failed(struct hccl_meeting *meeting, HcclResult result,
			 const char *text)
{
	snprintf(meeting->text, sizeof(meeting->text), "%s", text);
	return result;
}

static bool is_lost(const struct limit *limit)
{
	return limit->watch && limit->watch->is_lost(limit->watch->arg);
}

static HcclResult lost(struct hccl_meeting *meeting)
{
	return failed(meeting, HCCL_E_REMOTE, "another rank has ended");
}

static HcclResult reach(const struct hccl_place *place,
			const struct limit *limit, bool wait_server, struct hccl_meeting *meeting,
			int *result)
{
	struct sockaddr_un address;
	socklen_t length = hccl_place_address(place, &address);
	int fd = hccl_file_socket(0);

	if (fd < 0)
		return failed(meeting, HCCL_E_SYSCALL, strerror(errno));
	while (connect(fd, (struct sockaddr *)&address, length)) {
		int err = errno;

		if (err == EINTR || err == EAGAIN ||
		    (err == ECONNREFUSED && wait_server)) {
			if (hccl_now() < limit->deadline && !is_lost(limit)) {
				poll(NULL, 0, RETRY_MS);
				continue;
			}
			hccl_file_close(fd);
			return is_lost(limit) ? lost(meeting) :
			       failed(meeting, HCCL_E_TIMEOUT,
				      "the first rank did not come in time");
		}
		hccl_file_close(fd);
		return failed(meeting, HCCL_E_TCP_CONNECT,
			      "no process serves the root info: its process has ended, its time is over, or all ranks have come already");
	}
	*result = fd;
	return HCCL_SUCCESS;
}

/* Receive the next message until the deadline. */
static HcclResult next(int fd, const struct limit *limit, void *message,
		       size_t size, int files[], unsigned int count,
		       struct hccl_meeting *meeting)
{
	for (;;) {
		struct pollfd poller = { .fd = fd, .events = POLLIN };
		uint64_t now = hccl_now();
		int ret = hccl_file_receive(fd, message, size, files, count);

		if (!ret)
			return HCCL_SUCCESS;
		if (ret != -EAGAIN)
			return failed(meeting, HCCL_E_REMOTE,
				"the process that serves the root info has ended");
		if (is_lost(limit))
			return lost(meeting);
		if (now >= limit->deadline)
			return failed(meeting, HCCL_E_TIMEOUT,
				      "not all ranks came in time");
		now = limit->deadline - now;
		poll(&poller, 1, limit->watch && now > WATCH_MS ? WATCH_MS :
								   (int)now);
	}
}

static HcclResult take_members(int fd, const struct limit *limit,
			       unsigned int ranks,
			       struct hccl_meeting *meeting)
{
	for (unsigned int i = 0; i < ranks; i++) {
		struct hccl_introduction other;
		int alive;
		HcclResult ret = next(fd, limit, &other, sizeof(other),
				      &alive, 1, meeting);

		if (ret)
			return ret;
		meeting->members[i].self = other.self;
		meeting->members[i].alive = alive;
		if (other.self.rank != i)
			return failed(meeting, HCCL_E_INTERNAL,
				      "the ranks are introduced in wrong order");
		if (!hccl_file_is_pipe(alive))
			return failed(meeting, HCCL_E_INTERNAL,
				      "the file of a rank is not a pipe");
	}
	return HCCL_SUCCESS;
}

static HcclResult introduce(int fd, const struct hccl_place *place,
			    const struct hccl_self *self,
			    struct hccl_meeting *meeting)
{
	struct hccl_hello hello = {
		.magic = HCCL_MESSAGE_MAGIC,
		.version = HCCL_PLACE_VERSION,
		.self = *self,
	};
	int ends[2];
	int ret;

	memcpy(hello.token, place->token, sizeof(hello.token));
	if (hccl_file_pipe(ends))
		return failed(meeting, HCCL_E_SYSCALL, strerror(errno));
	meeting->life = ends[1];
	ret = hccl_message_send(fd, &hello, sizeof(hello), &ends[0], 1);
	hccl_file_close(ends[0]);
	if (!ret)
		return HCCL_SUCCESS;
	/* A server that gives up closes the connection. */
	return failed(meeting, ret == -EPIPE || ret == -ECONNRESET ?
			       HCCL_E_REMOTE : HCCL_E_SYSCALL, strerror(-ret));
}

static HcclResult join(int fd, const struct hccl_place *place,
		       const struct hccl_self *self, const struct limit *limit,
		       struct hccl_meeting *meeting)
{
	/* The server answers by its own deadline, which may be later. */
	const struct limit later = { limit->deadline + 1000, limit->watch };
	struct hccl_welcome welcome;
	HcclResult ret = introduce(fd, place, self, meeting);

	if (ret)
		return ret;
	ret = next(fd, &later, &welcome, sizeof(welcome), &meeting->memory, 1,
		   meeting);
	if (ret)
		return ret;
	if (welcome.result) {
		welcome.text[sizeof(welcome.text) - 1] = 0;
		return failed(meeting, (HcclResult)welcome.result,
			      welcome.text);
	}
	return take_members(fd, &later, self->ranks, meeting);
}

HcclResult hccl_meet(const struct hccl_place *place,
		     const struct hccl_self *self, unsigned int seconds,
		     bool wait_server, const struct hccl_watch *watch,
		     struct hccl_meeting *meeting)
{
	const struct limit limit = {
		.deadline = hccl_now() + (uint64_t)seconds * 1000,
		.watch = watch,
	};
	HcclResult ret;
	int fd;

	memset(meeting, 0, sizeof(*meeting));
	meeting->memory = -1;
	meeting->life = -1;
	meeting->members = calloc(self->ranks, sizeof(*meeting->members));
	if (!meeting->members)
		return HCCL_E_MEMORY;
	for (unsigned int i = 0; i < self->ranks; i++)
		meeting->members[i].alive = -1;
	ret = reach(place, &limit, wait_server, meeting, &fd);
	if (!ret) {
		ret = join(fd, place, self, &limit, meeting);
		hccl_file_close(fd);
	}
	if (!ret)
		return HCCL_SUCCESS;
	hccl_members_free(meeting->members, self->ranks);
	meeting->members = NULL;
	hccl_file_close(meeting->memory);
	hccl_file_close(meeting->life);
	meeting->memory = -1;
	meeting->life = -1;
	return ret;
}
