# SPDX-License-Identifier: GPL-2.0-only
#
# Networks beside onnxruntime, as text; no part of make check.  NETWORKS= is the
# folder onnx/backend/test/data/light of ONNX's sources.  The package comes from
# npm, at the version that is named here.

OX_DIR := $(B)/selftests/onnxruntime
OX_PACKAGE := $(OX_DIR)/node_modules/onnxruntime-node

$(OX_PACKAGE):
	@mkdir -p $(OX_DIR)
	npm install --silent --ignore-scripts --prefix $(OX_DIR) \
		onnxruntime-node@1.30.0

check-onnxruntime: $(OX_PACKAGE) $(B)/bin/vnpu-model $(B)/cann/bin/atc
	$(if $(NETWORKS),,$(error check-onnxruntime needs NETWORKS=, a folder))
	selftests/onnxruntime/compare.py $(B) $(NETWORKS)

.PHONY: check-onnxruntime
