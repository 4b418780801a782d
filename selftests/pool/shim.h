/* SPDX-License-Identifier: GPL-2.0-only */
/* The library's message about the last failed call in this thread. */
#ifndef SELFTESTS_POOL_SHIM_H
#define SELFTESTS_POOL_SHIM_H

extern __thread char shim_message[256];

#endif /* SELFTESTS_POOL_SHIM_H */
