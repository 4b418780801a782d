// SPDX-License-Identifier: MIT
/*
 * The two ends at which shared memory is handed over.
 *
 * A process that shares memory has a datagram socket in the abstract name space
 * and a thread that answers what comes in there.  Datagrams, since the thread
 * then has nothing to wait for but the next one: a peer that is silent, slow or
 * dead takes no time and no descriptor.  The kernel adds to each who sent it,
 * with the process id as this process sees it; a process id that it does not
 * see is 0, which no program can allow.
 *
 * A request names the memory by its tag.  The answer proves that its sender
 * knows the key, so that one who takes the name of a service that is gone
 * cannot palm other memory off on an importer.  Names are seen by everyone in
 * the network namespace, keys never leave the two processes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "fork.h"
#include "io_stream.h"
#include "service.h"
#include "share.h"

#define MAGIC		0x31485356554e5056	/* "VPNUVSH1" */
#define SERVICES	(1U << 20)
#define NAME_TRIES	64

/* A wrong guess costs so much, one after the other: 44 bits outlast it. */
#define GUESS_NS	1000000L

/* How long an answer may take, and how often to see if it still may come. */
#define ANSWER_MS	5000
#define CHECK_MS	100

struct request {
	uint64_t magic;
	uint64_t tag;
	uint64_t nonce;
};

struct reply {
	uint64_t magic;
	int64_t result;			/* 0 or -errno */
	uint64_t proof;			/* the rest is set if it is 0 */
	uint64_t offset;
	uint64_t length;
};

/* Room for descriptors, or for who sent it. */
union control {
	struct cmsghdr align;
	char fds[CMSG_SPACE(VNPU_SHARE_FDS * sizeof(int))];
	char sender[CMSG_SPACE(sizeof(struct ucred))];
};

static struct {
	int fd;				/* -1 while it does not run */
	uint32_t number;
} service = { .fd = -1 };		/* under the lock of sharing */

static socklen_t make_address(struct sockaddr_un *address, uint32_t number)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	/* The first byte of an abstract name is a NUL, the last one is not. */
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
			"vnpu-share-%05x", number);
}

static pid_t sender_pid(struct msghdr *message)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(message);
	struct ucred sender;

	if (!cmsg || cmsg->cmsg_level != SOL_SOCKET ||
	    cmsg->cmsg_type != SCM_CREDENTIALS ||
	    cmsg->cmsg_len != CMSG_LEN(sizeof(sender)))
		return 0;
	memcpy(&sender, CMSG_DATA(cmsg), sizeof(sender));
	return sender.pid;
}

/* A peer that does not take its answer does not get it. */
static void send_reply(int fd, const struct msghdr *request,
		       struct reply *reply,
		       const struct vnpu_share_answer *answer)
{
	struct iovec iov = { .iov_base = reply, .iov_len = sizeof(*reply) };
	union control control = { 0 };
	struct msghdr message = {
		.msg_name = request->msg_name,
		.msg_namelen = request->msg_namelen,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	if (!reply->result) {
		const size_t bytes = answer->nr_fds * sizeof(int);
		struct cmsghdr *cmsg;

		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(bytes);
		cmsg = CMSG_FIRSTHDR(&message);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(bytes);
		memcpy(CMSG_DATA(cmsg), answer->fds, bytes);
	}
	sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/*
 * The descriptors of what is shared exist under the lock only: fork() takes it,
 * so no child inherits one.
 */
static int answer(int fd, struct msghdr *message, const struct request *request)
{
	struct vnpu_share_answer found = { .nr_fds = 0 };
	struct reply reply = { .magic = MAGIC };

	vnpu_share_lock();
	reply.result = vnpu_share_answer_locked(request->tag, request->nonce,
						sender_pid(message), &found);
	if (!reply.result) {
		reply.proof = found.proof;
		reply.offset = found.offset;
		reply.length = found.length;
	}
	send_reply(fd, message, &reply, &found);
	for (unsigned int i = 0; i < found.nr_fds; i++)
		close(found.fds[i]);
	vnpu_share_unlock();
	return reply.result;
}

static void take_request(int fd)
{
	const struct timespec guess = { .tv_nsec = GUESS_NS };
	struct sockaddr_un sender;
	struct request request;
	struct iovec iov = { .iov_base = &request, .iov_len = sizeof(request) };
	union control control;
	struct msghdr message = {
		.msg_name = &sender,
		.msg_namelen = sizeof(sender),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		/* Without room for descriptors, what is sent is dropped. */
		.msg_controllen = sizeof(control.sender),
	};
	ssize_t length = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);

	if (length != sizeof(request) || message.msg_flags & MSG_TRUNC ||
	    request.magic != MAGIC || answer(fd, &message, &request) == -ENOENT)
		nanosleep(&guess, NULL);
}

static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;

	for (;;)
		take_request(fd);
	return NULL;
}

