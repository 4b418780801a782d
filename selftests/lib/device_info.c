// SPDX-License-Identifier: GPL-2.0-only
/* Properties and limits of devices, and access of one to another. */
#include "acl-test.h"

#include "acl/acl_platform.h"

static bool is_rate(int32_t rate)
{
	return rate >= -1 && rate <= 100;
}

TEST(utilization)
{
	aclrtUtilizationInfo info;

	memset(&info, 0, sizeof(info));
	info.cubeUtilization = 777;
	OK(aclrtGetDeviceUtilizationRate(0, &info));
	EXPECT_TRUE(is_rate(info.cubeUtilization));
	EXPECT_TRUE(is_rate(info.vectorUtilization));
	EXPECT_TRUE(is_rate(info.aicpuUtilization));
	EXPECT_TRUE(is_rate(info.memoryUtilization));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetDeviceUtilizationRate(0, NULL));
	EXPECT_ACL(BAD_DEVICE, aclrtGetDeviceUtilizationRate(-1, &info));
	EXPECT_ACL(BAD_DEVICE, aclrtGetDeviceUtilizationRate(1000, &info));
	info.utilizationExtend = (void *)&info;
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetDeviceUtilizationRate(0, &info));
}

TEST(status)
{
	aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;

	OK(aclrtQueryDeviceStatus(0, &status));
	EXPECT_EQ(ACL_RT_DEVICE_STATUS_NORMAL, status);
	EXPECT_ACL(NULL_OR_ZERO, aclrtQueryDeviceStatus(0, NULL));
	EXPECT_ACL(BAD_DEVICE, aclrtQueryDeviceStatus(1000, &status));
	EXPECT_ACL(BAD_DEVICE, aclrtQueryDeviceStatus(-1, &status));
}

TEST(attributes)
{
	int64_t value = -1;

	OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(total_bytes(), (size_t)value);
	OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_IS_VIRTUAL, &value));
	OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &value));
	EXPECT_LT(0, value);
	OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value));
	EXPECT_LT(0, value);
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, NULL));
	EXPECT_ACL(BAD_DEVICE,
		   aclrtGetDeviceInfo(1000, ACL_DEV_ATTR_AICORE_CORE_NUM,
				      &value));
	EXPECT_ACL(BAD_VALUE,
		   aclrtGetDeviceInfo(0, (aclrtDevAttr)12345, &value));

	OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
	EXPECT_LT(0, value);
	OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED,
					  &value));
	EXPECT_ACL(BAD_DEVICE,
		   aclGetDeviceCapability(1000, ACL_DEVICE_INFO_L2_SIZE,
					  &value));
}

static const char *property(aclplatformDevInfo type)
{
	static char text[32];

	return aclplatformGetDeviceInfo(type, text, sizeof(text)) ? "" : text;
}

