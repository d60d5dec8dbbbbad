"""config.json of further classes."""
import math

from .files import write_json
from .more_tensors import TIMES

EXPERTS = {'num_local_experts': 'num_experts'}
SHARED = dict(EXPERTS, num_experts_per_tok='num_experts_per_tok')
NO_HEADS = {'head_dim': '', 'num_key_value_heads': ''}
BERT = dict(NO_HEADS)
LINEAR = {'conv_kernel': 'linear_conv_kernel_dim', 'state_size': 'linear_key_head_dim', 'n_groups': 'linear_num_key_heads',
          'num_heads': 'linear_num_value_heads', 'num_local_experts': 'num_experts', 'rms_norm_eps': 'rms_norm_eps'}
RENAMED = {
    'QWenLMHeadModel': {'rms_norm_eps': 'layer_norm_epsilon', 'rope_theta': 'rotary_emb_base', 'head_dim': 'kv_channels', 'num_key_value_heads': ''},
    'MPTForCausalLM': {'num_hidden_layers': 'n_layers', 'hidden_size': 'd_model', 'num_attention_heads': 'n_heads',
                       'max_position_embeddings': 'max_seq_len', 'intermediate_size': '', 'layer_norm_eps': '', **NO_HEADS},
    'LLaDAModelLM': {'num_hidden_layers': 'n_layers', 'hidden_size': 'd_model', 'num_attention_heads': 'n_heads', 'num_key_value_heads': 'n_kv_heads',
                     'max_position_embeddings': 'max_sequence_length', 'intermediate_size': 'mlp_hidden_size', 'head_dim': '',
                     'tie_word_embeddings': 'weight_tying'},
    'LLaDAMoEModelLM': dict(EXPERTS, moe_intermediate_size='expert_intermediate_size'),
    'MellumForCausalLM': EXPERTS, 'ExaoneMoEForCausalLM': EXPERTS, 'BailingMoeV2ForCausalLM': EXPERTS,
    'AfmoeForCausalLM': dict(EXPERTS, norm_topk_prob='route_norm', routed_scaling_factor='route_scale', first_k_dense_replace='num_dense_layers'),
    'HunYuanMoEV1ForCausalLM': dict(EXPERTS, num_experts_per_tok='moe_topk'),
    'Mistral4ForCausalLM': {'num_local_experts': 'n_routed_experts'},
    'MiMoV2FlashForCausalLM': {'num_local_experts': 'n_routed_experts', 'rms_norm_eps': 'layernorm_epsilon'},
    'Step3p5ForCausalLM': {'num_local_experts': 'moe_num_experts', 'num_experts_per_tok': 'moe_top_k', 'num_key_value_heads': 'num_attention_groups',
                           'norm_topk_prob': 'norm_expert_weight', 'routed_scaling_factor': 'moe_router_scaling_factor'},
    'Gemma4ForCausalLM': {'num_local_experts': 'num_experts', 'num_experts_per_tok': 'top_k_experts'},
    'FalconH1ForCausalLM': {'conv_kernel': 'mamba_d_conv', 'state_size': 'mamba_d_state', 'n_groups': 'mamba_n_groups', 'num_heads': 'mamba_n_heads'},
    'NemotronHForCausalLM.moe': {'state_size': 'ssm_state_size', 'num_heads': 'mamba_num_heads', 'rms_norm_eps': 'layer_norm_epsilon',
                                 'num_local_experts': 'n_routed_experts', 'shared_expert_intermediate_size': 'moe_shared_expert_intermediate_size'},
    'Qwen3_5ForCausalLM': LINEAR, 'Qwen3_5MoeForCausalLM': LINEAR,
    'KimiLinearForCausalLM': dict(EXPERTS, num_experts_per_tok='num_experts_per_token'),
    'DistilBertModel': dict(BERT, hidden_size='dim', intermediate_size='hidden_dim', num_hidden_layers='n_layers', num_attention_heads='n_heads',
                            layer_norm_eps=''),
    'JinaBertModel': BERT, 'XLMRobertaModel.3': dict(BERT, rope_theta='rotary_emb_base'),
    'NomicBertModel.moe': {'num_hidden_layers': 'n_layer', 'max_position_embeddings': 'n_positions', 'hidden_size': 'n_embd',
                           'intermediate_size': 'n_inner', 'num_attention_heads': 'n_head', 'layer_norm_eps': 'layer_norm_epsilon',
                           'num_local_experts': 'num_experts', 'num_experts_per_tok': 'moe_top_k', 'rope_theta': 'rotary_emb_base', **NO_HEADS},
    'NeoBERT': dict(NO_HEADS, max_position_embeddings='max_length', rms_norm_eps='norm_eps'),
}


