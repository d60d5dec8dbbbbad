/* stages.c - stages whose texts must match: grammar, json, json_schema, tags, regex, choice.
 *
 * A stage's state is the row (Earley set) of its text (grammar.h) and the number of pending
 * bytes of a healed prompt; so it rewinds, copies and speculates like every other stage.
 *
 * Invariant: a token survives if and only if grammar_take accepts it. */
#include "grammar_stages.h"
#include "fault_try.h"
#include "shared.h"
#include "stage.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stages_share(void *object) { shared_use(object); }

static void close_shared(void *object) { shared_release(object); }

/* ------------------------------------------------------------------ reading */

static bool no_files;

void stage_forbid_files(void) { no_files = true; }

/* The text itself, or the contents of the file after @. */
static bool read_source(const char *text, FileMap *map, Text *source, Fault *fault) {
    *map = (FileMap){0};
    *source = text_of(text);
    if (text[0] != '@') return true;
    if (no_files) return fault_set(fault, "@FILE is not allowed here: give the text itself");
    if (!file_open(map, text + 1, fault)) return false;
    *source = (Text){(const char *)map->data, map->size};
    return true;
}

enum { LEFT_RECURSION };   /* the parameter of grammar */
enum { SPACE, ANY_ORDER }; /* of json, json_schema, tags */

static bool from_gbnf(const Stage *stage, Text source, const Tokenizer *tokenizer, Grammar **g,
                      Fault *fault) {
    const GrammarOptions options = {.tokenizer = tokenizer,
                                    .left_recursion = stage->value[LEFT_RECURSION] > 0};
    return grammar_from_gbnf(g, source, &options, fault);
}

static bool from_schema(const Stage *stage, Text source, const Tokenizer *tokenizer,
                        Grammar **g, Fault *fault) {
    const GrammarOptions options = {.space = (JsonSpace)(int)stage->value[SPACE],
                                    .any_order = stage->value[ANY_ORDER] > 0};
    (void)tokenizer;
    return grammar_from_schema(g, source, &options, fault);
}

static bool from_tags(const Stage *stage, Text source, const Tokenizer *tokenizer, Grammar **g,
                      Fault *fault) {
    const GrammarOptions options = {.space = (JsonSpace)(int)stage->value[SPACE],
                                    .any_order = stage->value[ANY_ORDER] > 0,
                                    .tokenizer = tokenizer};
    return grammar_from_tags(g, source, &options, fault);
}

static bool from_regex(const Stage *stage, Text source, const Tokenizer *tokenizer, Grammar **g,
                       Fault *fault) {
    (void)stage, (void)tokenizer;
    return grammar_from_regex(g, source, fault);
}

static bool from_choices(const Stage *stage, Text source, const Tokenizer *tokenizer,
                         Grammar **g, Fault *fault) {
    (void)stage, (void)tokenizer;
    return grammar_from_choices(g, source, fault);
}

typedef bool From(const Stage *stage, Text source, const Tokenizer *tokenizer,
                  Grammar **grammar, Fault *fault);

typedef struct Compiling {
    const Stage *stage;
    const Tokenizer *tokenizer;
    Text source;
    From *from;
    Grammar **grammar;
    Fault *fault;
    bool ok;
} Compiling;

static void stages_compile(void *context) {
    Compiling *c = context;
    c->ok = c->from(c->stage, c->source, c->tokenizer, c->grammar, c->fault);
    if (c->ok && grammar_begin(*c->grammar) == GRAMMAR_DEAD)
        c->ok = fault_set(c->fault, "no text matches it");
    c->ok = c->ok && grammar_bind(*c->grammar, c->tokenizer, c->fault);
}

static bool compile(const Stage *stage, const Tokenizer *tokenizer, Text source, From *from,
                    Grammar **grammar, Fault *fault) {
    Compiling c = {stage, tokenizer, source, from, grammar, fault, false};
    if (fault_try(stages_compile, &c, fault) && c.ok) return true;
    grammar_close(*grammar), *grammar = NULL;
    return false;
}

