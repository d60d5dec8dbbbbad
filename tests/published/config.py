"""config.json, and the folders beside it."""
import math
import os

from .names import NAMES, WITHIN
from .files import write_json
from .more_config import ASSISTANTS, RENAMED as MORE_RENAMED, assistant_config, more_config, saved_again
from .more_tensors import write_dense


CONFIG = {'block_count': 'num_hidden_layers', 'context_length': 'max_position_embeddings', 'embedding_length': 'hidden_size',
          'feed_forward_length': 'intermediate_size', 'attention.head_count': 'num_attention_heads',
          'attention.head_count_kv': 'num_key_value_heads', 'attention.key_length': 'head_dim',
          'attention.layer_norm_rms_epsilon': 'rms_norm_eps', 'rope.freq_base': 'rope_theta',
          'attention.sliding_window': 'sliding_window', 'final_logit_softcapping': 'final_logit_softcapping',
          'expert_used_count': 'num_experts_per_tok', 'expert_feed_forward_length': 'moe_intermediate_size',
          'expert_shared_feed_forward_length': 'shared_expert_intermediate_size', 'attention.scale': 'attention_multiplier',
          'embedding_scale': 'embedding_multiplier', 'residual_scale': 'residual_multiplier', 'logit_scale': 'logits_scaling',
          'use_parallel_residual': 'use_parallel_residual', 'ssm.conv_kernel': 'conv_kernel', 'ssm.state_size': 'state_size',
          'ssm.group_count': 'n_groups', 'ssm.time_step_rank': 'num_heads'}
GPT2 = {'num_hidden_layers': 'n_layer', 'max_position_embeddings': 'n_positions', 'hidden_size': 'n_embd',
        'intermediate_size': 'n_inner', 'num_attention_heads': 'n_head'}
EPS = {'GPT2LMHeadModel': 'layer_norm_epsilon', 'GPTNeoXForCausalLM': 'layer_norm_eps', 'Starcoder2ForCausalLM': 'norm_epsilon'}


def t5_config(config, keys, tensors):
    a = keys['general.architecture'] + '.'
    theirs = {'num_hidden_layers': 'num_layers', 'hidden_size': 'd_model', 'intermediate_size': 'd_ff', 'num_attention_heads': 'num_heads',
              'head_dim': 'd_kv', 'max_position_embeddings': 'n_positions', 'rms_norm_eps': 'layer_norm_epsilon'}
    config = {theirs.get(key, key): value for key, value in config.items() if key != 'num_key_value_heads'}
    gated = 'enc.blk.0.ffn_gate.weight' in tensors
    if config['tie_word_embeddings']:
        del config['tie_word_embeddings']  # as it is where nothing says so
    config.update(relative_attention_num_buckets=keys[a + 'attention.relative_buckets_count'], relative_attention_max_distance=128,
                  feed_forward_proj='gated-gelu' if gated else 'relu', is_encoder_decoder=True, dropout_rate=0.1)
    if a + 'decoder_block_count' in keys:
        config.update(num_decoder_layers=keys[a + 'decoder_block_count'], decoder_start_token_id=keys[a + 'decoder_start_token_id'])
    return config


