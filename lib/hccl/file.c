// SPDX-License-Identifier: MIT
/*
 * Files that this process shares with other ranks.  A child of fork() has copies of
 * them.  These would hide the end of this process, and keep what other processes have
 * closed.  So the child closes them.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "message.h"
#include "region.h"

/* Held from before a file is made until it is in the list: no fork is in between. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *files;
static size_t count, room;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
	for (size_t i = 0; i < count; i++)
		close(files[i]);
	count = 0;
	pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

static void begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&lock);
}

/* Make room for a few more, so that adding cannot fail; 0 or -1. */
static int reserve(void)
{
	size_t more = room ? 2 * room : 16;
	int *larger;

	if (count + HCCL_MESSAGE_FILES <= room)
		return 0;
	larger = reallocarray(files, more, sizeof(*files));
	if (!larger)
		return -1;
	files = larger;
	room = more;
	return 0;
}

static void end_all(const int made[], unsigned int number)
{
	int err = errno;

	while (number)
		files[count++] = made[--number];
	pthread_mutex_unlock(&lock);
	errno = err;
}

static int end(int file)
{
	end_all(&file, file >= 0);
	return file;
}

int hccl_file_socket(int flags)
{
	begin();
	return end(reserve() ? -1 : socket(AF_UNIX, SOCK_SEQPACKET |
					   SOCK_CLOEXEC | flags, 0));
}

/* The listener does not block. */
int hccl_file_accept(int listener)
{
	begin();
	return end(reserve() ? -1 :
			       accept4(listener, NULL, NULL, SOCK_CLOEXEC));
}

int hccl_file_event(void)
{
	begin();
	return end(reserve() ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

int hccl_file_pipe(int ends[2])
{
	int ret;

	begin();
	ret = reserve();
	if (!ret)
		ret = pipe2(ends, O_CLOEXEC);
	end_all(ends, ret ? 0 : 2);
	return ret;
}

int hccl_file_memory(unsigned int ranks)
{
	begin();
	return end(reserve() ? -1 : hccl_region_create(ranks));
}

int hccl_file_receive(int socket, void *message, size_t size, int received[],
		      unsigned int number)
{
	int ret;

	begin();
	ret = reserve() ? -ENOMEM :
	      hccl_message_receive(socket, message, size, received, number);
	end_all(received, ret ? 0 : number);
	return ret;
}

bool hccl_file_is_pipe(int file)
{
	struct stat status;

	return !fstat(file, &status) && S_ISFIFO(status.st_mode);
}

void hccl_file_close(int file)
{
	if (file < 0)
		return;
	begin();
	for (size_t i = 0; i < count; i++)
		if (files[i] == file) {
			files[i] = files[--count];
			break;
		}
	close(file);
	pthread_mutex_unlock(&lock);
}
