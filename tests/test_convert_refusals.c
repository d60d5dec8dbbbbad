/* test_convert_refusals.c - folders in which one thing does not agree, or asks for what is not built in: refused, and by
 * name. */
#include "convert_case.h"
#include "converter.h"

static const struct {
    const char *file, *old, *new, *says;
} edits[] = {
    {"config.json", "\"LlamaForCausalLM\"", "\"XLNetLMHeadModel\"",
     "class 'XLNetLMHeadModel' cannot"},
    {"config.json", "\"LlamaForCausalLM\"", "\"A\", \"B\"", "not a list of one name"},
    {"config.json", "\"use_cache\"", "\"attention_bias\"",
     "'attention_bias' the maps blk.0.attn_... add a bias"},
    {"config.json", "\"use_cache\"", "\"mlp_bias\"", "'mlp_bias' the maps"},
    {"config.json", "\"vocab_size\": ", "\"vocab_size\": 1", "and the embedding has"},
    {"config.json", "\"eos_token_id\": ", "\"eos_token_id\": 9999", "and there are"},
    {"config.json", "\"eos_token_id\": ", "\"eos_token_id\": true, \"_name_or_path\": ",
     "'eos_token_id' is true, wanted the id of a token"},
    {"config.json", "\"vocab_size\": ", "\"vocab_size\": 2.5, \"_name_or_path\": ",
     "'vocab_size' is 2.5, wanted an integer"},
    {"config.json", "\"use_cache\": true",
     "\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8}",
     "needs factor, low_freq_factor"},
    {"config.json", "\"use_cache\": true",
     "\"rope_theta\": 9, \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 7}",
     "and 7 in rope_parameters"},
    {"config.json", "\"use_cache\"", "\"new_trick\"",
     "'new_trick' is true, and nothing is known"},
    {"config.json", "\"use_cache\"", "\"old_trick\": [], \"trick\": 7, \"use_cache\"",
     "'old_trick' is [], 'trick' is 7, and nothing is known of them in a LlamaForCausalLM: the "
     "results may change, so the folder is refused; what is known to be harmless may be left "
     "out: --without old_trick --without trick"},
    {"config.json", "\"use_cache\"",
     "\"a_key_of_a_considerable_length\": 1, \"b_key_of_a_considerable_length\": 2, "
     "\"c_key_of_a_considerable_length\": 3, \"d_key_of_a_considerable_length\": 4, "
     "\"e_key_of_a_considerable_length\": 5, \"use_cache\"",
     "'c_key_of_a_considerable_length' is 3, 2 more, and nothing is known of them"},
    {"config.json", "\"use_cache\"", "\"rope_interleaved\"",
     "'rope_interleaved' is true, wanted f"},
    {"config.json", "\"use_cache\": true", "\"pruned_heads\": {\"1\": [0]}",
     "'pruned_heads' is an object, wanted {}"},
    {"config.json", "\"use_cache\": true", "\"hidden_act\": \"relu\"", "wanted silu"},
    {"config.json", "\"use_cache\": true", "\"rope_scaling\": {\"rope_type\": \"su\"}",
     "no rope_scaling of type longrope"},
    {"config.json", "\"use_cache\": true",
     "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 2, \"x\": 1}", "of 'x'"},
    {"config.json", "\"use_cache\": true", "\"rope_scaling\": {\"rope_type\": \"linear\"}",
     "has no factor"},
    {"config.json", "\"use_cache\": true",
     "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 8, \"attention_factor\": 1.3}",
     "attention_factor is 1.3, wanted 1.20794"},
    {"config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "blk.2."},
    {"config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1", "plays no part"},
    {"config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1e9", "integer"},
    {"config.json", "\"num_attention_heads\": 4", "\"num_attention_heads\": 0",
     "num_attention_heads is 0, wanted 1 or more"},
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
    {"tokenizer_config.json", "\"bos_token\": \"", "\"bos_token\": \"x", "bos_token is 'x"},
    {"tokenizer_config.json", "{\"content\": \"", "{\"content\": \"x", "eos_token is 'x"},
    {"tokenizer_config.json", "{", "{\"unk_token\": \"<nil>\", ",
     "json: unk_token is '<nil>', and the vocabulary has no such token; write"},
    {"tokenizer_config.json", "{", "{\"pad_token\": 7, ", "pad_token is not text"},
    {"model.safetensors.index.json", "model-00002", "../odel-02", "wanted one in the folder"},
    {"model.safetensors.index.json", "model.norm.weight", "model.morn.weight", "it has not"},
    {"model-00002-of-00002.safetensors", "\"F32\"", "\"I32\"", "is of type I32: wanted"},
    {"model-00002-of-00002.safetensors", "q_proj", "z_proj", "and it has not"},
};

/* What a folder may not say, one word at a time. */
static void refuses_folders(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("llama", NULL);
    publish("LlamaForCausalLM", "--shards 2");
    assert_int_equal(rename(in_folder("published"), in_folder("whole")), 0);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char command[700];
        snprintf(command, sizeof command, "rm -rf '%s' && cp -r '%s' '%s'",
                 in_folder("published"), in_folder("whole"), in_folder("published"));
        assert_int_equal(system(command), 0);
        edit(edits[i].file, edits[i].old, edits[i].new);
        unlink(in_folder("out.gguf"));
        refuse_back(edits[i].new, edits[i].says);
        assert_int_not_equal(access(in_folder("out.gguf"), F_OK), 0);
        assert_int_not_equal(access(in_folder("out.gguf.strata-part"), F_OK), 0);
    }
}

