"""Names of tensors, by class of the transformers library."""

COMMON = {'attn_norm': 'input_layernorm', 'ffn_norm': 'post_attention_layernorm', 'attn_q': 'self_attn.q_proj',
          'attn_k': 'self_attn.k_proj', 'attn_v': 'self_attn.v_proj', 'attn_output': 'self_attn.o_proj',
          'attn_q_norm': 'self_attn.q_norm', 'attn_k_norm': 'self_attn.k_norm', 'ffn_gate': 'mlp.gate_proj',
          'ffn_up': 'mlp.up_proj', 'ffn_down': 'mlp.down_proj'}
GEMMA = dict(COMMON, post_attention_norm='post_attention_layernorm', ffn_norm='pre_feedforward_layernorm',
             post_ffw_norm='post_feedforward_layernorm')
QWEN = dict(COMMON, ffn_gate_inp='mlp.gate', ffn_gate_exps='mlp.experts.%d.gate_proj', ffn_up_exps='mlp.experts.%d.up_proj',
            ffn_down_exps='mlp.experts.%d.down_proj', ffn_gate_inp_shexp='mlp.shared_expert_gate',
            ffn_gate_shexp='mlp.shared_expert.gate_proj', ffn_up_shexp='mlp.shared_expert.up_proj',
            ffn_down_shexp='mlp.shared_expert.down_proj')
MOE = 'block_sparse_moe.'
NAMES = {
    'MixtralForCausalLM': dict(COMMON, ffn_gate_inp=MOE + 'gate', ffn_gate_exps=MOE + 'experts.%d.w1',
                               ffn_down_exps=MOE + 'experts.%d.w2', ffn_up_exps=MOE + 'experts.%d.w3'),
    'Qwen2MoeForCausalLM': QWEN, 'Qwen3MoeForCausalLM': QWEN, 'Qwen3VLMoeTextModel': QWEN, 'Gemma2ForCausalLM': GEMMA, 'Gemma3ForCausalLM': GEMMA,
    'Olmo2ForCausalLM': GEMMA, 'Olmo3ForCausalLM': GEMMA,
    'Exaone4ForCausalLM': GEMMA, 'OlmoeForCausalLM': QWEN, 'SeedOssForCausalLM': dict(COMMON, post_attention_norm='post_attention_layernorm'),
    'Glm4ForCausalLM': dict(COMMON, post_attention_norm='post_self_attn_layernorm', post_ffw_norm='post_mlp_layernorm', ffn_up='mlp.gate_up_proj'),
    'StableLmForCausalLM': dict(COMMON, attn_q_norm='self_attn.q_layernorm.norms.%d', attn_k_norm='self_attn.k_layernorm.norms.%d'),
    'PhiForCausalLM': dict(COMMON, attn_output='self_attn.dense', ffn_up='mlp.fc1', ffn_down='mlp.fc2'),
    'Phi3ForCausalLM': dict(COMMON, attn_qkv='self_attn.qkv_proj', ffn_up='mlp.gate_up_proj'),
    'Starcoder2ForCausalLM': dict(COMMON, ffn_up='mlp.c_fc', ffn_down='mlp.c_proj'),
    'GPT2LMHeadModel': {'attn_norm': 'ln_1', 'ffn_norm': 'ln_2', 'attn_qkv': 'attn.c_attn', 'attn_output': 'attn.c_proj',
                        'ffn_up': 'mlp.c_fc', 'ffn_down': 'mlp.c_proj'},
    'GPTNeoXForCausalLM': {'attn_norm': 'input_layernorm', 'ffn_norm': 'post_attention_layernorm',
                           'attn_qkv': 'attention.query_key_value', 'attn_output': 'attention.dense',
                           'ffn_up': 'mlp.dense_h_to_4h', 'ffn_down': 'mlp.dense_4h_to_h'},
    'Mamba2ForCausalLM': {'attn_norm': 'norm', 'ssm_in': 'mixer.in_proj', 'ssm_conv1d': 'mixer.conv1d', 'ssm_dt': 'mixer.dt',
                          'ssm_a': 'mixer.A_log', 'ssm_d': 'mixer.D', 'ssm_norm': 'mixer.norm', 'ssm_out': 'mixer.out_proj'},
    'Bert': {'attn_q': 'attention.self.query', 'attn_k': 'attention.self.key', 'attn_v': 'attention.self.value',
             'attn_output': 'attention.output.dense', 'attn_output_norm': 'attention.output.LayerNorm',
             'ffn_up': 'intermediate.dense', 'ffn_down': 'output.dense', 'layer_output_norm': 'output.LayerNorm'},
    'GraniteMoeForCausalLM': dict(COMMON, ffn_gate_inp=MOE + 'router.layer', ffn_down_exps=MOE + 'output_linear',
                                  ffn_down_shexp='shared_mlp.output_linear'),
}
SHARED = dict(COMMON, ffn_gate_inp='mlp.gate', exp_probs_b='mlp.gate.e_score_correction_bias', ffn_gate_exps='mlp.experts.%d.gate_proj',
              ffn_up_exps='mlp.experts.%d.up_proj', ffn_down_exps='mlp.experts.%d.down_proj', ffn_gate_shexp='mlp.shared_experts.gate_proj',
              ffn_up_shexp='mlp.shared_experts.up_proj', ffn_down_shexp='mlp.shared_experts.down_proj', attn_q_a='self_attn.q_a_proj',
              attn_q_a_norm='self_attn.q_a_layernorm', attn_q_b='self_attn.q_b_proj', attn_kv_a_mqa='self_attn.kv_a_proj_with_mqa',
              attn_kv_a_norm='self_attn.kv_a_layernorm', post_attention_norm='post_attention_layernorm')
