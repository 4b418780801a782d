/* SPDX-License-Identifier: MIT */
/*
 * Switching between the stacks of one thread.
 */
#ifndef VNPU_CORE_FIBER_H
#define VNPU_CORE_FIBER_H

#include <stddef.h>

/**
 * exec_fiber_switch() - continue on another stack
 * @save: where to store the position on this stack
 * @to: a position from exec_fiber_switch() or exec_fiber_init()
 *
 * Registers that functions preserve are kept, with the modes of floating point.
 * Returns when some call switches to the stored position, on any thread.
 */
void exec_fiber_switch(void **save, void *to);

/**
 * exec_fiber_init() - prepare a stack
 * @top: the end of the stack, aligned to 16 bytes
 * @main: the function to call; must not return
 * @arg: its argument
 *
 * Return: the position at which @main begins.
 */
void *exec_fiber_init(void *top, void (*main)(void *arg), void *arg);

/*
 * The code that a signal handler lets a thread return to, with the stack pointer
 * set to a stored position, in order to abandon the stack it has interrupted.
 */
extern const char exec_fiber_abandon[];

#ifdef __x86_64__
/* The return from a signal handler; see signals.c. */
extern const char exec_fiber_sigreturn[], exec_fiber_sigreturn_end[];
#endif

#endif /* VNPU_CORE_FIBER_H */
