/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Libraries that compute the same as the engine, for measurements. Each is a plugin
 * beside the program, peer-NAME.so, which is built where the library is installed.
 */
#ifndef SELFTESTS_OPS_BENCH_PEER_H
#define SELFTESTS_OPS_BENCH_PEER_H

#include "../../../lib/ops/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * peer_make() - prepare a launch, in a plugin
 * @l: the launch, whose tensors stay
 *
 * Everything that a program does once is done here: objects, plans, layouts of weights.
 *
 * Return: for peer_call(), or NULL if the library does not compute this.
 */
void *peer_make(const struct vnpu_op_launch *l);

/* Compute, in one thread. */
void peer_call(void *made);

#ifdef __cplusplus
}
#endif

/**
 * struct peer - a plugin
 * @name: of the library
 * @make: peer_make()
 * @call: peer_call()
 */
struct peer {
	const char *name;
	void *(*make)(const struct vnpu_op_launch *l);
	void (*call)(void *made);
};

/* Load the plugins; return their number. */
unsigned int peers_load(const char *program, const struct peer **peers);

#endif
