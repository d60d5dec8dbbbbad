/* name_rules.h - which of our tensors is made from which of theirs; included by families.c.
 *
 * A name that begins with '.' is in a block: "layers.#" there and "blk.#" here, or what the
 * list's first row says (BLOCK).  {q,k,v} there is one of three, and the same one here.
 *
 * Source   the modelling files of the transformers library for their names; gguf-py's
 *          tensor_mapping for ours. */
#ifndef STRATA_NAME_RULES_H
#define STRATA_NAME_RULES_H

#include "parts.h"

/* A row of two names is copied AS_IS. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* clang-format off */

/* ------------------------------------------------------------------ ends and norms */

/* Embedding and head of most models. */
static const NameRule ends[] = {
    {"{embed_tokens,norm,lm_head}", "{token_embd,output_norm,output}"},
    {".self_attn.rotary_emb.inv_freq", NULL, DROPPED}, {0}};

static const NameRule pre_norms[] = {
    {".{input,post_attention}_layernorm", ".{attn,ffn}_norm"}, {0}};

static const NameRule gemma2_norms[] = {
    {".{input,post_attention,pre_feedforward,post_feedforward}_layernorm",
     ".{attn,post_attention,ffn,post_ffw}_norm"}, {0}};

static const NameRule olmo2_norms[] = {
    {".post_{attention,feedforward}_layernorm", ".post_{attention,ffw}_norm"}, {0}};

/* One norm before both branches. */
static const NameRule one_norm[] = {{".input_layernorm", ".attn_norm"}, {0}};

/* The second norm is named after the attention that it follows, here as there. */
static const NameRule moved_norm[] = {
    {".{input,post_attention}_layernorm", ".{attn,post_attention}_norm"}, {0}};

static const NameRule own_norms[] = {
    {".self_attn.{q,k}_layernorm.norms.%", ".attn_{q,k}_norm"}, {0}};

/* ------------------------------------------------------------------ attention */

static const NameRule straight[] = {
    {".self_attn.{q,k,v,o}_proj", ".attn_{q,k,v,output}"},
    {".self_attn.{q,k}_norm", ".attn_{q,k}_norm"}, {0}};

/* Our rotated pairs are (0, 1), (2, 3), ...; theirs (0, d/2), (1, d/2 + 1), ... */
static const NameRule permuted[] = {
    {".self_attn.q_proj", ".attn_q", PERMUTED_Q}, {".self_attn.k_proj", ".attn_k", PERMUTED_K},
    {".self_attn.{v,o}_proj", ".attn_{v,output}"}, {0}};

static const NameRule latents[] = {
    {".self_attn.{q,q_a,q_b,o}_proj", ".attn_{q,q_a,q_b,output}"},
    {".self_attn.kv_a_proj_with_mqa", ".attn_kv_a_mqa"},
    {".self_attn.{q,kv}_a_layernorm", ".attn_{q,kv}_a_norm"},
    {".self_attn.kv_b_proj", ".attn_k_b", LATENT_K},
    {".self_attn.kv_b_proj", ".attn_v_b", LATENT_V}, {0}};

static const NameRule indexer[] = {
    {".self_attn.indexer.{wq_b,wk,k_norm,weights_proj}", ".indexer.{attn_q_b,attn_k,k_norm,proj}"},
    {0}};

static const NameRule hunyuan[] = {
    {".self_attn.{query,key}_layernorm", ".attn_{q,k}_norm"}, {0}};

/* ------------------------------------------------------------------ feed-forward */

static const NameRule gated[] = {{".mlp.{gate,up,down}_proj", ".ffn_{gate,up,down}"}, {0}};

static const NameRule mixtral[] = {
    {".block_sparse_moe.gate", ".ffn_gate_inp"},
    {".block_sparse_moe.e_score_correction_bias", ".exp_probs_b.bias"},
    {".block_sparse_moe.experts.%.{w1,w2,w3}", ".ffn_{gate,down,up}_exps"}, {0}};

