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

#include <stdbool.h>

/*
 * Whether no message on a connection of AF_UNIX, SOCK_SEQPACKET, carries descriptors.
 * Then they are gone, none comes any more, and to close it takes no time.
 */
bool vnpu_hang_up_is_plain(int fd);

/*
 * Close such a connection, and tell whether that was so.  If it was not, a thread
 * waits; where there is none to be had, the caller.  No lock is held, see
 * vnpu_thread_prepare().
 */
bool vnpu_hang_up(int fd);

#endif /* VNPU_LIB_HANGUP_H */