/* The values are those of CANN for the same processor. */
TEST(platform)
{
	char text[12];

	EXPECT_STREQ("24", property(ACL_PLATFORM_AICORE_CNT));
	EXPECT_STREQ("48", property(ACL_PLATFORM_VECTOR_CORE_CNT));
	EXPECT_STREQ("196608", property(ACL_PLATFORM_AICORE_UB_SIZE));
	EXPECT_STREQ("201326592", property(ACL_PLATFORM_L2_SIZE));
	EXPECT_STREQ("131072", property(ACL_PLATFORM_L0_C_SIZE));
	EXPECT_STREQ("2201", property(ACL_PLATFORM_NPU_ARCH));
	EXPECT_STREQ(aclrtGetSocName(), property(ACL_PLATFORM_SOC_VERSION));

	OK(aclplatformGetDeviceInfo(ACL_PLATFORM_SOC_VERSION, text, 12));
	EXPECT_ACL(NULL_OR_ZERO, aclplatformGetDeviceInfo(
			ACL_PLATFORM_SOC_VERSION, text, 11));
	EXPECT_ACL(NULL_OR_ZERO, aclplatformGetDeviceInfo(
			ACL_PLATFORM_SOC_VERSION, text, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclplatformGetDeviceInfo(
			ACL_PLATFORM_SOC_VERSION, NULL, 12));
	EXPECT_ACL(NULL_OR_ZERO, aclplatformGetDeviceInfo(
			ACL_PLATFORM_VEC_FREQ, text, 12));
	EXPECT_ACL(NULL_OR_ZERO, aclplatformGetDeviceInfo(
			(aclplatformDevInfo)-1, text, 12));
	EXPECT_ACL(NULL_OR_ZERO, aclplatformGetDeviceInfo(
			(aclplatformDevInfo)17, text, 12));
}

TEST(instructions)
{
	char text[12] = "unchanged";

	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclplatformGetInstructionInfo(
			ACL_PLATFORM_CORE_TYPE_AI_CORE, "vadd", text, 12));
	EXPECT_STREQ("unchanged", text);
	EXPECT_ACL(NULL_OR_ZERO, aclplatformGetInstructionInfo(
			ACL_PLATFORM_CORE_TYPE_AI_CORE, NULL, text, 12));
	EXPECT_ACL(NULL_OR_ZERO, aclplatformGetInstructionInfo(
			ACL_PLATFORM_CORE_TYPE_AI_CORE, "vadd", NULL, 12));
	EXPECT_ACL(NULL_OR_ZERO, aclplatformGetInstructionInfo(
			(aclplatformCoreType)2, "vadd", text, 12));
}

TEST(features)
{
	static const aclrtDevFeatureType all[] = {
		ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV,
		ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV,
	};
	int32_t value;
	size_t i;

	for (i = 0; i < 2; i++) {
		value = -1;
		OK(aclrtGetDeviceCapability(0, all[i], &value));
		EXPECT_TRUE(value == ACL_DEV_FEATURE_SUPPORT ||
			    value == ACL_DEV_FEATURE_NOT_SUPPORT);
		EXPECT_ACL(NULL_OR_ZERO,
			   aclrtGetDeviceCapability(0, all[i], NULL));
		EXPECT_ACL(BAD_DEVICE,
			   aclrtGetDeviceCapability(1000, all[i], &value));
	}
	EXPECT_ACL(BAD_VALUE,
		   aclrtGetDeviceCapability(0, (aclrtDevFeatureType)12345,
					    &value));
}

TEST(uuid)
{
	static const aclrtUuid zero;
	aclrtUuid a, b;

	OK(aclrtDeviceGetUuid(0, &a));
	OK(aclrtDeviceGetUuid(0, &b));
	EXPECT_EQ(0, memcmp(&a, &b, sizeof(a)));
	EXPECT_NE(0, memcmp(&a, &zero, sizeof(a)));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceGetUuid(0, NULL));
	EXPECT_ACL(BAD_DEVICE, aclrtDeviceGetUuid(1000, &a));
	if (device_count() < 2)
		return;
	OK(aclrtDeviceGetUuid(1, &b));
	EXPECT_NE(0, memcmp(&a, &b, sizeof(a)));
}

TEST(bus_id)
{
	uint32_t i, count = device_count();
	char id[32], seen[64][32];
	unsigned int part[4];
	int32_t device;

	for (i = 0; i < count && i < 64; i++) {
		OK(aclrtDeviceGetPCIBusId((int32_t)i, id, sizeof(id)));
		EXPECT_EQ(4, sscanf(id, "%x:%x:%x.%x", &part[0], &part[1],
				    &part[2], &part[3])) TH_LOG("%s", id);
		device = -1;
		OK(aclrtDeviceGetByPCIBusId(id, &device));
		EXPECT_EQ((int32_t)i, device);
		strcpy(seen[i], id);
		if (i)
			EXPECT_STRNE(seen[i - 1], id);
	}
	EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceGetPCIBusId(0, NULL, 32));
	EXPECT_ACL(BAD_VALUE, aclrtDeviceGetPCIBusId(0, id, 4));
	EXPECT_ACL(BAD_VALUE, aclrtDeviceGetPCIBusId(0, id, 0));
	EXPECT_ACL(BAD_VALUE, aclrtDeviceGetPCIBusId(0, id, -1));
	EXPECT_ACL(BAD_DEVICE, aclrtDeviceGetPCIBusId(1000, id, 32));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceGetByPCIBusId(NULL, &device));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceGetByPCIBusId(id, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtDeviceGetByPCIBusId("", &device));
	EXPECT_ACL(BAD_VALUE, aclrtDeviceGetByPCIBusId("first", &device));
	EXPECT_ACL(BAD_VALUE,
		   aclrtDeviceGetByPCIBusId("0000:7f:1f.7", &device));
}

