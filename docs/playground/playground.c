/* playground.c - the storyteller in a page: the libraries of all six layers as WebAssembly.
 *
 *     play_open(bytes, size)       the model; call once
 *     play_samplers()              every stage and its parameters, as CSV (the sliders)
 *     play_presets()               names for chains, as CSV
 *     play_begin(prompt)           evaluate a prompt
 *     play_chain(text, seed)       set the chain; its state follows from the text so far
 *     play_spec()                  that chain as the library prints it
 *     play_stages()                its stages with their values, as CSV
 *     play_look(rows)              what each stage would do now, as CSV (trace.h); 0: all rows
 *     play_left(place)             how many candidates that stage left; place 0: the model
 *     play_choose()                choose without a trace: many times faster
 *     play_chosen()                the token that the last play_look or play_choose chose
 *     play_take(token)             append a token; the model evaluates it
 *     play_back()                  remove the last token
 *     play_draws(count)            draws with other seeds: how often each token came, as CSV
 *     play_check(ended)            is the text, with its prompt, one of Tiny World's?  As CSV
 *     play_text()                  the text written so far
 *     play_written()               each of its tokens with its surprisal, as CSV
 *     play_piece(token)            the bytes of a token
 *     play_isa(name)               compute with another instruction set: scalar, wasm
 *
 * Texts are passed in through play_room(bytes).  A function that can fail returns NULL or the
 * reason; texts are valid until the next call.
 *
 * Invariant: from a prompt on, taking the chosen tokens with the instruction set `scalar`
 * writes what `strata generate --isa scalar` writes. */
#include "playground.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    Model model;
    Session session;
    Candidates candidates;
    Arena arena;
    Chain chain;
    uint64_t seed;
    TokenList tokens;
    size_t prompt;     /* of the tokens: read, not written */
    float *surprisals; /* (ctx) of the written tokens, in nats under the model */
    float *logits;     /* (vocab) of the next token; stages write to a copy */
    float *copy;
    int32_t chosen;
    size_t left[CHAIN_STAGES + 1]; /* of the candidates, after each place */
    ChainObserver *trace;
    char *room, *text; /* the last input and output */
    size_t text_size;
    Fault fault;
} play;

const Model *play_model(void) { return &play.model; }

/* Every returned text is written as a memory file. */
FILE *text_begin(void) {
    free(play.text);
    play.text = NULL;
    return open_memstream(&play.text, &play.text_size);
}

const char *text_end(FILE *out) {
    fclose(out);
    return play.text;
}

const char *text_fault(const Fault *fault) {
    FILE *out = text_begin();
    fputs(fault->text, out);
    return text_end(out);
}

void text_cell(FILE *out, Text text) {
    fputc('"', out);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < ' ')
            fprintf(out, "\\x%02x", c);
        else
            fprintf(out, c == '"' ? "\"\"" : "%c", c);
    }
    fputc('"', out);
}

static const char *failed(void) { return text_fault(&play.fault); }

char *EXPORT(play_room)(size_t bytes) {
    free(play.room);
    return play.room = malloc(bytes);
}

const char *EXPORT(play_open)(const char *bytes, size_t size) {
    SessionConfig config = {
        .sequences = 1, .max_tokens = 64, .max_logits = 1, .kv = {DTYPE_F16, false}};
    if (!model_open_memory(&play.model, bytes, size, &play.fault) ||
        !session_open(&play.session, &play.model, NULL, config, &play.fault) ||
        !candidates_open(&play.candidates, play.model.sizes.vocab, &play.arena, &play.fault))
        return failed();
    size_t logits = play.model.sizes.vocab * sizeof(float);
    play.logits = malloc(logits), play.copy = malloc(logits);
    play.surprisals = malloc(session_ctx(&play.session) * sizeof(float));
    play.room = NULL; /* the model stays there */
    return NULL;
}

/* A stage, then its parameters.  Those that need a second model have none here. */
static void put_stage(FILE *out, const StageKind *k) {
    bool alone = !(k->needs & ~(unsigned)NEEDS_TOKENIZER);
    fprintf(out, "%s,,,,,,%d,%d,%d,\"%s\",\"%s\"\n", k->name, alone,
            k->list != LIST_NONE && k->list != LIST_BREAKS, k->selects, k->example, k->gloss);
    for (int i = 0; i < STAGE_PARAMS && k->params[i].key; i++) {
        const StageParam *p = &k->params[i];
        fprintf(out, "%s,%s,%.9g,%.9g,%.9g,%d,,,,,\n", k->name, p->key, p->default_value,
                p->low, p->high, p->integer);
    }
}

