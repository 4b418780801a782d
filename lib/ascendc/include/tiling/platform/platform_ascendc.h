/* SPDX-License-Identifier: MIT */
/*
 * The chip of the process, for host code that divides work among its cores.
 */
#ifndef TILING_PLATFORM_PLATFORM_ASCENDC_H
#define TILING_PLATFORM_PLATFORM_ASCENDC_H

#include <stdint.h>
#include <stdlib.h>

/*
 * aclplatformGetDeviceInfo().  Its header has names such as UB and L1 in the global
 * scope, which programs with kernels use for themselves.
 */
extern "C" int vnpu_platform_info(int32_t type, char *value, uint32_t size)
	__asm__("aclplatformGetDeviceInfo");

namespace platform_ascendc {

enum class CoreMemType {
	L0_A = 0,
	L0_B = 1,
	L0_C = 2,
	L1 = 3,
	L2 = 4,
	UB = 5,
	HBM = 6,
	RESERVED
};

enum class SocVersion {
	ASCEND910 = 0,
	ASCEND910B,
	ASCEND310P,
	ASCEND310B,
	ASCEND950,
	RESERVED_VERSION = 99999
};

class PlatformAscendC {
public:
	/* Cores that run mixed kernels. */
	uint32_t GetCoreNum() const
	{
		return GetCoreNumAic();
	}

	uint32_t GetCoreNumAic() const
	{
		return static_cast<uint32_t>(number(2));
	}

	uint32_t GetCoreNumAiv() const
	{
		return static_cast<uint32_t>(number(3));
	}

	/* Bytes of one core's memory, or of a memory that all cores share. */
	void GetCoreMemSize(const CoreMemType &type, uint64_t &size) const
	{
		/* ACL_PLATFORM_*, in the order of CoreMemType. */
		static constexpr int32_t types[] = { 9, 10, 11, 12, 4, 1, 5 };

		size = type < CoreMemType::RESERVED ?
			number(types[static_cast<int>(type)]) : 0;
	}

	SocVersion GetSocVersion() const
	{
		switch (number(15)) {
		case 1001:
			return SocVersion::ASCEND910;
		case 2002:
			return SocVersion::ASCEND310P;
		case 2201:
			return SocVersion::ASCEND910B;
		case 3510:
			return SocVersion::ASCEND950;
		default:
			return SocVersion::RESERVED_VERSION;
		}
	}

	/* Kernels need no system workspace here; programs allocate this much. */
	uint32_t GetLibApiWorkSpaceSize() const
	{
		return 16U << 20;
	}

	/* Blocks of a launch that has @slices vector cores at work. */
	uint32_t CalcTschBlockDim(uint32_t slices, uint32_t cubes,
				  uint32_t vectors) const
	{
		const uint32_t ratio = cubes ? vectors / cubes : 0;

		return ratio ? (slices + ratio - 1) / ratio : slices;
	}

private:
	/* A property, ACL_PLATFORM_*; 0 if the chip does not have it. */
	static uint64_t number(int32_t type)
	{
		char text[32];

		return vnpu_platform_info(type, text, sizeof(text)) ?
			0 : strtoull(text, nullptr, 10);
	}
};

class PlatformAscendCManager {
public:
	/* The name of a chip changes nothing: VNPU_SOC or the driver selects it. */
	static PlatformAscendC *GetInstance(const char * = nullptr)
	{
		static PlatformAscendC platform;

		return &platform;
	}
};

} /* namespace platform_ascendc */

#endif /* TILING_PLATFORM_PLATFORM_ASCENDC_H */
