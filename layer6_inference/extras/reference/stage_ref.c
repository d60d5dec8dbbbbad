/* stage_ref.c - ref:typical:0.9 in a chain: a sampler's definition runs in place of its fast
 * code.  It is slow on purpose: the stage is parsed again for every token.  See
 * sampler_reference.h. */
#include "sampler_reference.h"

#include "chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static SamplerReference *definition_of(const char *text) {
    return sampler_reference_find((Text){text, strcspn(text, ":")});
}

static bool no_definition(const char *text, Fault *fault) {
    char names[300] = "";
    for (size_t i = 0; sampler_reference_name(i); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 sampler_reference_name(i));
    return fault_set(fault, "ref: no definition of '%.*s', wanted one of %s",
                     (int)strcspn(text, ":"), text, names);
}

static const StageKind ref_with_amateur; /* of a definition that reads a second row */

/* Only a check: `apply` parses again. */
static bool ref_open(Stage *stage, const Tokenizer *tokenizer, Fault *fault) {
    Chain chain;
    (void)tokenizer;
    if (!definition_of(stage->text)) return no_definition(stage->text, fault);
    if (!chain_parse(&chain, stage->text, NULL, fault)) return fault_prefix(fault, "ref");
    size_t count = chain.count; /* with `draw` */
    if (chain_needs(&chain, NEEDS_AMATEUR)) stage->kind = &ref_with_amateur;
    chain_close(&chain);
    return count == 2 ||
           fault_set(fault, "ref: '%s' has %zu stages, wanted one", stage->text, count - 1);
}

static double ref_min_keep(const Stage *stage) {
    for (int i = 0; i < STAGE_PARAMS && stage->kind->params[i].key; i++)
        if (strcmp(stage->kind->params[i].key, "keep") == 0) return stage->value[i];
    return 1;
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    Chain chain;
    ReferenceRow row;
    Fault fault;
    bool parsed = chain_parse(&chain, stage->text, NULL, &fault);
    REQUIRE(parsed, "%s", fault.text);
    const Stage *named = &chain.stages[0];
    if (!stage_is_off(named)) {
        ReferenceToken *tokens = reference_row(&row, c);
        row.min_keep = (size_t)ref_min_keep(named);
        row.u = rng_unit(step->seed, step->position, stage->index);
        row.amateur = step->amateur, row.vocab = c->vocab;
        definition_of(stage->text)(&row, named->value);
        for (size_t i = 0; i < c->count; i++) c->logits[i] = -INFINITY;
        for (size_t i = 0; i < row.n; i++)
            c->logits[row.token[i].entry] = (float)row.token[i].logit;
        candidates_changed(c);
        free(tokens);
    }
    chain_close(&chain);
}

#define REF_KIND(what)                                                                    \
    {                                                                                     \
        .name = "ref",                                                                    \
        .gloss = "run a sampler's definition in place of its fast code: ref:typical:0.9", \
        .formula = "softmax, sort, running sum, threshold, in double precision",          \
        .advice = "to check a sampler: the same probabilities, though a seed may draw "   \
                  "another token, "                                                       \
                  "as draw takes the candidates in their order.  "                        \
                  "layer6_inference/extras/reference/samplers.c.",                        \
        .source = "each definition names its paper", .example = "ref:typical:0.6",        \
        .list = LIST_STAGE, .open = ref_open, .needs = what, .apply = apply               \
    }

const StageKind stage_ref = REF_KIND(0);
static const StageKind ref_with_amateur = REF_KIND(NEEDS_AMATEUR);
