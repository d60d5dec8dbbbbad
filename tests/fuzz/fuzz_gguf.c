/* fuzz_gguf.c - libFuzzer target: any bytes as a model file give an error or a model, never
 * anything worse. */
#include "models.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Model model;
    Gguf gguf;
    Fault fault;
    if (gguf_parse(&gguf, data, size, &fault)) {
        volatile unsigned char sum = 0;
        for (size_t i = 0; i < gguf.n_tensors; i++)
            if (gguf.tensors[i].bytes)
                sum = (unsigned char)(sum + gguf.tensors[i].data[gguf.tensors[i].bytes - 1]);
        for (size_t i = 0; i < gguf.n_pairs; i++)
            sum = (unsigned char)(sum + gguf_value_bytes(&gguf.pairs[i]));
        gguf_free(&gguf);
    }
    if (!model_open_memory(&model, data, size, &fault)) return 0;
    Session session;
    SessionConfig config = {.ctx = 4, .sequences = 1, .most_tokens = 2, .most_logits = 1};
    if (model.sizes.hidden < 4096 && model.sizes.layers < 8 &&
        session_open(&session, &model, NULL, config, &fault)) {
        int32_t tokens[2] = {0, 1};
        session_feed(&session, tokens, model.sizes.vocab > 1 ? 2 : 1, false, &fault);
        session_close(&session);
    }
    model_close(&model);
    return 0;
}
