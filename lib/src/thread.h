/* SPDX-License-Identifier: MIT */
/* Threads of the library's own. */
#ifndef VNPU_LIB_THREAD_H
#define VNPU_LIB_THREAD_H

/*
 * Run a function in a thread that nobody waits for and that takes no signals:
 * they are the program's.  The library stays loaded from then on.  0 or -errno.
 */
int vnpu_thread_start(const char *name, void *(*run)(void *arg), void *arg);

#endif /* VNPU_LIB_THREAD_H */