TEST(limits)
{
	static const aclrtDeviceLimit all[] = {
		ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE,
		ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE,
		ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE,
		ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE,
		ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE,
	};
	size_t i, value;
	aclError err;

	OK(aclrtSetDevice(0));
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceGetLimit(all[i], NULL));
		err = aclrtDeviceSetLimit(all[i], 32 * KIB);
		if (err == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) {
			EXPECT_ACL(err, aclrtDeviceGetLimit(all[i], &value));
			continue;
		}
		EXPECT_ACL(ACL_SUCCESS, err);
		OK(aclrtDeviceGetLimit(all[i], &value));
		EXPECT_EQ(32 * KIB, value);
		EXPECT_ACL(NULL_OR_ZERO,
			   aclrtDeviceSetLimit(all[i], (size_t)1 << 32));
	}
	EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceSetLimit((aclrtDeviceLimit)5, 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtDeviceGetLimit((aclrtDeviceLimit)5, &value));
}

TEST(bare_tgid)
{
	int32_t pid = 0;

	OK(aclrtDeviceGetBareTgid(&pid));
	EXPECT_EQ(getpid(), pid);
	EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceGetBareTgid(NULL));
}

TEST(atomic_capabilities)
{
	static const aclrtAtomicOperation ops[] = {
		ACL_RT_ATOMIC_OPERATION_INTEGER_ADD,
		ACL_RT_ATOMIC_OPERATION_CAS,
		ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH,
	};
	const aclrtAtomicOperation bad = (aclrtAtomicOperation)99;
	uint32_t caps[3] = { ~0U, ~0U, ~0U };
	size_t i;

	OK(aclrtDeviceGetHostAtomicCapabilities(caps, ops, 3, 0));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, caps[i] & ~0x1ffU);
	EXPECT_ACL(BAD_VALUE,
		   aclrtDeviceGetHostAtomicCapabilities(NULL, ops, 3, 0));
	EXPECT_ACL(BAD_VALUE,
		   aclrtDeviceGetHostAtomicCapabilities(caps, NULL, 3, 0));
	EXPECT_ACL(BAD_VALUE,
		   aclrtDeviceGetHostAtomicCapabilities(caps, ops, 0, 0));
	EXPECT_ACL(BAD_VALUE,
		   aclrtDeviceGetHostAtomicCapabilities(caps, &bad, 1, 0));
	EXPECT_ACL(BAD_DEVICE,
		   aclrtDeviceGetHostAtomicCapabilities(caps, ops, 3, 1000));
	EXPECT_ACL(BAD_DEVICE,
		   aclrtDeviceGetP2PAtomicCapabilities(caps, ops, 3, 0, 1000));
	if (device_count() < 2)
		return;
	OK(aclrtDeviceGetP2PAtomicCapabilities(caps, ops, 3, 0, 1));
	EXPECT_ACL(BAD_VALUE,
		   aclrtDeviceGetP2PAtomicCapabilities(NULL, ops, 3, 0, 1));
}

