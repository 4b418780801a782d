// SPDX-License-Identifier: MIT
/* Copies among devices and the host. */
#include "npu.h"

#include <atomic>

#include "call.h"

namespace npu {

namespace {

bool is_npu(const at::Tensor &tensor)
{
	return tensor.device().type() == TYPE;
}

/* Return whether a copy of the bytes of one tensor copies its elements to another. */
bool same_layout(const at::Tensor &a, const at::Tensor &b)
{
	return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
	       ((a.is_contiguous() && b.is_contiguous()) ||
		(a.strides() == b.strides() &&
		 a.is_non_overlapping_and_dense()));
}

std::atomic<SyncMode> mode_now{SYNC_SILENT};

void report_wait()
{
	TORCH_CHECK(mode_now != SYNC_ERROR, "this operation waits for the NPU");
	if (mode_now == SYNC_WARN)
		TORCH_WARN("this operation waits for the NPU");
}

/* Copy the bytes in the order of the current stream of @device. */
void copy_bytes(const at::Tensor &from, const at::Tensor &to,
		aclrtMemcpyKind kind, const c10::Device &device, bool wait)
{
	c10::DeviceGuard on(device);
	size_t size = from.numel() * from.element_size();
	aclrtStream stream = stream_now();

	if (wait)
		report_wait();
	NPU_CHECK(aclrtMemcpyAsync(to.data_ptr(), size, from.data_ptr(), size,
				   kind, stream));
	if (wait)
		NPU_CHECK(aclrtSynchronizeStream(stream));
}

void host_to_device(const at::Tensor &from, const at::Tensor &to, bool async)
{
	at::Tensor source = from;

	if (!same_layout(from, to))
		source = from.to(to.scalar_type()).expand(to.sizes())
			.contiguous();
	at::Tensor target = same_layout(source, to) ? to :
		at::empty(to.sizes(), to.options());

	copy_bytes(source, target, ACL_MEMCPY_HOST_TO_DEVICE, to.device(),
		   !async || !is_pinned(source));
	if (!target.is_same(to))
		copy_tensor(target, to, false);
}

void device_to_host(const at::Tensor &from, const at::Tensor &to, bool async)
{
	at::Tensor source = from;

	if (!from.is_non_overlapping_and_dense())
		source = from.contiguous();
	at::Tensor target = same_layout(source, to) ? to :
		at::empty_strided(source.sizes(), source.strides(),
				  source.options().device(at::kCPU));
	bool wait = !async || !target.is_same(to) || !is_pinned(to);

	copy_bytes(source, target, ACL_MEMCPY_DEVICE_TO_HOST, from.device(),
		   wait);
	if (!target.is_same(to))
		to.copy_(target);
}

/* Copy between devices, in the order of the current streams of both. */
void device_to_device(const at::Tensor &from, const at::Tensor &to)
{
	at::Tensor source = from.is_contiguous() ? from : from.contiguous();
	bool is_direct = same_layout(source, to);
	at::Tensor target = is_direct ? to :
		at::empty(source.sizes(), source.options().device(to.device()));
	c10::Stream here = current_stream(from.device().index());
	c10::Stream there = current_stream(to.device().index());

	order(there, here);
	copy_bytes(source, target, ACL_MEMCPY_DEVICE_TO_DEVICE, from.device(),
		   false);
	order(here, there);
	if (!is_direct)
		copy_tensor(target, to, false);
}

/* Copy within a device by an operator, which converts types and follows strides. */
void within_device(const at::Tensor &from, const at::Tensor &to)
{
	if (same_layout(from, to)) {
		copy_bytes(from, to, ACL_MEMCPY_DEVICE_TO_DEVICE, to.device(),
			   false);
		return;
	}
	if (from.scalar_type() == to.scalar_type() && from.is_complex()) {
		within_device(at::view_as_real(from), at::view_as_real(to));
		return;
	}
	if (can_hold(from) && can_hold(to)) {
		LAUNCH(InplaceCopy, to, from);
		return;
	}
	to.copy_(from.cpu());
}

/* Return a view of the elements in memory, which @tensor may conjugate or negate. */
at::Tensor stored(const at::Tensor &tensor)
{
	at::Tensor out = tensor.is_conj() ? tensor.conj() : tensor;

	return out.is_neg() ? out._neg_view() : out;
}

void copy_stored(const at::Tensor &from, const at::Tensor &to, bool non_blocking)
{
	at::Tensor source = from.sizes() == to.sizes() ? from :
			    from.expand(to.sizes());

	if (!is_npu(from))
		host_to_device(source, to, non_blocking);
	else if (!is_npu(to))
		device_to_host(source, to, non_blocking);
	else if (from.device() == to.device())
		within_device(source, to);
	else
		device_to_device(source, to);
}

} /* namespace */

SyncMode sync_mode()
{
	return mode_now;
}

void set_sync_mode(SyncMode mode)
{
	mode_now = mode;
}

void copy_tensor(const at::Tensor &from, const at::Tensor &to, bool non_blocking)
{
	at::NoGradGuard no_grad;

	if (!to.numel() || from.is_same(to))
		return;
	bool conjugates = to.is_complex() && from.is_conj() != to.is_conj();
	bool negates = from.is_neg() != to.is_neg();
	at::Tensor target = stored(to);

	copy_stored(stored(from), target, non_blocking && !conjugates && !negates);
	if (conjugates)
		at::view_as_real(target).select(-1, 1).neg_();
	if (negates)
		target.neg_();
}

void copy_back(const at::Tensor &shaped, const at::Tensor &self)
{
	if (!shaped.is_alias_of(self))
		self.copy_(shaped.view(self.sizes()));
}

namespace {

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to,
		     bool non_blocking)
{
	copy_tensor(from, to, non_blocking);
	return to;
}

at::Tensor copy_from_and_resize(const at::Tensor &from, const at::Tensor &to)
{
	if (from.sizes() != to.sizes())
		to.resize_(from.sizes());
	copy_tensor(from, to, false);
	return to;
}

at::Scalar local_scalar(const at::Tensor &self)
{
	at::Tensor host = at::empty({}, self.options().device(at::kCPU));

	copy_tensor(self.reshape({}), host, false);
	return host.item();
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("_copy_from", copy_from);
	m.impl("_copy_from_and_resize", copy_from_and_resize);
	m.impl("_local_scalar_dense", local_scalar);
}

/* PyTorch would copy views that conjugate or negate, by this very operator. */
TORCH_LIBRARY_IMPL(aten, Conjugate, m)
{
	m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m)
{
	m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} /* namespace npu */
