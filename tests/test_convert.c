/* test_convert.c - models of every class, published by another program (publish.py) and converted back: the
 * same tensors, keys that open, and the same logits to the bit. */
#include "check.h"
#include "scratch_folder.h"
#include "inference.h"
#include "make_model.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKENS = 40 };

static bool has_python(void) { return system("python3 -c '' 2>/dev/null") == 0; }

/* These tests run where the repository begins. */
static void publish(const char *class, const char *options) {
    char command[1200];
    snprintf(command, sizeof command, "rm -rf '%s' && python3 tests/publish.py '%s' '%s' %s %s",
             in_folder("published"), in_folder("in.gguf"), in_folder("published"), class,
             options);
    if (system(command) != 0) fail_msg("%s", command);
}

/* What (x - 1) + 1 and -exp(log a) give back exactly. */
static void round_numbers(unsigned char *bytes, size_t size) {
    Gguf gguf;
    Fault fault;
    assert_true(gguf_parse(&gguf, bytes, size, &fault));
    for (size_t i = 0; i < gguf.n_tensors; i++) {
        const GgufTensor *t = &gguf.tensors[i];
        char name[120];
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        float *x = (float *)(void *)(bytes + (t->data - bytes));
        for (size_t k = 0; k < t->bytes / sizeof *x; k++) {
            if (strstr(name, "norm.weight")) x[k] = fminf(fmaxf(x[k], 0.5f), 2);
            if (strstr(name, "ssm_a")) {
                float rate = (float)log(fabs((double)x[k]) + 0.1);
                x[k] = (float)-exp((double)rate);
            }
        }
    }
    gguf_free(&gguf);
}

static void logits_of(const Model *model, float *out) {
    Session session;
    Fault fault;
    int32_t tokens[TOKENS];
    size_t vocab = model->sizes.vocab;
    for (int i = 0; i < TOKENS; i++)
        tokens[i] = (int32_t)(rng_hash(3, 0, (uint64_t)i) % MAKE_VOCAB);
    assert_true(session_open(
        &session, model, NULL,
        (SessionConfig){.sequences = 1, .max_tokens = TOKENS, .max_logits = TOKENS}, &fault));
    assert_true(session_eval(&session, tokens, TOKENS, true, &fault));
    memcpy(out, session.logits, TOKENS * vocab * sizeof *out);
    session_close(&session);
}

/* A model points into itself: it is opened where it stays. */
static void open_at(Model *model, const char *path) {
    Fault fault;
    if (!model_open(model, path, &fault)) fail_msg("%s", fault.text);
}

static void same_logits(const char *class) {
    Model a, b;
    open_at(&a, in_folder("in.gguf")), open_at(&b, in_folder("out.gguf"));
    size_t bytes = TOKENS * a.sizes.vocab * sizeof(float);
    float *x = malloc(bytes), *y = malloc(bytes);
    assert_int_equal(a.sizes.vocab, b.sizes.vocab);
    logits_of(&a, x), logits_of(&b, y);
    if (memcmp(x, y, bytes) != 0) fail_msg("%s: other logits", class);
    free(x), free(y);
    model_close(&a), model_close(&b);
}

/* Every tensor of the one in the other, byte by byte. */
static void same_tensors(const char *class) {
    Model a, b;
    open_at(&a, in_folder("in.gguf")), open_at(&b, in_folder("out.gguf"));
    for (size_t i = 0; i < a.gguf.n_tensors; i++) {
        const GgufTensor *t = &a.gguf.tensors[i], *u;
        char name[120];
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        u = gguf_find_tensor(&b.gguf, name);
        if (!u || u->bytes != t->bytes || memcmp(u->data, t->data, t->bytes) != 0)
            fail_msg("%s: %s is %s", class, name, u ? "another" : "missing");
    }
    assert_int_equal(a.gguf.n_tensors, b.gguf.n_tensors);
    model_close(&a), model_close(&b);
}

static void write_model(const MakeModel *m) {
    size_t size;
    Fault fault;
    unsigned char *bytes = make_model(m, &size);
    round_numbers(bytes, size);
    assert_true(file_write(in_folder("in.gguf"), bytes, size, &fault));
    free(bytes);
}

