# Two commands do everything on a fresh machine: `make demo` and `make test`. `make help` lists the rest.

PRESET ?= release
TREE = build/$(PRESET)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Some tests mostly wait, for processes that must notice a fault, so one more of them than processors can run.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)

.PHONY: help demo experiment experiments leaderboard test test-full build lint tidy-changed format bench bench-check bench-record bench-pages fuzz coverage install python wheel tarball \
  package test-package container clean docs screenshots setup-build setup-python setup-test setup-docs setup-full setup-package

help:
	@echo 'make demo       set up, build, and show Clade on the nouns of WordNet: select, train, compare, report (2 minutes)'
	@echo 'make test       set up, build, check style, and run the tests (minutes)'
	@echo 'make test-full  also: clang, sanitizers, a build without BLAS, 60 seconds of fuzzing per reader (long)'
	@echo 'make experiment NAME=x  build, and run experiments/x.toml into build/experiments/x, from where it stopped'
	@echo 'make experiments       the same for all of them, in a night: docs/reproduction.md'
	@echo 'make leaderboard       every classifier and other programs on every labelled set: docs/leaderboard.md (hours)'
	@echo 'make bench      set up, build, and run the benchmarks; every ratio goes to build/bench/ratios.jsonl'
	@echo 'make bench-check   quick forms of the ratios; fails if one is worse than the kept one (minutes)'
	@echo 'make bench-record  keeps them: measures and adds them to bench/history.jsonl'
	@echo 'make bench-pages   threads and growth measured again, into docs/benchmarks.md and its picture'
	@echo 'make build      set up and build; the tool is build/clade'
	@echo 'make lint       check formatting and run the static analyser on everything'
	@echo 'make format     format the sources in place'
	@echo 'make coverage   test coverage, as build/coverage/coverage.html'
	@echo 'make docs       these pages and the reference of the C++ library as a site with search, build/docs/site/index.html'
	@echo 'make screenshots  the pictures of the documentation again: docs/images/README.md'
	@echo 'make python     set up, build, and install the Python package into build/venv'
	@echo 'make wheel      a wheel of it with its libraries inside, for other machines, as build/dist/*.whl'
	@echo 'make package    Debian packages and a source archive, as build/dist/*.deb and build/dist/clade-*.tar.gz'
	@echo 'make test-package  try both: in a clean Debian 12, and without a network'
	@echo 'make tarball    the source archive alone'
	@echo 'make container  an image of the tool and the Python package, with podman'
	@echo 'make install    install under PREFIX (default /usr/local)'
	@echo 'make clean      remove everything that was built'

setup-build:
	@scripts/setup.sh build
setup-python:
	@scripts/setup.sh build python
setup-test:
	@scripts/setup.sh build test
setup-docs:
	@scripts/setup.sh docs
setup-full:
	@scripts/setup.sh build test full
setup-package:
	@scripts/setup.sh build python package

# A second configuration takes a second and rebuilds nothing; it finds what has been installed since the first.
define configure
@mkdir -p build
@cmake --preset $(PRESET) $(CMAKE_FLAGS) >build/configure.log 2>&1 || { cat build/configure.log; false; }
endef

build: setup-build
	$(configure)
	@ninja -C $(TREE) -j $(JOBS) clade_tool
	@ln -sfn $(PRESET)/clade build/clade

demo: build
	@scripts/demo.sh

