/* make_families.h - what the files of a family look like, in words.
 *
 *     layer                        the key of eps is that of layer norms, not of RMS norms
 *     norm_biases, biases          norms, maps have biases;  expert_biases: those of experts;  head_bias
 *     map_scales                   maps have scales, as those of files in NVFP4
 *     attn_biases, qkv_biases      maps of attention have them; those of queries, keys and values
 *     no_norms, one_norm           nothing is normed before a branch; one norm serves both
 *     no_gains                     norms of rows have no tensors;  no_embedding: it is the head
 *     two_norms                    attention has a second one, attn_norm_2
 *     moved_norm                   that of the feed-forward is called post_attention_norm
 *     output_norms                 what branches return is normed, as attn_output_norm and layer_output_norm
 *     output_norm                  ... or attn_output_norm
 *     post_norms, embedding_norm   what branches return, and the embedding, are normed
 *     small_gains                  of the norms of heads;  eps:X: of all norms, in place of 1e-5
 *     head_norms, own_norms, row_norms   of queries and keys: of each head with one gain for all, or its own;
 *                                  or of all heads together
 *     plain                        no gate;  gate_in_up: in one map with up
 *     fused_qkv                    one map
 *     tied                         no head of its own
 *     positions                    learned
 *     partial                      half of a head turns;  yarn, rope_freqs: stretched
 *     long_rope:N                  turned otherwise in sessions of more than N positions
 *     sinks                        in attention
 *     experts:N, split:N           so many, an N-th of feed_forward_length wide;  experts_every:N: layers
 *     joined_experts               gate and up of an expert in one map
 *     dense_first:N                the first N blocks have one network
 *     shared, shared_gate          a network beside them, and its gate
 *     expert_key, shared_key       a key says how wide they are
 *     choice_bias                  acts on which experts are chosen, not on their weights
 *     half:N                       feed_forward_length is N times what it is
 *     uneven                       every other layer is half as wide
 *     wide:N                       networks from layer N on are twice as wide
 *     windows_listed               a list says which layers have a window
 *     latents                      of keys and values;  q_latent: of queries, too;  absorbed: a matrix for each head
 *     indexer:N                    attention looks at N positions that it chooses
 *     sections                     pairs belong to time and height, as for images;  sections:4: to four things
 *     narrow_values                values are half as long as keys
 *     ssm:V                        a state-space mixer: Mamba 1 or 2;  state:N: numbers of a channel, for 20;  alone: a block has nothing else
 *     short_conv                   a short convolution is the mixer;  end_norm: token_embd_norm is the last
 *     delta:V, kda                 a delta net: of Qwen3-Next, of Qwen 3.5; of Kimi
 *     rwkv                         the mixes of RWKV 7;  rwkv:6: of RWKV 6;  apart_mu: its mu are five tensors
 *     distilled                    a network instead of the channel mix;  mix_biases: of r, k and v;  bare_mix: no
 *                                  gate and no norm of heads
 *     gate_in_q, gate_numbers, gate_heads   a gate on what attention mixes
 *     sub_norms                    before the last maps;  xielu: curves;  limits: on what networks multiply
 *     kv_listed                    a list says how many keys and values a block has: without attention none
 *     attention_every:N            every N-th block has attention instead;  both: all have both
 *     optional                     of five blocks the second has no attention, the third a map in its place,
 *                                  the fourth nothing
 *     single                       a block is one of: states, a network, attention, in turn
 *     ssm_norms                    of dt, B and C;  bare_norm: ffn_norm is a name without ".weight"
 *     bidirectional                       a diffusion model's: a token for open places;  unshifted: each row of logits
 *                                  is of its own place
 *     own_kv:N                     the first N layers keep keys and values, the others share theirs;  idle_kv: but have
 *                                  maps that are not read
 *     keys_as_values               layers without a window have no map for values
 *     window_heads                 heads of the others are half as long
 *     layer_inputs:N, streams:N    inputs of layers, parts of the stream;  laurel: a short way beside attention
 *     cut                          few gates pass in some layers;  end_scale: behind each block
 *     beside                       experts beside a network;  latent_experts:N: they read N numbers
 *     adjugates:N                  N experts have a small one besides, in common
 *     ahead                        experts read what came into the block, beside a network as wide as that
 *     source                       an encoder, and `written` blocks that write (make_source.h), with biases for
 *                                  distances in so many `buckets`;  own_distances: of each block
 *     encoder                      no head;  after: norms stand behind the branches, and at the end is none
 *     types                        a row for the tokens of each of two texts
 *     bare_first                   the first block has no attn_norm;  enc_norm: the last norm is enc.output_norm
 *     bloom                        a rule for splitting texts that is read quickly: no classes of letters
 *     wordpiece                    BERT's kind of tokenizer;  rerank_template: of a query and a document
 *     dense                        two maps of a text's vector
 *     scores:N                     a head that scores N labels;  scores_hidden: behind a map; scores_norm: and a norm;
 *                                  scores_alone: that map makes the scores
 *     drafts:N                     so many draft heads behind the layers;  draft_ends: with embeddings, norms and
 *                                  heads of their own
 *     guesses                      a draft head for another model, whose rows have target:N numbers;  few:N: of N tokens
 *     borrows                      no embedding and no head: those of the other model
 *     assists:N                    a draft model without keys and values, which reads those of another model, whose
 *                                  rows have N numbers
 *     sees                         pictures (make_eye.h)
 *     layers:N, heads:N, kv_heads:N, head_dim:N, hidden:N, ctx:N, dim:N, window:N    in place of 2, 4, 2, 16, 96, 256,
 *                                  64 and none
 *     KEY=VALUE                    a key: an integer, one with a point, true or false
 *
 * Every rule of a family acts on the logits of a text of 90 tokens: windows are short, ratios far
 * from 1.  (But Llama 4's chunks and temperature begin at position 8192.) */