static void convert_back(const char *class, const QuantPreset *preset) {
    Fault fault;
    const Convert how = {.preset = preset};
    if (!convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault))
        fail_msg("%s: %s", class, fault.text);
}

static const struct {
    const char *class, *arch, *family, *options;
} cases[] = {
    {"LlamaForCausalLM", "llama", NULL, ""},
    {"LlamaForCausalLM", "llama", "biases rope.freq_base=500000.0", "--shards 3"},
    {"MistralForCausalLM", "llama", "tied", ""},
    {"MixtralForCausalLM", "llama", "experts:4 rope.freq_base=1000000.0", "--shards 2"},
    {"Qwen2ForCausalLM", "qwen2", NULL, ""},
    {"Qwen2MoeForCausalLM", "qwen2moe",
     "experts:4 split:2 expert_key shared shared_gate biases", ""},
    {"Qwen3ForCausalLM", "qwen3", NULL, ""},
    {"Qwen3ForCausalLM", "qwen3", NULL, "--kind torch"},
    {"Qwen3MoeForCausalLM", "qwen3moe", NULL, ""},
    {"GemmaForCausalLM", "gemma", NULL, ""},
    {"Gemma2ForCausalLM", "gemma2", NULL, ""},
    {"Gemma3ForCausalLM", "gemma3", NULL, ""},
    {"Phi3ForCausalLM", "phi3", NULL, ""},
    {"GPT2LMHeadModel", "gpt2", NULL, ""},
    {"GPT2LMHeadModel", "gpt2", NULL, "--kind torch --shards 2"},
    {"GPTNeoXForCausalLM", "gptneox",
     "layer norm_biases biases plain partial fused_qkv kv_heads:4 use_parallel_residual=true",
     ""},
    {"Starcoder2ForCausalLM", "starcoder2", NULL, ""},
    {"GraniteForCausalLM", "granite", NULL, ""},
    {"GraniteMoeForCausalLM", "granitemoe", NULL, ""},
    {"Olmo2ForCausalLM", "olmo2", "layers:4 no_norms post_norms row_norms", ""},
    {"Olmo3ForCausalLM", "olmo2", "layers:4 no_norms post_norms row_norms window:6", ""},
    {"Mamba2ForCausalLM", "mamba2", NULL, ""},
};

static void every_class(void **state) {
    (void)state;
    if (!has_python()) print_message("no python3: models are not published\n"), skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MakeModel m = make_model_of(cases[i].arch, NULL);
        if (cases[i].family) {
            m = make_model_of(cases[i].arch, cases[i].family);
            m.family = cases[i].family, m.more = NULL;
        }
        write_model(&m);
        publish(cases[i].class, cases[i].options);
        convert_back(cases[i].class, NULL);
        same_tensors(cases[i].class), same_logits(cases[i].class);
    }
}

/* A file of the folder with one text in place of another. */
static void edit(const char *file, const char *old, const char *new) {
    FileMap map;
    Fault fault;
    char path[500];
    snprintf(path, sizeof path, "%s/%s", in_folder("published"), file);
    assert_true(file_open(&map, path, &fault));
    char *text = calloc(map.size + strlen(new) + 1, 1);
    memcpy(text, map.data, map.size);
    char *at = memmem(text, map.size, old, strlen(old));
    if (!at) fail_msg("%s: no %s", file, old);
    size_t behind = map.size - (size_t)(at - text) - strlen(old);
    memmove(at + strlen(new), at + strlen(old), behind);
    memcpy(at, new, strlen(new));
    size_t size = map.size - strlen(old) + strlen(new);
    file_close(&map);
    assert_true(file_write(path, text, size, &fault));
    free(text);
}

/* ------------------------------------------------------------------ Unigram */

