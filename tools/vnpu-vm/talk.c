// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames to and from the host, {type, length, payload}, through one virtio
 * serial port. vnpuvm/session.py is the other end. The whole protocol:
 *
 *	to the guest				to the host
 *	c  working directory			R  ready, the job begins
 *	l  directory of kernel modules		o  standard output
 *	m  module image				e  standard error
 *	p  module parameters			k  kernel log records
 *	t  terminal size, wants a terminal	v  finding: the run is bad
 *	a  one argument				f  failure: no run at all
 *	n  one environment entry		x  exit status, the last frame
 *	g  go
 *	i  standard input, empty at its end
 *
 * Frames keep the order of events, unlike separate ports: when x arrives, all
 * output has arrived.
 */

#include "init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#define PORT_NAME	"vnpu"

struct job job;
int port = -1;
static int kmsg = -1;

static void write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			reboot(RB_AUTOBOOT);	/* the host is gone */
		p += n;
		len -= n;
	}
}

static void read_all(int fd, void *data, size_t len)
{
	char *p = data;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			reboot(RB_AUTOBOOT);
		p += n;
		len -= n;
	}
}

void send_frame(char type, const void *data, uint32_t len)
{
	struct { char type; uint32_t len; } __attribute__((packed)) head = {
		type, len		/* x86 and the format: little endian */
	};

	write_all(port, &head, sizeof(head));
	write_all(port, data, len);
}

void recv_frame(struct frame *f)
{
	read_all(port, &f->type, sizeof(f->type));
	read_all(port, &f->len, sizeof(f->len));
	f->data = malloc((size_t)f->len + 1);
	if (!f->data)
		reboot(RB_AUTOBOOT);
	read_all(port, f->data, f->len);
	f->data[f->len] = '\0';
}

/* The run counts as bad, whatever the exit status of the command is. */
void finding(const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	send_frame('v', text, len);
	free(text);
}

/* The host kills the machine on the last frame; nothing is left to do. */
void wait_for_end(void)
{
	for (;;)
		pause();
}

/* No run is possible. Before the port is open, only the console shows this. */
void fail(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (port < 0) {
		fprintf(stderr, "vnpu-vm init: %s\n", text);
		reboot(RB_AUTOBOOT);
	}
	send_kernel_log();
	send_frame('f', text, strlen(text));
	wait_for_end();
}

static int find_port(void)
{
	static const char ports[] = "/sys/class/virtio-ports";
	char path[300], name[64];
	struct dirent *entry;
	int fd = -1;
	DIR *dir;

	dir = opendir(ports);
	if (!dir)
		return -1;
	while (fd < 0 && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/name", ports,
			 entry->d_name);
		if (read_file(path, name, sizeof(name)) < 0 ||
		    strcmp(name, PORT_NAME "\n"))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	closedir(dir);
	return fd;
}

/* A port appears some time after its driver, and its name later still. */
void open_port(void)
{
	for (int ms = 0; ms < 10000; ms++) {
		port = find_port();
		if (port >= 0)
			return;
		usleep(1000);
	}
	fail("no virtio port named " PORT_NAME);
}


void open_kernel_log(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0)
		fail("open /dev/kmsg: %m");
}

int kernel_log_fd(void)
{
	return kmsg;
}

void send_kernel_log(void)
{
	static char batch[CHUNK];
	size_t used = 0;
	ssize_t n;

	if (kmsg < 0)
		return;
	for (;;) {
		if (sizeof(batch) - used < 8192) {	/* one record's limit */
			send_frame('k', batch, used);
			used = 0;
		}
		n = read(kmsg, batch + used, sizeof(batch) - used);
		if (n > 0)
			used += n;
		else if (n < 0 && errno == EPIPE)
			finding("the kernel log has overrun; records are lost");
		else if (n == 0 || errno != EINTR)
			break;
	}
	if (used)
		send_frame('k', batch, used);
}

static char **append(char **list, size_t *count, char *entry)
{
	list = realloc(list, (*count + 2) * sizeof(*list));
	if (!list)
		fail("out of memory");
	list[(*count)++] = entry;
	list[*count] = NULL;
	return list;
}

void set_tty_size(const struct frame *f)
{
	uint16_t size[2];

	if (f->len != sizeof(size))
		return;
	memcpy(size, f->data, sizeof(size));
	job.tty.ws_row = size[0];
	job.tty.ws_col = size[1];
}

void receive_job(void)
{
	struct frame f;

	for (;;) {
		recv_frame(&f);
		switch (f.type) {
		case 'c':
			job.cwd = f.data;
			break;
		case 'l':
			job.modules = f.data;
			break;
		case 'm':
			job.image = f;
			break;
		case 'p':
			job.params = f.data;
			break;
		case 't':
			job.want_tty = true;
			set_tty_size(&f);
			free(f.data);
			break;
		case 'a':
			job.argv = append(job.argv, &job.argc, f.data);
			break;
		case 'n':
			job.envp = append(job.envp, &job.envc, f.data);
			break;
		case 'g':
			free(f.data);
			return;
		default:
			fail("frame of unknown type %c", f.type);
		}
	}
}
