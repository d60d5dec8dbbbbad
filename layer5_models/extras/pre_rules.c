/* pre_rules.c - all pre-tokenizer rules (tokenizer.ggml.pre), as data: a new model is a line.
 *
 * Source   the tokenizer.json files of the models, and llama.cpp (d8a24cc, June 2026),
 *          llm_tokenizer_bpe: which names split alike, and how it splits where it differs
 *          (llama_rules: every character above 127 is one of seven, see llama_notation.c). */
#include "pretokenize/pre_rules.h"
#include "tokenizers/kind_data.h"
#include "tokenizers/llama_style.h"

/* A word of upper-case letters, then lower-case ones; U D: letters that count as both. */
#define UPPER "\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}"
#define LOWER "\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}"
#define CASED(U, D, endings) \
    "[^\\r\\n\\p{L}\\p{N}]?" U "*" D "+" endings "|[^\\r\\n\\p{L}\\p{N}]?" U "+" D "*" endings
#define CASED_REST          " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" SPACES
#define CASED_WORD(endings) CASED("[" UPPER "]", "[" LOWER "]", endings)
#define NOT_HAN             "&&[^\\p{Han}]]"

#define MARKS "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
#define MARKED \
    MARKS "|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|" SPACES

#define KANA                  "[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+"
#define CJK                   "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+"
#define DIGITS_FROM_THE_RIGHT "\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))"
#define BLOOM                 " ?[^(\\s|.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C)]+"
#define FALCON_MARKS          "[\\p{P}\\$\\+<=>\\^~\\|`]+"
#define YOUTU                                                      \
    "[\uAC00-\uD7A3\u3131-\u318E]+|["                              \
    "\uFF01\u2026\u201C\u201D\u2018\u2019\u2014\uFF1A\uFF1B\uFF0C" \
    "\u3001-\u303F\uFE30-\uFE4F]+|[\u3105-\u312F]+|" KANA

/* DeepSeek's letters: those with a case, in the Unicode version of the time. */
#define DEEPSEEK_LETTERS                                                                       \
    "A-Za-z\u00B5\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u01BA\u01BC-\u01BF\u01C4-\u0293\u0295-"     \
    "\u02AF\u0370-\u0373\u0376\u0377\u037B-\u037D\u037F\u0386\u0388-\u038A\u038C\u038E-\u03A1" \
    "\u03A3-\u03F5\u03F7-\u0481\u048A-\u052F\u0531-\u0556\u10A0-\u10C5\u13A0-\u13F5\u13F8-"    \
    "\u13FD\u1C90-\u1CBA\u1CBD-\u1CBF\u1D00-\u1D2B\u1D6B-\u1D77\u1D79-\u1D9A\u1E00-\u1F15"     \
    "\u1F18-\u1F1D\u1F20-\u1F45\u1F48-\u1F4D\u1F50-\u1F57\u1F59\u1F5B\u1F5D\u1F5F-"            \
    "\u1F7D\u1F80"                                                                             \
    "-\u1FB4\u1FB6-\u1FBC\u1FBE\u1FC2-\u1FC4\u1FC6-\u1FCC\u1FD0-\u1FD3\u1FD6-\u1FDB\u1FE0-"    \
    "\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFC\u2102\u2107\u210A-\u2113\u2115\u2119-\u211D\u2124\u2126" \
    "\u2128\u212A-\u212D\u212F-\u2134\u2139\u213C-\u213F\u2145-"                               \
    "\u2149\u214E\u2183\u2184\u2C00-"                                                          \
    "\u2C7B\u2C7E-\u2CE4\u2CEB-\u2CEE\u2CF2\u2CF3\uA640-\uA66D\uA680-\uA69B\uA722-"            \
    "\uA76F\uA771"                                                                             \
    "-\uA787\uA78B-\uA78E\uAB70-\uABBF\uFB00-\uFB06\uFB13-\uFB17\uFF21-\uFF3A\uFF41-\uFF5A"    \
    "\U00010400-\U0001044F\U000104B0-\U000104D3\U000104D8-\U000104FB\U00010C80-\U00010CB2"     \
    "\U00010CC0-\U00010CF2\U000118A0-\U000118DF\U0001E900-\U0001E943"

/* llama.cpp's CASED: all letters but a-z, all but A-Z. */
#define ANY_ENDINGS "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
#define LLAMA_CASED(letters, endings) \
    CASED("((?=[" letters "])([^a-z]))", "((?=[" letters "])([^A-Z]))", endings)

/* The script Han, according to llama.cpp. */
#define HAN                                                                             \
    "\u4E00-\u9FFF\u3400-\u4DBF\uF900-\uFAFF\U00020000-\U0002A6DF\U0002A700-\U0002CEAF" \
    "\U0002CEB0-\U0002EBEF\U0002F800-\U0002FA1F"

