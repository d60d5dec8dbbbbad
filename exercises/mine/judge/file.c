/* file.c - chapter 11: what a model file says of itself.  The library forgives more than others
 * do: here the keys are there, of the types that llama.cpp wants, and tokens and merges fit
 * together. See judge.h. */
#include "chapters.h"

#include "file_map.h"

static const struct {
    const char *key;
    GgufType type, item;
} wanted[] = {
    {"general.architecture", GGUF_STRING, GGUF_STRING},
    {"llama.context_length", GGUF_U32, GGUF_U32},
    {"llama.embedding_length", GGUF_U32, GGUF_U32},
    {"llama.block_count", GGUF_U32, GGUF_U32},
    {"llama.feed_forward_length", GGUF_U32, GGUF_U32},
    {"llama.attention.head_count", GGUF_U32, GGUF_U32},
    {"llama.attention.layer_norm_rms_epsilon", GGUF_F32, GGUF_F32},
    {"llama.rope.dimension_count", GGUF_U32, GGUF_U32},
    {"llama.rope.freq_base", GGUF_F32, GGUF_F32},
    {"tokenizer.ggml.model", GGUF_STRING, GGUF_STRING},
    {"tokenizer.ggml.pre", GGUF_STRING, GGUF_STRING},
    {"tokenizer.ggml.tokens", GGUF_ARRAY, GGUF_STRING},
    {"tokenizer.ggml.token_type", GGUF_ARRAY, GGUF_I32},
    {"tokenizer.ggml.merges", GGUF_ARRAY, GGUF_STRING},
    {"tokenizer.ggml.bos_token_id", GGUF_U32, GGUF_U32},
    {"tokenizer.ggml.eos_token_id", GGUF_U32, GGUF_U32},
    {"tokenizer.ggml.add_bos_token", GGUF_BOOL, GGUF_BOOL},
};

static void judge_keys(const Gguf *gguf) {
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const GgufPair *pair = gguf_find(gguf, wanted[i].key);
        need(pair, "the file has no key %s", wanted[i].key);
        need(pair->type == wanted[i].type && pair->item == wanted[i].item,
             "the key %s is of type %d%s%s, wanted %d (%s): llama.cpp accepts no other",
             wanted[i].key, pair->item, pair->type == GGUF_ARRAY ? ", in an array, " : ", ",
             gguf_type_name(pair->item), wanted[i].item, gguf_type_name(wanted[i].item));
    }
}

static bool is_token(const GgufPair *tokens, Text name) {
    const unsigned char *cursor = tokens->data;
    for (uint64_t i = 0; i < tokens->count; i++)
        if (text_equal(gguf_next_string(&cursor), name)) return true;
    return false;
}

static void judge_bytes(const GgufPair *tokens) {
    for (int byte = 0; byte < 256; byte++) {
        int letter = judge_letter(byte);
        char utf8[2] = {(char)letter, 0};
        if (letter >= 128)
            utf8[0] = (char)(0xc0 | letter >> 6), utf8[1] = (char)(0x80 | (letter & 63));
        need(
            is_token(tokens, (Text){utf8, letter < 128 ? 1 : 2}),
            "byte %d is not among tokenizer.ggml.tokens: it is overwritten as U+%04X, \"%.2s\"",
            byte, (unsigned)letter, utf8);
    }
}

static void judge_merges(const GgufPair *tokens, const GgufPair *merges) {
    const unsigned char *cursor = merges->data;
    for (uint64_t i = 0; i < merges->count; i++) {
        Text merge = gguf_next_string(&cursor), right = merge, left = text_cut(&right, ' ');
        char both[512];
        size_t size = left.size + right.size;
        bool fits = right.size > 0 && size <= sizeof both;
        if (fits) memcpy(both, left.data, left.size);
        if (fits) memcpy(both + left.size, right.data, right.size);
        need(fits && is_token(tokens, left) && is_token(tokens, right) &&
                 is_token(tokens, (Text){both, size}),
             "merge %d is \"%.*s\": wanted two tokens with a space between them that together "
             "are a token",
             (int)i, (int)merge.size, merge.data);
    }
}

/* Both numbers are those of the block: a model that computes with others is another model. */
static void judge_numbers_of_block(const Gguf *gguf) {
    static const struct {
        const char *key;
        double value;
    } wants[] = {{"llama.attention.layer_norm_rms_epsilon", 1e-5},
                 {"llama.rope.freq_base", 10000}};
    for (int i = 0; i < 2; i++) {
        double got = 0;
        gguf_float(gguf_find(gguf, wants[i].key), 0, &got);
        need(fabs(got / wants[i].value - 1) < 1e-5,
             "the key %s is %g: blocks like those of chapter 8 compute with %g", wants[i].key,
             got, wants[i].value);
    }
}

static void judge_end_token(const Gguf *gguf) {
    const GgufPair *tokens = gguf_find(gguf, "tokenizer.ggml.tokens"),
                   *types = gguf_find(gguf, "tokenizer.ggml.token_type");
    const unsigned char *cursor = tokens->data;
    int64_t bos = -1, eos = -1;
    gguf_int(gguf_find(gguf, "tokenizer.ggml.bos_token_id"), 0, &bos);
    gguf_int(gguf_find(gguf, "tokenizer.ggml.eos_token_id"), 0, &eos);
    need(types->count == tokens->count, "%d tokens have %d types", (int)tokens->count,
         (int)types->count);
    for (int i = 0; i < (int)tokens->count; i++) {
        int64_t type = 0;
        bool end = text_equal(gguf_next_string(&cursor), text_of("<|endoftext|>"));
        gguf_int(types, (uint64_t)i, &type);
        need(type == (end ? 3 : 1),
             "token %d is of type %d: that of <|endoftext|> is 3 (control), that of all others "
             "is 1 (normal)",
             i, (int)type);
        need(!end || (bos == i && eos == i),
             "<|endoftext|> is token %d, the bos token is %d, eos is %d: texts begin and end "
             "with <|endoftext|>, so it is both",
             i, (int)bos, (int)eos);
    }
}

void judge_model_file(const char *path) {
    Fault fault;
    FileMap file;
    Gguf gguf;
    need(file_open(&file, path, &fault), "%s", fault.text);
    need(gguf_parse(&gguf, file.data, file.size, &fault), "%s: %s", path, fault.text);
    judge_keys(&gguf);
    judge_numbers_of_block(&gguf);
    judge_end_token(&gguf);
    judge_bytes(gguf_find(&gguf, "tokenizer.ggml.tokens"));
    judge_merges(gguf_find(&gguf, "tokenizer.ggml.tokens"),
                 gguf_find(&gguf, "tokenizer.ggml.merges"));
    gguf_free(&gguf);
    file_close(&file);
}
