/* SPDX-License-Identifier: MIT */
/* Declarations that the calls which create communicators share. */
#ifndef VNPU_HCCL_INIT_H
#define VNPU_HCCL_INIT_H

#include "comm.h"

/*
 * Meet at a place that all ranks derive; the first one serves it.  It completes
 * @request, which has the place, ranks, handle and parent.
 */
HcclResult hccl_init_derived(struct hccl_request *request,
			     const HcclCommConfig *config);

#endif /* VNPU_HCCL_INIT_H */
