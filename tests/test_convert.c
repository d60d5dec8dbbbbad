/* test_convert.c - models of every class, published by another program and converted back: the same tensors, keys that
 * open, and the same results to the bit. */
#include "convert_case.h"
#include "quant_preset.h"

/* As make_families.h has it, with as many blocks on either side. */
#define T5_FILE                                                                     \
    "source kv_heads:4 decoder_block_count=2 written:2 decoder_start_token_id=255 " \
    "attention.relative_buckets_count=16 buckets:16"

/* Without experts. */
#define GEMMA4_LAYERS                                                                        \
    "=tied post_norms small_gains window:6 windows_listed window_heads rope_freqs layers:7 " \
    "end_scale final_logit_softcapping=20.0 "

#define DISTILLED                                                                       \
    "encoder after embedding_norm layer norm_biases biases plain positions kv_heads:4 " \
    "attention.causal=false eps:1e-12 pooling_type=1 "                                  \
    "wordpiece"

static const struct {
    const char *class, *arch, *family, *options;
} cases[] = {
    {"LlamaForCausalLM", "llama", NULL, ""},
    {"LlamaForCausalLM", "llama", "biases rope.freq_base=500000.0", "--shards 3"},
    {"MistralForCausalLM", "llama", "tied", ""},
    {"MistralModel", "llama", "tied", ""},
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
    {"Gemma3ForConditionalGeneration", "gemma3",
     "head_norms post_norms window:6 layers:7 kv_heads:4 tied rope.freq_base=1000000.0",
     "--shards 2"},
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
    {"OlmoeForCausalLM", "olmoe", NULL, ""},
    {"SmolLM3ForCausalLM", "smollm3", "layers:4 tied rope.freq_base=2000000.0", ""},
    {"ArceeForCausalLM", "arcee", NULL, ""},
    {"Ernie4_5ForCausalLM", "ernie4_5", "tied rope.freq_base=500000.0", ""},
    {"SeedOssForCausalLM", "seed_oss", NULL, ""},
    {"Exaone4ForCausalLM", "exaone4", "no_norms post_norms head_norms", ""},
    {"Exaone4ForCausalLM", "exaone4", "layers:64 window:6 no_norms post_norms head_norms", ""},
    {"Glm4ForCausalLM", "glm4", NULL, ""},
    {"CohereForCausalLM", "command-r", NULL, ""},
    {"CohereForCausalLM", "command-r", "layer one_norm logit_scale=0.3 tied", ""},
    {"Cohere2ForCausalLM", "cohere2", NULL, ""},
    {"StableLmForCausalLM", "stablelm", NULL, ""},
    {"StableLmForCausalLM", "stablelm", "layer norm_biases partial one_norm", ""},
    {"PhiForCausalLM", "phi2",
     "layer norm_biases biases plain one_norm partial head_bias kv_heads:4", ""},
    {"Mamba2ForCausalLM", "mamba2", NULL, ""},
    {"Mistral3ForConditionalGeneration", "llama", "rope.freq_base=1000000.0", ""},
    {"LlavaForConditionalGeneration", "llama", NULL, ""},
    {"InternVLForConditionalGeneration", "qwen2", NULL, ""},
    {"InternVLForConditionalGeneration.3", "qwen3", NULL, ""},
    {"InternVLChatModel", "qwen2", NULL, ""},
    {"Idefics3ForConditionalGeneration", "llama", "rope.freq_base=100000.0", ""},
    {"InternVLChatModel.3", "qwen3", NULL, ""},
    {"InternLM2ForCausalLM", "internlm2", "fused_qkv", ""},
    {"XverseForCausalLM", "xverse", NULL, ""},
    {"OrionForCausalLM", "orion", NULL, ""},
    {"NemotronForCausalLM", "nemotron", NULL, ""},
    {"OlmoForCausalLM", "olmo", NULL, ""},
    {"OlmoForCausalLM", "olmo", "layer no_gains kv_heads:4 tied", ""},
    {"ExaoneForCausalLM", "exaone", "tied", ""},
    {"ChatGLMModel", "chatglm",
     "gate_in_up fused_qkv qkv_biases partial rope.freq_base=500000.0", ""},
    {"GlmForCausalLM", "chatglm", "gate_in_up biases partial", ""},
    {"PlamoForCausalLM", "plamo", NULL, ""},
    {"BaichuanForCausalLM", "baichuan", NULL, ""},
    {"BaichuanForCausalLM", "baichuan", "+layers:40", ""},
    {"GPTRefactForCausalLM", "refact", NULL, ""},
    {"OpenELMForCausalLM", "openelm", NULL, ""},
    {"PLMForCausalLM", "plm", NULL, ""},
    {"CodeShellForCausalLM", "codeshell", NULL, ""},
    {"CodeShellForCausalLM", "codeshell", "layer norm_biases biases plain fused_qkv", ""},
    {"DeciLMForCausalLM", "deci", "optional layers:5", ""},
    {"DreamModel", "dream", NULL, ""},
    {"RND1", "rnd1", NULL, ""},
    {"Qwen3NextForCausalLM", "qwen3next", NULL, ""},
    {"GptOssForCausalLM", "gpt-oss", NULL, ""},
    {"Llama4ForCausalLM", "llama4", NULL, ""},
    {"Llama4ForConditionalGeneration", "llama4", NULL, ""},
    {"DeepseekV3ForCausalLM", "deepseek2", NULL, ""},
    {"DeepseekV32ForCausalLM", "deepseek32", NULL, ""},
    {"GlmMoeDsaForCausalLM", "glm-dsa", NULL, ""},
    {"Qwen2VLForConditionalGeneration", "qwen2vl", NULL, ""},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2vl", NULL, ""},
    {"Qwen3VLForConditionalGeneration", "qwen3vl", NULL, ""},
    {"Qwen3VLForConditionalGeneration", "qwen3vl", "head_norms sections n_deepstack_layers=2",
     ""},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3vlmoe",
     "experts:4 split:2 head_norms sections n_deepstack_layers=2", ""},
    {"Glm4MoeForCausalLM", "glm4moe", NULL, ""},
    {"Glm4MoeForCausalLM", "glm4moe", "+drafts:1 draft_ends", ""},
    {"Dots1ForCausalLM", "dots1", NULL, ""},
    {"DeepseekForCausalLM", "deepseek", NULL, ""},
    {"BailingMoeForCausalLM", "bailingmoe", NULL, ""},
    {"DbrxForCausalLM", "dbrx", NULL, ""},
    {"Grok1ForCausalLM", "grok", NULL, ""},
    {"GroveMoeForCausalLM", "grovemoe", "+expert_group_scale=0.05", ""},
    {"SmallThinkerForCausalLM", "smallthinker", NULL, ""},
    {"SmallThinkerForCausalLM", "smallthinker",
     "layers:4 tied experts:4 expert_key expert_gating_func=1", ""}, /* 4B */
    {"ArcticForCausalLM", "arctic", NULL, ""},
    {"MiniMaxM2ForCausalLM", "minimax-m2", NULL, ""},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5-moe",
     "experts:4 split:2 dense_first:1 layers:3 expert_key choice_bias shared shared_key", ""},
    {"PhiMoEForCausalLM", "phimoe", "norm_biases experts:4 biases head_bias long_rope:64", ""},
    {"Phi3ForCausalLM", "phi3", "fused_qkv gate_in_up partial long_rope:30", ""},
    {"GPTBigCodeForCausalLM", "starcoder", NULL, ""},
    {"GPTJForCausalLM", "gptj", "+kv_heads:4", ""},
    {"FalconForCausalLM", "falcon", NULL, ""},
    {"FalconForCausalLM", "falcon", "layer norm_biases plain one_norm two_norms fused_qkv tied",
     ""},
    {"BloomForCausalLM", "bloom", "+hidden:256", ""},
    {"GraniteMoeHybridForCausalLM", "granitehybrid", NULL, ""},
    {"PanguEmbeddedForCausalLM", "pangu-embedded", NULL, ""},
    {"MaincoderForCausalLM", "maincoder", NULL, ""},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr", NULL, ""},
    {"PaddleOCRVLForConditionalGeneration.5", "paddleocr", NULL, ""},
    {"HunYuanVLForConditionalGeneration", "hunyuan_vl", NULL, ""},
    {"HunYuanVLForConditionalGeneration.5", "hunyuan_vl", NULL, ""},
    {"HunYuanDenseV1ForCausalLM", "hunyuan-dense", NULL, ""},
    {"MambaForCausalLM", "mamba", NULL, ""},
    {"FalconMambaForCausalLM", "mamba", "+ssm.dt_b_c_rms=true", ""},
    {"JambaForCausalLM", "jamba", NULL, ""},
    {"NemotronHForCausalLM", "nemotron_h", NULL, ""},
    {"Lfm2ForCausalLM", "lfm2", NULL, ""},
    {"Lfm2MoeForCausalLM", "lfm2moe", NULL, ""},
    {"ModernBertModel", "modern-bert", NULL, ""},
    {"ModernBertForSequenceClassification", "modern-bert",
     "+scores:3 scores_hidden scores_norm pooling_type=4", ""},
    {"NomicBertModel", "nomic-bert", NULL, ""},
    {"EuroBertModel", "eurobert", NULL, ""},
    {"LlamaBidirectionalModel", "llama-embed", NULL, ""},
    {"Jais2ForCausalLM", "jais2", NULL, ""},
    {"Ministral3ForCausalLM", "mistral3", NULL, ""},
    {"Mistral3ForConditionalGeneration.3", "mistral3", "+rope.scaling.yarn_log_multiplier=0.5",
     ""},
    {"Mistral4ForCausalLM", "mistral4", "+attention.temperature_length=64", ""},
    {"Mistral3ForConditionalGeneration.4", "mistral4", "+attention.temperature_length=64", ""},
    {"MiniCPMForCausalLM", "minicpm", NULL, ""},
    {"MiniCPM3ForCausalLM", "minicpm3", NULL, ""},
    {"ApertusForCausalLM", "apertus", "plain xielu head_norms", ""},
    {"BitnetForCausalLM", "bitnet", NULL, ""},
    {"QWenLMHeadModel", "qwen", NULL, ""},
    {"MPTForCausalLM", "mpt", "+hidden:256", ""},
    {"LLaDAModelLM", "llada", NULL, ""},
    {"LLaDAMoEModelLM", "llada-moe", NULL, ""},
    {"ExaoneMoEForCausalLM", "exaone-moe", NULL, ""},
    {"BailingMoeV2ForCausalLM", "bailingmoe2", NULL, ""},
    {"AfmoeForCausalLM", "afmoe", NULL, ""},
    {"HunYuanMoEV1ForCausalLM", "hunyuan-moe", NULL, ""},
    {"MellumForCausalLM", "mellum", NULL, ""},
    {"MiMoV2FlashForCausalLM", "mimo2", NULL, ""},
    {"Step3p5ForCausalLM", "step35",
     "head_norms gate_heads window:6 windows_listed limits experts:6" MAKE_EXPERTS, ""},
    {"Step3p5ForCausalLM", "step35",
     "head_norms gate_heads window:6 windows_listed limits drafts:1 draft_ends "
     "experts:6" MAKE_EXPERTS,
     ""},
    {"Gemma3nForCausalLM", "gemma3n", NULL, ""},
    {"Gemma3nForConditionalGeneration", "gemma3n", NULL, ""},
    {"Gemma4ForCausalLM", "gemma4", NULL, ""},
    {"Gemma4ForConditionalGeneration", "gemma4", "+wide:4", "--shards 2"},
    {"Gemma4ForConditionalGeneration", "gemma4", "+idle_kv", ""}, /* as E2B is published */
    {"Gemma4ForConditionalGeneration.saved", "gemma4", NULL, ""},
    {"Gemma4ForConditionalGeneration", "gemma4",
     GEMMA4_LAYERS "own_kv:4 idle_kv layer_inputs:12 wide:4", ""}, /* E2B */
    {"Gemma4ForConditionalGeneration.saved", "gemma4", GEMMA4_LAYERS "own_kv:4 layer_inputs:12",
     ""},
    {"Gemma4ForConditionalGeneration", "gemma4",
     GEMMA4_LAYERS "keys_as_values embedding_length_per_layer_input=0 "
                   "attention.shared_kv_layers=0",
     "--shards 2"},                                               /* 31B */
    {"Gemma4AssistantForCausalLM", "gemma4-assistant", NULL, ""}, /* E2B, E4B: clusters */
    {"Gemma4UnifiedAssistantForCausalLM", "gemma4-assistant", "+kv_heads:1 layers:3",
     "--shards 2"}, /* 12B */
    {"FalconH1ForCausalLM", "falcon-h1", NULL, ""},
    {"NemotronHForCausalLM.moe", "nemotron_h_moe", NULL, ""},
    {"Qwen3_5ForCausalLM", "qwen35", NULL, ""},
    {"Qwen3_5ForCausalLM", "qwen35", "+drafts:1", ""},
    {"Qwen3_5MoeForConditionalGeneration", "qwen35moe", "+drafts:1", ""},
    {"ExaoneMoEForCausalLM", "exaone-moe", "+drafts:1", ""},
    {"Qwen3NextForCausalLM", "qwen3next", "+drafts:1", ""},
    {"Qwen3_5ForConditionalGeneration", "qwen35", NULL, ""},
    {"Qwen3_5MoeForCausalLM", "qwen35moe", NULL, ""},
    {"Qwen3_5MoeForConditionalGeneration", "qwen35moe", NULL, ""},
    {"Rwkv6ForCausalLM", "rwkv6", NULL, ""},
    {"Rwkv6ForCausalLM", "rwkv6", "+hidden:224", "--kind torch"},
    {"RWKV6Qwen2ForCausalLM", "rwkv6qwen2", NULL, ""},
    {"RWKV7ForCausalLM", "rwkv7", NULL, ""},
    {"RwkvHybridForCausalLM", "arwkv7", NULL, ""},
    {"RwkvHybridForCausalLM", "arwkv7", "+bare_mix", ""},
    {"KimiLinearForCausalLM", "kimi-linear", NULL, ""},
    {"JinaBertModel", "jina-bert-v2", "+gate_in_up", ""},
    {"XLMRobertaModel.3", "jina-bert-v3", NULL, ""},
    {"NomicBertModel.moe", "nomic-bert-moe", NULL, ""},
    {"NeoBERT", "neo-bert", NULL, ""},
    {"Gemma3TextModel", "gemma-embedding", NULL, ""},
    {"DistilBertModel", "bert", DISTILLED, ""},
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
    const char *only = getenv("CLASS");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* beginning with '+': beside the family's own; with '=': in place of them */
        const char *words = cases[i].family;
        if (only && strncmp(cases[i].class, only, strlen(only)) != 0) continue;
        if (words && *words != '+' && *words != '=')
            write_model_as(cases[i].arch, words);
        else
            write_model_of(cases[i].arch, words ? words + (*words == '+') : NULL);
        publish(cases[i].class, cases[i].options);
        convert_back(cases[i].class, NULL);
        same_tensors(cases[i].class), same_results(cases[i].class);
    }
}