/* The code of a thread that never ends may not be unloaded. */
static void stay_loaded(void)
{
	Dl_info info;

	if (dladdr(&service, &info) && info.dli_fname)
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static int start_thread(int fd)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	ret = pthread_attr_init(&attr);
	if (ret)
		return -ret;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals are for the program's threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&thread, &attr, serve, (void *)(intptr_t)fd);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (ret)
		return -ret;
	pthread_setname_np(thread, "vnpu-share");
	return 0;
}

static int bind_any(int fd, uint32_t *number)
{
	for (int i = 0; i < NAME_TRIES; i++) {
		struct sockaddr_un address;
		socklen_t length;

		if (getrandom(number, sizeof(*number), 0) < 0)
			return -errno;
		*number = 1 + *number % (SERVICES - 1);
		length = make_address(&address, *number);
		if (!bind(fd, (struct sockaddr *)&address, length))
			return 0;
		if (errno != EADDRINUSE)
			return -errno;
	}
	return -EADDRINUSE;
}

int vnpu_service_start_locked(uint32_t *number)
{
	const int on = 1;
	int fd, ret = 0;

	if (service.fd >= 0) {
		*number = service.number;
		return 0;
	}

	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		ret = -errno;
	if (!ret)
		ret = bind_any(fd, number);
	if (!ret) {
		stay_loaded();
		ret = start_thread(fd);
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
	if (service.fd >= 0)
		close(service.fd);
	service.fd = -1;
}

/* Whether the service is there, and this socket talks to it and no other. */
static int connect_service(int fd, uint32_t number)
{
	struct sockaddr_un address;
	socklen_t length = make_address(&address, number);

	if (!connect(fd, (struct sockaddr *)&address, length))
		return 0;
	/* Nobody has the name, or it is something else that does. */
	if (errno == ECONNREFUSED || errno == EPERM || errno == EPROTOTYPE)
		return -ENOENT;
	return -errno;
}

static int open_client(uint32_t number)
{
	/* Without a name, the kernel gives one: the answer needs it. */
	const struct sockaddr_un any = { .sun_family = AF_UNIX };
	const struct timeval limit = { .tv_sec = ANSWER_MS / 1000 };
	int fd, ret;

	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ||
	    bind(fd, (const struct sockaddr *)&any, sizeof(any.sun_family)))
		ret = -errno;
	else
		ret = connect_service(fd, number);
	if (ret) {
		close(fd);
		return ret;
	}
	return fd;
}

