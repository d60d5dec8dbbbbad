/* families.c - the classes of models that can be converted, and the names of their tensors.  A
 * new class is a row here (and one in recipe.c or more_families.c for a new family).
 *
 * Source   the modelling files of the transformers library for their names; gguf-py's
 *          tensor_mapping for ours. */
#include "parts.h"
#include "json.h"

/* Embedding and head of most models. */
static const NameRule ends[] = {{"embed_tokens", "token_embd", AS_IS},
                                {"norm", "output_norm", AS_IS},
                                {"lm_head", "output", AS_IS},
                                {"layers.#.self_attn.rotary_emb.inv_freq", NULL, DROPPED},
                                {0}};

static const NameRule pre_norms[] = {
    {"layers.#.input_layernorm", "blk.#.attn_norm", AS_IS},
    {"layers.#.post_attention_layernorm", "blk.#.ffn_norm", AS_IS},
    {0}};

static const NameRule straight[] = {{"layers.#.self_attn.q_proj", "blk.#.attn_q", AS_IS},
                                    {"layers.#.self_attn.k_proj", "blk.#.attn_k", AS_IS},
                                    {"layers.#.self_attn.v_proj", "blk.#.attn_v", AS_IS},
                                    {"layers.#.self_attn.o_proj", "blk.#.attn_output", AS_IS},
                                    {"layers.#.self_attn.q_norm", "blk.#.attn_q_norm", AS_IS},
                                    {"layers.#.self_attn.k_norm", "blk.#.attn_k_norm", AS_IS},
                                    {0}};

/* Our rotated pairs are (0, 1), (2, 3), ...; theirs (0, d/2), (1, d/2 + 1), ... */
static const NameRule permuted[] = {{"layers.#.self_attn.q_proj", "blk.#.attn_q", PERMUTED_Q},
                                    {"layers.#.self_attn.k_proj", "blk.#.attn_k", PERMUTED_K},
                                    {"layers.#.self_attn.v_proj", "blk.#.attn_v", AS_IS},
                                    {"layers.#.self_attn.o_proj", "blk.#.attn_output", AS_IS},
                                    {0}};

static const NameRule gated[] = {{"layers.#.mlp.gate_proj", "blk.#.ffn_gate", AS_IS},
                                 {"layers.#.mlp.up_proj", "blk.#.ffn_up", AS_IS},
                                 {"layers.#.mlp.down_proj", "blk.#.ffn_down", AS_IS},
                                 {0}};

static const NameRule mixtral[] = {
    {"layers.#.block_sparse_moe.gate", "blk.#.ffn_gate_inp", AS_IS},
    {"layers.#.block_sparse_moe.experts.%.w1", "blk.#.ffn_gate_exps", AS_IS},
    {"layers.#.block_sparse_moe.experts.%.w2", "blk.#.ffn_down_exps", AS_IS},
    {"layers.#.block_sparse_moe.experts.%.w3", "blk.#.ffn_up_exps", AS_IS},
    {0}};

static const NameRule qwen_experts[] = {
    {"layers.#.mlp.gate", "blk.#.ffn_gate_inp", AS_IS},
    {"layers.#.mlp.experts.%.gate_proj", "blk.#.ffn_gate_exps", AS_IS},
    {"layers.#.mlp.experts.%.up_proj", "blk.#.ffn_up_exps", AS_IS},
    {"layers.#.mlp.experts.%.down_proj", "blk.#.ffn_down_exps", AS_IS},
    {"layers.#.mlp.shared_expert_gate", "blk.#.ffn_gate_inp_shexp", AS_IS},
    {"layers.#.mlp.shared_expert.gate_proj", "blk.#.ffn_gate_shexp", AS_IS},
    {"layers.#.mlp.shared_expert.up_proj", "blk.#.ffn_up_shexp", AS_IS},
    {"layers.#.mlp.shared_expert.down_proj", "blk.#.ffn_down_shexp", AS_IS},
    {0}};

static const NameRule granite_experts[] = {
    {"layers.#.block_sparse_moe.router.layer", "blk.#.ffn_gate_inp", AS_IS},
    {"layers.#.block_sparse_moe.input_linear", "blk.#.ffn_gate_exps", FIRST_HALF},
    {"layers.#.block_sparse_moe.input_linear", "blk.#.ffn_up_exps", SECOND_HALF},
    {"layers.#.block_sparse_moe.output_linear", "blk.#.ffn_down_exps", AS_IS},
    {"layers.#.shared_mlp.input_linear", "blk.#.ffn_gate_shexp", FIRST_HALF},
    {"layers.#.shared_mlp.input_linear", "blk.#.ffn_up_shexp", SECOND_HALF},
    {"layers.#.shared_mlp.output_linear", "blk.#.ffn_down_shexp", AS_IS},
    {0}};

