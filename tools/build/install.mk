# SPDX-License-Identifier: GPL-2.0-only
#
# What is installed, and where.
#
# Headers go below include/vnpu, and the tree that looks like CANN's below
# lib/vnpu/cann: neither is searched unless asked for, so that a real CANN
# beside it is never shadowed.

BINDIR		?= $(PREFIX)/bin
LIBDIR		?= $(PREFIX)/lib
INCLUDEDIR	?= $(PREFIX)/include
MANDIR		?= $(PREFIX)/share/man
COMPLETIONDIR	?= $(PREFIX)/share/bash-completion/completions
# udev and sysusers look in no other prefix.
UDEVDIR		?= /usr/lib/udev/rules.d
SYSUSERSDIR	?= /usr/lib/sysusers.d
DKMSDIR		?= /usr/src/vnpu-$(VERSION)

# MODE:FILE:DIRECTORY/[NAME] and link:TARGET:PATH
INSTALL		= $(addprefix 0644:,$(INSTALL_DATA)) \
		  $(addprefix 0755:,$(INSTALL_PROGRAMS)) \
		  $(addprefix link:,$(INSTALL_LINKS))

CANN		:= $(LIBDIR)/vnpu/cann
VM_DIR		:= $(LIBDIR)/vnpu/vnpu-vm
MANUALS		:= $(wildcard lib/man/*.[1-9] tools/*/*.[1-9])
COMPLETIONS	:= $(wildcard tools/*/*.completion)

INSTALL_DATA	= \
	$(patsubst %,%:$(INCLUDEDIR)/vnpu/linux/,$(wildcard uapi/linux/*.h)) \
	$(patsubst %,%:$(INCLUDEDIR)/vnpu/,$(wildcard lib/include/*.h)) \
	$(B)/lib/libvnpu.a:$(LIBDIR)/ \
	$(B)/lib/libvnpu.pc:$(LIBDIR)/pkgconfig/ \
	$(foreach f,$(patsubst lib/include/%,%,$(shell \
		find lib/include/acl -name '*.h' 2>/dev/null)), \
		lib/include/$f:$(CANN)/include/$(dir $f)) \
	$(B)/cann/set_env.sh:$(CANN)/ \
	$(patsubst %,%:$(VM_DIR)/vnpuvm/,$(wildcard tools/vnpu-vm/vnpuvm/*.py)) \
	$(patsubst %,%:$(VM_DIR)/,$(wildcard tools/vnpu-vm/*.c)) \
	$(foreach f,$(MANUALS),$f:$(MANDIR)/man$(patsubst .%,%,$(suffix $f))/) \
	$(foreach f,$(COMPLETIONS), \
		$f:$(COMPLETIONDIR)/$(basename $(notdir $f))) \
	tools/udev/70-vnpu.rules:$(UDEVDIR)/ \
	tools/udev/vnpu.sysusers:$(SYSUSERSDIR)/vnpu.conf

INSTALL_PROGRAMS = \
	$(B)/lib/libvnpu.so.1:$(LIBDIR)/ \
	$(B)/bin/vnpu-smi:$(BINDIR)/ \
	tools/vnpu-vm/vnpu-vm:$(VM_DIR)/

INSTALL_LINKS	= \
	libvnpu.so.1:$(LIBDIR)/libvnpu.so \
	$(foreach f,libascendcl.so libacl_rt.so, \
		../../../libvnpu.so.1:$(CANN)/lib64/$f) \
	../lib/vnpu/vnpu-vm/vnpu-vm:$(BINDIR)/vnpu-vm

install: lib tools
	@tools/build/install.sh install "$(DESTDIR)" $(INSTALL)

uninstall:
	@tools/build/install.sh uninstall "$(DESTDIR)" $(INSTALL)

# The module's source alone is what DKMS gets.
DKMS_FILES	:= Kbuild dkms.conf COPYING $(shell \
			find driver uapi -name '*.[ch]')
INSTALL_DKMS	= $(foreach f,$(DKMS_FILES),0644:$f:$(DKMSDIR)/$(dir $f))

install-dkms:
	@tools/build/install.sh install "$(DESTDIR)" $(INSTALL_DKMS)
	$(if $(DESTDIR),,dkms install vnpu/$(VERSION))

uninstall-dkms:
	$(if $(DESTDIR),,dkms remove vnpu/$(VERSION) --all)
	@tools/build/install.sh uninstall "$(DESTDIR)" $(INSTALL_DKMS)

.PHONY: install uninstall install-dkms uninstall-dkms
