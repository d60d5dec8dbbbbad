"""Names of tensors in further classes."""
from .names import COMMON, ENDS, GEMMA, MOE, NAMES, QWEN, SHARED, TURNED, W123, WITHIN, mamba


def network(place, end='', parts=('gate', 'up', 'down')):
    return {'ffn_%s%s' % (part, end): '%s%s_proj' % (place, part) for part in parts}


ALL = {'ffn_gate_inp': 'mlp.gate', 'exp_probs_b': 'mlp.expert_bias', **network('mlp.experts.%d.', '_exps'), **network('mlp.shared_experts.', '_shexp')}
GEMMA3N = dict(GEMMA, inp_gate='per_layer_input_gate', proj='per_layer_projection', post_norm='post_per_layer_input_norm',
               altup_router='altup.modality_router', altup_router_norm='altup.router_norm', altup_predict_coef='altup.prediction_coefs',
               altup_correct_coef='altup.correction_coefs', altup_correct_scale='altup.correct_output_scale', laurel_l='laurel.linear_left',
               laurel_r='laurel.linear_right', laurel_post_norm='laurel.post_laurel_norm')
LINEAR = {'attn_qkv': 'linear_attn.in_proj_qkv', 'attn_gate': 'linear_attn.in_proj_z', 'ssm_alpha': 'linear_attn.in_proj_a',
          'ssm_beta': 'linear_attn.in_proj_b', 'ssm_conv1d': 'linear_attn.conv1d', 'ssm_a': 'linear_attn.A_log', 'ssm_norm': 'linear_attn.norm',
          'ssm_out': 'linear_attn.out_proj', 'ssm_dt': 'linear_attn.dt', 'post_attention_norm': 'post_attention_layernorm'}