static const NameRule gemma2_norms[] = {
    {"layers.#.input_layernorm", "blk.#.attn_norm", AS_IS},
    {"layers.#.post_attention_layernorm", "blk.#.post_attention_norm", AS_IS},
    {"layers.#.pre_feedforward_layernorm", "blk.#.ffn_norm", AS_IS},
    {"layers.#.post_feedforward_layernorm", "blk.#.post_ffw_norm", AS_IS},
    {0}};

static const NameRule olmo2_norms[] = {
    {"layers.#.post_attention_layernorm", "blk.#.post_attention_norm", AS_IS},
    {"layers.#.post_feedforward_layernorm", "blk.#.post_ffw_norm", AS_IS},
    {0}};

static const NameRule phi3[] = {{"layers.#.self_attn.qkv_proj", "blk.#.attn_qkv", AS_IS},
                                {"layers.#.self_attn.o_proj", "blk.#.attn_output", AS_IS},
                                {"layers.#.mlp.gate_up_proj", "blk.#.ffn_up", AS_IS},
                                {"layers.#.mlp.down_proj", "blk.#.ffn_down", AS_IS},
                                {0}};

static const NameRule starcoder2[] = {{"layers.#.mlp.c_fc", "blk.#.ffn_up", AS_IS},
                                      {"layers.#.mlp.c_proj", "blk.#.ffn_down", AS_IS},
                                      {0}};

static const NameRule gpt2[] = {{"wte", "token_embd", AS_IS},
                                {"wpe", "position_embd", AS_IS},
                                {"ln_f", "output_norm", AS_IS},
                                {"lm_head", "output", AS_IS},
                                {"h.#.ln_1", "blk.#.attn_norm", AS_IS},
                                {"h.#.ln_2", "blk.#.ffn_norm", AS_IS},
                                {"h.#.attn.c_attn", "blk.#.attn_qkv", TRANSPOSED},
                                {"h.#.attn.c_proj", "blk.#.attn_output", TRANSPOSED},
                                {"h.#.mlp.c_fc", "blk.#.ffn_up", TRANSPOSED},
                                {"h.#.mlp.c_proj", "blk.#.ffn_down", TRANSPOSED},
                                {"h.#.attn", NULL, DROPPED}, /* its bias is the mask */
                                {"h.#.attn.masked_bias", NULL, DROPPED},
                                {0}};

static const NameRule gptneox[] = {
    {"embed_in", "token_embd", AS_IS},
    {"embed_out", "output", AS_IS},
    {"final_layer_norm", "output_norm", AS_IS},
    {"layers.#.input_layernorm", "blk.#.attn_norm", AS_IS},
    {"layers.#.post_attention_layernorm", "blk.#.ffn_norm", AS_IS},
    {"layers.#.attention.query_key_value", "blk.#.attn_qkv", BY_HEADS},
    {"layers.#.attention.dense", "blk.#.attn_output", AS_IS},
    {"layers.#.mlp.dense_h_to_4h", "blk.#.ffn_up", AS_IS},
    {"layers.#.mlp.dense_4h_to_h", "blk.#.ffn_down", AS_IS},
    {"layers.#.attention.rotary_emb.inv_freq", NULL, DROPPED},
    {"layers.#.attention", NULL, DROPPED}, /* its bias is the mask */
    {"layers.#.attention.masked_bias", NULL, DROPPED},
    {0}};

static const NameRule mamba2[] = {{"embeddings", "token_embd", AS_IS},
                                  {"embedding", "token_embd", AS_IS},
                                  {"norm_f", "output_norm", AS_IS},
                                  {"lm_head", "output", AS_IS},
                                  {"layers.#.norm", "blk.#.attn_norm", AS_IS},
                                  {"layers.#.mixer.in_proj", "blk.#.ssm_in", AS_IS},
                                  {"layers.#.mixer.conv1d", "blk.#.ssm_conv1d", SQUEEZED},
                                  {"layers.#.mixer.dt_bias", "blk.#.ssm_dt.bias", AS_IS},
                                  {"layers.#.mixer.A_log", "blk.#.ssm_a", MINUS_EXP},
                                  {"layers.#.mixer.D", "blk.#.ssm_d", COLUMN},
                                  {"layers.#.mixer.norm", "blk.#.ssm_norm", GROUPED},
                                  {"layers.#.mixer.out_proj", "blk.#.ssm_out", AS_IS},
                                  {0}};

