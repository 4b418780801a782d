# SPDX-License-Identifier: MIT
#
# The operator engine: lib/ops/ops.h. Its objects are linked into the process
# that executes kernels, into tests and into benchmarks. Only tensor.c is part
# of libvnpu.
#
#	$(OPS_LIB)	an archive of all of it
#
# The loops in vec/ are compiled once for each variant, i.e. set of
# instructions. No variant may contract or reorder operations, since all compute
# the same bits. -fwrapv: integer elements wrap around. -fno-strict-aliasing:
# the same device memory holds elements of several types.

OPS_DIR		:= $(B)/ops
OPS_LIB		:= $(OPS_DIR)/libvnpu-ops.a
OPS_SRCS	:= $(sort $(wildcard lib/ops/*.c))
OPS_VEC_SRCS	:= $(sort $(wildcard lib/ops/vec/*.c))
OPS_VARIANTS	:= base $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),avx2 avx512)

OPS_CFLAGS	:= -O3 -g -fPIC -fwrapv -fno-strict-aliasing -ffp-contract=off \
		   -fno-math-errno -fno-trapping-math -D_GNU_SOURCE -Wshadow
OPS_FLAGS_base	:=
OPS_FLAGS_avx2	:= -mavx2 -mfma -mf16c
OPS_FLAGS_avx512 := $(OPS_FLAGS_avx2) -mavx512f -mavx512bw -mavx512dq \
		   -mavx512vl -mprefer-vector-width=512

# $(call ops-objects,DIRECTORY): the objects of the engine there.
ops-objects	= $(OPS_SRCS:lib/ops/%.c=$1/%.o) $(foreach v,$(OPS_VARIANTS),\
		  $(OPS_VEC_SRCS:lib/ops/vec/%.c=$1/$v/%.o))

# $(call ops-rules,DIRECTORY,VARIABLE): how they are made, with the flags in the
# variable.
define ops-rules
$1/%.o: lib/ops/%.c lib/ops/ops.mk
	@mkdir -p $$(@D)
	$$(CC) $$(VNPU_CFLAGS) $$(OPS_CFLAGS) $$($2) -MMD -MP -c -o $$@ $$<

$$(foreach v,$$(OPS_VARIANTS),$$(eval $$(call ops-variant,$1,$2,$$v)))
-include $$(patsubst %.o,%.d,$$(call ops-objects,$1))
endef

define ops-variant
$1/$3/%.o: lib/ops/vec/%.c lib/ops/ops.mk
	@mkdir -p $$(@D)
	$$(CC) $$(VNPU_CFLAGS) $$(OPS_CFLAGS) $$(OPS_FLAGS_$3) \
		-DOPS_VARIANT=$3 $$($2) -MMD -MP -c -o $$@ $$<
endef

$(eval $(call ops-rules,$(OPS_DIR),OPS_FLAGS_base))

$(OPS_LIB): $(call ops-objects,$(OPS_DIR))
	rm -f $@
	$(AR) rcs $@ $^

LIBS += $(OPS_LIB)