const char *EXPORT(play_samplers)(void) {
    const StageKind *const *list;
    size_t count = stage_list(&list);
    FILE *out = text_begin();
    fprintf(out, "stage,key,default_value,low,high,integer,alone,list,selects,example,gloss\n");
    for (size_t i = 0; i < count; i++) put_stage(out, list[i]);
    return text_end(out);
}

const char *EXPORT(play_presets)(void) {
    const ChainPreset *list;
    size_t count = chain_presets(&list);
    FILE *out = text_begin();
    fprintf(out, "name,chain,gloss\ndefault,\"%s\",\"what strata uses\"\n", chain_default);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s,\"%s\",\"%s\"\n", list[i].name, list[i].spec, list[i].gloss);
    return text_end(out);
}

/* Evaluate tokens and keep the logits of the next one. */
static bool read_tokens(const int32_t *ids, size_t count) {
    if (!session_eval(&play.session, ids, count, false, &play.fault)) return false;
    memcpy(play.logits, play.session.logits, play.model.sizes.vocab * sizeof(float));
    return true;
}

const char *EXPORT(play_begin)(const char *prompt) {
    play.tokens.count = 0;
    tokenizer_begin(play.model.tokenizer, &play.tokens);
    if (!tokenizer_encode(play.model.tokenizer, text_of(prompt), false, &play.tokens,
                          &play.fault))
        return failed();
    play.prompt = play.tokens.count;
    session_rewind(&play.session, 0, 0);
    chain_reset(&play.chain);
    if (!generate_check_prompt(&play.session, &play.tokens, false, &play.fault) ||
        !read_tokens(play.tokens.ids, play.tokens.count))
        return failed();
    return NULL;
}

const char *EXPORT(play_chain)(const char *text, unsigned seed) {
    Chain chain;
    if (!chain_parse(&chain, text, play.model.tokenizer, &play.fault)) return failed();
    chain_close(&play.chain);
    play.chain = chain;
    play.seed = seed;
    for (size_t i = play.prompt; i < play.tokens.count; i++)
        chain_accept(&play.chain, play.tokens.ids[i]);
    return NULL;
}

const char *EXPORT(play_spec)(void) {
    static char *text;
    free(text);
    return text = chain_print(&play.chain);
}

/* A row for each stage, then one for each of its parameters. */
const char *EXPORT(play_stages)(void) {
    FILE *out = text_begin();
    fprintf(out, "stage,key,value\n");
    for (size_t i = 0; i < play.chain.count; i++) {
        const Stage *stage = &play.chain.stages[i];
        fprintf(out, "%s,,\n", stage->kind->name);
        for (int p = 0; p < STAGE_PARAMS && stage->kind->params[p].key; p++)
            fprintf(out, "%s,%s,%.9g\n", stage->kind->name, stage->kind->params[p].key,
                    stage->value[p]);
    }
    return text_end(out);
}

/* Counts the candidates left, and passes the call on to the trace. */
static void count_left(void *trace, const Stage *stage, Candidates *c) {
    size_t *left = &play.left[stage ? stage->index + 1 : 0];
    *left = 0;
    for (size_t i = 0; i < c->count; i++) *left += c->logits[i] != -INFINITY;
    play.trace(trace, stage, c);
}

static void observe(Trace *trace, size_t rows) {
    trace->max_rows = rows;
    trace_observe(trace, &play.chain);
    play.trace = play.chain.observer;
    play.chain.observer = count_left;
}

/* The chain chooses; with `out`, every stage also writes its trace there, up to `rows` rows. */
static bool choose(FILE *out, size_t rows) {
    Trace trace = {0};
    Step step = {.seed = play.seed,
                 .position = play.tokens.count,
                 .history = play.tokens.ids,
                 .history_count = play.tokens.count,
                 .prompt_count = play.prompt,
                 .tokenizer = play.model.tokenizer};
    memcpy(play.copy, play.logits, play.model.sizes.vocab * sizeof(float));
    if (!chain_check(&play.chain, &step, &play.fault) ||
        (out &&
         !trace_open(&trace, out, play.model.sizes.vocab, play.model.tokenizer, &play.fault)))
        return false;
    if (out) observe(&trace, rows);
    bool ok = candidates_load(&play.candidates, play.copy, &play.fault) &&
              chain_run(&play.chain, &play.candidates, &step, &play.chosen, &play.fault);
    play.chain.observer = NULL;
    trace_close(&trace);
    return ok;
}

const char *EXPORT(play_look)(unsigned rows) {
    FILE *out = text_begin();
    bool ok = choose(out, rows);
    text_end(out);
    return ok ? play.text : failed();
}

unsigned EXPORT(play_left)(unsigned place) { return (unsigned)play.left[place]; }