static const NameRule bert[] = {
    {"embeddings.word_embeddings", "token_embd", AS_IS},
    {"embeddings.token_type_embeddings", "token_types", AS_IS},
    {"embeddings.LayerNorm", "token_embd_norm", AS_IS},
    {"embeddings.position_ids", NULL, DROPPED}, /* 0, 1, 2, ... */
    {"encoder.layer.#.attention.self.query", "blk.#.attn_q", AS_IS},
    {"encoder.layer.#.attention.self.key", "blk.#.attn_k", AS_IS},
    {"encoder.layer.#.attention.self.value", "blk.#.attn_v", AS_IS},
    {"encoder.layer.#.attention.output.dense", "blk.#.attn_output", AS_IS},
    {"encoder.layer.#.attention.output.LayerNorm", "blk.#.attn_output_norm", AS_IS},
    {"encoder.layer.#.intermediate.dense", "blk.#.ffn_up", AS_IS},
    {"encoder.layer.#.output.dense", "blk.#.ffn_down", AS_IS},
    {"encoder.layer.#.output.LayerNorm", "blk.#.layer_output_norm", AS_IS},
    {0}};

static const NameRule from_zero[] = {{"embeddings.position_embeddings", "position_embd", AS_IS},
                                     {0}};
static const NameRule from_pad[] = {
    {"embeddings.position_embeddings", "position_embd", AFTER_PAD}, {0}};

/* Embedding models do not use the heads they were trained with (masked words, next
 * sentence). */
static const NameRule bert_vectors[] = {{"pooler.dense", NULL, DROPPED},
                                        {"cls.predictions", NULL, DROPPED},
                                        {"cls.predictions.decoder", NULL, DROPPED},
                                        {"cls.predictions.transform.dense", NULL, DROPPED},
                                        {"cls.predictions.transform.LayerNorm", NULL, DROPPED},
                                        {"cls.seq_relationship", NULL, DROPPED},
                                        {0}};

static const NameRule bert_scores[] = {
    {"pooler.dense", "cls", AS_IS}, {"classifier", "cls.output", AS_IS}, {0}};

static const NameRule roberta_vectors[] = {
    {"pooler.dense", NULL, DROPPED},    {"lm_head", NULL, DROPPED},
    {"lm_head.dense", NULL, DROPPED},   {"lm_head.layer_norm", NULL, DROPPED},
    {"lm_head.decoder", NULL, DROPPED}, {0}};

static const NameRule roberta_scores[] = {
    {"classifier.dense", "cls", AS_IS}, {"classifier.out_proj", "cls.output", AS_IS}, {0}};

/* T5: encoder and decoder share the embedding. */
static const NameRule t5_encoder[] = {
    {"shared", "token_embd", AS_IS},
    {"encoder.embed_tokens", NULL, DROPPED}, /* the same */
    {"encoder.final_layer_norm", "enc.output_norm", AS_IS},
    {"encoder.block.#.layer.0.layer_norm", "enc.blk.#.attn_norm", AS_IS},
    {"encoder.block.#.layer.0.SelfAttention.q", "enc.blk.#.attn_q", AS_IS},
    {"encoder.block.#.layer.0.SelfAttention.k", "enc.blk.#.attn_k", AS_IS},
    {"encoder.block.#.layer.0.SelfAttention.v", "enc.blk.#.attn_v", AS_IS},
    {"encoder.block.#.layer.0.SelfAttention.o", "enc.blk.#.attn_o", AS_IS},
    {"encoder.block.#.layer.0.SelfAttention.relative_attention_bias", "enc.blk.#.attn_rel_b",
     AS_IS},
    {"encoder.block.#.layer.1.layer_norm", "enc.blk.#.ffn_norm", AS_IS},
    {"encoder.block.#.layer.1.DenseReluDense.wi", "enc.blk.#.ffn_up", AS_IS},
    {"encoder.block.#.layer.1.DenseReluDense.wi_0", "enc.blk.#.ffn_gate", AS_IS},
    {"encoder.block.#.layer.1.DenseReluDense.wi_1", "enc.blk.#.ffn_up", AS_IS},
    {"encoder.block.#.layer.1.DenseReluDense.wo", "enc.blk.#.ffn_down", AS_IS},
    {0}};

