// SPDX-License-Identifier: MIT
/*
 * The messages between the library and the core.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core.h"

/* One thread at a time receives and handles messages. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Receive a packet and its descriptor, -1 if it has none.  Returns the bytes, 0
 * when the library has closed its end, or a negative errno.
 */
static ssize_t receive(void *packet, size_t size, int *fd, int flags)
{
	union {
		char data[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = { packet, size };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *head;
	ssize_t got;

	*fd = -1;
	do
		got = recvmsg(core.socket, &message, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	head = CMSG_FIRSTHDR(&message);
	if (head && head->cmsg_level == SOL_SOCKET &&
	    head->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	return got;
}

int channel_start(struct core_start *start)
{
	struct {
		struct core_message head;
		struct core_start start;
	} packet;
	ssize_t got;
	int fd;

	got = receive(&packet, sizeof(packet), &fd, 0);
	if (got < 0)
		return got;
	if (!got)
		return -EPIPE;
	if (got != sizeof(packet) || packet.head.type != CORE_START || fd < 0)
		return -EPROTO;
	*start = packet.start;
	if (start->protocol != CORE_PROTOCOL)
		return -EPROTONOSUPPORT;
	core.engine = core.is_thread ? fd : CORE_ENGINE;
	if (fd == core.engine)
		return 0;
	if (dup2(fd, CORE_ENGINE) < 0)
		return -errno;
	close(fd);
	return 0;
}

/* Send a message in up to three parts; false if the library has closed its end. */
static bool try_send(enum core_message_type type, const void *body,
		     size_t body_size, const char *text, size_t length,
		     int flags)
{
	struct core_message head = {
		.type = type,
		.length = body_size + length,
	};
	struct iovec parts[] = {
		{ &head, sizeof(head) },
		{ (void *)body, body_size },
		{ (void *)text, length },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };
	ssize_t sent;

	do
		sent = sendmsg(core.socket, &message, flags | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent >= 0;
}

/* Send a message; end the core if the library has closed its end. */
static void send_parts(enum core_message_type type, const void *body,
		       size_t body_size, const char *text, size_t length)
{
	if (!try_send(type, body, body_size, text, length, 0))
		core_exit(CORE_EXIT_DONE);
}

void channel_exit(const struct core_exit *end)
{
	/* A signal ends the process even if the library does not receive. */
	try_send(CORE_EXIT, end, sizeof(*end), NULL, 0,
		 end->signal ? MSG_DONTWAIT : 0);
}

void channel_ready(int error, const char *text)
{
	struct core_ready ready = { CORE_PROTOCOL, error };

	send_parts(CORE_READY, &ready, sizeof(ready), text, strlen(text));
}

void channel_print(uint64_t stream, const char *text, size_t length)
{
	struct core_print print = { stream };

	send_parts(CORE_PRINT, &print, sizeof(print), text, length);
}

void channel_report(enum core_message_type type,
		    const struct core_exception *exception, const char *text)
{
	send_parts(type, exception, sizeof(*exception), text, strlen(text));
}

static void image_receive(const struct core_message *head, const char *body,
			  int fd)
{
	char name[CORE_MESSAGE_MAX];
	struct core_image image;

	memcpy(&image, body, sizeof(image));
	if (head->type == CORE_UNLOAD) {
		images_remove(image.id);
		return;
	}
	memcpy(name, body + sizeof(image), head->length - sizeof(image));
	name[head->length - sizeof(image)] = '\0';
	images_add(image.id, fd, image.size, name);
}

/* The library is of the same version, so other messages are not expected. */
static bool handle(const char *packet, size_t size, int fd)
{
	struct core_message head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, packet, sizeof(head));
	if (head.length != size - sizeof(head) ||
	    head.length < sizeof(struct core_image) ||
	    (head.type != CORE_IMAGE && head.type != CORE_UNLOAD) ||
	    (head.type == CORE_IMAGE) != (fd >= 0))
		return false;
	image_receive(&head, packet + sizeof(head), fd);
	return true;
}

void channel_drain(void)
{
	char packet[CORE_MESSAGE_MAX];
	ssize_t got;
	int fd;

	pthread_mutex_lock(&lock);
	for (;;) {
		got = receive(packet, sizeof(packet), &fd, MSG_DONTWAIT);
		if (got == -EAGAIN)
			break;
		if (got <= 0) {
			core_exit(CORE_EXIT_DONE);
			break;
		}
		if (!handle(packet, got, fd) && fd >= 0)
			close(fd);
	}
	pthread_mutex_unlock(&lock);
}