static const NameRule experts[] = {
    {".mlp.gate", ".ffn_gate_inp"},
    {".mlp.gate.e_score_correction_bias", ".exp_probs_b.bias"},
    {".mlp.moe_statics.e_score_correction_bias", ".exp_probs_b.bias", FLAT},
    {".mlp.experts.%.{gate,up,down}_proj", ".ffn_{gate,up,down}_exps"}, {0}};

static const NameRule shared_expert[] = {
    {".mlp.shared_expert_gate", ".ffn_gate_inp_shexp"},
    {".mlp.shared_expert.{gate,up,down}_proj", ".ffn_{gate,up,down}_shexp"}, {0}};

static const NameRule shared_experts[] = {
    {".mlp.shared_experts.{gate,up,down}_proj", ".ffn_{gate,up,down}_shexp"}, {0}};

/* Of draft heads, which stand behind the layers as further ones. */
static const NameRule draft_head[] = {
    {".{eh_proj,enorm,hnorm,embed_tokens}", ".nextn.{eh_proj,enorm,hnorm,embed_tokens}"},
    {".shared_head.{head,norm}", ".nextn.shared_head_{head,norm}"}, {0}};

static const NameRule granite_experts[] = {
    {".block_sparse_moe.router.layer", ".ffn_gate_inp"},
    {".block_sparse_moe.input_linear", ".ffn_gate_exps", FIRST_HALF},
    {".block_sparse_moe.input_linear", ".ffn_up_exps", SECOND_HALF},
    {".block_sparse_moe.output_linear", ".ffn_down_exps"},
    {".shared_mlp.input_linear", ".ffn_gate_shexp", FIRST_HALF},
    {".shared_mlp.input_linear", ".ffn_up_shexp", SECOND_HALF},
    {".shared_mlp.output_linear", ".ffn_down_shexp"}, {0}};

/* Columns of the gate and of up in turn; in files with MXFP4, rows. */
static const NameRule gpt_oss[] = {
    {".self_attn.sinks", ".attn_sinks.weight"}, {".mlp.router", ".ffn_gate_inp"},
    {".mlp.experts.gate_up_proj", ".ffn_gate_exps.weight", EVEN_COLUMNS},
    {".mlp.experts.gate_up_proj", ".ffn_up_exps.weight", ODD_COLUMNS},
    {".mlp.experts.down_proj", ".ffn_down_exps.weight", TRANSPOSED},
    {".mlp.experts.gate_up_proj_{blocks,bias}", ".ffn_gate_exps.{weight,bias}", EVEN},
    {".mlp.experts.gate_up_proj_{blocks,bias}", ".ffn_up_exps.{weight,bias}", ODD},
    {".mlp.experts.down_proj_{blocks,bias}", ".ffn_down_exps.{weight,bias}"}, {0}};

static const NameRule llama4[] = {
    {".feed_forward.router", ".ffn_gate_inp"},
    {".feed_forward.{gate,up,down}_proj", ".ffn_{gate,up,down}"},
    {".feed_forward.experts.gate_up_proj", ".ffn_gate_exps.weight", FIRST_COLUMNS},
    {".feed_forward.experts.gate_up_proj", ".ffn_up_exps.weight", SECOND_COLUMNS},
    {".feed_forward.experts.down_proj", ".ffn_down_exps.weight", TRANSPOSED},
    {".feed_forward.shared_expert.{gate,up,down}_proj", ".ffn_{gate,up,down}_shexp"}, {0}};

/* ------------------------------------------------------------------ whole blocks */

static const NameRule phi3[] = {
    {".self_attn.{qkv,o}_proj", ".attn_{qkv,output}"},
    {".mlp.{gate_up,down}_proj", ".ffn_{up,down}"}, {0}};

static const NameRule glm4[] = {
    {".{input,post_self_attn,post_attention,post_mlp}_layernorm",
     ".{attn,post_attention,ffn,post_ffw}_norm"},
    {".mlp.{gate_up,down}_proj", ".ffn_{up,down}"}, {0}};

