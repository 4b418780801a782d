# SPDX-License-Identifier: GPL-2.0-only
#
# The installed files, and their places.
#
# The headers go below include/vnpu and lib/vnpu/cann, the tree with CANN's
# layout: neither is searched by default, so that a real CANN beside it is never
# shadowed.

BINDIR		?= $(PREFIX)/bin
LIBDIR		?= $(PREFIX)/lib
LIBEXECDIR	?= $(PREFIX)/libexec
INCLUDEDIR	?= $(PREFIX)/include
MANDIR		?= $(PREFIX)/share/man
DATADIR		?= $(PREFIX)/share
COMPLETIONDIR	?= $(PREFIX)/share/bash-completion/completions
# udev and sysusers search no other prefix.
UDEVDIR		?= /usr/lib/udev/rules.d
SYSUSERSDIR	?= /usr/lib/sysusers.d
DKMSDIR		?= /usr/src/vnpu-$(VERSION)

CANN_DIR	= $(LIBDIR)/vnpu/cann
VM_DIR		= $(LIBDIR)/vnpu/vnpu-vm
CANN_TO_SMI	= $(shell realpath -ms --relative-to=$(CANN_DIR)/bin \
			$(BINDIR)/vnpu-smi)

MANUALS		:= $(wildcard lib/man/*.[1-9] tools/*/*.[1-9])
COMPLETIONS	:= $(wildcard tools/*/*.bash-completion)

# The Python module, if "make python" has built it.
INSTALL_PYTHON	= $(if $(wildcard $(PYTHON_SITE)/acl.so), \
	0755:$(PYTHON_SITE)/acl.so:$(CANN_DIR)/python/site-packages/ \
	$(foreach f,$(filter-out %.so,$(PYTHON_FILES:$(PYTHON_SITE)/%=%)), \
		0644:$(PYTHON_SITE)/$f:$(CANN_DIR)/python/site-packages/$(dir $f)))
# The backend of PyTorch, if "make python-torch" has built it.
INSTALL_TORCH	= $(if $(wildcard $(TORCH_SITE)/_C.so), \
	0755:$(TORCH_SITE)/_C.so:$(CANN_DIR)/python/site-packages/torch_npu/ \
	$(foreach f,$(filter-out %.so,$(TORCH_FILES:$(PYTHON_SITE)/%=%)), \
		0644:$(PYTHON_SITE)/$f:$(CANN_DIR)/python/site-packages/$(dir $f)))

# MODE:FILE:DIRECTORY/ or MODE:FILE:PATH, and link:TARGET:PATH
INSTALL_FILES	= \
	0755:$(B)/bin/vnpu-smi:$(BINDIR)/ \
	0755:$(B)/bin/vnpu-bench:$(BINDIR)/ \
	0755:$(B)/bin/vnpu-plan:$(BINDIR)/ \
	0755:$(B)/bin/vnpu-prof:$(BINDIR)/ \
	link:../../../../bin/vnpu-prof:$(CANN_DIR)/bin/msprof \
	0755:$(B)/bin/vnpu-model:$(BINDIR)/ \
	link:../../../../bin/vnpu-model:$(CANN_DIR)/bin/msame \
	link:../../../../bin/vnpu-model:$(CANN_DIR)/bin/mscheck \
	0755:$(B)/cann/bin/atc:$(CANN_DIR)/bin/ \
	0644:tools/atc/fusion_rules.cfg:$(CANN_DIR)/fusion_rules/ \
	0755:tools/ascend-dbg/ascend-dbg:$(CANN_DIR)/bin/ \
	0755:$(B)/bin/vnpu-cc:$(BINDIR)/ \
	link:../../../../bin/vnpu-cc:$(CANN_DIR)/bin/bisheng \
	0755:tools/vnpu-vm/vnpu-vm:$(VM_DIR)/ \
	$(patsubst %,0644:%:$(VM_DIR)/,$(wildcard \
		tools/vnpu-vm/*.[ch])) \
	$(patsubst %,0644:%:$(VM_DIR)/vnpuvm/,$(wildcard \
		tools/vnpu-vm/vnpuvm/*.py)) \
	link:../lib/vnpu/vnpu-vm/vnpu-vm:$(BINDIR)/vnpu-vm \
	0755:$(B)/lib/$(LIB_REAL):$(LIBDIR)/ \
	0755:$(VNPU_CORE):$(LIBEXECDIR)/vnpu/ \
	0755:$(VNPU_CORE_SO):$(LIBEXECDIR)/vnpu/ \
	link:$(LIB_REAL):$(LIBDIR)/$(LIB_SONAME) \
	link:$(LIB_SONAME):$(LIBDIR)/libvnpu.so \
	0755:$(B)/lib/$(ACLNN_REAL):$(LIBDIR)/ \
	link:$(ACLNN_REAL):$(LIBDIR)/$(ACLNN_SONAME) \
	link:$(ACLNN_SONAME):$(LIBDIR)/libvnpu-op.so \
	0755:$(B)/lib/$(HCCL_REAL):$(LIBDIR)/ \
	link:$(HCCL_REAL):$(LIBDIR)/$(HCCL_SONAME) \
	link:$(HCCL_SONAME):$(LIBDIR)/libvnpu-hccl.so \
	0644:$(B)/lib/libvnpu.a:$(LIBDIR)/ \
	0644:$(B)/install/vnpu.pc:$(LIBDIR)/pkgconfig/ \
	$(foreach f,$(LIB_HDRS:lib/include/%=%), \
		0644:lib/include/$f:$(CANN_DIR)/include/$(dir $f)) \
	$(foreach f,$(ACLNN_HDRS:$(B)/cann/include/%=%), \
		0644:$(B)/cann/include/$f:$(CANN_DIR)/include/$(dir $f)) \
	$(foreach f,$(HCCL_HDRS:$(B)/cann/include/%=%), \
		0644:$(B)/cann/include/$f:$(CANN_DIR)/include/$(dir $f)) \
	$(foreach f,$(ASCENDC_HDRS:$(ASCENDC_SRC)/%=%), \
		0644:$(ASCENDC_SRC)/$f:$(CANN_DIR)/include/$(dir $f)) \
	$(foreach f,$(ASCENDC_CMAKE), 0644:lib/ascendc/cmake/$f:$(strip \
		$(CANN_DIR))/$(ASCENDC_CMAKE_DIR)/$(dir $f)) \
	$(foreach l,$(ASCENDC_CMAKE_LINKS), \
		link:../../$(ASCENDC_CMAKE_DIR):$(CANN_DIR)/$l) \
	0644:lib/ascendc/cmake/ASCConfig.cmake:$(CANN_DIR)/lib/cmake/ASC/ \
	link:../../../$(ASCENDC_CMAKE_DIR)/asc_modules:$(CANN_DIR)/lib/cmake/ASC/asc_modules \
	$(foreach f,$(notdir $(LIB_CANN_SOS)), \
		link:../../../$(LIB_SONAME):$(CANN_DIR)/lib64/$f) \
	$(foreach f,$(notdir $(LIB_CANN_STUBS)), \
		link:../$f:$(CANN_DIR)/lib64/stub/$f) \
	$(foreach f,$(notdir $(ACLNN_SOS)), \
		link:../../../$(ACLNN_SONAME):$(CANN_DIR)/lib64/$f) \
	$(foreach f,$(notdir $(ACLNN_STUBS)), \
		link:../$f:$(CANN_DIR)/lib64/stub/$f) \
	$(foreach f,$(notdir $(HCCL_SOS)), \
		link:../../../$(HCCL_SONAME):$(CANN_DIR)/lib64/$f) \
	$(foreach f,$(notdir $(HCCL_STUBS)), \
		link:../$f:$(CANN_DIR)/lib64/stub/$f) \
	$(foreach l,$(LIB_CANN_LINKS) $(ASCENDC_LINKS), \
		link:$(firstword $(subst :, ,$l)):$(CANN_DIR)/$(lastword $(subst :, ,$l))) \
	$(INSTALL_PYTHON) \
	$(INSTALL_TORCH) \
	link:$(CANN_TO_SMI):$(CANN_DIR)/bin/vnpu-smi \
	0644:lib/src/setenv.bash:$(CANN_DIR)/bin/ \
	0644:$(B)/install/set_env.sh:$(CANN_DIR)/ \
	$(patsubst %,0644:%:$(INCLUDEDIR)/vnpu/linux/,$(wildcard uapi/linux/*.h)) \
	$(foreach f,$(MANUALS), \
		0644:$f:$(MANDIR)/man$(patsubst .%,%,$(suffix $f))/) \
	$(shell lib/man/names.sh $(MANUALS) | \
		sed 's|\(.*\)\.\(.*\) \(.*\)|link:\3:$(MANDIR)/man\2/\1.\2|') \
	$(foreach f,$(COMPLETIONS), \
		0644:$f:$(COMPLETIONDIR)/$(basename $(notdir $f))) \
	0644:Documentation/vnpu-smi.schema.json:$(DATADIR)/vnpu/ \
	0644:tools/udev/70-vnpu.rules:$(UDEVDIR)/ \
	0644:tools/udev/vnpu.sysusers:$(SYSUSERSDIR)/vnpu.conf

# These contain their place of installation.
$(B)/install/vnpu.pc: lib/libvnpu.pc.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(CANN_DIR)/include|' \
		-e 's|@VERSION@|$(VERSION)|' $< >$@

$(B)/install/set_env.sh: lib/src/set_env.sh.in FORCE
	@mkdir -p $(@D)
	@sed -e 's|@CANNDIR@|$(CANN_DIR)|' $< >$@

install: lib tools $(B)/install/vnpu.pc $(B)/install/set_env.sh
	@tools/build/install.sh install "$(DESTDIR)" $(INSTALL_FILES)

uninstall:
	@tools/build/install.sh uninstall "$(DESTDIR)" $(INSTALL_FILES)

# DKMS gets the module's source only.
DKMS_FILES	:= Kbuild dkms.conf COPYING $(shell \
			find driver uapi -name '*.[ch]' -o -name '*.awk')
INSTALL_DKMS	= $(foreach f,$(DKMS_FILES),0644:$f:$(DKMSDIR)/$(dir $f))

install-dkms:
	@tools/build/install.sh install "$(DESTDIR)" $(INSTALL_DKMS)
	$(if $(DESTDIR),,dkms install vnpu/$(VERSION))

uninstall-dkms:
	$(if $(DESTDIR),,dkms remove vnpu/$(VERSION) --all)
	@tools/build/install.sh uninstall "$(DESTDIR)" $(INSTALL_DKMS)

FORCE:

.PHONY: install uninstall install-dkms uninstall-dkms FORCE
