/* convert_unigram.h - a small vocabulary of kind Unigram for the model that is published (convert_case.h). */
#ifndef STRATA_CONVERT_UNIGRAM_H
#define STRATA_CONVERT_UNIGRAM_H

#include "convert_case.h"

/* A table that writes a tab as a space: the root's way is 256, each entry's way leads to its replacement. */
static inline size_t make_charsmap(int64_t out[2100]) {
    uint32_t entries[512] = {256u << 10};
    entries[256 ^ '\t'] = '\t' | 1 << 8 | 3u << 10;
    entries[256 ^ '\t' ^ 3] = 0x80000000u;
    size_t size = 0;
    for (size_t k = 0; k < 4; k++) out[size++] = sizeof entries >> 8 * k & 255;
    for (size_t i = 0; i < 4 * 512; i++) out[size++] = entries[i / 4] >> 8 * (i % 4) & 255;
    return out[size++] = ' ', out[size++] = 0, size;
}

/* The model of in.gguf with other words: letters, a few pieces, as many as it has rows. */
static inline void give_unigram(bool map, bool merge) {
    static char names[MAKE_VOCAB][24];
    static int64_t bytes[2100];
    static const char *const first[] = {"<unk>",    "<s>", "</s>", "\u2581",
                                        "\u2581he", "llo", "he",   "<tag>"};
    Text tokens[MAKE_VOCAB];
    int64_t types[MAKE_VOCAB];
    double scores[MAKE_VOCAB];
    Model in;
    Fault fault;
    open_at(&in, in_folder("in.gguf"));
    GgufWriter *w = gguf_writer_open(&fault);
    for (size_t i = 0; i < in.gguf.n_pairs; i++)
        if (memmem(in.gguf.pairs[i].key.data, 10, "tokenizer.", 10) == NULL)
            gguf_put_pair(w, &in.gguf.pairs[i]);
    for (size_t i = 0; i < MAKE_VOCAB; i++) {
        bool letter = i >= 8 && i < 34;
        snprintf(names[i], sizeof *names,
                 i < 8    ? "%s"
                 : letter ? "%s%c"
                          : "%s%c%zu",
                 i < 8 ? first[i] : "", letter ? (int)('a' + i - 8) : 'x', i);
        tokens[i] = text_of(names[i]);
        types[i] = i == 0 ? TOKEN_UNKNOWN : i < 3 ? TOKEN_CONTROL : i == 7 ? TOKEN_USER : 1;
        scores[i] = i < 3 ? 0 : -1 - (double)i / 8;
    }
    gguf_put_string(w, "tokenizer.ggml.model", text_of("t5"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", tokens, MAKE_VOCAB);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, MAKE_VOCAB);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, scores, MAKE_VOCAB);
    if (map)
        gguf_put_ints(w, "tokenizer.ggml.precompiled_charsmap", GGUF_U8, bytes,
                      make_charsmap(bytes));
    gguf_put_int(w, "tokenizer.ggml.add_space_prefix", GGUF_BOOL, 1);
    gguf_put_int(w, "tokenizer.ggml.remove_extra_whitespaces", GGUF_BOOL, merge);
    gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 0);
    gguf_put_int(w, "tokenizer.ggml.bos_token_id", GGUF_U32, 1);
    gguf_put_int(w, "tokenizer.ggml.eos_token_id", GGUF_U32, 2);
    gguf_put_int(w, "tokenizer.ggml.add_bos_token", GGUF_BOOL, 0);
    for (size_t i = 0; i < in.gguf.n_tensors; i++) {
        const GgufTensor *t = &in.gguf.tensors[i];
        char name[100];
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        const Tensor tensor = gguf_tensor_view(t);
        gguf_put_tensor(w, name, &tensor);
    }
    assert_true(gguf_write_file(w, in_folder("words.gguf"), &fault));
    gguf_writer_close(w);
    model_close(&in);
    assert_int_equal(rename(in_folder("words.gguf"), in_folder("in.gguf")), 0);
}

#endif
