"""The tensors of a checkpoint."""
from array import array

from .rows import by_groups, by_heads, half_split, halved_qkv, regrouped, log_rate, transposed
from .names import BERT_ENDS, COMMON, ENDS, GRANITE_EXPERTS, NAMES, WITHIN
from .more_names import TURNED
from .more_tensors import APART, curves, main_layers, more_blocks, more_change, more_ends, publish_tower
from .fused import delta_maps, fused_experts, latent_maps


def split_name(name):
    """(layer or None, name, suffix)"""
    layer = None
    if name.startswith('blk.'):
        _, number, name = name.split('.', 2)
        layer = int(number)
    for suffix in ('.weight', '.bias'):
        if name.endswith(suffix):
            return layer, name[:-len(suffix)], suffix
    return layer, name, ''


def change(cls, name, suffix, keys, shape, numbers):
    a = keys['general.architecture']
    heads = keys.get(a + '.attention.head_count')
    if cls in TURNED and name in ('attn_q', 'attn_k'):
        if cls == 'DeciLMForCausalLM':  # of each layer its own
            return half_split(shape, numbers, shape[0] // keys[a + '.attention.key_length'])
        return half_split(shape, numbers, heads if name == 'attn_q' else keys[a + '.attention.head_count_kv'])
    if cls == 'GPTNeoXForCausalLM' and name == 'attn_qkv':
        return by_heads(shape, numbers, heads)
    if cls in ('InternLM2ForCausalLM', 'BaichuanForCausalLM') and name == 'attn_qkv':
        shape, numbers = halved_qkv(shape, numbers, heads, keys[a + '.attention.head_count_kv'])
    if cls == 'PlamoForCausalLM' and name == 'attn_q':
        return regrouped(shape, numbers, heads, keys[a + '.attention.head_count_kv'])
    if cls == 'PlamoForCausalLM' and name == 'attn_output':
        return transposed(*regrouped(*transposed(shape, numbers), heads, keys[a + '.attention.head_count_kv']))
    if cls in ('InternLM2ForCausalLM', 'FalconForCausalLM', 'BloomForCausalLM') and name == 'attn_qkv':
        return by_groups(shape, numbers, heads, keys[a + '.attention.head_count_kv'])
    if name == 'exp_probs_b' and cls.startswith('Ernie'):
        return [1] + shape, numbers
    if cls == 'GPT2LMHeadModel' and name not in ('attn_norm', 'ffn_norm'):
        return transposed(shape, numbers)
    if cls == 'NemotronForCausalLM' and name.endswith('norm') and suffix == '.weight':
        return shape, array('f', [x - 1 for x in numbers])
    if cls.startswith(('GemmaFor', 'Gemma2', 'Gemma3For', 'Qwen3Next')) and name.endswith('norm') and name != 'ssm_norm':
        return shape, array('f', [x - 1 for x in numbers])
    if name == 'ssm_a':
        return [len(numbers)] if shape[-1] == 1 else shape, array('f', map(log_rate, numbers))
    if name == 'ssm_d' or name == 'ssm_norm':
        return [len(numbers)], numbers
    if name in ('ssm_conv1d', 'shortconv.conv') and suffix == '.weight':
        return [shape[0], 1, shape[1]], numbers
    return shape, numbers


def publish_bert(cls, tensors):
    """With what vectors do not ask for, which has to be left out; norms of old files say gamma and beta."""
    roberta = 'Roberta' in cls
    prefix = '' if cls.endswith('Model') else 'roberta.' if roberta else 'bert.'
    out = {prefix + 'embeddings.position_ids': ([1, 4], array('f', range(4)))}
    for full, (shape, numbers) in tensors.items():
        layer, name, suffix = split_name(full)
        heads = {'cls': 'classifier.dense', 'cls.output': 'classifier.out_proj'} if roberta else {'cls.output': 'classifier'}
        theirs = heads.get(name) or prefix + (
            BERT_ENDS[name] if layer is None else 'encoder.layer.%d.' % layer + NAMES['Bert'][name])
        if roberta and name == 'position_embd':  # counted from behind the padding token, which is 1
            shape, numbers = [shape[0] + 2, shape[1]], array('f', [7] * (2 * shape[1])) + numbers
        if cls == 'BertForPreTraining' and theirs.endswith('LayerNorm'):
            suffix = {'.weight': '.gamma', '.bias': '.beta'}[suffix]
        out[theirs + suffix] = (shape, numbers)
    extra = {'XLMRobertaForMaskedLM': ['lm_head.bias', 'lm_head.dense.weight'], 'BertModel': ['pooler.dense.weight'], 'BertForMaskedLM': ['cls.predictions.bias', 'cls.predictions.decoder.weight'],
             'BertForPreTraining': ['cls.predictions.transform.LayerNorm.gamma', 'cls.seq_relationship.weight']}
    out.update({name: ([2], array('f', [1, 2])) for name in extra.get(cls, [])})
    return out


def publish_t5(tensors):
    """With copies of the embedding, as older files have them; one of a head that is tied."""
    gated, tied = 'enc.blk.0.ffn_gate.weight' in tensors, 'output.weight' not in tensors
    out = {}
    for full, (shape, numbers) in tensors.items():
        side, _, rest = full.partition('.')
        theirs = {'token_embd.weight': 'shared', 'output.weight': 'lm_head', 'enc.output_norm.weight': 'encoder.final_layer_norm',
                  'dec.output_norm.weight': 'decoder.final_layer_norm'}.get(full)
        if not theirs:
            _, layer, name, _ = rest.split('.')
            last, kind = (2 if side == 'dec' else 1), name.rpartition('_')[2]
            theirs = {'attn_norm': 'layer.0.layer_norm', 'cross_attn_norm': 'layer.1.layer_norm', 'ffn_norm': 'layer.%d.layer_norm' % last,
                      'attn_rel_b': 'layer.0.SelfAttention.relative_attention_bias',
                      'ffn_gate': 'layer.%d.DenseReluDense.wi_0' % last, 'ffn_down': 'layer.%d.DenseReluDense.wo' % last,
                      'ffn_up': 'layer.%d.DenseReluDense.wi' % last + ('_1' if gated else '')}.get(name)
            theirs = theirs or ('layer.1.EncDecAttention.' if name.startswith('cross') else 'layer.0.SelfAttention.') + kind
            theirs = {'enc': 'encoder', 'dec': 'decoder'}[side] + '.block.%s.' % layer + theirs
        out[theirs + '.weight'] = (shape, numbers)
    out['encoder.embed_tokens.weight'] = out['shared.weight']
    if tied and 'decoder.final_layer_norm.weight' in out:
        out['lm_head.weight'] = out['shared.weight']
    return out


def with_an_eye(cls, tensors, begin, head):
    """A language model beside what sees."""
    out = {name.replace('lm_head', head) if name.startswith('lm_head') else name if name.startswith('mtp.') else begin + name[len('model.'):]: value
           for name, value in tensors.items()}
    paddle = ('model.visual.head', 'model.projector.linear_1') if cls.endswith('.5') else ('visual.vision_model.head', 'mlp_AR.linear_1')
    own = ('vit.embeddings.patch_embedding.weight', 'vit.perceive.image_begin') if cls.startswith('HunYuanVL') else paddle if cls.startswith('PaddleOCR') else ('vision_model.encoder.layers.0.ls1', 'mlp1.0.weight') if cls.startswith('InternVLChat') else (
        'vision_tower.vision_model.post_layernorm.weight', 'multi_modal_projector.mm_soft_emb_norm.weight')
    out.update({name: ([2], array('f', [1, 2])) for name in own})
    return out


def publish_tensors(cls, keys, tensors, mxfp4=False):
    if cls in WITHIN:
        inner, begin, head = WITHIN[cls]
        return with_an_eye(cls, publish_tensors(inner, keys, tensors), begin, head)
    if cls in ('MistralForCausalLM',):
        cls = 'LlamaForCausalLM'
    if cls not in NAMES and cls != 'EuroBertModel' and ('Bert' in cls or 'Roberta' in cls):
        return publish_bert(cls, tensors)
    if 'T5' in cls:
        return publish_t5(tensors)
    if cls.endswith('.tower'):
        return publish_tower(cls, keys, tensors)
    prefix, layers, embedding, norm, head = ENDS.get(cls, ('model.', 'layers', 'embed_tokens', 'norm', 'lm_head'))
    names, out = NAMES.get(cls, COMMON), curves(cls, keys)
    for full, (shape, numbers) in tensors.items():
        layer, name, suffix = split_name(full)
        if layer is None:
            if name.startswith('rope_'):
                continue  # in config.json
            own = more_ends(cls, prefix, name, suffix, shape, numbers)
            if own is not None:
                out.update(own)
                continue
            end_norm = 'embeddings.norm' if cls.startswith('Modern') else 'emb_ln' if cls.startswith('Nomic') else 'word_embeddings_layernorm'
            theirs = {'token_embd': prefix + embedding, 'output_norm': prefix + norm, 'output': head, 'position_embd': prefix + 'wpe',
                      'token_embd_norm': prefix + (norm if cls.startswith('Lfm2') else end_norm), 'cls': 'head.dense', 'cls.norm': 'head.norm',
                      'cls.output': 'classifier', 'token_types': 'embeddings.token_type_embeddings'}[name] + suffix
            if name == 'output_norm':
                shape, numbers = more_change(cls, 'norm', keys, *change(cls, 'norm', suffix, keys, shape, numbers))
            out[theirs] = (shape, numbers)
            continue
        here = 'midlayer.' if cls.endswith('Eagle3') else '%s%s.%d.' % (prefix, layers, layer)
        if cls.startswith(APART) and layer >= main_layers(keys):
            here = 'mtp.layers.%d.' % (layer - main_layers(keys))
        own = more_blocks(cls, here, name, suffix, keys, tensors, full)
        if own is not None:
            out.update(own)
            continue
        if cls in ('GptOssForCausalLM', 'Llama4ForCausalLM', 'Qwen3VLMoeTextModel') and name.endswith('_exps'):
            out.update(fused_experts(cls, here, name, suffix, tensors, full, mxfp4))
            continue
        if name in ('attn_k_b', 'attn_v_b'):
            out[here + 'self_attn.kv_b_proj.weight'] = latent_maps(tensors[full.replace('_v_', '_k_')][0], *(
                tensors[full.replace('_v_', '_k_').replace('_k_', x)][1] for x in ('_k_', '_v_')))
            continue
        if cls.startswith('Qwen3Next') and name in ('attn_qkv', 'attn_gate'):
            other = (full.replace(name, x) for x in ('attn_qkv', 'attn_gate'))
            out[here + 'linear_attn.in_proj_qkvz.weight'] = delta_maps(keys, keys['general.architecture'], *(tensors[x] for x in other))
            continue
        if cls in GRANITE_EXPERTS and name.startswith(('ffn_gate_exps', 'ffn_up_', 'ffn_gate_sh')):
            if name.startswith('ffn_gate'):
                other = tensors[full.replace('gate', 'up')]
                pair = 'block_sparse_moe' if name.endswith('exps') else 'shared_mlp'
                width = shape[-1] * shape[-2]
                both = array('f')
                for at in range(0, len(numbers), width):
                    both.extend(numbers[at:at + width] + other[1][at:at + width])
                out[here + pair + '.input_linear' + suffix] = (shape[:-2] + [2 * shape[-2], shape[-1]], both)
            continue
        if name == 'ssm_dt' and full.replace('bias', 'weight') not in tensors:  # Mamba 2
            place = next(names[x] for x in ('ssm_in', 'ssm_ba', 'ssm_beta') if x in names).rpartition('.')[0]
            out[here + place + '.dt_bias'] = more_change(cls, name, keys, shape, numbers)
            continue
        if name in ('ssm_a', 'ssm_d', 'exp_probs_b', 'attn_sinks'):
            suffix = ''
        theirs = here + names[name] + suffix
        if cls == 'FalconForCausalLM' and name == 'attn_norm' and full.replace('attn_norm', 'attn_norm_2') in tensors:
            theirs = here + 'ln_mlp' + suffix
        if '%d' in theirs:
            size = len(numbers) // shape[0]
            for e in range(shape[0]):
                out[theirs % e] = (shape[1:], numbers[e * size:(e + 1) * size])
        else:
            if name == 'ffn_gate_inp_shexp' and len(shape) == 1:
                shape = [1] + shape
            out[theirs] = more_change(cls, name, keys, *change(cls, name, suffix, keys, shape, numbers))
    return out
