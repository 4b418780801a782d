/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's backend for vnpu: the functions that its files share.
 *
 * Tensors of the device type PrivateUse1 live in the memory of a device. From
 * the bottom up:
 *
 *	device.cpp	devices, streams and events; the guard that PyTorch uses
 *	memory.cpp	the allocator, and its statistics; memory.h has its parts,
 *			config.cpp and pools.cpp
 *	host.cpp	pinned memory of the host
 *	copy.cpp	copies among devices and the host
 *	tensor.cpp	creation, views and resizing
 *	fallback.cpp	operators without a kernel run on the CPU, and are counted
 *	call.h, call.cpp	calls of aclnn's operators
 *	table.cpp	operators that are one call: operators.h
 *	foreach.cpp	operators on lists of tensors
 *	activation.cpp, complex.cpp, composed.cpp, conv.cpp, distance.cpp,
 *	embedding.cpp, histogram.cpp, index.cpp, loss.cpp, margin.cpp, matrix.cpp,
 *	norm.cpp, pool.cpp, random.cpp, reduce.cpp, resize.cpp, resize_scaled.cpp,
 *	search.cpp
 *			operators that are functions
 *	special.h, special.cpp, bessel.cpp, polynomials.cpp
 *			special functions of numbers
 *	generator.cpp	generators of random numbers
 *	autocast.cpp	types of operators in mixed precision
 *	graph.cpp	work that is captured and replayed
 *	module.cpp	the functions that torch_npu, the Python package, calls
 *
 * Functions throw c10::Error on failure. They may be called from any thread.
 */
#ifndef TORCH_NPU_H
#define TORCH_NPU_H

#include <functional>
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

/* Give a thread its streams, before PyTorch gives it other state that ends first. */
void prepare_thread();
int current_device();
void set_device(int device);
c10::Stream new_stream(int device);

/* Number a stream that the program has made, and that it never destroys. */
c10::Stream adopt_stream(int device, aclrtStream stream);
c10::Stream current_stream(int device);
c10::Stream set_stream(c10::Stream stream);
aclrtStream handle(const c10::Stream &stream);

/* The stream of the calling thread on its current device. */
aclrtStream stream_now();

/* Let everything that @later is given from now on wait for all work of @first. */
void order(const c10::Stream &first, const c10::Stream &later);

/*
 * Let the current stream wait for all others of its device, before gradients are
 * computed on it; or all others for it, afterwards.
 */
void join_streams(bool is_before);

/* Return whether a thread is between these two calls. */
bool is_in_backward();

/* Let launches on a stream wait; and wait, after a launch on such a stream. */
void set_sync_launch(const c10::Stream &stream);
void after_launch(int device);

/* pools.cpp: return whether any stream, or this one, is being captured. */
bool is_capturing();
bool is_capturing(const c10::Stream &stream);

/* memory.cpp and host.cpp */
struct Statistics {
	int64_t allocated, allocated_peak, allocated_total, freed_total;
	int64_t blocks, blocks_peak, blocks_total;
	int64_t reserved, reserved_peak, inactive_split;
	int64_t ooms;
};

c10::Allocator *allocator();
Statistics statistics(int device);
void reset_peaks(int device);
void reset_totals(int device);
void empty_cache();
void set_memory_fraction(double fraction, int device);
at::Tensor pin(const at::Tensor &tensor);
bool is_pinned(const at::Tensor &tensor);

/* Numbers of pinned blocks and bytes: present ones, peaks and totals. */
struct PinnedStatistics {
	int64_t blocks, blocks_peak, blocks_total;
	int64_t bytes, bytes_peak, bytes_total;
};

PinnedStatistics pinned_statistics();
void reset_pinned(bool peaks, bool totals);
void record_stream(const c10::DataPtr &data, const c10::Stream &stream);

/*
 * copy.cpp: copy between tensors of any types, strides and devices. @from is expanded
 * to the shape of @to.
 */
void copy_tensor(const at::Tensor &from, const at::Tensor &to, bool non_blocking);

/* Copy @shaped, a result of @self.reshape(), back to @self if it is no view of it. */
void copy_back(const at::Tensor &shaped, const at::Tensor &self);

/* The response to copies that wait for the device: nothing, a warning or an error. */
enum SyncMode { SYNC_SILENT, SYNC_WARN, SYNC_ERROR };
SyncMode sync_mode();
void set_sync_mode(SyncMode mode);

/* tensor.cpp */
at::Tensor empty(at::IntArrayRef size, const at::TensorOptions &options);
at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
			 const at::TensorOptions &options);
void resize_tensor(const at::Tensor &tensor, at::IntArrayRef size);

/* fallback.cpp: run an operator on the CPU, and count such runs by operator. */
void fall_back(const c10::OperatorHandle &op, torch::jit::Stack *stack,
	       const std::string &reason);
std::map<std::string, int64_t> fallbacks();
void clear_fallbacks();

/* generator.cpp */
at::Generator default_generator(int device);
at::Generator make_generator(int device);

/* A seed, and the count of numbers that were drawn before. */
struct Random {
	int64_t seed, offset;
};

/*
 * Take @count numbers from a generator, by default that of the device. A generator of
 * the CPU gives a seed.
 */
Random draw(int device, int64_t count,
	    const c10::optional<at::Generator> &generator);

/* graph.cpp: a function that fills a tensor with random numbers. */
using Fill = void (*)(const at::Tensor &out, double a, double b, Random random);

/*
 * Fill a tensor with random numbers. If the stream is being captured, each replay
 * fills it, with other numbers each time.
 */
void fill_random(const at::Tensor &out, double a, double b, Fill fill,
		 const c10::optional<at::Generator> &generator);

/*
 * module.cpp: call a function that waits, and release the lock of Python meanwhile, if
 * this thread has it. Destructors that Python calls use this.
 */
void without_python(const std::function<void()> &function);

/* autocast.cpp: get and set the mixed precision of this thread. */
bool is_autocast_enabled();
void set_autocast_enabled(bool is_enabled);
at::ScalarType autocast_type();
void set_autocast_type(at::ScalarType type);

} /* namespace npu */

#endif /* TORCH_NPU_H */
