# SPDX-License-Identifier: MIT
#
#   make            build/assay, the programs beside it and build/libassay-runner.so
#   make run        installs what is missing, builds, judges exemplars on this CPU, and on a GPU if any
#   make test       installs what is missing, builds, runs what needs no GPU, but test-slow
#   make test-slow  what tests leave out while nothing changed that it is about
#   make test-suites  the problems of levels 1-3 against PyTorch and the published facts; admission
#   make test-gpu   what needs an NVIDIA GPU; skipped, and said so, where there is none. LIMIT=S: as much as is
#                   begun within S seconds, the next call goes on there; WHOLE=1: PyTorch answers all problems
#   make bench      the benchmarks of bench/, as tables
#   make dist       build/dist: a tree that runs on any x86-64 Linux with glibc >= 2.36
#   make install    installs under PREFIX (/usr/local); DESTDIR=DIR puts DIR before it. Also: install-strip, uninstall
#   make package    build/package: a release tarball and a .deb
#   make fmt        clang-format over the tree
#   make SAN=1 ...  the same under AddressSanitizer and UBSan, in build-san/
#   make CC=clang BUILD=build-clang WERROR=1
#   make OPT=-O0 TESTOPT=-O0 DEBUG= ...  for warnings alone, in half the time
#   make V=1 ...    with the whole command lines

CC      = gcc
CXX     = $(if $(findstring clang,$(CC)),clang++,g++)
BUILD   = build$(if $(SAN),-san)
LUA_INC = $(shell pkg-config --cflags lua5.4 2>/dev/null)

WARN    = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
          -Wwrite-strings -Wundef $(if $(WERROR),-Werror) \
          $(if $(findstring clang,$(CC)),,-Wno-format-truncation) # cutting a long text short is meant
SANFLAG = $(if $(SAN),-fsanitize=address$(COMMA)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer) \
          $(if $(FUZZFLAGS),-fsanitize=fuzzer-no-link) # what a fuzzer is to find its way in
COMMA   = ,
# Sanitizers double what a compiler does. Their reports need lines, not variables.
OPT     = $(if $(SAN),-O1,-O2)
DEBUG   = $(if $(SAN),-g1,-g)
# No contracted multiply-adds: the honest run and the inputs are the same bits on every machine.
CFLAGS  = -std=gnu17 $(DEBUG) $(OPT) -ffp-contract=off -fopenmp $(WARN) $(SANFLAG)
CPPFLAGS = -D_GNU_SOURCE -Isrc -Iinclude $(LUA_INC)
# The loops over whole tensors are worth more effort. Peaks must be those of this machine in every build.
PEAKS   = $(BUILD)/obj/src/hardware/calibrate_cpu.o
HOT     = $(if $(filter -O0,$(OPT)),,$(BUILD)/obj/src/ops/%.o $(BUILD)/obj/src/tensor/%.o)
HOTFLAGS = $(if $(SAN),-O2,-O3) -fno-math-errno -fno-trapping-math

# Static where Debian has an archive: one binary that runs on a bare machine.
LIBS_RUNNER = -l:libseccomp.a -lm -ldl
# In a dist tree the few shared libraries lie beside the program.
RPATH   = -Wl,-rpath,'$$ORIGIN/../lib'
LIBS    = -l:liblua5.4.a -l:libjansson.a -l:libsqlite3.a -l:libsodium.a -l:libyaml.a -l:libz.a $(LIBS_RUNNER)

RUNNER_DIRS = base tensor device sandbox wire
JUDGE_DIRS  = problem hardware ops gpu terms content process measure build judge store results run report
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(sort $(foreach d,$(1),$(wildcard src/$(d)/*.c src/$(d)/*/*.c))))

