/* SPDX-License-Identifier: MIT */
/* The interface of the shared object vnpu-core.so, see thread.c. */
#ifndef VNPU_CORE_THREAD_H
#define VNPU_CORE_THREAD_H

/*
 * Run as the core of the calling process until the library closes its end of
 * the socket, or the engine file ends.  Uses protocol.h, and closes @socket.
 * One thread at a time; it has its signals blocked.
 *
 * The core replaces the mapping of the client's window by one with the rights of
 * the device, and leaves that in place.
 */
void vnpu_core_thread(int socket);

/*
 * Close the files of the parent's core in a child of fork(), which has no core.
 * Otherwise the driver and the library would not see the end of that core.
 */
void vnpu_core_thread_disown(void);

#endif /* VNPU_CORE_THREAD_H */
