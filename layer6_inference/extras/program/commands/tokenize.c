/* tokenize.c - strata tokenize: text to token ids and back. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "explain_tokens.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *model;
    bool decode, special, all, bos, eos, as_llama, explain;
} asked;

static bool encode_line(const Tokenizer *tokenizer, Text line, TokenList *tokens,
                        Fault *fault) {
    tokens->count = 0;
    if (asked.explain) return explain_tokens(tokenizer, line, asked.special, tokens, fault);
    if (asked.bos) tokenizer_begin(tokenizer, tokens);
    if (!tokenizer_encode(tokenizer, line, asked.special, tokens, fault)) return false;
    if (asked.eos) tokenizer_end(tokenizer, tokens);
    for (size_t i = 0; i < tokens->count; i++)
        printf(i ? " %" PRId32 : "%" PRId32, tokens->ids[i]);
    putchar('\n');
    return true;
}

static bool decode_line(const Tokenizer *tokenizer, Text line, Fault *fault) {
    bool first = true;
    for (size_t at = 0; at < line.size;) {
        if (line.data[at] == ' ' || line.data[at] == '\t' || line.data[at] == '\r') {
            at++;
            continue;
        }
        char number[24] = "", *end;
        size_t size = 0;
        while (at + size < line.size && size < sizeof number - 1 &&
               !strchr(" \t\r", line.data[at + size]))
            size++;
        memcpy(number, line.data + at, size);
        long id = strtol(number, &end, 10);
        if (*end || id < 0 || (size_t)id >= tokenizer_count(tokenizer))
            return fault_set(fault, "'%s' is not a token id: ids are 0 to %zu", number,
                             tokenizer_count(tokenizer) - 1);
        Text piece = tokenizer_piece(tokenizer, (int32_t)id, asked.special);
        size_t skip =
            first && tokenizer_space_prefix(tokenizer) && piece.size && piece.data[0] == ' ';
        first = first && piece.size == 0;
        fwrite(piece.data + skip, 1, piece.size - skip, stdout);
        at += size;
    }
    if (!asked.all) putchar('\n');
    return true;
}

static bool one_text(const Tokenizer *tokenizer, Text text, TokenList *tokens, Fault *fault) {
    return asked.decode ? decode_line(tokenizer, text, fault)
                        : encode_line(tokenizer, text, tokens, fault);
}

static bool all_texts(const Tokenizer *tokenizer, Text input, Fault *fault) {
    TokenList tokens = {0};
    bool ok = true;
    if (asked.all) {
        for (size_t i = 0; asked.decode && i < input.size; i++)
            if (input.data[i] == '\n') ((char *)input.data)[i] = ' ';
        ok = one_text(tokenizer, input, &tokens, fault);
    }
    for (size_t at = 0; !asked.all && ok && at < input.size;) {
        const char *newline = memchr(input.data + at, '\n', input.size - at);
        size_t size = newline ? (size_t)(newline - input.data) - at : input.size - at;
        ok = one_text(tokenizer, (Text){input.data + at, size}, &tokens, fault);
        at += size + 1;
    }
    token_list_free(&tokens);
    return ok;
}

static bool tokenize_run(Fault *fault) {
    TokenStyle style = asked.as_llama ? TOKENS_AS_LLAMA_CPP : TOKENS_AS_TRAINED;
    Tokenizer *tokenizer = choose_tokenizer(&asked.model, style, fault);
    if (!tokenizer) return false;
    size_t size;
    char *bytes = read_standard_input(&size, fault);
    bool ok = bytes && all_texts(tokenizer, (Text){bytes, size}, fault);
    free(bytes);
    tokenizer_close(tokenizer);
    return ok;
}

static const OptionRule tokenize_rules[] = {
    {"--bos --eos", NOT_WITH, "--decode", "the ids are the whole sequence"},
    {"--explain", NOT_WITH, "--decode", "it explains text"},
    {"--explain", NOT_WITH, "--bos", "it explains only the text's own tokens"},
    {"--explain", NOT_WITH, "--eos", "it explains only the text's own tokens"},
    {"--as-llama", NOT_WITH, "--decode", "ids decode the same way"},
    {0}};

static const Option tokenize_options[] = {
    MODEL_OPTION(asked.model),
    {"--decode", OPT_FLAG, &asked.decode, NULL, "convert ids to text"},
    {"--special", OPT_FLAG, &asked.special, NULL, "read and write special tokens by name"},
    {"--all", OPT_FLAG, &asked.all, NULL,
     "treat the whole input as one text, newlines included"},
    {"--bos", OPT_FLAG, &asked.bos, NULL,
     "add the model's begin-of-sequence token, if it uses one"},
    {"--eos", OPT_FLAG, &asked.eos, NULL,
     "add the model's end-of-sequence tokens, if it uses them"},
    {"--explain", OPT_FLAG, &asked.explain, NULL,
     "show how the text becomes these tokens, rule by rule, merge by merge"},
    {"--as-llama", OPT_FLAG, &asked.as_llama, NULL,
     "split text as llama.cpp does where it differs from the model's training"},
    {0},
};

const Command command_tokenize = {
    .name = "tokenize",
    .usage = "tokenize [-m FILE] [--decode] [--special] [--all] < INPUT",
    .about = "Print one line of token ids for each line of text on stdin, or the reverse.  "
             "Lines are taken literally.",
    .options = tokenize_options,
    .rules = tokenize_rules,
    .run = tokenize_run};