SHARED.update({'nextn.' + name: theirs for name, theirs in {
    'eh_proj': 'eh_proj', 'enorm': 'enorm', 'hnorm': 'hnorm', 'embed_tokens': 'embed_tokens', 'shared_head_head': 'shared_head.head',
    'shared_head_norm': 'shared_head.norm'}.items()})
SHARED.update({'indexer.' + name: 'self_attn.indexer.' + theirs for name, theirs in {
    'attn_q_b': 'wq_b', 'attn_k': 'wk', 'k_norm': 'k_norm', 'proj': 'weights_proj'}.items()})
W123 = {'ffn_gate_exps': 'experts.%d.w1', 'ffn_down_exps': 'experts.%d.w2', 'ffn_up_exps': 'experts.%d.w3'}


def mamba(place):
    return {'ssm_in': place + 'in_proj', 'ssm_conv1d': place + 'conv1d', 'ssm_x': place + 'x_proj', 'ssm_dt': place + 'dt_proj', 'ssm_d': place + 'D',
            'ssm_a': place + 'A_log', 'ssm_out': place + 'out_proj', 'ssm_norm': place + 'norm', 'ssm_dt_norm': place + 'dt_layernorm',
            'ssm_b_norm': place + 'b_layernorm', 'ssm_c_norm': place + 'c_layernorm'}