FOR_JUDGE  = %_for_judge.o
RUNNER_LIB = $(BUILD)/librunner.a
JUDGE_LIB  = $(BUILD)/libjudge.a
CMD_LIB    = $(BUILD)/libcmd.a
# build/unit/test_x of tests/unit/test_x.c, build/integration/test_x of tests/integration/test_x.c
TESTS      = $(patsubst tests/%.c,$(BUILD)/%,$(wildcard tests/unit/test_*.c tests/integration/test_*.c))
GPU_TESTS  = $(patsubst tests/gpu/%.c,$(BUILD)/gpu/%,$(wildcard tests/gpu/test_*.c))
# What a GPU test starts beside itself.
GPU_TOOLS  = $(BUILD)/gpu/flusher
GPU_BENCHES = $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/*_gpu.c))
FUZZERS    = $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
BENCHES    = $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/*.c))

Q   = $(if $(V),,@)
say = $(if $(V),,@echo "  $(1) $(2)")

all: $(BUILD)/assay $(BUILD)/assay-runner $(BUILD)/assay-plain $(BUILD)/assay-nvrtc $(BUILD)/libassay-runner.so

$(BUILD)/assay: $(BUILD)/obj/src/cmd/assay.o $(CMD_LIB) $(JUDGE_LIB) $(RUNNER_LIB)
	$(call say,link,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(RPATH)

# --no-as-needed: libgomp and libm are mapped before the sandbox closes, so that a candidate that
# needs them loads although it may open no file.
$(BUILD)/assay-runner: $(call objects,runner) $(RUNNER_LIB)
	$(call say,link,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -l:libsodium.a $(LIBS_RUNNER) $(RPATH) -Wl,--no-as-needed -lgomp -lm -lpthread

# A runner that evaluates the problem itself: it knows ops, and no candidate is ever loaded into it.
$(BUILD)/assay-plain: $(call objects,plain) $(filter-out %/main.o,$(call objects,runner)) $(RUNNER_LIB) $(JUDGE_LIB)
	$(call say,link,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(RUNNER_LIB) $(LIBS) $(RPATH)

# The runner as a library, for Python. It is linked from an archive, so that only what the runner needs is in it; of
# base, hash.o stays out, because Debian's libsodium.a is not position-independent.
# gcc's sanitizers are libraries: tests/e2e/python_sanitized.sh loads them into Python before this one. clang's are parts
# of a program, and no library can have them.
PIC_SAN = $(if $(findstring clang,$(CC)),,$(SANFLAG))
PIC_LIB = $(BUILD)/librunner-pic.a
$(PIC_LIB): $(patsubst $(BUILD)/obj/%,$(BUILD)/pic/%,$(filter-out $(FOR_JUDGE) %/main.o %/hash.o,$(call objects,$(RUNNER_DIRS) runner)))
$(BUILD)/libassay-runner.so: $(patsubst $(BUILD)/obj/%,$(BUILD)/pic/%,$(call objects,python)) $(PIC_LIB)
	$(call say,link,$@)
	$(Q)$(CC) $(PIC_SAN) -shared -Wl,--no-undefined -Wl,--exclude-libs,ALL -o $@ $^ $(LIBS_RUNNER)

# The builder's tool around NVRTC. --as-needed: in its sandbox it may see no libgomp of ours.
$(BUILD)/assay-nvrtc: $(call objects,nvrtc) $(RUNNER_LIB)
	$(call say,link,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ -Wl,--as-needed -l:libsodium.a $(LIBS_RUNNER)

# A device has a face for the judge and one for runners (device/NAME/NAME_for_*.c), under one name: a
# program takes the face of the library that comes first. What no face needs is not linked.
# The registry is in both, so that it finds the faces that lie beside it.
$(RUNNER_LIB): $(filter-out $(FOR_JUDGE),$(call objects,$(RUNNER_DIRS)))
$(JUDGE_LIB): $(call objects,$(JUDGE_DIRS)) $(filter $(FOR_JUDGE) %/registry.o,$(call objects,device))
$(CMD_LIB): $(filter-out %/assay.o,$(call objects,cmd))
$(BUILD)/%.a:
	$(Q)rm -f $@; ar rcs $@ $^

$(if $(HOT),$(HOT): CFLAGS += $(HOTFLAGS))
$(PEAKS): CFLAGS += -O3 -fno-math-errno -fno-trapping-math
# Peaks measured through a sanitizer would call honest kernels impossible.
$(PEAKS): SANFLAG =
# Records name the commit. The stamp changes only when that does. git tells root nothing about a user's tree, and
# `sudo make install` must not build again.
COMMIT := $(if $(wildcard .git),$(or $(shell git describe --always --dirty --exclude='*' 2>/dev/null),$(shell cat $(BUILD)/commit 2>/dev/null)))
$(BUILD)/obj/src/base/version.o: CPPFLAGS += $(if $(COMMIT),-DASSAY_COMMIT='"$(COMMIT)"')
$(BUILD)/obj/src/base/version.o: $(BUILD)/commit
$(BUILD)/commit: FORCE
	@mkdir -p $(@D); [ "$$(cat $@ 2>/dev/null)" = "$(COMMIT)" ] || echo "$(COMMIT)" >$@
FORCE:

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -c -o $@ $<
$(if $(findstring clang,$(CC)),$(BUILD)/pic/%.o: SANFLAG =)
$(BUILD)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(call say,cc,$< for the library)
	$(Q)$(CC) $(filter-out -fopenmp,$(CFLAGS)) -Wno-unknown-pragmas -fPIC -fvisibility=hidden $(CPPFLAGS) -MMD -MP -c -o $@ $<
# The prelude is embedded in the program (.incbin), which no compiler reports as a dependency.
$(BUILD)/obj/src/problem/embed.o: $(wildcard src/problem/*.lua)
$(BUILD)/obj/src/report/page_assets.o: $(wildcard src/report/page/*)
$(BUILD)/obj/src/device/cuda/cuda_source.o: $(wildcard src/device/cuda/*.cuh src/device/cuda/cuda_kernels.h src/tensor/*.h)
$(BUILD)/obj/src/device/cuda/cuda_hold.o: workers/assay_worker/hold.ptx
$(BUILD)/obj/src/gpu/gpu_source.o: $(wildcard src/gpu/*.cuh src/gpu/gpu_kernels.h src/device/cuda/*.cuh src/device/cuda/cuda_kernels.h src/ops/*.h src/tensor/*.h src/problem/op_code.h)

# A compiler takes half the time for each level less. What is tested stays as it is.
TESTOPT = $(if $(SAN),-O0,-O1)
$(TESTS): $(BUILD)/%: tests/%.c $(CMD_LIB) $(JUDGE_LIB) $(RUNNER_LIB)
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(subst $(OPT),$(TESTOPT),$(CFLAGS)) $(CPPFLAGS) -Itests/unit -MMD -MP -o $@ $< $(CMD_LIB) $(JUDGE_LIB) $(RUNNER_LIB) $(LIBS) -lcmocka
# A libcuda.so.1 that runs the kernels on the CPU, for the tests of src/gpu. It runs where it was built, so it may use
# this machine's instructions: fmaf() is one, where others have to call it.
EMU     = $(BUILD)/emu/libcuda.so.1
EMU_OBJ = $(patsubst tests/emu/%.cpp,$(BUILD)/emu/%.o,$(wildcard tests/emu/*.cpp))
$(EMU): $(EMU_OBJ)
	$(call say,link,$@)
	$(Q)$(CXX) $(SANFLAG) -shared -Wl,-soname,libcuda.so.1 -o $@ $^
$(BUILD)/emu/%.o: tests/emu/%.cpp
	@mkdir -p $(@D)
	$(call say,c++,$<)
	$(Q)$(CXX) -std=gnu++17 $(DEBUG) $(OPT) -march=native -ffp-contract=off -fPIC -fvisibility=hidden -Wall \
	    -Wno-unknown-pragmas $(if $(WERROR),-Werror) $(SANFLAG) $(CPPFLAGS) -Itests/emu -MMD -MP -c -o $@ $<
# Without libFuzzer a fuzz target is a program that replays the files it is given.
$(BUILD)/fuzz/fuzz_handover: $(BUILD)/obj/src/runner/handover.o
$(BUILD)/fuzz/fuzz_handover: FACES = $(RUNNER_LIB) # it is a runner
$(BUILD)/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.h tests/fuzz/frames.h $(JUDGE_LIB) $(RUNNER_LIB)
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) -o $@ $(filter %.c %.o,$^) $(FACES) $(JUDGE_LIB) $(RUNNER_LIB) $(LIBS) $(FUZZFLAGS)
$(BUILD)/gpu/%: tests/gpu/%.c $(JUDGE_LIB) $(RUNNER_LIB)
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -o $@ $< $(JUDGE_LIB) $(RUNNER_LIB) $(LIBS) $(RPATH)
$(BUILD)/bench/%: bench/%.c $(wildcard bench/*.h) $(JUDGE_LIB) $(RUNNER_LIB)
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) -o $@ $< $(JUDGE_LIB) $(RUNNER_LIB) $(LIBS) $(RPATH)
$(BUILD)/suites/%: tests/suites/%.c $(JUDGE_LIB) $(RUNNER_LIB)
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(CFLAGS) $(CPPFLAGS) -MMD -MP -o $@ $< $(JUDGE_LIB) $(RUNNER_LIB) $(LIBS)

deps:
	@tools/install-deps build
deps-test:
	@tools/install-deps build test

# The second make sees the headers the first one may have installed.
run: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) all
	@tools/tour $(BUILD)/assay
test: deps-test
	@$(MAKE) --no-print-directory -s -j$$(nproc) all tests
	@$(MAKE) --no-print-directory check
tests: $(TESTS) $(FUZZERS) $(EMU)
benches: $(BENCHES)
check: all tests
	@tests/run-tests $(BUILD)
test-slow:
	@tools/install-deps build test suites
	@$(MAKE) --no-print-directory -s -j$$(nproc) all tests
	@tests/run-tests $(BUILD) --slow
	@$(if $(SAN),,tests/suites/run $(BUILD) slow) # PyTorch's work needs no sanitizer
test-suites:
	@tools/install-deps build suites
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BUILD)/suites/suite_judge $(EMU) $(BUILD)/gpu/test_gpu_problems $(BUILD)/gpu/test_cuda_judge
	@tests/suites/run $(BUILD)
test-gpu: all $(GPU_TESTS) $(GPU_TOOLS)
	@cp $(GPU_TESTS) $(GPU_TOOLS) $(BUILD)/ && tests/gpu/run . $(BUILD) --state $(BUILD)/gpu-tests $(if $(LIMIT),--limit $(LIMIT)) $(if $(WHOLE),--whole) || [ $$? = 77 ]
# What needs a GPU is passed over where there is none.
bench: all $(BENCHES)
	@for b in $(BENCHES); do echo "== $$b"; $$b || [ $$? = 77 ] || exit 1; done
	@bench/soak.sh $(BUILD)/assay
	@bench/soak_python.sh $(BUILD)/assay || [ $$? = 77 ]
	@bench/run_many.py $(BUILD)/assay

# Without OpenBLAS (36 MB): where a machine has none, expected values of large contractions take longer.
DIST_LIBS = libgomp.so.1
dist: all $(GPU_TESTS) $(GPU_TOOLS) $(GPU_BENCHES)
	@rm -rf $(BUILD)/dist && mkdir -p $(BUILD)/dist/bin $(BUILD)/dist/lib
	@cp $(BUILD)/assay $(BUILD)/assay-runner $(BUILD)/assay-plain $(BUILD)/assay-nvrtc $(GPU_TESTS) $(GPU_TOOLS) $(GPU_BENCHES) $(BUILD)/dist/bin/
	@cp $(BUILD)/libassay-runner.so $(BUILD)/dist/lib/
	@strip $(BUILD)/dist/bin/* $(BUILD)/dist/lib/libassay-runner.so
	@mkdir -p $(BUILD)/dist/tests $(BUILD)/dist/bench && cp -r tests/gpu $(BUILD)/dist/tests/
	@cp -r bench/*.py bench/lies bench/lies_cpu $(BUILD)/dist/bench/
	@cp -r problems hardware include exemplars attacks workers ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE docs $(BUILD)/dist/
	@[ ! -d results/baselines ] || { mkdir -p $(BUILD)/dist/results && cp -r results/baselines $(BUILD)/dist/results/; }
	@cat docs/dist.md README.md >$(BUILD)/dist/README.md
	@for lib in $(DIST_LIBS); do \
	    file=$$(ldd $(BUILD)/assay-runner | sed -n "s|.*$$lib => \(/[^ ]*\).*|\1|p"); \
	    [ -n "$$file" ] || { echo "dist: $(BUILD)/assay-runner finds no $$lib here: install libgomp1" >&2; exit 1; }; \
	    cp -L "$$file" $(BUILD)/dist/lib/ || exit 1; done
	@du -sh $(BUILD)/dist

# An installed tree may be moved, so PREFIX is in no program.
PREFIX  = /usr/local
DESTDIR =
install install-strip: all
	@tools/install-tree $@ $(BUILD) "$(PREFIX)" "$(DESTDIR)"
uninstall:
	@tools/install-tree $@ $(BUILD) "$(PREFIX)" "$(DESTDIR)"
package: all
	@tools/make-package $(BUILD)

FORMATTED = $(shell git ls-files '*.c' '*.h')
fmt:
	clang-format -i $(FORMATTED)
fmt-check:
	clang-format --dry-run --Werror $(FORMATTED)
clean:
	rm -rf build build-*

.PHONY: FORCE all run test-gpu test tests test-slow test-suites check bench benches dist install install-strip uninstall package deps deps-test fmt fmt-check clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
