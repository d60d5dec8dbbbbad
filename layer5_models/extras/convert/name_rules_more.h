/* name_rules_more.h - names of tensors in further classes; see name_rules.h. */
#ifndef STRATA_NAME_RULES_MORE_H
#define STRATA_NAME_RULES_MORE_H

#include "name_rules.h"

/* clang-format off */

/* ------------------------------------------------------------------ experts */

/* All experts in one tensor of three dimensions. */
static const NameRule joined_experts[] = {
    {".{mlp.,}experts.gate_up_proj", ".ffn_gate_exps.weight", FIRST_HALF},
    {".{mlp.,}experts.gate_up_proj", ".ffn_up_exps.weight", SECOND_HALF},
    {".{mlp.,}experts.down_proj", ".ffn_down_exps.weight"}, {0}};

/* ... and each of them turned: (experts, in, out). */
static const NameRule turned_experts[] = {
    {".mlp.experts.gate_up_proj", ".ffn_gate_exps.weight", FIRST_COLUMNS},
    {".mlp.experts.gate_up_proj", ".ffn_up_exps.weight", SECOND_COLUMNS},
    {".mlp.experts.down_proj", ".ffn_down_exps.weight", TRANSPOSED}, {0}};

static const NameRule choice_biases[] = {
    {".mlp.{gate.,}expert_bias", ".exp_probs_b.bias"},
    {".mlp.e_score_correction_bias", ".exp_probs_b.bias"}, {0}};

static const NameRule hunyuan_experts[] = {
    {".mlp.gate.wg", ".ffn_gate_inp"},
    {".mlp.shared_mlp.{gate,up,down}_proj", ".ffn_{gate,up,down}_shexp"}, {0}};

/* ------------------------------------------------------------------ whole blocks */

static const NameRule afmoe[] = {
    {".{input,post_attention,pre_mlp,post_mlp}_layernorm",
     ".{attn,post_attention,ffn,post_ffw}_norm"},
    {".self_attn.gate_proj", ".attn_gate"}, {".mlp.router.gate", ".ffn_gate_inp"}, {0}};

static const NameRule bailing[] = {
    {"word_embeddings", "token_embd"},
    {".attention.{query_key_value,dense}", ".attn_{qkv,output}"},
    {".attention.{query,key}_layernorm", ".attn_{q,k}_norm"}, {0}};

static const NameRule bailing1[] = {
    {"word_embeddings", "token_embd"}, {".attention.query_key_value", ".attn_qkv", PERMUTED_QKV},
    {".attention.dense", ".attn_output"}, {0}};

static const NameRule plain_latents[] = {
    {".self_attn.{q,q_a,q_b,kv_b,o}_proj", ".attn_{q,q_a,q_b,kv_b,output}"},
    {".self_attn.kv_a_proj_with_mqa", ".attn_kv_a_mqa"},
    {".self_attn.{q,kv}_a_layernorm", ".attn_{q,kv}_a_norm"}, {0}};

/* w2 is the gate. */
static const NameRule qwen1[] = {
    {"h.#", "blk.#", BLOCK}, {"{wte,ln_f,lm_head}", "{token_embd,output_norm,output}"},
    {".ln_{1,2}", ".{attn,ffn}_norm"}, {".attn.{c_attn,c_proj}", ".attn_{qkv,output}"},
    {".mlp.{w1,w2,c_proj}", ".ffn_{up,gate,down}"}, {0}};

static const NameRule mpt[] = {
    {"blocks.#", "blk.#", BLOCK}, {"{wte,norm_f,lm_head}", "{token_embd,output_norm,output}"},
    {".norm_{1,2}", ".{attn,ffn}_norm"}, {".attn.{Wqkv,out_proj}", ".attn_{qkv,output}"},
    {".ffn.{up,down}_proj", ".ffn_{up,down}"}, {0}};

static const NameRule arctic[] = {
    {".{input,residual,post_attention}_layernorm", ".{attn_norm,ffn_norm,ffn_norm_exps}"},
    {".residual_mlp.{w1,w2,w3}", ".ffn_{gate,down,up}"}, {0}};