/* A file with all tensors beside an index of two others. */
static void refuses_two_models(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("llama", NULL);
    publish("LlamaForCausalLM", "--shards 2");
    assert_int_equal(link(in_folder("published/model-00001-of-00002.safetensors"),
                          in_folder("published/model.safetensors")),
                     0);
    refuse_back("two models", "remove what is not meant");
}

/* A text that scores or is a vector: what its folder may not say. */
static const struct {
    const char *class, *file, *old, *new, *says;
} bert_edits[] = {
    {"BertModel", "config.json", "\"gelu\"", "\"relu\"", "wanted gelu"},
    {"BertModel", "config.json", "\"absolute\"", "\"relative_key\"", "wanted absolute"},
    {"BertModel", "config.json", "\"layer_norm_eps\"", "\"layer_norm_pes\"", "layer_norm_pes"},
    {"BertModel", "config.json", "\"type_vocab_size\": 2", "\"type_vocab_size\": 1",
     "type_vocab_size is 1"},
    {"BertModel", "config.json", "\"BertModel\"", "\"BertForSequenceClassification\"",
     "without the head that scores"},
    {"BertModel", "modules.json", "models.Normalize", "models.Dense",
     "'sentence_transformers.models.Dense'"},
    {"BertModel", "modules.json", "1_Pooling", "../Pooling", "not a folder in this one"},
    {"BertModel", "1_Pooling/config.json", "max_tokens\": false", "max_tokens\": true",
     "wanted one pooling"},
    {"BertModel", "1_Pooling/config.json", "mean_tokens\": true", "mean_tokens\": false",
     "wanted one pooling"},
    {"BertModel", "1_Pooling/config.json", "dimension\": 64", "dimension\": 65", "is 65"},
    {"BertModel", "tokenizer_config.json", "\"[CLS]\"", "\"[CSL]\"", "cls_token is '[CSL]'"},
    {"BertModel", "tokenizer.json", "\"##\"", "\"@@\"", "another one than ##"},
    {"BertModel", "tokenizer.json", "per_word\": 100", "per_word\": 50", "is 50, wanted 100"},
    {"BertModel", "tokenizer.json", "\"BertNormalizer\"", "\"NFKC\"", "is 'NFKC'"},
    {"BertModel", "tokenizer.json", "\"BertPreTokenizer\"", "\"Whitespace\"",
     "is 'Whitespace'"},
    {"BertModel", "tokenizer.json", "\"clean_text\": true", "\"clean_text\": false",
     "'clean_text'"},
    {"BertModel", "tokenizer.json", "{\"SpecialToken\": {\"id\": \"[CLS]\"}}, ", "",
     "does not write a token in front"},
    {"BertForSequenceClassification", "config.json", "{",
     "{\"sentence_transformers\": {\"activation_fn\": "
     "\"torch.nn.modules.activation.Sigmoid\"}, ",
     "activation_fn is 'torch.nn.modules.activation.Sigmoid', wanted torch.nn.modules.linear"},
    {"BertForSequenceClassification", "config.json", "{",
     "{\"sentence_transformers\": {\"new_trick\": 1}, ",
     "nothing is known of 'new_trick' in sentence_transformers"},
    {"BertForSequenceClassification", "config.json", "{",
     "{\"sbert_ce_default_activation_function\": \"torch.nn.modules.activation.Sigmoid\", ",
     "wanted torch.nn.modules.linear.Identity"},
    {"BertForSequenceClassification", "config.json", "\"0\": \"", "\"9\": \"x\", \"0\": \"",
     "id2label has 4 labels"},
};