NAMES.update({
    'DeepseekV3ForCausalLM': SHARED, 'DeepseekV32ForCausalLM': SHARED, 'GlmMoeDsaForCausalLM': SHARED, 'Glm4MoeForCausalLM': SHARED, 'Dots1ForCausalLM': SHARED,
    'Ernie4_5_MoeForCausalLM': dict(SHARED, exp_probs_b='mlp.moe_statics.e_score_correction_bias'),
    'MiniMaxM2ForCausalLM': dict(COMMON, ffn_gate_inp=MOE + 'gate', exp_probs_b=MOE + 'e_score_correction_bias',
                                 **{k: MOE + v for k, v in W123.items()}),
    'PhiMoEForCausalLM': NAMES['MixtralForCausalLM'], 'RND1': QWEN, 'HunYuanDenseV1ForCausalLM': dict(
        COMMON, attn_q_norm='self_attn.query_layernorm', attn_k_norm='self_attn.key_layernorm'),
    'GptOssForCausalLM': dict(COMMON, attn_sinks='self_attn.sinks', ffn_gate_inp='mlp.router', post_attention_norm='post_attention_layernorm'),
    'Llama4ForCausalLM': dict(COMMON, ffn_gate_inp='feed_forward.router', **{'ffn_' + part + end: 'feed_forward.' + place + part + '_proj'
                              for part in ('gate', 'up', 'down') for end, place in (('', ''), ('_shexp', 'shared_expert.'))}),
    'InternLM2ForCausalLM': {'attn_norm': 'attention_norm', 'ffn_norm': 'ffn_norm', 'attn_qkv': 'attention.wqkv', 'attn_output': 'attention.wo',
                             'ffn_gate': 'feed_forward.w1', 'ffn_down': 'feed_forward.w2', 'ffn_up': 'feed_forward.w3'},
    'GPTBigCodeForCausalLM': NAMES['GPT2LMHeadModel'],
    'GPTJForCausalLM': {'attn_norm': 'ln_1', 'attn_q': 'attn.q_proj', 'attn_k': 'attn.k_proj', 'attn_v': 'attn.v_proj',
                        'attn_output': 'attn.out_proj', 'ffn_up': 'mlp.fc_in', 'ffn_down': 'mlp.fc_out'},
    'BloomForCausalLM': {'attn_norm': 'input_layernorm', 'ffn_norm': 'post_attention_layernorm', 'attn_qkv': 'self_attention.query_key_value',
                         'attn_output': 'self_attention.dense', 'ffn_up': 'mlp.dense_h_to_4h', 'ffn_down': 'mlp.dense_4h_to_h'},
    'MambaForCausalLM': dict(mamba('mixer.'), attn_norm='norm'), 'FalconMambaForCausalLM': dict(mamba('mixer.'), attn_norm='norm'),
    'JambaForCausalLM': dict(COMMON, ffn_norm='pre_ff_layernorm', ffn_gate_inp='feed_forward.router', **mamba('mamba.'), **{
        'ffn_%s%s' % (part, end): 'feed_forward.%s%s_proj' % (place, part) for part in ('gate', 'up', 'down')
        for end, place in (('', ''), ('_exps', 'experts.%d.'))}),
    'GraniteMoeHybridForCausalLM': dict(NAMES['GraniteMoeForCausalLM'], **mamba('mamba.')),
    'NemotronHForCausalLM': dict(mamba('mixer.'), attn_norm='norm', ffn_up='mixer.up_proj', ffn_down='mixer.down_proj', **{
        'attn_' + x: 'mixer.%s_proj' % x[0] for x in ('q', 'k', 'v', 'output')}),
    'Lfm2ForCausalLM': {'attn_norm': 'operator_norm', 'ffn_norm': 'ffn_norm', 'shortconv.in_proj': 'conv.in_proj', 'shortconv.conv': 'conv.conv',
                        'shortconv.out_proj': 'conv.out_proj', 'attn_q': 'self_attn.q_proj', 'attn_k': 'self_attn.k_proj',
                        'attn_v': 'self_attn.v_proj', 'attn_output': 'self_attn.out_proj', 'attn_q_norm': 'self_attn.q_layernorm',
                        'attn_k_norm': 'self_attn.k_layernorm', 'ffn_gate': 'feed_forward.w1', 'ffn_down': 'feed_forward.w2',
                        'ffn_up': 'feed_forward.w3', 'ffn_gate_inp': 'feed_forward.gate', 'exp_probs_b': 'feed_forward.expert_bias',
                        **{k: 'feed_forward.' + v for k, v in W123.items()}},
    'Qwen3NextForCausalLM': dict(QWEN, post_attention_norm='post_attention_layernorm', ssm_ba='linear_attn.in_proj_ba',
                                 ssm_conv1d='linear_attn.conv1d', ssm_a='linear_attn.A_log', ssm_norm='linear_attn.norm',
                                 ssm_out='linear_attn.out_proj'),
    'ModernBert': {'attn_norm': 'attn_norm', 'ffn_norm': 'mlp_norm', 'attn_qkv': 'attn.Wqkv', 'attn_output': 'attn.Wo', 'ffn_up': 'mlp.Wi',
                   'ffn_down': 'mlp.Wo'},
    'NomicBertModel': {'attn_output_norm': 'norm1', 'layer_output_norm': 'norm2', 'attn_qkv': 'attn.Wqkv', 'attn_output': 'attn.out_proj',
                       'ffn_up': 'mlp.fc11', 'ffn_gate': 'mlp.fc12', 'ffn_down': 'mlp.fc2'},
})
NAMES['FalconForCausalLM'] = dict(NAMES['BloomForCausalLM'], attn_norm_2='ln_attn')
NAMES['Lfm2MoeForCausalLM'] = NAMES['Lfm2ForCausalLM']
NAMES['ModernBertModel'] = NAMES['ModernBertForSequenceClassification'] = NAMES['ModernBert']
ENDS = {'GPT2LMHeadModel': ('transformer.', 'h', 'wte', 'ln_f', 'lm_head'),
        'GPTNeoXForCausalLM': ('gpt_neox.', 'layers', 'embed_in', 'final_layer_norm', 'embed_out'),
        'PhiForCausalLM': ('model.', 'layers', 'embed_tokens', 'final_layernorm', 'lm_head'),
        'Mamba2ForCausalLM': ('backbone.', 'layers', 'embeddings', 'norm_f', 'lm_head'),
        'InternLM2ForCausalLM': ('model.', 'layers', 'tok_embeddings', 'norm', 'output'),
        'BloomForCausalLM': ('transformer.', 'h', 'word_embeddings', 'ln_f', 'lm_head'),
        'JambaForCausalLM': ('model.', 'layers', 'embed_tokens', 'final_layernorm', 'lm_head'),
        'Lfm2ForCausalLM': ('model.', 'layers', 'embed_tokens', 'embedding_norm', 'lm_head'),
        'EuroBertModel': ('', 'layers', 'embed_tokens', 'norm', ''),
        'ModernBertModel': ('', 'layers', 'embeddings.tok_embeddings', 'final_norm', ''),
        'NomicBertModel': ('', 'encoder.layers', 'embeddings.word_embeddings', '', '')}
