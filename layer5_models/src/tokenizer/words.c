/* words.c - a text word by word.  No merge crosses from one word to the next, and words repeat:
 * the tokens of one that came before are copied from where they stand in the list. */
#include "vocab.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KNOWN = 1 << 14 };

typedef struct KnownWord {
    /* borrowed from the text or, of SentencePiece, from `escaped`; size 0: none yet */
    Text bytes;
    size_t first; /* its tokens in the list */
    size_t count;
} KnownWord;

struct Words {
    const Tokenizer *tokenizer;
    MergeRoom room;
    KnownWord *known; /* (n_known), by hash; a later word takes an earlier one's place */
    size_t n_known;
    char *escaped, *end; /* sentencepiece: the texts so far, spaces as U+2581 */
};

Words *words_open(const Tokenizer *tokenizer, size_t size, Fault *fault) {
    Words *words = calloc(1, sizeof *words);
    if (words) {
        words->tokenizer = tokenizer;
        for (words->n_known = 1; words->n_known < MAX_KNOWN && words->n_known < size / 16;)
            words->n_known *= 2;
        words->known = calloc(words->n_known, sizeof *words->known);
        /* Each byte may be a space, of three, and each text has one more in front: for these there
         * is room, too, since between two texts stands a special token of a byte at least. */
        if (tokenizer->sentencepiece && size < SIZE_MAX / 3)
            words->escaped = words->end = malloc(3 * (size + 1));
        if (words->known && (words->escaped || !tokenizer->sentencepiece)) return words;
    }
    words_close(words);
    fault_set(fault, "no memory to make tokens of a text of %zu bytes", size);
    return NULL;
}

void words_close(Words *words) {
    if (!words) return;
    merge_room_free(&words->room);
    free(words->known), free(words->escaped), free(words);
}

static Text escape(Words *words, Text text) {
    char *start = words->end;
    if (words->tokenizer->add_space_prefix)
        words->end += escape_spaces((Text){" ", 1}, words->end);
    words->end += escape_spaces(text, words->end);
    return (Text){start, (size_t)(words->end - start)};
}

static bool copy_known(const KnownWord *known, TokenList *tokens, Fault *fault) {
    if (!token_list_reserve(tokens, known->count, fault)) return false;
    for (size_t i = 0; i < known->count; i++)
        token_list_add(tokens, tokens->ids[known->first + i]);
    return true;
}

static bool encode_word(Words *words, Text word, TokenList *tokens, Fault *fault) {
    KnownWord *known = &words->known[vocab_hash(word) & (words->n_known - 1)];
    if (known->bytes.size && text_equal(known->bytes, word))
        return copy_known(known, tokens, fault);
    size_t first = tokens->count;
    EncodeWord *encode = words->tokenizer->sentencepiece ? encode_sentencepiece : encode_bpe;
    if (!encode(words->tokenizer, word, &words->room, tokens, fault)) return false;
    *known = (KnownWord){word, first, tokens->count - first};
    return true;
}

bool words_encode(Words *words, Text text, TokenList *tokens, Fault *fault) {
    const Tokenizer *t = words->tokenizer;
    if (text.size == 0) return true;
    if (t->sentencepiece) text = escape(words, text);
    while (text.size) {
        size_t size = t->sentencepiece ? sentencepiece_word(t, text)
                                       : split_word(t->split, text.data, text.size);
        if (!encode_word(words, (Text){text.data, size}, tokens, fault)) return false;
        text = (Text){text.data + size, text.size - size};
    }
    return true;
}
