# How to build a layer.  A layer's own Makefile sets two names and includes this:
#
#   NAME    the library                      nn  ->  build/lib/libnn.a
#   BELOW   the layers below it, nearest first
#
#   make         the core (src/), as an archive          build/lib/libnn.a
#   make all     with the extras (extras/)               build/lib/libnn_extras.a
#   make test    its unit tests (works in a clean checkout)
#   SAN=1        with AddressSanitizer and UndefinedBehaviorSanitizer (build/asan)
#   TSAN=1       with ThreadSanitizer (build/tsan)
#
# The core links without the extras.  A file directly in extras/ is a table (instruction sets, samplers, ...) with the name
# of a file of the core, which it replaces in programs that link it before the archives, as LIBS does.  It must define
# everything that the core's file defines; else the linker takes that one too and reports multiple definitions.
#
# Paths are relative, because make splits names at spaces: BUILD is relative to the root, BUILT to the layer.
LAYER := $(lastword $(notdir $(CURDIR)))
export BUILD ?= build$(if $(SAN),/asan)$(if $(TSAN),/tsan)
BUILT := $(if $(filter /%,$(BUILD)),,../)$(BUILD)
OUT   := $(BUILT)/$(LAYER)

# Debug information (-g) takes half of the compile time: make DEBUG=1 enables it.  Sanitizers report lines (-g1).
CFLAGS   ?= $(if $(SAN)$(TSAN),-O1 -g1,-O3 $(if $(DEBUG),-g))
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unknown-warning-option -Wno-format-truncation -Werror
# NULL + 0 is NULL in every compiler, and in the next C standard; clang would report it.
SANITIZE := $(if $(SAN),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all $(if $(findstring clang,$(CC)),-fno-sanitize=pointer-overflow)) \
            $(if $(TSAN),-fsanitize=thread)
# Tests compile with little optimisation, in a third of the time (with sanitizers in a fifth), except those that compute for long.
TEST_FLAGS = $(CFLAGS) $(if $(filter test_reference test_train,$(@F)),,$(if $(SAN),-O0,-Og -Wno-maybe-uninitialized))
STRICT   := -std=c11 -D_GNU_SOURCE -ffp-contract=off $(WARNINGS) $(SANITIZE)
LINK     := -lm -lpthread
# The core includes headers of the cores below; everything else also those of their extras.
INCLUDE  := -Iinclude $(BELOW:%=-I../%/include)
ALL      := $(INCLUDE) -Iextras/include $(BELOW:%=-I../%/extras/include)
ifeq ($(shell uname),Darwin)
ALL      += -I$(shell brew --prefix 2>/dev/null)/include
LINK     += -L$(shell brew --prefix 2>/dev/null)/lib
endif

# With SAN=1: gaps behind the pieces of arenas and regions, and free pages, may not be touched (tests/guard.c, in layer 1's archive).
ifeq ($(if $(SAN),$(shell uname)),Linux)
LINK     += @../tests/guard.options
GUARD    := $(if $(filter tensor,$(NAME)),$(OUT)/guard.o)
endif