static const NameRule smallthinker[] = {
    {".block_sparse_moe.primary_router", ".ffn_gate_inp"},
    {".block_sparse_moe.experts.%.{gate,up,down}", ".ffn_{gate,up,down}_exps"}, {0}};

/* expert_bias is not read. */
static const NameRule grovemoe[] = {
    {".mlp.chunk_experts.%.{gate,up,down}_proj", ".ffn_{gate,up,down}_chexps"},
    {".mlp.expert_bias", NULL, DROPPED}, {0}};

static const NameRule grok[] = {
    {"decoder_layer.#", "blk.#", BLOCK},
    {"{in_out_embed,rms_norm,lm_head}", "{token_embd,output_norm,output}"},
    {".{rms_norm,rms_norm_1,rms_norm_2,rms_norm_3}",
     ".{attn_norm,attn_output_norm,ffn_norm,layer_output_norm}"},
    {".multi_head_attention.{query,key,value,linear}", ".attn_{q,k,v,output}"},
    {".router", ".ffn_gate_inp"},
    {".moe.%.{linear,linear_v,linear_1}", ".ffn_{gate,up,down}_exps"}, {0}};

static const NameRule dbrx[] = {
    {"blocks.#", "blk.#", BLOCK}, {"{wte,norm_f,lm_head}", "{token_embd,output_norm,output}"},
    {".norm_attn_norm.norm_{1,2}", ".attn_{norm,output_norm}"},
    {".norm_attn_norm.attn.{Wqkv,out_proj}", ".attn_{qkv,output}"},
    {".ffn.router.layer", ".ffn_gate_inp"},
    {".ffn.experts.mlp.{w1,v1}", ".ffn_{gate,up}_exps.weight", EACH},
    {".ffn.experts.mlp.w2", ".ffn_down_exps.weight", EACH_TURNED}, {0}};

static const NameRule apertus[] = {
    {".{attention,feedforward}_layernorm", ".{attn,ffn}_norm"},
    {".mlp.act_fn.{alpha_p,alpha_n,beta,eps}", ".xielu.{alpha_p,alpha_n,beta,eps}", LISTED},
    {0}};

static const NameRule bitnet[] = {
    {".self_attn.{q,k,v,o}_proj", ".attn_{q,k,v,output}", TERNARY},
    {".mlp.{gate,up,down}_proj", ".ffn_{gate,up,down}", TERNARY},
    {".self_attn.inner_attn_ln", ".attn_sub_norm"}, {".mlp.ffn_layernorm", ".ffn_sub_norm"},
    {0}};

static const NameRule llada[] = {
    {"blocks.#", "blk.#", BLOCK}, {"{wte,ln_f,ff_out}", "{token_embd,output_norm,output}"},
    {".{attn,ff}_norm", ".{attn,ffn}_norm"}, {".q_proj", ".attn_q", PERMUTED_Q},
    {".k_proj", ".attn_k", PERMUTED_K}, {".{v_proj,attn_out}", ".attn_{v,output}"},
    {".{ff_proj,up_proj,ff_out}", ".ffn_{gate,up,down}"}, {0}};

static const NameRule exaone[] = {
    {"h.#", "blk.#", BLOCK}, {"{wte,ln_f,lm_head}", "{token_embd,output_norm,output}"},
    {".ln_{1,2}", ".{attn,ffn}_norm"},
    {".attn.attention.{q,k,v,out}_proj", ".attn_{q,k,v,output}"},
    {".attn.attention.rotary_emb.inv_freq", NULL, DROPPED},
    {".mlp.{c_fc_0,c_fc_1,c_proj}", ".ffn_{gate,up,down}"}, {0}};

static const NameRule chatglm[] = {
    {"encoder.layers.#", "blk.#", BLOCK}, {"rotary_pos_emb.inv_freq", NULL, DROPPED},
    {"{embedding.word_embeddings,encoder.final_layernorm,output_layer}",
     "{token_embd,output_norm,output}"},
    {".{input,post_attention}_layernorm", ".{attn,ffn}_norm"},
    {".self_attention.{query_key_value,dense}", ".attn_{qkv,output}"},
    {".mlp.{dense_h_to_4h,dense_4h_to_h}", ".ffn_{up,down}"}, {0}};

