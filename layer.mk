# How every layer is built.  A layer's own Makefile sets two names and includes this:
#
#   NAME    the library                      nn  ->  build/lib/libnn.a
#   BELOW   the layers it stands on, nearest first
#
#   make         the library          make test   its unit tests, from a clean checkout too
#   SAN=1        with AddressSanitizer and UndefinedBehaviorSanitizer (build/asan)
#   TSAN=1       with ThreadSanitizer (build/tsan)
#
# Paths are relative, because make takes a space in a name for its end: BUILD is seen from the root, BUILT from here.
LAYER := $(lastword $(notdir $(CURDIR)))
export BUILD ?= build$(if $(SAN),/asan)$(if $(TSAN),/tsan)
BUILT := $(if $(filter /%,$(BUILD)),,../)$(BUILD)
OUT   := $(BUILT)/$(LAYER)

# Say once that something is being built; when nothing is, nothing is said.
building = $(if $(SAID),,$(eval SAID := $(shell echo "building $(1)" >&2)yes))

# What debuggers read (-g) costs half of the compiling time: make DEBUG=1 asks for it.  Sanitizers report lines (-g1).
CFLAGS   ?= $(if $(SAN)$(TSAN),-O1 -g1,-O3 $(if $(DEBUG),-g))
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unknown-warning-option -Wno-format-truncation -Werror
# NULL + 0 is NULL in every compiler, and in the next C; clang would complain of it.
SANITIZE := $(if $(SAN),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all $(if $(findstring clang,$(CC)),-fno-sanitize=pointer-overflow)) \
            $(if $(TSAN),-fsanitize=thread)
# A test's own code is little optimised, which compiles in a third of the time; but not where it computes for long itself.
TEST_FLAGS = $(CFLAGS) $(if $(filter test_reference test_train,$(@F)),,-Og -Wno-maybe-uninitialized)
STRICT   := -std=c11 -D_GNU_SOURCE -ffp-contract=off $(WARNINGS) $(SANITIZE)
INCLUDE  := -Iinclude $(BELOW:%=-I../%/include)
LIB      := $(BUILT)/lib/lib$(NAME).a
LOWER    := $(foreach b,$(BELOW),$(BUILT)/lib/lib$(lastword $(subst _, ,$(b))).a)
LIBS     := $(LIB) $(LOWER)
LINK     := -lm -lpthread
ifeq ($(shell uname),Darwin)
INCLUDE  += -I$(shell brew --prefix 2>/dev/null)/include
LINK     += -L$(shell brew --prefix 2>/dev/null)/lib
endif