# A run that was interrupted goes on, and one that is complete only writes its tables again.
run_experiment = build/clade experiment experiments/$(1).toml -o build/experiments/$(1) --resume
reproductions = $(filter-out leaderboard,$(patsubst experiments/%.toml,%,$(wildcard experiments/*.toml)))
experiment experiments leaderboard: export CLADE_DATA := $(abspath $(or $(CLADE_DATA),../shared/data))
experiment experiments leaderboard: export CLADE_PREPARED := $(abspath build/experiments/data)
prepare_data = @/usr/bin/python3 experiments/prepare.py build/clade "$(CLADE_DATA)" "$(CLADE_PREPARED)"

experiment: build
	@test -f 'experiments/$(NAME).toml' || { echo 'expected NAME=x with a file experiments/x.toml, not "$(NAME)"' >&2; false; }
	$(prepare_data)
	$(call run_experiment,$(NAME))

experiments: setup-test build
	$(prepare_data)
	$(foreach name,$(reproductions),$(call run_experiment,$(name))$(newline))
	@/usr/bin/python3 experiments/tables.py build/experiments docs/reproduction.md

leaderboard: setup-test build
	$(prepare_data)
	$(call run_experiment,leaderboard)
	@/usr/bin/python3 experiments/peers.py build/clade build/experiments/peers.csv experiments/leaderboard.toml
	@/usr/bin/python3 experiments/leaderboard.py build/clade build/experiments/leaderboard build/experiments/peers.csv \
	  docs/leaderboard.md docs/images/leaderboard-ranks.svg
	@build/clade report build/experiments/leaderboard -o build/experiments/leaderboard.html --force

define newline


endef

lint: setup-test
	$(configure)
	@ninja -C $(TREE) -j $(JOBS) lint

# What `make test` checks of that: files changed since the last tag, or by the last commit where there is no tag.
tidy-changed: setup-test
	$(configure)
	@scripts/tidy_changed.py $(TREE) $(JOBS)

test: setup-test
	$(configure)
	@ninja -C $(TREE) -j $(JOBS) all format-check
	@ln -sfn $(PRESET)/clade build/clade
	@scripts/tidy_changed.py $(TREE) $(JOBS)
	@cd $(TREE) && ctest --no-tests=error --output-on-failure -j $(TEST_JOBS)

test-full: setup-full
	@scripts/test_full.sh

bench: setup-full
	$(configure)
	@ninja -C $(TREE) -j $(JOBS) all benchmarks
	@scripts/bench.sh $(TREE)

# By hand, not in `make test`: times depend on the machine, and on what else it does.
bench-check: setup-test build
	@/usr/bin/python3 -B bench/check.py $(TREE)

bench-record: setup-test build
	@/usr/bin/python3 -B bench/check.py $(TREE) --record

bench-pages: build
	@ninja -C $(TREE) -j $(JOBS) bench_scaling_pool_costs
	@/usr/bin/python3 -B bench/scaling/run.py $(TREE) --documents 20000 --samples 20000 --features 2048 --page docs/benchmarks.md
	@/usr/bin/python3 -B bench/growth/run.py $(TREE) --page docs/benchmarks.md --picture docs/images/growth.svg

fuzz: setup-full
	@scripts/fuzz.sh

coverage: setup-full
	cmake --preset coverage
	ninja -C build/coverage -j $(JOBS)
	cd build/coverage && ctest -j $(JOBS) --output-on-failure
	gcovr --root . --filter src/ --filter include/ --html-details build/coverage/coverage.html --print-summary build/coverage

format: setup-test
	@find bench examples fuzz include python src tests -name '*.h' -o -name '*.cpp' | xargs clang-format-19 -i

docs: setup-docs
	@scripts/docs.sh

screenshots: setup-full build
	@scripts/screenshots.sh

PREFIX ?= /usr/local
install: build
	cmake --install $(TREE) --prefix $(PREFIX)

python: setup-python
	$(configure)
	@ninja -C $(TREE) -j $(JOBS) clade_python
	@scripts/install_python.sh $(TREE)

# For any processor of this kind, so it does not use the release tree, which is for the processor of this machine.
wheel: setup-python
	@mkdir -p build && rm -rf build/dist/bare build/dist/*.whl
	@echo 'wheel: compiling, which takes minutes the first time; build/wheel.log has the details'
	@CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) /usr/bin/python3 -m pip wheel --verbose --disable-pip-version-check \
	  --no-build-isolation --no-deps --wheel-dir build/dist/bare . >build/wheel.log 2>&1 || { tail -n 40 build/wheel.log; false; }
	@/usr/bin/python3 -B scripts/wheel.py build/dist/bare/clade-*.whl build/dist

tarball:
	@scripts/tarball.sh

package: setup-package
	@if [ -e .git ]; then scripts/tarball.sh; fi
	@scripts/package.sh $(JOBS)

test-package: package
	@scripts/test_packages.sh

container:
	podman build -t clade --build-arg COMMIT="$$(git describe --always --dirty --abbrev=10)" .

clean:
	rm -rf build python/clade.egg-info