/* The same model in the transformers library. */
static const NameRule glm[] = {{".mlp.{gate_up,down}_proj", ".ffn_{up,down}"}, {0}};

static const NameRule plamo[] = {
    {"layers.layers.#", "blk.#", BLOCK}, {".norm", ".attn_norm"},
    {".self_attn.q_proj", ".attn_q", REGROUPED}, {".self_attn.{k,v}_proj", ".attn_{k,v}"},
    {".self_attn.o_proj", ".attn_output", REGROUPED_COLUMNS},
    {".self_attn.rotary_emb.inv_freq", NULL, DROPPED},
    {".mlp.{gate,up,down}_proj", ".ffn_{gate,up,down}"}, {0}};

static const NameRule baichuan[] = {
    {".self_attn.W_pack", ".attn_qkv", PERMUTED_QKV}, {".self_attn.o_proj", ".attn_output"}, {0}};

static const NameRule baichuan2_head[] = {{"lm_head", "output", UNIT_ROWS}, {0}};

static const NameRule refact[] = {
    {"h.#", "blk.#", BLOCK}, {"{wte,ln_f,lm_head}", "{token_embd,output_norm,output}"},
    {".ln_{1,2}", ".{attn,ffn}_norm"}, {".attn.{q,c_proj}", ".attn_{q,output}"},
    {".attn.kv", ".attn_k", FIRST_HALF}, {".attn.kv", ".attn_v", SECOND_HALF},
    {".mlp.gate_up_proj", ".ffn_gate", FIRST_HALF},
    {".mlp.gate_up_proj", ".ffn_up", SECOND_HALF}, {".mlp.c_proj", ".ffn_down"}, {0}};

static const NameRule openelm[] = {
    {"{token_embeddings,norm,lm_head}", "{token_embd,output_norm,output}"},
    {".{attn,ffn}_norm", ".{attn,ffn}_norm"},
    {".attn.{qkv_proj,out_proj,q_norm,k_norm}", ".attn_{qkv,output,q_norm,k_norm}"},
    {".ffn.proj_1", ".ffn_gate", FIRST_HALF}, {".ffn.proj_1", ".ffn_up", SECOND_HALF},
    {".ffn.proj_2", ".ffn_down"}, {0}};

/* Some blocks have a map in place of attention. */
static const NameRule deci[] = {{".self_attn.linear_attn", ".attn_output"}, {0}};

static const NameRule codeshell[] = {
    {"h.#", "blk.#", BLOCK}, {".attn.rotary_emb.inv_freq", NULL, DROPPED}, {0}};

/* ------------------------------------------------------------------ beside a language model */

/* Its one block is "midlayer", or layer 0; t2d follows from d2t. */
static const NameRule eagle3[] = {
    {"{midlayer,layers.0}", "blk.#", BLOCK},
    {"{embed_tokens,norm,lm_head,fc}", "{token_embd,output_norm,output,fc}"},
    {"d2t", "d2t", OFFSETS}, {"t2d", NULL, DROPPED},
    {".{input_layernorm,hidden_norm,post_attention_layernorm}",
     ".{attn_norm,attn_norm_2,ffn_norm}"}, {0}};

/* The same for maps, which stand in lists of their own. */
static const NameRule eagle3_maps[] = {
    {"{midlayer,layers.0}", "blk.#", BLOCK}, {".self_attn.q_proj", ".attn_q", PERMUTED_Q},
    {".self_attn.k_proj", ".attn_k", PERMUTED_K},
    {".self_attn.{v,o}_proj", ".attn_{v,output}"},
    {".mlp.{gate,up,down}_proj", ".ffn_{gate,up,down}"}, {0}};