SOURCES := $(sort $(wildcard src/*.c) $(filter-out src/program/% src/server/%,$(wildcard src/*/*.c)))
OBJECTS := $(foreach s,$(SOURCES:src/%.c=%),$(OUT)/$(subst /,-,$(s)).o)
COMMANDS := $(sort $(wildcard src/program/*.c src/program/*/*.c))
PROGRAM := $(foreach s,$(COMMANDS:src/%.c=%),$(OUT)/$(subst /,-,$(s)).o)
SERVER  := $(patsubst src/%.c,%,$(sort $(wildcard src/server/*.c)))
SERVED  := $(foreach s,$(SERVER),$(OUT)/$(subst /,-,$(s)).o)
TESTS   := $(patsubst tests/%.c,$(OUT)/%,$(sort $(wildcard tests/test_*.c)))

.DEFAULT_GOAL := lib
.PHONY: lib below build-tests test program worked clean
lib: $(LIB)

$(LIB): $(OBJECTS)
	@mkdir -p $(@D) && rm -f $@.$$$$ && $(AR) rcs $@.$$$$ $^ && mv -f $@.$$$$ $@

# Everything is written to a temporary name and then moved: a program that is running, or a second make beside this one, never
# meets half of a file.
define compile
	$(call building,$(if $(filter $(PROGRAM),$@),the program,$(LAYER)))@mkdir -p $(@D)
	@$(CC) $(STRICT) $(CFLAGS) $(INCLUDE) -MMD -MP -MT $@ -MF $@.$$$$.d -c $< -o $@.$$$$ && mv -f $@.$$$$.d $(@:.o=.d) && mv -f $@.$$$$ $@
endef
$(OUT)/%.o: src/%.c
	$(compile)

# A source in a folder: src/train/model.c is the archive's train-model.o, beside model-model.o.
define in_folder
$(OUT)/$(subst /,-,$(1)).o: src/$(1).c
	$$(compile)
endef
$(foreach s,$(patsubst src/%.c,%,$(SOURCES) $(COMMANDS)) $(SERVER),$(if $(findstring /,$(s)),$(eval $(call in_folder,$(s)))))
$(PROGRAM) $(SERVED): INCLUDE += -Isrc/program

# Text that becomes part of a program: each line a C string.
$(OUT)/%.world.inc: world/%.world
	@mkdir -p $(@D)
	@sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $< > $@
$(OUT)/%.html.inc: src/server/%.html
	@mkdir -p $(@D)
	@sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $< > $@
$(OUT)/server-page.o: INCLUDE += -I$(OUT)
$(OUT)/server-page.o: $(OUT)/page.html.inc
$(OUT)/world-rules_read.o: INCLUDE += -I$(OUT)
$(OUT)/world-rules_read.o: $(patsubst world/%,$(OUT)/%.inc,$(wildcard world/*.world))

below:
	@for layer in $(BELOW); do $(MAKE) -s --no-print-directory -C ../$$layer lib || exit 1; done
$(LOWER): | below ;

# A test file links the libraries and cmocka; an object named in MINE is linked before them,
# so that a reader's own function takes the place of the library's.
$(OUT)/test_%: tests/test_%.c $(LIBS)
	$(call building,the tests of $(LAYER))@mkdir -p $(@D)
	@$(CC) $(STRICT) $(TEST_FLAGS) $(INCLUDE) -I../tests -Itests -MMD -MP $< $(MINE) $(LIBS) -lcmocka $(LINK) -o $@

linked = $(CC) $(STRICT) $(CFLAGS) $(1) -o $@.$$$$ && mv -f $@.$$$$ $@

# The program of layer 6.  libdl, by which it looks for an editor of lines and for readers of pictures, is a part of the C library, on Linux often in a
# file of its own.
$(BUILT)/bin/strata $(BUILT)/bin/strata-serve: LINK += $(if $(filter Linux,$(shell uname)),-ldl)
program: $(BUILT)/bin/strata
$(BUILT)/bin/strata: $(PROGRAM) $(LIBS)
	@mkdir -p $(@D)
	@$(call linked,$(PROGRAM) $(MINE) $(LIBS) $(LINK))

# The server, a program of its own: it alone needs a library that is not the system's, and is built where that one is.
# (\043 is #, which every make and shell would read in a way of its own.)
HTTP := $(if $(SERVER),$(shell printf '\043include <microhttpd.h>\n' | $(CC) $(INCLUDE) -E - >/dev/null 2>&1 && echo yes))
SHARES := $(foreach s,base64 compute input listing loaded_model options pictures-files pictures-jpeg pictures-pictures pictures-png pictures-shown tools tools_read tools_stage write,$(OUT)/program-$(s).o)
program: $(if $(HTTP),$(BUILT)/bin/strata-serve)
$(BUILT)/bin/strata-serve: $(SERVED) $(SHARES) $(LIBS)
	@mkdir -p $(@D)
	@$(call linked,$(SERVED) $(SHARES) $(MINE) $(LIBS) -lmicrohttpd $(LINK))

build-tests: $(TESTS)
test: build-tests
	@../tests/run_tests.sh $(TESTS)

# The worked exercises: narrated, with a sentence of the reader's (SENTENCE), or as CSV with ARGS=--csv.
WORKED ?= worked
override SENTENCE := $(value SENTENCE)
override GRAMMAR := $(value GRAMMAR)
export SENTENCE GRAMMAR
$(OUT)/worked $(OUT)/top $(OUT)/grammar $(OUT)/words: $(OUT)/%: exercise/%.c ../exercises/worked.h $(wildcard exercise/*.h) $(LIBS)
	@mkdir -p $(@D)
	@$(CC) $(STRICT) $(CFLAGS) $(INCLUDE) -I../exercises $< $(LIBS) $(LINK) -o $@
worked: $(OUT)/$(WORKED)
	@cd .. && $(BUILD)/$(LAYER)/$(WORKED) $(ARGS)

clean:
	@rm -rf $(OUT) $(LIB)

-include $(OBJECTS:.o=.d) $(PROGRAM:.o=.d) $(SERVED:.o=.d) $(TESTS:=.d)