static const NameRule phi2[] = {
    {"final_layernorm", "output_norm"}, {".self_attn.dense", ".attn_output"},
    {".mlp.{fc1,fc2}", ".ffn_{up,down}"}, {0}};

static const NameRule starcoder2[] = {{".mlp.{c_fc,c_proj}", ".ffn_{up,down}"}, {0}};

static const NameRule internlm2[] = {
    {"{tok_embeddings,norm,output}", "{token_embd,output_norm,output}"},
    {".{attention,ffn}_norm", ".{attn,ffn}_norm"},
    {".attention.wqkv", ".attn_qkv", PERMUTED_BY_HEADS}, {".attention.wo", ".attn_output"},
    {".feed_forward.{w1,w2,w3}", ".ffn_{gate,down,up}"}, {0}};

static const NameRule gpt2_ends[] = {
    {"h.#", "blk.#", BLOCK},
    {"{wte,wpe,ln_f,lm_head}", "{token_embd,position_embd,output_norm,output}"},
    {".ln_{1,2}", ".{attn,ffn}_norm"},
    {".attn", NULL, DROPPED}, /* its bias is the mask */
    {".attn.masked_bias", NULL, DROPPED}, {0}};

static const NameRule gpt2[] = {
    {"h.#", "blk.#", BLOCK},
    {".attn.{c_attn,c_proj}", ".attn_{qkv,output}", TRANSPOSED},
    {".mlp.{c_fc,c_proj}", ".ffn_{up,down}", TRANSPOSED}, {0}};

static const NameRule bigcode[] = {
    {"h.#", "blk.#", BLOCK}, {".attn.{c_attn,c_proj}", ".attn_{qkv,output}"},
    {".mlp.{c_fc,c_proj}", ".ffn_{up,down}"}, {0}};

static const NameRule gptj[] = {
    {"h.#", "blk.#", BLOCK}, {".attn.{q,k,v,out}_proj", ".attn_{q,k,v,output}"},
    {".mlp.fc_{in,out}", ".ffn_{up,down}"}, {0}};

static const NameRule gptneox[] = {
    {"{embed_in,embed_out,final_layer_norm}", "{token_embd,output,output_norm}"},
    {".attention.query_key_value", ".attn_qkv", BY_HEADS},
    {".attention.dense", ".attn_output"}, {".mlp.dense_{h_to_4h,4h_to_h}", ".ffn_{up,down}"},
    {".attention.rotary_emb.inv_freq", NULL, DROPPED},
    {".attention", NULL, DROPPED}, /* its bias is the mask */
    {".attention.masked_bias", NULL, DROPPED}, {0}};

/* Falcon and BLOOM; with two norms (Falcon 40B) attention's is ln_attn. */
static const NameRule falcon[] = {
    {"h.#", "blk.#", BLOCK}, {"word_embeddings", "token_embd"},
    {"word_embeddings_layernorm", "token_embd_norm"},
    {"{ln_f,lm_head}", "{output_norm,output}"},
    {".{input_layernorm,ln_mlp,ln_attn}", ".{attn_norm,attn_norm,attn_norm_2}"},
    {".post_attention_layernorm", ".ffn_norm"},
    {".self_attention.query_key_value", ".attn_qkv", BY_HEADS},
    {".self_attention.dense", ".attn_output"},
    {".mlp.dense_{h_to_4h,4h_to_h}", ".ffn_{up,down}"}, {0}};

/* ------------------------------------------------------------------ recurrent layers */

static const NameRule mamba_ends[] = {
    {"{embeddings,embedding,norm_f,lm_head}", "{token_embd,token_embd,output_norm,output}"},
    {".norm", ".attn_norm"}, {0}};