/* A draft head, whose model has six layers and its tokens. */
static void draft_heads(void **state) {
    (void)state;
    Model head;
    if (!has_python()) skip();
    write_model_of("llama", "layers:6");
    publish("LlamaForCausalLM", "");
    assert_int_equal(rename(in_folder("published"), in_folder("target")), 0);
    write_model_of("eagle3", NULL);
    publish("LlamaForCausalLMEagle3", "");
    refuse_back("no target", "--target");
    const Convert how = {.target = in_folder("target")};
    convert_with("draft head", &how), same_tensors("draft head");
    open_at(&head, in_folder("out.gguf"));
    int64_t layers[3];
    for (uint64_t i = 0; i < 3; i++)
        assert_true(gguf_int(gguf_find(&head.gguf, "eagle3.target_layers"), i, &layers[i]));
    assert_true(layers[0] == 2 && layers[1] == 3 && layers[2] == 3);
    model_close(&head);
    write_model_of("llama", NULL);
    publish("LlamaForCausalLM", "");
    Fault fault;
    assert_false(
        convert_folder(in_folder("published"), in_folder("out.gguf"), &how, NULL, &fault));
    assert_non_null(strstr(fault.text, "--target is for draft heads"));
}

static bool has_class(const char *arch) {
    Text name;
    const char *family;
    for (size_t i = 0; convert_class(i, &name, &family); i++)
        if (strcmp(family, arch) == 0) return true;
    return false;
}