/* The grammar of a text: from the cache, or compiled. */
static bool share_or_compile(Stage *stage, const Tokenizer *tokenizer, Text source, From *from,
                             Fault *fault) {
    Lexicon *lexicon = lexicon_of(tokenizer, fault);
    Grammar *grammar = NULL;
    char *key = NULL;
    size_t size;
    if (!lexicon) return false;
    shared_trim(lexicon);
    FILE *out = open_memstream(&key, &size);
    if (!out) return fault_set(fault, "no memory for a grammar");
    fprintf(out, "%s %g %g ", stage->kind->name, stage->value[0], stage->value[1]);
    fwrite(source.data, 1, source.size, out);
    fclose(out);
    stage->object = shared_find(lexicon, (Text){key, size});
    bool ok = stage->object || compile(stage, tokenizer, source, from, &grammar, fault);
    if (ok && !stage->object) {
        stage->object = shared_keep(lexicon, grammar, (Text){key, size});
        ok = stage->object || fault_set(fault, "no memory for a grammar");
    }
    free(key);
    return ok;
}

static bool open_as(Stage *stage, const Tokenizer *tokenizer, const char *text, From *from,
                    Fault *fault) {
    FileMap map;
    Text source;
    if (!tokenizer)
        return fault_set(fault, "%s works on texts: it needs a model's tokenizer",
                         stage->kind->name);
    if (!read_source(text, &map, &source, fault)) return fault_prefix(fault, stage->kind->name);
    bool ok = share_or_compile(stage, tokenizer, source, from, fault);
    if (map.data) file_close(&map);
    const size_t size = strlen(stage->kind->name);
    bool named = !ok && strncmp(fault->text, stage->kind->name, size) == 0 &&
                 fault->text[size] == ':'; /* "tags: structures/0: ..." */
    return ok || (!named && fault_prefix(fault, stage->kind->name));
}

static bool open_gbnf(Stage *stage, const Tokenizer *tokenizer, Fault *fault) {
    return open_as(stage, tokenizer, stage->text, from_gbnf, fault);
}

static bool open_schema(Stage *stage, const Tokenizer *tokenizer, Fault *fault) {
    return open_as(stage, tokenizer, stage->text, from_schema, fault);
}

static bool open_tags(Stage *stage, const Tokenizer *tokenizer, Fault *fault) {
    return open_as(stage, tokenizer, stage->text, from_tags, fault);
}

static bool open_json(Stage *stage, const Tokenizer *tokenizer, Fault *fault) {
    return open_as(stage, tokenizer, "{\"type\": \"object\"}", from_schema, fault);
}

static bool open_regex(Stage *stage, const Tokenizer *tokenizer, Fault *fault) {
    return open_as(stage, tokenizer, stage->text, from_regex, fault);
}

static bool open_choice(Stage *stage, const Tokenizer *tokenizer, Fault *fault) {
    return open_as(stage, tokenizer, stage->text, from_choices, fault);
}

/* ------------------------------------------------------------------ acting */

/* Slots of a stage's state. */
enum { ROW, PENDING, MEMORY };

/* What a stage does with its grammar, by shared_run. */
typedef struct StageUse {
    SharedGrammar *shared;
    const double *memory; /* of the text */
    double row;           /* of its next token, */
    double pending;       /* and the bytes that are pending then */
    int32_t token, *tokens;
    size_t n;  /* tokens: room, then how many there are */
    bool over; /* the text; with use_mask the grammar */
    Candidates *c;
} StageUse;

static void use_begin(void *context) {
    StageUse *u = context;
    u->row = grammar_begin(u->shared->grammar);
}

static void stages_begin(const Stage *stage, double *memory) {
    StageUse u = {.shared = stage->object, .row = GRAMMAR_DEAD};
    shared_run(u.shared, use_begin, &u);
    memory[ROW] = u.row, memory[PENDING] = (double)stage->pending;
}

