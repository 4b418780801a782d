// SPDX-License-Identifier: MIT
/*
 * Versions, names and features, which programs query before they start.
 *
 * The library acts as the runtime, the toolkit and the driver of the CANN
 * release that has its interface.  Compilers, operators and collective
 * communication are not part of it, so they are reported as not installed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/util.h"
#include "io/io.h"
#include "soc.h"
#include "vnpu.h"

#define CANN_MAJOR	9
#define CANN_MINOR	1
#define CANN_PATCH	0

#define STRING(x)	#x
#define XSTRING(x)	STRING(x)
#define CANN_VERSION \
	XSTRING(CANN_MAJOR) "." XSTRING(CANN_MINOR) "." XSTRING(CANN_PATCH)

static const aclCannAttr attributes[] = {
	ACL_CANN_ATTR_INF_NAN,
	ACL_CANN_ATTR_BF16,
	ACL_CANN_ATTR_JIT_COMPILE,
};

/* Names in the order of aclCANNPackageName, and whether they are installed. */
static const struct {
	const char *name;
	bool installed;
} packages[] = {
	[ACL_PKG_NAME_CANN]		= { "cann", true },
	[ACL_PKG_NAME_RUNTIME]		= { "runtime", true },
	[ACL_PKG_NAME_COMPILER]		= { "compiler", false },
	[ACL_PKG_NAME_HCCL]		= { "hccl", false },
	[ACL_PKG_NAME_TOOLKIT]		= { "toolkit", true },
	[ACL_PKG_NAME_OPP]		= { "opp", false },
	[ACL_PKG_NAME_OPP_KERNEL]	= { "opp_kernel", false },
	[ACL_PKG_NAME_DRIVER]		= { "driver", true },
};

const char *vnpu_version(void)
{
	return VNPU_VERSION;
}

int vnpu_client_id(uint64_t *id)
{
	return id ? vnpu_io_client_id(id) : -EINVAL;
}

static aclError package_check(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(packages); i++)
		if (packages[i].installed && !strcmp(packages[i].name, name))
			return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_INVALID_FILE,
		"package \"%s\" is not installed; \"cann\", \"runtime\", \"toolkit\" and \"driver\" are",
		name);
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion,
			 int32_t *patchVersion)
{
	VNPU_CALL();

	if (!majorVersion)
		return vnpu_error_null("majorVersion");
	if (!minorVersion)
		return vnpu_error_null("minorVersion");
	if (!patchVersion)
		return vnpu_error_null("patchVersion");
	*majorVersion = ACL_MAJOR_VERSION;
	*minorVersion = ACL_MINOR_VERSION;
	*patchVersion = ACL_PATCH_VERSION;
	return ACL_SUCCESS;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name,
			      aclCANNPackageVersion *version)
{
	VNPU_CALL();
	aclError ret;

	if (!version)
		return vnpu_error_null("version");
	if ((size_t)name >= ARRAY_SIZE(packages))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"name = %d is not known; use a value of aclCANNPackageName",
			name);
	ret = package_check(packages[name].name);
	if (ret)
		return ret;

	memset(version, 0, sizeof(*version));
	strcpy(version->version, CANN_VERSION);
	strcpy(version->majorVersion, XSTRING(CANN_MAJOR));
	strcpy(version->minorVersion, XSTRING(CANN_MINOR));
	strcpy(version->releaseVersion, XSTRING(CANN_PATCH));
	strcpy(version->patchVersion, "0");
	return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
	VNPU_CALL();
	aclError ret;

	if (!pkgName)
		return vnpu_error_null("pkgName");
	if (!versionStr)
		return vnpu_error_null("versionStr");
	ret = package_check(pkgName);
	if (!ret)
		strcpy(versionStr, CANN_VERSION);
	return ret;
}

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
	VNPU_CALL();
	aclError ret;

	if (!pkgName)
		return vnpu_error_null("pkgName");
	if (!versionNum)
		return vnpu_error_null("versionNum");
	ret = package_check(pkgName);
	if (!ret)
		*versionNum = CANN_MAJOR * 10000000 + CANN_MINOR * 100000 +
			      CANN_PATCH * 1000;
	return ret;
}

const char *aclrtGetSocName(void)
{
	const char *name = getenv("VNPU_SOC_NAME");

	if (name && *name)
		return name;
	return vnpu_io_open() ? NULL : vnpu_soc()->full_name;
}

/* Code for one chip of the architecture runs on the others. */
aclError aclrtCheckArchCompatibility(const char *socVersion,
				     int32_t *canCompatible)
{
	VNPU_CALL();
	const struct vnpu_soc *soc = vnpu_soc();

	if (!socVersion || strncasecmp(socVersion, "Ascend", 6))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"socVersion = \"%s\" is not the name of a chip; pass one like %s",
			socVersion ? socVersion : "(NULL)", soc->full_name);
	if (!canCompatible)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"canCompatible is NULL; pass a valid pointer");

	*canCompatible = 0;
	for (size_t i = 0; i < ARRAY_SIZE(soc->family) && soc->family[i]; i++)
		if (!strncasecmp(socVersion, soc->family[i],
				 strlen(soc->family[i])))
			*canCompatible = 1;
	return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
	VNPU_CALL();

	if (!runMode)
		return vnpu_error_null("runMode");
	*runMode = ACL_HOST;
	return ACL_SUCCESS;
}

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
	VNPU_CALL();

	if (!cannAttrList)
		return vnpu_error_null("cannAttrList");
	if (!num)
		return vnpu_error_null("num");
	*cannAttrList = attributes;
	*num = ARRAY_SIZE(attributes);
	return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
	VNPU_CALL();

	if (!value)
		return vnpu_error_null("value");
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		if (attributes[i] == cannAttr) {
			*value = 1;
			return ACL_SUCCESS;
		}
	}
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"cannAttr = %d is not known; use a value of aclCannAttr",
		cannAttr);
}
