/* encoder.c - a text word by word.  No merge crosses words, and words repeat: the tokens of a
 * word seen before are copied from earlier in the list. */
#include "encoder.h"

#include <stdlib.h>

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

Encoder *encoder_open(const Tokenizer *tokenizer, size_t size, Fault *fault) {
    Encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder) {
        encoder->tokenizer = tokenizer;
        for (encoder->n_known = 1;
             encoder->n_known < MAX_KNOWN && encoder->n_known < size / 16;)
            encoder->n_known *= 2;
        encoder->known = calloc(encoder->n_known, sizeof *encoder->known);
        if (encoder->known) return encoder;
    }
    encoder_close(encoder);
    fault_set(fault, "no memory to make tokens of a text of %zu bytes", size);
    return NULL;
}

void encoder_close(Encoder *encoder) {
    if (!encoder) return;
    scratch_free(&encoder->scratch);
    pre_free(&encoder->pre);
    while (encoder->blocks) {
        TextBlock *before = encoder->blocks->before;
        free(encoder->blocks);
        encoder->blocks = before;
    }
    free(encoder->known), free(encoder);
}

char *encoder_room(Encoder *encoder, size_t size, Fault *fault) {
    TextBlock *block = encoder->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size < BLOCK ? BLOCK : size;
        block = room < SIZE_MAX / 4 ? malloc(sizeof *block + room) : NULL;
        if (!block) {
            fault_set(fault, "no memory to make tokens of a text of %zu bytes", size);
            return NULL;
        }
        *block = (TextBlock){.before = encoder->blocks, .size = room};
        encoder->blocks = block;
    }
    block->used += size;
    return block->text + block->used - size;
}

void encoder_trim(Encoder *encoder, size_t unused) { encoder->blocks->used -= unused; }

static bool copy_known(const KnownWord *known, TokenList *tokens, Fault *fault) {
    if (!token_list_reserve(tokens, known->count, fault)) return false;
    for (size_t i = 0; i < known->count; i++)
        token_list_add(tokens, tokens->ids[known->first + i]);
    return true;
}

void encoder_report(const Encoder *encoder, Text word, const TokenList *tokens, size_t first) {
    if (encoder->report) encoder->report->word(encoder, word, tokens, first);
}

bool encoder_word(Encoder *encoder, Text word, EncodeWord *encode, TokenList *tokens,
                  Fault *fault) {
    KnownWord *known = &encoder->known[vocab_hash(word) & (encoder->n_known - 1)];
    size_t first = tokens->count;
    if (known->bytes.size && known->first >= encoder->known_from &&
        text_equal(known->bytes, word)) {
        if (!copy_known(known, tokens, fault)) return false;
        encoder_report(encoder, word, tokens, first);
        return true;
    }
    if (!encode(encoder->tokenizer, word, &encoder->scratch, tokens, fault)) return false;
    encoder_report(encoder, word, tokens, first);
    *known = (KnownWord){word, first, tokens->count - first};
    return true;
}

/* ------------------------------------------------------------------ texts */

bool encoder_clean(Encoder *encoder, Text *text, Fault *fault) {
    const LlamaStyle *style = encoder->tokenizer->as_llama;
    return !style || style->clean(encoder, text, fault);
}

/* Spaces as U+2581, with one more in front if the file asks for it. */
static bool spaces_escaped(Encoder *encoder, Text *text, Fault *fault) {
    size_t max = 3 * (text->size + 1);
    char *out = encoder_room(encoder, max, fault), *end = out;
    if (!out) return false;
    if (encoder->tokenizer->add_space_prefix) end += escape_spaces((Text){" ", 1}, end);
    end += escape_spaces(*text, end);
    encoder_trim(encoder, max - (size_t)(end - out));
    *text = (Text){out, (size_t)(end - out)};
    return true;
}

bool encode_split_text(Encoder *encoder, Text text, TokenList *tokens, Fault *fault) {
    const Tokenizer *t = encoder->tokenizer;
    EncodeWord *encode = t->rule->encode ? t->rule->encode : encode_bpe;
    if (!encoder_clean(encoder, &text, fault) ||
        (t->spaces && !spaces_escaped(encoder, &text, fault)))
        return false;
    pre_begin(&encoder->pre, &t->splitter, text);
    for (;;) {
        Cut cut;
        bool end;
        if (!pre_next(&encoder->pre, &cut, &end, fault)) return false;
        if (end) return true;
        encoder->cut = &cut;
        bool ok = encoder_word(encoder, cut.word, encode, tokens, fault);
        encoder->cut = NULL;
        if (!ok) return false;
    }
}

bool encode_merged_text(Encoder *encoder, Text text, TokenList *tokens, Fault *fault) {
    if (!spaces_escaped(encoder, &text, fault)) return false;
    while (text.size) {
        size_t size = sentencepiece_word(encoder->tokenizer, text);
        if (!encoder_word(encoder, (Text){text.data, size}, encode_sentencepiece, tokens,
                          fault))
            return false;
        text = (Text){text.data + size, text.size - size};
    }
    return true;
}
