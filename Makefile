# Thin: every rule makes sure that its tools are there and calls cmake. The build lives in build/, and
# other variants (see CMakePresets.json) in build/<preset>/.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
export DESTDIR

# The first plain build leaves the tests out, so that it needs no test library; later ones keep what is.
FIRST = $(if $(wildcard build/CMakeCache.txt),,-DBUILD_TESTING=OFF)
QUIET = --log-level=WARNING
VENV = $(or $(DP2DP_VENV),build/venv)

.PHONY: all build test test-spark test-asan test-tsan test-valgrind coverage fuzz report docs demo pictures \
        reproduce bench lint format install deb abi clean help
.NOTPARALLEL:

all: build

build: ## the program build/dp2dp and the libraries
	@tools/setup build
	@cmake --preset release $(QUIET) $(FIRST)
	@cmake --build --preset release --target product

test: ## all tests
	@tools/setup test
	@cmake --preset release $(QUIET) -DBUILD_TESTING=ON
	@cmake --build --preset release
	@ctest --preset release

test-spark: ## exports and dp2dp.spark in Spark, which needs Java; not part of make test
	@tools/setup spark
	@cmake --preset release $(QUIET) -DBUILD_TESTING=ON
	@cmake --build --preset release
	@ctest --preset release -C Spark -L spark

test-asan test-tsan: test-%: ## tests (asan: without those that repeat what others run) under the address and undefined-behaviour, or thread, sanitizer
	@tools/setup test
	@cmake --preset $* $(QUIET)
	@cmake --build --preset $*
	@ctest --preset $*

test-valgrind: ## unit and fault tests under valgrind
	@tools/setup valgrind
	@cmake --preset dev $(QUIET)
	@cmake --build --preset dev
	@tools/valgrind build/dev

coverage: ## lines of src/ and cli/ that the tests reach
	@tools/setup test
	@cmake --preset coverage $(QUIET)
	@cmake --build --preset coverage
	@tools/coverage build/coverage

fuzz: ## every fuzz target for FUZZ_SECONDS (60)
	@tools/setup fuzz
	@cmake --preset fuzz $(QUIET)
	@cmake --build --preset fuzz --target fuzzers
	@tools/fuzz build/fuzz $(FUZZ_SECONDS)

report: ## the templates of the report and of the reproduction's page, anew
	@tools/setup browser
	@node report/build.mjs build/npm/node_modules src/report/template.html
	@node experiments/page/build.mjs build/npm/node_modules experiments/page/template.html

docs: build ## the reference of the Python package, in build/docs/index.html
	@tools/setup docs
	@cmake --preset release $(QUIET) -DDP2DP_PYTHON=ON
	@cmake --build --preset release --target dp2dp_python
	@test -e build/venv-docs/ready || { echo "make docs: no build/venv-docs; see above" >&2; exit 1; }
	@PYTHONPATH=build/python build/venv-docs/bin/python tools/site/build.py build/docs
	@echo build/docs/index.html

demo: build ## a privacy budget, and fair decisions within it
	@tools/demo build/dp2dp

pictures: build ## the pictures of README.md, from Adult in DP2DP_DATA
	@tools/setup python
	@cmake --preset release $(QUIET) -DDP2DP_PYTHON=ON
	@cmake --build --preset release --target dp2dp_python
	@tools/pictures build/dp2dp

reproduce: build ## the paper's figures and ours, in build/reproduce; FIGURE=adult: one, RIVALS=1: rivals too
	@tools/setup python
	@tools/setup test
	$(if $(RIVALS),@tools/setup rivals)
	@cmake --preset release $(QUIET) -DBUILD_TESTING=ON -DDP2DP_PYTHON=ON
	@cmake --build --preset release --target dp2dp_python attacked
	@test -x $(VENV)/bin/python || { echo "make reproduce: no $(VENV); see above" >&2; exit 1; }
	@PYTHONPATH=build/python OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python \
		experiments/reproduce.py $(if $(FIGURE),--figures $(FIGURE)) $(if $(RIVALS),--rivals)

bench: ## speed and noise, against other tools
	@tools/setup build
	@cmake --preset release $(QUIET) $(FIRST)
	@cmake --build --preset release
	@bash bench/run.sh

lint: ## formatting, clang-tidy, ruff, shellcheck, layers and sizes
	@tools/setup lint
	@cmake --preset dev $(QUIET) -DDP2DP_PYTHON=ON
	@tools/lint build/dev

format: ## rewrite the sources in house style
	@tools/setup lint
	@tools/lint --format

install: build ## into PREFIX (/usr/local), under DESTDIR if given
	@cmake --install build --prefix "$(PREFIX)"

deb: build ## Debian packages of the program, the library and its headers, in build/packages
	@tools/setup deb
	@packaging/deb build

abi: build ## write down the binary interface anew, after a change that is meant
	@tools/abi cc include build/include >build/abi.txt
	@mv build/abi.txt tests/consumer/abi.txt

clean: ## remove build/
	@rm -rf build

help: ## this list
	@sed -n 's/^\([a-z][a-z -]*\):[^#]*## /  \1: /p' Makefile
