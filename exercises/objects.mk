# What all gradings share, compiled once into build/exercises/objects: graders, the tests of the layers, and the library's own
# files twice: weak, so that a learner's function takes the place of one of theirs, and under the prefix shipped_, for graders to
# compare with.
#
#   make -s -f exercises/objects.mk           everything
#   make -s -f exercises/objects.mk FILE...   these objects
#
# FLAGS and INCLUDE come from grading.sh.
OBJECTS := build/exercises/objects
GRADERS := $(wildcard layer[1-6]_*/exercise/grade*.c)
TESTS   := $(shell awk -F' [|] ' '/^[1-6]/ && $$2 ~ /fill|break|speed/ && $$8 != "-" { test = FILENAME; sub(/exercise.*/, "tests/" $$8 ".c", test); print test }' layer[1-6]_*/exercise/holes.txt | sort -u)
SOURCES := $(shell awk -F' [|] ' '/^[1-6]/ && $$2 ~ /fill|break|speed/ { print $$6 }' layer[1-6]_*/exercise/holes.txt | sort -u)
# TOP=3: only what the cores of layers 1 to 3 have, in an archive of that name.
SHIPPED := $(SOURCES:%.c=$(OBJECTS)/shipped/%.o)
ifneq ($(TOP),)
SHIPPED := $(foreach n,$(wordlist 1,$(TOP),1 2 3 4 5 6),$(foreach source,$(filter layer$(n)_%,$(SOURCES)),$(if $(findstring /src/,$(source)),$(source:%.c=$(OBJECTS)/shipped/%.o))))
endif
WEAK    := $(SOURCES:%.c=$(OBJECTS)/weak/%.o)

all: $(GRADERS:%.c=$(OBJECTS)/%.o) $(if $(CMOCKA),$(TESTS:%.c=$(OBJECTS)/%.o)) $(OBJECTS)/todo.o $(OBJECTS)/calls.o $(OBJECTS)/commands.o $(OBJECTS)/shipped$(TOP).a $(WEAK)

compile = @echo "+ $<" && mkdir -p $(@D) && $(CC) $(FLAGS) $(INCLUDE) -I$(firstword $(subst /, ,$<))/tests -I$(firstword $(subst /, ,$<))/src -I$(firstword $(subst /, ,$<))/extras -I$(<D) -MMD -MP -c $< -o $@
$(OBJECTS)/todo.o $(OBJECTS)/calls.o $(OBJECTS)/commands.o: $(OBJECTS)/%.o: exercises/%.c
	$(compile) -Ilayer6_inference/extras/program
$(OBJECTS)/score/%.o: exercises/score/%.c
	$(compile) -Ilayer6_inference/extras -Ilayer5_models/src -Ilayer5_models/extras
# Graders and tests are little optimised, and quickly compiled; a learner's work is like the library.
$(OBJECTS)/layer%.o: layer%.c
	$(compile) -O1 -g0 -Wno-unknown-warning-option -Wno-maybe-uninitialized
# Compiled once more: what the compiler knows to be weak it neither inlines nor specialises, so that a caller in the same file
# calls the learner's.
$(OBJECTS)/weak/%.o: %.c build/%.o
	@mkdir -p $(@D) && . exercises/list.sh && globals build/$*.o | sed -n 's/^defined /#pragma weak /p' >$(@:.o=.h)
	$(compile) -g0 -w -include $(@:.o=.h)
$(OBJECTS)/shipped/%.o: %.c exercises/shipped build/%.o
	@echo "+ $<" && mkdir -p $(@D) && exercises/shipped $< $@
$(OBJECTS)/shipped$(TOP).a: $(SHIPPED)
	@rm -f $@ && $(AR) rcs $@ $^

-include $(wildcard $(OBJECTS)/score/*.d) $(patsubst %.o,%.d,$(GRADERS:%.c=$(OBJECTS)/%.o) $(TESTS:%.c=$(OBJECTS)/%.o))