static const NameRule t5_decoder[] = {
    {"lm_head", "output", AS_IS},
    {"decoder.embed_tokens", NULL, DROPPED},
    {"decoder.final_layer_norm", "dec.output_norm", AS_IS},
    {"decoder.block.#.layer.0.layer_norm", "dec.blk.#.attn_norm", AS_IS},
    {"decoder.block.#.layer.0.SelfAttention.q", "dec.blk.#.attn_q", AS_IS},
    {"decoder.block.#.layer.0.SelfAttention.k", "dec.blk.#.attn_k", AS_IS},
    {"decoder.block.#.layer.0.SelfAttention.v", "dec.blk.#.attn_v", AS_IS},
    {"decoder.block.#.layer.0.SelfAttention.o", "dec.blk.#.attn_o", AS_IS},
    {"decoder.block.#.layer.0.SelfAttention.relative_attention_bias", "dec.blk.#.attn_rel_b",
     AS_IS},
    {"decoder.block.#.layer.1.layer_norm", "dec.blk.#.cross_attn_norm", AS_IS},
    {"decoder.block.#.layer.1.EncDecAttention.q", "dec.blk.#.cross_attn_q", AS_IS},
    {"decoder.block.#.layer.1.EncDecAttention.k", "dec.blk.#.cross_attn_k", AS_IS},
    {"decoder.block.#.layer.1.EncDecAttention.v", "dec.blk.#.cross_attn_v", AS_IS},
    {"decoder.block.#.layer.1.EncDecAttention.o", "dec.blk.#.cross_attn_o", AS_IS},
    /* in old files, unused */
    {"decoder.block.#.layer.1.EncDecAttention.relative_attention_bias", NULL, DROPPED},
    {"decoder.block.#.layer.2.layer_norm", "dec.blk.#.ffn_norm", AS_IS},
    {"decoder.block.#.layer.2.DenseReluDense.wi", "dec.blk.#.ffn_up", AS_IS},
    {"decoder.block.#.layer.2.DenseReluDense.wi_0", "dec.blk.#.ffn_gate", AS_IS},
    {"decoder.block.#.layer.2.DenseReluDense.wi_1", "dec.blk.#.ffn_up", AS_IS},
    {"decoder.block.#.layer.2.DenseReluDense.wo", "dec.blk.#.ffn_down", AS_IS},
    {0}};

#define T5_NEEDS "d_kv relative_attention_num_buckets layer_norm_epsilon"

