# The commands of the project; `make help` lists them.

MODULES := $(basename $(notdir $(wildcard src/*.erl)))
comma := ,
empty :=
space := $(empty) $(empty)

# What draws the charts of the benchmark is a workspace of its own.
CHARTS := --manifest-path benchmarks/charts/Cargo.toml --target-dir target/charts

# cargo and rebar3 use all the processors by themselves, and the order of the steps matters.
.NOTPARALLEL:
# What failed is not there.
.DELETE_ON_ERROR:
.PHONY: compile quickstart shell tests benchmark benchmark-quick benchmark-update-readme benchmark-gpb-nif \
    benchmark-codec lint conformance corpus fuzz sanitize miri races \
    instructions docs docs-rust clean help setup setup-docs setup-tests

compile: $(MODULES:%=ebin/%.beam) ebin/enif_protobuf.app ebin/enif_protobuf.appup ## Build the library, for use with erl -pa ebin
	native/build

ebin/%.beam: src/%.erl
	@mkdir -p ebin
	erlc +debug_info -o ebin $<

ebin/%.app: src/%.app.src $(wildcard src/*.erl)
	@mkdir -p ebin
	sed 's/{modules, \[\]}/{modules, [$(subst $(space),$(comma) ,$(MODULES))]}/' $< >$@

quickstart: setup compile ## Set up, build, and see a .proto file loaded and records encoded and decoded
	proto/quickstart.escript

shell: setup compile ## Open an Erlang shell with the library and proto/person.proto loaded
	@mkdir -p _build/shell
	@erlc -o _build/shell proto/user_default.erl
	@echo "proto/person.proto is loaded, with its record #'Person'{}. Try:"
	@echo "  enif_protobuf:encode(#'Person'{name = \"abc def\", id = 345, email = \"a@example.com\"})."
	@exec erl +pc unicode -pa ebin _build/shell

tests: setup-tests compile ## Set up and run every test: EUnit with PropEr, cargo test, the consumer projects
	rebar3 eunit
	native/cargo test --locked --workspace
	native/cargo test --locked $(CHARTS)
	test/benchmark_page
	proto/quickstart.escript README.md
	elixir -pa ebin test/guides.exs README.md guides/*.md
	test/shell
	$(MAKE) -C c_src_compat check
	test/consumers/run

conformance: setup compile ## Run Google's conformance tests of protobuf against the library
	test/conformance/run

corpus: setup compile ## Compile the .proto files of packages that many use into modules
	test/corpus/run

benchmark: setup compile ## Time the library beside its peers, every section
	benchmarks/run

benchmark-quick: setup compile ## The same in a minute, with few rounds: what matters most
	BENCH_ROUNDS=5 BENCH_SLICE_MS=5 benchmarks/run standard google maps shapes

benchmark-update-readme: setup compile ## Measure the standard table, and put it into README.md with its charts
	benchmarks/update_readme

benchmark-gpb-nif: setup ## Build gpb's own NIF with GPB_PATH, protoc, g++ and libprotobuf, as a peer for the standard table
	benchmarks/build_gpb_nif

benchmark-codec: setup compile ## Time the codec without the VM, beside prost
	benchmarks/messages _build/benchmarks/messages
	GOOGLE_MESSAGES="$(CURDIR)/_build/benchmarks/messages" native/cargo bench --locked --package protobuf_codec

lint: setup-tests compile ## Check formatting, and lint Rust and Erlang with warnings as errors
	native/cargo fmt --all --check
	native/cargo clippy --locked --workspace --all-targets -- -D warnings
	native/cargo fmt --manifest-path benchmarks/charts/Cargo.toml --check
	native/cargo clippy --locked $(CHARTS) --all-targets -- -D warnings
	@mkdir -p _build/lint
	erlc -Werror +debug_info -o _build/lint src/*.erl proto/*.erl
	rebar3 dialyzer
	test/text_style
	shellcheck native/build native/cargo native/races native/sanitize native/setup native/fuzz/run .ci/run \
	    test/benchmark_page test/conformance/run test/conformance/setup test/conformance/testee test/consumers/run \
	    test/corpus/run test/fuzz/run test/oracle/setup test/shell test/soak/run test/text_style test/under_otp \
	    benchmarks/build_gpb_nif benchmarks/fetch_datasets benchmarks/instructions benchmarks/messages \
	    benchmarks/run benchmarks/update_readme

instructions: setup-tests ## Count the codec's instructions, and compare them with their budget
	benchmarks/instructions

# In seconds, for the codec's fuzzers together and for those of the library in a VM, side by side.
FUZZ_SECONDS ?= 60

fuzz: setup-tests compile ## Try the codec and the library with odd input, each for FUZZ_SECONDS
	@# Builds, so that all of the time is for fuzzing.
	native/fuzz/run 4 >/dev/null
	native/fuzz/run $(FUZZ_SECONDS) & codec=$$!; test/fuzz/run $(FUZZ_SECONDS); library=$$?; wait $$codec && exit $$library

sanitize: setup-tests compile ## Run tests and fuzzers under AddressSanitizer and valgrind, in a VM as well
	native/sanitize codec & codec=$$!; native/sanitize vm; library=$$?; wait $$codec && exit $$library

miri: setup ## Run the codec's tests under Miri, where the nightly toolchain and Miri are there
	@cargo +nightly miri --version >/dev/null 2>&1 || { \
	    echo "Miri is not here: rustup toolchain install nightly --component miri" >&2; exit 1; }
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked --package protobuf_codec --lib
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked --package protobuf_codec --test behaviour -- \
	    --skip deep_nesting --skip linear_cost --skip random_values --skip prost_agrees

races: setup-tests ## Look for data races in the cache with ThreadSanitizer
	native/races

docs: setup-docs compile $(MODULES:%=doc/chunks/%.chunk) ## Write the documentation, for a browser and for the shell
	@# What it prints is what is wrong.
	@! guides/write 2>&1 | grep .
	@echo "The documentation:  $(CURDIR)/doc/index.html, or h(enif_protobuf) in the shell"

docs-rust: setup ## Write the documentation of the code in Rust, for those who work on it
	native/cargo doc --locked --workspace --no-deps
	@echo
	@echo "The library:  $(CURDIR)/target/doc/enif_protobuf/index.html"

# What the shell's h/1,2,3 show. It is looked for beside ebin, so it is there for whoever uses that. What EDoc prints are
# warnings.
doc/chunks/%.chunk: src/%.erl
	@mkdir -p doc
	@! erl -noinput -eval 'edoc:files(["$<"], [{doclet, edoc_doclet_chunks}, {layout, edoc_layout_chunks}, {dir, "doc"}])' \
	    -s init stop 2>&1 | grep .

ebin/%.appup: src/%.appup.src
	@mkdir -p ebin
	cp $< $@

clean: ## Remove everything that was built
	rm -rf ebin priv doc _build
	native/cargo clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-24s%s\n", $$1, $$2 }' Makefile

setup:
	@native/setup

setup-docs:
	@native/setup docs

setup-tests:
	@native/setup tests