/* A table that writes a tab as a space: the root's way is 256, each entry's way leads to its replacement. */
static size_t make_charsmap(int64_t out[2100]) {
    uint32_t entries[512] = {256u << 10};
    entries[256 ^ '\t'] = '\t' | 1 << 8 | 3u << 10;
    entries[256 ^ '\t' ^ 3] = 0x80000000u;
    size_t size = 0;
    for (size_t k = 0; k < 4; k++) out[size++] = sizeof entries >> 8 * k & 255;
    for (size_t i = 0; i < 4 * 512; i++) out[size++] = entries[i / 4] >> 8 * (i % 4) & 255;
    return out[size++] = ' ', out[size++] = 0, size;
}

/* The model of in.gguf with other words: letters, a few pieces, as many as it has rows. */
static void give_unigram(bool map, bool merge) {
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

/* Every key of the words of the one in the other, byte by byte. */
static void same_words(const char *how) {
    Model a, b;
    open_at(&a, in_folder("in.gguf")), open_at(&b, in_folder("out.gguf"));
    for (size_t i = 0; i < a.gguf.n_pairs; i++) {
        const GgufPair *x = &a.gguf.pairs[i], *y;
        char key[100];
        snprintf(key, sizeof key, "%.*s", (int)x->key.size, x->key.data);
        if (strncmp(key, "tokenizer.", 10) != 0) continue;
        y = gguf_find(&b.gguf, key);
        if (!y || y->type != x->type || y->item != x->item || y->count != x->count ||
            memcmp(x->data, y->data, min_size(x->count, 200)) != 0)
            fail_msg("%s: %s is %s", how, key, y ? "another" : "missing");
    }
    const char *text = "hello\thello  z <tag>\xC3\xA9";
    TokenList x = {0}, y = {0};
    Fault fault;
    assert_true(tokenizer_encode(a.tokenizer, text_of(text), true, &x, &fault));
    assert_true(tokenizer_encode(b.tokenizer, text_of(text), true, &y, &fault));
    assert_int_equal(x.count, y.count);
    assert_memory_equal(x.ids, y.ids, x.count * sizeof *x.ids);
    token_list_free(&x), token_list_free(&y);
    model_close(&a), model_close(&b);
}

static void unigram_words(void **state) {
    (void)state;
    static const char *const words[] = {"--words json", "--words model"};
    if (!has_python()) skip();
    MakeModel m = make_model_of("llama", NULL);
    for (int i = 0; i < 6; i++) {
        bool map = i / 2 != 1, merge = i / 2 == 2;
        write_model(&m);
        give_unigram(map, merge);
        publish("LlamaForCausalLM", words[i % 2]);
        convert_back(words[i % 2], NULL);
        same_words(words[i % 2]), same_logits(words[i % 2]);
    }
}

static const struct {
    const char *old, *new, *says;
} word_edits[] = {
    {"\"byte_fallback\": false", "\"byte_fallback\": true", "byte_fallback"},
    {"\"unk_id\": 0", "\"unk_id\": null", "without an unk_id"},
    {"\"unk_id\": 0", "\"unk_id\": 258", "unk_id is 258"},
    {"[\"<unk>\", ", "[\"<unk>\", 1, ", "piece 0 is no pair"},
    {"\"Metaspace\"", "\"Metaspase\"", "'Metaspase'"},
    {"\"type\": \"Precompiled\"", "\"type\": \"NFKC\"", "'NFKC'"},
    {"\"precompiled_charsmap\": \"", "\"precompiled_charsmap\": \"=A==", "no base64"},
    {"\"precompiled_charsmap\": \"AAgA", "\"precompiled_charsmap\": \"////",
     "cut short or no such table"},
    {"{\"type\": \"Precompiled\"", "{\"type\": \"Sequence\"", "'Sequence'"},
    {"\"prepend_scheme\": \"always\"", "\"prepend_scheme\": \"never\"",
     "WhitespaceSplit without"},
};

static void refuses_words(void **state) {
    (void)state;
    const Convert how = {0};
    if (!has_python()) skip();
    MakeModel m = make_model_of("llama", NULL);
    write_model(&m);
    give_unigram(true, true);
    for (size_t i = 0; i < sizeof word_edits / sizeof *word_edits; i++) {
        Fault fault = {""};
        publish("LlamaForCausalLM", "--words json");
        edit("tokenizer.json", word_edits[i].old, word_edits[i].new);
        if (convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault))
            fail_msg("%s: taken", word_edits[i].new);
        if (!strstr(fault.text, word_edits[i].says))
            fail_msg("%s: %s", word_edits[i].new, fault.text);
    }
}

