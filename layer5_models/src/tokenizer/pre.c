/* pre.c - the names of rules that split text into words before BPE (tokenizer.ggml.pre).
 * Source   llama.cpp (d8a24cc, June 2026), llama_vocab::impl::load: names in one group split
 *          alike.  Names whose rule is not in split.c, and models that want a separator behind
 *          the text, are left out. */
#include "vocab.h"

static const struct {
    PreRule rule;
    const char *names[12];
} groups[] = {
    {{.split = {.gpt2 = true, .first = FIRST_PUNCTUATION, .threes = true, .bare_digits = true}},
     {"default"}},
    {{.split = {.gpt2 = true, .first = FIRST_TICKS, .threes = true}}, {"falcon"}},
    {{.split = {.gpt2 = true}},
     {"gpt-2", "phi-2", "mpt", "olmo", "jais", "exaone4", "mellum", "gigachat", "a.x-4.0",
      "trillion", "granite-docling"}},
    {{.split = {.gpt2 = true, .first = FIRST_DIGITS}},
     {"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b",
      "mellum2"}},
    {{.split = {.digits = 3}, .ignore_merges = true, .add_bos = true},
     {"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0",
      "lfm2"}},
    {{.split = {.digits = 3}}, {"dbrx", "smaug-bpe", "glm4", "chatglm-bpe"}},
    {{.split = {.digits = 1}},
     {"qwen2", "deepseek-r1-qwen", "megrez", "stablelm2", "hunyuan", "solar-open", "grok-2",
      "kormo"}},
    {{.split = {.cased = true, .digits = 1}, .ignore_merges = true, .add_bos = true},
     {"tekken"}},
};

const PreRule *pre_rule_by_name(Text name) {
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (const char *const *known = groups[i].names; *known; known++)
            if (text_equal(name, text_of(*known))) return &groups[i].rule;
    return NULL;
}