def kinds(keys, a, layers):
    """Words for layers with a window and without, from the list that a GGUF file has."""
    listed = keys.get(a + 'attention.sliding_window_pattern')
    if isinstance(listed, int):
        listed = [(l + 1) % listed != 0 for l in range(layers)]
    return [['full', 'sliding'][flag] + '_attention' for flag in listed] if listed else None


def yarn(keys, a, **more):
    return dict(more, rope_type='yarn', factor=keys[a + 'rope.scaling.factor'], beta_fast=32.0, beta_slow=1.0,
                original_max_position_embeddings=keys[a + 'rope.scaling.original_context_length'])


def latents(config, keys, a, plain):
    rotary = keys[a + 'rope.dimension_count']
    query, value = ('key_length', 'value_length') if plain else ('key_length_mla', 'value_length_mla')
    config.update(kv_lora_rank=keys[a + 'attention.kv_lora_rank'], q_lora_rank=keys.get(a + 'attention.q_lora_rank') or None,
                  qk_rope_head_dim=rotary, qk_nope_head_dim=keys[a + 'attention.' + query] - rotary,
                  v_head_dim=keys[a + 'attention.' + value], num_key_value_heads=config['num_attention_heads'])
    for key in ('head_dim', 'partial_rotary_factor'):
        config.pop(key, None)


def experts(config, keys, a):
    config.update(norm_topk_prob=keys.get(a + 'expert_weights_norm', True), routed_scaling_factor=keys.get(a + 'expert_weights_scale', 1.0),
                  first_k_dense_replace=keys.get(a + 'leading_dense_block_count', 0), num_shared_experts=keys.get(a + 'expert_shared_count', 1))


PIXTRAL_SAYS = {'hidden_act': 'silu', 'model_type': 'pixtral', 'num_channels': 3, 'attention_dropout': 0.0, 'initializer_range': 0.02}
# of each class: what its config.json says besides, and in vision_config
TOWER_SAYS = {
    'LlavaForConditionalGeneration': ({'vision_feature_layer': -2, 'vision_feature_select_strategy': 'default'},
                                      {'hidden_act': 'quick_gelu', 'model_type': 'clip_vision_model'}),
    'Gemma3ForConditionalGeneration': ({'boi_token_index': 1, 'eoi_token_index': 2, 'image_token_index': 3}, {'vision_use_head': False}),
    'Idefics3ForConditionalGeneration': ({'image_token_id': 3, 'scale_factor': 4}, {'hidden_act': 'gelu_pytorch_tanh', 'model_type': 'idefics3'}),
    'InternVLForConditionalGeneration': ({'downsample_ratio': 0.25, 'vision_feature_layer': -1, 'projector_hidden_act': 'gelu'},
                                         {'hidden_act': 'gelu', 'norm_type': 'layer_norm', 'use_qk_norm': False, 'use_mean_pooling': True}),
    'Mistral3ForConditionalGeneration': ({'image_token_index': 10, 'multimodal_projector_bias': False, 'projector_hidden_act': 'gelu',
                                          'vision_feature_layer': -1}, PIXTRAL_SAYS),
    'LlavaForConditionalGeneration.pixtral': ({'ignore_index': -100, 'image_seq_length': 1, 'image_token_index': 10, 'vision_feature_layer': -1,
                                               'projector_hidden_act': 'gelu', 'vision_feature_select_strategy': 'full'},
                                              dict(PIXTRAL_SAYS, is_composition=True, tie_word_embeddings=False)),
    'Llama4ForConditionalGeneration': ({'boi_token_index': 1, 'eoi_token_index': 2, 'image_token_index': 3, 'tie_word_embeddings': False},
                                       {'hidden_act': 'gelu', 'model_type': 'llama4_vision_model', 'multi_modal_projector_bias': False, 'num_channels': 3,
                                        'pixel_shuffle_ratio': 0.5, 'projector_dropout': 0.0, 'projector_input_dim': 4096, 'projector_output_dim': 4096,
                                        'rope_theta': 10000, 'vision_feature_layer': -1, 'vision_feature_select_strategy': 'default',
                                        'vision_output_dim': 4096, 'initializer_range': 0.02, 'attention_dropout': 0.0}),
    'InternVLChatModel': ({'downsample_ratio': 0.25, 'ps_version': 'v2', 'select_layer': -1, 'use_thumbnail': True, 'llm_config': {}},
                          {'hidden_act': 'gelu', 'norm_type': 'layer_norm', 'qk_normalization': False, 'qkv_bias': True, 'num_channels': 3}),
}


