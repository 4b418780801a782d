/* SPDX-License-Identifier: MIT */
/*
 * The gate of the runtime: while a snapshot has locked the process, calls that
 * would change objects or memory of devices, or submit tasks, wait here.
 *
 * A call passes the gate before it takes a lock or a reference.
 */
#ifndef VNPU_LIB_GATE_H
#define VNPU_LIB_GATE_H

#include <stdatomic.h>
#include <stdint.h>

extern __attribute__((visibility("hidden"))) _Atomic uint32_t vnpu_gate_closed;

/* Wait until the gate is open. */
void vnpu_gate_wait(void);

/* Close the gate for calls that begin from here on. */
void vnpu_gate_close(void);

/* Open the gate, and wake all waiting calls. */
void vnpu_gate_open(void);

static inline void vnpu_gate_pass(void)
{
	if (__builtin_expect(atomic_load_explicit(&vnpu_gate_closed,
						  memory_order_relaxed), 0))
		vnpu_gate_wait();
}

#endif /* VNPU_LIB_GATE_H */