/* A token that repeats pending prompt bytes is checked from the byte after them. */
static void use_token(void *context) {
    StageUse *u = context;
    size_t size = tokenizer_piece(u->shared->tokenizer, u->token, false).size;
    size_t skip = (size_t)u->memory[PENDING] < size ? (size_t)u->memory[PENDING] : size;
    u->pending = u->memory[PENDING] - (double)skip;
    u->row = grammar_take_rest(u->shared->grammar, (uint32_t)u->memory[ROW], u->token, skip);
}

static void stages_accept(const Stage *stage, int32_t token, double *memory) {
    StageUse u = {
        .shared = stage->object, .memory = memory, .row = GRAMMAR_DEAD, .token = token};
    shared_run(u.shared, use_token, &u);
    memory[ROW] = u.row, memory[PENDING] = u.pending;
}

static void use_forced(void *context) {
    StageUse *u = context;
    u->n = grammar_forced(u->shared->grammar, (uint32_t)u->memory[ROW], u->tokens, u->n);
}

static size_t forced(const Stage *stage, int32_t *tokens, size_t room) {
    StageUse u = {
        .shared = stage->object, .memory = stage_memory(stage), .tokens = tokens, .n = room};
    return u.memory[PENDING] == 0 && shared_run(u.shared, use_forced, &u) ? u.n : 0;
}

static void use_end(void *context) {
    StageUse *u = context;
    u->over = grammar_is_over(u->shared->grammar, (uint32_t)u->memory[ROW]) &&
              !grammar_is_exhausted(u->shared->grammar);
}

static bool ends(const Stage *stage) {
    StageUse u = {.shared = stage->object, .memory = stage_memory(stage)};
    return u.memory[PENDING] == 0 && shared_run(u.shared, use_end, &u) && u.over;
}

/* Ids beyond the vocabulary are masked too. */
static void mask_dense(float *logits, size_t count, const uint64_t *mask, size_t words) {
    size_t known = min_size(count, 64 * words);
    vector_mask(logits, mask, known);
    for (size_t i = known; i < count; i++) logits[i] = -INFINITY;
}

/* While prompt bytes are pending, few candidates are left: try each. */
static void try_each(StageUse *u) {
    for (size_t i = 0; i < u->c->count; i++) {
        u->token = candidates_id(u->c, i);
        if (u->c->logits[i] > -INFINITY) use_token(u);
        if (u->row == GRAMMAR_DEAD) u->c->logits[i] = -INFINITY;
    }
}

static void mask_some(const Candidates *c, const uint64_t *mask, size_t words) {
    for (size_t i = 0; i < c->count; i++) {
        size_t id = (size_t)c->ids[i];
        if (id / 64 >= words || !(mask[id / 64] >> (id % 64) & 1)) c->logits[i] = -INFINITY;
    }
}

static void use_mask(void *context) {
    StageUse *u = context;
    Grammar *g = u->shared->grammar;
    size_t words;
    if (u->memory[PENDING] > 0) {
        try_each(u);
    } else {
        const uint64_t *mask = grammar_mask(g, (uint32_t)u->memory[ROW], &words);
        if (u->c->dense)
            mask_dense(u->c->logits, u->c->count, mask, words);
        else
            mask_some(u->c, mask, words);
    }
    u->over = grammar_is_exhausted(g); /* the mask may be incomplete */
}

static void apply(Stage *stage, Candidates *c, const Step *step) {
    StageUse u = {.shared = stage->object, .memory = stage_memory(stage), .c = c};
    (void)step;
    if (!shared_run(u.shared, use_mask, &u) || u.over)
        for (size_t i = 0; i < c->count; i++) c->logits[i] = -INFINITY;
    candidates_changed(c);
}