static const NameRule clip[] = {
    {"encoder.layers.#", "v.blk.#", BLOCK},
    {"embeddings.{class_embedding,patch_embedding,position_embedding}",
     "v.{class_embd,patch_embd,position_embd}"},
    {"embeddings.position_ids", NULL, DROPPED}, /* 0, 1, 2, ... */
    {"{pre_layrnorm,post_layernorm}", "v.{pre_ln,post_ln}"},
    {"multi_modal_projector.linear_{1,2}", "mm.{0,2}"},
    {"model.multi_modal_projector.linear_{1,2}", "mm.{0,2}"},
    {".self_attn.{q,k,v,out}_proj", ".attn_{q,k,v,out}"}, {".layer_norm{1,2}", ".ln{1,2}"},
    {".mlp.fc{1,2}", ".ffn_{up,down}"}, {0}};

static const NameRule gemma3_projector[] = {
    {"mm_input_projection_weight", "mm.input_projection.weight"},
    {"mm_soft_emb_norm", "mm.soft_emb_norm"}, {0}};

static const NameRule idefics3_projector[] = {
    {"modality_projection.proj", "mm.model.fc"}, {0}};

static const NameRule internvit[] = {
    {"encoder.layer.#", "v.blk.#", BLOCK},
    {"embeddings.cls_token", "v.class_embd", SQUASHED},
    {"embeddings.position_embeddings", "v.position_embd.weight", LAST_TWO},
    {"embeddings.patch_embeddings.projection", "v.patch_embd"},
    {".attention.{q,k,v}_proj", ".attn_{q,k,v}"}, {".attention.projection_layer", ".attn_out"},
    {".layernorm_{before,after}", ".ln{1,2}"}, {".lambda_{1,2}", ".ls{1,2}.weight"},
    {".mlp.fc{1,2}", ".ffn_{up,down}"}, {0}};

static const NameRule internvl_projector[] = {
    {"layer_norm", "mm.model.mlp.0"}, {"linear_{1,2}", "mm.model.mlp.{1,3}"}, {0}};

/* The same by its authors' names. */
static const NameRule internvl_chat[] = {
    {"encoder.layers.#", "v.blk.#", BLOCK},
    {"embeddings.class_embedding", "v.class_embd", SQUASHED},
    {"embeddings.position_embedding", "v.position_embd.weight", LAST_TWO},
    {"embeddings.patch_embedding", "v.patch_embd"},
    {".attn.qkv", ".attn_qkv"}, {".attn.proj", ".attn_out"},
    {".norm{1,2}", ".ln{1,2}"}, {".ls{1,2}", ".ls{1,2}.weight"},
    {".mlp.fc{1,2}", ".ffn_{up,down}"},
    {"mlp1.{0,1,3}", "mm.model.mlp.{0,1,3}"}, {0}};

static const NameRule qwen_tower[] = {
    {"blocks.#", "v.blk.#", BLOCK},
    {"patch_embed.proj", "v.patch_embd", FIRST_HALF},
    {"patch_embed.proj", "v.patch_embd.weight.1!", SECOND_HALF},
    {".attn.qkv", ".attn_q", FIRST_THIRD}, {".attn.qkv", ".attn_k", SECOND_THIRD},
    {".attn.qkv", ".attn_v", LAST_THIRD}, {".attn.proj", ".attn_out"},
    {".norm{1,2}", ".ln{1,2}"}, {".mlp.fc{1,2}", ".ffn_{up,down}"},
    {".mlp.{gate,up,down}_proj", ".ffn_{gate,up,down}"},
    {"merger.ln_q", "v.post_ln"}, {"merger.mlp.{0,2}", "mm.{0,2}"}, {0}};

static const NameRule qwen3_tower[] = {
    {"blocks.#", "v.blk.#", BLOCK},
    {"patch_embed.proj.weight", "v.patch_embd.weight!", FIRST_HALF},
    {"patch_embed.proj.weight", "v.patch_embd.weight.1!", SECOND_HALF},
    {"patch_embed.proj.bias", "v.patch_embd.bias!"}, {"pos_embed", "v.position_embd"},
    {".attn.qkv", ".attn_qkv"}, {".attn.proj", ".attn_out"}, {".norm{1,2}", ".ln{1,2}"},
    {".mlp.linear_fc{1,2}", ".ffn_{up,down}"},
    {"merger.norm", "v.post_ln"}, {"merger.linear_fc{1,2}", "mm.{0,2}"}, {0}};

