// SPDX-License-Identifier: MIT
/*
 * Access of devices to each other's memory.
 *
 * All devices of a machine can access each other.  The state is only recorded,
 * and copies do not check it, because there is one address space.
 */
#include <stdatomic.h>

#include "base/error.h"
#include "io/io.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "peer.h"

/* Bit P of enabled[D]: D may access P; by the user's numbers. */
static _Atomic uint64_t enabled[VNPU_IO_MAX_DEVICES];

static aclError same_device(int32_t device)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"peerDeviceId = %d is the device itself; pass another one",
		device);
}

static aclError check_pair(int32_t device, int32_t peer)
{
	uint32_t index;
	aclError ret = vnpu_device_resolve(device, &index);

	return ret ? ret : vnpu_device_resolve(peer, &index);
}

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId,
				  int32_t peerDeviceId)
{
	VNPU_CALL();
	aclError ret;

	if (deviceId == peerDeviceId)
		return same_device(peerDeviceId);
	ret = check_pair(deviceId, peerDeviceId);
	if (ret)
		return ret;
	if (!canAccessPeer)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"canAccessPeer is NULL; pass a valid pointer");
	*canAccessPeer = 1;
	return ACL_SUCCESS;
}

/* Get the current device, and check that the peer is another one. */
static aclError check_peer(int32_t peer, struct vnpu_current *current)
{
	uint32_t index;
	aclError ret = vnpu_context_current(current);

	if (!ret && peer == current->user_device)
		return same_device(peer);
	return ret ? ret : vnpu_device_resolve(peer, &index);
}

void vnpu_peer_enable(int32_t user_device, int32_t peer)
{
	if (peer >= 0 && peer != user_device)
		atomic_fetch_or(&enabled[user_device], 1ULL << peer);
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	if (flags)
		return vnpu_error(ACL_ERROR_FEATURE_UNSUPPORTED,
			"flags = %u is reserved; pass 0", flags);
	ret = check_peer(peerDeviceId, &current);
	if (!ret)
		vnpu_peer_enable(current.user_device, peerDeviceId);
	return ret;
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret = check_peer(peerDeviceId, &current);

	if (!ret)
		atomic_fetch_and(&enabled[current.user_device],
				 ~(1ULL << peerDeviceId));
	return ret;
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,
				     int32_t *status)
{
	VNPU_CALL();
	aclError ret;

	if (!status)
		return vnpu_error_null("status");
	ret = check_pair(deviceId, peerDeviceId);
	if (!ret)
		*status = atomic_load(&enabled[deviceId]) >> peerDeviceId & 1;
	return ret;
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId,
			     uint64_t *value)
{
	VNPU_CALL();
	uint32_t index;
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	ret = vnpu_device_resolve(deviceId, &index);
	if (!ret)
		ret = vnpu_device_resolve(otherDeviceId, &index);
	if (!ret)
		*value = ACL_RT_DEVS_TOPOLOGY_HCCS;
	return ret;
}

/* Every device can access all memory at the same address. */
aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t dstDevId,
			uint64_t flags)
{
	VNPU_CALL();
	uint64_t va = vnpu_ptr_to_u64(devPtr);
	struct vnpu_io_binding binding;
	uint32_t device;
	aclError ret;

	if (!devPtr)
		return vnpu_error_null("devPtr");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass the size of the memory");
	if (flags)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"flags = %llu is reserved; pass 0",
			(unsigned long long)flags);
	ret = vnpu_device_resolve(dstDevId, &device);
	if (ret)
		return ret;
	if (!vnpu_io_is_device_address(va) ||
	    vnpu_io_va_query(va, false, &binding) ||
	    size > binding.length - (va - binding.va))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"devPtr = %p, size = %zu is not inside one block of device memory",
			devPtr, size);
	return ACL_SUCCESS;
}

static bool is_operation(aclrtAtomicOperation operation)
{
	return (unsigned int)operation <=
			ACL_RT_ATOMIC_OPERATION_FLOAT_MAX ||
	       (operation >= ACL_RT_ATOMIC_OPERATION_DMA_ADD &&
		operation <= ACL_RT_ATOMIC_OPERATION_DMA_MAX) ||
	       (operation >= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD &&
		operation <= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH);
}

/* No engine has atomic operations yet, so there are none across devices. */
static aclError no_atomics(uint32_t *capabilities,
			   const aclrtAtomicOperation *operations,
			   uint32_t count)
{
	if (!capabilities || !operations || !count)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"capabilities or operations is NULL, or count is 0; pass arrays of at least 1 element");
	for (uint32_t i = 0; i < count; i++)
		if (!is_operation(operations[i]))
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"operations[%u] = %d is not known; use a value of aclrtAtomicOperation",
				i, operations[i]);
	for (uint32_t i = 0; i < count; i++)
		capabilities[i] = 0;
	return ACL_SUCCESS;
}

aclError
aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities,
				     const aclrtAtomicOperation *operations,
				     const uint32_t count, int32_t deviceId)
{
	VNPU_CALL();
	uint32_t index;
	aclError ret = vnpu_device_resolve(deviceId, &index);

	return ret ? ret : no_atomics(capabilities, operations, count);
}

aclError
aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities,
				    const aclrtAtomicOperation *operations,
				    const uint32_t count, int32_t srcDeviceId,
				    int32_t dstDeviceId)
{
	VNPU_CALL();
	aclError ret = check_pair(srcDeviceId, dstDeviceId);

	return ret ? ret : no_atomics(capabilities, operations, count);
}
