/* specials.c - tokens that are matched in text before all else: which they are, and finding
 * them. */
#include "vocab.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ types by name */

/* Control tokens and ends of generation that files often give another type: text that says
 * "</s>" is not the token.
 * Source   llama.cpp (d8a24cc, June 2026), llama_vocab::impl::load. */
static const char *const end_names[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<｜end▁of▁sentence｜>",
};

/* Tokens for filling in the middle: when no key names the token, the first of the names. */
static const struct {
    const char *keys[2];
    bool ends;
    const char *names[8];
} roles[] = {
    {{"fim_pre", "prefix"},
     false,
     {"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
      "<|code_prefix|>", "<|prefix|>"}},
    {{"fim_suf", "suffix"},
     false,
     {"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
      "<|code_suffix|>", "<|suffix|>"}},
    {{"fim_mid", "middle"},
     false,
     {"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
      "<|code_middle|>", "<|middle|>"}},
    {{"fim_pad"}, true, {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}},
    {{"fim_rep"},
     true,
     {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}},
    {{"fim_sep"}, true, {"<|file_sep|>"}},
};

static int32_t id_by_key(const Tokenizer *t, const Gguf *gguf, const char *key) {
    char name[64] = "tokenizer.ggml.";
    strcat(strcat(name, key), "_token_id");
    return key_token(gguf, name, t->count, -1);
}

static void set_role(Tokenizer *t, const Gguf *gguf, size_t role) {
    int32_t id = -1;
    for (int i = 0; i < 2 && id < 0 && roles[role].keys[i]; i++)
        id = id_by_key(t, gguf, roles[role].keys[i]);
    bool named = id >= 0; /* then its type is the file's affair */
    for (int i = 0; i < 8 && id < 0 && roles[role].names[i]; i++)
        id = tokenizer_find(t, roles[role].names[i]);
    if (id < 0) return;
    if (!named) t->types[id] = TOKEN_CONTROL;
    if (roles[role].ends) t->is_end[id] = 1;
}

/* gpt-oss and Solar write <|end|> after each part of an answer, and markers that are always
 * read; Gemma 4's </s> is HTML. */
static void set_exceptions(Tokenizer *t) {
    static const char *const markers[] = {"<|channel|>", "<|message|>", "<|start|>",
                                          "<|constrain|>"};
    int32_t end = tokenizer_find(t, "<|end|>"), html = tokenizer_find(t, "</s>");
    bool call = tokenizer_find(t, "<|call|>") >= 0 || tokenizer_find(t, "<|calls|>") >= 0;
    for (size_t i = 0; i < 4; i++) {
        int32_t id = tokenizer_find(t, markers[i]);
        if (id >= 0) t->types[id] = TOKEN_USER;
    }
    if (end >= 0 && call &&
        (tokenizer_find(t, "<|return|>") >= 0 || tokenizer_find(t, "<|flush|>") >= 0))
        t->types[end] = TOKEN_USER, t->is_end[end] = 0;
    if (html >= 0 && tokenizer_find(t, "<|tool_response>") >= 0)
        t->types[html] = TOKEN_NORMAL, t->is_end[html] = 0;
}

void specials_by_name(Tokenizer *t, const Gguf *gguf) {
    static const char *const end_keys[] = {"eot", "eom"};
    for (size_t i = 0; i < sizeof end_names / sizeof *end_names; i++) {
        int32_t id = tokenizer_find(t, end_names[i]);
        if (id >= 0) t->types[id] = TOKEN_CONTROL, t->is_end[id] = 1;
    }
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) set_role(t, gguf, i);
    if (t->eos >= 0) t->is_end[t->eos] = 1;
    for (size_t i = 0; i < 2; i++) {
        int32_t id = id_by_key(t, gguf, end_keys[i]);
        if (id >= 0) t->is_end[id] = 1;
    }
    set_exceptions(t);
}

/* ------------------------------------------------------------------ the sorted list */

static bool is_special(unsigned char type) {
    return type == TOKEN_CONTROL || type == TOKEN_USER || type == TOKEN_UNKNOWN;
}

static int compare_specials(const void *a, const void *b) {
    const Special *left = a, *right = b;
    size_t size = left->name.size < right->name.size ? left->name.size : right->name.size;
    int order = memcmp(left->name.data, right->name.data, size);
    if (order) return order;
    if (left->name.size != right->name.size) return left->name.size < right->name.size ? -1 : 1;
    return left->id < right->id ? -1 : 1;
}

/* Of equal names the first token stays. */
static size_t drop_equal(Special *specials, size_t n) {
    size_t to = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !text_equal(specials[i].name, specials[to - 1].name))
            specials[to++] = specials[i];
    return to;
}

bool specials_collect(Tokenizer *t, Fault *fault) {
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) n += is_special(t->types[i]);
    t->specials = calloc(n + 1, sizeof *t->specials);
    if (!t->specials) return fault_set(fault, "no memory for %zu special tokens", n);
    n = 0;
    for (size_t i = 0; i < t->count; i++)
        if (is_special(t->types[i]) && t->symbols[i].size)
            t->specials[n++] = (Special){t->symbols[i], (int32_t)i};
    qsort(t->specials, n, sizeof *t->specials, compare_specials);
    t->n_specials = drop_equal(t->specials, n);
    for (size_t byte = 0, i = 0; byte <= 256; byte++) {
        while (i < t->n_specials && (unsigned char)t->specials[i].name.data[0] < byte) i++;
        t->special_from[byte] = (uint32_t)i;
    }
    return true;
}

/* The first of specials low..high (all longer than `depth`) whose byte there is `byte` or
 * more. */
static size_t first_from(const Tokenizer *t, size_t low, size_t high, size_t depth, int byte) {
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((unsigned char)t->specials[middle].name.data[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t special_at(const Tokenizer *t, Text text, bool control) {
    unsigned char first = (unsigned char)text.data[0];
    size_t low = t->special_from[first], high = t->special_from[first + 1];
    int32_t longest = -1;
    for (size_t depth = 1; low < high; depth++) {
        /* low..high begin with these `depth` bytes; the one that is no longer stands first */
        const Special *special = &t->specials[low];
        if (special->name.size == depth) {
            if (control || t->types[special->id] == TOKEN_USER) longest = special->id;
            low++;
        }
        if (depth == text.size) break;
        int byte = (unsigned char)text.data[depth];
        high = first_from(t, low, high, depth, byte + 1);
        low = first_from(t, low, high, depth, byte);
    }
    return longest;
}