static const NameRule qwen3_deep[] = {
    {"deepstack_merger_list.#", "v.deepstack.#", DEEP_BLOCK},
    {".norm", ".norm"}, {".linear_fc{1,2}", ".fc{1,2}"}, {0}};

static const NameRule pixtral_tower[] = {
    {"transformer.layers.#", "v.blk.#", BLOCK},
    {"{patch_conv,ln_pre}", "v.{patch_embd,pre_ln}"},
    {"{norm,patch_merger.merging_layer,linear_1,linear_2}",
     "mm.{input_norm,patch_merger,1,2}"},
    {"embed_tokens", "v.token_embd.img_break!", BREAK_ROW},
    {".attention.q_proj", ".attn_q", PERMUTED_Q}, {".attention.k_proj", ".attn_k", PERMUTED_K},
    {".attention.{v,o}_proj", ".attn_{v,out}"}, {".{attention,ffn}_norm", ".ln{1,2}"},
    {".feed_forward.{gate,up,down}_proj", ".ffn_{gate,up,down}"}, {0}};

/* A map, and the bounds of what it reads and gives. */
#define BOUNDED(THEIRS, OURS)                                                   \
    {THEIRS ".linear", OURS}, {THEIRS ".input_min", OURS ".input_min"},         \
        {THEIRS ".input_max", OURS ".input_max"},                               \
        {THEIRS ".output_min", OURS ".output_min"},                             \
        {THEIRS ".output_max", OURS ".output_max"}

static const NameRule gemma4_tower[] = {
    {"encoder.layers.#", "v.blk.#", BLOCK},
    {"patch_embedder.input_proj", "v.patch_embd", PIXELS},
    {"patch_embedder.position_embedding_table", "v.position_embd.weight"},
    {"{std_bias,std_scale}", "v.{std_bias,std_scale}"},
    {"embedding_projection", "mm.input_projection"},
    {".{input,post_attention,pre_feedforward,post_feedforward}_layernorm",
     ".{ln1,attn_post_norm,ln2,ffn_post_norm}"},
    {".self_attn.{q,k}_norm", ".attn_{q,k}_norm"},
    BOUNDED(".self_attn.{q,k,v,o}_proj", ".attn_{q,k,v,out}"),
    BOUNDED(".mlp.{gate,up,down}_proj", ".ffn_{gate,up,down}"), {0}};

static const NameRule llama4_tower[] = {
    {"model.layers.#", "v.blk.#", BLOCK},
    {"{patch_embedding.linear,class_embedding}", "v.{patch_embd,class_embd}"},
    {"positional_embedding_vlm", "v.position_embd.weight"},
    {"layernorm_{pre,post}", "v.{pre,post}_ln"},
    {"vision_adapter.mlp.fc{1,2}", "mm.model.mlp.{1,2}"}, {"linear_1", "mm.model.fc"},
    {".self_attn.{q,k,v,o}_proj", ".attn_{q,k,v,out}"},
    {".{input,post_attention}_layernorm", ".ln{1,2}"}, {".mlp.fc{1,2}", ".ffn_{up,down}"},
    {0}};

/* ------------------------------------------------------------------ Gemma 3n and 4 */

static const NameRule inputs_of_layers[] = {
    {"embed_tokens_per_layer", "per_layer_token_embd", PADDED},
    {"per_layer_{model_projection,projection_norm}", "per_layer_{model_proj,proj_norm}"},
    {".per_layer_{input_gate,projection}", ".{inp_gate,proj}"},
    {".post_per_layer_input_norm", ".post_norm"}, {0}};

static const NameRule gemma3n[] = {
    {"altup_{projections,unembed_projections}.%", "altup_{proj,unembd_proj}"},
    {".altup.{modality_router,router_norm}", ".{altup_router,altup_router_norm}"},
    {".altup.{prediction,correction}_coefs", ".altup_{predict,correct}_coef"},
    {".altup.correct_output_scale", ".altup_correct_scale.weight"},
    {".laurel.{linear_left,linear_right,post_laurel_norm}",
     ".laurel_{l,r,post_norm}"}, {0}};

