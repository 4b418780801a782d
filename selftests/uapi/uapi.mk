# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the ABI of /dev/vnpu, on the kernel's own harness.

UAPI_TESTS := ioctl device memory va window copy copy_fault slow fill host owner
UAPI_DIR := $(B)/selftests/uapi
UAPI_BINS := $(UAPI_TESTS:%=$(UAPI_DIR)/%)

# The harness compares whatever it is given and prototypes nothing.
UAPI_CFLAGS = $(VNPU_CFLAGS) -Wno-sign-compare -Wno-missing-prototypes \
	-Iuapi -I$(UAPI_DIR) -isystem $(KSRC)/tools/testing/selftests

$(UAPI_DIR)/ioctl_list.h: uapi/linux/vnpu.h selftests/uapi/uapi.mk
	@mkdir -p $(@D)
	@{ echo 'static const struct { const char *name; unsigned int nr; }'; \
	   echo 'ioctl_list[] = {'; \
	   sed -n 's/^#define \(VNPU_IOCTL_[A-Z0-9_]*\)[[:space:]]*_IO(.*/\t{ "\1", \1 },/p' $<; \
	   echo '};'; } >$@

$(UAPI_BINS): $(UAPI_DIR)/%: selftests/uapi/%.c selftests/uapi/client.h \
		selftests/uapi/util.h selftests/uapi/ioctl_table.h \
		uapi/linux/vnpu.h $(UAPI_DIR)/ioctl_list.h
	$(CC) $(CFLAGS) $(UAPI_CFLAGS) -o $@ $< -pthread

TESTS += $(UAPI_BINS)
# What differs where there are several devices.
TESTS_MULTI += $(addprefix $(UAPI_DIR)/,device memory copy fill)
