/* rules.h - the world's grammar in memory: words, rules, and a derivation's memory.  Shared by
 * the writer and the checker; rules_read.c reads it. */
#ifndef STRATA_WORLD_RULES_H
#define STRATA_WORLD_RULES_H

#include "world.h"

enum { WORLD_VARS = 40, WORLD_COLUMNS = 6, WORLD_GUARDS = 4 };

typedef enum SymbolKind { SYMBOL_TEXT, SYMBOL_VAR, SYMBOL_RULE } SymbolKind;

typedef struct Symbol {
    SymbolKind kind;
    Text text;  /* SYMBOL_TEXT */
    int index;  /* SYMBOL_VAR: variable; SYMBOL_RULE: rule */
    int column; /* SYMBOL_VAR: -1 the word itself, else one of its columns */
    char form;  /* SYMBOL_VAR: 0 plain, 'a' with its article */
} Symbol;

/* A condition on an alternative: a tag is set, or a variable's column has a value. */
typedef struct Guard {
    bool negate;
    int tag; /* -1: a condition on a variable */
    int variable, column;
    Text value;
} Guard;

typedef struct Alternative {
    double weight;
    Guard guards[WORLD_GUARDS];
    int n_guards;
    uint64_t sets; /* tags */
    Symbol *symbols;
    size_t n_symbols, symbol_room;
} Alternative;

typedef struct Rule {
    Text name;
    Alternative *alternatives;
    size_t count, room;
} Rule;

typedef struct Word {
    Text text;
    Text columns[WORLD_COLUMNS];
} Word;

typedef struct Class {
    Text name;
    Text columns[WORLD_COLUMNS];
    int n_columns;
    Word *words;
    double *weights; /* (count) owned; NULL: all words are equally likely */
    int count;
    size_t room;
} Class;

/* A variable takes words of its class; with a share k/n, only the k-th of every n. */
typedef struct Variable {
    Text name;
    int class_index;
    int part, parts; /* 1/1: all of them */
} Variable;

struct World {
    char *text; /* owns the grammar's text; all Texts point into it */
    Rule *rules;
    size_t n_rules, rule_room;
    Class *classes;
    size_t n_classes, class_room;
    Variable variables[WORLD_VARS];
    int n_variables;
    Text tags[64];
    int n_tags;
};

/* What a derivation remembers. */
typedef struct Memory {
    short word[WORLD_VARS]; /* index into the variable's class, or -1 */
    uint64_t tags;
} Memory;

Memory world_memory(void);
const Rule *world_rule(const World *world, const char *name);
bool world_allows(const World *world, const Alternative *alternative, const Memory *memory);

/* The sum of the weights of the allowed alternatives. */
double world_weight(const World *world, const Rule *rule, const Memory *memory);

/* May the variable take this word?  No if another variable of its class has it, or it is
 * outside the variable's share. */
bool world_word_free(const World *world, int variable, int word, const Memory *memory);

/* The sum of the weights of the free words: their number if all are equally likely. */
double world_words_weight(const World *world, int variable, const Memory *memory);
double world_word_weight(const World *world, int variable, int word);

/* A variable's word as the text shows it; returns its size. */
size_t world_render(const World *world, const Symbol *symbol, int word, char *out, size_t room);

#endif
