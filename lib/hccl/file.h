/* SPDX-License-Identifier: MIT */
/*
 * Files that a child of fork() closes, see file.c.  On failure, the functions
 * return -1 and set errno.
 */
#ifndef VNPU_HCCL_FILE_H
#define VNPU_HCCL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* A socket for messages of this host; @flags: 0 or SOCK_NONBLOCK. */
int hccl_file_socket(int flags);
int hccl_file_accept(int listener);

/* An eventfd. */
int hccl_file_event(void);

int hccl_file_pipe(int ends[2]);

/* hccl_region_create() */
int hccl_file_memory(unsigned int ranks);

/* hccl_message_receive(), which does not wait; -ENOMEM before it reads. */
int hccl_file_receive(int socket, void *message, size_t size, int received[],
		      unsigned int number);

/* Whether a file is a pipe: waits for others may depend on the process that sent it. */
bool hccl_file_is_pipe(int file);

/* Close one of these files; -1 is permitted. */
void hccl_file_close(int file);

#endif /* VNPU_HCCL_FILE_H */