const PreRule pre_rules[] = {
    PRE_RULES_OF_THE_CORE,
    {.stages = {LLAMA3}, .names = NAMES("dbrx", "smaug-bpe", "glm4", "chatglm-bpe")},
    {.stages = {ENDINGS "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}"
                        "| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" SPACES},
     .names = NAMES("qwen35")},
    {.stages = {FALCON_MARKS, GPT2, "[0-9][0-9][0-9]"}, .names = NAMES("falcon")},
    {.stages = {BLOOM}, .names = NAMES("bloom", "poro-chat", "gpt3-finnish")},
    {.stages = {BLOOM, "\\p{N}"}, .names = NAMES("viking")},
    {.stages = {CASED_WORD(ENDINGS "?") "|\\p{N}{1,3}|" CASED_REST},
     .names = NAMES("gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2")},
    {.stages = {CASED_WORD(ENDINGS "?") "|\\p{N}{1,3}|" CASED_REST},
     .ignore_merges = true,
     .names = NAMES("granite-embed-multi-97m")},
    {.stages = {CASED_WORD("") "|\\p{N}|" CASED_REST},
     .ignore_merges = true,
     .add_bos = true,
     .names = NAMES("tekken")},
    {.stages = {"\\p{Han}+|" CASED("[" UPPER NOT_HAN, "[" LOWER NOT_HAN,
                                   ENDINGS "?") "|"
                                                "\\p{N}{1,3}|" SYMBOLS "|" SPACES},
     .names = NAMES("kimi-k2")},
    {.stages = {"\\d{1,3}(?=(?:\\d{3})*\\b)",
                CASED_WORD(ENDINGS "?") "|\\p{N}{1,3}|" CASED_REST},
     .names = NAMES("tiny_aya")},
    {.stages = {YOUTU, CASED_WORD(ANY_ENDINGS) "|\\p{N}|" CASED_REST},
     .ignore_merges = true,
     .names = NAMES("youtu")},
    {.stages = {"\\p{N}{1,3}", KANA, MARKED},
     .names = NAMES("deepseek-v3", "hunyuan-dense", "joyai-llm")},
    {.stages =
         {DIGITS_FROM_THE_RIGHT,
          "[\u4E00-\u9FFF\u3400-\u4DBF\uF900-\uFAFF\u3040-\u309F\u30A0-\u30FF\uFF65-\uFF9F"
          "\u2F00-\u2FDF\u0E40-\u0E7F\u0E80-\u0EFF\u1780-\u17FF\u1000-\u109F\uAA60-\uAA7F"
          "\uA9E0-\uA9FF\uAC00-\uD7AF\u1100-\u11FF]+",
          MARKED},
     .names = NAMES("afmoe")},
    {.stages = {"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", CJK, "\\p{N}"},
     .names = NAMES("deepseek-coder")},
    {.stages = {"[\\r\\n]", "\\s?[" DEEPSEEK_LETTERS "]+",
                "\\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+", "\\s+$",
                CJK, "\\p{N}+"},
     .names = NAMES("deepseek-llm")},
    {.stages = {"\\p{N}+", "(?=(\\d{3})+(?!\\d))"}, .names = NAMES("superbpe")},
    {.stages = {ENDINGS "|" LETTERS "|\\p{N}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|" SPACES},
     .names = NAMES("seed-coder")},
    {.stages = {"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|" LETTERS "|\\p{N}|" SYMBOLS
                "|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"},
     .names = NAMES("bailingmoe", "bailingmoe2", "llada-moe")},
    {.stages = {ENDINGS "|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}"
                        "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"},
     .names = NAMES("exaone-moe")},
    {.stages = {"<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
                "([\\t\\n]|    |  )", "\\p{N}", "[\\p{P}!-/:-@\\[-`{-~]", GPT2},
     .add_bos = true,
     .names = NAMES("chameleon")},
    {.stages = {ENDINGS "|" LETTERS "|\\p{N}{1,3}|" SYMBOLS "|\\s*[\\r\\n]+"
                        "|\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)"
                        "|\\s{32}(?!\\S)|\\s{16}(?!\\S)|\\s{8}(?!\\S)|\\s{4}(?!\\S)"
                        "|\\s{1,2}(?!\\S)|\\s"},
     .names = NAMES("jais-2")},
    {.stages = {"\\p{N}{1,3}", ENDINGS "|" LETTERS "|\\p{N}+|" SYMBOLS "|" SPACES},
     .ignore_merges = true,
     .names = NAMES("minicpm5")},
    {.stages = {"[^\\n]+|[\\n]+"},
     .encode = encode_lines_whole,
     .add_bos = true,
     .names = NAMES("gemma4", "granite-embed-multi-311m")},
    {.stages = {"[^\\n]+|[\\n]+"}, .encode = encode_characters, .names = NAMES("sarvam-moe")},
    {.names = NULL}};

const char *const pre_rules_elsewhere = "";

/* clang-format off */
const LlamaRule llama_rules[] = {
    {"gpt-4o", true, {LLAMA_CASED("\\p{L}", ANY_ENDINGS) "|\\p{N}{1,3}|" CASED_REST}},
    {"granite-embed-multi-97m", true, {LLAMA_CASED("\\p{L}\\p{M}", ANY_ENDINGS) "|\\p{N}{1,3}|" CASED_REST}},
    {"tekken", true, {LLAMA_CASED("\\p{L}", "") "|\\p{N}|" CASED_REST}},
    {"kimi-k2", false, {"[" HAN "]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}&&[^" HAN "]]+" ENDINGS "?|\\p{N}{1,3}|" SYMBOLS "|" SPACES}},
    {"tiny_aya", true, {DIGITS_FROM_THE_RIGHT, CASED_WORD(ANY_ENDINGS) "|\\p{N}{1,3}|" CASED_REST}},
    {"youtu", true, {NULL}},
    {"deepseek-v3", true, {NULL}},
    {"afmoe", true, {NULL}},
    {"deepseek-coder", true, {NULL}},
    {"deepseek-llm", true, {NULL}},
    {"superbpe", true, {NULL}},
    {0}};
/* clang-format on */
