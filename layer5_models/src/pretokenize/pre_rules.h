/* pre_rules.h - the core's pre-tokenizer rules, as rows; private to both pre_rules.c. */
#ifndef STRATA_PRE_RULES_H
#define STRATA_PRE_RULES_H

#include "pre.h"

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

#define GPT2 \
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
#define ENDINGS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define LETTERS "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+"
#define SYMBOLS " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
#define SPACES  "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define LLAMA3  ENDINGS "|" LETTERS "|\\p{N}{1,3}|" SYMBOLS "|" SPACES
#define QWEN2   ENDINGS "|" LETTERS "|\\p{N}|" SYMBOLS "|" SPACES

#define DEFAULT_MARKS "[\\p{P}\\$\\+<=>\\^~\\|]+"

/* clang-format off */
#define PRE_RULES_OF_THE_CORE                                                                \
    {.stages = {DEFAULT_MARKS, GPT2, "\\p{N}+", "[0-9][0-9][0-9]"},                          \
     .names = NAMES("default")},                                                             \
    {.stages = {GPT2},                                                                       \
     .names = NAMES("gpt-2", "phi-2", "mpt", "olmo", "jais", "exaone4", "mellum",            \
                    "gigachat", "a.x-4.0", "trillion", "granite-docling", "jina-de",         \
                    "jina-es", "jina-v2-de", "jina-v2-es", "jina-v1-en", "jina-v2-code",     \
                    "roberta-bpe", "modern-bert")},                                          \
    {.stages = {LLAMA3},                                                                     \
     .ignore_merges = true, .add_bos = true,                                                 \
     .names = NAMES("llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral",    \
                    "midm-2.0", "lfm2", "jina-v5-nano")},                                    \
    {.stages = {QWEN2},                                                                      \
     .names = NAMES("qwen2", "deepseek-r1-qwen", "megrez", "stablelm2", "hunyuan",           \
                    "solar-open", "grok-2", "kormo", "f2llmv2")},                            \
    {.stages = {"\\p{N}", GPT2},                                                             \
     .names = NAMES("starcoder", "refact", "command-r", "smollm", "codeshell", "exaone",     \
                    "minerva-7b", "mellum2")}
/* clang-format on */

#endif