static const ConvertFamily families[] = {
    {"LlamaForCausalLM", "llama", "model.", {ends, pre_norms, permuted, gated}, false, NULL},
    {"MistralForCausalLM",
     "llama",
     "model.",
     {ends, pre_norms, permuted, gated},
     false,
     "sliding_window?"},
    {"MixtralForCausalLM",
     "llama",
     "model.",
     {ends, pre_norms, permuted, mixtral},
     false,
     "rope_theta|rope_parameters"},
    {"Qwen2ForCausalLM", "qwen2", "model.", {ends, pre_norms, straight, gated}, false, NULL},
    {"Qwen2MoeForCausalLM",
     "qwen2moe",
     "model.",
     {ends, pre_norms, straight, qwen_experts},
     false,
     NULL},
    {"Qwen3ForCausalLM", "qwen3", "model.", {ends, pre_norms, straight, gated}, false, NULL},
    {"Qwen3MoeForCausalLM",
     "qwen3moe",
     "model.",
     {ends, pre_norms, straight, qwen_experts},
     false,
     "norm_topk_prob"},
    {"GemmaForCausalLM", "gemma", "model.", {ends, pre_norms, straight, gated}, true, NULL},
    {"Gemma2ForCausalLM",
     "gemma2",
     "model.",
     {ends, gemma2_norms, straight, gated},
     true,
     "attn_logit_softcapping final_logit_softcapping query_pre_attn_scalar"},
    {"Gemma3ForCausalLM",
     "gemma3",
     "model.",
     {ends, gemma2_norms, straight, gated},
     true,
     "rope_theta|rope_parameters sliding_window query_pre_attn_scalar"},
    {"Phi3ForCausalLM", "phi3", "model.", {ends, pre_norms, phi3}, false, NULL},
    {"GPT2LMHeadModel", "gpt2", "transformer.", {gpt2}, false, NULL},
    {"GPTNeoXForCausalLM",
     "gptneox",
     "gpt_neox.",
     {gptneox},
     false,
     "rotary_pct|partial_rotary_factor"},
    {"Starcoder2ForCausalLM",
     "starcoder2",
     "model.",
     {ends, pre_norms, straight, starcoder2},
     false,
     NULL},
    {"GraniteForCausalLM",
     "granite",
     "model.",
     {ends, pre_norms, permuted, gated},
     false,
     "attention_multiplier"},
    {"GraniteMoeForCausalLM",
     "granitemoe",
     "model.",
     {ends, pre_norms, permuted, granite_experts},
     false,
     "attention_multiplier"},
    {"GraniteMoeSharedForCausalLM",
     "granitemoe",
     "model.",
     {ends, pre_norms, permuted, granite_experts},
     false,
     "attention_multiplier"},
    {"Olmo2ForCausalLM", "olmo2", "model.", {ends, olmo2_norms, straight, gated}, false, NULL},
    {"Olmo3ForCausalLM", "olmo2", "model.", {ends, olmo2_norms, straight, gated}, false, NULL},
    {"Mamba2ForCausalLM", "mamba2", "backbone.", {mamba2}, false, NULL},
    {"BertModel", "bert", "bert.", {bert, from_zero, bert_vectors}, false, "layer_norm_eps"},
    {"BertForMaskedLM",
     "bert",
     "bert.",
     {bert, from_zero, bert_vectors},
     false,
     "layer_norm_eps"},
    {"BertForPreTraining",
     "bert",
     "bert.",
     {bert, from_zero, bert_vectors},
     false,
     "layer_norm_eps"},
    {"BertForSequenceClassification",
     "bert",
     "bert.",
     {bert, from_zero, bert_scores},
     false,
     "layer_norm_eps"},
    {"RobertaModel",
     "bert",
     "roberta.",
     {bert, from_pad, roberta_vectors},
     false,
     "layer_norm_eps"},
    {"RobertaForMaskedLM",
     "bert",
     "roberta.",
     {bert, from_pad, roberta_vectors},
     false,
     "layer_norm_eps"},
    {"RobertaForSequenceClassification",
     "bert",
     "roberta.",
     {bert, from_pad, roberta_scores},
     false,
     "layer_norm_eps"},
    {"XLMRobertaModel",
     "bert",
     "roberta.",
     {bert, from_pad, roberta_vectors},
     false,
     "layer_norm_eps"},
    {"XLMRobertaForMaskedLM",
     "bert",
     "roberta.",
     {bert, from_pad, roberta_vectors},
     false,
     "layer_norm_eps"},
    {"XLMRobertaForSequenceClassification",
     "bert",
     "roberta.",
     {bert, from_pad, roberta_scores},
     false,
     "layer_norm_eps"},
    {"T5ForConditionalGeneration",
     "t5",
     "",
     {t5_encoder, t5_decoder},
     false,
     T5_NEEDS " decoder_start_token_id"},
    {"MT5ForConditionalGeneration",
     "t5",
     "",
     {t5_encoder, t5_decoder},
     false,
     T5_NEEDS " decoder_start_token_id"},
    {"UMT5ForConditionalGeneration",
     "t5",
     "",
     {t5_encoder, t5_decoder},
     false,
     T5_NEEDS " decoder_start_token_id"},
    {"T5EncoderModel", "t5encoder", "", {t5_encoder}, false, T5_NEEDS},
    {"MT5EncoderModel", "t5encoder", "", {t5_encoder}, false, T5_NEEDS},
    {"UMT5EncoderModel", "t5encoder", "", {t5_encoder}, false, T5_NEEDS},
};
enum { FAMILIES = sizeof families / sizeof *families };

const ConvertFamily *family_at(size_t index) {
    return index < FAMILIES ? &families[index] : NULL;
}

bool convert_class(size_t index, const char **architecture, const char **arch) {
    if (index >= FAMILIES) return false;
    *architecture = families[index].architecture, *arch = families[index].arch;
    return true;
}

const ConvertFamily *family_of(const JsonValue *config, Fault *fault) {
    const JsonValue *list = json_get(config, "architectures");
    bool one = list && list->kind == JSON_ARRAY && list->count == 1 &&
               list->items[0].kind == JSON_STRING;
    for (size_t i = 0; one && i < FAMILIES; i++)
        if (text_equal(list->items[0].text, text_of(families[i].architecture)))
            return &families[i];
    Text name = one ? list->items[0].text : (Text){"", 0};
    if (!one)
        fault_set(fault, "config.json: architectures is not a list of one name: which class of "
                         "models this is, is not known");
    else
        fault_set(fault,
                  "config.json: models of the class '%.*s' cannot be converted; strata convert "
                  "--list names the %d that can",
                  (int)(name.size < 60 ? name.size : 60), name.data, FAMILIES);
    return NULL;
}
