/* worked.h - what the worked exercises share: the reader's sentence, the model in the box, and
 * a guess before the answer.
 *
 *     make worked 4 SENTENCE='The fox lost his hat'
 *
 * The sentence is cut here by taking the longest token that fits, again and again: near to what
 * the tokenizer of layer 5 does, and enough to find a word's number with no more than a file
 * and a loop. */
#ifndef STRATA_WORKED_H
#define STRATA_WORKED_H

#include "gguf.h"
#include "file_map.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline const char *sentence_or(const char *usual) {
    const char *own = getenv("SENTENCE");
    return own && *own ? own : usual;
}

/* Ask before the answer is shown; only a person at a terminal is waited for. */
static inline void guess(const char *question, ...) {
    char line[256];
    va_list values;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return;
    va_start(values, question);
    printf("   A guess first: ");
    vprintf(question, values);
    printf(" ");
    va_end(values);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) putchar('\n');
    putchar('\n');
}

static inline void worked_fails(const char *why) {
    fprintf(stderr, "worked: %s\n", why);
    exit(1);
}

/* Are CSV lines wanted (--csv), or the narration? */
static inline bool worked_csv(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (i == 1 && strcmp(argv[i], "--csv") == 0) continue;
        fprintf(stderr, "worked: argument '%s': wanted --csv, or none for the narration\n",
                argv[i]);
        exit(2);
    }
    return argc > 1;
}

/* The exit status of a program that has printed all. */
static inline int worked_end(void) {
    if (fflush(stdout) != 0 || ferror(stdout))
        worked_fails("standard output is full or closed");
    return 0;
}

static inline void open_storyteller(FileMap *map, Gguf *gguf) {
    Fault fault;
    if (!file_open(map, "layer5_models/models/storyteller.gguf", &fault) ||
        !gguf_parse(gguf, map->data, map->size, &fault))
        worked_fails(fault.text);
}

static inline const GgufTensor *tensor_named(const Gguf *gguf, const char *name) {
    const GgufTensor *t = gguf_find_tensor(gguf, name);
    if (!t) worked_fails("the storyteller lacks a tensor");
    return t;
}

typedef struct Word {
    size_t token; /* its number in the vocabulary */
    Text text;    /* its piece of the sentence */
} Word;

/* How many bytes of the text a piece of the vocabulary covers: it writes a space as the two
 * bytes C4 A0. */
static inline size_t covers(Text piece, const char *text) {
    size_t at = 0;
    for (size_t i = 0; i < piece.size; at++) {
        bool space = i + 1 < piece.size && memcmp(piece.data + i, "\xC4\xA0", 2) == 0;
        if (text[at] != (space ? ' ' : piece.data[i])) return 0;
        i += space ? 2 : 1;
    }
    return at;
}

/* The first words of a sentence, as tokens of the model; at most `max` of them. */
static inline size_t words_of(Word *words, size_t max, const Gguf *gguf, const char *text) {
    const GgufPair *pair = gguf_find(gguf, "tokenizer.ggml.tokens");
    size_t count = 0;
    for (; *text && count < max; count++) {
        const unsigned char *cursor = pair ? pair->data : NULL;
        words[count].text = (Text){text, 0};
        for (uint64_t i = 0; pair && i < pair->count; i++) {
            size_t size = covers(gguf_next_string(&cursor), text);
            if (size > words[count].text.size) words[count] = (Word){(size_t)i, {text, size}};
        }
        if (!words[count].text.size)
            worked_fails("the sentence holds a letter that the model cannot spell here: plain "
                         "English letters, please");
        text += words[count].text.size;
    }
    if (*text)
        fprintf(stderr, "(the first %zu tokens of it; the rest, \"%s\", is left out)\n", max,
                text);
    return count;
}

/* Row `row` of a matrix of the model, as floats. */
static inline void floats_of_row(float *out, const GgufTensor *matrix, size_t row) {
    Tensor view = gguf_tensor_view(matrix);
    for (size_t i = 0; i < matrix->shape[1]; i++)
        out[i] = tensor_get(&view, (size_t[]){row, i});
}

#endif