static bool has_case(const char *arch) {
    if (strcmp(arch, "eagle3") == 0 || strcmp(arch, "clip") == 0) return true; /* above */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].arch, arch) == 0) return true;
    return false;
}

/* Every family that loads has a class, and a model of it is converted above. */
static void every_family(void **state) {
    (void)state;
    const Recipe *row;
    for (size_t i = 0; (row = recipe_row(i)); i++) {
        if (!has_class(row->arch)) fail_msg("%s: no class of class_rows.h", row->arch);
        if (!has_case(row->arch)) fail_msg("%s: no model of it is converted here", row->arch);
    }
}

/* Quantized on the way is quantized afterwards. */
static void same_as_quantized(void **state) {
    (void)state;
    static const char *const types[] = {"Q8_0", "Q4_K_M", "BF16"};
    if (getenv("CLASS")) skip();
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
    if (getenv("CLASS")) skip();
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

/* Every tensor has the same numbers, and those called `which` another format. */
static void same_numbers(const char *which, Dtype dtype) {
    Model a, b;
    size_t count = 0;
    open_at(&a, in_folder("in.gguf")), open_at(&b, in_folder("out.gguf"));
    for (size_t i = 0; i < a.gguf.n_tensors; i++) {
        const GgufTensor *t = &a.gguf.tensors[i];
        char name[120];
        snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
        const GgufTensor *u = gguf_find_tensor(&b.gguf, name);
        size_t n = t->bytes / sizeof(float);
        float *x = malloc(t->bytes);
        assert_true(u && x);
        dequantize_row(u->dtype, u->data, x, n);
        if (memcmp(x, t->data, t->bytes) != 0) fail_msg("%s: %s: other numbers", which, name);
        count += u->dtype == dtype && strstr(name, which);
        free(x);
    }
    assert_true(count > 0);
    model_close(&a), model_close(&b);
}

/* gpt-oss as it is published: experts in four bits, which stay as they are. */
static void keeps_four_bits(void **state) {
    (void)state;
    if (getenv("CLASS")) skip();
    if (!has_python()) skip();
    MakeModel m = make_model_of("gpt-oss", NULL);
    write_model_rounded(&m, "_exps.weight", true);
    publish("GptOssForCausalLM", "--experts mxfp4 --shards 2");
    convert_back("four bits", NULL);
    same_numbers("_exps.weight", DTYPE_MXFP4);
    edit("config.json", "\"mxfp4\"", "\"awq\"");
    refuse_back("awq", "quantization_config");
}

/* DeepSeek V3's eight bits: blocks of 128 rows of 128 numbers, each with a scale. */
static void reads_eight_bits(void **state) {
    (void)state;
    if (getenv("CLASS")) skip();
    if (!has_python()) skip();
    MakeModel m = make_model_of("qwen3", NULL);
    m.dim = 192, m.hidden = 320;
    write_model_rounded(&m, "blk", false);
    publish("Qwen3ForCausalLM", "--type F8");
    convert_back("eight bits", NULL);
    same_numbers("ffn_up", DTYPE_BF16);
    edit("config.json", "128, 128", "128, 64");
    refuse_back("blocks", "quantization_config");
    publish("Qwen3ForCausalLM", "--type F8"); /* scales of what is not there */
    edit("model.safetensors", "layers.0.mlp.up_proj.weight_scale_inv",
         "layers.7.mlp.up_proj.weight_scale_inv");
    refuse_back("scales", "layers.7.mlp.up_proj.weight_scale_inv' plays no part");
}

/* Gemma 3 as newer files write it: how layers with a window turn, and how the others do. */
static void turns_by_kind_of_layer(void **state) {
    (void)state;
    if (getenv("CLASS")) skip();
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

/* Baichuan 2 divides each row of its head by its length whenever it is used; Baichuan 1 does not. */
static void divides_rows_of_a_head(void **state) {
    (void)state;
    if (getenv("CLASS")) skip();
    if (!has_python()) skip();
    write_model_of("baichuan", NULL);
    publish("BaichuanForCausalLM", "");
    edit("config.json", "\"use_cache\": true", "\"z_loss_weight\": 0");
    convert_back("Baichuan 2", NULL);
    Model a, b;
    open_at(&a, in_folder("in.gguf")), open_at(&b, in_folder("out.gguf"));
    const GgufTensor *t = gguf_find_tensor(&a.gguf, "output.weight"),
                     *u = gguf_find_tensor(&b.gguf, "output.weight");
    const float *x = (const float *)(const void *)t->data,
                *y = (const float *)(const void *)u->data;
    for (size_t row = 0; row < t->shape[0]; row++) {
        double square = 0;
        for (size_t i = 0; i < t->shape[1]; i++)
            square += pow((double)x[row * t->shape[1] + i], 2);
        for (size_t i = 0; i < t->shape[1]; i++) {
            const size_t at = row * t->shape[1] + i;
            assert_true(fabs((double)y[at] - (double)x[at] / sqrt(square)) < 1e-7);
        }
    }
    model_close(&a), model_close(&b);
}

/* The divisors of llama3's stretching, computed by another formula for one pair each: fast, slow, between. */
static void stretches_as_llama3(void **state) {
    (void)state;
    if (getenv("CLASS")) skip();
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
        cmocka_unit_test(every_family),
        cmocka_unit_test(draft_heads),
        cmocka_unit_test(same_as_quantized),
        cmocka_unit_test(keeps_formats),
        cmocka_unit_test(keeps_four_bits),
        cmocka_unit_test(reads_eight_bits),
        cmocka_unit_test(stretches_as_llama3),
        cmocka_unit_test(divides_rows_of_a_head),
        cmocka_unit_test(turns_by_kind_of_layer),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