#ifndef STRATA_MAKE_FAMILIES_H
#define STRATA_MAKE_FAMILIES_H

#include <stddef.h>
#include <string.h>

/* Many small experts and one that every token asks. */
#define MAKE_EXPERTS                                                                       \
    " dense_first:1 layers:3 split:2 expert_key choice_bias shared expert_shared_count=1 " \
    "leading_dense_block_count=1 expert_weights_norm=true expert_weights_scale=2.5"

static const char *const make_families[][2] = {
    {"llama", ""},
    {"llama4", "layers:4 experts:4 experts_every:2 shared expert_key"},
    {"mistral3", "yarn attention.temperature_scale=0.3"},
    {"smollm3", "layers:4 tied"},
    {"granite",
     "embedding_scale=3.0 residual_scale=0.4 attention.scale=0.4 logit_scale=3.0 tied"},
    {"granitemoe", "embedding_scale=3.0 residual_scale=0.4 attention.scale=0.4 logit_scale=3.0 "
                   "experts:4 shared shared_key tied"},
    {"qwen", "fused_qkv half:2 kv_heads:4"},
    {"qwen2", "biases"},
    {"qwen3", "head_norms"},
    {"qwen2moe", "experts:4 split:2 shared shared_gate biases"},
    {"qwen3moe", "experts:4 split:2 head_norms"},
    {"olmoe", "experts:4 row_norms kv_heads:4"},
    {"olmo2", "layers:4 no_norms post_norms row_norms window:6 yarn"},
    {"gemma", "tied"},
    {"gemma2", "tied post_norms window:6 layers:3"},
    {"gemma3", "tied post_norms head_norms window:6 layers:7 rope.freq_base=1000000.0 "
               "rope.scaling.factor=8.0 final_logit_softcapping=20.0"},
    {"gemma3n",
     "tied post_norms small_gains window:6 attention.sliding_window_pattern=2 layers:6 "
     "own_kv:3 layer_inputs:12 streams:3 laurel cut"},
    {"gemma4",
     "tied post_norms small_gains window:6 windows_listed window_heads keys_as_values "
     "rope_freqs layers:7 own_kv:4 layer_inputs:12 end_scale beside experts:6 split:2 "
     "experts_every:2 expert_key final_logit_softcapping=20.0"},
    {"phi2", "layer norm_biases biases plain one_norm partial fused_qkv head_bias"},
    {"phi3", "fused_qkv gate_in_up window:6 partial"},
    {"phimoe", "norm_biases experts:4 biases head_bias window:6 yarn"},
    {"gptj", "layer norm_biases biases plain one_norm partial head_bias"},
    {"gptneox", "layer norm_biases biases plain partial fused_qkv use_parallel_residual=true"},
    {"falcon", "layer norm_biases plain one_norm fused_qkv kv_heads:1 tied"},
    {"gpt2", "layer norm_biases biases plain positions fused_qkv kv_heads:4"},
    {"starcoder", "layer norm_biases biases plain positions fused_qkv kv_heads:1"},
    {"starcoder2", "layer norm_biases biases plain window:6 tied"},
    {"bloom", "layer norm_biases biases plain embedding_norm fused_qkv kv_heads:4 tied"},
    {"mpt", "layer plain fused_qkv kv_heads:4 tied attention.max_alibi_bias=6.0 "
            "attention.clamp_kqv=1.5"},
    {"stablelm", "layer norm_biases biases partial own_norms"},
    {"command-r", "layer one_norm own_norms logit_scale=0.3 tied"},
    {"cohere2", "layer one_norm layers:4 window:6 logit_scale=0.3 tied"},
    {"gpt-oss", "moved_norm sinks biases experts:4 expert_biases expert_key window:6 yarn"},
    {"mamba", "ssm:1 alone layers:3 tied"},
    {"mamba2", "ssm:2 alone layers:3 ssm.group_count=2 tied"},
    {"jamba", "ssm:1 ssm_norms attention_every:3 layers:4 experts:4 experts_every:2"},
    {"granitehybrid",
     "ssm:2 ssm.group_count=2 attention_every:2 embedding_scale=3.0 residual_scale=0.4 "
     "attention.scale=0.4 logit_scale=3.0 experts:4 shared shared_key tied"},
    {"falcon-h1", "ssm:2 ssm.group_count=2 both bare_norm"},
    {"nemotron_h", "ssm:2 ssm.group_count=2 single layers:6 plain"},
    {"lfm2",
     "short_conv shortconv.l_cache=3 attention_every:3 layers:5 head_norms end_norm tied"},
    {"lfm2moe", "short_conv shortconv.l_cache=3 attention_every:2 layers:4 head_norms end_norm "
                "tied experts:4 experts_every:2 expert_key choice_bias"},
    {"ernie4_5", "tied"},
    {"ernie4_5-moe",
     "experts:4 dense_first:1 layers:3 expert_key choice_bias shared shared_key"},
    {"seed_oss", "moved_norm biases"},
    {"glm4", "post_norms gate_in_up biases partial"},
    {"glm4moe", "moved_norm biases partial experts:6" MAKE_EXPERTS},
    {"exaone4", "no_norms post_norms head_norms rope_freqs"},
    {"exaone-moe", "head_norms window:6 layers:5 experts:6" MAKE_EXPERTS},
    {"hunyuan_vl", "head_norms sections:4 rope.scaling.alpha=50.0 tied"},
    {"hunyuan-dense", "head_norms rope.scaling.alpha=50.0"},
    {"hunyuan-moe", "head_norms experts:4 expert_key shared"},
    {"minicpm", "kv_heads:4 tied logit_scale=4.0"},
    {"minimax-m2", "row_norms partial experts:6 choice_bias expert_gating_func=2"},
    {"bailingmoe2", "fused_qkv head_norms partial experts:12 expert_group_count=3 "
                    "expert_group_used_count=2 expert_gating_func=2" MAKE_EXPERTS},
    {"dots1", "head_norms kv_heads:4 experts:6 expert_gating_func=2" MAKE_EXPERTS},
    {"deepseek", "kv_heads:4 layers:3 dense_first:1 leading_dense_block_count=1 experts:6 "
                 "split:2 expert_key shared expert_shared_count=1 expert_weights_scale=1.0"},
    {"bailingmoe", "fused_qkv leading_dense_block_count=0 experts:6 split:2 expert_key shared "
                   "expert_shared_count=1 expert_weights_norm=true expert_weights_scale=1.0"},
    {"dbrx", "layer fused_qkv output_norm experts:4 attention.clamp_kqv=1.5"},
    {"arctic", "ahead experts:4"},
    {"smallthinker", "layers:5 window:6 experts:4 expert_key expert_gating_func=2"},
    {"grovemoe", "head_norms experts:6 split:2 expert_key adjugates:2 experts_per_group=2 "
                 "expert_group_scale=0.5"},
    {"grok", "output_norms experts:4 tied embedding_scale=0.5 attention.output_scale=0.3 "
             "logit_scale=0.6 attn_logit_softcapping=5.0 router_logit_softcapping=3.0"},
    {"mellum", "head_norms window:6 yarn split:2 experts:4 expert_key layers:5 windows_listed"},
    {"maincoder", "head_norms"},
    {"pangu-embedded", "biases"},
    {"qwen2vl", "biases sections"},
    {"paddleocr", "sections"},
    {"qwen3vl", "head_norms sections"},
    {"qwen3vlmoe", "experts:4 split:2 head_norms sections"},
    {"qwen35",
     "delta:2 attention_every:3 layers:4 gate_in_q head_norms moved_norm partial sections"},
    {"qwen35moe", "delta:2 attention_every:2 gate_in_q head_norms moved_norm partial sections "
                  "experts:4 split:2 expert_key shared shared_key shared_gate"},
    {"qwen3next", "delta:1 attention_every:2 gate_in_q head_norms moved_norm partial "
                  "experts:4 split:2 expert_key shared shared_key shared_gate"},
    {"kimi-linear", "kda latents absorbed attention_every:2 experts:6 dense_first:1 layers:4 "
                    "split:2 expert_key choice_bias shared expert_shared_count=1 "
                    "expert_gating_func=2 expert_weights_scale=2.5"},
    {"afmoe",
     "post_norms head_norms gate_numbers window:6 layers:4 dense_first:1 experts:6 split:2 "
     "expert_key choice_bias shared expert_shared_count=1 expert_weights_norm=true "
     "expert_weights_scale=2.0"},
    {"mimo2", "partial narrow_values sinks window:6 windows_listed attention.value_scale=0.7 "
              "experts:6 dense_first:1 layers:3 split:2 expert_key choice_bias"},
    {"step35",
     "rope_freqs head_norms gate_heads window:6 windows_listed limits experts:6" MAKE_EXPERTS},
    {"internlm2", "kv_heads:2"},
    {"xverse", "kv_heads:4"},
    {"exaone", "rope_freqs tied"},
    {"chatglm", "gate_in_up fused_qkv qkv_biases partial"},
    {"plamo", "one_norm heads:8 kv_heads:2 head_dim:8"},
    {"baichuan", "fused_qkv kv_heads:4"},
    {"refact", "kv_heads:1 hidden:256"},
    {"deci", "optional layers:5 rope_freqs"},
    {"nemotron", "layer norm_biases plain partial"},
    {"orion", "layer norm_biases"},
    {"codeshell", "layer norm_biases biases plain fused_qkv no_embedding"},
    {"olmo", "layer no_gains kv_heads:4 attention.clamp_kqv=1.5"},
    {"openelm", "fused_qkv head_norms uneven layers:3 tied eps:1e-6"},
    {"plm", "latents plain tied"},
    {"bitnet", "sub_norms tied"},
    {"apertus", "plain xielu rope_freqs head_norms"},
    {"arcee", "plain"},
    {"deepseek2",
     "latents absorbed q_latent yarn rope.scaling.yarn_log_multiplier=0.1 experts:12 "
     "expert_gating_func=2 expert_group_count=3 expert_group_used_count=2" MAKE_EXPERTS},
    {"deepseek32",
     "latents absorbed q_latent indexer:9 experts:6 expert_gating_func=2" MAKE_EXPERTS},
    {"glm-dsa", "latents absorbed q_latent indexer:9 experts:6" MAKE_EXPERTS},
    {"mistral4", "latents absorbed q_latent yarn rope.scaling.yarn_log_multiplier=0.1 "
                 "attention.temperature_scale=0.3 attention.temperature_length=8 "
                 "experts:6" MAKE_EXPERTS},
    {"minicpm3", "latents q_latent"},
    {"jais2", "layer norm_biases biases plain kv_heads:4"},
    {"nemotron_h_moe",
     "ssm:2 ssm.group_count=2 single layers:6 plain latent_experts:24 experts:6 split:2 "
     "expert_key choice_bias shared shared_key expert_shared_count=1 "
     "expert_weights_norm=true expert_weights_scale=2.5"},
    {"rwkv6", "rwkv:6 layers:3 head_dim:16 layer norm_biases embedding_norm "
              "rescale_every_n_layers=2"},
    {"rwkv6qwen2", "rwkv:6 distilled layers:3 head_dim:16 mix_biases"},
    {"rwkv7", "rwkv layers:3 head_dim:16 layer norm_biases embedding_norm"},
    {"arwkv7", "rwkv distilled layers:3 head_dim:16"},
    {"llada", "bidirectional unshifted kv_heads:4 attention.causal=false"},
    {"llada-moe", "bidirectional unshifted kv_heads:4 head_norms experts:4 split:2 expert_key "
                  "attention.causal=false"},
    {"dream", "bidirectional biases attention.causal=false"},
    {"rnd1", "bidirectional head_norms experts:4 split:2 expert_key attention.causal=false"},
    {"t5", "source kv_heads:4 decoder_block_count=3 written:3 decoder_start_token_id=255 "
           "attention.relative_buckets_count=16 buckets:16"},
    {"t5encoder", "source encoder enc_norm kv_heads:4 attention.causal=false pooling_type=1 "
                  "attention.relative_buckets_count=16 buckets:16"},
    {"bert", "encoder after embedding_norm layer norm_biases biases plain positions types "
             "kv_heads:4 attention.causal=false pooling_type=1"},
    {"nomic-bert", "encoder after embedding_norm layer norm_biases fused_qkv types kv_heads:4 "
                   "attention.causal=false pooling_type=1 rope.freq_base=1000.0"},
    {"nomic-bert-moe",
     "encoder after embedding_norm layer norm_biases fused_qkv types plain kv_heads:4 "
     "experts:4 dense_first:1 moe_every_n_layers=2 attention.causal=false pooling_type=1"},
    {"jina-bert-v2", "encoder after embedding_norm layer norm_biases biases types kv_heads:4 "
                     "attention.causal=false pooling_type=1"},
    {"jina-bert-v3", "encoder after embedding_norm layer norm_biases biases plain fused_qkv "
                     "types kv_heads:4 attention.causal=false pooling_type=1"},
    {"modern-bert", "encoder bare_first embedding_norm layer fused_qkv gate_in_up kv_heads:4 "
                    "layers:5 window:8 rope.freq_base=160000.0 attention.causal=false "
                    "pooling_type=2"},
    {"neo-bert", "encoder enc_norm fused_qkv gate_in_up kv_heads:4 attention.causal=false "
                 "pooling_type=2"},
    {"eurobert", "encoder attention.causal=false pooling_type=1"},
    {"llama-embed", "encoder attention.causal=false pooling_type=1"},
    {"gemma-embedding", "encoder post_norms head_norms dense window:8 layers:7 "
                        "rope.freq_base=1000000.0 attention.causal=false pooling_type=1"},
    {"clip", "sees layers:3"},
    {"eagle3", "guesses layers:1 few:100"},
    {"gemma4-assistant", "assists:64 dim:48 tied post_norms small_gains window:6 "
                         "windows_listed window_heads rope_freqs layers:4 end_scale "
                         "embedding_length_per_layer_input=0"},
};

static inline const char *make_family(const char *arch) {
    for (size_t i = 0; i < sizeof make_families / sizeof *make_families; i++)
        if (strcmp(arch, make_families[i][0]) == 0) return make_families[i][1];
    return NULL;
}

#endif
