# SPDX-License-Identifier: MIT
#
# The graph engine: ONNX models become programs for the operator engine. Nothing
# in it needs a device. compile/compile.h and program/program.h are its
# interface.
#
#	$(GRAPH_LIB)	an archive of all of it; users link the operator engine
#			and the planner of libvnpu, too

GRAPH_DIR	:= $(B)/graph
GRAPH_LIB	:= $(GRAPH_DIR)/libvnpu-graph.a
GRAPH_SRCS	:= $(sort $(wildcard lib/graph/*/*.c))

GRAPH_CFLAGS	:= -fPIC -D_GNU_SOURCE -Wshadow -Ilib/include -iquote lib \
		   -iquote lib/graph

# $(call graph-rules,DIRECTORY,VARIABLE): how objects are made there, with the
# flags in the variable.
define graph-rules
$1/%.o: lib/graph/%.c lib/graph/graph.mk
	@mkdir -p $$(@D)
	$$(CC) $$(VNPU_CFLAGS) $$(GRAPH_CFLAGS) $$($2) -MMD -MP -c -o $$@ $$<

-include $$(GRAPH_SRCS:lib/graph/%.c=$1/%.d)
endef

GRAPH_FLAGS	:= -O2 -g
$(eval $(call graph-rules,$(GRAPH_DIR),GRAPH_FLAGS))

$(GRAPH_LIB): $(GRAPH_SRCS:lib/graph/%.c=$(GRAPH_DIR)/%.o)
	rm -f $@
	$(AR) rcs $@ $^

LIBS += $(GRAPH_LIB)