def qwen_config(folder, cls, keys):
    """The text's keys are the whole's, and the tower's have names of their own."""
    a = 'clip.vision.'
    vision = {'depth': keys[a + 'block_count'], 'num_heads': keys[a + 'attention.head_count'], 'patch_size': keys[a + 'patch_size'], 'in_chans': 3,
              'spatial_merge_size': keys[a + 'spatial_merge_size'], 'temporal_patch_size': 2, 'layer_norm_eps': keys[a + 'attention.layer_norm_epsilon']}
    dim, hidden, out = (keys[a + name] for name in ('embedding_length', 'feed_forward_length', 'projection_dim'))
    if cls.startswith('Qwen2VL'):
        vision.update(embed_dim=dim, mlp_ratio=hidden / dim, hidden_size=out)
    else:
        every = keys[a + 'n_wa_pattern']
        vision.update(hidden_size=dim, intermediate_size=hidden, out_hidden_size=out, window_size=112, hidden_act='silu',
                      fullatt_block_indexes=list(range(every - 1, vision['depth'], every)))
    write_json(folder, 'config.json', {'architectures': [cls], 'hidden_size': out, 'hidden_act': 'silu', 'intermediate_size': 5, 'vision_config': vision})
    pixels = {theirs: keys[a + 'image_' + theirs] for theirs in ('min_pixels', 'max_pixels') if a + 'image_' + theirs in keys}
    write_json(folder, 'preprocessor_config.json', dict(pixels, image_mean=keys[a + 'image_mean'], image_std=keys[a + 'image_std']))