static const NameRule mamba[] = {
    {".{mixer,mamba}.{in,x,dt,out}_proj", ".ssm_{in,x,dt,out}"},
    {".{mixer,mamba}.conv1d", ".ssm_conv1d", SQUEEZED}, {".{mixer,mamba}.D", ".ssm_d"},
    {".{mixer,mamba}.A_log", ".ssm_a", MINUS_EXP},
    {".mamba.{dt,b,c}_layernorm", ".ssm_{dt,b,c}_norm"}, {0}};

static const NameRule mamba2[] = {
    {".{mixer,mamba}.{in,out}_proj", ".ssm_{in,out}"},
    {".{mixer,mamba}.conv1d", ".ssm_conv1d", SQUEEZED},
    {".{mixer,mamba}.dt_bias", ".ssm_dt.bias"}, {".{mixer,mamba}.D", ".ssm_d", COLUMN},
    {".{mixer,mamba}.A_log", ".ssm_a", RATES},
    {".{mixer,mamba}.norm", ".ssm_norm", GROUPED}, {0}};

static const NameRule jamba[] = {
    {"final_layernorm", "output_norm"}, {".{input,pre_ff}_layernorm", ".{attn,ffn}_norm"},
    {".feed_forward.{gate,up,down}_proj", ".ffn_{gate,up,down}"},
    {".feed_forward.router", ".ffn_gate_inp"},
    {".feed_forward.experts.%.{gate,up,down}_proj", ".ffn_{gate,up,down}_exps"}, {0}};

/* A block is a mixer or a feed-forward, all of one name. */
static const NameRule nemotron_h[] = {
    {".mixer.{q,k,v,o}_proj", ".attn_{q,k,v,output}"},
    {".mixer.{up,down}_proj", ".ffn_{up,down}"}, {0}};

static const NameRule lfm2[] = {
    {"{embed_tokens,embedding_norm,lm_head}", "{token_embd,token_embd_norm,output}"},
    {".{operator,ffn}_norm", ".{attn,ffn}_norm"},
    {".conv.{in_proj,out_proj}", ".shortconv.{in_proj,out_proj}"},
    {".conv.conv", ".shortconv.conv", SQUEEZED},
    {".self_attn.{out_proj,q_layernorm,k_layernorm}", ".attn_{output,q_norm,k_norm}"},
    {".feed_forward.{w1,w2,w3,gate}", ".ffn_{gate,down,up,gate_inp}"},
    {".feed_forward.expert_bias", ".exp_probs_b.bias"},
    {".feed_forward.experts.%.{w1,w2,w3}", ".ffn_{gate,down,up}_exps"}, {0}};

static const NameRule qwen3next[] = {
    {".linear_attn.in_proj_qkvz", ".attn_qkv", DELTA_QKV},
    {".linear_attn.in_proj_qkvz", ".attn_gate", DELTA_GATE},
    {".linear_attn.{in_proj_ba,norm,out_proj}", ".ssm_{ba,norm,out}"},
    {".linear_attn.conv1d", ".ssm_conv1d", SQUEEZED}, {".linear_attn.dt_bias", ".ssm_dt.bias"},
    {".linear_attn.A_log", ".ssm_a", MINUS_EXP}, {0}};

/* ------------------------------------------------------------------ encoders */

static const NameRule bert[] = {
    {"encoder.layer.#", "blk.#", BLOCK},
    {"embeddings.{word,token_type}_embeddings", "{token_embd,token_types}"},
    {"embeddings.LayerNorm", "token_embd_norm"},
    {"embeddings.position_ids", NULL, DROPPED}, /* 0, 1, 2, ... */
    {".attention.self.{query,key,value}", ".attn_{q,k,v}"},
    {".attention.output.{dense,LayerNorm}", ".attn_{output,output_norm}"},
    {".intermediate.dense", ".ffn_up"},
    {".output.{dense,LayerNorm}", ".{ffn_down,layer_output_norm}"}, {0}};

static const NameRule from_zero[] = {{"embeddings.position_embeddings", "position_embd"}, {0}};
static const NameRule from_pad[] = {
    {"embeddings.position_embeddings", "position_embd", AFTER_PAD}, {0}};

