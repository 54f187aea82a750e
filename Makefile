# The commands of the project; `make help` lists them.

MODULES := $(basename $(notdir $(wildcard src/*.erl)))
comma := ,
empty :=
space := $(empty) $(empty)

# cargo and rebar3 use all the processors by themselves, and the order of the steps matters.
.NOTPARALLEL:
.PHONY: compile quickstart shell tests benchmark benchmark-update-readme lint docs docs-rust races instructions clean help setup \
    setup-docs setup-tests

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
	proto/quickstart.escript README.md
	test/shell
	$(MAKE) -C c_src_compat check
	test/consumers/run

.PHONY: conformance
conformance: setup compile ## Run Google's conformance tests of protobuf against the library
	test/conformance/run

benchmark: setup compile ## Time the library beside its peers
	benchmarks/run

benchmark-update-readme: setup compile ## The same, and put the results into README.md
	benchmarks/update_readme

lint: setup-tests compile ## Check formatting, and lint Rust and Erlang with warnings as errors
	native/cargo fmt --all --check
	native/cargo clippy --locked --workspace --all-targets -- -D warnings
	@mkdir -p _build/lint
	erlc -Werror +debug_info -o _build/lint src/*.erl proto/*.erl
	rebar3 dialyzer
	test/text_style
	shellcheck test/conformance/run test/conformance/setup test/conformance/testee
	shellcheck native/build native/cargo native/races native/setup test/text_style test/shell test/under_otp test/consumers/run test/soak/run \
	    test/oracle/setup benchmarks/instructions benchmarks/run benchmarks/update_readme .ci/run

instructions: setup-tests ## Count the codec's instructions, and compare them with their budget
	benchmarks/instructions

races: setup-tests ## Look for data races in the cache with ThreadSanitizer
	native/races

docs: setup-docs compile $(MODULES:%=doc/chunks/%.chunk) ## Write the documentation, for a browser and for the shell
	rebar3 edoc
	@echo
	@echo "The module:  $(CURDIR)/doc/enif_protobuf.html, or h(enif_protobuf) in the shell"

docs-rust: setup ## Write the documentation of the code in Rust, for those who work on it
	native/cargo doc --locked --workspace --no-deps
	@echo
	@echo "The library:  $(CURDIR)/target/doc/enif_protobuf/index.html"

# What the shell's h/1,2,3 show. It is looked for beside ebin, so it is there for whoever uses that.
doc/chunks/%.chunk: src/%.erl
	@mkdir -p doc
	erl -noinput -eval 'edoc:files(["$<"], [{doclet, edoc_doclet_chunks}, {layout, edoc_layout_chunks}, {dir, "doc"}])' \
	    -s init stop

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