/* One that reads a text and writes another. */
static const struct {
    const char *file, *old, *new, *says;
} t5_edits[] = {
    {"config.json", "\"gated-gelu\"", "\"relu\"", "is not 'gated-gelu', as the tensors"},
    {"config.json", "\"gated-gelu\"", "\"gated-silu\"", "is not 'gated-gelu'"},
    {"config.json", "\"relative_attention_max_distance\": 128",
     "\"relative_attention_max_distance\": 64", "wanted 128"},
    {"config.json", "\"relative_attention_num_buckets\": 16",
     "\"relative_attention_num_buckets\": 32", "attn_rel_b.weight"},
    {"config.json", "\"d_kv\": 16", "\"d_kv\": 8", "attn_q.weight"},
    {"config.json", "\"d_kv\"", "\"d_vk\"", "'d_vk' is 16"},
    {"config.json", "\"num_layers\": 2", "\"num_layers\": 1", "plays no part"},
    {"config.json", "\"num_decoder_layers\": 3", "\"num_decoder_layers\": 2", "plays no part"},
    {"config.json", "\"num_decoder_layers\": 3", "\"num_decoder_layers\": 4",
     "dec.blk.3.attn_norm.weight' is missing"},
    {"config.json", "\"decoder_start_token_id\": 255", "\"decoder_start_token_id\": 999",
     "decoder_start_token_id"},
    {"config.json", "\"decoder_start_token_id\": 255", "\"bos_token_id\": 255",
     "'decoder_start_token_id' is missing"},
    {"config.json", "\"is_encoder_decoder\": true", "\"is_encoder_decoder\": false",
     "wanted true"},
    {"config.json", "\"T5ForConditionalGeneration\"", "\"T5EncoderModel\"",
     "plays no part in a T5EncoderModel"},
    {"model.safetensors", "\"lm_head.weight\"", "\"lm_heat.weight\"", "'lm_heat.weight'"},
    {"model.safetensors", "\"shared.weight\"", "\"share_.weight\"", "'share_.weight'"},
    {"model.safetensors", "decoder.block.2.layer.1.EncDecAttention.k",
     "decoder.block.2.layer.1.EncDecAttention.x", "EncDecAttention.x"},
};

static void refuses_t5(void **state) {
    (void)state;
    if (!has_python()) skip();
    write_model_of("t5", NULL);
    for (size_t i = 0; i < sizeof t5_edits / sizeof *t5_edits; i++) {
        publish("T5ForConditionalGeneration", "");
        edit(t5_edits[i].file, t5_edits[i].old, t5_edits[i].new);
        refuse_back(t5_edits[i].new, t5_edits[i].says);
    }
}

