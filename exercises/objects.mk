# What all gradings share, compiled once into build/exercises/objects: graders, the tests of the layers, and the library's
# own files under the prefix shipped_, for graders to compare with.
#
#   make -s -f exercises/objects.mk           everything
#   make -s -f exercises/objects.mk FILE...   these objects
#
# FLAGS and INCLUDE come from grading.sh.
OBJECTS := build/exercises/objects
GRADERS := $(wildcard layer[1-6]_*/exercise/grade*.c)
TESTS   := $(shell awk -F' [|] ' '/^[1-6]/ && $$2 ~ /fill|break|speed/ && $$8 != "-" { test = FILENAME; sub(/exercise.*/, "tests/" $$8 ".c", test); print test }' layer[1-6]_*/exercise/holes.txt | sort -u)
SOURCES := $(shell awk -F' [|] ' '/^[1-6]/ && $$2 ~ /fill|break|speed/ { print $$6 }' layer[1-6]_*/exercise/holes.txt | sort -u)
SHIPPED := $(SOURCES:%.c=$(OBJECTS)/shipped/%.o)
LIBS    := $(wildcard build/lib/lib*.a build/layer*/extras/*.o)

all: $(GRADERS:%.c=$(OBJECTS)/%.o) $(if $(CMOCKA),$(TESTS:%.c=$(OBJECTS)/%.o)) $(OBJECTS)/todo.o $(OBJECTS)/calls.o $(OBJECTS)/shipped.a $(OBJECTS)/symbols

compile = @mkdir -p $(@D) && $(CC) $(FLAGS) $(INCLUDE) -I$(firstword $(subst /, ,$<))/tests -I$(firstword $(subst /, ,$<))/src -I$(firstword $(subst /, ,$<))/extras -I$(<D) -MMD -MP -c $< -o $@
$(OBJECTS)/todo.o $(OBJECTS)/calls.o: $(OBJECTS)/%.o: exercises/%.c
	$(compile)
# Graders and tests are little optimised, and quickly compiled; a learner's work is like the library.
$(OBJECTS)/layer%.o: layer%.c
	$(compile) -O1 -g0 -Wno-maybe-uninitialized
$(OBJECTS)/shipped/%.o: %.c exercises/shipped $(LIBS)
	@mkdir -p $(@D) && exercises/shipped $< $@
$(OBJECTS)/shipped.a: $(SHIPPED)
	@rm -f $@ && $(AR) rcs $@ $^
# What the libraries define and call: names that a learner's own may not take.
$(OBJECTS)/symbols: $(LIBS)
	@mkdir -p $(@D) && . exercises/list.sh && globals $^ | sort -u >$@

-include $(patsubst %.o,%.d,$(GRADERS:%.c=$(OBJECTS)/%.o) $(TESTS:%.c=$(OBJECTS)/%.o))
