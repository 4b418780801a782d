/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's backend for vnpu: the functions that its files share.
 *
 * Tensors of the device type PrivateUse1 live in the memory of a device. From
 * the bottom up:
 *
 *	device.cpp	devices, streams and events; the guard that PyTorch uses
 *	memory.cpp	the allocator, its statistics, and pinned host memory
 *	copy.cpp	copies among devices and the host
 *	tensor.cpp	creation, views and resizing
 *	fallback.cpp	operators without a kernel run on the CPU, and are counted
 *	call.h, call.cpp	calls of aclnn's operators
 *	table.cpp	operators that are one call: operators.h
 *	conv.cpp, norm.cpp, pool.cpp, loss.cpp, index.cpp, random.cpp
 *			operators that are several calls
 *	module.cpp	the functions that torch_npu, the Python package, calls
 *
 * Functions throw c10::Error on failure. They may be called from any thread.
 */
#ifndef TORCH_NPU_H
#define TORCH_NPU_H

#include <map>
#include <string>

#include <ATen/ATen.h>
#include <ATen/core/stack.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "acl/acl.h"

namespace npu {

constexpr c10::DeviceType TYPE = c10::DeviceType::PrivateUse1;

/* Throw if a call of AscendCL failed, with the library's message. */
void check(aclError error, const char *call);
#define NPU_CHECK(call) ::npu::check(call, #call)

/*
 * device.cpp: a thread without a device gets device 0 at its first use. Stream 0
 * of a device is its default stream, which has no handle: NULL.
 */
int device_count();
int current_device();
void set_device(int device);
c10::Stream new_stream(int device);
c10::Stream current_stream(int device);
c10::Stream set_stream(c10::Stream stream);
aclrtStream handle(const c10::Stream &stream);

/* The stream of the calling thread on its current device. */
aclrtStream stream_now();

/* Let everything that @later is given from now on wait for all work of @first. */
void order(const c10::Stream &first, const c10::Stream &later);

/* memory.cpp */
struct Statistics {
	int64_t allocated, allocated_peak, allocated_total, freed_total;
	int64_t blocks, blocks_peak, blocks_total;
	int64_t reserved, reserved_peak, inactive_split;
	int64_t ooms;
};

c10::Allocator *allocator();
Statistics statistics(int device);
void reset_peaks(int device);
void empty_cache();
void set_memory_fraction(double fraction, int device);
at::Tensor pin(const at::Tensor &tensor);
bool is_pinned(const at::Tensor &tensor);
void record_stream(const c10::DataPtr &data, const c10::Stream &stream);

/* copy.cpp: of any types, strides and devices; @from expands to @to. */
void copy_tensor(const at::Tensor &from, const at::Tensor &to, bool non_blocking);

/* tensor.cpp */
at::Tensor empty(at::IntArrayRef size, const at::TensorOptions &options);
at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
			 const at::TensorOptions &options);
void resize_tensor(const at::Tensor &tensor, at::IntArrayRef size);

/* fallback.cpp: the operators that ran on the CPU, and how often. */
void fall_back(const c10::OperatorHandle &op, torch::jit::Stack *stack,
	       const std::string &reason);
std::map<std::string, int64_t> fallbacks();
void clear_fallbacks();

/* random.cpp */
struct Random {
	int64_t seed, offset;
};

Random random_state(int device);
void set_random_state(int device, Random state);

} /* namespace npu */

#endif /* TORCH_NPU_H */
