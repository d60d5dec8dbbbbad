/* llama_style.c - see llama_style.h. */
#include "llama_style.h"
#include "tokenizers.h"
#include "tokenizer/tokenizer_kinds.h"

/* The row of a rule; the last one for rules that are as trained. */
static const LlamaRule *llama_rule(const PreRule *rule) {
    const LlamaRule *row = llama_rules;
    while (row->name && !text_equal(text_of(row->name), text_of(rule->names[0]))) row++;
    return row;
}

const char *const *llama_stages(const PreRule *rule) {
    const LlamaRule *row = llama_rule(rule);
    return row->stages[0] ? row->stages : rule->stages;
}

const RegexNotation *llama_rule_notation(const PreRule *rule) {
    return llama_rule(rule)->collapsed ? &llama_notation : &word_notation;
}

static bool llama_split(Splitter *splitter, const PreRule *rule, Fault *fault) {
    return splitter_open(splitter, llama_stages(rule), llama_rule_notation(rule), fault);
}

static bool llama_clean(Encoder *encoder, Text *text, Fault *fault) {
    if (clean_prefix(*text) == text->size) return true;
    char *out = encoder_room(encoder, 3 * text->size, fault);
    if (!out) return false;
    size_t size = clean_text(*text, out);
    encoder_trim(encoder, 3 * text->size - size);
    *text = (Text){out, size};
    return true;
}

/* It looks only at the first four bits. */
static size_t llama_character(unsigned char first) {
    return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

const LlamaStyle llama_style = {llama_clean, llama_character, llama_split};

Tokenizer *tokenizer_open_as(const Gguf *gguf, TokenStyle style, Fault *fault) {
    return tokenizer_read(gguf, style == TOKENS_AS_LLAMA_CPP ? &llama_style : NULL, fault);
}