/* Keys of published files that, with these values, change nothing. */
static const struct {
    const char *family, *class, *keys;
} harmless[] = {
    {"llama", "LlamaForCausalLM",
     "{\"is_llama_config\": true, \"rope_interleaved\": false, \"use_mrope\": false, "
     "\"output_attentions\": false, \"output_hidden_states\": false, \"return_dict\": true, "
     "\"pruned_heads\": {}, \"torchscript\": false, \"use_bfloat16\": false, "
     "\"transformers.js_config\": {\"dtype\": \"q4\"}, "},
    {"bert", "BertForSequenceClassification",
     "{\"sbert_ce_default_activation_function\": \"torch.nn.modules.linear.Identity\", "
     "\"sentence_transformers\": {\"activation_fn\": \"torch.nn.modules.linear.Identity\", "
     "\"version\": \"5.0.0\"}, \"chunk_size_feed_forward\": 0, \"pruned_heads\": {}, "},
};

static void takes_harmless_keys(void **state) {
    (void)state;
    if (!has_python()) skip();
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        write_model_of(harmless[i].family, i ? "wordpiece scores:3 scores_hidden" : NULL);
        publish(harmless[i].class, "");
        edit("config.json", "{", harmless[i].keys);
        convert_back(harmless[i].class, NULL);
        same_tensors(harmless[i].class);
    }
    write_model_of("gemma4-assistant", NULL);
    publish("Gemma4AssistantForCausalLM", "");
    edit("config.json", "\"num_kv_shared_layers\": 4", "\"num_kv_shared_layers\": 0"); /* all */
    convert_back("all layers", NULL), same_tensors("all layers");
}

static void refuses_encoders(void **state) {
    (void)state;
    if (!has_python()) skip();
    for (size_t i = 0; i < sizeof bert_edits / sizeof *bert_edits; i++) {
        bool scores = strstr(bert_edits[i].class, "Classification");
        write_model_of("bert", scores ? "wordpiece scores:3 scores_hidden" : "wordpiece");
        publish(bert_edits[i].class, "");
        edit(bert_edits[i].file, bert_edits[i].old, bert_edits[i].new);
        refuse_back(bert_edits[i].new, bert_edits[i].says);
    }
}

/* Keys without which a class has another number in mind than the family here. */
static const struct {
    const char *arch, *class, *key, *says;
} needs[] = {
    {"rwkv6", "Rwkv6ForCausalLM", "rescale_every", "'rescale_every' is missing"},
    {"granite", "GraniteForCausalLM", "attention_multiplier",
     "'attention_multiplier' is missing"},
    {"gptneox", "GPTNeoXForCausalLM", "rotary_pct", "'rotary_pct' is missing"},
    {"gemma3", "Gemma3ForCausalLM", "rope_theta", "'rope_theta' is missing"},
    {"llama", "MistralForCausalLM", "sliding_window", "'sliding_window' is missing"},
    {"qwen3moe", "Qwen3MoeForCausalLM", "norm_topk_prob", "'norm_topk_prob' is missing"},
};

static void asks_for_keys(void **state) {
    (void)state;
    if (!has_python()) skip();
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        char key[60];
        snprintf(key, sizeof key, "\"%s\"", needs[i].key);
        write_model_of(needs[i].arch, "kv_heads:4");
        publish(needs[i].class, "");
        edit("config.json", key, "\"_name_or_path\"");
        refuse_back(needs[i].class, needs[i].says);
    }
}