/* Quantized on the way is quantized afterwards. */
static void same_as_quantized(void **state) {
    (void)state;
    static const char *const types[] = {"Q8_0", "Q4_K_M", "BF16"};
    if (!has_python()) skip();
    MakeModel m = make_model_of("llama", NULL);
    m.dim = 256, m.hidden = 256;
    write_model(&m);
    publish("LlamaForCausalLM", "");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        Fault fault;
        const Requantize how = {.preset = quant_preset_find(types[i], &fault)};
        Model in;
        open_at(&in, in_folder("in.gguf"));
        GgufWriter *w = gguf_writer_open(&fault);
        assert_true(requantize(&in.gguf, &how, NULL, w, NULL, NULL, &fault));
        convert_back(types[i], how.preset);
        model_close(&in);
        assert_true(gguf_write_file(w, in_folder("in.gguf"), &fault));
        gguf_writer_close(w);
        same_tensors(types[i]), same_logits(types[i]);
        write_model(&m);
    }
}

/* Halves keep their format, and are what they were. */
static void keeps_formats(void **state) {
    (void)state;
    static const char *const types[][2] = {{"F16", "--type F16"},
                                           {"BF16", "--type BF16"},
                                           {"F16", "--type F16 --kind torch"},
                                           {"BF16", "--type BF16 --kind torch"}};
    if (!has_python()) skip();
    MakeModel m = make_model_of("qwen3", NULL);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        write_model(&m);
        publish("Qwen3ForCausalLM", types[i][1]);
        convert_back(types[i][0], NULL);
        Fault fault;
        const Requantize how = {.preset = quant_preset_find(types[i][0], &fault)};
        Model in;
        open_at(&in, in_folder("in.gguf"));
        GgufWriter *w = gguf_writer_open(&fault);
        assert_true(requantize(&in.gguf, &how, NULL, w, NULL, NULL, &fault));
        model_close(&in);
        assert_true(gguf_write_file(w, in_folder("in.gguf"), &fault));
        gguf_writer_close(w);
        same_tensors(types[i][0]);
    }
}

