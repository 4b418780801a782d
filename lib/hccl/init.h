/* SPDX-License-Identifier: MIT */
#ifndef VNPU_HCCL_INIT_H
#define VNPU_HCCL_INIT_H

#include "comm.h"

/* Meet at a place that all ranks derive; the first one serves it. */
HcclResult hccl_init_derived(const struct hccl_place *place, uint32_t ranks,
			     uint32_t rank, const HcclCommConfig *config,
			     HcclComm *comm);

#endif /* VNPU_HCCL_INIT_H */