static const NameRule gemma4[] = {
    {".{pre_feedforward_layernorm_2,post_feedforward_layernorm_1,post_feedforward_layernorm_2}",
     ".{pre_ffw_norm_2,post_ffw_norm_1,post_ffw_norm_2}"},
    {".layer_scalar", ".layer_output_scale.weight"}, {".router.proj", ".ffn_gate_inp"},
    {".router.{scale,per_expert_scale}", ".{ffn_gate_inp,ffn_down_exps}.scale"}, {0}};

/* The clusters of E2B and E4B: which logits to compute. */
static const NameRule gemma4_assistant[] = {
    {"{pre_projection,post_projection}", "nextn.{pre_projection,post_projection}"},
    {"masked_embedding.centroids", NULL, DROPPED},
    {"masked_embedding.token_ordering", NULL, DROPPED}, {0}};

/* ------------------------------------------------------------------ windows and sinks */

static const NameRule mimo2[] = {
    {".self_attn.attention_sink_bias", ".attn_sinks.weight"}, {0}};

static const NameRule step35[] = {
    {".transformer.shared_head.{norm,output}", ".nextn.shared_head_{norm,head}"},
    {".self_attn.g_proj", ".attn_gate"}, {".moe.gate", ".ffn_gate_inp"},
    {".moe.router_bias", ".exp_probs_b.bias"},
    {".moe.{gate,up,down}_proj", ".ffn_{gate,up,down}_exps"},
    {".share_expert.{gate,up,down}_proj", ".ffn_{gate,up,down}_shexp"}, {0}};

/* ------------------------------------------------------------------ recurrent layers */

static const NameRule falcon_h1[] = {
    {"final_layernorm", "output_norm"}, {".input_layernorm", ".attn_norm"},
    {".pre_ff_layernorm", ".ffn_norm!"}, {".mamba.in_proj", ".ssm_in", IN_ZONES},
    {".feed_forward.{gate,up,down}_proj", ".ffn_{gate,up,down}"}, {0}};

static const NameRule nemotron_experts[] = {
    {".mixer.gate", ".ffn_gate_inp"},
    {".mixer.gate.e_score_correction_bias", ".exp_probs_b.bias"},
    {".mixer.experts.%.{up,down}_proj", ".ffn_{up,down}_exps"},
    {".mixer.shared_experts.{up,down}_proj", ".ffn_{up,down}_shexp"},
    {".mixer.fc{1,2}_latent_proj", ".ffn_latent_{down,up}"}, {0}};

static const NameRule qwen35[] = {
    {".linear_attn.in_proj_qkv", ".attn_qkv", TILED_QKV},
    {".linear_attn.in_proj_z", ".attn_gate", TILED},
    {".linear_attn.in_proj_{a,b}", ".ssm_{alpha,beta}", TILED},
    {".linear_attn.dt_bias", ".ssm_dt.bias", TILED},
    {".linear_attn.A_log", ".ssm_a", TILED_RATES},
    {".linear_attn.conv1d", ".ssm_conv1d", TILED_TAPS}, {".linear_attn.norm", ".ssm_norm"},
    {".linear_attn.out_proj", ".ssm_out", TILED_COLUMNS}, {0}};

static const NameRule kimi[] = {
    {".self_attn.{q,k,v}_proj", ".attn_{q,k,v}"},
    {".self_attn.{q,k,v}_conv1d", ".ssm_conv1d_{q,k,v}"},
    {".self_attn.{f_a,f_b,g_a,g_b,b}_proj", ".ssm_{f_a,f_b,g_a,g_b,beta}"},
    {".self_attn.A_log", ".ssm_a", KDA_RATES}, {".self_attn.dt_bias", ".ssm_dt.bias"},
    {".self_attn.o_norm", ".ssm_norm"},
    {".block_sparse_moe.gate.e_score_correction_bias", ".exp_probs_b.bias"},
    {".block_sparse_moe.shared_experts.{gate,up,down}_proj", ".ffn_{gate,up,down}_shexp"},
    {0}};