static const struct {
    const char *file, *old, *new, *says;
} edits[] = {
    {"config.json", "\"LlamaForCausalLM\"", "\"BertModel\"", "class 'BertModel' cannot"},
    {"config.json", "\"LlamaForCausalLM\"", "\"A\", \"B\"", "no list of one name"},
    {"config.json", "\"use_cache\"", "\"attention_bias\"",
     "'attention_bias' the maps blk.0.attn_... add a bias"},
    {"config.json", "\"use_cache\"", "\"mlp_bias\"", "'mlp_bias' the maps"},
    {"config.json", "\"vocab_size\": ", "\"vocab_size\": 1", "and the embedding has"},
    {"config.json", "\"eos_token_id\": ", "\"eos_token_id\": 9999", "and there are"},
    {"config.json", "\"use_cache\": true",
     "\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8}",
     "needs factor, low_freq_factor"},
    {"config.json", "\"use_cache\": true",
     "\"rope_theta\": 9, \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 7}",
     "and 7 in rope_parameters"},
    {"config.json", "\"use_cache\"", "\"new_trick\"",
     "'new_trick' is true, and nothing is known"},
    {"config.json", "\"use_cache\": true", "\"hidden_act\": \"relu\"", "wanted silu"},
    {"config.json", "\"use_cache\": true", "\"rope_scaling\": {\"rope_type\": \"su\"}",
     "another type"},
    {"config.json", "\"use_cache\": true",
     "\"rope_scaling\": {\"rope_type\": \"yarn\", \"x\": 1}", "of 'x'"},
    {"config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "blk.2."},
    {"config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1", "plays no part"},
    {"config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1e9", "whole number"},
    {"config.json", "\"num_attention_heads\": 4", "\"num_attention_heads\": 0",
     "num_attention_heads"},
    {"config.json", "\"num_attention_heads\": 4", "\"num_attention_heads\": 3",
     "rows that divide"},
    {"config.json", "\"hidden_size\": 64", "\"hidden_size\": 32", "wanted"},
    {"config.json", "{", "", "JSON"},
    {"tokenizer.json", "\"use_regex\": true", "\"use_regex\": false",
     "no rule that is built in"},
    {"tokenizer.json", "\"normalizer\": null", "\"normalizer\": {\"type\": \"Lowercase\"}",
     "normalizer 'Lowercase'"},
    {"tokenizer.json", "\"type\": \"BPE\"", "\"type\": \"WordLevel\"", "another type than BPE"},
    {"tokenizer.json", "\"dropout\": null", "\"dropout\": 0.1", "'dropout'"},
    {"tokenizer.json", "\"b\": 98", "\"b\": 97", "two tokens have the id 97"},
    {"tokenizer.json", "\"b\": 98", "\"b\": 9999", "id 9999"},
    {"tokenizer.json", "\"single_word\": false", "\"single_word\": true", "whole word"},
    {"model.safetensors.index.json", "model-00002", "../odel-02", "wanted one in the folder"},
    {"model.safetensors.index.json", "model.norm.weight", "model.morn.weight", "it has not"},
    {"model-00002-of-00002.safetensors", "q_proj", "z_proj", "and it has not"},
};

/* What a folder may not say, one word at a time. */
static void refuses_folders(void **state) {
    (void)state;
    const Convert how = {0};
    if (!has_python()) skip();
    MakeModel m = make_model_of("llama", NULL);
    write_model(&m);
    publish("LlamaForCausalLM", "--shards 2");
    assert_int_equal(rename(in_folder("published"), in_folder("whole")), 0);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        Fault fault = {""};
        char command[700];
        snprintf(command, sizeof command, "rm -rf '%s' && cp -r '%s' '%s'",
                 in_folder("published"), in_folder("whole"), in_folder("published"));
        assert_int_equal(system(command), 0);
        edit(edits[i].file, edits[i].old, edits[i].new);
        unlink(in_folder("out.gguf"));
        if (convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault))
            fail_msg("%s: taken", edits[i].new);
        if (!strstr(fault.text, edits[i].says)) fail_msg("%s: %s", edits[i].new, fault.text);
        assert_int_not_equal(access(in_folder("out.gguf"), F_OK), 0);
        assert_int_not_equal(access(in_folder("out.gguf.strata-part"), F_OK), 0);
    }
}

/* The divisors of llama3's stretching, computed by another formula for one pair each: fast, slow, between. */
static void stretches_as_llama3(void **state) {
    (void)state;
    if (!has_python()) skip();
    MakeModel m = make_model_of("llama", NULL);
    write_model(&m);
    publish("LlamaForCausalLM", "");
    edit("config.json", "\"use_cache\": true",
         "\"rope_theta\": 10000, \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8, "
         "\"low_freq_factor\": 1, "
         "\"high_freq_factor\": 4, \"original_max_position_embeddings\": 1000}");
    convert_back("llama3", NULL);
    Model b;
    open_at(&b, in_folder("out.gguf"));
    const GgufTensor *t = gguf_find_tensor(&b.gguf, "rope_freqs.weight");
    assert_non_null(t);
    const float *x = (const float *)(const void *)t->data;
    /* wavelengths 2 pi 10^(i/2): 6, 20, 63, 199, 628, 1987, ...; fast below 250, slow above 1000 */
    double turns = 1000 / (2 * 3.14159265358979 * 100), smooth = (turns - 1) / 3;
    assert_true(x[0] == 1 && x[3] == 1 && x[5] == 8 && x[7] == 8);
    assert_true(fabs((double)x[4] - 1 / ((1 - smooth) / 8 + smooth)) < 1e-5);
    model_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class),         cmocka_unit_test(same_as_quantized),
        cmocka_unit_test(keeps_formats),       cmocka_unit_test(refuses_folders),
        cmocka_unit_test(stretches_as_llama3), cmocka_unit_test(unigram_words),
        cmocka_unit_test(refuses_words),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
