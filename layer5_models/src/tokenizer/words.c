/* words.c - a text word by word.  No merge crosses from one word to the next, and words repeat:
 * the tokens of one that came before are copied from where they stand in the list. */
#include "vocab.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_KNOWN = 1 << 14, BLOCK = 1 << 16 };

typedef struct KnownWord {
    Text bytes;   /* borrowed from the text or from a block; size 0: none yet */
    size_t first; /* its tokens in the list */
    size_t count;
} KnownWord;

typedef struct TextBlock {
    struct TextBlock *before;
    size_t size, used;
    char text[];
} TextBlock;

Words *words_open(const Tokenizer *tokenizer, size_t size, Fault *fault) {
    Words *words = calloc(1, sizeof *words);
    if (words) {
        words->tokenizer = tokenizer;
        for (words->n_known = 1; words->n_known < MAX_KNOWN && words->n_known < size / 16;)
            words->n_known *= 2;
        words->known = calloc(words->n_known, sizeof *words->known);
        if (words->known) return words;
    }
    words_close(words);
    fault_set(fault, "no memory to make tokens of a text of %zu bytes", size);
    return NULL;
}

void words_close(Words *words) {
    if (!words) return;
    merge_room_free(&words->room);
    cutter_free(&words->cutter);
    while (words->blocks) {
        TextBlock *before = words->blocks->before;
        free(words->blocks);
        words->blocks = before;
    }
    free(words->known), free(words->scratch), free(words);
}

char *words_room(Words *words, size_t size, Fault *fault) {
    TextBlock *block = words->blocks;
    if (!block || block->size - block->used < size) {
        size_t most = size < BLOCK ? BLOCK : size;
        block = most < SIZE_MAX / 4 ? malloc(sizeof *block + most) : NULL;
        if (!block) {
            fault_set(fault, "no memory to make tokens of a text of %zu bytes", size);
            return NULL;
        }
        *block = (TextBlock){.before = words->blocks, .size = most};
        words->blocks = block;
    }
    block->used += size;
    return block->text + block->used - size;
}

void words_trim(Words *words, size_t unused) { words->blocks->used -= unused; }

static bool copy_known(const KnownWord *known, TokenList *tokens, Fault *fault) {
    if (!token_list_reserve(tokens, known->count, fault)) return false;
    for (size_t i = 0; i < known->count; i++)
        token_list_add(tokens, tokens->ids[known->first + i]);
    return true;
}

bool words_encode(Words *words, Text word, EncodeWord *encode, TokenList *tokens,
                  Fault *fault) {
    KnownWord *known = &words->known[vocab_hash(word) & (words->n_known - 1)];
    size_t first = tokens->count;
    if (known->bytes.size && text_equal(known->bytes, word)) {
        if (!copy_known(known, tokens, fault)) return false;
        words_tell(words, word, tokens, first);
        return true;
    }
    if (!encode(words->tokenizer, word, &words->room, tokens, fault)) return false;
    words_tell(words, word, tokens, first);
    *known = (KnownWord){word, first, tokens->count - first};
    return true;
}

/* ------------------------------------------------------------------ kinds that merge */

bool words_clean(Words *words, Text *text, Fault *fault) {
    if (!words->tokenizer->as_llama || clean_prefix(*text) == text->size) return true;
    char *out = words_room(words, 3 * text->size, fault);
    if (!out) return false;
    size_t size = clean_text(*text, out);
    words_trim(words, 3 * text->size - size);
    *text = (Text){out, size};
    return true;
}

/* Spaces as U+2581, one more in front when the file asks for it. */
static bool escaped(Words *words, Text *text, Fault *fault) {
    size_t most = 3 * (text->size + 1);
    char *out = words_room(words, most, fault), *end = out;
    if (!out) return false;
    if (words->tokenizer->add_space_prefix) end += escape_spaces((Text){" ", 1}, end);
    end += escape_spaces(*text, end);
    words_trim(words, most - (size_t)(end - out));
    *text = (Text){out, (size_t)(end - out)};
    return true;
}

bool encode_split_text(Words *words, Text text, TokenList *tokens, Fault *fault) {
    const Tokenizer *t = words->tokenizer;
    EncodeWord *encode = t->rule->raw ? encode_characters : encode_bpe;
    if (!words_clean(words, &text, fault) || (t->rule->raw && !escaped(words, &text, fault)))
        return false;
    cutter_begin(&words->cutter, &t->splitter, text);
    for (;;) {
        Cut cut;
        bool end;
        if (!cutter_next(&words->cutter, &cut, &end, fault)) return false;
        if (end) return true;
        words->cut = &cut;
        bool ok = words_encode(words, cut.word, encode, tokens, fault);
        words->cut = NULL;
        if (!ok) return false;
    }
}

bool encode_merged_text(Words *words, Text text, TokenList *tokens, Fault *fault) {
    if (!escaped(words, &text, fault)) return false;
    while (text.size) {
        size_t size = sentencepiece_word(words->tokenizer, text);
        if (!words_encode(words, (Text){text.data, size}, encode_sentencepiece, tokens, fault))
            return false;
        text = (Text){text.data + size, text.size - size};
    }
    return true;
}

bool encode_between_space(Words *words, Text text, TokenList *tokens, Fault *fault) {
    size_t taken, size = 0, most;
    if (!words_clean(words, &text, fault)) return false;
    most = 2 * text.size; /* a lower-case letter takes at most twice the bytes */
    char *out = words_room(words, most, fault);
    if (!out) return false;
    for (size_t at = 0, from = 0;; at += taken) {
        uint32_t code =
            at < text.size ? utf8_decode(text.data + at, text.size - at, &taken) : ' ';
        if (at == text.size || unicode_is_space(code)) {
            Text word = {out + from, size - from};
            if (word.size && !words_encode(words, word, encode_characters, tokens, fault))
                return false;
            if (at == text.size) break;
            from = size;
        } else if (words->tokenizer->lowercase && code != 0xFFFD) {
            size += utf8_encode(unicode_lower(code), out + size);
        } else {
            memcpy(out + size, text.data + at, taken), size += taken;
        }
    }
    words_trim(words, most - size);
    return true;
}
