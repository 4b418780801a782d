// SPDX-License-Identifier: MIT
/*
 * Profiles of models.  This device has no models and captures none.
 */
#include "base/error.h"
#include "prof.h"

static aclError no_models(const char *call)
{
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, call,
		"this device has no models; use aclprofStart to record the tasks of streams");
}

aclprofSubscribeConfig *
aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
			     aclprofAicoreMetrics aicoreMetrics, void *fd)
{
	(void)timeInfoSwitch;
	(void)aicoreMetrics;
	(void)fd;
	no_models(__func__);
	return NULL;
}

aclError
aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig)
{
	(void)profSubscribeConfig;
	return no_models(__func__);
}

aclError
aclprofModelSubscribe(uint32_t modelId,
		      const aclprofSubscribeConfig *profSubscribeConfig)
{
	(void)modelId;
	(void)profSubscribeConfig;
	return no_models(__func__);
}

aclError aclprofModelUnSubscribe(uint32_t modelId)
{
	(void)modelId;
	return no_models(__func__);
}

aclError aclprofGetOpDescSize(size_t *opDescSize)
{
	(void)opDescSize;
	return no_models(__func__);
}

aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen,
			 uint32_t *opNumber)
{
	(void)opInfo;
	(void)opInfoLen;
	(void)opNumber;
	return no_models(__func__);
}

aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr,
				  const size_t infoSize)
{
	(void)infoPtr;
	(void)infoSize;
	return no_models(__func__);
}

aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr,
				      const size_t infoSize)
{
	(void)extendInfoPtr;
	(void)infoSize;
	return no_models(__func__);
}

/*
 * Define a call that returns a property of operator @index of a subscription.
 */
#define LOOK_AT(type, name, value)					\
type name(const void *opInfo, size_t opInfoLen, uint32_t index)		\
{									\
	(void)opInfo;							\
	(void)opInfoLen;						\
	(void)index;							\
	no_models(__func__);						\
	return value;							\
}

LOOK_AT(uint64_t, aclprofGetOpStart, 0)
LOOK_AT(uint64_t, aclprofGetOpEnd, 0)
LOOK_AT(uint64_t, aclprofGetOpDuration, 0)
LOOK_AT(size_t, aclprofGetModelId, 0)
LOOK_AT(aclprofSubscribeOpFlag, aclprofGetOpFlag, ACL_SUBSCRIBE_NONE)

/*
 * Define the calls for the length of a text of operator @index, and the text.
 */
#define TELL_LENGTH(name)						\
aclError name(const void *opInfo, size_t opInfoLen, uint32_t index,	\
	      size_t *length)						\
{									\
	(void)opInfo;							\
	(void)opInfoLen;						\
	(void)index;							\
	(void)length;							\
	return no_models(__func__);					\
}

#define TELL_TEXT(name)							\
aclError name(const void *opInfo, size_t opInfoLen, uint32_t index,	\
	      char *text, size_t length)				\
{									\
	(void)opInfo;							\
	(void)opInfoLen;						\
	(void)index;							\
	(void)text;							\
	(void)length;							\
	return no_models(__func__);					\
}

TELL_LENGTH(aclprofGetOpTypeLen)
TELL_TEXT(aclprofGetOpType)
TELL_LENGTH(aclprofGetOpNameLen)
TELL_TEXT(aclprofGetOpName)

const char *aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen,
				   uint32_t index,
				   aclprofSubscribeOpAttri attri)
{
	(void)opInfo;
	(void)opInfoLen;
	(void)index;
	(void)attri;
	no_models(__func__);
	return NULL;
}
