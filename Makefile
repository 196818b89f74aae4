# SPDX-License-Identifier: BSD-3-Clause
#
# make            library, perf-cstrace, pkg-config file
# make lib        the library alone: needs a C compiler and binutils, nothing else; also install-lib, uninstall-lib
# make check      installs what is missing, builds, runs every test; last line: N passed, N failed, N skipped;
#                 ONLY="PATTERN..." builds and runs those whose name holds one of the patterns (ONLY=test_frame, ONLY="cli/ golden/")
# make help       the other targets
#
# Variables: O=DIR (default build; with CROSS_COMPILE a folder in it), V=1 shows the commands, SANITIZE=1 builds into
# $(O)/asan with -fsanitize=address,undefined, SANITIZE=thread into $(O)/tsan, CC, CPPFLAGS, CFLAGS, LDFLAGS as usual. When one
# of these four changes, everything in O is made again. WERROR=1: a warning is an error (so in make check and make nightly).
# For install: DESTDIR and GNU's prefix (or PREFIX), exec_prefix, bindir, libdir, includedir, datarootdir, docdir, mandir,
# pkgconfigdir, completiondir, INSTALL, STRIP. Nothing goes to sysconfdir or localstatedir.
# NO_LIBTRACEEVENT=1, NO_LZMA=1, NO_ZSTD=1, NO_SQLITE=1, NO_CAPSTONE=1 leave a library out: sched_switch tracepoints; kernel
# modules packed by xz; records, modules and debug information packed by zstd; databases (timeline); the text of instructions.
# CROSS_COMPILE=aarch64-linux-gnu- builds for another machine with the tools of that prefix (CC, AR, NM, OBJDUMP, READELF,
# PKG_CONFIG name others). LINUX_SOURCE=FILE: the kernel's tarball that has libperf's header. HARDEN=0: without stack protector,
# FORTIFY, BIND_NOW, CET or PAC and BTI.

# The version stands in include/cstrace/version.h alone.
version-of = $(shell awk '$$2 == "CST_VERSION_$(1)" { print $$3 }' include/cstrace/version.h)
SOVERSION := $(call version-of,MAJOR)
VERSION := $(SOVERSION).$(call version-of,MINOR).$(call version-of,PATCH)
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

O ?= build$(if $(CROSS_COMPILE),/$(notdir $(CROSS_COMPILE:%-=%)))
ifeq ($(SANITIZE),thread)
B := $(O)/tsan
else ifneq ($(filter-out 0,$(SANITIZE)),)
B := $(O)/asan
else
B := $(O)
endif

ifneq ($(filter-out 0,$(V)),)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n' $(1) $(2)
endif

ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
NM ?= $(CROSS_COMPILE)nm
OBJDUMP ?= $(CROSS_COMPILE)objdump
OBJCOPY ?= $(CROSS_COMPILE)objcopy
READELF ?= $(CROSS_COMPILE)readelf
PKG_CONFIG ?= $(or $(and $(CROSS_COMPILE),$(shell command -v $(CROSS_COMPILE)pkg-config 2>/dev/null)),pkg-config)
export NM OBJDUMP READELF
CLANG ?= clang
CFLAGS ?= -O2 -g
FUZZ_TIME ?= 600
MUTANTS ?= 200
PERF_CFLAGS ?=

# GNU's names for folders and programs.
prefix ?= $(or $(PREFIX),/usr/local)
exec_prefix ?= $(prefix)
bindir ?= $(exec_prefix)/bin
libdir ?= $(exec_prefix)/lib
includedir ?= $(prefix)/include
datarootdir ?= $(prefix)/share
docdir ?= $(datarootdir)/doc/cstrace
pkgdatadir ?= $(datarootdir)/perf-cstrace
mandir ?= $(datarootdir)/man
man1dir ?= $(mandir)/man1
man5dir ?= $(mandir)/man5
pkgconfigdir ?= $(libdir)/pkgconfig
cmakedir ?= $(libdir)/cmake/cstrace
man7dir ?= $(mandir)/man7
completiondir ?= $(datarootdir)/bash-completion/completions
zshdir ?= $(datarootdir)/zsh/site-functions
fishdir ?= $(datarootdir)/fish/vendor_completions.d
INSTALL ?= install
INSTALL_PROGRAM ?= $(INSTALL)
INSTALL_DATA ?= $(INSTALL) -m 644
STRIP ?= $(CROSS_COMPILE)strip
PYTHON ?= python3
pythondir ?= $(shell $(PYTHON) lib/bindings/python/generate.py --folder $(prefix))
# Where the project is to be found, for the pkg-config file; packagers know.
URL ?=

# A compiler that warns of more than those of this project's tests does not stop the build of a user. Objects are the same
# with -Werror, so that it is not one of FLAGS.
WERROR ?= $(if $(filter check check-run nightly nightly-run,$(MAKECMDGOALS)),1,0)
export WERROR
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes
WARN := $(WARNINGS) $(if $(filter-out 0,$(WERROR)),-Werror)
STD := -std=gnu11
# Debug information names files as they are below this folder, so that builds in other folders make the same bytes.
# MAP= names them with this folder.
MAP := '-ffile-prefix-map=$(CURDIR)=.' $(if $(filter-out build,$(O)),'-ffile-prefix-map=$(O)/=build/')
# Each image reserves memory for blocks, of which little is used. With sanitizers that costs thousands of page faults an image
# (test_digest: 2.29 million of them with 128 MB, 0.32 million with 8 MB).
SMALL_CACHE := -DDEFAULT_CACHE=0x800000
SANFLAGS := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined $(SMALL_CACHE)
ifeq ($(SANITIZE),thread)
SAN := -fsanitize=thread -fno-omit-frame-pointer
else ifneq ($(B),$(O))
SAN := $(SANFLAGS)
endif
DEPFLAGS = -MMD -MP -MF $(@:%=%.d)

# Against what an attacker makes of a mistake. FORTIFY needs an optimizer; the sanitizers do all of it better.
# The library is without the stack protector: -fstack-protector-strong costs its loop over atoms 1.3 to 1.8 % of the
# instructions (callgrind, tests/interop/cst_decode), CET 0.6 to 1.1 %, FORTIFY none.
HARDEN ?= 1
ifeq ($(filter-out 0,$(HARDEN))$(SAN),1)
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
HARD_LIB_CFLAGS := $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) \
	$(if $(filter x86_64% i686%,$(MACHINE)),-fcf-protection) $(if $(filter aarch64%,$(MACHINE)),-mbranch-protection=standard)
