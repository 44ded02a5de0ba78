# The doors to the project. Each target does only what is missing; logs are in build/log.

PREFIX ?= /usr/local
SECONDS ?= 5
FRESH ?=
PYTHON313 ?= python3.13
SUITES ?= bookworm trixie
USERS ?= root sudo plain
CACHE ?=
CAPTURE ?= runs/gpt
CAPTURE_OPTIONS ?= --steps 20 --profile-steps 5

GAIT := build/bin/gait
# The shell leaves the tilde of PREFIX=~/.local alone: to it this is no assignment.
INSTALL_PREFIX = $(patsubst ~/%,$(HOME)/%,$(patsubst ~,$(HOME),$(PREFIX)))
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help run build venv test test-python313 test-long test-bare bench fuzz lint format install clean

help: ## this list
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 24

run: build ## set up, build, capture a JAX training program, show what was learned, also in the browser (FRESH=1 captures again)
	@tools/capture.sh "$(CAPTURE)" "$(CAPTURE_OPTIONS)" $(FRESH)
	@tools/show.sh $(GAIT) list runs
	@tools/show.sh $(GAIT) overview $(CAPTURE)
	@tools/show.sh $(GAIT) doctor $(CAPTURE)
	@tools/view.sh $(GAIT) runs

build: ## the command at build/bin/gait, with the web app in it; the Python environment with the package at build/venv
	@tools/setup.sh $(PEERS)
	@tools/build.sh release gait gait_python
	@tools/package.sh

venv:
	@tools/packages.sh build
	@tools/venv.sh build/venv tools/requirements/dev.txt

# Those that compare with XProf need its Python environment too.
test test-python313 test-long bench: PEERS = bench

test: build ## every test: unit tests under sanitizers, fuzzing corpus, case files, Python, pages in a browser
	@tools/packages.sh clang browser
	@tools/build.sh release gait_trace_memory_test gait_fake_plugin gait_failing_calls gait_failing_memory
	@tools/test.sh

test-python313: build ## the package as pip installs it, its tests with Python 3.13 and JAX 0.12 (PYTHON313=/path/python3.13)
	@tools/build.sh release gait_fake_plugin
	@PYTHON=$(PYTHON313) tools/test_python313.sh

test-long: build ## what takes longer: each allocation and each call of every writer made to fail, 20 times the captures with one changed field
	@tools/packages.sh build clang
	@tools/build.sh asan gait_allocation_test
	@tools/build.sh release gait_failing_calls gait_failing_memory
	@GAIT_ALLOCATIONS=0 tools/step.sh "every allocation fails" test-allocations build/asan/bin/gait_allocation_test
	@GAIT_FAULTS=0 tools/step.sh "every call fails" test-faults build/venv/bin/python -m pytest -n auto tests/faults
	@GAIT_CHANGES=3500 tools/step.sh "one changed field" test-one-field build/venv/bin/python -m pytest -n auto tests/oracle/test_one_field.py

test-bare: ## make run and make test on bare Debian systems; needs root (SUITES="bookworm trixie" USERS="root sudo plain" CACHE=DIR)
	@CACHE="$(CACHE)" tools/test_bare.sh "$(SUITES)" "$(USERS)"

bench: build ## gait beside protobuf, jax.profiler.ProfileData, XProf and the Perfetto UI: time and memory
	@tools/packages.sh bench browser
	@CMAKE_OPTIONS=-DGAIT_BENCH=ON tools/build.sh release bench_programs
	@build/venv/bin/python -u bench/run.py $(BENCH_OPTIONS)

fuzz: ## each fuzzer for SECONDS=5
	@tools/packages.sh build clang
	@tools/build.sh fuzz fuzzers
	@tools/fuzz.sh $(SECONDS)

lint: build ## clang-format, clang-tidy, ruff
	@tools/packages.sh clang lint
	@tools/lint.sh

format: venv ## rewrites our own sources in the project's format
	@tools/packages.sh lint
	@tools/lint.sh --fix

install: build ## the command into PREFIX=/usr/local
	@tools/step.sh "install into $(INSTALL_PREFIX)" install cmake --install build --prefix "$(INSTALL_PREFIX)"

clean: ## removes build/; captures in runs/ stay
	rm -rf build
