/* SPDX-License-Identifier: MIT */
/* Resizing of the last dimensions, and its gradient: functions of operators.h. */
#ifndef TORCH_NPU_RESIZE_H
#define TORCH_NPU_RESIZE_H

#include "call.h"

namespace npu {

enum class Resize { NEAREST, NEAREST_EXACT, LINEAR, CUBIC };

/* resize_scaled.cpp: call @invoke, or resize by scales that it does not know. */
void resize(const Values &values, Invoke invoke, Resize kind, bool is_backward);

template <Invoke invoke, Resize kind, bool is_backward>
void resize_with(const Values &values)
{
	resize(values, invoke, kind, is_backward);
}

} /* namespace npu */

#endif /* TORCH_NPU_RESIZE_H */
