// SPDX-License-Identifier: MIT
/* The gate of the runtime, see gate.h. */
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gate.h"

_Atomic uint32_t vnpu_gate_closed;

static void futex(int op, uint32_t value)
{
	syscall(SYS_futex, &vnpu_gate_closed, op | FUTEX_PRIVATE_FLAG, value,
		NULL, NULL, 0);
}

void vnpu_gate_wait(void)
{
	while (atomic_load(&vnpu_gate_closed))
		futex(FUTEX_WAIT, 1);
}

void vnpu_gate_close(void)
{
	atomic_store(&vnpu_gate_closed, 1);
}

void vnpu_gate_open(void)
{
	atomic_store(&vnpu_gate_closed, 0);
	futex(FUTEX_WAKE, INT_MAX);
}
