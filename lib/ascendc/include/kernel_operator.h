/* SPDX-License-Identifier: MIT */
/*
 * Ascend C: the header that kernels include.  vnpu-cc compiles it; see
 * Documentation/kernels.md.
 */
#ifndef KERNEL_OPERATOR_H
#define KERNEL_OPERATOR_H

#if !defined(VNPU_CC_DEVICE) && !defined(VNPU_CC_HOST)
#error "kernel_operator.h is for sources that vnpu-cc compiles"
#endif
#if __cplusplus < 201703L
#error "Ascend C needs C++17"
#endif

#include "ascendc_vnpu/types.h"
#include "ascendc_vnpu/params.h"
#include "ascendc_vnpu/layout.h"
#include "ascendc_vnpu/tensor.h"
#include "ascendc_vnpu/list.h"
#include "ascendc_vnpu/events.h"
#include "ascendc_vnpu/pipe.h"
#include "ascendc_vnpu/copy.h"
#include "ascendc_vnpu/elementwise.h"
#include "ascendc_vnpu/cast.h"
#include "ascendc_vnpu/compare.h"
#include "ascendc_vnpu/reduce.h"
#include "ascendc_vnpu/gather.h"
#include "ascendc_vnpu/sort.h"
#include "ascendc_vnpu/sync.h"
#include "ascendc_vnpu/debug.h"
#include "ascendc_vnpu/math.h"
#include "ascendc_vnpu/rows.h"
#include "ascendc_vnpu/load.h"
#include "ascendc_vnpu/load_image.h"
#include "ascendc_vnpu/mmad.h"
#include "ascendc_vnpu/fixpipe.h"
#include "ascendc_vnpu/matmul_object.h"
#include "ascendc_vnpu/flash.h"

#endif /* KERNEL_OPERATOR_H */