/* What another published model of the class may say, and the family here cannot do. */
static const struct {
    const char *arch, *class, *old, *new, *says;
} others[] = {
    {"smollm3", "SmolLM3ForCausalLM", "[1, 1, 1, 0]", "[1, 0, 1, 0]",
     "another number for layer 1 than 1"},
    {"smollm3", "SmolLM3ForCausalLM", "[1, 1, 1, 0]", "[1, 1, 1]", "a list of 4 numbers"},
    {"exaone4 no_norms post_norms head_norms", "Exaone4ForCausalLM", "\"LLLG\"", "\"LLG\"",
     "is LLG, wanted LLLG 4"},
    {"command-r", "CohereForCausalLM", "\"use_qk_norm\": true", "\"use_qk_norm\": false",
     "is not true, and the folder has norms of heads"},
    {"cohere2", "Cohere2ForCausalLM", "\"layer_switch\": 4", "\"layer_switch\": 2",
     "'layer_switch' is 2, wanted 4"},
    {"paddleocr", "PaddleOCRVLForConditionalGeneration", "\"use_3d_rope\": true",
     "\"use_3d_rope\": false", "'use_3d_rope' is false, wanted true"},
    {"hunyuan_vl", "HunYuanVLForConditionalGeneration", "\"xdrope_section\": [2, ",
     "\"xdrope_section\": [2, 2, ", "xdrope_section is not a list of four numbers"},
    {"hunyuan_vl", "HunYuanVLForConditionalGeneration", "\"xdrope_section\": [2, ",
     "\"mrope_section\": [", "xdrope_section is not a list of four numbers"},
    {"hunyuan_vl", "HunYuanVLForConditionalGeneration", "\"num_experts\": 1",
     "\"num_experts\": 8", "'num_experts' is 8, wanted 1"},
    {"hunyuan_vl", "HunYuanVLForConditionalGeneration", "\"mscale\"", "\"mscale_\"", "mscale_"},
    {"rwkv6", "Rwkv6ForCausalLM", "\"head_size_divisor\": 8", "\"head_size_divisor\": 4",
     "'head_size_divisor' is 4, wanted 8"},
    {"rwkv6qwen2", "RWKV6Qwen2ForCausalLM", "\"gate_rank_type\": 1", "\"gate_rank_type\": 2",
     "'gate_rank_type' is 2, wanted 1"},
    {"arwkv7", "RwkvHybridForCausalLM", "\"wkv_version\": 7", "\"wkv_version\": 6",
     "'wkv_version' is 6, wanted 7"},
    {"arwkv7", "RwkvHybridForCausalLM", "\"wkv_has_gate\": true", "\"wkv_has_gate\": false",
     "is (5, 1, 1, 64), wanted (6, 64)"},
    {"olmoe", "OlmoeForCausalLM", "\"clip_qkv\": null", "\"clip_qkv\": 8.0",
     "'clip_qkv' is 8.0"},
    {"olmoe", "OlmoeForCausalLM", "\"norm_topk_prob\": false", "\"norm_topk_prob\": true",
     "'norm_topk_prob' is true"},
    {"gemma4", "Gemma4ForCausalLM", "[\"full_attention\"", "[\"odd_attention\"",
     "for layer 0 nothing says whether it has a window"},
    {"gemma4", "Gemma4ForCausalLM", "\"partial_rotary_factor\": 0.25",
     "\"partial_rotary_factor\": 1.25", "1.25 of a head cannot rotate in this family"},
    {"gemma4", "Gemma4ForCausalLM", "\"attention_k_eq_v\": true", "\"attention_k_eq_v\": false",
     "attention_k_eq_v is not true, and layer 0 has no map of values"},
    {"gemma4", "Gemma4ForCausalLM", "\"num_global_key_value_heads\": 2",
     "\"num_global_key_value_heads\": 1", "is (32, 64), wanted (16, 64)"},
    {"gemma4", "Gemma4ForCausalLM", "\"global_head_dim\": 16",
     "\"per_layer_config\": {\"0\": {\"head_dim\": 16}, \"03\": {\"head_dim\": 16}, "
     "\"6\": {\"head_dim\": 8}}, \"global_head_dim\": 16",
     "per_layer_config says something else of layer 6 than of other layers of its kind"},
    {"gemma4", "Gemma4ForCausalLM", "\"global_head_dim\": 16",
     "\"per_layer_config\": {\"1\": {\"num_key_value_heads\": 1}}, \"global_head_dim\": 16",
     "per_layer_config says something else of layer 1"},
    {"gemma4", "Gemma4ForCausalLM", "\"global_head_dim\": 16",
     "\"per_layer_config\": {\"0\": {\"sliding_window\": 3}}, \"global_head_dim\": 16",
     "per_layer_config of layer 0 has 'sliding_window'"},
    {"gemma4", "Gemma4ForCausalLM", "\"global_head_dim\": 16",
     "\"per_layer_config\": {\"0\": {\"num_key_value_heads\": \"2\"}}, \"global_head_dim\": 16",
     "'num_key_value_heads' of layer 0 is not an integer above 0"},
    {"gemma4", "Gemma4ForCausalLM", "\"global_head_dim\": 16",
     "\"per_layer_config\": {\"0\": {\"head_dim\": 16}, \"3\": {\"head_dim\": 16}, "
     "\"6\": {\"head_dim\": 16}}, \"global_head_dim\": 32",
     "global_head_dim is 32, and per_layer_config says 16"},
    {"gemma4", "Gemma4ForCausalLM", "\"num_global_key_value_heads\": 2",
     "\"num_global_key_value_heads\": 4294967298",
     "4294967298 heads of 16 numbers in layers without a window, wanted 65536"},
    {"gemma4", "Gemma4ForCausalLM", "\"global_head_dim\": 16",
     "\"per_layer_config\": {\"7\": {\"head_dim\": 16}}, \"global_head_dim\": 16",
     "per_layer_config names a layer beyond the model's 7"},
    {"gemma4", "Gemma4ForCausalLM", "\"global_head_dim\": 16",
     "\"per_layer_config\": 3, \"global_head_dim\": 16", "per_layer_config is not an object"},
    {"gemma4-assistant", "Gemma4AssistantForCausalLM", "\"num_kv_shared_layers\": 4",
     "\"num_kv_shared_layers\": 3", "num_kv_shared_layers is 3, wanted 4: all layers of a"},
    {"gemma4-assistant", "Gemma4AssistantForCausalLM", "\"backbone_hidden_size\": 64",
     "\"backbone_hidden_size\": 63", "is (48, 128), wanted (48, 126)"},
    {"gemma4-assistant", "Gemma4AssistantForCausalLM", "\"backbone_hidden_size\"",
     "\"_name_or_path\"", "'backbone_hidden_size' is missing"},
    {"gemma4-assistant", "Gemma4AssistantForCausalLM", "\"use_double_wide_mlp\": false",
     "\"use_double_wide_mlp\": true", "'use_double_wide_mlp' is true, wanted false"},
    {"gemma4-assistant", "Gemma4AssistantForCausalLM", "\"final_logit_softcapping\": null",
     "\"final_logit_softcapping\": 30.0", "'final_logit_softcapping' is 30.0"},
    {"step35", "Step3p5ForCausalLM", "[20000.0, 10000.0", "[20000.0, 9.0",
     "rope_theta of layer 2 is 10000, wanted 9"},
    {"step35", "Step3p5ForCausalLM", "[20000.0, 10000.0", "[\"a\", 10000.0",
     "rope_theta is not a list of numbers"},
    {"step35", "Step3p5ForCausalLM", "\"partial_rotary_factors\": [0.5",
     "\"partial_rotary_factors\": [0.25", "0.25 of a head rotates in layer 0, wanted 0.5"},
    {"falcon-h1 ssm:2 ssm.group_count=2 both bare_norm tied", "FalconH1ForCausalLM",
     "\"mamba_rms_norm\": true", "\"mamba_rms_norm\": false",
     "lm_head_multiplier is not embedding_multiplier"},
    {"mimo2", "MiMoV2FlashForCausalLM", "\"swa_head_dim\": 16", "\"swa_head_dim\": 8",
     "with a window are of another length"},
    {"mimo2", "MiMoV2FlashForCausalLM", "\"swa_head_dim\": 16",
     "\"swa_head_dim\": 16, \"swa_num_attention_heads\": 5", "swa_num_attention_heads is not"},
    {"gemma3n", "Gemma3nForCausalLM", "\"activation_sparsity_pattern\": [",
     "\"activation_sparsity_pattern\": 7, \"_name_or_path\": [",
     "activation_sparsity_pattern is not a list of 6 numbers"},
    {"gemma3n", "Gemma3nForCausalLM", "\"activation_sparsity_pattern\": [",
     "\"activation_sparsity_pattern\": [\"a\", ",
     "activation_sparsity_pattern has no number for layer 0"},
    {"minicpm3", "MiniCPM3ForCausalLM", "\"scale_emb\": 12", "\"scale_emb\": 10",
     "'scale_emb' is 10, wanted 12"},
    {"hunyuan-moe", "HunYuanMoEV1ForCausalLM", "\"moe_topk\": [2, 2]",
     "\"moe_topk\": [2, true]", "an integer, or one for each of 2 layers"},
    {"llada", "LLaDAModelLM", "\"mask_token_id\": 256", "\"mask_token_id\": null",
     "no mask_token_id, which a LLaDAModelLM needs"},
    {"mistral3", "Ministral3ForCausalLM", "\"mscale\": 0.0", "\"mscale\": 0.5",
     "mscale is 0.5, wanted 0 as mscale_all_dim"},
    {"qwen2", "Qwen2ForCausalLM", "\"use_cache\": true",
     "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 2, "
     "\"llama_4_scaling_beta\": 0.1}",
     "models of this family have no llama_4_scaling_beta"},
    {"deci optional layers:5", "DeciLMForCausalLM", "\"n_heads_in_group\": 2",
     "\"n_heads_in_group\": 4", "of layer 0 it does not say the same as the tensors"},
    {"deci optional layers:5", "DeciLMForCausalLM", "\"window_length\": null",
     "\"window_length\": 8", "of layer 0 it does not say the same"},
    {"deci optional layers:5", "DeciLMForCausalLM", "\"replace_with_linear\": true",
     "\"replace_with_linear\": false", "of layer 2 it does not say the same"},
    {"deci optional layers:5", "DeciLMForCausalLM", "\"ffn_mult\": null", "\"ffn_mult\": 1.0",
     "of layer 3 it does not say the same"},
    {"deci optional layers:5", "DeciLMForCausalLM", "\"block_configs\": [",
     "\"num_key_value_heads_per_layer\": [2, 0, 0, 0, 1], \"_name_or_path\": [",
     "of layer 4 it does not say the same"},
    {"chatglm gate_in_up fused_qkv partial", "ChatGLMModel", "\"rmsnorm\": true",
     "\"rmsnorm\": false", "'rmsnorm' is false, wanted true"},
    {"plamo", "PlamoForCausalLM", "\"n_shared_head\": 4", "\"n_shared_head\": 3",
     "8 heads do not divide by n_shared_head, 3"},
    {"deci optional layers:5", "DeciLMForCausalLM", "\"head_dim\": 16", "\"head_dim\": \"16\"",
     "'head_dim' is \"16\", wanted an integer above 0"},
    {"chatglm gate_in_up fused_qkv partial", "ChatGLMModel", "\"kv_channels\": 16",
     "\"kv_channels\": 8", "attn_qkv.weight' is (128, 64), wanted (64, 64)"},
    {"chatglm gate_in_up fused_qkv partial", "ChatGLMModel",
     "\"rope_ratio\": ", "\"rope_ratio\": true, \"_name_or_path\": ",
     "'rope_ratio' is true, wanted a number above 0"},
    {"nemotron", "NemotronForCausalLM", "\"partial_rotary_factor\": 0.5",
     "\"partial_rotary_factor\": [0.5]", "'partial_rotary_factor' is a list, wanted a number"},
    {"refact", "GPTRefactForCausalLM", "\"scale_attn_weights\": true",
     "\"scale_attn_weights\": false", "'scale_attn_weights' is false, wanted true"},
    {"openelm", "OpenELMForCausalLM", "\"share_input_output_layers\": true",
     "\"share_input_output_layers\": false",
     "share_input_output_layers is false, and the folder"},
    {"orion", "OrionForCausalLM", "\"tie_word_embeddings\": false",
     "\"tie_word_embeddings\": \"true\"",
     "'tie_word_embeddings' is \"true\", wanted true or false"},
    {"orion", "OrionForCausalLM", "\"num_key_value_heads\": 2",
     "\"num_key_value_heads\": [2, 2, 2]", "an integer, or one for each of 2 layers"},
    {"nemotron_h_moe", "NemotronHForCausalLM.moe", "\"mlp_hidden_act\": \"relu2\"",
     "\"mlp_hidden_act\": \"silu\"", "'mlp_hidden_act' is silu, wanted relu2"},
    {"deepseek", "DeepseekForCausalLM", "\"softmax\"", "\"sigmoid\"",
     "'scoring_func' is sigmoid, wanted softmax"},
    {"bailingmoe", "BailingMoeForCausalLM", "\"norm_head\": false", "\"norm_head\": true",
     "'norm_head' is true, wanted false"},
    {"arctic", "ArcticForCausalLM", "\"parallel_attn_mlp_res\": true",
     "\"parallel_attn_mlp_res\": false", "is false, wanted true"},
    {"smallthinker", "SmallThinkerForCausalLM", "\"rope_layout\": [0", "\"rope_layout\": [1",
     "not those of all layers but the first of 4"},
    {"smallthinker", "SmallThinkerForCausalLM", "\"rope_layout\": [0", "\"rope_layout\": [[]",
     "not those of all layers but the first of 4"},
    {"smallthinker", "SmallThinkerForCausalLM", "\"moe_enable_early_router\": true",
     "\"moe_enable_early_router\": false", "is false, wanted true"},
    {"smallthinker", "SmallThinkerForCausalLM", "\"sliding_window_size\": 6",
     "\"sliding_window_size\": -1", "'sliding_window_size' is -1, wanted an integer above 0"},
    {"grok", "Grok1ForCausalLM", "\"use_cache\"", "\"residual_moe\"", "is true, wanted false"},
    {"grok", "Grok1ForCausalLM", "\"use_cache\": true", "\"attn_temperature_len\": 1024",
     "'attn_temperature_len' is 1024, and nothing is known"},
    {"dbrx", "DbrxForCausalLM", "\"ffn_config\"", "\"fnf_config\"",
     "'ffn_config' is not an object"},
    {"dbrx", "DbrxForCausalLM", "{\"name\": \"silu\"}", "{\"name\": \"relu\"}",
     "'ffn_act_fn' is relu, wanted silu"},
    {"dbrx", "DbrxForCausalLM", "{\"name\": \"silu\"}", "{}", "'ffn_act_fn' is {}"},
    {"dbrx", "DbrxForCausalLM", "\"moe_jitter_eps\"",
     "\"moe_normalize_expert_weights\": 2, \"moe_jitter_eps\"", "is 2, wanted 1"},
};