# Keys of config.json that are called otherwise in a class, those that it has beside them, and those that it has not.
MAMBA = {'conv_kernel': 'mamba_d_conv', 'state_size': 'mamba_d_state', 'n_groups': 'mamba_n_groups', 'num_heads': 'mamba_n_heads'}
ROUTED = {'num_local_experts': 'n_routed_experts'}
RENAMED = {
    'DeepseekV3ForCausalLM': ROUTED, 'DeepseekV32ForCausalLM': ROUTED, 'GlmMoeDsaForCausalLM': ROUTED, 'Glm4MoeForCausalLM': ROUTED, 'Dots1ForCausalLM': ROUTED,
    'Ernie4_5_MoeForCausalLM': {'num_local_experts': 'moe_num_experts', 'num_experts_per_tok': 'moe_k'},
    'RND1': {'num_local_experts': 'num_experts'}, 'Lfm2MoeForCausalLM': {'num_local_experts': 'num_experts', 'rms_norm_eps': 'norm_eps'},
    'Lfm2ForCausalLM': {'rms_norm_eps': 'norm_eps'},
    'GPTBigCodeForCausalLM': dict(GPT2, layer_norm_eps='layer_norm_epsilon'),
    'GPTJForCausalLM': dict(GPT2, layer_norm_eps='layer_norm_epsilon', rope_theta=''),
    'FalconForCausalLM': {'layer_norm_eps': 'layer_norm_epsilon', 'num_key_value_heads': 'num_kv_heads'},
    'BloomForCausalLM': {'layer_norm_eps': 'layer_norm_epsilon', 'num_hidden_layers': 'n_layer', 'num_attention_heads': 'n_head',
                         'max_position_embeddings': 'seq_length', 'num_key_value_heads': ''},
    'MambaForCausalLM': {'rms_norm_eps': 'layer_norm_epsilon', 'num_heads': 'time_step_rank', 'max_position_embeddings': ''},
    'JambaForCausalLM': dict(MAMBA, num_heads='mamba_dt_rank', num_local_experts='num_experts'),
    'GraniteMoeHybridForCausalLM': MAMBA,
    'NemotronHForCausalLM': {'state_size': 'ssm_state_size', 'num_heads': 'mamba_num_heads', 'rms_norm_eps': 'layer_norm_epsilon'},
    'Qwen3NextForCausalLM': {'conv_kernel': 'linear_conv_kernel_dim', 'state_size': 'linear_key_head_dim', 'n_groups': 'linear_num_key_heads',
                             'num_heads': 'linear_num_value_heads', 'num_local_experts': 'num_experts'},
    'Llama4ForCausalLM': {'intermediate_size': 'intermediate_size_mlp', 'moe_intermediate_size': 'intermediate_size'},
    'ModernBert': {'layer_norm_eps': 'norm_eps', 'rope_theta': 'global_rope_theta', 'sliding_window': 'local_attention', 'head_dim': '',
                   'num_key_value_heads': ''},
    'NomicBertModel': {'num_hidden_layers': 'n_layer', 'max_position_embeddings': 'n_positions', 'hidden_size': 'n_embd', 'head_dim': '',
                       'intermediate_size': 'n_inner', 'num_attention_heads': 'n_head', 'layer_norm_eps': 'layer_norm_epsilon',
                       'rope_theta': 'rotary_emb_base', 'num_key_value_heads': ''},
}
RENAMED['FalconMambaForCausalLM'] = RENAMED['MambaForCausalLM']
RENAMED['ModernBertModel'] = RENAMED['ModernBertForSequenceClassification'] = RENAMED['ModernBert']
# How texts were drawn, as older versions of the library write it for each part.
DRAWN = {'diversity_penalty': 0.0, 'do_sample': False, 'early_stopping': False, 'encoder_no_repeat_ngram_size': 0, 'id2label': {'0': 'LABEL_0', '1': 'LABEL_1'},
         'label2id': {'LABEL_0': 0, 'LABEL_1': 1}, 'length_penalty': 1.0, 'max_length': 20, 'min_length': 0, 'no_repeat_ngram_size': 0, 'num_beam_groups': 1,
         'num_beams': 1, 'num_return_sequences': 1, 'output_scores': False, 'remove_invalid_values': False, 'repetition_penalty': 1.0,
         'return_dict_in_generate': False, 'temperature': 1.0, 'tf_legacy_loss': False, 'top_k': 50, 'top_p': 1.0, 'typical_p': 1.0}
ROPED = ('NemotronFor', 'OlmoFor', 'ExaoneFor', 'GlmFor', 'DeciLM', 'Mistral3', 'Qwen2VL', 'Qwen3VL', 'GlmMoeDsa', 'Idefics3', 'InternLM2', 'Dream', 'RND1', 'Qwen3Next', 'GptOss', 'Llama4', 'Deepseek', 'Ernie4_5_Moe', 'Pangu', 'Maincoder',
         'EuroBert')


def yarn(keys, a):
    return {'rope_type': 'yarn', 'factor': keys[a + 'rope.scaling.factor'],
            'original_max_position_embeddings': keys[a + 'rope.scaling.original_context_length']}