BERT = NAMES['Bert']
MORE = {
    'Jais2ForCausalLM': COMMON, 'Ministral3ForCausalLM': COMMON, 'MiniCPMForCausalLM': COMMON, 'Mistral4ForCausalLM': SHARED,
    'MiniCPM3ForCausalLM': dict(SHARED, attn_kv_b='self_attn.kv_b_proj'), 'LLaDAMoEModelLM': QWEN, 'MellumForCausalLM': QWEN,
    'QWenLMHeadModel': {'attn_norm': 'ln_1', 'ffn_norm': 'ln_2', 'attn_qkv': 'attn.c_attn', 'attn_output': 'attn.c_proj', 'ffn_up': 'mlp.w1',
                        'ffn_gate': 'mlp.w2', 'ffn_down': 'mlp.c_proj'},
    'MPTForCausalLM': {'attn_norm': 'norm_1', 'ffn_norm': 'norm_2', 'attn_qkv': 'attn.Wqkv', 'attn_output': 'attn.out_proj',
                       'ffn_up': 'ffn.up_proj', 'ffn_down': 'ffn.down_proj'},
    'LLaDAModelLM': {'attn_norm': 'attn_norm', 'ffn_norm': 'ff_norm', 'attn_q': 'q_proj', 'attn_k': 'k_proj', 'attn_v': 'v_proj',
                     'attn_output': 'attn_out', 'ffn_gate': 'ff_proj', 'ffn_up': 'up_proj', 'ffn_down': 'ff_out'},
    'ApertusForCausalLM': dict(COMMON, attn_norm='attention_layernorm', ffn_norm='feedforward_layernorm'),
    'BitnetForCausalLM': dict(COMMON, attn_sub_norm='self_attn.inner_attn_ln', ffn_sub_norm='mlp.ffn_layernorm'),
    'ExaoneMoEForCausalLM': dict(COMMON, **dict(ALL, exp_probs_b='mlp.e_score_correction_bias')),
    'HunYuanMoEV1ForCausalLM': dict(COMMON, **dict(ALL, ffn_gate_inp='mlp.gate.wg', attn_q_norm='self_attn.query_layernorm',
                                                   attn_k_norm='self_attn.key_layernorm', **network('mlp.shared_mlp.', '_shexp'))),
    'BailingMoeV2ForCausalLM': dict(COMMON, **dict(ALL, exp_probs_b='mlp.gate.expert_bias', attn_qkv='attention.query_key_value',
                                                   attn_output='attention.dense', attn_q_norm='attention.query_layernorm',
                                                   attn_k_norm='attention.key_layernorm')),
    'AfmoeForCausalLM': dict(COMMON, **dict(ALL, ffn_gate_inp='mlp.router.gate', post_attention_norm='post_attention_layernorm',
                                            ffn_norm='pre_mlp_layernorm', post_ffw_norm='post_mlp_layernorm', attn_gate='self_attn.gate_proj')),
    'MiMoV2FlashForCausalLM': dict(SHARED, attn_sinks='self_attn.attention_sink_bias'),
    'Step3p5ForCausalLM': dict(COMMON, **{'nextn.' + x: y for x, y in (('eh_proj', 'eh_proj'), ('enorm', 'enorm'), ('hnorm', 'hnorm'), (
        'embed_tokens', 'embed_tokens'), ('shared_head_norm', 'transformer.shared_head.norm'), ('shared_head_head', 'transformer.shared_head.output'))}, attn_gate='self_attn.g_proj', ffn_gate_inp='moe.gate', exp_probs_b='moe.router_bias',
                               **network('moe.', '_exps'), **network('share_expert.', '_shexp')),
    'Gemma3nForCausalLM': GEMMA3N, 'Gemma3TextModel': GEMMA,
    'Gemma4ForCausalLM': dict(GEMMA3N, layer_output_scale='layer_scalar', ffn_gate_inp='router.proj', pre_ffw_norm_2='pre_feedforward_layernorm_2',
                              post_ffw_norm_1='post_feedforward_layernorm_1', post_ffw_norm_2='post_feedforward_layernorm_2', **{
                                  'ffn_gate_inp.scale': 'router.scale', 'ffn_down_exps.scale': 'router.per_expert_scale'}),
    'FalconH1ForCausalLM': dict(COMMON, ffn_norm='pre_ff_layernorm', **mamba('mamba.'), **network('feed_forward.')),
    'NemotronHForCausalLM.moe': dict(NAMES['NemotronHForCausalLM'], ffn_gate_inp='mixer.gate', exp_probs_b='mixer.gate.e_score_correction_bias',
                                     ffn_latent_down='mixer.fc1_latent_proj', ffn_latent_up='mixer.fc2_latent_proj',
                                     **network('mixer.experts.%d.', '_exps'), **network('mixer.shared_experts.', '_shexp')),
    'Qwen3_5ForCausalLM': dict(COMMON, **LINEAR), 'Qwen3_5MoeForCausalLM': dict(QWEN, **LINEAR),
    'KimiLinearForCausalLM': dict(SHARED, ffn_gate_inp=MOE + 'gate', exp_probs_b=MOE + 'gate.e_score_correction_bias', ssm_a='self_attn.A_log',
                                  ssm_norm='self_attn.o_norm', ssm_dt='self_attn.dt', ssm_beta='self_attn.b_proj', **{
                                      'ssm_' + x: 'self_attn.%s_proj' % x for x in ('f_a', 'f_b', 'g_a', 'g_b')}, **{
                                      'ssm_conv1d_' + x: 'self_attn.%s_conv1d' % x for x in 'qkv'}, **{k: MOE + v for k, v in W123.items()},
                                  **network(MOE + 'shared_experts.', '_shexp')),
    'RWKV7ForCausalLM': {'attn_norm': 'attn_norm', 'attn_norm_2': 'ffn_norm', 'time_mix_ln': 'attn.g_norm', 'channel_mix_key': 'ffn.key',
                         'channel_mix_value': 'ffn.value', 'time_mix_receptance': 'attn.r_proj', 'time_mix_key': 'attn.k_proj',
                         'time_mix_value': 'attn.v_proj', 'time_mix_output': 'attn.o_proj', 'channel_mix_lerp_k': 'ffn.x_k',
                         'time_mix_k_k': 'attn.k_k', 'time_mix_k_a': 'attn.k_a', 'time_mix_r_k': 'attn.r_k'},
    'LlamaForCausalLMEagle3': dict(COMMON, attn_norm_2='hidden_norm'),
    **{cls + 'ForConditionalGeneration.tower': {'attn_q': 'self_attn.q_proj', 'attn_k': 'self_attn.k_proj', 'attn_v': 'self_attn.v_proj',
                                                'attn_out': 'self_attn.out_proj', 'ln1': 'layer_norm1', 'ln2': 'layer_norm2',
                                                'ffn_up': 'mlp.fc1', 'ffn_down': 'mlp.fc2'} for cls in ('Llava', 'Gemma3', 'Idefics3')},
    **{cls + '.tower': {'attn_q': 'attention.q_proj', 'attn_k': 'attention.k_proj', 'attn_v': 'attention.v_proj', 'attn_out': 'attention.o_proj',
                        'ln1': 'attention_norm', 'ln2': 'ffn_norm', **network('feed_forward.')}
       for cls in ('Mistral3ForConditionalGeneration', 'LlavaForConditionalGeneration.pixtral')},
    'Llama4ForConditionalGeneration.tower': {'attn_q': 'self_attn.q_proj', 'attn_k': 'self_attn.k_proj', 'attn_v': 'self_attn.v_proj',
                                             'attn_out': 'self_attn.o_proj', 'ln1': 'input_layernorm', 'ln2': 'post_attention_layernorm',
                                             'ffn_up': 'mlp.fc1', 'ffn_down': 'mlp.fc2'},
    'InternVLForConditionalGeneration.tower': {'attn_q': 'attention.q_proj', 'attn_k': 'attention.k_proj', 'attn_v': 'attention.v_proj',
                                               'attn_out': 'attention.projection_layer', 'ln1': 'layernorm_before', 'ln2': 'layernorm_after',
                                               'ffn_up': 'mlp.fc1', 'ffn_down': 'mlp.fc2', 'ls1': 'lambda_1', 'ls2': 'lambda_2'},
    **{cls + 'ForConditionalGeneration.tower': {'attn_q': 'attn.q', 'attn_k': 'attn.k', 'attn_v': 'attn.v', 'attn_out': 'attn.proj', 'ln1': 'norm1', 'ln2': 'norm2',
                                                **names} for cls, names in (('Qwen2VL', {'ffn_up': 'mlp.fc1', 'ffn_down': 'mlp.fc2'}),
                                                                            ('Qwen2_5_VL', network('mlp.', '')))},
    'InternVLChatModel.tower': {'attn_q': 'attn.q', 'attn_k': 'attn.k', 'attn_v': 'attn.v', 'attn_out': 'attn.proj', 'ln1': 'norm1',
                                'ln2': 'norm2', 'ffn_up': 'mlp.fc1', 'ffn_down': 'mlp.fc2', 'ls1': 'ls1', 'ls2': 'ls2'},
    'MistralModel': COMMON,
    'DistilBertModel': {'attn_q': 'attention.q_lin', 'attn_k': 'attention.k_lin', 'attn_v': 'attention.v_lin', 'attn_output': 'attention.out_lin',
                        'attn_output_norm': 'sa_layer_norm', 'ffn_up': 'ffn.lin1', 'ffn_down': 'ffn.lin2', 'layer_output_norm': 'output_layer_norm'},
    'JinaBertModel': dict(BERT, ffn_up='mlp.gated_layers', ffn_down='mlp.wo', layer_output_norm='mlp.layernorm',
                          attn_q_norm='attention.self.layer_norm_q', attn_k_norm='attention.self.layer_norm_k'),
    'XLMRobertaModel.3': {'attn_output_norm': 'norm1', 'layer_output_norm': 'norm2', 'attn_qkv': 'mixer.Wqkv', 'attn_output': 'mixer.out_proj',
                          'ffn_up': 'mlp.fc1', 'ffn_down': 'mlp.fc2'},
    'NomicBertModel.moe': dict(NAMES['NomicBertModel'], ffn_up='mlp.fc1', ffn_gate_inp='mlp.router.layer', ffn_up_exps='mlp.experts.mlp.w1',
                               ffn_down_exps='mlp.experts.mlp.w2'),
    'NeoBERT': {'attn_norm': 'attention_norm', 'ffn_norm': 'ffn_norm', 'attn_qkv': 'qkv', 'attn_output': 'wo', 'ffn_up': 'ffn.w12',
                'ffn_down': 'ffn.w3'},
}
NAMES.update(MORE)
ENDS.update({
    'QWenLMHeadModel': ENDS['GPT2LMHeadModel'], 'RWKV7ForCausalLM': ('model.', 'layers', 'embeddings', 'norm', 'lm_head'), 'MPTForCausalLM': ('transformer.', 'blocks', 'wte', 'norm_f', 'lm_head'),
    'LLaDAModelLM': ('model.transformer.', 'blocks', 'wte', 'ln_f', 'model.transformer.ff_out'),
    'BailingMoeV2ForCausalLM': ('model.', 'layers', 'word_embeddings', 'norm', 'lm_head'),
    'LlamaForCausalLMEagle3': ('', 'layers', 'embed_tokens', 'norm', 'lm_head'), 'FalconH1ForCausalLM': ENDS['JambaForCausalLM'], 'NemotronHForCausalLM.moe': ENDS['Mamba2ForCausalLM'],
    'MistralModel': ENDS['EuroBertModel'], 'DistilBertModel': ('distilbert.', 'transformer.layer', 'embeddings.word_embeddings', '', ''),
    'Gemma3TextModel': ('', 'layers', 'embed_tokens', 'norm', ''),
    'JinaBertModel': ('', 'encoder.layer', 'embeddings.word_embeddings', '', ''),
    'XLMRobertaModel.3': ('roberta.', 'encoder.layers', 'embeddings.word_embeddings', '', ''),
    'NomicBertModel.moe': ENDS['NomicBertModel'], 'NeoBERT': ('model.', 'transformer_encoder', 'encoder', '', '')})
