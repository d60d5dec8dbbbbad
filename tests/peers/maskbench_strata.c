/* maskbench_strata.c - Strata's half of tests/peers/maskbench.cpp, whose C++ cannot read these headers. */
#include "maskbench.h"
#include "grammar_bench.h"
#include "grammar.h"

#include <stdio.h>
#include <stdlib.h>

static Tokenizer *words;

int ours_words(int *end) {
    Fault fault;
    words = bench_vocabulary(BENCH_VOCABULARY, &fault);
    if (!words) fprintf(stderr, "%s\n", fault.text), exit(1);
    void *any = ours_open("{}", 2); // makes the vocabulary's tables, once for all schemas
    ours_begin(any), ours_mask(any), grammar_close(any);
    *end = tokenizer_eos(words);
    return (int)tokenizer_count(words);
}

const char *ours_piece(int token, size_t *size) {
    Text piece = tokenizer_piece(words, token, false);
    *size = piece.size;
    return piece.data;
}

size_t ours_tokens(const char *text, size_t size, int *ids, size_t room) {
    TokenList list = {0};
    Fault fault;
    size_t n = 0;
    if (tokenizer_encode(words, (Text){text, size}, false, &list, &fault))
        while (n < list.count && n < room) ids[n] = list.ids[n], n++;
    token_list_free(&list);
    return n;
}

void *ours_open(const char *schema, size_t size) {
    const GrammarOptions options = {.space = JSON_SPACE_ONE, .any_order = true};
    Grammar *g = NULL;
    Fault fault;
    bool ok = grammar_from_schema(&g, (Text){schema, size}, &options, &fault);
    if (!ok || !grammar_bind(g, words, &fault)) grammar_close(g), g = NULL;
    return g;
}

int ours_judge(void *g, const char *text, size_t size) {
    return grammar_is_complete(g, grammar_read(g, grammar_begin(g), text, size));
}

/* The row of the text that is followed. */
static uint32_t at;

void ours_begin(void *g) { at = grammar_begin(g); }

void ours_mask(void *g) {
    size_t n;
    grammar_mask(g, at, &n);
}

int ours_take(void *g, int token) { return (at = grammar_take(g, at, token)) != GRAMMAR_DEAD; }
