/* specials.c - special tokens, matched in text before everything else. */
#include "tokenizer/tokenizer_kinds.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ types by name */

/* Control tokens and ends of generation that files often type differently.
 * Source   llama.cpp (d8a24cc, June 2026), llama_vocab::impl::load */
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

/* Fill-in-the-middle tokens (prefix, suffix and middle first): if no key names the token, the
 * first of these names. */
static const struct {
    const char *keys[2];
    bool ends;
    const char *names[10];
} roles[] = {
    {{"fim_pre", "prefix"},
     false,
     {"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
      "<|code_prefix|>", "<|prefix|>", "[PREFIX]", "<[fim-prefix]>"}},
    {{"fim_suf", "suffix"},
     false,
     {"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
      "<|code_suffix|>", "<|suffix|>", "[SUFFIX]", "<[fim-suffix]>"}},
    {{"fim_mid", "middle"},
     false,
     {"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
      "<|code_middle|>", "<|middle|>", "[MIDDLE]", "<[fim-middle]>"}},
    {{"fim_pad"}, true, {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}},
    {{"fim_rep"},
     true,
     {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}},
    {{"fim_sep"}, true, {"<|file_sep|>"}},
};

static void set_role(Tokenizer *t, const Gguf *gguf, size_t role) {
    int32_t id = -1;
    for (int i = 0; i < 2 && id < 0 && roles[role].keys[i]; i++)
        id = key_token(gguf, roles[role].keys[i], t->count, -1);
    bool named = id >= 0; /* then the file's type holds */
    for (int i = 0; i < 10 && id < 0 && roles[role].names[i]; i++)
        id = tokenizer_find(t, roles[role].names[i]);
    if (role < FIM_MARKS) t->fim[role] = id;
    if (id < 0) return;
    if (!named) t->types[id] = TOKEN_CONTROL;
    if (roles[role].ends) t->is_end[id] = 1;
}

/* gpt-oss and Solar write <|end|> after each part of an answer, and have markers that are
 * always matched; Gemma 4's </s> is HTML. */
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
        int32_t id = key_token(gguf, end_keys[i], t->count, -1);
        if (id >= 0) t->is_end[id] = 1;
    }
    set_exceptions(t);
}

/* ------------------------------------------------------------------ finding them */

static bool is_special(unsigned char type) {
    return type == TOKEN_CONTROL || type == TOKEN_USER || type == TOKEN_UNKNOWN;
}

/* Phi 3 was trained without white space after special tokens; no key says so.
 * Source   llama.cpp (d8a24cc), llama_vocab::impl::load, at its end */
static bool eat_space(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    static const char *const stay[] = {"<unk>", "<s>", "<|endoftext|>"};
    Text name = {"", 0};
    gguf_string(gguf_find(gguf, "general.name"), &name);
    char lower[64] = "";
    for (size_t i = 0; i < name.size && i < sizeof lower - 1; i++)
        lower[i] = (char)(name.data[i] | (name.data[i] >= 'A' && name.data[i] <= 'Z' ? 32 : 0));
    if (!strstr(lower, "phi-3") && !strstr(lower, "phi3")) return true;
    t->eats_space = calloc(t->count, sizeof *t->eats_space);
    if (!t->eats_space) return fault_set(fault, "no memory for %zu tokens", t->count);
    for (size_t i = 0; i < t->count; i++) t->eats_space[i] = is_special(t->types[i]);
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        int32_t id = tokenizer_find(t, stay[i]);
        if (id >= 0) t->eats_space[id] = false;
    }
    return true;
}

bool specials_collect(Tokenizer *t, const Gguf *gguf, Fault *fault) {
    for (size_t i = 0; i < t->count; i++) {
        if (!is_special(t->types[i]) || !t->symbols[i].size) continue;
        t->special_begins[(unsigned char)t->symbols[i].data[0]] = true;
        if (!prefix_tree_add(&t->specials, t->symbols[i], (int32_t)i, fault)) return false;
    }
    return eat_space(t, gguf, fault);
}

int32_t special_at(const Tokenizer *t, Text text, bool control) {
    int32_t longest = -1;
    uint32_t node = 0;
    for (size_t at = 0; at < text.size; at++) {
        node = prefix_tree_next(&t->specials, node, (unsigned char)text.data[at]);
        if (!node) break;
        int32_t id = t->specials.values[node];
        if (id >= 0 && (control || t->types[id] == TOKEN_USER)) longest = id;
    }
    return longest;
}