TEST(peer_is_another_device)
{
	int32_t answer;

	EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceCanAccessPeer(&answer, 0, 0));
	EXPECT_ACL(BAD_DEVICE, aclrtDeviceCanAccessPeer(&answer, 0, 1000));
	EXPECT_ACL(BAD_DEVICE, aclrtDeviceCanAccessPeer(&answer, 1000, 0));
	EXPECT_ACL(NO_CONTEXT, aclrtDeviceEnablePeerAccess(1, 0));
	EXPECT_ACL(NO_CONTEXT, aclrtDeviceDisablePeerAccess(1));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceEnablePeerAccess(0, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDeviceDisablePeerAccess(0));
	EXPECT_ACL(ACL_ERROR_FEATURE_UNSUPPORTED,
		   aclrtDeviceEnablePeerAccess(1, 1));
	EXPECT_ACL(BAD_DEVICE, aclrtDeviceEnablePeerAccess(1000, 0));
	EXPECT_ACL(BAD_DEVICE, aclrtDeviceDisablePeerAccess(1000));
	EXPECT_ACL(BAD_DEVICE, aclrtDevicePeerAccessStatus(0, 1000, &answer));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDevicePeerAccessStatus(0, 1, NULL));
}

TEST(peer_access_is_one_way)
{
	int32_t answer = -1;

	if (device_count() < 2)
		SKIP(return, "needs 2 devices");
	OK(aclrtDeviceCanAccessPeer(&answer, 0, 1));
	EXPECT_EQ(1, answer);
	EXPECT_ACL(BAD_VALUE, aclrtDeviceCanAccessPeer(NULL, 0, 1));
	OK(aclrtSetDevice(0));
	OK(aclrtDevicePeerAccessStatus(0, 1, &answer));
	EXPECT_EQ(0, answer);
	OK(aclrtDeviceEnablePeerAccess(1, 0));
	OK(aclrtDevicePeerAccessStatus(0, 1, &answer));
	EXPECT_EQ(1, answer);
	OK(aclrtDevicePeerAccessStatus(1, 0, &answer));
	EXPECT_EQ(0, answer);
	OK(aclrtDeviceDisablePeerAccess(1));
	OK(aclrtDevicePeerAccessStatus(0, 1, &answer));
	EXPECT_EQ(0, answer);
}

TEST(topology)
{
	uint64_t value = ~0ULL;

	if (device_count() >= 2) {
		OK(aclrtGetDevicesTopo(0, 1, &value));
		EXPECT_NE(0, value);
		EXPECT_EQ(0, value & ~0x7fULL);
	}
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetDevicesTopo(0, 0, NULL));
	EXPECT_ACL(BAD_DEVICE, aclrtGetDevicesTopo(0, 1000, &value));
	EXPECT_ACL(BAD_DEVICE, aclrtGetDevicesTopo(1000, 0, &value));
}

/* There are no groups: all calls report that, and none crashes. */
TEST(groups)
{
	/*
	 * Handles of the kind that a group would have: none exists, so each is
	 * invalid.
	 */
	aclrtGroupInfo *info = (void *)&device_count;
	uint32_t count = 99;
	size_t size = 99;
	int32_t value;

	EXPECT_ACL(NO_CONTEXT, aclrtGetGroupCount(&count));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetGroupCount(NULL));
	OK(aclrtGetGroupCount(&count));
	EXPECT_EQ(0, count);
	EXPECT_EQ(NULL, aclrtCreateGroupInfo());
	EXPECT_NE(ACL_SUCCESS, aclrtGetAllGroupInfo(info));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetAllGroupInfo(NULL));
	EXPECT_NE(ACL_SUCCESS,
		  aclrtGetGroupInfoDetail(info, 0, ACL_GROUP_AICORE_INT,
					  &value, sizeof(value), &size));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtGetGroupInfoDetail(NULL, 0, ACL_GROUP_AICORE_INT,
					   &value, sizeof(value), &size));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtGetGroupInfoDetail(info, 0, ACL_GROUP_AICORE_INT,
					   NULL, sizeof(value), &size));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtGetGroupInfoDetail(info, 0, ACL_GROUP_AICORE_INT,
					   &value, sizeof(value), NULL));
	EXPECT_NE(ACL_SUCCESS, aclrtSetGroup(0));
	EXPECT_NE(ACL_SUCCESS, aclrtDestroyGroupInfo(info));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDestroyGroupInfo(NULL));
}

TEST_HARNESS_MAIN