/* RWKV 6: maps of its shift and of its decay are (in, out) there. */
static const NameRule rwkv6[] = {
    {"blocks.#", "blk.#", BLOCK},
    {"{embeddings,ln_out,head}", "{token_embd,output_norm,output}"},
    {"blocks.0.pre_ln", "token_embd_norm"}, {".{ln1,ln2}", ".{attn_norm,attn_norm_2}"},
    {".attention.time_maa_x", ".time_mix_lerp_x.weight", SQUASHED},
    {".attention.time_maa_{w,k,v,r,g}", ".time_mix_lerp_fused.weight", STACKED},
    {".attention.time_maa_{w1,w2}", ".time_mix_{w1,w2}.weight", TRANSPOSED},
    {".attention.time_decay", ".time_mix_decay.weight", SQUASHED},
    {".attention.time_decay_{w1,w2}", ".time_mix_decay_{w1,w2}.weight", TRANSPOSED},
    {".attention.time_faaaa", ".time_mix_first.weight"},
    {".attention.{receptance,key,value,gate,output,ln_x}",
     ".time_mix_{receptance,key,value,gate,output,ln}"},
    {".feed_forward.time_maa_{k,r}", ".channel_mix_lerp_{k,r}.weight", SQUASHED},
    {".feed_forward.{receptance,key,value}", ".channel_mix_{receptance,key,value}"}, {0}};

/* QRWKV 6: in a Qwen 2's names; of the shift's five parts the first is r's, the fourth w's. */
static const NameRule qrwkv6[] = {
    {".self_attn.time_maa_x", ".time_mix_lerp_x.weight", SQUASHED},
    {".self_attn.time_maa_{w,k,v,r,g}", ".time_mix_lerp_fused.weight", STACKED},
    {".self_attn.time_maa_{w1,w2}", ".time_mix_{w1,w2}.weight", REMIXED},
    {".self_attn.time_decay", ".time_mix_decay.weight", SQUASHED},
    {".self_attn.time_decay_{w1,w2}", ".time_mix_decay_{w1,w2}.weight", TRANSPOSED},
    {".self_attn.{q,k,v,o}_proj", ".time_mix_{receptance,key,value,output}"},
    {".self_attn.gate", ".time_mix_gate"}, {0}};

/* ARWKV 7: as in RWKV 7 the first layer's a maps stand in for its value maps, which are never
 * read. */
static const NameRule arwkv7_values[] = {
    {"layers.0.self_attn.time_mixer.{v0,v1,v2}", NULL, DROPPED},
    {"layers.0.self_attn.time_mixer.a0", "blk.0.time_mix_v0.weight", SQUASHED},
    {"layers.0.self_attn.time_mixer.{a1,a2}", "blk.0.time_mix_{v1,v2}.weight", TRANSPOSED}, {0}};

/* Files without a gate have its mu, too; it is never read. */
static const NameRule no_gate[] = {{".self_attn.time_mixer.x_g", NULL, DROPPED}, {0}};

static const NameRule arwkv7[] = {
    {".self_attn.time_mixer.x_{r,w,k,v,a,g}", ".time_mix_lerp_fused.weight", STACKED},
    {".self_attn.time_mixer.{w0,a0,v0,k_k,k_a,r_k}", ".time_mix_{w0,a0,v0,k_k,k_a,r_k}.weight",
     SQUASHED},
    {".self_attn.time_mixer.{w1,w2,a1,a2,v1,v2,g1,g2}",
     ".time_mix_{w1,w2,a1,a2,v1,v2,g1,g2}.weight", TRANSPOSED},
    {".self_attn.time_mixer.{receptance,key,value,output,ln_x}",
     ".time_mix_{receptance,key,value,output,ln}"}, {0}};

