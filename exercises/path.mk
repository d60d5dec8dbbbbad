# The program once more, with every function that a story or a training can reach telling when it begins (calls.c): what stands
# on the straight path is measured, not written down.  The rest comes from the libraries as they are.
#
#   make -s -f exercises/path.mk      build/exercises/path/strata
#
# CC and INCLUDE come from grading.sh.
TO      := build/exercises/path
PROGRAM := layer6_inference/extras/program
LAYERS  := $(wildcard layer[1-6]_*/src/*.c layer[1-6]_*/src/*/*.c layer[1-6]_*/extras/*.c layer[1-6]_*/extras/*/*.c $(PROGRAM)/*/*.c)
AWAY    := avx2 avx512 neon wasm formats grammar measure bench compare figure serve programs
SOURCES := $(filter-out $(foreach folder,$(AWAY),$(filter %,$(foreach file,$(LAYERS),$(if $(findstring /$(folder)/,$(file)),$(file))))),$(LAYERS))
TABLES  := $(wildcard layer[1-6]_*/extras/*.c)
# the core's own tables, which those of the extras replace
SOURCES := $(foreach file,$(SOURCES),$(if $(and $(findstring /src/,$(file)),$(filter $(notdir $(file)),$(notdir $(TABLES)))),,$(file)))
OBJECTS := $(SOURCES:%.c=$(TO)/%.o)
LIBS    := $(foreach name,inference models transformer nn linalg tensor,$(if $(wildcard layer?_$(name)/extras),build/lib/lib$(name)_extras.a) build/lib/lib$(name).a)

$(TO)/strata: $(OBJECTS) $(TO)/calls.o $(TO)/commands.o $(LIBS)
	@$(CC) $(OBJECTS) $(TO)/calls.o $(TO)/commands.o build/layer6_inference/program.a $(LIBS) -lm -lpthread -o $@
$(TO)/calls.o $(TO)/commands.o: $(TO)/%.o: exercises/%.c
	@echo "+ $<" && mkdir -p $(@D) && $(CC) -std=c11 -D_GNU_SOURCE -O2 -Iexercises $(INCLUDE) -I$(PROGRAM) -c $< -o $@
$(TO)/%.o: %.c
	@echo "+ $<" && mkdir -p $(@D) && $(CC) -std=c11 -D_GNU_SOURCE -ffp-contract=off -O1 -g1 -w -finstrument-functions $(INCLUDE) -I$(firstword $(subst /, ,$<))/src -I$(firstword $(subst /, ,$<))/extras -I$(PROGRAM) -Ibuild/layer5_models -I$(<D) -MMD -MP -c $< -o $@

-include $(OBJECTS:.o=.d)