static int send_request(int fd, const struct request *request)
{
	ssize_t length;

	do {
		length = send(fd, request, sizeof(*request), MSG_NOSIGNAL);
	} while (length < 0 && errno == EINTR);
	if (length >= 0)
		return 0;
	if (errno == EAGAIN)
		return -ETIMEDOUT;
	return errno == ECONNREFUSED || errno == ENOTCONN ? -ENOENT : -errno;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* A service whose process dies does not say so: connecting anew shows it. */
static int wait_answer(int fd, uint32_t number)
{
	const int64_t end = now_ms() + ANSWER_MS;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	do {
		int ret = poll(&poll_fd, 1, CHECK_MS);

		if (ret > 0)
			return 0;
		if (ret < 0 && errno != EINTR)
			return -errno;
		ret = connect_service(fd, number);
		if (ret)
			return ret;
	} while (now_ms() < end);
	return -ETIMEDOUT;
}

/* How many descriptors came, and which. */
static unsigned int received_fds(struct msghdr *message, int *fds)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(message);
	size_t bytes;

	if (!cmsg || cmsg->cmsg_level != SOL_SOCKET ||
	    cmsg->cmsg_type != SCM_RIGHTS || cmsg->cmsg_len < CMSG_LEN(0))
		return 0;
	bytes = cmsg->cmsg_len - CMSG_LEN(0);
	if (bytes > VNPU_SHARE_FDS * sizeof(int))
		return 0;
	memcpy(fds, CMSG_DATA(cmsg), bytes);
	return bytes / sizeof(int);
}

static bool is_good(const struct reply *reply, const struct vnpu_io_mem *mem)
{
	return reply->length && reply->length <= mem->length &&
	       reply->offset <= mem->length - reply->length;
}

static int import_mem(int fd, const struct reply *reply,
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

/* Takes the second descriptor on success. */
static int import_event(int fds[VNPU_SHARE_FDS], struct vnpu_shared *shared)
{
	int ret = import_timeline(fds[0], VNPU_IO_TIMELINE, shared);

	if (ret)
		return ret;
	shared->file = fds[1];
	fds[1] = -1;
	return 0;
}

/* Make of the descriptors what they are for. */
static int import(enum vnpu_share_kind kind, const struct reply *reply,
		  int fds[VNPU_SHARE_FDS], struct vnpu_shared *shared)
{
	switch (kind) {
	case VNPU_SHARE_NOTIFY:
		shared->number = reply->offset;
		return import_timeline(fds[0], VNPU_IO_COUNTER, shared);
	case VNPU_SHARE_EVENT:
		return import_event(fds, shared);
	default:
		return import_mem(fds[0], reply, shared);
	}
}

static int take_answer(int fd, enum vnpu_share_kind kind,
		       const struct vnpu_token *token, uint64_t nonce,
		       struct vnpu_shared *shared)
{
	struct reply reply = { 0 };
	struct iovec iov = { .iov_base = &reply, .iov_len = sizeof(reply) };
	union control control;
	struct msghdr message = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.fds),
	};
	ssize_t length = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	const unsigned int wanted = kind == VNPU_SHARE_EVENT ? 2 : 1;
	int fds[VNPU_SHARE_FDS] = { -1, -1 }, ret;
	unsigned int count;

	if (length < 0)
		return -errno;
	count = received_fds(&message, fds);
	if (length != sizeof(reply) || reply.magic != MAGIC)
		ret = -ENOENT;
	else if (reply.result)
		ret = reply.result == -EACCES ? -EACCES : -ENOENT;
	else if (reply.proof != vnpu_share_proof(token, nonce))
		ret = -ENOENT;
	else if (count != wanted)
		ret = -EMFILE;	/* the kernel drops what has no room */
	else
		ret = import(kind, &reply, fds, shared);
	for (unsigned int i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return ret;
}

int vnpu_share_fetch(enum vnpu_share_kind kind, const struct vnpu_token *token,
		     struct vnpu_shared *shared)
{
	struct request request = {
		.magic = MAGIC,
		.tag = vnpu_share_tag(kind, token),
	};
	int fd, ret;

	if (getrandom(&request.nonce, sizeof(request.nonce), 0) < 0)
		return -errno;
	fd = open_client(token->service);
	if (fd < 0)
		return fd;
	ret = send_request(fd, &request);
	if (!ret)
		ret = wait_answer(fd, token->service);
	if (!ret) {
		/* As in answer(): no child inherits the descriptor. */
		vnpu_share_lock();
		ret = take_answer(fd, kind, token, request.nonce, shared);
		vnpu_share_unlock();
	}
	close(fd);
	return ret;
}
