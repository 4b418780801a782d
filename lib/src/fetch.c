// SPDX-License-Identifier: MIT
/*
 * Where shared memory is fetched: the other end of door.c.
 *
 * A service that has no place for one more of a user closes the connection
 * without an answer, and so does one whose process dies.  Which it was is seen
 * by connecting anew.
 *
 * The connection is in the program's table of descriptors while this waits.  A child
 * that is forked meanwhile has it, too, until it calls exec; if the peer is hostile,
 * and that is the last close, it may take as long as the peer likes, see hangup.h.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/random.h>
#include <unistd.h>

#include "fork.h"
#include "hangup.h"
#include "io_stream.h"
#include "service_wire.h"
#include "share.h"

/* How long an answer may take, and when to ask again after none. */
#define ANSWER_MS	5000
#define AGAIN_MS	2

static int open_service(uint32_t number)
{
	const struct timeval limit = { .tv_sec = ANSWER_MS / 1000 };
	struct sockaddr_un address;
	socklen_t length = vnpu_service_address(&address, number);
	int fd, ret;

	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) &&
	    !connect(fd, (struct sockaddr *)&address, length))
		return fd;
	ret = -errno;
	close(fd);
	switch (ret) {
	/* Nobody has the name, or it is something else that does. */
	case -ECONNREFUSED:
	case -EPROTOTYPE:
		return -ENOENT;
	/* There was no room, or a signal. */
	case -EAGAIN:
	case -EINTR:
		return -ECONNRESET;
	default:
		return ret;
	}
}

static int wait_answer(int fd, int64_t end)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int64_t left;

	while ((left = end - vnpu_service_now_ms()) > 0) {
		int ret = poll(&poll_fd, 1, (int)left);

		if (ret > 0)
			return 0;
		if (ret < 0 && errno != EINTR)
			return -errno;
	}
	return -ETIMEDOUT;
}

static bool is_good(const struct vnpu_service_reply *reply, const struct vnpu_io_mem *mem)
{
	return reply->length && reply->length <= mem->length &&
	       reply->offset <= mem->length - reply->length;
}

static int import_mem(int fd, const struct vnpu_service_reply *reply,
		      struct vnpu_shared *shared)
{
	int ret = vnpu_io_mem_import(fd, &shared->mem);

	if (ret)
		return ret;
	if (!is_good(reply, &shared->mem)) {
		vnpu_io_mem_close(shared->mem.id);
		return -ENOENT;
	}
	shared->offset = reply->offset;
	shared->length = reply->length;
	return 0;
}

static int import_timeline(int fd, enum vnpu_io_timeline_kind wanted,
			   struct vnpu_shared *shared)
{
	enum vnpu_io_timeline_kind kind;
	int ret = vnpu_io_timeline_import(fd, &shared->timeline, &kind);

	if (ret)
		return ret;
	if (kind == wanted)
		return 0;
	vnpu_io_timeline_destroy(shared->timeline);
	return -ENOENT;
}

/* Make of the descriptor what it is for; it may take it. */
static int import(enum vnpu_share_kind kind, const struct vnpu_service_reply *reply,
		  int *fd, struct vnpu_shared *shared)
{
	switch (kind) {
	case VNPU_SHARE_NOTIFY:
		shared->number = reply->offset;
		return import_timeline(*fd, VNPU_IO_COUNTER, shared);
	case VNPU_SHARE_STREAM:
		return import_timeline(*fd, VNPU_IO_STREAM, shared);
	case VNPU_SHARE_EVENT:
		shared->file = *fd;
		*fd = -1;
		return 0;
	default:
		return import_mem(*fd, reply, shared);
	}
}

/* Of what there is, there may be no file for now. */
static int refusal(int result)
{
	switch (result) {
	case -EACCES:
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
		return result;
	default:
		return -ENOENT;
	}
}

/*
 * What the answer says.  Who sent it may be anybody who took the name, so that it
 * stays where it is, with the descriptor, until it is known to be who has the key.
 */
static int check_answer(int socket, const struct vnpu_token *token, uint64_t nonce)
{
	struct vnpu_service_reply reply;
	ssize_t length = recv(socket, &reply, sizeof(reply),
			      MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC);

	if (length < 0)
		return -errno;
	if (!length)
		return -ECONNRESET;
	if (length != sizeof(reply) || reply.magic != VNPU_SERVICE_MAGIC)
		return -ENOENT;
	if (reply.result)
		return refusal(reply.result);
	return reply.proof == vnpu_share_proof(token, nonce) ? 0 : -ENOENT;
}

static int take_answer(int socket, enum vnpu_share_kind kind,
		       struct vnpu_shared *shared)
{
	struct vnpu_service_reply reply;
	int fd, ret;

	if (vnpu_service_receive(socket, &reply, sizeof(reply), &fd,
				 MSG_DONTWAIT) < 0 || fd < 0)
		return -EMFILE;	/* the kernel drops what has no room */
	ret = import(kind, &reply, &fd, shared);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int fetch_once(enum vnpu_share_kind kind, const struct vnpu_token *token,
		      const struct vnpu_service_request *request, int64_t end,
		      struct vnpu_shared *shared)
{
	int fd, ret = 0;

	fd = open_service(token->service);
	if (fd < 0)
		return fd;
	if (send(fd, request, sizeof(*request), MSG_NOSIGNAL) < 0)
		ret = errno == EPIPE || errno == EINTR ? -ECONNRESET : -errno;
	if (!ret)
		ret = wait_answer(fd, end);
	if (!ret)
		ret = check_answer(fd, token, request->nonce);
	if (!ret) {
		/* As in service.c: no child inherits the descriptor. */
		vnpu_share_lock();
		ret = take_answer(fd, kind, shared);
		vnpu_share_unlock();
	}
	/* No service leaves a descriptor where it gives no answer. */
	if (!vnpu_hang_up(fd) && ret == -ECONNRESET)
		ret = -ENOENT;
	return ret;
}

int vnpu_share_fetch(enum vnpu_share_kind kind, const struct vnpu_token *token,
		     struct vnpu_shared *shared)
{
	const int64_t end = vnpu_service_now_ms() + ANSWER_MS;
	struct vnpu_service_request request = {
		.magic = VNPU_SERVICE_MAGIC,
		.tag = vnpu_share_tag(kind, token),
	};
	int ret;

	if (getrandom(&request.nonce, sizeof(request.nonce), 0) < 0)
		return -errno;
	do {
		ret = fetch_once(kind, token, &request, end, shared);
		if (ret != -ECONNRESET)
			return ret;
		poll(NULL, 0, AGAIN_MS);
	} while (vnpu_service_now_ms() < end);
	return -ETIMEDOUT;
}