ENDS['GPTBigCodeForCausalLM'] = ENDS['GPTJForCausalLM'] = ENDS['GPT2LMHeadModel']
ENDS['MambaForCausalLM'] = ENDS['FalconMambaForCausalLM'] = ENDS['NemotronHForCausalLM'] = ENDS['Mamba2ForCausalLM']
ENDS['FalconForCausalLM'] = ENDS['BloomForCausalLM']
ENDS['Lfm2MoeForCausalLM'] = ENDS['Lfm2ForCausalLM']
ENDS['LlamaBidirectionalModel'] = ENDS['EuroBertModel']
ENDS['ModernBertForSequenceClassification'] = ('model.', 'layers', 'embeddings.tok_embeddings', 'final_norm', '')
BERT_ENDS = {'token_embd': 'embeddings.word_embeddings', 'position_embd': 'embeddings.position_embeddings',
             'token_types': 'embeddings.token_type_embeddings', 'token_embd_norm': 'embeddings.LayerNorm', 'cls': 'pooler.dense'}
TURNED = ('LlamaForCausalLM', 'MistralForCausalLM', 'MixtralForCausalLM', 'GraniteForCausalLM', 'GraniteMoeForCausalLM',
          'SmolLM3ForCausalLM', 'ArceeForCausalLM', 'GraniteMoeHybridForCausalLM', 'LlamaBidirectionalModel')
GRANITE_EXPERTS = ('GraniteMoeForCausalLM', 'GraniteMoeHybridForCausalLM')
# Classes that are another one with more beside it: that one, and how names begin there.
WITHIN = {'Gemma3ForConditionalGeneration': ('Gemma3ForCausalLM', 'language_model.model.', 'lm_head'),
          'Mistral3ForConditionalGeneration': ('MistralForCausalLM', 'language_model.model.', 'language_model.lm_head'),
          'LlavaForConditionalGeneration': ('LlamaForCausalLM', 'language_model.model.', 'language_model.lm_head'),
          'Idefics3ForConditionalGeneration': ('LlamaForCausalLM', 'model.text_model.', 'lm_head'),
          'Qwen2VLForConditionalGeneration': ('Qwen2ForCausalLM', 'model.', 'lm_head'),
          'Qwen2_5_VLForConditionalGeneration': ('Qwen2ForCausalLM', 'model.language_model.', 'lm_head'),
          'Qwen3VLForConditionalGeneration': ('Qwen3ForCausalLM', 'model.language_model.', 'lm_head'),
          'Qwen3VLMoeForConditionalGeneration': ('Qwen3VLMoeTextModel', 'model.language_model.', 'lm_head'),
          'Llama4ForConditionalGeneration': ('Llama4ForCausalLM', 'language_model.model.', 'language_model.lm_head')}