TURNED += ('MistralModel', 'Ministral3ForCausalLM', 'MiniCPMForCausalLM', 'LLaDAModelLM', 'LlamaForCausalLMEagle3')
WITHIN.update({
    'Mistral3ForConditionalGeneration.3': ('Ministral3ForCausalLM', 'language_model.model.', 'language_model.lm_head'),
    'Mistral3ForConditionalGeneration.4': ('Mistral4ForCausalLM', 'language_model.model.', 'language_model.lm_head'),
    'InternVLForConditionalGeneration': ('Qwen2ForCausalLM', 'model.language_model.', 'lm_head'),
    'InternVLForConditionalGeneration.3': ('Qwen3ForCausalLM', 'model.language_model.', 'lm_head'),
    'InternVLChatModel': ('Qwen2ForCausalLM', 'language_model.model.', 'language_model.lm_head'),
    'InternVLChatModel.3': ('Qwen3ForCausalLM', 'language_model.model.', 'language_model.lm_head'),
    'Gemma3nForConditionalGeneration': ('Gemma3nForCausalLM', 'model.language_model.', 'lm_head'),
    'Gemma4ForConditionalGeneration': ('Gemma4ForCausalLM', 'model.language_model.', 'lm_head'),
    'Qwen3_5ForConditionalGeneration': ('Qwen3_5ForCausalLM', 'model.language_model.', 'lm_head'),
    'Qwen3_5MoeForConditionalGeneration': ('Qwen3_5MoeForCausalLM', 'model.language_model.', 'lm_head')})