objects  = $(patsubst %.c,$(OUT)/%.o,$(sort $(1)))
CORE    := $(call objects,$(wildcard src/*.c src/*/*.c))
EXTRAS  := $(call objects,$(filter-out $(PROGRAMS),$(wildcard extras/*/*.c extras/*/*/*.c)))
TABLES  := $(call objects,$(wildcard extras/*.c))
# WITHOUT="reference train": skip these tests.
TESTS   := $(filter-out $(WITHOUT:%=$(OUT)/test_%),$(patsubst tests/%.c,$(OUT)/%,$(sort $(wildcard tests/test_*.c))))

# This layer's archives and those below, each before the ones it calls.
name_of  = $(lastword $(subst _, ,$(1)))
layers  := $(if $(NAME),$(LAYER)) $(BELOW)
LIB     := $(BUILT)/lib/lib$(NAME).a
CORES   := $(foreach layer,$(layers),$(BUILT)/lib/lib$(call name_of,$(layer)).a)
EXTRA   := $(if $(EXTRAS),$(LIB:.a=_extras.a))
LIBS    := $(TABLES) $(foreach layer,$(BELOW),$(patsubst ../%.c,$(BUILT)/%.o,$(wildcard ../$(layer)/extras/*.c))) \
           $(foreach layer,$(layers),$(if $(wildcard ../$(layer)/extras),$(BUILT)/lib/lib$(call name_of,$(layer))_extras.a) \
             $(BUILT)/lib/lib$(call name_of,$(layer)).a)

.DEFAULT_GOAL := lib
.PHONY: lib all below below-all build-tests cmocka test worked clean
lib: below $(LIB)
all: below-all $(LIB) $(EXTRA) $(TABLES)

# The nearest layer below builds those below it.  (The recipe @: makes make look at an archive's time again afterwards.)
below:
	@$(if $(BELOW),$(MAKE) -s --no-print-directory -C ../$(firstword $(BELOW)) lib)
below-all:
	@$(if $(BELOW),$(MAKE) -s --no-print-directory -C ../$(firstword $(BELOW)) all)
$(filter-out $(LIB),$(CORES)): below ; @:
$(filter-out $(TABLES) $(EXTRA) $(CORES),$(LIBS)): below-all ; @:

# Write to a temporary name, then rename, so that a running program or a second make never sees half a file.
archived = mkdir -p $(@D) && rm -f $@.$$$$ && $(AR) qcs $@.$$$$ $(1) && mv -f $@.$$$$ $@
linked   = mkdir -p $(@D) && $(CC) $(STRICT) $(CFLAGS) $(1) $(LINK) -o $@.$$$$ && mv -f $@.$$$$ $@
compiled = mkdir -p $(@D) && $(CC) $(STRICT) $(CFLAGS) $(1) -MMD -MP -MT $@ -MF $@.$$$$.d -c $< -o $@.$$$$ && \
           mv -f $@.$$$$.d $(@:.o=.d) && mv -f $@.$$$$ $@

# Before each compilation, how many of TODO (from the Makefile above) are done: on a terminal with the file's name, else for every
# fortieth, which one of the compilations that run at the same time announces.  Without TODO, one line says which layer is built.
building = $(if $(SAID),,$(eval SAID := yes)$(if $(TODO),,echo "building $(LAYER)" >&2;)) \
           $(if $(TODO),printf . >>$(BUILT)/progress; done=$$(($$(wc -c <$(BUILT)/progress))); \
           if [ $$done -gt $(TODO) ]; then of=; else of=' of $(TODO)'; fi; \
           if [ -t 2 ]; then printf '\r\033[K[%d%s] %s' $$done "$$of" '$(LAYER)/$<' >&2; \
           elif [ $$((done % 40)) = 1 ] && (set -C; : >$(BUILT)/progress.$$done) 2>/dev/null; then \
               printf '[%d%s] %s\n' $$done "$$of" $(LAYER) >&2; fi;)

$(LIB): $(CORE) $(GUARD)
	@$(call archived,$^)
$(OUT)/guard.o: ../tests/guard.c
	@$(building) $(call compiled,$(ALL))
$(LIB:.a=_extras.a): $(EXTRAS)
	@$(call archived,$^)
$(OUT)/src/%.o: src/%.c
	@$(building) $(call compiled,$(INCLUDE) -Isrc)
$(OUT)/extras/%.o: extras/%.c
	@$(building) $(call compiled,$(ALL) -Isrc -Iextras)

# A test file links the libraries and cmocka.
$(OUT)/test_%: tests/test_%.c $(LIBS)
	@$(building) mkdir -p $(@D) && $(CC) $(STRICT) $(TEST_FLAGS) $(ALL) -I../tests -Itests -MMD -MP $< $(LIBS) -lcmocka $(LINK) -o $@
build-tests: $(TESTS)
$(TESTS): | cmocka
cmocka:
	@CC='$(CC)' ../tests/needs.sh test
test: build-tests
	@../tests/run_tests.sh $(TESTS)

# The worked exercises: narrated, with a sentence of the reader's (SENTENCE), or as CSV with ARGS=--csv.
WORKED ?= worked
override SENTENCE := $(value SENTENCE)
override GRAMMAR := $(value GRAMMAR)
export SENTENCE GRAMMAR
$(OUT)/worked $(OUT)/top $(OUT)/grammar $(OUT)/words $(OUT)/shares: $(OUT)/%: exercise/%.c ../exercises/worked.h $(wildcard exercise/*.h) $(LIBS)
	@$(call linked,$(ALL) -I../exercises $< $(LIBS))
worked: $(OUT)/$(WORKED)
	@cd .. && $(BUILD)/$(LAYER)/$(WORKED) $(ARGS)

clean:
	@rm -rf $(OUT) $(LIB) $(EXTRA)

-include $(CORE:.o=.d) $(GUARD:.o=.d) $(EXTRAS:.o=.d) $(TABLES:.o=.d) $(TESTS:=.d)