/* RWKV 7: what the first layer's a maps become twice is never read; llama.cpp wants it. */
static const NameRule rwkv7[] = {
    {"{embeddings,norm,lm_head}", "{token_embd,output_norm,output}"},
    {"layers.0.pre_norm", "token_embd_norm"}, {".{attn,ffn}_norm", ".{attn_norm,attn_norm_2}"},
    {".attn.x_{r,w,k,v,a,g}", ".time_mix_lerp_fused.weight", STACKED},
    {".attn.{r,k,v,o}_proj", ".time_mix_{receptance,key,value,output}"},
    {".attn.{w,a,v,g}_lora.lora.0", ".time_mix_{w,a,v,g}1"},
    {".attn.{w,a,v,g}_lora.lora.2.weight", ".time_mix_{w,a,v,g}2"},
    {".attn.{w,a,v,g}_lora.lora.2.bias", ".time_mix_{w,a,v,g}0.weight!"},
    {"layers.0.attn.a_lora.lora.0", "blk.0.time_mix_v1"},
    {"layers.0.attn.a_lora.lora.2.weight", "blk.0.time_mix_v2"},
    {"layers.0.attn.a_lora.lora.2.bias", "blk.0.time_mix_v0.weight!"},
    {".attn.k_k", ".time_mix_k_k.weight", SQUASHED},
    {".attn.k_a", ".time_mix_k_a.weight", SQUASHED},
    {".attn.r_k", ".time_mix_r_k.weight", SQUASHED}, {".attn.g_norm", ".time_mix_ln"},
    {".ffn.x_k", ".channel_mix_lerp_k.weight", SQUASHED},
    {".ffn.{key,value}", ".channel_mix_{key,value}"}, {0}};

/* ------------------------------------------------------------------ encoders */

static const NameRule nomic_experts[] = {
    {"encoder.layers.#", "blk.#", BLOCK}, {".mlp.router.layer", ".ffn_gate_inp"},
    {".mlp.{fc1,fc2}", ".ffn_{up,down}"},
    {".mlp.experts.mlp.w1", ".ffn_up_exps.weight", EACH},
    {".mlp.experts.mlp.w2", ".ffn_down_exps.weight", EACH_TURNED},
    {".mlp.experts", NULL, DROPPED}, {0}}; /* its bias is 0 */

static const NameRule distilbert[] = {
    {"transformer.layer.#", "blk.#", BLOCK},
    {"embeddings.{word_embeddings,LayerNorm}", "{token_embd,token_embd_norm}"},
    {"vocab_{transform,layer_norm,projector}", NULL, DROPPED},
    {".attention.{q,k,v,out}_lin", ".attn_{q,k,v,output}"},
    {".{sa,output}_layer_norm", ".{attn,layer}_output_norm"},
    {".ffn.lin{1,2}", ".ffn_{up,down}"}, {0}};

static const NameRule jina2[] = {
    {"encoder.layer.#", "blk.#", BLOCK},
    {".attention.self.layer_norm_{q,k}", ".attn_{q,k}_norm"},
    {".layer_norm_{1,2}", ".{attn_norm_2,layer_output_norm}"},
    {".mlp.{gated_layers,up_gated_layer,wo,down_layer,layernorm}",
     ".{ffn_up,ffn_up,ffn_down,ffn_down,layer_output_norm}"}, {0}};

static const NameRule jina3[] = {
    {"encoder.layers.#", "blk.#", BLOCK},
    {".mixer.{Wqkv,out_proj}", ".attn_{qkv,output}"}, {".mlp.{fc1,fc2}", ".ffn_{up,down}"},
    {"pooler.dense", NULL, DROPPED}, {0}};

static const NameRule dense[] = {{"{2_Dense,3_Dense}", "{dense_2,dense_3}"}, {0}};

/* q, k and v of each head; gate and up in one. */
static const NameRule neo_bert[] = {
    {"transformer_encoder.#", "blk.#", BLOCK}, {"encoder", "token_embd"},
    {"layer_norm", "enc.output_norm"}, {"decoder", NULL, DROPPED},
    {".{attention,ffn}_norm", ".{attn,ffn}_norm"}, {".qkv", ".attn_qkv", BY_HEADS},
    {".wo", ".attn_output"}, {".ffn.{w12,w3}", ".ffn_{up,down}"}, {0}};

static const NameRule neo_scores[] = {{"{dense,classifier}", "{cls,cls.output}"}, {0}};

/* clang-format on */

#endif
