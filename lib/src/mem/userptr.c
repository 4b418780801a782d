// SPDX-License-Identifier: MIT
/*
 * Host memory that the program registers: aclrtHostRegister() and its like.
 *
 * The driver pins this memory and binds it to a device address, by which tasks
 * access it.  The program gets that address if it asked for it.  A tree by host
 * address has all registrations.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/gate.h"
#include "base/tree.h"
#include "io/io.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "userptr.h"

#define HOST_PAGE	4096UL

#define REG_FLAGS	(ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | \
			 ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED)

struct registration {
	struct vnpu_tree_node node;	/* by host address */
	uint64_t length;
	uint64_t va;		/* device address */
	bool is_mapped;		/* the program may get its address */
	bool is_done;		/* until then, it only reserves the range */
};

static pthread_mutex_t userptr_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_tree_node *registrations;	/* protected by the lock */

void vnpu_userptr_lock(void)
{
	pthread_mutex_lock(&userptr_mutex);
}

void vnpu_userptr_unlock(void)
{
	pthread_mutex_unlock(&userptr_mutex);
}

/* Find the last registration that begins at or before @addr and contains it. */
static struct registration *find(uint64_t addr)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(registrations, addr, 0);
	struct registration *reg;

	if (!node)
		return NULL;
	reg = container_of(node, struct registration, node);
	return addr - node->hi < reg->length ? reg : NULL;
}

bool vnpu_userptr_has(uint64_t addr)
{
	struct registration *reg;
	bool has;

	vnpu_userptr_lock();
	reg = find(addr);
	has = reg && reg->is_done;
	vnpu_userptr_unlock();
	return has;
}

bool vnpu_userptr_translate(uint64_t addr, uint64_t length,
			    struct vnpu_pinned *pinned)
{
	struct registration *reg;
	bool has;

	vnpu_userptr_lock();
	reg = find(addr);
	has = reg && reg->is_done &&
	      length <= reg->length - (addr - reg->node.hi);
	if (has)
		*pinned = (struct vnpu_pinned){
			.addr = reg->node.hi,
			.length = reg->length,
			.va = reg->va,
		};
	vnpu_userptr_unlock();
	return has;
}

/*
 * Reserve the range for a registration; false if it overlaps with another one.
 */
static bool claim(struct registration *reg)
{
	uint64_t addr = reg->node.hi;
	struct vnpu_tree_node *above;
	bool is_free;

	vnpu_userptr_lock();
	above = vnpu_tree_at_least(registrations, addr, 0);
	is_free = !find(addr) && !(above && above->hi - addr < reg->length);
	if (is_free)
		vnpu_tree_add(&registrations, &reg->node);
	vnpu_userptr_unlock();
	return is_free;
}

static void finish(struct registration *reg)
{
	vnpu_userptr_lock();
	reg->is_done = true;
	vnpu_userptr_unlock();
}

static void forget(struct registration *reg)
{
	vnpu_userptr_lock();
	vnpu_tree_remove(&registrations, &reg->node);
	vnpu_userptr_unlock();
	free(reg);
}

/* Bind registered memory: the binding keeps it alive. */
static int map(struct registration *reg, uint32_t id)
{
	uint64_t length = vnpu_align_up(reg->length, HOST_PAGE);
	int ret = vnpu_pinned_bind(id, length, &reg->va);

	vnpu_io_mem_close(id);
	return ret;
}

static aclError driver_error(int err, uint64_t addr, uint64_t size)
{
	const unsigned long long p = addr, n = size;

	switch (err) {
	case -EFAULT:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"ptr = 0x%llx: %llu bytes there cannot be registered: a part is not mapped or not writable, or is memory of a file or a device",
			p, n);
	case -EDQUOT:
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"size = %llu exceeds the memory that this process may lock; raise the limit (ulimit -l), or unregister some",
			n);
	case -EADDRNOTAVAIL:
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"size = %llu: this process has no such range of device addresses left; unregister some, or raise the limit of its address space (ulimit -v)",
			n);
	case -ENOMEM:
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"size = %llu: not enough memory for the registration; free some, or register less",
			n);
	default:
		return vnpu_error_errno(err, "registering host memory");
	}
}

