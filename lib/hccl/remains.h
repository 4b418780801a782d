/* SPDX-License-Identifier: MIT */
/* What captured models use after their communicator has been destroyed. */
#ifndef VNPU_HCCL_REMAINS_H
#define VNPU_HCCL_REMAINS_H

#include <stdbool.h>

struct hccl_comm;
struct hccl_graph;

/* Make room for the remains of a communicator, once; false without host memory. */
bool hccl_remains_make(struct hccl_comm *comm);

/* Take from a communicator that ends what @graphs use, and keep it with them. */
void hccl_remains_add(struct hccl_comm *comm, struct hccl_graph *graphs);

/* Free what belongs to models that have been destroyed. */
void hccl_remains_sweep(void);

/* A child of fork() has none; under hccl_lock(). */
void hccl_remains_in_child(void);

#endif /* VNPU_HCCL_REMAINS_H */