HARD_CFLAGS := $(HARD_LIB_CFLAGS) -fstack-protector-strong
HARD_LDFLAGS := -Wl,-z,relro,-z,now
endif

# What objects are made with. A rule that depends on FLAGS is followed again when a word of it changes.
FLAGS := $(B)/flags
quoted = '$(subst ','\'',$(1))'
values = $(foreach v,$(1),$(call quoted,$(v)=$($(v))))
PARTS := CC CPPFLAGS CFLAGS LDFLAGS PKG_CONFIG CROSS_COMPILE NO_LIBTRACEEVENT NO_LZMA NO_ZSTD NO_SQLITE NO_CAPSTONE LINUX_SOURCE
FLAGS_NOW := $(call values,CC CPPFLAGS CFLAGS LDFLAGS HARDEN WARNINGS HARD_CFLAGS HARD_LDFLAGS)
CONFIG_ENV := $(call values,$(PARTS))
PARTS_NOW := $(CONFIG_ENV) $(call values,PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_PATH)
keep-values = $(Q)mkdir -p $(@D) && printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) >$@

# ---- what is there -----------------------------------------------------------------------------

sources-of = $(sort $(shell find $(1) -name '*.c' 2>/dev/null))
# Files of lib/bindings, as links to sources in a crate, are not compiled into the library.
LIB_SRC := $(filter-out lib/bindings/%,$(call sources-of,lib))
PLUGIN_SRC := $(filter-out perf-plugin/opencsd/%,$(call sources-of,perf-plugin))
# Of the program alone; tests and fuzz targets have their own.
PLUGIN_MAIN := $(filter perf-plugin/outputs/cmd/main.c,$(PLUGIN_SRC))
UNIT_ALL := $(call sources-of,tests/unit)
UNIT_SRC := $(foreach f,$(UNIT_ALL),$(if $(filter test_%,$(notdir $(f))),$(f)))
# What tests share: those of the library have no part of perf-plugin in them.
UNIT_HELP_SRC := $(filter-out $(UNIT_SRC),$(UNIT_ALL))
GEN_SRC := $(filter-out tests/gen/main.c,$(sort $(wildcard tests/gen/*.c)))
GEN_MAIN := $(wildcard tests/gen/main.c)
QEMU_SRC := $(sort $(wildcard tests/gen/qemu/*.c))
FUZZ_SRC := $(filter-out tests/fuzz/command/%,$(call sources-of,tests/fuzz))
# dlfilter.c is a library for perf, which dlfilter.sh makes
# Programs that are traced (_prog.c) are compiled by their tests, for the machine they are recorded on.
INTEROP_SRC := $(filter-out tests/interop/dlfilter.c tests/interop/%_prog.c,$(sort $(wildcard tests/interop/*.c)))
HEADERS := $(sort $(wildcard include/cstrace/*.h include/cstrace/*.def))
FILES_HEADERS := $(sort $(wildcard include/cstrace/files/*.h))
PERF_HEADERS := $(sort $(wildcard include/cstrace/perf/*.h))
# Texts in the program as C strings, without their first line, which is the licence.
TEXTS := $(sort $(shell find perf-plugin -name '*.css' -o -name '*.js'))
TEXT_INC := $(patsubst perf-plugin/%,$(O)/texts/%.inc,$(TEXTS))
MAN := $(sort $(wildcard perf-plugin/man/*.1))
MAN5 := $(sort $(wildcard perf-plugin/man/*.5))
MAN7 := $(sort $(wildcard perf-plugin/man/*.7))
# Scripts that are commands, there as cstrace-NAME.
COMMANDS := profile-many pgo-example

obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_OBJ := $(call obj,$(filter-out lib/files/%,$(LIB_SRC)))
FILES_OBJ := $(call obj,$(filter lib/files/%,$(LIB_SRC)))
# What libcstrace-files.so has of its own of the library's base, since a library exports no more than its interface.
FILES_BASE := $(call obj,lib/base/digest.c lib/base/sized.c lib/base/text.c)
PLUGIN_OBJ := $(call obj,$(PLUGIN_SRC))
# What libcstrace-perf.so has: all that a recording is decoded and counted with, and no output.
PERF_OBJ := $(call obj,$(filter $(addprefix perf-plugin/,$(addsuffix /%,base perfdata machine session counting)),$(PLUGIN_SRC)))
PLUGIN_REST := $(filter-out $(call obj,$(PLUGIN_MAIN)),$(PLUGIN_OBJ))
GEN_OBJ := $(call obj,$(GEN_SRC))
UNIT_HELP_OBJ := $(call obj,$(UNIT_HELP_SRC))
# The model of a trace unit, without the writers of what perf records, which pack with other libraries.
MODEL_OBJ := $(filter-out %/perfdata_file.o,$(GEN_OBJ))
LIB_TEST_OBJ := $(call obj,$(filter tests/unit/lib/%,$(UNIT_SRC)))
LIB_HELP_OBJ := $(filter-out $(B)/obj/tests/unit/perf-plugin/%,$(UNIT_HELP_OBJ))
PLUGIN_HELP_OBJ := $(filter-out $(B)/obj/tests/unit/lib/%,$(UNIT_HELP_OBJ))

LIB_A := $(B)/libcstrace.a
LIB_SO := $(B)/libcstrace.so.$(SOVERSION)
FILES_A := $(B)/libcstrace-files.a
FILES_SO := $(B)/libcstrace-files.so.$(SOVERSION)
PERF_SO := $(B)/libcstrace-perf.so.$(SOVERSION)
TOOL := $(if $(PLUGIN_MAIN),$(B)/perf-cstrace)
PLUGIN_A := $(B)/libplugin.a
GEN_A := $(B)/tests/libgen.a
MODEL_A := $(B)/tests/libmodel.a
GEN := $(if $(GEN_MAIN),$(B)/tests/gen/cst-gen)
UNIT := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(UNIT_SRC))
QEMU := $(if $(QEMU_SRC),$(B)/tests/gen/qemu/flowlog.so)
INTEROP := $(patsubst tests/interop/%.c,$(B)/tests/interop/%,$(INTEROP_SRC))
# Clients of OpenCSD's interface, with our headers and static library.
OWN := $(patsubst tests/interop/%.c,$(B)/tests/interop/own/%,$(filter tests/interop/ocsd_%,$(INTEROP_SRC)))
# COVERAGE=1: another build of the fuzz targets, for scripts/fuzz-coverage.
FUZZ_DIR := $(O)$(if $(filter-out 0,$(COVERAGE)),/coverage)/fuzz
FUZZ := $(addprefix $(FUZZ_DIR)/,$(notdir $(FUZZ_SRC:.c=)))
OCSD_SRC := $(sort $(wildcard perf-plugin/opencsd/*.c))
OCSD_OBJ := $(call obj,$(OCSD_SRC))
OCSD_SO := $(B)/opencsd/libopencsd_c_api.so.1
OCSD_A := $(B)/opencsd/libopencsd_c_api.a
OCSD_HEADERS := $(sort $(shell find include/opencsd -name '*.h'))
# What a client is built with that names OpenCSD's libraries, in a folder of its own.
OCSD_FILES := $(OCSD_A) $(addprefix $(B)/opencsd/,libopencsd.so libopencsd.a libopencsd.pc)
PC := $(B)/cstrace.pc
FILES_PC := $(B)/cstrace-files.pc
PERF_PC := $(B)/cstrace-perf.pc
CMAKE_FILES := $(B)/cmake/cstraceConfig.cmake $(B)/cmake/cstraceConfigVersion.cmake

# ---- targets that need no configuration --------------------------------------------------------

.PHONY: quick all tests check check-run check-man bench fuzz fuzz-build demo rebase nightly install
.PHONY: uninstall clean help qemu interop deps mutate abi lib install-lib uninstall-lib
.PHONY: install-strip abi-since dist release-check matrix
.PHONY: python install-python uninstall-python

help:
	@sed -n '3,'$$(grep -n '^$$' Makefile | head -n 1 | cut -d: -f1)'s/^# \{0,1\}//p' Makefile
	@echo
	@echo 'demo        injects the shipped sample and shows what the stock tools make of it'
	@echo 'quick       the short round: golden texts, commands, pages, one unit program of each room'
	@echo 'tests       builds the test programs            bench     speed and memory beside the peers (scripts/bench)'
	@echo 'fuzz        every fuzz target for FUZZ_TIME s    fuzz-build only builds them'
	@echo 'rebase      writes the golden texts anew         nightly   the tests with large counts'
	@echo 'check-man   man pages against --list-opts        qemu      plugin that records program flows'
	@echo 'deb rpm     packages in O/deb and O/rpm, checked by lintian and rpmlint; apk writes what abuild needs (scripts/packaging)'
	@echo 'install-sample  the recording of the demo, to $(sampledir)'
	@echo 'mutate      MUTANTS small wrong changes of the code: how many do the tests notice (SEED=N)'
	@echo 'abi         writes the binary interface of the library to tests/data/libcstrace.abi'
	@echo 'abi-since   what it has since the version before, or since SINCE=REV'
	@echo 'dist        the tarball of the commit and its checksums, in O; signed with DIST_KEY=ID or git'"'"'s user.signingkey'
	@echo 'matrix      builds and tests with all compilers that are installed (scripts/matrix)'
	@echo 'release-check  what must hold for a release, a line each (scripts/release-check)'
	@echo 'python      wheel of the Python package in O/python; PYTHON_LIBS=1: with the libraries inside'
	@echo 'install install-strip uninstall install-lib uninstall-lib install-python uninstall-python clean'

clean:
	$(Q)rm -rf $(O)

# These two may start on a machine with nothing installed, so they first install and only then let
# a second make look for compilers and libraries.
jobs = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 1))

check demo bench nightly:
	$(Q)scripts/install-deps build $(if $(filter demo nightly,$@),$@,test)
	+$(Q)$(MAKE) $(jobs) -Otarget --no-print-directory $@-run

# ---- configuration: where the libraries of perf-plugin are -------------------------------------

UNCONFIGURED := help clean check demo bench nightly lib install-lib uninstall-lib uninstall deb rpm apk install-sample uninstall-sample \
	uninstall-python $(if $(PYTHON_LIBS),,python install-python) \
	%/libcstrace.a %/libcstrace.so.$(SOVERSION) %/cstrace.pc \
	%/libcstrace-files.a %/libcstrace-files.so.$(SOVERSION) %/cstrace-files.pc $(O)/tests/unit/lib/% dist release-check matrix
ifneq ($(filter-out $(UNCONFIGURED),$(or $(MAKECMDGOALS),all)),)
include $(O)/config.mk
endif

$(O)/config.mk: scripts/config scripts/perf-headers $(O)/config.flags
	$(Q)env $(CONFIG_ENV) scripts/config $(O) $@

$(O)/config.flags: FORCE
	$(call keep-values,$(PARTS_NOW))

$(FLAGS): FORCE
	$(call keep-values,$(FLAGS_NOW))

.PHONY: FORCE
FORCE:

LIB_CFLAGS := $(STD) $(WARN) $(MAP) $(SAN) $(HARD_LIB_CFLAGS) -fPIC -fvisibility=hidden -fno-semantic-interposition \
	-Iinclude -Ilib
# perf.data files have 64-bit offsets, also on hosts of 32 bits
GNU := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
TOOL_CFLAGS = $(STD) $(WARN) $(MAP) $(SAN) $(HARD_CFLAGS) $(GNU) -Iinclude -Iperf-plugin -I$(O)/texts $(DEP_CFLAGS)
TEST_CFLAGS = $(STD) $(WARN) $(MAP) $(SAN) $(HARD_CFLAGS) $(GNU) -Iinclude -Ilib -Iperf-plugin -Itests -Itests/gen

all: lib $(TOOL) $(PERF_SO) $(PERF_PC) $(OCSD_SO) $(if $(SAN),,$(OCSD_FILES))

# ---- library: a C compiler and binutils make it ----------------------------------------------

lib: $(LIB_A) $(LIB_SO) $(PC) $(FILES_A) $(FILES_SO) $(FILES_PC) $(CMAKE_FILES)

$(B)/obj/lib/%.o: lib/%.c $(FLAGS)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LIB_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(LIB_A): $(LIB_OBJ)
$(FILES_A): $(FILES_OBJ)
$(LIB_A) $(FILES_A):
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcsD $@ $^

# A shared library: its map, its headers, its objects, and what else it is linked with.
link-lib = $(CC) $(SAN) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(1) $(if $(SAN),,-Wl,-z,defs) \
	$(HARD_LDFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(3) $(4) && ln -sf $(@F) $(@:%.$(SOVERSION)=%) \
	$(if $(SAN),,&& scripts/check-symbols $@ $(1) "$(2)" $(3))

$(LIB_SO): $(LIB_OBJ) scripts/libcstrace.map scripts/check-symbols $(HEADERS)
	$(call say,LINK,$@)
	$(Q)$(call link-lib,scripts/libcstrace.map,$(HEADERS),$(LIB_OBJ))

$(FILES_SO): $(FILES_OBJ) $(LIB_SO) scripts/libcstrace-files.map scripts/check-symbols $(FILES_HEADERS)
	$(call say,LINK,$@)
	$(Q)$(call link-lib,scripts/libcstrace-files.map,$(FILES_HEADERS),$(FILES_OBJ) $(FILES_BASE),$(LIB_SO))

# They name the folders of this call of make, which need not be those of the last one. A program that is linked with
# libcstrace.a needs nothing more.
pc = $(Q)mkdir -p $(@D) && printf '%s\n' 'prefix=$(prefix)' 'exec_prefix=$(exec_prefix)' 'libdir=$(libdir)' \
	'includedir=$(includedir)' '' 'Name: $(1)' 'Description: $(2)' $(if $(URL),'URL: $(URL)') 'Version: $(VERSION)' \
	$(4) 'Libs: -L$${libdir} -l$(1)' 'Libs.private:$(3)' 'Cflags: -I$${includedir}' > $@

$(PC): FORCE
	$(call pc,cstrace,decoder of Arm CoreSight trace)

$(FILES_PC): FORCE
	$(call pc,cstrace-files,files around Arm CoreSight trace,,'Requires: cstrace')

$(CMAKE_FILES): $(B)/cmake/%: scripts/cmake/%.in FORCE
	$(Q)mkdir -p $(@D) && sed -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' -e 's|@version@|$(VERSION)|' \
		-e 's|@major@|$(SOVERSION)|' $< >$@

abi: $(LIB_SO) $(FILES_SO) $(PERF_SO)
	$(Q)scripts/abi write $(LIB_SO)
	$(Q)scripts/abi write $(FILES_SO)
	$(Q)scripts/abi write $(PERF_SO)

abi-since: $(LIB_SO) $(FILES_SO) $(PERF_SO)
	$(Q)scripts/abi since $(B) $(SINCE)

# ---- perf-cstrace ------------------------------------------------------------------------------

$(TEXT_INC): $(O)/texts/%.inc: perf-plugin/%
	$(Q)mkdir -p $(@D) && sed -e 1d -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' $< >$@

# Where Debian has libraries, the drop-in among them: the name of a folder in lib/, as the compiler has it.
$(B)/obj/perf-plugin/outputs/cmd/live.o: override CPPFLAGS += $(patsubst %,-DMULTIARCH='"%/"',$(shell $(CC) -print-multiarch 2>/dev/null))

$(PLUGIN_OBJ): | $(TEXT_INC)
$(B)/obj/perf-plugin/%.o: perf-plugin/%.c $(FLAGS) $(O)/config.mk
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TOOL_CFLAGS) -fPIC -fvisibility=hidden -fno-semantic-interposition $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<

# For a compiler to whose C library there are no libraries to link with.
.PHONY: objects
objects: $(PLUGIN_OBJ)

$(PLUGIN_A): $(PLUGIN_REST)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcsD $@ $^

$(B)/perf-cstrace: $(PLUGIN_OBJ) $(FILES_A) $(LIB_A)
	$(call say,LINK,$@)
	$(Q)$(CC) $(SAN) -pie $(HARD_LDFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(PLUGIN_OBJ) $(FILES_A) $(LIB_A) $(DEP_LIBS) $(SQLITE_LIBS) -lpthread -ldl

$(PERF_SO): $(PERF_OBJ) $(FILES_SO) $(LIB_SO) scripts/libcstrace-perf.map scripts/check-symbols $(PERF_HEADERS)
	$(call say,LINK,$@)
	$(Q)$(call link-lib,scripts/libcstrace-perf.map,$(PERF_HEADERS),,$(PERF_OBJ) $(FILES_SO) $(LIB_SO) $(DEP_LIBS) -lpthread -ldl)

$(PERF_PC): FORCE
	$(call pc,cstrace-perf,recordings of perf with Arm CoreSight trace,,'Requires: cstrace cstrace-files')

# ---- the interface of OpenCSD ------------------------------------------------------------------

$(OCSD_OBJ): $(B)/obj/%.o: %.c $(FLAGS) $(O)/config.mk
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(MAP) $(SAN) $(HARD_CFLAGS) -fPIC -fvisibility=hidden $(GNU) -Iinclude \
		$(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(OCSD_SO): $(OCSD_OBJ) $(LIB_A) scripts/libopencsd_c_api.map scripts/check-opencsd
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SAN) -shared -Wl,-soname,$(@F) -Wl,--version-script=scripts/libopencsd_c_api.map \
		$(if $(SAN),,-Wl,-z,defs) $(HARD_LDFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(OCSD_OBJ) $(LIB_A)
	$(Q)ln -sf $(@F) $(@:%.1=%)
	$(if $(SAN),,$(Q)scripts/check-opencsd $@)

# One object, with the library in it, that defines the functions of the interface and no other name.
$(OCSD_A): $(OCSD_OBJ) $(LIB_OBJ) scripts/libopencsd_c_api.map scripts/check-opencsd
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && grep -o 'ocsd_[a-z_0-9]*' scripts/libopencsd_c_api.map >$(@:%.a=%.names)
	$(Q)$(CC) $(CFLAGS) $(if $(findstring -flto,$(CFLAGS)),-flinker-output=nolto-rel) -nostdlib -r -o $(@:%.a=%.o) \
		$(filter %.o,$^)
	$(Q)$(OBJCOPY) --keep-global-symbols=$(@:%.a=%.names) $(@:%.a=%.o) && $(AR) rcsD $@ $(@:%.a=%.o)
	$(Q)scripts/check-opencsd $@

# Clients name OpenCSD's C++ library as well, of which the C interface needs nothing here. A shared one would stand before
# OpenCSD's own in LD_LIBRARY_PATH, for programs in C++ too: this is a script of the linker.
$(B)/opencsd/libopencsd.so: Makefile
	$(Q)mkdir -p $(@D) && echo 'INPUT(-lopencsd_c_api)' >$@

$(B)/opencsd/libopencsd.a: Makefile
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcsD $@

# A program finds at run time what it was linked with, and not an older libopencsd_c_api of the system.
$(B)/opencsd/libopencsd.pc: FORCE
	$(Q)mkdir -p $(@D) && printf '%s\n' 'prefix=$(prefix)' 'exec_prefix=$(exec_prefix)' 'libdir=$(libdir)/cstrace' \
		'includedir=$(includedir)/cstrace-opencsd' '' 'Name: libopencsd' \
		'Description: C interface of OpenCSD, implemented by cstrace' $(if $(URL),'URL: $(URL)') \
		"Version: $$(sed -n 's/^#define OCSD_VER_STRING "\(.*\)"/\1/p' include/opencsd/ocsd_if_version.h)" \
		'Libs: -L$${libdir} -Wl,-rpath,$${libdir} -lopencsd_c_api' 'Cflags: -I$${includedir}' >$@

# ---- tests -------------------------------------------------------------------------------------

$(B)/obj/tests/%.o: tests/%.c $(FLAGS) $(O)/config.mk
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) $(DEP_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<

# Tests of the library and the model that they encode trace with need a C compiler and cmocka alone.
$(LIB_TEST_OBJ) $(LIB_HELP_OBJ) $(MODEL_OBJ): $(B)/obj/tests/%.o: tests/%.c $(FLAGS)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TEST_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(GEN_A): $(GEN_OBJ)
$(MODEL_A): $(MODEL_OBJ)
$(GEN_A) $(MODEL_A):
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcsD $@ $^

$(B)/tests/gen/cst-gen: $(B)/obj/tests/gen/main.o $(GEN_A) $(FILES_A) $(LIB_A)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ZSTD_LIBS) -lm

# The folder of a test says what it is linked with.
LIB_UNIT := $(filter $(B)/tests/unit/lib/%,$(UNIT))
OCSD_UNIT := $(filter $(B)/tests/unit/perf-plugin/opencsd/%,$(UNIT))
PLUGIN_UNIT := $(filter-out $(LIB_UNIT) $(OCSD_UNIT),$(UNIT))

# WRAPS: calls that a test program makes otherwise; LDFLAGS may come from the command line, which target-specific values yield to.
link-test = $(CC) $(SAN) $(CFLAGS) $(LDFLAGS) $(WRAPS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
	$(or $(CMOCKA_LIBS),-lcmocka) $(1) -lm

# Allocations fail on demand (tests/fault/wrap_alloc.h).
WRAP_ALLOC := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=strdup,--wrap=strndup
$(addprefix $(B)/tests/unit/,lib/decoder/test_alloc perf-plugin/opencsd/test_refused): \
	WRAPS += $(WRAP_ALLOC)
$(B)/tests/unit/perf-plugin/opencsd/test_refused: WRAPS += -Wl,--wrap=cst_image_new
$(B)/tests/unit/perf-plugin/outputs/disasm/test_disasm: WRAPS += -Wl,--wrap=dlsym
# System calls do.
$(B)/tests/unit/perf-plugin/base/files/test_refused: WRAPS += -Wl,--wrap=write,--wrap=pwrite64,--wrap=read,--wrap=linkat,--wrap=guard_exchange \
	-Wl,--wrap=rename,--wrap=mkdir,--wrap=fchown,--wrap=chmod,--wrap=close,--wrap=open64,--wrap=stat64,--wrap=readlink
# Threads do not start.
$(B)/tests/unit/perf-plugin/session/decode/test_jobs: WRAPS += -Wl,--wrap=thread_start
$(B)/tests/unit/perf-plugin/session/decode/test_progress: WRAPS += -Wl,--wrap=pthread_cond_timedwait
# What a file holds is the test's choice, and whether decoding fails.
$(B)/tests/unit/perf-plugin/outputs/info/test_text: WRAPS += -Wl,--wrap=dso_facts,--wrap=session_run
# Source lines are made by hand.
$(B)/tests/unit/perf-plugin/outputs/report/test_sources $(B)/tests/unit/perf-plugin/outputs/report/test_pages $(B)/tests/unit/perf-plugin/outputs/report/test_whole \
$(B)/tests/unit/perf-plugin/outputs/profile/test_coverage: WRAPS += \
	-Wl,--wrap=places_source,--wrap=places_at,--wrap=source_each_row,--wrap=source_each_function \
	-Wl,--wrap=source_each_mapping,--wrap=disasm_new
$(B)/tests/unit/perf-plugin/outputs/difference/test_chains: WRAPS += -Wl,--wrap=source_each_inlined
# Code and its names are made by hand.
$(B)/tests/unit/perf-plugin/counting/calls/test_places: WRAPS += -Wl,--wrap=session_locate,--wrap=session_symbol \
	-Wl,--wrap=session_section_dso,--wrap=dso_function,--wrap=dso_begins_program
$(B)/tests/unit/perf-plugin/outputs/listing/test_code: WRAPS += -Wl,--wrap=session_read_any,--wrap=session_locate_any,--wrap=session_symbol
# Elements are made by hand.
$(B)/tests/unit/perf-plugin/counting/counts/test_counts: WRAPS += -Wl,--wrap=session_run \
	-Wl,--wrap=session_section_dso,--wrap=session_locate,--wrap=session_take_counts,--wrap=session_exits,--wrap=session_dsos,--wrap=session_same_dso
$(B)/tests/unit/perf-plugin/outputs/executed/test_executed: WRAPS += -Wl,--wrap=session_run,--wrap=session_read_code,--wrap=session_decoded
$(B)/tests/unit/perf-plugin/outputs/compare/test_sides: WRAPS += -Wl,--wrap=insns_begin,--wrap=insns_next,--wrap=session_run \
	-Wl,--wrap=session_open,--wrap=session_close,--wrap=session_incomplete,--wrap=session_lossy \
	-Wl,--wrap=session_matched,--wrap=thread_start,--wrap=pread64
$(B)/tests/unit/perf-plugin/outputs/export/test_code: WRAPS += -Wl,--wrap=session_locate,--wrap=session_read_code
# What was counted is made by hand.
$(B)/tests/unit/perf-plugin/counting/counts/test_collect: WRAPS += -Wl,--wrap=counts_run,--wrap=counts_binaries,--wrap=session_dsos \
	-Wl,--wrap=session_totals,--wrap=session_losses,--wrap=session_share,--wrap=session_filtered,--wrap=session_name \
	-Wl,--wrap=session_matched,--wrap=session_lossy,--wrap=session_decoded,--wrap=session_print_end \
	-Wl,--wrap=counts_calls,--wrap=calls_totals,--wrap=calls_finish,--wrap=calls_next

$(LIB_UNIT): $(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(LIB_HELP_OBJ) $(MODEL_A) $(FILES_A) $(LIB_A)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call link-test) -lpthread

$(PLUGIN_UNIT): $(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(PLUGIN_HELP_OBJ) $(PLUGIN_A) $(GEN_A) \
		$(FILES_A) $(LIB_A)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call link-test,$(DEP_LIBS) $(SQLITE_LIBS)) -lpthread

$(OCSD_UNIT): $(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(PLUGIN_HELP_OBJ) $(OCSD_OBJ) $(GEN_A) $(FILES_A) $(LIB_A)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call link-test,$(ZSTD_LIBS)) -lpthread

$(B)/tests/gen/qemu/flowlog.so: $(QEMU_SRC) $(wildcard tests/gen/qemu/*.h) tests/gen/flow.h $(FLAGS)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(MAP) -D_GNU_SOURCE -fPIC -shared -fvisibility=hidden $(CFLAGS) -Itests/gen \
		-o $@ $(QEMU_SRC) -ldl

qemu: $(QEMU)

# Calls of the C library that fail on demand, before any program or inside the sanitized one, and a fast clock.
$(O)/tests/fault/%.so: tests/fault/%.c tests/fault/fault.h $(FLAGS)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(MAP) -D_GNU_SOURCE -fPIC -shared $(CFLAGS) -Itests -o $@ $< -ldl

$(O)/asan/tests/fault/perf-cstrace: $(B)/obj/tests/fault/wrap.o $(PLUGIN_OBJ) $(FILES_A) $(LIB_A)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) $(WRAP_ALLOC) -Wl,--wrap=asprintf -o $@ $^ $(DEP_LIBS) $(SQLITE_LIBS) -lpthread -ldl

FAULT := $(if $(SAN),$(O)/asan/tests/fault/perf-cstrace,$(O)/tests/fault/refuse.so $(O)/tests/fault/clock.so \
	$(O)/tests/fault/watch.so)

$(B)/tests/interop/%: tests/interop/%.c $(GEN_A) $(O)/libcstrace-files.a $(O)/libcstrace.a $(FLAGS)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(MAP) -D_GNU_SOURCE $(CFLAGS) $(DEPFLAGS) $(OPENCSD_CFLAGS) -Iinclude -Itests/gen \
		-o $@ $< $(GEN_A) $(O)/libcstrace-files.a $(O)/libcstrace.a $(OPENCSD_LIBS) -ldl

$(B)/tests/interop/own/%: tests/interop/%.c $(GEN_A) $(O)/libcstrace-files.a $(O)/libcstrace.a $(OCSD_A) $(FLAGS)
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(WARN) $(MAP) -D_GNU_SOURCE $(CFLAGS) $(DEPFLAGS) -Iinclude -Itests/gen \
		-o $@ $< $(filter %.a,$^) $(ZSTD_LIBS) -ldl

interop: $(if $(OPENCSD_LIBS),$(INTEROP)) $(OWN)

tests: $(UNIT) $(GEN) $(FAULT) $(if $(SAN),,interop qemu)

# ---- fuzzing: clang, its own objects, perf-plugin in every target that asks for it by name ------

ifneq ($(filter-out 0,$(COVERAGE)),)
FUZZ_FLAGS := $(STD) -O1 -g -fprofile-instr-generate -fcoverage-mapping
else
FUZZ_FLAGS := $(STD) -Werror=implicit-function-declaration -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer $(SMALL_CACHE)
endif
FOBJ := $(FUZZ_DIR)/obj
FUZZ_NOW := $(call values,CLANG FUZZ_FLAGS)
$(FUZZ_DIR)/flags: FORCE
	$(call keep-values,$(FUZZ_NOW))
FUZZ_LIB_OBJ := $(patsubst %.c,$(FOBJ)/%.o,$(LIB_SRC))
FUZZ_PLUGIN_OBJ := $(patsubst %.c,$(FOBJ)/%.o,$(filter-out $(PLUGIN_MAIN),$(PLUGIN_SRC)))
FUZZ_OCSD_OBJ := $(patsubst %.c,$(FOBJ)/%.o,$(OCSD_SRC))
FUZZ_COMMAND_OBJ := $(patsubst %.c,$(FOBJ)/%.o,$(sort $(wildcard tests/fuzz/command/*.c)))
FUZZ_GEN_OBJ := $(patsubst %.c,$(FOBJ)/%.o,$(GEN_SRC))
fuzz-of = $(addprefix $(FUZZ_DIR)/,$(notdir $(patsubst %.c,%,$(wildcard tests/fuzz/$(1)/fuzz_*.c))))
LIB_FUZZ := $(call fuzz-of,lib)
PLUGIN_FUZZ := $(call fuzz-of,perf-plugin)
OCSD_FUZZ := $(call fuzz-of,perf-plugin/opencsd)

$(FUZZ_OCSD_OBJ): FUZZ_FLAGS += -DOCSD_CACHE_LIMIT=0x100000

$(FOBJ)/%.o: %.c $(FUZZ_DIR)/flags $(O)/config.mk | $(TEXT_INC)
	$(call say,FUZZ-CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link $(GNU) \
		-Iinclude -Ilib -Iperf-plugin -I$(O)/texts -Itests -Itests/gen \
		$(DEP_CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(FUZZ_DIR)/libcstrace.a: $(FUZZ_LIB_OBJ)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcsD $@ $^
$(FUZZ_DIR)/libplugin.a: $(FUZZ_PLUGIN_OBJ)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcsD $@ $^
$(FUZZ_DIR)/libgen.a: $(FUZZ_GEN_OBJ)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcsD $@ $^

$(LIB_FUZZ): $(FUZZ_DIR)/%: $(FOBJ)/tests/fuzz/lib/%.o $(FUZZ_DIR)/libgen.a $(FUZZ_DIR)/libcstrace.a
	$(call say,FUZZ-LD,$@)
	$(Q)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(ZSTD_LIBS) -lm -lpthread

$(PLUGIN_FUZZ): $(FUZZ_DIR)/%: $(FOBJ)/tests/fuzz/perf-plugin/%.o $(FUZZ_DIR)/libplugin.a $(FUZZ_DIR)/libgen.a \
		$(FUZZ_DIR)/libcstrace.a
	$(call say,FUZZ-LD,$@)
	$(Q)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) $(DEP_LIBS) $(SQLITE_LIBS) -lm -lpthread

$(FUZZ_DIR)/fuzz_command: $(FUZZ_COMMAND_OBJ)

$(OCSD_FUZZ): $(FUZZ_DIR)/%: $(FOBJ)/tests/fuzz/perf-plugin/opencsd/%.o $(FUZZ_OCSD_OBJ) $(FUZZ_DIR)/libcstrace.a
	$(call say,FUZZ-LD,$@)
	$(Q)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^

fuzz-build: $(FUZZ)

fuzz: fuzz-build
	+$(Q)scripts/fuzz $(O) $(FUZZ_TIME) $(notdir $(FUZZ))

# ---- running -----------------------------------------------------------------------------------

have_clang := $(shell command -v $(CLANG) 2>/dev/null)

# With ONLY what these tests need, else everything.
check-run: $(if $(ONLY),,all tests $(if $(have_clang),fuzz-build))
	+$(Q)$(if $(ONLY),$(call make-needs,$(O) $(ONLY)),$(MAKE) --no-print-directory SANITIZE=1 all tests)
	+$(Q)scripts/check $(O) $(ONLY)

# Makes the programs of tests, and then the sanitized ones; without clang no fuzz targets.
make-needs = scripts/check --needs $(1) | { read -r plain; read -r asan; \
	plain=$$(printf '%s\n' $$plain $(if $(have_clang),,| grep -v /fuzz/) | tr '\n' ' '); \
	{ [ -z "$$plain" ] || $(MAKE) --no-print-directory $$plain; } && \
	{ [ -z "$$asan" ] || $(MAKE) --no-print-directory SANITIZE=1 $$asan; }; }

# The short round: golden texts, commands, pages and one unit program of each room; half a minute on a tree that is built.
quick: all
	+$(Q)$(call make-needs,--quick $(O))
	+$(Q)scripts/check --quick $(O)

nightly-run: all tests $(if $(have_clang),fuzz-build)
	+$(Q)$(MAKE) --no-print-directory SANITIZE=1 all tests
	+$(Q)$(MAKE) --no-print-directory SANITIZE=thread all
	+$(Q)CSTRACE_NIGHTLY=1 scripts/check --nightly $(O)

demo-run: all
	+$(Q)scripts/demo $(O)

mutate: all
	$(Q)scripts/mutate $(if $(SEED),--seed $(SEED)) --count $(MUTANTS) $(O)

bench-run: all interop qemu $(GEN)
	+$(Q)scripts/bench $(O)

# ---- packages ----------------------------------------------------------------------------------

.PHONY: deb rpm apk install-sample uninstall-sample
deb rpm apk:
	$(Q)URL=$(call quoted,$(URL)) scripts/packaging/packages $@ $(O)

# A recording with the program that ran: perf.data and symfs.
sampledir ?= $(pkgdatadir)/sample
install-sample:
	$(INSTALL) -d $(call into,$(sampledir)/symfs/opt/cstrace-sample)
	$(INSTALL_DATA) tests/data/sample.perf.data $(call into,$(sampledir)/perf.data)
	$(INSTALL_DATA) tests/data/symfs/opt/cstrace-sample/sample.a64 $(call into,$(sampledir)/symfs/opt/cstrace-sample)

uninstall: uninstall-sample
uninstall-sample:
	rm -rf $(call into,$(sampledir))
	rmdir $(call into,$(patsubst %/,%,$(dir $(sampledir)))) 2>/dev/null || :

rebase: all tests
	$(Q)scripts/rebase $(O)

check-man: all
	$(Q)scripts/check-man $(O)/perf-cstrace perf-plugin/man/perf-cstrace.1

deps:
	$(Q)scripts/install-deps build nightly

# ---- releases ----------------------------------------------------------------------------------

dist:
	$(Q)scripts/dist $(if $(DIST_KEY),--key $(DIST_KEY)) $(O)

release-check:
	+$(Q)scripts/release-check $(O)

matrix:
	+$(Q)scripts/matrix $(O) $(ROWS)

# ---- installation ------------------------------------------------------------------------------

# The library's files and folders; those of perf-cstrace come on top. into: a name below DESTDIR, quoted.
into = '$(DESTDIR)$(1)'
install-lib: lib
	$(INSTALL) -d $(call into,$(libdir)) $(call into,$(pkgconfigdir)) $(call into,$(includedir)/cstrace/files)
	$(INSTALL_DATA) $(LIB_A) $(FILES_A) $(call into,$(libdir))
	$(INSTALL_PROGRAM) $(STRIP_SO) $(LIB_SO) $(FILES_SO) $(call into,$(libdir))
	ln -sf libcstrace.so.$(SOVERSION) $(call into,$(libdir)/libcstrace.so)
	ln -sf libcstrace-files.so.$(SOVERSION) $(call into,$(libdir)/libcstrace-files.so)
	$(INSTALL_DATA) $(HEADERS) $(call into,$(includedir)/cstrace)
	$(INSTALL_DATA) $(FILES_HEADERS) $(call into,$(includedir)/cstrace/files)
	$(INSTALL_DATA) $(PC) $(FILES_PC) $(call into,$(pkgconfigdir))
	$(INSTALL) -d $(call into,$(cmakedir))
	$(INSTALL_DATA) $(CMAKE_FILES) $(call into,$(cmakedir))

DOCS := README.md CHANGELOG.md Kconfig-notes.md LICENSE
LICENCES := $(sort $(wildcard LICENSES/*.txt))

install: all install-lib
	$(INSTALL) -d $(call into,$(bindir)) $(call into,$(man1dir)) $(call into,$(man5dir)) $(call into,$(man7dir)) \
		$(call into,$(includedir)/cstrace/perf) $(call into,$(docdir)/LICENSES) $(call into,$(pkgdatadir)) \
		$(call into,$(completiondir)) $(call into,$(zshdir)) $(call into,$(fishdir))
	$(if $(TOOL),$(INSTALL_PROGRAM) $(STRIP_SO) $(TOOL) $(call into,$(bindir)))
	$(INSTALL_PROGRAM) $(STRIP_SO) $(PERF_SO) $(call into,$(libdir))
	ln -sf $(notdir $(PERF_SO)) $(call into,$(libdir)/libcstrace-perf.so)
	$(INSTALL_DATA) $(PERF_HEADERS) $(call into,$(includedir)/cstrace/perf)
	$(INSTALL_DATA) $(PERF_PC) $(call into,$(pkgconfigdir))
	$(INSTALL) -d $(call into,$(libdir)/cstrace/pkgconfig)
	$(INSTALL_PROGRAM) $(STRIP_SO) $(OCSD_SO) $(call into,$(libdir)/cstrace)
	ln -sf $(notdir $(OCSD_SO)) $(call into,$(libdir)/cstrace/libopencsd_c_api.so)
	$(INSTALL_DATA) $(filter-out %.pc,$(OCSD_FILES)) $(call into,$(libdir)/cstrace)
	$(INSTALL_DATA) $(filter %.pc,$(OCSD_FILES)) $(call into,$(libdir)/cstrace/pkgconfig)
	for h in $(OCSD_HEADERS:include/%=%); do \
		$(INSTALL_DATA) -D include/$$h $(call into,$(includedir)/cstrace-opencsd)/$$h || exit 1; done
	$(if $(MAN),$(INSTALL_DATA) $(MAN) $(call into,$(man1dir)))
	$(if $(MAN5),$(INSTALL_DATA) $(MAN5) $(call into,$(man5dir)))
	$(if $(MAN7),$(INSTALL_DATA) $(MAN7) $(call into,$(man7dir)))
	$(foreach c,$(COMMANDS),$(INSTALL) scripts/$(c) $(call into,$(bindir)/cstrace-$(c)) &&) :
	$(INSTALL_DATA) tests/examples/pgo.c $(call into,$(pkgdatadir))
	$(INSTALL) scripts/collect-target $(call into,$(pkgdatadir))
	$(INSTALL_DATA) perf-plugin/completion/perf-cstrace $(call into,$(completiondir))
	$(INSTALL_DATA) perf-plugin/completion/_perf-cstrace $(call into,$(zshdir))
	$(INSTALL_DATA) perf-plugin/completion/perf-cstrace.fish $(call into,$(fishdir))
	$(INSTALL_DATA) $(DOCS) $(call into,$(docdir))
	$(INSTALL_DATA) $(LICENCES) $(call into,$(docdir)/LICENSES)

# Archives keep their symbols, which programs are linked by.
install-strip:
	+$(Q)$(MAKE) --no-print-directory install STRIP_SO='-s --strip-program=$(STRIP)'

# Folders of the project's own name go with it, those of others only if they are empty.
uninstall-lib:
	rm -f $(foreach l,libcstrace libcstrace-files,$(foreach e,a so so.$(SOVERSION),$(call into,$(libdir)/$(l).$(e)))) \
		$(foreach f,$(notdir $(PC) $(FILES_PC)),$(call into,$(pkgconfigdir)/$(f)))
	rm -rf $(call into,$(includedir)/cstrace) $(call into,$(cmakedir))

uninstall: uninstall-lib
	rm -f $(foreach f,$(notdir $(PERF_SO)) libcstrace-perf.so,$(call into,$(libdir)/$(f))) \
		$(call into,$(pkgconfigdir)/$(notdir $(PERF_PC))) $(call into,$(bindir)/perf-cstrace) \
		$(foreach f,$(notdir $(MAN)),$(call into,$(man1dir)/$(f))) $(foreach f,$(notdir $(MAN5)),$(call into,$(man5dir)/$(f))) \
		$(foreach f,$(notdir $(MAN7)),$(call into,$(man7dir)/$(f))) $(foreach c,$(COMMANDS),$(call into,$(bindir)/cstrace-$(c))) \
		$(call into,$(completiondir)/perf-cstrace) $(call into,$(zshdir)/_perf-cstrace) $(call into,$(fishdir)/perf-cstrace.fish) \
		$(foreach f,pgo.c collect-target,$(call into,$(pkgdatadir)/$(f))) $(foreach f,$(DOCS) $(LICENCES),$(call into,$(docdir)/$(f)))
	rm -rf $(call into,$(libdir)/cstrace) $(call into,$(includedir)/cstrace-opencsd)
	rmdir $(call into,$(docdir)/LICENSES) $(call into,$(docdir)) $(call into,$(pkgdatadir)) 2>/dev/null || :

# Python's package. Its wheel has no library inside, which is the system's then, unless PYTHON_LIBS=1 asks for them.
WHEEL_OF := $(O)/python
python: $(if $(PYTHON_LIBS),$(LIB_SO) $(FILES_SO) $(PERF_SO))
	$(call say,WHEEL,$(WHEEL_OF))
	$(Q)rm -rf $(WHEEL_OF) && mkdir -p $(WHEEL_OF)/src/cstrace && cp lib/bindings/python/pyproject.toml $(WHEEL_OF)/src
	$(Q)cp lib/bindings/python/cstrace/*.py lib/bindings/python/cstrace/py.typed $(WHEEL_OF)/src/cstrace
	$(if $(PYTHON_LIBS),$(Q)mkdir $(WHEEL_OF)/src/cstrace/lib && cp $^ $(WHEEL_OF)/src/cstrace/lib && \
		printf '[bdist_wheel]\nplat_name = linux_%s\n' $(firstword $(subst -, ,$(shell $(CC) -dumpmachine))) >$(WHEEL_OF)/src/setup.cfg)
	$(Q)cd $(WHEEL_OF)/src && $(PYTHON) -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps --no-index -w .. .

# A wheel of Python files is installed when it is unpacked.
install-python: python
	$(INSTALL) -d $(call into,$(pythondir))
	umask 022 && $(PYTHON) -m zipfile -e $(WHEEL_OF)/*.whl $(call into,$(pythondir))

uninstall-python:
	rm -rf $(call into,$(pythondir)/cstrace) $(call into,$(pythondir))/cstrace-*.dist-info

-include $(shell find $(B)/obj $(B)/tests $(FUZZ_DIR)/obj -name '*.d' 2>/dev/null)