const char *EXPORT(play_choose)(void) { return choose(NULL, 0) ? NULL : failed(); }

int32_t EXPORT(play_chosen)(void) { return play.chosen; }

const char *EXPORT(play_draws)(unsigned count) {
    uint64_t seed = play.seed;
    int32_t chosen = play.chosen;
    unsigned *counts = calloc(play.model.sizes.vocab, sizeof *counts);
    bool ok = counts || fault_set(&play.fault, "no memory to count draws");
    for (unsigned i = 0; ok && i < count; i++) {
        play.seed = rng_hash(seed, 1, i);
        ok = choose(NULL, 0);
        if (ok) counts[play.chosen]++;
    }
    play.seed = seed, play.chosen = chosen;
    FILE *out = text_begin();
    fprintf(out, "token,count\n");
    for (size_t i = 0; ok && i < play.model.sizes.vocab; i++)
        if (counts[i]) fprintf(out, "%zu,%u\n", i, counts[i]);
    text_end(out);
    free(counts);
    return ok ? play.text : failed();
}

static bool is_token(int32_t token) {
    return token >= 0 && (size_t)token < play.model.sizes.vocab;
}

/* Does a token end the text? */
int EXPORT(play_ends)(int32_t token) {
    return is_token(token) && tokenizer_is_end(play.model.tokenizer, token);
}

/* -ln p of a token before any chain. */
static float surprisal_of(int32_t token) {
    float max = vector_max(play.logits, play.model.sizes.vocab);
    ExpSums sums = scan_exp(play.logits, play.model.sizes.vocab, max);
    return (float)(log(sums.sum) - (double)(play.logits[token] - max));
}

const char *EXPORT(play_take)(int32_t token) {
    size_t ctx = session_ctx(&play.session);
    if (!is_token(token))
        return fault_set(&play.fault, "there is no token %d: the model has %zu", token,
                         play.model.sizes.vocab),
               failed();
    if (play.tokens.count == ctx)
        return fault_set(&play.fault, "the text fills the model's context of %zu tokens", ctx),
               failed();
    float surprisal = surprisal_of(token);
    if (!read_tokens(&token, 1)) return failed();
    play.surprisals[play.tokens.count] = surprisal;
    chain_accept(&play.chain, token);
    token_list_add(&play.tokens, token);
    return NULL;
}

/* The previous token is evaluated once more, for its logits. */
const char *EXPORT(play_back)(void) {
    if (play.tokens.count == play.prompt) return NULL;
    size_t left = --play.tokens.count;
    chain_rewind(&play.chain, 1);
    session_rewind(&play.session, 0, left - 1);
    return read_tokens(play.tokens.ids + left - 1, 1) ? NULL : failed();
}

/* A row for each written token. */
const char *EXPORT(play_written)(void) {
    FILE *out = text_begin();
    fprintf(out, "token,surprisal\n");
    for (size_t i = play.prompt; i < play.tokens.count; i++)
        fprintf(out, "%d,%.6g\n", play.tokens.ids[i], (double)play.surprisals[i]);
    return text_end(out);
}

/* Its bytes, which may be part of a character. */
const char *EXPORT(play_piece)(int32_t token) {
    FILE *out = text_begin();
    Text piece = tokenizer_piece(play.model.tokenizer, token, false);
    fwrite(piece.data, 1, piece.size, out);
    return text_end(out);
}

const char *EXPORT(play_isa)(const char *name) {
    return kernels_select(name, &play.fault) ? NULL : failed();
}

const char *EXPORT(play_text)(void) {
    FILE *out = text_begin();
    for (size_t i = play.prompt; i < play.tokens.count; i++) {
        Text piece = tokenizer_piece(play.model.tokenizer, play.tokens.ids[i], false);
        fwrite(piece.data, 1, piece.size, out);
    }
    return text_end(out);
}

/* The prompt's tokens, too; not ended: could it go on to be a document? */
const char *EXPORT(play_check)(int ended) {
    static World *world;
    WorldText text = {0};
    if (!world && !(world = world_open(&play.fault))) return failed();
    for (size_t i = 0; i < play.tokens.count; i++)
        world_text_append(&text,
                          tokenizer_piece(play.model.tokenizer, play.tokens.ids[i], false));
    WorldVerdict v =
        world_check(world, "document", text.bytes ? text.bytes : "", text.size, !ended);
    FILE *out = text_begin();
    fprintf(out, "valid,reason,place,detail\n%d,%s,%zu,", v.valid, v.valid ? "" : v.reason,
            v.valid ? text.size : v.place);
    text_cell(out, v.valid ? text_of("") : text_of(v.detail));
    fputc('\n', out);
    world_text_free(&text);
    return text_end(out);
}