def routed(cls, config, keys, a):
    config['n_shared_experts'] = keys[a + 'expert_shared_count']
    config['first_k_dense_replace'] = keys[a + 'leading_dense_block_count']
    config.update(norm_topk_prob=keys[a + 'expert_weights_norm'], routed_scaling_factor=keys[a + 'expert_weights_scale'],
                  n_group=keys.get(a + 'expert_group_count', 1), topk_group=keys.get(a + 'expert_group_used_count', 1))
    if a + 'expert_gating_func' in keys and cls != 'Glm4MoeForCausalLM':
        config['scoring_func'] = ['softmax', 'sigmoid'][keys[a + 'expert_gating_func'] - 1]
    if a + 'nextn_predict_layers' in keys:
        config['num_nextn_predict_layers'] = keys[a + 'nextn_predict_layers']
        config['num_hidden_layers'] -= keys[a + 'nextn_predict_layers']


def latent_config(config, keys, a):
    rotary = keys[a + 'rope.dimension_count']
    config.update(kv_lora_rank=keys[a + 'attention.kv_lora_rank'], q_lora_rank=keys.get(a + 'attention.q_lora_rank'),
                  qk_rope_head_dim=rotary, qk_nope_head_dim=keys[a + 'attention.key_length_mla'] - rotary,
                  v_head_dim=keys[a + 'attention.value_length_mla'], num_key_value_heads=config['num_attention_heads'])
    for key in ('head_dim', 'partial_rotary_factor'):
        config.pop(key, None)
    if a + 'attention.indexer.top_k' in keys:
        config.update(index_n_heads=keys[a + 'attention.indexer.head_count'], index_head_dim=keys[a + 'attention.indexer.key_length'],
                      index_topk=keys[a + 'attention.indexer.top_k'])
    if a + 'rope.scaling.yarn_log_multiplier' not in keys:
        return
    scale = 10 * keys[a + 'rope.scaling.yarn_log_multiplier']
    config['rope_scaling'] = dict(yarn(keys, a), type=config['rope_scaling'].pop('rope_type'), mscale=scale, mscale_all_dim=scale)
    del config['rope_scaling']['rope_type']


def long_config(config, tensors, keys, a):
    numbers = {which: list(tensors['rope_factors_%s.weight' % which][1]) for which in ('long', 'short')}
    config['rope_scaling'] = {'type': 'longrope', 'long_factor': numbers['long'], 'short_factor': numbers['short'],
                              'attention_factor': keys[a + 'rope.scaling.attn_factor']}
    config['original_max_position_embeddings'] = keys[a + 'rope.scaling.original_context_length']


