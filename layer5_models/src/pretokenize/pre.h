/* pre.h - splitting text into words before tokens are looked for; private to layer 5. */
#ifndef STRATA_PRE_H
#define STRATA_PRE_H

#include "../pattern/pattern.h"
#include "tokenizer.h"

enum { MAX_STAGES = 6 };

struct Scratch;

/* The tokens of one word, appended.  False when memory is short or a byte has no token. */
typedef bool EncodeWord(const Tokenizer *tokenizer, Text word, struct Scratch *scratch,
                        TokenList *tokens, Fault *fault);

/* A rule (tokenizer.ggml.pre): a row of the table. */
typedef struct PreRule {
    /* patterns, each on the pieces that the one before has left */
    const char *stages[MAX_STAGES];
    bool ignore_merges; /* a word that is a token is that token, whatever the merges make */
    bool add_bos;       /* unless the file says otherwise */
    EncodeWord *encode; /* of characters, with spaces as U+2581; NULL: of bytes */
    const char *const *names;
} PreRule;

/* The table; the last row has no names.  The core's is pre_rules.c; extras/pre_rules.c, with
 * all rules, replaces it in programs that link it. */
extern const PreRule pre_rules[];

/* Where other rules are, for the fault about one; "" when here are all. */
extern const char *const pre_rules_elsewhere;

const PreRule *pre_rule_by_name(Text name); /* NULL: not built in */

/* split.c: patterns, ready.  All threads may share one. */
typedef struct Splitter {
    Pattern *stages[MAX_STAGES];
    size_t count;
} Splitter;

/* Open the patterns of `stages` (MAX_STAGES), up to the first NULL. */
bool splitter_open(Splitter *splitter, const char *const *stages, const RegexNotation *notation,
                   Fault *fault);
void splitter_close(Splitter *splitter);

/* One text on its way through the stages.  Begins as {0}; pre_free gives its memory back. */
typedef struct PreTokenizer {
    const Splitter *splitter;
    struct {
        Search search; /* of one piece of the stage before */
        size_t at;     /* in it: what is before has been handed on */
        Match match;   /* the next one */
        bool ahead;    /* `match` waits to be handed on */
    } stages[MAX_STAGES];
    bool begun;
} PreTokenizer;

/* A word, and why it is one: it is what `stage` matched by its `alternative`, or (-1) what lay
 * between two matches. */
typedef struct Cut {
    Text word;
    size_t stage;
    int alternative;
} Cut;

/* The text stays where it is. */
void pre_begin(PreTokenizer *pre, const Splitter *splitter, Text text);
void pre_free(PreTokenizer *pre);
/* The next word, never empty.  *end: there was none.  Fails when memory is short. */
bool pre_next(PreTokenizer *pre, Cut *cut, bool *end, Fault *fault);

#endif