/* Embedding models do not use the heads they were trained with (masked words, next
 * sentence). */
static const NameRule bert_vectors[] = {
    {"{pooler.dense,cls.predictions,cls.seq_relationship}", NULL, DROPPED},
    {"cls.predictions.{decoder,transform.dense,transform.LayerNorm}", NULL, DROPPED}, {0}};

static const NameRule bert_scores[] = {{"{pooler.dense,classifier}", "{cls,cls.output}"}, {0}};

static const NameRule roberta_vectors[] = {
    {"{pooler.dense,lm_head,lm_head.dense,lm_head.layer_norm,lm_head.decoder}", NULL, DROPPED},
    {0}};

static const NameRule roberta_scores[] = {
    {"classifier.{dense,out_proj}", "{cls,cls.output}"}, {0}};

static const NameRule modern_bert[] = {
    {"embeddings.{tok_embeddings,norm}", "{token_embd,token_embd_norm}"},
    {"final_norm", "output_norm"}, {".{attn,mlp}_norm", ".{attn,ffn}_norm"},
    {".attn.{Wqkv,Wo}", ".attn_{qkv,output}"}, {".mlp.{Wi,Wo}", ".ffn_{up,down}"}, {0}};
static const NameRule modern_vectors[] = {
    {"{head.dense,head.norm,decoder}", NULL, DROPPED}, {0}};
static const NameRule modern_scores[] = {
    {"{head.dense,head.norm,classifier}", "{cls,cls.norm,cls.output}"}, {0}};

static const NameRule nomic_bert[] = {
    {"encoder.layers.#", "blk.#", BLOCK}, {"emb_ln", "token_embd_norm"},
    {"embeddings.{word,token_type}_embeddings", "{token_embd,token_types}"},
    {".norm{1,2}", ".{attn,layer}_output_norm"},
    {".attn.{Wqkv,out_proj}", ".attn_{qkv,output}"},
    {".mlp.{fc11,fc12,fc2}", ".ffn_{up,gate,down}"}, {0}};

/* T5: encoder and decoder share the embedding, which older files repeat. */
static const NameRule t5_encoder[] = {
    {"encoder.block.#", "enc.blk.#", BLOCK}, {"encoder.embed_tokens", NULL, DROPPED},
    {"{shared,encoder.final_layer_norm}", "{token_embd,enc.output_norm}"},
    {".layer.0.{layer_norm,SelfAttention.relative_attention_bias}", ".attn_{norm,rel_b}"},
    {".layer.0.SelfAttention.{q,k,v,o}", ".attn_{q,k,v,o}"},
    {".layer.1.layer_norm", ".ffn_norm"},
    {".layer.1.DenseReluDense.{wi,wi_0,wi_1,wo}", ".ffn_{up,gate,up,down}"}, {0}};

static const NameRule t5_decoder[] = {
    {"decoder.block.#", "dec.blk.#", BLOCK}, {"decoder.embed_tokens", NULL, DROPPED},
    {"{lm_head,decoder.final_layer_norm}", "{output,dec.output_norm}"},
    {".layer.0.{layer_norm,SelfAttention.relative_attention_bias}", ".attn_{norm,rel_b}"},
    {".layer.0.SelfAttention.{q,k,v,o}", ".attn_{q,k,v,o}"},
    {".layer.1.layer_norm", ".cross_attn_norm"},
    {".layer.1.EncDecAttention.{q,k,v,o}", ".cross_attn_{q,k,v,o}"},
    /* in old files, unused */
    {".layer.1.EncDecAttention.relative_attention_bias", NULL, DROPPED},
    {".layer.2.layer_norm", ".ffn_norm"},
    {".layer.2.DenseReluDense.{wi,wi_0,wi_1,wo}", ".ffn_{up,gate,up,down}"}, {0}};

/* clang-format on */

#endif
