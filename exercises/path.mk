# The program once more, with every function that a story or a training can reach telling when it begins (calls.c): what stands
# on the straight path is measured, not written down.  The rest comes from the libraries as they are.
#
#   make -s -f exercises/path.mk      build/exercises/path/strata
#
# CC and INCLUDE come from grading.sh.
TO      := build/exercises/path
LAYERS  := $(wildcard layer[1-6]_*/src/*.c layer[1-6]_*/src/*/*.c layer6_inference/src/program/*/*.c)
AWAY    := avx2 avx512 neon wasm formats grammar measure bench compare figure server
SOURCES := $(filter-out $(foreach folder,$(AWAY),$(filter %,$(foreach file,$(LAYERS),$(if $(findstring /$(folder)/,$(file)),$(file))))),$(LAYERS))
OBJECTS := $(SOURCES:%.c=$(TO)/%.o)
REST    := $(foreach file,$(wildcard layer6_inference/src/program/bench/*.c layer6_inference/src/program/compare/*.c layer6_inference/src/program/figure/*.c layer6_inference/src/program/grammar/*.c),build/layer6_inference/program-$(subst /,-,$(patsubst layer6_inference/src/program/%.c,%,$(file))).o)
LIBS    := $(foreach name,inference models transformer nn linalg tensor,build/lib/lib$(name).a)

$(TO)/strata: $(OBJECTS) $(TO)/calls.o $(LIBS)
	@$(CC) $(OBJECTS) $(TO)/calls.o $(REST) $(LIBS) -lm -lpthread -o $@
$(TO)/calls.o: exercises/calls.c
	@mkdir -p $(@D) && $(CC) -std=c11 -O2 -Iexercises -c $< -o $@
$(TO)/%.o: %.c
	@mkdir -p $(@D) && $(CC) -std=c11 -D_GNU_SOURCE -ffp-contract=off -O1 -g1 -w -finstrument-functions $(INCLUDE) -I$(firstword $(subst /, ,$<))/src -Ilayer6_inference/src/program -Ibuild/layer5_models -I$(<D) -MMD -MP -c $< -o $@

-include $(OBJECTS:.o=.d)
