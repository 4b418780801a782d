// SPDX-License-Identifier: MIT
/*
 * Profiles of models.  This device has no models and captures none.
 */
#include "base/error.h"
#include "prof.h"

static aclError no_models(void)
{
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"this device has no models; use aclprofStart to record the tasks of streams");
}

aclprofSubscribeConfig *
aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
			     aclprofAicoreMetrics aicoreMetrics, void *fd)
{
	VNPU_CALL();

	(void)timeInfoSwitch;
	(void)aicoreMetrics;
	(void)fd;
	no_models();
	return NULL;
}

aclError
aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig)
{
	VNPU_CALL();

	(void)profSubscribeConfig;
	return no_models();
}

aclError
aclprofModelSubscribe(uint32_t modelId,
		      const aclprofSubscribeConfig *profSubscribeConfig)
{
	VNPU_CALL();

	(void)modelId;
	(void)profSubscribeConfig;
	return no_models();
}

aclError aclprofModelUnSubscribe(uint32_t modelId)
{
	VNPU_CALL();

	(void)modelId;
	return no_models();
}

aclError aclprofGetOpDescSize(size_t *opDescSize)
{
	VNPU_CALL();

	(void)opDescSize;
	return no_models();
}

aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen,
			 uint32_t *opNumber)
{
	VNPU_CALL();

	(void)opInfo;
	(void)opInfoLen;
	(void)opNumber;
	return no_models();
}

aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr,
				  const size_t infoSize)
{
	VNPU_CALL();

	(void)infoPtr;
	(void)infoSize;
	return no_models();
}

aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr,
				      const size_t infoSize)
{
	VNPU_CALL();

	(void)extendInfoPtr;
	(void)infoSize;
	return no_models();
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
	no_models();						\
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
	return no_models();					\
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
	return no_models();					\
}

TELL_LENGTH(aclprofGetOpTypeLen)
TELL_TEXT(aclprofGetOpType)
TELL_LENGTH(aclprofGetOpNameLen)
TELL_TEXT(aclprofGetOpName)

const char *aclprofGetOpAttriValue(const void *opInfo, size_t opInfoLen,
				   uint32_t index,
				   aclprofSubscribeOpAttri attri)
{
	VNPU_CALL();

	(void)opInfo;
	(void)opInfoLen;
	(void)index;
	(void)attri;
	no_models();
	return NULL;
}