static const char *why_none(const Stage *stage) {
    SharedGrammar *shared = stage->object;
    pthread_mutex_lock(&shared->lock);
    const char *why = grammar_exceeded(shared->grammar);
    pthread_mutex_unlock(&shared->lock);
    return why;
}

static bool agrees(const Stage *stage, const Stage *other) {
    return shared_agree(stage->object, other->object);
}

static size_t stages_most(const Stage *stage, size_t enough) {
    return shared_longest(stage->object, enough);
}

#define OBEYS                                                                               \
    .formula = "logit = -infinity for every token that the grammar does not allow next",    \
    .needs = NEEDS_TOKENIZER, .share = stages_share, .close = close_shared, .apply = apply, \
    .forced = forced, .memory = MEMORY, .begin = stages_begin, .accept = stages_accept,     \
    .ends = ends, .why_none = why_none, .agrees = agrees, .most = stages_most

#define SPACE_PARAMS                                                                          \
    .params = {{.key = "space", .default_value = JSON_SPACE_ONE, .high = 2, .integer = true}, \
               {.key = "any_order", .high = 1, .integer = true}}

const StageKind stage_grammar = {
    .name = "grammar",
    .gloss = "the text obeys a grammar in llama.cpp's notation: grammar:@FILE",
    .advice =
        "formats that are not JSON. left_recursion=1 allows rules that begin with themselves.",
    .source = "Earley 1970; GBNF: llama.cpp",
    .example = "grammar:root%20%3A%3A=%20\"yes\"%20|%20\"no\"",
    .list = LIST_ONE_TEXT,
    .params = {{.key = "left_recursion", .high = 1, .integer = true}},
    .open = open_gbnf,
    OBEYS};

const StageKind stage_json = {
    .name = "json",
    .gloss = "the text is a JSON object",
    .advice =
        "any JSON; json_schema when it is known which. space: 0 anywhere, 1 one blank after a "
        "comma or a colon, 2 none.",
    .source = "RFC 8259",
    .example = "json:space=2",
    SPACE_PARAMS,
    .open = open_json,
    OBEYS};

const StageKind stage_json_schema = {
    .name = "json_schema",
    .gloss = "the text is JSON that fulfils a schema: json_schema:@FILE",
    .advice =
        "answers that programs read. any_order=1: properties in any order, not as declared.",
    .source = "JSON Schema, draft 2020-12",
    .example = "json_schema:{\"enum\"%3A[1%2C2]}",
    .list = LIST_ONE_TEXT,
    SPACE_PARAMS,
    .open = open_schema,
    OBEYS};

const StageKind stage_tags = {
    .name = "tags",
    .gloss = "free text with tags whose content obeys, or tags alone: tags:@FILE",
    .advice =
        "tool calls: free text until a trigger, then a tag with JSON in it, then free text "
        "again. strata grammar --tags FILE shows what a file allows.",
    .source = "structural tags: vLLM, XGrammar",
    .example = "tags:{\"tags\"%3A[{\"begin\"%3A\"<a>\"%2C\"end\"%3A\"</a>\"}]}",
    .list = LIST_ONE_TEXT,
    SPACE_PARAMS,
    .open = open_tags,
    OBEYS};

const StageKind stage_regex = {
    .name = "regex",
    .gloss = "the whole text matches a regular expression",
    .advice = "dates, numbers, codes. Write a comma as %2C and a colon as %3A.",
    .source = "Brzozowski 1964; syntax: ECMA-262",
    .example = "regex:[0-9]{4}-[0-9]{2}",
    .list = LIST_ONE_TEXT,
    .open = open_regex,
    OBEYS};

const StageKind stage_choice = {.name = "choice",
                                .gloss = "the text is one of a few: choice:yes|no",
                                .advice =
                                    "questions with a closed list of answers, of any length.",
                                .source = "vLLM, guided_choice",
                                .example = "choice:yes|no|perhaps",
                                .list = LIST_ONE_TEXT,
                                .open = open_choice,
                                OBEYS};
