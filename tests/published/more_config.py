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
GPT2 = {'num_hidden_layers': 'n_layer', 'max_position_embeddings': 'n_positions', 'hidden_size': 'n_embd', 'num_attention_heads': 'n_head'}
RENAMED = {
    'OpenELMForCausalLM': {'hidden_size': 'model_dim', 'num_hidden_layers': 'num_transformer_layers', 'max_position_embeddings': 'max_context_length',
                           'num_attention_heads': 'num_query_heads', 'num_key_value_heads': 'num_kv_heads', 'rope_theta': 'rope_freq_constant',
                           'rms_norm_eps': '', 'intermediate_size': '', 'tie_word_embeddings': 'share_input_output_layers'},
    'OrionForCausalLM': {'layer_norm_eps': 'rms_norm_eps'}, 'NemotronForCausalLM': {'layer_norm_eps': 'norm_eps'},
    'OlmoForCausalLM': {'layer_norm_eps': ''}, 'BaichuanForCausalLM': {'max_position_embeddings': 'model_max_length', **NO_HEADS},
    'ExaoneForCausalLM': {'num_hidden_layers': 'num_layers', 'rms_norm_eps': 'layer_norm_epsilon'},
    'ChatGLMModel': {'num_hidden_layers': 'num_layers', 'rms_norm_eps': 'layernorm_epsilon', 'intermediate_size': 'ffn_hidden_size',
                     'max_position_embeddings': 'seq_length', 'head_dim': 'kv_channels', 'num_key_value_heads': 'multi_query_group_num',
                     'partial_rotary_factor': '', 'rope_theta': ''},
    'PlamoForCausalLM': {'max_position_embeddings': '', **NO_HEADS}, 'DeciLMForCausalLM': {'num_key_value_heads': ''},
    'GPTRefactForCausalLM': dict(GPT2, rms_norm_eps='layer_norm_epsilon', intermediate_size='', **NO_HEADS),
    'CodeShellForCausalLM': dict(GPT2, layer_norm_eps='layer_norm_epsilon', intermediate_size='n_inner', head_dim='', num_key_value_heads='num_query_groups',
                                 rope_theta=''),
    'QWenLMHeadModel': {'rms_norm_eps': 'layer_norm_epsilon', 'rope_theta': 'rotary_emb_base', 'head_dim': 'kv_channels', 'num_key_value_heads': ''},
    'MPTForCausalLM': {'num_hidden_layers': 'n_layers', 'hidden_size': 'd_model', 'num_attention_heads': 'n_heads',
                       'max_position_embeddings': 'max_seq_len', 'intermediate_size': '', 'layer_norm_eps': '', **NO_HEADS},
    'LLaDAModelLM': {'num_hidden_layers': 'n_layers', 'hidden_size': 'd_model', 'num_attention_heads': 'n_heads', 'num_key_value_heads': 'n_kv_heads',
                     'max_position_embeddings': 'max_sequence_length', 'intermediate_size': 'mlp_hidden_size', 'head_dim': '',
                     'tie_word_embeddings': 'weight_tying'},
    'LLaDAMoEModelLM': dict(EXPERTS, moe_intermediate_size='expert_intermediate_size'),
    'MellumForCausalLM': EXPERTS, 'ExaoneMoEForCausalLM': EXPERTS, 'BailingMoeV2ForCausalLM': EXPERTS, 'BailingMoeForCausalLM': EXPERTS,
    'SmallThinkerForCausalLM': {'num_local_experts': 'moe_num_primary_experts', 'num_experts_per_tok': 'moe_num_active_primary_experts',
                                'intermediate_size': 'moe_ffn_hidden_size'},
    'GroveMoeForCausalLM': EXPERTS,
    'Grok1ForCausalLM': {'embedding_multiplier': 'embedding_multiplier_scale', 'logits_scaling': 'output_multiplier_scale'},
    'DbrxForCausalLM': {'num_hidden_layers': 'n_layers', 'hidden_size': 'd_model', 'num_attention_heads': 'n_heads', 'max_position_embeddings': 'max_seq_len',
                        'intermediate_size': '', 'layer_norm_eps': '', 'num_local_experts': '', 'num_experts_per_tok': '', 'rope_theta': '', **NO_HEADS},
    'DeepseekForCausalLM': {'num_local_experts': 'n_routed_experts'},
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
    'Idefics3ForConditionalGeneration': ({'image_token_id': 3, 'scale_factor': 4, 'use_reentrant_checkpointing': False}, {'hidden_act': 'gelu_pytorch_tanh', 'model_type': 'idefics3'}),
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
    'InternVLChatModel': ({'downsample_ratio': 0.25, 'ps_version': 'v2', 'select_layer': -1, 'use_thumbnail': True, 'llm_config': {}, 'pad2square': False},
                          {'hidden_act': 'gelu', 'norm_type': 'layer_norm', 'qk_normalization': False, 'qkv_bias': True, 'num_channels': 3, 'use_moe': False,
                           'capacity_factor': 1.2, 'eval_capacity_factor': 1.4, 'laux_allreduce': 'all_nodes', 'moe_coeff_ratio': 0.5,
                           'moe_intermediate_size': 768, 'moe_output_scale': 4.0, 'noisy_gate_policy': 'RSample_before', 'num_experts': 8,
                           'num_routed_experts': 4, 'num_shared_experts': 4, 'shared_expert_intermediate_size': 3072, 'use_residual': True,
                           'use_rts': False, 'use_weighted_residual': False}),
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


def qwen3_config(folder, cls, keys):
    """Of Qwen 3 VL and 3.5, as published, but for its sizes."""
    a = 'clip.vision.'
    deep = [block for block, taken in enumerate(keys[a + 'is_deepstack_layers']) if taken]
    vision = {'deepstack_visual_indexes': deep, 'depth': keys[a + 'block_count'], 'hidden_act': 'gelu_pytorch_tanh', 'hidden_size': keys[a + 'embedding_length'],
              'in_channels': 3, 'initializer_range': 0.02, 'intermediate_size': keys[a + 'feed_forward_length'], 'model_type': cls.split('For')[0].lower(),
              'num_heads': keys[a + 'attention.head_count'], 'num_position_embeddings': (keys[a + 'image_size'] // keys[a + 'patch_size']) ** 2,
              'out_hidden_size': keys[a + 'projection_dim'], 'patch_size': keys[a + 'patch_size'], 'spatial_merge_size': keys[a + 'spatial_merge_size'],
              'temporal_patch_size': 2, 'layer_norm_eps': keys[a + 'attention.layer_norm_epsilon']}
    write_json(folder, 'config.json', {
        'architectures': [cls], 'image_token_id': 151655, 'model_type': 'qwen3_vl', 'text_config': {'hidden_size': 7}, 'tie_word_embeddings': True,
        'transformers_version': '4.57.0.dev0', 'video_token_id': 151656, 'vision_config': vision, 'vision_end_token_id': 151653, 'vision_start_token_id': 151652})
    write_json(folder, 'preprocessor_config.json', {
        'size': {'longest_edge': keys[a + 'image_max_pixels'], 'shortest_edge': keys[a + 'image_min_pixels']}, 'patch_size': keys[a + 'patch_size'],
        'temporal_patch_size': 2, 'merge_size': keys[a + 'spatial_merge_size'], 'image_mean': keys[a + 'image_mean'], 'image_std': keys[a + 'image_std'],
        'processor_class': 'Qwen3VLProcessor', 'image_processor_type': 'Qwen2VLImageProcessorFast'})


def gemma4_config(folder, keys):
    """Of a small model, which hears and holds its maps between bounds, or of a large one; as published, but for its sizes."""
    a = 'clip.vision.'
    small = keys[a + 'image_std'][0] == 1
    merge, heads = keys.get(a + 'projector.scale_factor', 3), keys[a + 'attention.head_count']
    vision = {'_name_or_path': '', 'architectures': None, 'attention_bias': False, 'attention_dropout': 0.0, 'chunk_size_feed_forward': 0,
              'default_output_length': 280, 'dtype': 'bfloat16', 'global_head_dim': keys[a + 'embedding_length'] // heads,
              'head_dim': keys[a + 'embedding_length'] // heads, 'hidden_activation': 'gelu_pytorch_tanh', 'hidden_size': keys[a + 'embedding_length'],
              'id2label': {'0': 'LABEL_0', '1': 'LABEL_1'}, 'initializer_range': 0.02, 'intermediate_size': keys[a + 'feed_forward_length'],
              'is_encoder_decoder': False, 'label2id': {'LABEL_0': 0, 'LABEL_1': 1}, 'max_position_embeddings': 131072, 'model_type': 'gemma4_vision',
              'num_attention_heads': heads, 'num_hidden_layers': keys[a + 'block_count'], 'num_key_value_heads': heads, 'output_attentions': False,
              'output_hidden_states': False, 'patch_size': keys[a + 'patch_size'], 'pooling_kernel_size': merge, 'position_embedding_size': 840,
              'problem_type': None, 'return_dict': True, 'rms_norm_eps': keys[a + 'attention.layer_norm_epsilon'],
              'rope_parameters': {'rope_theta': keys.get('clip.rope.freq_base', 100.0), 'rope_type': 'default' if small else 'axial'},
              'standardize': not small, 'use_clipped_linears': small}
    write_json(folder, 'config.json', {
        'architectures': ['Gemma4ForConditionalGeneration'], 'audio_config': {'model_type': 'gemma4_audio', 'use_clipped_linears': True} if small else None,
        'audio_token_id': 258881, 'boa_token_id': 256000, 'boi_token_id': 255999, 'dtype': 'bfloat16', 'eoa_token_id': 258883, 'eoa_token_index': 258883,
        'eoi_token_id': 258882, 'eos_token_id': [1, 106], 'image_token_id': 258880, 'initializer_range': 0.02, 'model_type': 'gemma4',
        'text_config': {'hidden_size': 7}, 'tie_word_embeddings': True, 'transformers_version': '5.5.0.dev0', 'video_token_id': 258884, 'vision_config': vision,
        'vision_soft_tokens_per_image': 280})
    says = {'do_convert_rgb': True, 'do_normalize': not small, 'do_rescale': True, 'do_resize': True, 'image_mean': keys[a + 'image_mean'],
            'image_processor_type': 'Gemma4ImageProcessor', 'image_seq_length': 280, 'image_std': keys[a + 'image_std'], 'max_soft_tokens': 280,
            'patch_size': keys[a + 'patch_size'], 'pooling_kernel_size': merge, 'resample': 3, 'rescale_factor': 1 / 255}
    if small:  # newer folders have one file for all that is prepared
        write_json(folder, 'processor_config.json', {'audio_seq_length': 750, 'image_processor': says, 'processor_class': 'Gemma4Processor'})
    else:
        write_json(folder, 'preprocessor_config.json', says)


def tower_config(folder, cls, keys):
    """A vision tower's, and how pictures are prepared."""
    a, cls = 'clip.vision.', cls[:-len('.tower')]
    vision = {'hidden_size': 'embedding_length', 'intermediate_size': 'feed_forward_length', 'num_hidden_layers': 'block_count',
              'num_attention_heads': 'attention.head_count', 'layer_norm_eps': 'attention.layer_norm_epsilon', 'image_size': 'image_size',
              'patch_size': 'patch_size'}
    if cls.startswith('Qwen'):
        return (qwen3_config if cls.startswith('Qwen3') else qwen_config)(folder, cls, keys)
    if cls.startswith('Gemma4'):
        return gemma4_config(folder, keys)
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
    write_json(folder, 'preprocessor_config.json', dict(pictures_config(cls, keys[a + 'image_size'], keys[a + 'patch_size'], tiles, pixtral),
                                                        image_mean=keys[a + 'image_mean'], image_std=keys[a + 'image_std'], do_resize=True))


def pictures_config(cls, image, patch, tiles, pixtral):
    """What published folders say of how pictures are prepared."""
    square, common = {'height': image, 'width': image}, {'do_convert_rgb': True, 'do_normalize': True, 'do_rescale': True, 'rescale_factor': 1 / 255}
    if pixtral:
        return dict(common, size={'longest_edge': image}, patch_size={'height': patch, 'width': patch}, resample=3, image_processor_type='PixtralImageProcessor')
    if cls.startswith('Llava'):
        return dict(common, size={'shortest_edge': image}, crop_size=square, do_center_crop=True, resample=3, image_processor_type='CLIPImageProcessor')
    if cls.startswith('Gemma3'):
        return dict(common, size=square, do_convert_rgb=None, do_pan_and_scan=None, pan_and_scan_max_num_crops=None, image_seq_length=256, resample=2)
    if cls.startswith('Idefics3'):
        return dict(common, size={'longest_edge': 40}, max_image_size={'longest_edge': image}, do_image_splitting=tiles != 1, do_pad=True, resample=1)
    if cls.startswith('InternVLChat'):
        return {'crop_size': image, 'do_center_crop': True, 'do_normalize': True, 'feature_extractor_type': 'CLIPFeatureExtractor', 'resample': 3, 'size': image}
    if cls.startswith('InternVL'):
        return dict(common, size=square, crop_size=None, crop_to_patches=False, do_center_crop=None, default_to_square=True, max_patches=tiles, min_patches=1,
                    resample=3)
    return dict(common, size=square, crop_size=None, data_format='channels_first', device=None, max_patches=tiles, resize_to_max_canvas=False, resample=2)


ASSISTANTS = ('Gemma4Assistant', 'Gemma4UnifiedAssistant')


def assistant_config(cls, config, keys):
    """As published: the sizes of its blocks are a part, the width of its model's rows is not."""
    ends = ('architectures', 'eos_token_id', 'bos_token_id', 'tie_word_embeddings', 'transformers_version', 'torch_dtype')
    text = {key: value for key, value in config.items() if key not in ends}
    text.update(model_type='gemma4_text', vocab_size_per_layer_input=0, num_experts=None, top_k_experts=None, moe_intermediate_size=None,
                final_logit_softcapping=None, use_bidirectional_attention='vision', attention_bias=False, tie_word_embeddings=True)
    return {'architectures': [cls], 'audio_token_id': 258881, 'backbone_hidden_size': keys['gemma4-assistant.embedding_length_out'],
            'boa_token_id': 256000, 'boi_token_id': 255999, 'centroid_intermediate_top_k': 32, 'dtype': 'bfloat16', 'eoa_token_index': 258883,
            'eoi_token_id': 258882, 'image_token_id': 258880, 'model_type': 'gemma4_assistant', 'num_centroids': 2048, 'text_config': text,
            'tie_word_embeddings': True, 'transformers_version': '5.10.0.dev0', 'use_ordered_embeddings': 'Unified' not in cls}


def saved_again(text):
    """Gemma 4's as transformers 5.15 and later write it: what differs in single layers is listed."""
    full = {'head_dim': text.pop('global_head_dim')}
    heads = text.pop('num_global_key_value_heads')
    if text['attention_k_eq_v']:
        full['num_key_value_heads'] = heads
    text['per_layer_config'] = {'%02d' % l: full for l, word in enumerate(text['layer_types']) if word == 'full_attention'}


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
    if cls == 'NemotronForCausalLM':
        config.update(hidden_act='relu2', attention_bias=False, mlp_bias=False)
    if cls == 'OlmoForCausalLM':
        config.update(clip_qkv=keys.get(a + 'attention.clamp_kqv'), hidden_act='silu')
    if cls == 'ExaoneForCausalLM':
        config.update(activation_function='silu', embed_dropout=0.0)
    if cls == 'ChatGLMModel':
        config.update(add_bias_linear=False, add_qkv_bias=True, multi_query_attention=True, padded_vocab_size=config['vocab_size'], rmsnorm=True,
                      post_layer_norm=True, original_rope=True, apply_residual_connection_post_layernorm=False, rope_ratio=theta / 10000.0)
    if cls == 'PlamoForCausalLM':
        config['n_shared_head'] = config['num_attention_heads'] // config['num_key_value_heads']
    if cls == 'CodeShellForCausalLM':
        config.update(activation_function='gelu_pytorch_tanh', position_embedding_type='rope', group_query_attention=True, rope_scaling=None)
    if cls == 'PLMForCausalLM':
        latents(config, keys, a, True)
        config.update(hidden_act='relu2', rope_theta=theta)
    if cls == 'OpenELMForCausalLM':
        config.update(activation_fn_name='swish', normalization_layer_name='rms_norm', normalize_qk_projections=True, ffn_with_glu=True, rope_theta=theta,
                      ffn_multipliers=[1.5] * layers, num_gqa_groups=2)
    if cls == 'GPTRefactForCausalLM':
        config.update(multi_query=True, scale_attn_weights=True)
    if cls == 'DeciLMForCausalLM':
        heads, kv_heads = max(config['num_attention_heads']), max(config['num_key_value_heads'])
        maps = ['blk.%d.attn_output.weight' % l in tensors for l in range(layers)]
        config.update(num_attention_heads=heads, intermediate_size=None, block_configs=[{
            'attention': {'n_heads_in_group': heads // kv_heads if words == 'full_attention' else None, 'no_op': not has, 'sparsify': None,
                          'replace_with_linear': has and words != 'full_attention', 'window_length': None},
            'ffn': {'ffn_mult': 1.5 if 'blk.%d.ffn_up.weight' % l in tensors else None, 'no_op': False, 'replace_with_linear': False}}
            for l, (has, words) in enumerate(zip(maps, attends))])
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
    if cls in ('DeepseekForCausalLM', 'BailingMoeForCausalLM'):
        experts(config, keys, a)
    if cls == 'DeepseekForCausalLM':
        config.update(n_shared_experts=config.pop('num_shared_experts'), norm_topk_prob=False, scoring_func='softmax', moe_layer_freq=1, seq_aux=True,
                      aux_loss_alpha=0.001, attention_bias=False)
    if cls == 'ArcticForCausalLM':
        config.update(parallel_attn_mlp_res=True, use_residual=True, moe_layer_frequency=1, moe_token_dropping=False, sliding_window=None)
    if cls == 'SmallThinkerForCausalLM':
        window = config.pop('sliding_window', None)
        listed = [int(bool(window) and l % 4 != 0) for l in range(layers)]
        config.update(rope_theta=theta, sliding_window_size=window or 4096, sliding_window_layout=listed, rope_layout=listed if window else [1] * layers,
                      moe_primary_router_apply_softmax=keys[a + 'expert_gating_func'] == 1, moe_layer_layout=[1] * layers, moe_enable_early_router=True)
        del config['moe_intermediate_size']
    if cls == 'GroveMoeForCausalLM':
        config.update(rope_theta=theta, norm_topk_prob=True, decoder_sparse_step=1, mlp_only_layers=[], max_window_layers=48, use_sliding_window=False)
    if cls == 'Grok1ForCausalLM':
        config.update(attn_output_multiplier=keys[a + 'attention.output_scale'], hidden_act='gelu', max_attn_value=keys[a + 'attn_logit_softcapping'],
                      router_logit_softcapping=keys[a + 'router_logit_softcapping'])
    if cls == 'DbrxForCausalLM':
        config.update(attn_config={'kv_n_heads': config['num_key_value_heads'], 'clip_qkv': keys[a + 'attention.clamp_kqv'], 'rope_theta': theta, 'model_type': ''},
                      ffn_config={'ffn_hidden_size': config['intermediate_size'], 'moe_num_experts': config['num_local_experts'], 'moe_loss_weight': 0.05,
                                  'moe_top_k': config['num_experts_per_tok'], 'moe_jitter_eps': 0, 'model_type': '', 'ffn_act_fn': {'name': 'silu'}})
    if cls == 'BailingMoeForCausalLM':
        config.update(norm_head=False, norm_softmax=False, output_dropout=0.0, embedding_dropout=0.0, use_bias=False, use_qkv_bias=False)
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
    if cls in ('Gemma3nForCausalLM', 'Gemma4ForCausalLM') or cls.startswith(ASSISTANTS):
        config.update(layer_types=window, num_kv_shared_layers=keys[a + 'attention.shared_kv_layers'],
                      hidden_size_per_layer_input=keys[a + 'embedding_length_per_layer_input'])
    if cls == 'Gemma3nForCausalLM':
        below = [0.5 * math.erfc(-x / math.sqrt(2)) for x in keys[a + 'activation_sparsity_scale']]
        config.update(altup_num_inputs=keys[a + 'altup.num_inputs'], activation_sparsity_pattern=below, laurel_rank=64, altup_active_idx=0,
                      intermediate_size=[config['intermediate_size']] * layers, final_logit_softcapping=30.0)
    if cls == 'Gemma4ForCausalLM' or cls.startswith(ASSISTANTS):
        wide = config['intermediate_size']
        maps = any('blk.%d.attn_v.weight' % l in tensors for l in range(layers) if window[l].startswith('full'))
        config.update(intermediate_size=min(wide) if isinstance(wide, list) else wide, use_double_wide_mlp=isinstance(wide, list),
                      global_head_dim=config['head_dim'], head_dim=keys[a + 'attention.key_length_swa'], enable_moe_block='num_local_experts' in config, attention_k_eq_v=not maps,
                      partial_rotary_factor=keys[a + 'rope.dimension_count_swa'] / keys[a + 'attention.key_length_swa'],
                      num_global_key_value_heads=1 if maps else config['num_key_value_heads'], rope_parameters={'sliding_attention': plain, 'full_attention': {
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
    if a == 'hunyuan_vl.':
        config['rope_scaling'] = {'type': 'xdrope', 'alpha': keys[a + 'rope.scaling.alpha'], 'factor': 1.0, 'xdrope_section': keys[a + 'rope.dimension_sections'],
                                  'beta_fast': 32, 'beta_slow': 1, 'mscale': 1.0, 'mscale_all_dim': 1.0}
        config.update(rope_theta=10000.0, use_qk_norm=True, num_experts=1, eod_token_id=1, pad_id=2, attention_head_dim=config['head_dim'])
    if a == 'paddleocr.':
        config['rope_scaling'] = {'type': 'default', 'rope_type': 'default', 'mrope_section': keys[a + 'rope.dimension_sections'][:3]}
        config.update(rope_theta=10000.0, compression_ratio=1.0, ignored_index=-100, use_3d_rope=True, rope_is_neox_style=True)
    if cls == 'Rwkv6ForCausalLM':
        config.update(head_size=keys[a + 'wkv.head_size'], head_size_divisor=8, rescale_every=keys[a + 'rescale_every_n_layers'],
                      attention_hidden_size=config['hidden_size'], num_attention_heads=64, layer_norm_epsilon=config.pop('layer_norm_eps'))
        if 2 * config['intermediate_size'] == 7 * config['hidden_size']:
            config['intermediate_size'] = None
        del config['max_position_embeddings']
    if cls == 'RWKV6Qwen2ForCausalLM':
        config.update(num_attention_heads=config['hidden_size'] // keys[a + 'wkv.head_size'], rope_theta=1000000.0, max_window_layers=3, use_sliding_window=False,
                      gate_rank_type=1, lora_rank_tokenshift=None, max_position_embeddings=32768)
    if cls == 'RwkvHybridForCausalLM':
        config.update(head_size=keys[a + 'wkv.head_size'], head_size_divisor=8, num_attention_heads=28, num_key_value_heads=4, num_wkv_heads=56, wkv_version=7,
                      wkv_has_gate=keys[a + 'attention.gate_lora_rank'] > 0, wkv_has_group_norm=True, wkv_layers='all', rope_theta=1000000.0,
                      v_first_with_embedding=False, max_position_embeddings=32768)
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