def own_config(cls, config, keys, tensors):
    a = keys['general.architecture'] + '.'
    layers, heads = keys[a + 'block_count'], config.get('num_attention_heads')
    attends = ['full_attention' if 'blk.%d.attn_k.weight' % l in tensors else 'other' for l in range(layers)]
    if 'rope_theta' not in config and cls.startswith(ROPED) or a in ('qwen2vl.', 'qwen3vl.', 'qwen3vlmoe.'):
        config.setdefault('rope_theta', 10000.0)
    if 'rope_factors_long.weight' in tensors:
        long_config(config, tensors, keys, a)
    if keys.get(a + 'rope.scaling.type') == 'yarn':
        config['rope_scaling'] = yarn(keys, a)
    if RENAMED.get(cls) is ROUTED:
        routed(cls, config, keys, a)
    if cls.startswith(('DeepseekV', 'GlmMoeDsa')):
        latent_config(config, keys, a)
    if cls == 'GptOssForCausalLM':
        del config['moe_intermediate_size']
        config.update(layer_types=['full_attention' if l % 2 else 'sliding_attention' for l in range(layers)], swiglu_limit=7.0)
        config['rope_scaling'].update(truncate=False, beta_fast=32.0, beta_slow=1.0)
    if cls == 'Llama4ForCausalLM':
        config.update(no_rope_layers=[int((l + 1) % 4 != 0) for l in range(layers)], use_qk_norm=True, attention_chunk_size=8192,
                      attn_temperature_tuning=True, interleave_moe_layer_step=2)
    if cls == 'MiniMaxM2ForCausalLM':
        del config['partial_rotary_factor']
        config.update(rotary_dim=keys[a + 'rope.dimension_count'], use_qk_norm=True, scoring_func='sigmoid')
    if cls == 'Ernie4_5_MoeForCausalLM':
        config.update(moe_num_shared_experts=1, moe_layer_start_index=1, moe_layer_interval=1, moe_intermediate_size=config['moe_intermediate_size'])
        del config['shared_expert_intermediate_size']
    if cls in ('GPTBigCodeForCausalLM', 'GPTJForCausalLM'):
        config.update(activation_function='gelu_new', **({'rotary_dim': keys[a + 'rope.dimension_count']} if 'GPTJ' in cls else
                                                         {'multi_query': True}))
        for key in ('head_dim', 'num_key_value_heads', 'partial_rotary_factor'):
            config.pop(key, None)
    if cls == 'FalconForCausalLM':
        new = 'blk.0.attn_norm_2.weight' in tensors
        config.update(parallel_attn=True, alibi=False, new_decoder_architecture=new, multi_query=True, bias=False, ffn_hidden_size=config.pop('intermediate_size'))
        del config['head_dim'], config['max_position_embeddings']
        if not new:
            config['num_kv_heads'] = heads
    if cls == 'BloomForCausalLM':
        config.pop('head_dim')
        config.pop('intermediate_size')
    if cls in ('MambaForCausalLM', 'FalconMambaForCausalLM'):
        config.update(intermediate_size=2 * config['hidden_size'], d_model=config['hidden_size'], n_layer=layers, hidden_act='silu')
    if cls == 'JambaForCausalLM':
        config.update(mamba_expand=2, attn_layer_period=3, hidden_act='silu')
    if cls == 'GraniteMoeHybridForCausalLM':
        config.update(mamba_expand=2, layer_types=['mamba' if x == 'other' else 'attention' for x in attends], position_embedding_type='rope')
    if cls == 'NemotronHForCausalLM':
        config.update(mamba_head_dim=2 * config['hidden_size'] // config['num_heads'], intermediate_size=max(config['intermediate_size']),
                      mlp_hidden_act='relu2', hybrid_override_pattern='M-*' * (layers // 3))
    if cls.startswith('Lfm2'):
        config.update(conv_L_cache=keys[a + 'shortconv.l_cache'], layer_types=[x.replace('other', 'conv') for x in attends])
        if cls == 'Lfm2ForCausalLM':
            config.update(intermediate_size=2 * config['intermediate_size'], block_auto_adjust_ff_dim=True)
    if cls == 'Qwen3NextForCausalLM':
        config.update(linear_value_head_dim=config['state_size'], norm_topk_prob=True,
                      layer_types=[x.replace('other', 'linear_attention') for x in attends[:layers - keys.get(a + 'nextn_predict_layers', 0)]])
    if cls == 'HunYuanDenseV1ForCausalLM':
        config['rope_scaling'] = {'type': 'dynamic', 'factor': 1.0, 'alpha': keys[a + 'rope.scaling.alpha']}
    if cls.startswith('ModernBert'):
        config.update(local_rope_theta=10000.0, global_attn_every_n_layers=3, hidden_activation='gelu')
    if cls == 'NomicBertModel':
        config.update(rotary_emb_fraction=1.0, activation_function='swiglu', prenorm=False, causal=False, type_vocab_size=2)
    if cls == 'RND1':
        config.update(norm_topk_prob=True)
    if a + 'rope.dimension_sections' in keys:
        config['rope_scaling'] = {'rope_type': 'default', 'mrope_section': keys[a + 'rope.dimension_sections'][:3], 'mrope_interleaved': True}
    if a == 'qwen2vl.':
        config['rope_scaling'] = {'type': 'mrope', 'mrope_section': keys[a + 'rope.dimension_sections'][:3]}
    if cls in ('DreamModel', 'RND1'):
        config['mask_token_id'] = keys['tokenizer.ggml.mask_token_id']
    config = more_config(cls, config, keys, tensors)
    renamed = MORE_RENAMED.get(cls) or RENAMED.get(cls, {})
    return {renamed.get(key, key): value for key, value in config.items() if renamed.get(key, key)}


def write_config(folder, cls, keys, tensors, quantized):
    a = keys['general.architecture'] + '.'
    config = {'architectures': [cls.partition('.')[0]], 'torch_dtype': 'float32', 'transformers_version': '4.50.0', 'use_cache': True,
              'vocab_size': len(keys['tokenizer.ggml.tokens']), 'tie_word_embeddings': 'output.weight' not in tensors,
              'bos_token_id': keys.get('tokenizer.ggml.bos_token_id'), 'eos_token_id': keys.get('tokenizer.ggml.eos_token_id')}
    for ours, theirs in CONFIG.items():
        if a + ours in keys:
            config[theirs] = keys[a + ours]
    if a + 'expert_count' in keys:
        qwen = cls.startswith(('Qwen', 'Olmoe'))
        config['num_experts' if qwen else 'num_local_experts'] = keys[a + 'expert_count']
        if cls == 'GraniteMoeForCausalLM':
            config['shared_intermediate_size'] = config.pop('shared_expert_intermediate_size')
    if a + 'attention.layer_norm_epsilon' in keys:
        config[EPS.get(cls, 'layer_norm_eps')] = keys[a + 'attention.layer_norm_epsilon']
    if a + 'rope.dimension_count' in keys:
        part = keys[a + 'rope.dimension_count'] / keys[a + 'attention.key_length']
        if part != 1:
            config['rotary_pct' if cls == 'GPTNeoXForCausalLM' else 'partial_rotary_factor'] = part
    if a + 'rope.scaling.factor' in keys:
        config['rope_scaling'] = {'rope_type': 'linear', 'factor': keys[a + 'rope.scaling.factor']}
    if cls in ('Gemma2ForCausalLM', 'Gemma3ForCausalLM', 'Gemma3ForConditionalGeneration'):
        config['query_pre_attn_scalar'] = keys[a + 'attention.key_length']
    if cls.startswith('Mistral'):
        config.setdefault('sliding_window', None)
    if cls in ('Qwen3MoeForCausalLM', 'Qwen3VLMoeTextModel'):
        config['norm_topk_prob'] = True
    if cls == 'OlmoeForCausalLM':
        config.update(norm_topk_prob=False, clip_qkv=None)
    if cls == 'SmolLM3ForCausalLM':
        config.update(no_rope_layer_interval=4, no_rope_layers=[int((i + 1) % 4 != 0) for i in range(config['num_hidden_layers'])])
    if cls == 'Exaone4ForCausalLM':
        config.update(sliding_window_pattern='LLLG', sliding_window=config.get('sliding_window'))
    if cls == 'Glm4ForCausalLM':
        config.update(rope_parameters={'rope_type': 'default', 'rope_theta': config.pop('rope_theta', 10000.0),
                                       'partial_rotary_factor': config.pop('partial_rotary_factor')})
    if cls.startswith('Cohere'):
        config['logit_scale'] = config.pop('logits_scaling')
    if cls == 'CohereForCausalLM':
        config['use_qk_norm'] = 'blk.0.attn_q_norm.weight' in tensors
    if cls == 'Cohere2ForCausalLM':
        config.update(sliding_window_pattern=4, layer_switch=4, rotary_pct=1.0, position_embedding_type='rope_gptj', use_parallel_block=True)
    if cls in ('StableLmForCausalLM', 'PhiForCausalLM'):
        config['qk_layernorm'] = 'blk.0.attn_q_norm.weight' in tensors
    if cls == 'Gemma2ForCausalLM':
        config.update(attn_logit_softcapping=50.0, final_logit_softcapping=30.0)
    if cls == 'Mamba2ForCausalLM':
        config.update(expand=2, head_dim=2 * config['hidden_size'] // config['num_heads'], layer_norm_epsilon=config.pop('rms_norm_eps'),
                      time_step_limit=[0.0, math.inf])
    if cls == 'GPT2LMHeadModel':
        config = {GPT2.get(key, key): value for key, value in config.items() if key not in ('head_dim', 'num_key_value_heads')}
    if cls == 'GPTNeoXForCausalLM':
        del config['num_key_value_heads'], config['head_dim']
    if cls not in NAMES and cls != 'EuroBertModel' and ('Bert' in cls or 'Roberta' in cls):
        del config['num_key_value_heads'], config['head_dim']
        config.update(hidden_act='gelu', type_vocab_size=2, position_embedding_type='absolute', hidden_dropout_prob=0.1)
        if 'Roberta' in cls:
            config.update(pad_token_id=1, max_position_embeddings=config['max_position_embeddings'] + 2)
        write_vectors(folder, config, keys.get(a + 'pooling_type', 1), keys.get(a + 'classifier.output_labels'))
    if 'T5' in cls:
        config = t5_config(config, keys, tensors)
        if 'Encoder' in cls:
            write_vectors(folder, dict(config, hidden_size=config['d_model']), keys.get(a + 'pooling_type', 1), None)
    if 'U8' in quantized or 'F8' in quantized:
        config['quantization_config'] = {'quant_method': 'mxfp4' if 'U8' in quantized else 'fp8', 'weight_block_size': [128, 128]}
    config = own_config(WITHIN.get(cls, [cls])[0], config, keys, tensors)
    if a + 'pooling_type' in keys and 'T5' not in cls and cls in NAMES or cls in ('EuroBertModel', 'LlamaBidirectionalModel'):
        write_vectors(folder, dict(config, hidden_size=keys[a + 'embedding_length']), keys[a + 'pooling_type'],
                      keys.get(a + 'classifier.output_labels'), write_dense(folder, tensors))
    if cls in WITHIN:
        same = {'num_attention_heads': 8, 'num_key_value_heads': 4, 'head_dim': 256, 'rms_norm_eps': 1e-6, 'rope_theta': 1e6}
        text = {key: value for key, value in config.items() if key not in ('architectures', 'eos_token_id', 'tie_word_embeddings')
                and (same.get(key) != value or 'Gemma' not in cls)}
        config = {'architectures': [cls.partition('.')[0]], 'eos_token_id': [config['eos_token_id']], 'text_config': text, 'vision_config': {'hidden_size': 7},
                  'tie_word_embeddings': config['tie_word_embeddings'], 'image_token_id' if cls.startswith(('Paddle', 'HunYuan')) else 'image_token_index': 1}
        if cls.startswith('Qwen3VL'):
            config['vision_config']['deepstack_visual_indexes'] = list(range(keys.get(a + 'n_deepstack_layers', 0)))
        if cls.startswith('Idefics3'):  # as SmolVLM 2's
            text.update(neftune_noise_alpha=0.0, pixel_shuffle_factor=4, qk_layer_norms=False, use_resampler=False, is_llama_config=True,
                        perceiver_config={'resampler_depth': 6, 'resampler_n_latents': 64})
        if cls.startswith('InternVL'):
            text['model_type'] = 'qwen3' if cls.endswith('.3') else 'qwen2'
            config.update(downsample_ratio=0.5, vision_feature_layer=-1)
        if cls.endswith('.saved'):
            saved_again(text)
        if cls.startswith('Qwen2VL') or cls in ('PaddleOCRVLForConditionalGeneration', 'HunYuanVLForConditionalGeneration'):  # its text's keys are the whole's
            config.update(config.pop('text_config'))
        if cls.startswith('InternVLChat'):
            config['llm_config'] = dict(config.pop('text_config'), **DRAWN)
    if cls.startswith(ASSISTANTS):
        config = assistant_config(cls, config, keys)
    write_json(folder, 'config.json', config)


def write_vectors(folder, config, pooling, labels, dense=()):
    """What the sentence-transformers library reads; a model that scores has labels in its place."""
    if labels:
        config['id2label'] = {str(i): label for i, label in enumerate(labels)}
        return
    names = ['pooling_mode_mean_tokens', 'pooling_mode_cls_token', 'pooling_mode_lasttoken', 'pooling_mode_max_tokens']
    os.makedirs(os.path.join(folder, '1_Pooling'), exist_ok=True)
    write_json(folder, '1_Pooling/config.json', dict({name: i + 1 == pooling for i, name in enumerate(names)},
                                                     word_embedding_dimension=config['hidden_size']))
    kinds = [('', 'Transformer'), ('1_Pooling', 'Pooling')] + [(path, 'Dense') for path in dense] + [('4_Normalize', 'Normalize')]
    write_json(folder, 'modules.json', [{'idx': i, 'name': str(i), 'path': path, 'type': 'sentence_transformers.models.' + kind}
                                        for i, (path, kind) in enumerate(kinds)])
