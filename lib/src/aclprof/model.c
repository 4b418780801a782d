// SPDX-License-Identifier: MIT
/*
 * Profiles of single models, which do not exist here: sessions record the tasks
 * of all streams, those of models among them.
 */
#include "base/error.h"
#include "prof.h"

static aclError refuse_models(void)
{
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"models are not profiled one by one; use aclprofStart to record the tasks of streams, those of models among them");
}

aclprofSubscribeConfig *
aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
			     aclprofAicoreMetrics aicoreMetrics, void *fd)
{
	VNPU_CALL();

	(void)timeInfoSwitch;
	(void)aicoreMetrics;
	(void)fd;
	refuse_models();
	return NULL;
}

aclError
aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig)
{
	VNPU_CALL();

	(void)profSubscribeConfig;
	return refuse_models();
}

aclError
aclprofModelSubscribe(uint32_t modelId,
		      const aclprofSubscribeConfig *profSubscribeConfig)
{
	VNPU_CALL();

	(void)modelId;
	(void)profSubscribeConfig;
	return refuse_models();
}

aclError aclprofModelUnSubscribe(uint32_t modelId)
{
	VNPU_CALL();

	(void)modelId;
	return refuse_models();
}

aclError aclprofGetOpDescSize(size_t *opDescSize)
{
	VNPU_CALL();

	(void)opDescSize;
	return refuse_models();
}

aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen,
			 uint32_t *opNumber)
{
	VNPU_CALL();

	(void)opInfo;
	(void)opInfoLen;
	(void)opNumber;
	return refuse_models();
}

aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr,
				  const size_t infoSize)
{
	VNPU_CALL();

	(void)infoPtr;
	(void)infoSize;
	return refuse_models();
}

aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr,
				      const size_t infoSize)
{
	VNPU_CALL();

	(void)extendInfoPtr;
	(void)infoSize;
	return refuse_models();
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
	refuse_models();						\
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
	return refuse_models();					\
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
	return refuse_models();					\
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
	refuse_models();
	return NULL;
}
