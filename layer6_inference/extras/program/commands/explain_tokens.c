/* explain_tokens.c - strata tokenize --explain: why a text becomes these tokens, event by
 * event.
 *
 *   " lower"   rule 1:  ?\p{L}+      a word, and the pattern that matched it
 *        |l|ow|er   rank 95: ow       the word after a merge
 *       = ow   354                    a token of the word
 *
 * On a terminal the latest merge, and every second token, is colored. */
#include "explain_tokens.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

typedef struct Page {
    bool colour;
    bool merges; /* ranks, not scores */
    size_t tokens;
} Page;

static void explain_tokens_put(const Page *page, const char *colour, Text text) {
    if (page->colour) fputs(colour, stdout);
    utf8_print_escaped(stdout, text);
    if (page->colour) fputs("\033[0m", stdout);
}

static void put_word(const Page *page, const TokenEvent *e) {
    printf("\"");
    explain_tokens_put(page, "\033[1m", e->text);
    printf("\"");
    if (e->stage >= 0) {
        printf("   rule %d: ", e->stage + 1);
        if (page->colour) fputs("\033[2m", stdout);
        fwrite(e->rule.data, 1, e->rule.size, stdout); /* the pattern verbatim */
        if (page->colour) fputs("\033[0m", stdout);
    }
    printf("\n");
}

static void put_merge(const Page *page, const TokenEvent *e) {
    printf("    ");
    for (size_t i = 0; i < e->n_pieces; i++) {
        if (i) printf("|");
        explain_tokens_put(page, i == e->changed ? "\033[1;33m" : "", e->pieces[i]);
    }
    printf("   %s ", page->merges ? "rank" : "score");
    printf("%g: ", page->merges ? e->priority : -e->priority);
    explain_tokens_put(page, "\033[1;33m", e->text);
    printf("\n");
}

static void put_event(void *context, const TokenEvent *e) {
    Page *page = context;
    switch (e->kind) {
    case EVENT_WORD: put_word(page, e); break;
    case EVENT_MERGE: put_merge(page, e); break;
    case EVENT_SPECIAL:
    case EVENT_TOKEN:
        printf(e->kind == EVENT_TOKEN ? "    = " : "special ");
        explain_tokens_put(page, page->tokens++ % 2 ? "\033[44m" : "\033[42m", e->text);
        printf("   %" PRId32 "\n", e->id);
        break;
    }
}

bool explain_tokens(const Tokenizer *tokenizer, Text text, bool special, TokenList *tokens,
                    Fault *fault) {
    Page page = {.colour = isatty(STDOUT_FILENO), .merges = tokenizer_has_ranks(tokenizer)};
    return tokenizer_explain(tokenizer, text, special, put_event, &page, tokens, fault);
}
