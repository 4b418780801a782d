/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The library's part, for tests of the process vnpu-core: start it, send images,
 * launch kernels, and keep what it reports.
 */
#ifndef AICORE_LIBRARY_H
#define AICORE_LIBRARY_H

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "../uapi/core.h"
#include "protocol.h"
#include "vnpu/kernel.h"

/* Where no process has anything by itself. */
#define AT	0x200000000000ULL

/**
 * struct library - a client with a core
 * @c: the client
 * @engine: the engine file
 * @socket: to the core
 * @pid: of the core
 * @ready: READY
 * @ready_text: its sentence
 * @exceptions: number of EXCEPTION messages
 * @exception: the last EXCEPTION or FINDING
 * @text: its sentence
 * @end: the last EXIT
 * @output: text of all PRINT messages
 * @output_length: its bytes
 */
struct library {
	struct client c;
	int engine;
	int socket;
	pid_t pid;
	struct core_ready ready;
	char ready_text[512];
	unsigned int exceptions;
	struct core_exception exception;
	char text[4096];
	struct core_exit end;
	char output[1 << 20];
	size_t output_length;
};

static char tests_dir[256];	/* of this program */
static const char *kernels = "kernels.o";

static inline int library_send(struct library *l, __u32 type, const void *body,
			       size_t size, const char *text, int fd)
{
	struct core_message head = { type, size + strlen(text) };
	struct iovec parts[] = {
		{ &head, sizeof(head) }, { (void *)body, size },
		{ (void *)text, strlen(text) },
	};
	union {
		char data[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	}
	return sendmsg(l->socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Handle messages that have arrived, or wait for one. Returns their number. */
static inline int library_receive(struct library *l, int flags)
{
	char packet[CORE_MESSAGE_MAX + 1];
	int count = 0;

	for (;;) {
		struct core_message head;
		char *body = packet + sizeof(head);
		ssize_t got = recv(l->socket, packet, CORE_MESSAGE_MAX,
				   count ? MSG_DONTWAIT : flags);

		/* It has ended without reading all; its own messages follow. */
		if (got < 0 && errno == ECONNRESET)
			continue;
		if (got < (ssize_t)sizeof(head))
			return count;
		count++;
		packet[got] = '\0';
		memcpy(&head, packet, sizeof(head));
		switch (head.type) {
		case CORE_READY:
			memcpy(&l->ready, body, sizeof(l->ready));
			snprintf(l->ready_text, sizeof(l->ready_text), "%.500s",
				 body + sizeof(l->ready));
			break;
		case CORE_PRINT:
			body += sizeof(struct core_print);
			if (l->output_length + strlen(body) <
			    sizeof(l->output)) {
				strcpy(l->output + l->output_length, body);
				l->output_length += strlen(body);
			}
			break;
		case CORE_EXCEPTION:
		case CORE_FINDING:
			l->exceptions += head.type == CORE_EXCEPTION;
			memcpy(&l->exception, body, sizeof(l->exception));
			snprintf(l->text, sizeof(l->text), "%.4000s",
				 body + sizeof(l->exception));
			break;
		case CORE_EXIT:
			memcpy(&l->end, body, sizeof(l->end));
			break;
		}
	}
}

static inline void core_exec(int engine, int socket)
{
	char path[512], *argv[] = { "vnpu-core", NULL }, *none[] = { NULL };

	snprintf(path, sizeof(path), "%s/../../libexec/vnpu/vnpu-core",
		 tests_dir);
	(void)engine;
	/* Some descriptors that it has to close. */
	for (int i = 10; i < 15; i++)
		dup2(2, i);
	dup2(socket, CORE_SOCKET);
	execve(path, argv, none);
	_exit(127);
}

/* Start a core for the client. Returns 0, or -errno or the error of READY. */
static inline int library_start(struct library *l, __u32 flags)
{
	struct core_start start = {
		.protocol = CORE_PROTOCOL,
		.flags = flags,
		.local = {
			[VNPU_LOCAL_UB] = 192 << 10,
			[VNPU_LOCAL_L1] = 512 << 10,
			[VNPU_LOCAL_L0A] = 64 << 10,
			[VNPU_LOCAL_L0B] = 64 << 10,
			[VNPU_LOCAL_L0C] = 128 << 10,
			[VNPU_LOCAL_BT] = 4 << 10,
			[VNPU_LOCAL_FB] = 8 << 10,
		},
		.vector_cores = 48,
		.cube_cores = 24,
	};
	int pair[2];

	l->engine = engine_create(&l->c, 0, 0);
	if (l->engine < 0)
		return l->engine;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	l->socket = pair[0];
	l->pid = fork();
	if (!l->pid)
		core_exec(l->engine, pair[1]);
	close(pair[1]);
	l->ready.protocol = 0;
	library_send(l, CORE_START, &start, sizeof(start), "", l->engine);
	close(l->engine);
	while (!l->ready.protocol && library_receive(l, 0))
		;
	return l->ready.protocol ? -(int)l->ready.error : -EPIPE;
}

/* Wait for the end of the core; returns its status, or 256 + a signal. */
static inline int library_wait(struct library *l)
{
	int ret = child_wait(l->pid);

	library_receive(l, MSG_DONTWAIT);
	close(l->socket);
	l->pid = 0;
	return ret;
}

static inline void library_end(struct library *l)
{
	if (l->pid > 0) {
		close(l->socket);
		child_wait(l->pid);
	}
	l->pid = 0;
	client_close(&l->c);
}

static inline int library_open(struct library *l, __u64 bytes)
{
	memset(l, 0, sizeof(*l));
	if (client_open_only(&l->c))
		return -errno;
	if (mmap(ptr(AT), MIB(256), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, l->c.fd, VNPU_MMAP_WINDOW) !=
	    ptr(AT))
		return -errno;
	l->c.base = AT;
	l->c.size = MIB(256);
	return mem_alloc_at(&l->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, bytes, AT);
}

/* A memfd with @size bytes of the file of kernels. */
static inline int kernels_open(size_t *size)
{
	int fd = memfd_create("kernels", MFD_CLOEXEC), from;
	char path[512], buffer[65536];
	ssize_t got;

	snprintf(path, sizeof(path), "%s/%s", tests_dir, kernels);
	from = open(path, O_RDONLY | O_CLOEXEC);
	*size = 0;
	while ((got = read(from, buffer, sizeof(buffer))) > 0)
		*size += write(fd, buffer, got);
	close(from);
	return fd;
}

static inline int library_image(struct library *l, __u32 id)
{
	struct core_image image = { .id = id };
	size_t size;
	int fd = kernels_open(&size), ret;

	image.size = size;
	ret = library_send(l, CORE_IMAGE, &image, sizeof(image), "kernels.asc",
			   fd);
	close(fd);
	return ret;
}

/* The index of a kernel of the image. */
static inline __u32 kernel_index(const char *name)
{
	static const struct vnpu_image *image;
	char path[512];
	__u32 i = 0;

	snprintf(path, sizeof(path), "%s/%s", tests_dir, kernels);
	if (!image)
		image = dlsym(dlopen(path, RTLD_NOW), "vnpu_image");
	while (&image->kernels[i] < image->kernels_end &&
	       strcmp(image->kernels[i].symbol, name))
		i++;
	return i;
}

/* A launch of a kernel of image 1, with arguments at the start of the memory. */
static inline struct vnpu_task library_launch(const char *name, __u32 blocks)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_LAUNCH,
		.mode = VNPU_LAUNCH_VECTOR,
		.arg0 = CORE_FUNCTION(1, kernel_index(name)),
		.src = AT,
		.length = 64,
		.arg1 = CORE_BLOCKS(blocks, 0),
	};
}

#endif /* AICORE_LIBRARY_H */