static aclError host_register(void *ptr, uint64_t size, uint32_t flags,
			      void **device_ptr)
{
	uint64_t addr = vnpu_ptr_to_u64(ptr);
	struct vnpu_current current;
	struct registration *reg;
	uint32_t id;
	aclError ret;
	int err;

	if (flags & ACL_HOST_REG_IOMEMORY)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"I/O memory cannot be registered; register host memory");
	if (addr % HOST_PAGE || size > UINT64_MAX - addr)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"ptr = %p, size = %llu: must begin at a multiple of 4096, and end inside the address space",
			ptr, (unsigned long long)size);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;

	reg = calloc(1, sizeof(*reg));
	if (!reg)
		return driver_error(-ENOMEM, addr, size);
	reg->node.hi = addr;
	reg->length = size;
	reg->is_mapped = flags & (ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY);
	if (!claim(reg)) {
		free(reg);
		return vnpu_error(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
			"ptr = %p, size = %llu: a part of it is registered already; unregister that first",
			ptr, (unsigned long long)size);
	}

	err = vnpu_io_host_register(ptr, size, flags & ACL_HOST_REG_READONLY,
				    &id);
	if (!err)
		err = map(reg, id);
	if (err) {
		forget(reg);
		return driver_error(err, addr, size);
	}
	if (device_ptr)
		*device_ptr = vnpu_u64_to_ptr(reg->va);
	finish(reg);
	return ACL_SUCCESS;
}

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type,
			   void **devPtr)
{
	VNPU_CALL();
	const uint32_t known = ACL_HOST_REGISTER_IOMEMORY |
			       ACL_HOST_REGISTER_READONLY;
	uint32_t flags = ACL_HOST_REG_MAPPED;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("ptr");
	if (!devPtr)
		return vnpu_error_null("devPtr");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; register at least 1 byte");
	if (type & ~known)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"type = 0x%x is not known; use a value of aclrtHostRegisterType",
			type);
	if (type & ACL_HOST_REGISTER_IOMEMORY)
		flags |= ACL_HOST_REG_IOMEMORY;
	if (type & ACL_HOST_REGISTER_READONLY)
		flags |= ACL_HOST_REG_READONLY;
	return host_register(ptr, size, flags, devPtr);
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
	VNPU_CALL();
	const uint32_t io_and_pinned = ACL_HOST_REG_IOMEMORY |
				       ACL_HOST_REG_PINNED;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("ptr");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; register at least 1 byte");
	if (!flag || flag & ~REG_FLAGS ||
	    (flag & io_and_pinned) == io_and_pinned)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = 0x%x has unknown bits, or both ACL_HOST_REG_IOMEMORY and ACL_HOST_REG_PINNED; use ACL_HOST_REG_* bits",
			flag);
	return host_register(ptr, size, flag, NULL);
}

/* Remove a registration from the tree, so that no other thread can end it. */
static struct registration *take(uint64_t addr)
{
	struct registration *reg;

	vnpu_userptr_lock();
	reg = find(addr);
	if (reg && (reg->node.hi != addr || !reg->is_done))
		reg = NULL;
	if (reg)
		vnpu_tree_remove(&registrations, &reg->node);
	vnpu_userptr_unlock();
	return reg;
}

aclError aclrtHostUnregister(void *ptr)
{
	VNPU_CALL();
	struct vnpu_current current;
	struct registration *reg;
	aclError ret;
	int err;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("ptr");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	reg = take(vnpu_ptr_to_u64(ptr));
	if (!reg)
		return vnpu_error(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
			"ptr = %p is not the start of registered memory, or was unregistered before",
			ptr);
	err = vnpu_pinned_unbind(reg->va,
				 vnpu_align_up(reg->length, HOST_PAGE));
	free(reg);
	return err ? vnpu_error_errno(err, "unregistering host memory") :
		     ACL_SUCCESS;
}

aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
	VNPU_CALL();
	uint64_t addr = vnpu_ptr_to_u64(pHost);
	struct vnpu_current current;
	struct registration *reg;
	uint64_t va = 0;
	aclError ret;

	if (!pHost)
		return vnpu_error_null("pHost");
	if (!pDevice)
		return vnpu_error_null("pDevice");
	if (flag)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"flag = 0x%x must be 0", flag);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;

	vnpu_userptr_lock();
	reg = find(addr);
	if (reg && reg->is_done && reg->is_mapped)
		va = reg->va + (addr - reg->node.hi);
	vnpu_userptr_unlock();
	if (!va)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"pHost = %p has no device address; register it with ACL_HOST_REG_MAPPED",
			pHost);
	*pDevice = vnpu_u64_to_ptr(va);
	return ACL_SUCCESS;
}

/* Every unit of a device can access all memory that is bound on the device. */
aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
				     aclrtHostMemMapCapability *capabilities)
{
	VNPU_CALL();
	uint32_t device;
	aclError ret;

	if (!capabilities)
		return vnpu_error_null("capabilities");
	ret = vnpu_device_resolve(deviceId, &device);
	if (ret)
		return ret;
	switch (hacType) {
	case ACL_RT_HAC_TYPE_STARS:
	case ACL_RT_HAC_TYPE_AICPU:
	case ACL_RT_HAC_TYPE_AIC:
	case ACL_RT_HAC_TYPE_AIV:
	case ACL_RT_HAC_TYPE_PCIEDMA:
	case ACL_RT_HAC_TYPE_SDMA:
		*capabilities = ACL_RT_HOST_MEM_MAP_SUPPORTED;
		return ACL_SUCCESS;
	case ACL_RT_HAC_TYPE_RDMA:
	case ACL_RT_HAC_TYPE_DVPP:
	case ACL_RT_HAC_TYPE_UDMA:
	case ACL_RT_HAC_TYPE_CCU:
		*capabilities = ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
		return ACL_SUCCESS;
	}
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"hacType = %d is not known; use a value of aclrtHacType",
		hacType);
}