def tower_config(folder, cls, keys):
    """A vision tower's, and how pictures are prepared."""
    a, cls = 'clip.vision.', cls[:-len('.tower')]
    vision = {'hidden_size': 'embedding_length', 'intermediate_size': 'feed_forward_length', 'num_hidden_layers': 'block_count',
              'num_attention_heads': 'attention.head_count', 'layer_norm_eps': 'attention.layer_norm_epsilon', 'image_size': 'image_size',
              'patch_size': 'patch_size'}
    if cls.startswith('Qwen'):
        return qwen_config(folder, cls, keys)
    whole, part = TOWER_SAYS[cls]
    tiles = keys.get(a + 'preproc_max_tiles')
    if cls.startswith('InternVLChat'):
        whole = dict(whole, max_dynamic_patch=tiles, min_dynamic_patch=1, dynamic_image_size=True)
    config = dict({theirs: keys[a + ours] for theirs, ours in vision.items()}, **part)
    if cls.startswith('Llama4'):
        config['norm_eps'] = config.pop('layer_norm_eps')
    pixtral = part['model_type'] == 'pixtral' if 'model_type' in part else False
    if pixtral:
        theta = keys.get('clip.rope.freq_base', 10000.0)
        config.pop('layer_norm_eps')  # written in the code
        config['head_dim'] = config['hidden_size'] // config['num_attention_heads']
        config.update({'rope_theta': theta} if cls.startswith('Llava') else {'rope_parameters': {'rope_theta': theta, 'rope_type': 'default'}})
        whole = dict(whole, spatial_merge_size=keys.get(a + 'spatial_merge_size', 1))
        write_json(folder, 'tokenizer.json', {'added_tokens': [{'id': 1, 'content': '[IMG]'}, {'id': 2, 'content': '[IMG_BREAK]'}]})
    if cls == 'LlavaForConditionalGeneration':
        config['projection_dim'] = keys[a + 'projection_dim']
    if cls.startswith('Gemma3'):
        whole = dict(whole, mm_tokens_per_image=(keys[a + 'image_size'] // keys[a + 'patch_size'] // keys[a + 'projector.scale_factor']) ** 2)
    if cls.startswith('InternVLFor'):
        config.update(image_size=[config['image_size']] * 2, patch_size=[config['patch_size']] * 2)
    write_json(folder, 'config.json', dict({'architectures': [cls.split('.')[0]], 'text_config': {'hidden_size': 7}, 'vision_config': config}, **whole))
    write_json(folder, 'preprocessor_config.json', {'image_mean': keys[a + 'image_mean'], 'image_std': keys[a + 'image_std'], 'do_resize': True,
                                                    'do_image_splitting': tiles != 1, 'size': {'longest_edge': keys[a + 'image_size'] if pixtral else 40},
                                                    **({'max_patches': tiles, 'min_patches': 1} if cls.startswith('InternVLFor') else {}),
                                                    **({'max_patches': tiles, 'resize_to_max_canvas': False} if cls.startswith('Llama4') else {})})


def more_config(cls, config, keys, tensors):
    a = keys['general.architecture'] + '.'
    layers, theta = keys[a + 'block_count'], config.get('rope_theta', 10000.0)
    window = kinds(keys, a, layers)
    attends = ['full_attention' if 'blk.%d.attn_k.weight' % l in tensors else 'linear_attention' for l in range(layers)]
    plain = {'rope_type': 'default', 'rope_theta': theta}
    drafts = keys.get(a + 'nextn_predict_layers', 0)
    if cls.startswith(('Qwen3_5', 'Qwen3Next', 'ExaoneMoE')) and drafts:
        layers, attends = layers - drafts, attends[:layers - drafts]
        config['num_hidden_layers'] = layers
        config.update({'mtp_num_hidden_layers': drafts} if cls.startswith('Qwen3_5') else {'num_nextn_predict_layers': drafts} if cls.startswith('Ex') else {})
    if cls in ('Jais2ForCausalLM', 'ExaoneMoEForCausalLM', 'BailingMoeV2ForCausalLM', 'AfmoeForCausalLM', 'LLaDAModelLM', 'LLaDAMoEModelLM', 'FalconH1ForCausalLM',
               'QWenLMHeadModel', 'XLMRobertaModel.3', 'NomicBertModel.moe', 'Gemma3TextModel', 'MiMoV2FlashForCausalLM'):
        config['rope_theta'] = theta
    if cls == 'Jais2ForCausalLM':
        config.update(hidden_act='relu2', attention_bias=True, mlp_bias=True)
    if cls == 'Ministral3ForCausalLM':
        scale = keys[a + 'attention.temperature_scale']
        config.update(model_type='ministral3', sliding_window=None, rope_parameters=yarn(
            keys, a, type='yarn', rope_theta=theta, max_position_embeddings=256, llama_4_scaling_beta=scale,
            mscale=keys.get(a + 'rope.scaling.yarn_log_multiplier', 0.0), mscale_all_dim=keys.get(a + 'rope.scaling.yarn_log_multiplier', 0.0)))
        config.pop('rope_scaling'), config.pop('rope_theta', None)
    if cls == 'Mistral4ForCausalLM':
        latents(config, keys, a, False)
        experts(config, keys, a)
        scale = 10 * keys[a + 'rope.scaling.yarn_log_multiplier']
        config.update(model_type='mistral4', n_shared_experts=config.pop('num_shared_experts'), n_group=1, topk_group=1, rope_interleave=True,
                      rope_parameters=yarn(keys, a, type='yarn', rope_theta=theta, max_position_embeddings=256, mscale=scale, mscale_all_dim=scale,
                                           llama_4_scaling_beta=keys[a + 'attention.temperature_scale']))
        config.pop('rope_scaling')
    if cls == 'MiniCPMForCausalLM':
        config.update(scale_emb=12, scale_depth=1.4, dim_model_base=config['hidden_size'] / config.pop('logits_scaling'))
    if cls == 'MiniCPM3ForCausalLM':
        latents(config, keys, a, True)
        config.update(scale_emb=12, scale_depth=1.4, dim_model_base=256)
    if cls == 'ApertusForCausalLM':
        config.update(hidden_act='xielu', qk_norm=True, post_norm=False, rope_parameters=plain)
    if cls == 'BitnetForCausalLM':
        config.update(hidden_act='silu', weight_bits=1, input_bits=8)
    if cls == 'QWenLMHeadModel':
        config.update(intermediate_size=keys[a + 'feed_forward_length'], no_bias=True, rotary_pct=1.0, use_logn_attn=True)
    if cls == 'MPTForCausalLM':
        config['attn_config'] = {'attn_type': 'multihead_attention', 'alibi': True, 'alibi_bias_max': keys[a + 'attention.max_alibi_bias'],
                                 'clip_qkv': keys[a + 'attention.clamp_kqv'], 'prefix_lm': False, 'qk_ln': False, 'softmax_scale': None}
        config.update(expansion_ratio=config['intermediate_size'] / config['hidden_size'], no_bias=True)
        config['expansion_ratio'] = int(config['expansion_ratio'])
    if cls in ('LLaDAModelLM', 'LLaDAMoEModelLM'):
        config['mask_token_id'] = keys['tokenizer.ggml.mask_token_id']
    if cls == 'LLaDAModelLM':
        config.update(activation_type='silu', alibi=False, block_type='llama', layer_norm_type='rms', rope=True, scale_logits=False,
                      embedding_size=config['vocab_size'])
    if cls == 'LLaDAMoEModelLM':
        config.update(norm_topk_prob=None, qk_layernorm=True, moe_layer_freq=[1] * layers)
    if cls in ('ExaoneMoEForCausalLM', 'BailingMoeV2ForCausalLM', 'AfmoeForCausalLM'):
        experts(config, keys, a)
    if cls == 'ExaoneMoEForCausalLM':
        config.update(sliding_window_pattern='LLLG', scoring_func='sigmoid', n_group=1, topk_group=1, num_nextn_predict_layers=1,
                      layer_types=[['sliding', 'full'][(l + 1) % 4 == 0] + '_attention' for l in range(layers)])
    if cls == 'BailingMoeV2ForCausalLM':
        config.update(n_group=keys[a + 'expert_group_count'], topk_group=keys[a + 'expert_group_used_count'], score_function='sigmoid',
                      use_qk_norm=True, partial_rotary_factor=0.5)
    if cls == 'AfmoeForCausalLM':
        config.update(mup_enabled=True, score_func='sigmoid', global_attn_every_n_layers=4)
    if cls == 'HunYuanMoEV1ForCausalLM':
        config.update(num_experts_per_tok=[config['num_experts_per_tok']] * layers, moe_intermediate_size=[config['moe_intermediate_size']] * layers,
                      num_shared_expert=[1] * layers, use_qk_norm=True, use_cla=False)
    if cls == 'MellumForCausalLM':
        config.update(layer_types=window, norm_topk_prob=True, rope_parameters={
            'full_attention': yarn(keys, a, rope_theta=theta), 'sliding_attention': plain})
        config.pop('rope_scaling')
    if cls == 'MiMoV2FlashForCausalLM':
        listed = [int(x) for x in keys[a + 'attention.sliding_window_pattern']]
        config.update(hybrid_layer_pattern=listed, v_head_dim=keys[a + 'attention.value_length'], swa_head_dim=config['head_dim'],
                      swa_v_head_dim=keys[a + 'attention.value_length'], swa_num_key_value_heads=config['num_key_value_heads'], swa_rope_theta=10000.0,
                      attention_value_scale=keys[a + 'attention.value_scale'], norm_topk_prob=True, scoring_func='sigmoid', n_shared_experts=None,
                      moe_layer_freq=[0] + [1] * (layers - 1))
    if cls == 'Step3p5ForCausalLM':
        experts(config, keys, a)
        thetas = [10000.0 if x.startswith('sliding') else theta for x in window]
        limits = {'swiglu_limits' + end: keys[a + 'swiglu_clamp_' + ours] for end, ours in (('', 'exp'), ('_shared', 'shexp'))}
        config.update(layer_types=window + ['full_attention'], rope_theta=thetas, partial_rotary_factors=[0.5 if x.startswith('full') else 1.0 for x in window],
                      share_expert_dim=keys['step35.feed_forward_length'] // 2, moe_layers_enum='1,2', use_moe=True, **limits)
        if a + 'nextn_predict_layers' in keys:
            config.update(num_nextn_predict_layers=keys[a + 'nextn_predict_layers'], num_hidden_layers=layers - keys[a + 'nextn_predict_layers'])
        del config['first_k_dense_replace'], config['num_shared_experts']
    if cls in ('Gemma3nForCausalLM', 'Gemma4ForCausalLM'):
        config.update(layer_types=window, num_kv_shared_layers=keys[a + 'attention.shared_kv_layers'],
                      hidden_size_per_layer_input=keys[a + 'embedding_length_per_layer_input'])
    if cls == 'Gemma3nForCausalLM':
        below = [0.5 * math.erfc(-x / math.sqrt(2)) for x in keys[a + 'activation_sparsity_scale']]
        config.update(altup_num_inputs=keys[a + 'altup.num_inputs'], activation_sparsity_pattern=below, laurel_rank=64, altup_active_idx=0,
                      intermediate_size=[config['intermediate_size']] * layers, final_logit_softcapping=30.0)
    if cls == 'Gemma4ForCausalLM':
        wide = config['intermediate_size']
        config.update(intermediate_size=min(wide) if isinstance(wide, list) else wide, use_double_wide_mlp=isinstance(wide, list),
                      global_head_dim=config['head_dim'], head_dim=keys[a + 'attention.key_length_swa'], enable_moe_block=True, attention_k_eq_v=True,
                      partial_rotary_factor=keys[a + 'rope.dimension_count_swa'] / keys[a + 'attention.key_length_swa'],
                      num_global_key_value_heads=config['num_key_value_heads'], rope_parameters={'sliding_attention': plain, 'full_attention': {
                          'rope_type': 'proportional', 'rope_theta': theta, 'partial_rotary_factor': 0.25}})
    if cls == 'FalconH1ForCausalLM':
        config.update(mamba_d_ssm=keys[a + 'ssm.inner_size'], mamba_rms_norm=True, **TIMES)
    if cls == 'NemotronHForCausalLM.moe':
        experts(config, keys, a)
        config.update(n_shared_experts=config.pop('num_shared_experts'), mamba_head_dim=2 * config['hidden_size'] // config['num_heads'],
                      intermediate_size=96, mlp_hidden_act='relu2', moe_latent_size=keys[a + 'moe_latent_size'], n_group=1, topk_group=1)
        del config['first_k_dense_replace']
    if cls.startswith('Qwen3_5'):
        config.update(layer_types=attends, linear_value_head_dim=config['state_size'], attn_output_gate=True, rope_parameters=dict(
            plain, mrope_section=keys[a + 'rope.dimension_sections'][:3], mrope_interleaved=True, partial_rotary_factor=config.pop('partial_rotary_factor')))
        config.pop('rope_theta', None), config.pop('rope_scaling', None)
    if cls == 'KimiLinearForCausalLM':
        latents(config, keys, a, False)
        experts(config, keys, a)
        config.update(moe_renormalize=config.pop('norm_topk_prob'), moe_router_activation_func='sigmoid', mla_use_nope=True, rope_theta=10000.0,
                      num_expert_group=1, topk_group=1, linear_attn_config={
                          'head_dim': keys[a + 'kda.head_dim'], 'num_heads': config['num_attention_heads'],
                          'short_conv_kernel_size': config.pop('conv_kernel'), 'full_attn_layers': [2], 'kda_layers': [1]},
                      model_max_length=config.pop('max_position_embeddings'), head_dim=7)
    if cls == 'RWKV7ForCausalLM':
        ranks = {'decay': 'decay', 'a': 'iclr', 'v': 'value_residual_mix', 'gate': 'gate'}
        config.update(head_dim=keys[a + 'wkv.head_size'], hidden_act='sqrelu', norm_first=True, norm_bias=True, norm_eps=config.pop('layer_norm_eps'),
                      **{x + '_low_rank_dim': keys[a + 'attention.%s_lora_rank' % ours] for x, ours in ranks.items()})
        del config['num_attention_heads']
    if cls == 'LlamaForCausalLMEagle3':
        config.update(draft_vocab_size=len(tensors['d2t'][1]), target_hidden_size=None, num_hidden_layers=1)
    if cls in ('JinaBertModel', 'XLMRobertaModel.3', 'NomicBertModel.moe', 'NeoBERT', 'Gemma3TextModel'):
        config.update({} if cls in ('NeoBERT', 'Gemma3TextModel') else {'type_vocab_size': 2, 'hidden_dropout_prob': 0.1})
    if cls == 'JinaBertModel':
        config.update(hidden_act='gelu', feed_forward_type='geglu', position_embedding_type='alibi', emb_pooler='mean')
    if cls == 'XLMRobertaModel.3':
        config.update(hidden_act='gelu', position_embedding_type='rotary', lora_adaptations=['text-matching'])
    if cls == 'NomicBertModel.moe':
        config.update(rotary_emb_fraction=1.0, activation_function='gelu', prenorm=False, causal=False, moe_every_n_layers=2,
                      max_trained_positions=2048)
    if cls == 'NeoBERT':
        config.update(hidden_act='SwiGLU', intermediate_size=config['intermediate_size'] * 3 // 2)
    if cls == 'Gemma3TextModel':
        config.update(use_bidirectional_attention=True, _sliding_window_pattern=6, rope_local_base_freq=10000.0,
                      query_pre_attn_scalar=config['head_dim'])
    return config