static void refuses_others_of_a_class(void **state) {
    (void)state;
    if (!has_python()) skip();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char arch[60];
        const char *family = strchr(others[i].arch, ' '); /* NULL: as make_families.h has it */
        snprintf(arch, sizeof arch, "%.*s", (int)strcspn(others[i].arch, " "), others[i].arch);
        if (family)
            write_model_as(arch, family + 1);
        else
            write_model_of(arch, "rope.freq_base=20000.0");
        publish(others[i].class, "");
        edit("config.json", others[i].old, others[i].new);
        refuse_back(others[i].class, others[i].says);
    }
}

static void keep_note(void *context, const char *text) { snprintf(context, 400, "%s", text); }

/* A head that is not there, and of which nothing is said. */
static void notes_missing_head(void **state) {
    (void)state;
    char note[400] = "";
    const Convert how = {.note = keep_note, .context = note};
    if (!has_python()) skip();
    write_model_of("granite", NULL);
    publish("GraniteForCausalLM", "");
    edit("config.json", "\"tie_word_embeddings\"", "\"use_cache\"");
    convert_with("no head", &how);
    assert_non_null(strstr(note, "has no head, and config.json does not say tie_word_emb"));
    *note = 0;
    write_model_of("openelm", NULL); /* its key has another name */
    publish("OpenELMForCausalLM", "");
    convert_with("OpenELM's head", &how);
    assert_string_equal(note, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_folders),     cmocka_unit_test(refuses_two_models),
        cmocka_unit_test(refuses_encoders),    cmocka_unit_test(asks_for_keys),
        cmocka_unit_test(takes_harmless_keys), cmocka_unit_test(notes_missing_head),
        cmocka_unit_test(refuses_t5),          cmocka_unit_test(refuses_others_of_a_class),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
