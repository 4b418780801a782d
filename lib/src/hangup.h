/* SPDX-License-Identifier: MIT */
/*
 * The end of a conversation with a stranger.
 *
 * A message on a socket may carry descriptors. Who closes the socket, or takes the
 * message without them, closes what they were the last of, and that may take as
 * long as the stranger likes: by a connection that lingers, or a file system of his
 * own.
 */
#ifndef VNPU_LIB_HANGUP_H
#define VNPU_LIB_HANGUP_H

/*
 * Close a connection of AF_UNIX, SOCK_SEQPACKET, without waiting: if there are
 * descriptors, a thread waits.  No lock is held, see vnpu_thread_prepare().
 */
void vnpu_hang_up(int fd);

/* The same, where the caller has a table of descriptors of its own, see raw.h. */
void vnpu_hang_up_own(int fd);

/* How many threads are at it. */
unsigned int vnpu_hanging_up(void);

#endif /* VNPU_LIB_HANGUP_H */
