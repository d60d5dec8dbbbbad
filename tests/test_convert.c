/* test_convert.c - models of every class, published by another program and converted back: the same tensors, keys that
 * open, and the same results to the bit. */
#include "convert_case.h"
#include "quant_preset.h"

/* As make_families.h has it, with as many blocks on either side. */
#define T5_FILE                                                                     \
    "source kv_heads:4 decoder_block_count=2 written:2 decoder_start_token_id=255 " \
    "attention.relative_buckets_count=16 buckets:16"

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
    {"BertModel", "bert", ENCODER " wordpiece pooling_type=2", ""},
    {"BertForMaskedLM", "bert", ENCODER " wordpiece pooling_type=1", "--shards 2"},
    {"BertForPreTraining", "bert", ENCODER " wordpiece pooling_type=3", "--kind torch"},
    {"BertForSequenceClassification", "bert",
     ENCODER " wordpiece scores:3 scores_hidden pooling_type=4", "--words list"},
    {"T5ForConditionalGeneration", "t5", NULL, ""},
    {"T5ForConditionalGeneration", "t5", T5_FILE " plain tied", "--shards 2"}, /* 1.0 */
    {"MT5ForConditionalGeneration", "t5", T5_FILE " head_dim:24", "--kind torch"},
    {"UMT5ForConditionalGeneration", "t5", T5_FILE " own_distances", ""},
    {"T5EncoderModel", "t5encoder", NULL, ""},
    {"UMT5EncoderModel", "t5encoder",
     "source encoder enc_norm own_distances kv_heads:4 attention.causal=false pooling_type=3 "
     "attention.relative_buckets_count=8 buckets:8",
     "--shards 2"},
};

static void every_class(void **state) {
    (void)state;
    if (!has_python()) print_message("no python3: models are not published\n"), skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].family)
            write_model_as(cases[i].arch, cases[i].family);
        else
            write_model_of(cases[i].arch, NULL);
        publish(cases[i].class, cases[i].options);
        convert_back(cases[i].class, NULL);
        same_tensors(cases[i].class), same_results(cases[i].class);
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
        same_tensors(types[i]), same_results(types[i]);
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
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        write_model_of("qwen3", NULL);
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

/* Gemma 3 as newer files write it: how layers with a window turn, and how the others do. */
static void turns_by_kind_of_layer(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("gemma3", NULL);
    publish("Gemma3ForCausalLM", "");
    edit("config.json", "\"use_cache\": true",
         "\"rope_parameters\": {\"full_attention\": {\"rope_type\": \"default\", "
         "\"rope_theta\": 1000000.0}, "
         "\"sliding_attention\": {\"rope_type\": \"default\", \"rope_theta\": 5000.0}}");
    convert_back("windows", NULL);
    Model b;
    open_at(&b, in_folder("out.gguf"));
    const GgufPair *pair = gguf_find(&b.gguf, "gemma3.rope.freq_base_swa");
    double theta = 0;
    assert_true(pair && gguf_float(pair, 0, &theta));
    assert_true(theta == 5000);
    model_close(&b);
}

/* The divisors of llama3's stretching, computed by another formula for one pair each: fast, slow, between. */
static void stretches_as_llama3(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("llama", NULL);
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
        cmocka_unit_test(every_class),
        cmocka_unit_test(same_as_quantized),
        cmocka_unit_test(keeps_formats),
        cmocka_unit_test(stretches_as_llama3),
        cmocka_unit_test(turns_by_kind_of_layer),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
