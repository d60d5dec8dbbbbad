"""Tensors of further classes that are more than another name."""
import os
from array import array

from .files import write_json, write_safetensors
from .rows import by_groups, half_split, half_split_both, joined, rows_of, single, transposed
from .more_names import NAMES  # noqa: F401  (with those of further classes)

ENDS_OF_MODEL = {'per_layer_token_embd': 'embed_tokens_per_layer', 'per_layer_model_proj': 'per_layer_model_projection',
                 'per_layer_proj_norm': 'per_layer_projection_norm', 'enc.output_norm': 'layer_norm'}
STACKS = {'altup_proj': 'altup_projections.%d', 'altup_unembd_proj': 'altup_unembed_projections.%d'}
BARE = ('layer_output_scale', 'altup_correct_scale')  # parameters that are not called .weight
JOINED = ('Mistral4ForCausalLM', 'MellumForCausalLM', 'Gemma4ForCausalLM', 'Qwen3_5MoeForCausalLM')
HALF_SHIFTED = ('Qwen3_5', 'Step3p5', 'Gemma3TextModel')  # gains of norms are 1 less
TIMES = {'embedding_multiplier': 4.0, 'lm_head_multiplier': 0.5, 'attention_in_multiplier': 2.0, 'key_multiplier': 0.25,
         'attention_out_multiplier': 0.5, 'ssm_in_multiplier': 2.0, 'ssm_out_multiplier': 8.0, 'mlp_multipliers': [0.5, 4.0],
         'ssm_multipliers': [0.5, 0.25, 2.0, 4.0, 0.125]}
FALCON = {'token_embd': 4.0, 'output': 0.5, 'attn_q': 2.0, 'attn_k': 0.5, 'attn_v': 2.0, 'attn_output': 0.5, 'ssm_out': 8.0, 'ffn_gate': 0.5,
          'ffn_down': 4.0}


def divided(numbers, factor):
    return array('f', [x / factor for x in numbers])


def zones(keys, shape, numbers):
    """Rows of z, x, B, C and dt."""
    inner, state = keys['falcon-h1.ssm.inner_size'], keys['falcon-h1.ssm.group_count'] * keys['falcon-h1.ssm.state_size']
    sizes = [inner, inner, state, state, keys['falcon-h1.ssm.time_step_rank']]
    factors = [2.0 * TIMES['ssm_multipliers'][zone] for zone, size in enumerate(sizes) for _ in range(size)]
    return shape, joined(divided(row, factor) for row, factor in zip(rows_of(shape, numbers), factors))


def grouped(keys, a, rows, before):
    """Heads of values by the heads of keys that they belong to; in GGUF the first of all, then the second."""
    heads, groups = keys[a + '.ssm.time_step_rank'], keys[a + '.ssm.group_count']
    d, each, values = (len(rows) - before) // heads, heads // groups, rows[before:]
    order = [values[((j * groups) + g) * d + i] for g in range(groups) for j in range(each) for i in range(d)]
    return rows[:before] + order


def tiled(cls, name, keys, shape, numbers):
    a = keys['general.architecture']
    before = 2 * keys[a + '.ssm.group_count'] * keys[a + '.ssm.state_size'] if name in ('attn_qkv', 'ssm_conv1d') else 0
    if name == 'ssm_out':
        return transposed(*tiled(cls, 'attn_gate', keys, *transposed(shape, numbers)))
    return shape, joined(grouped(keys, a, rows_of(shape, numbers), before))


def ternary(numbers):
    """Numbers whose mean size is that of those that are not 0; the others are too small."""
    size = max(map(abs, numbers))
    return array('f', [1.75 * x if x else size / 4 for x in numbers])


def join_experts(shape, gate, up):
    width, both = shape[-1] * shape[-2], array('f')
    for at in range(0, len(gate), width):
        both.extend(gate[at:at + width] + up[at:at + width])
    return shape[:-2] + [2 * shape[-2], shape[-1]], both


def more_ends(cls, prefix, name, suffix, shape, numbers):
    """One of the model's own tensors; None: it is called as in other classes."""
    if name in ENDS_OF_MODEL:
        if name == 'per_layer_token_embd':  # without the last two tokens, which are 0
            shape, numbers = [shape[0] - 2, shape[1]], numbers[:-2 * shape[1]]
        return {prefix + ENDS_OF_MODEL[name] + suffix: (shape, numbers)}
    if name in STACKS:
        size = shape[1] * shape[2]
        return {prefix + STACKS[name] % i + suffix: (shape[1:], numbers[i * size:i * size + size]) for i in range(shape[0])}
    if name.startswith('dense_'):
        return {}
    if cls.startswith('Gemma4') and name.startswith('nextn.'):
        clusters = {'masked_embedding.centroids.weight': ([2, 3], array('f', range(6))), 'masked_embedding.token_ordering': ([4], array('f', range(4)))}
        return dict({name[len('nextn.'):] + suffix: (shape, numbers)}, **({} if 'Unified' in cls else clusters))  # of small models
    if name in ('d2t', 'fc'):
        return draft_head(name, shape, numbers)
    if cls == 'XLMRobertaModel.3' and name in ('token_embd', 'token_types'):
        theirs = prefix + 'embeddings.' + ('word' if name == 'token_embd' else 'token_type') + '_embeddings.parametrizations.weight'
        return {theirs + '.original': (shape, numbers), theirs + '.0.lora_A': ([1, 2, 2], array('f', range(4)))}
    if cls == 'DistilBertModel' and name in ('position_embd', 'token_embd_norm'):
        return {prefix + 'embeddings.' + ('position_embeddings' if name == 'position_embd' else 'LayerNorm') + suffix: (shape, numbers)}
    end = {'XLMRobertaModel.3': 'emb_ln', 'JinaBertModel': 'embeddings.LayerNorm', 'NomicBertModel.moe': 'emb_ln'}.get(cls)
    if name == 'token_embd_norm' and end:
        return {prefix + end + suffix: (shape, numbers)}
    if name == 'token_types' and end:
        return {prefix + 'embeddings.token_type_embeddings' + suffix: (shape, numbers)}
    if cls == 'NeoBERT' and name.startswith('cls'):
        return {('dense' if name == 'cls' else 'classifier') + suffix: (shape, numbers)}
    if cls == 'Rwkv6ForCausalLM' and name == 'token_embd_norm':
        return {'rwkv.blocks.0.pre_ln' + suffix: (shape, numbers)}
    if cls.startswith('RWKV7') and name == 'token_embd_norm':
        return {'model.layers.0.pre_norm' + suffix: (shape, numbers)}
    if cls.startswith('FalconH1'):
        return {{'token_embd': 'model.embed_tokens', 'output': 'lm_head', 'output_norm': 'model.final_layernorm'}[name] + suffix: (
            shape, divided(numbers, FALCON.get(name, 1)))}
    return None


def main_layers(keys):
    a = keys['general.architecture']
    return keys[a + '.block_count'] - keys.get(a + '.nextn_predict_layers', 0)


APART = ('Qwen3_5', 'Qwen3Next', 'ExaoneMoE')  # draft heads have a name of their own
HEAD = {'eh_proj': 'mtp.fc', 'enorm': 'mtp.pre_fc_norm_embedding', 'hnorm': 'mtp.pre_fc_norm_hidden', 'shared_head_norm': 'mtp.norm'}


def more_blocks(cls, here, name, suffix, keys, tensors, full):
    """One tensor of a block; None: as in other classes."""
    shape, numbers = tensors[full]
    a, names = keys['general.architecture'], NAMES.get(cls, {})
    if cls.startswith(APART) and name.startswith('nextn.'):
        less = 0 if cls.startswith('Exaone') or 'norm' not in name else 1
        return {HEAD[name[6:]] + suffix: (shape, array('f', [single(x - less) for x in numbers]))}
    if cls == 'OpenELMForCausalLM' and name in ('ffn_gate', 'ffn_up'):
        other = tensors[full.replace('ffn_gate', 'ffn_up')][1]
        return {} if name == 'ffn_up' else {here + 'ffn.proj_1' + suffix: ([2 * shape[0]] + shape[1:], numbers + other)}
    if cls == 'GPTRefactForCausalLM' and name in ('attn_k', 'attn_v', 'ffn_gate', 'ffn_up'):
        if name in ('attn_v', 'ffn_up'):
            return {}
        other = tensors[full.replace('attn_k', 'attn_v').replace('ffn_gate', 'ffn_up')]
        both = [2 * shape[0]] + shape[1:]
        return {here + ('attn.kv' if name == 'attn_k' else 'mlp.gate_up_proj') + suffix: (both, numbers + other[1])}
    if cls == 'DeciLMForCausalLM' and name == 'attn_output' and full.replace('output', 'q') not in tensors:
        return {here + 'self_attn.linear_attn' + suffix: (shape, numbers)}
    if cls in JOINED and name.startswith(('ffn_gate_exps', 'ffn_up_exps', 'ffn_down_exps')) and suffix:
        place = here + ('experts.' if cls.startswith('Gemma4') else 'mlp.experts.')
        if name == 'ffn_up_exps':
            return {}
        if name == 'ffn_down_exps':
            return {place + 'down_proj': (shape, numbers)}
        return {place + 'gate_up_proj': join_experts(shape, numbers, tensors[full.replace('gate', 'up')][1])}
    if cls.startswith(('NomicBertModel.', 'Dbrx')) and name.endswith('_exps'):
        rows = [len(numbers) // keys[a + '.embedding_length'], keys[a + '.embedding_length']]
        if name == 'ffn_down_exps':
            size = shape[1] * shape[2]
            numbers = joined(transposed(shape[1:], numbers[e * size:e * size + size])[1] for e in range(shape[0]))
        return {here + names[name]: (rows, numbers), **({} if cls.startswith('Dbrx') else {here + 'mlp.experts.bias': ([1], array('f', [0]))})}
    if cls == 'XLMRobertaModel.3' and suffix == '.weight' and 'norm' not in name:
        return {here + names[name] + '.parametrizations.weight.original': (shape, numbers)}
    if cls == 'RwkvHybridForCausalLM' and name.startswith('time_mix_'):
        return arwkv7(here, name, suffix, keys, shape, numbers)
    if cls in ('Rwkv6ForCausalLM', 'RWKV6Qwen2ForCausalLM') and not name.startswith(('attn_', 'ffn_')) or cls == 'Rwkv6ForCausalLM':
        return rwkv6(cls, here, name, suffix, keys, shape, numbers)
    if cls.startswith('RWKV7'):
        return rwkv(here, name, suffix, keys, shape, numbers)
    if name in BARE or name.endswith('.scale'):
        return {here + names[name]: (shape, numbers)}
    if cls.startswith('KimiLinear') and name == 'ssm_dt':
        return {here + 'self_attn.dt_bias': (shape, numbers)}
    if cls.startswith('Mistral4') and name.endswith('_shexp'):
        return {here + names[name] + suffix: (shape, numbers)}
    if name == 'ffn_norm' and not suffix:
        return {here + names[name] + '.weight': (shape, numbers)}
    if cls.startswith('FalconH1') and name in FALCON:
        return {here + names[name] + suffix: (shape, divided(numbers, FALCON[name]))}
    if cls.startswith('FalconH1') and name == 'ssm_in':
        return {here + names[name] + suffix: zones(keys, shape, numbers)}
    if cls.startswith('Bitnet') and 'norm' not in name and suffix:
        return {here + names[name] + suffix: (shape, ternary(numbers))}
    if cls == 'BailingMoeForCausalLM' and name == 'attn_qkv':
        return {here + names[name] + suffix: half_split_both(shape, numbers, keys[a + '.attention.head_count'], keys[a + '.attention.head_count_kv'])}
    if cls == 'NeoBERT' and name == 'attn_qkv':
        return {here + 'qkv' + suffix: by_groups(shape, numbers, *[keys[a + '.attention.head_count']] * 2)}
    return None


def five_parts(shape, numbers, order):
    """The parts of the shift's maps, each the other way round, in this order."""
    rows, flat = rows_of([shape[0] * shape[1], shape[2]] if len(shape) == 3 else shape, numbers), len(shape) == 2
    each = len(rows) // 5
    parts = [joined(rows[i * each:i * each + each]) for i in order]
    if flat:
        return transposed(shape, joined(parts))
    turned = [transposed(shape[1:], part) for part in parts]
    return [5] + turned[0][0], joined(part[1] for part in turned)


def rwkv6(cls, here, name, suffix, keys, shape, numbers):
    """Parameters without .weight, maps of the shift and of the decay the other way round; what later blocks add is larger there."""
    a, own = keys['general.architecture'], cls == 'Rwkv6ForCausalLM'
    dim, place = keys[a + '.embedding_length'], here + NAMES[cls].get(name, '')
    if name == 'time_mix_lerp_fused':
        return {here + ('attention' if own else 'self_attn') + '.time_maa_' + x: ([1, 1, dim], numbers[i * dim:i * dim + dim]) for i, x in enumerate('wkvrg')}
    if name in ('time_mix_w1', 'time_mix_w2'):
        return {place: five_parts(shape, numbers, (0, 1, 2, 3, 4) if own else (3, 1, 2, 0, 4))}
    if name in ('time_mix_decay_w1', 'time_mix_decay_w2'):
        return {place: transposed(shape, numbers)}
    if name == 'time_mix_first':
        return {place: (shape, numbers)}
    if name == 'time_mix_decay' or 'lerp' in name:
        return {place: ([1, 1, dim], numbers)}
    if own and name in ('time_mix_output', 'channel_mix_value'):
        numbers = divided(numbers, 0.5 ** (int(here.split('.')[2]) // keys['rwkv6.rescale_every_n_layers']))
    return {place + suffix: (shape, numbers)}


def arwkv7(here, name, suffix, keys, shape, numbers):
    """RWKV's own names; the first layer has maps for values that nothing reads, and there is a mix for a gate that is not there."""
    dim, part, here = keys['arwkv7.embedding_length'], name[len('time_mix_'):], here + 'self_attn.time_mixer.'
    if part == 'lerp_fused':
        numbers = numbers + array('f', [7] * dim)
        return {here + 'x_' + x: ([1, 1, dim], numbers[i * dim:i * dim + dim]) for i, x in enumerate('rwkvag')}
    if '.0.' in here and part in ('v0', 'v1', 'v2'):
        numbers = array('f', [7] * len(numbers))
    if part[1:] in ('1', '2'):
        return {here + part: transposed(shape, numbers)}
    if part[1:] == '0' or part in ('k_k', 'k_a', 'r_k'):
        heads = dim // keys['arwkv7.wkv.head_size']
        return {here + part: ([heads, dim // heads] if part == 'r_k' else [1, 1, dim], numbers)}
    return {here + {'ln': 'ln_x'}.get(part, part) + suffix: (shape, numbers)}


def rwkv(here, name, suffix, keys, shape, numbers):
    """Maps by way of few numbers, and the six mixes, which are tensors of their own there."""
    dim, part = keys['rwkv7.embedding_length'], name[len('time_mix_'):]
    if here.endswith('.0.') and part in ('v0', 'v1', 'v2'):
        return {}
    if part in ('%s%d' % (x, i) for x in 'wavg' for i in range(3)):
        end = {'0': '2.bias', '1': '0.weight', '2': '2.weight'}[part[1]]
        return {here + 'attn.%s_lora.lora.%s' % (part[0], end): (shape[-1:] if part[1] == '0' else shape, numbers)}
    if part == 'lerp_fused':
        return {here + 'attn.x_' + x: ([1, 1, dim], numbers[i * dim:i * dim + dim]) for i, x in enumerate('rwkvag')}
    if name in ('channel_mix_lerp_k', 'time_mix_k_k', 'time_mix_k_a', 'time_mix_r_k'):
        heads = keys['rwkv7.wkv.head_size']
        return {here + NAMES['RWKV7ForCausalLM'][name]: ([dim // heads, heads] if part == 'r_k' else [dim], numbers)}
    return {here + NAMES['RWKV7ForCausalLM'][name] + suffix: (shape, numbers)}


def more_change(cls, name, keys, shape, numbers):
    """After the changes of other classes."""
    if cls.startswith(HALF_SHIFTED) and name.endswith('norm') and name != 'ssm_norm':
        return shape, array('f', [single(x - 1) for x in numbers])
    if cls.startswith('Qwen3_5') and name in ('attn_qkv', 'attn_gate', 'ssm_alpha', 'ssm_beta', 'ssm_dt', 'ssm_a', 'ssm_conv1d', 'ssm_out'):
        return tiled(cls, name, keys, shape, numbers)
    if cls.startswith('KimiLinear') and name == 'ssm_a':
        return [1, 1, len(numbers), 1], numbers
    return shape, numbers


def write_dense(folder, tensors):
    """The maps of a text's vector, each in a folder of its own; their names."""
    paths = ['%s_Dense' % name[6] for name in sorted(tensors) if name.startswith('dense_')]
    for path in paths:
        shape, numbers = tensors['dense_%s.weight' % path[0]]
        os.makedirs(os.path.join(folder, path), exist_ok=True)
        write_safetensors(os.path.join(folder, path, 'model.safetensors'), {'linear.weight': (shape, numbers)}, 'F32')
        write_json(folder, path + '/config.json', {'in_features': shape[1], 'out_features': shape[0], 'bias': False,
                                                   'activation_function': 'torch.nn.modules.linear.Identity'})
    return paths


TOWER = {'v.class_embd': 'embeddings.class_embedding', 'v.patch_embd': 'embeddings.patch_embedding', 'v.position_embd': 'embeddings.position_embedding',
         'v.pre_ln': 'pre_layrnorm', 'v.post_ln': 'post_layernorm'}
INTERN = {'v.class_embd': 'embeddings.cls_token', 'v.patch_embd': 'embeddings.patch_embeddings.projection', 'v.position_embd': 'embeddings.position_embeddings'}
PIXTRAL = {'v.patch_embd': 'patch_conv', 'v.pre_ln': 'ln_pre', 'mm.input_norm': 'norm', 'mm.patch_merger': 'patch_merger.merging_layer',
           'mm.1': 'linear_1', 'mm.2': 'linear_2'}
# per class: before the tower's names (or the projector's, after @), before the projector's, the blocks, and what is not in a block
TOWERS = {
    'LlavaForConditionalGeneration.tower': ('vision_tower.vision_model.', 'multi_modal_projector.', 'encoder.layers', dict(TOWER, **{
        'mm.0': 'linear_1', 'mm.2': 'linear_2'})),
    'Gemma3ForConditionalGeneration.tower': ('vision_tower.vision_model.', 'multi_modal_projector.', 'encoder.layers', dict(TOWER, **{
        'mm.soft_emb_norm': 'mm_soft_emb_norm', 'mm.input_projection': 'mm_input_projection_weight'})),
    'Idefics3ForConditionalGeneration.tower': ('model.vision_model.', 'model.connector.', 'encoder.layers', dict(TOWER, **{
        'mm.model.fc': 'modality_projection.proj'})),
    'InternVLForConditionalGeneration.tower': ('model.vision_tower.', 'model.multi_modal_projector.', 'encoder.layer', dict(INTERN, **{
        'mm.model.mlp.0': 'layer_norm', 'mm.model.mlp.1': 'linear_1', 'mm.model.mlp.3': 'linear_2'})),
    **{cls + 'ForConditionalGeneration.tower': ('visual.', 'visual.', 'blocks', {'v.post_ln': 'merger.ln_q', 'mm.0': 'merger.mlp.0', 'mm.2': 'merger.mlp.2'})
       for cls in ('Qwen2VL', 'Qwen2_5_VL')},
    **{cls + 'ForConditionalGeneration.tower': ('model.visual.', 'model.visual.', 'blocks', {
        'v.position_embd': 'pos_embed', 'v.post_ln': 'merger.norm', 'mm.0': 'merger.linear_fc1', 'mm.2': 'merger.linear_fc2', 'v.patch_embd': 'patch_embed.proj'})
       for cls in ('Qwen3VL', 'Qwen3_5')},
    'Mistral3ForConditionalGeneration.tower': ('vision_tower.', 'multi_modal_projector.', 'transformer.layers', PIXTRAL),
    'LlavaForConditionalGeneration.pixtral.tower': ('model.vision_tower.', 'model.multi_modal_projector.', 'transformer.layers', PIXTRAL),
    'Llama4ForConditionalGeneration.tower': ('vision_model.', 'multi_modal_projector.', 'model.layers', {
        'v.class_embd': 'class_embedding', 'v.patch_embd': 'patch_embedding.linear', 'v.position_embd': 'positional_embedding_vlm',
        'v.pre_ln': 'layernorm_pre', 'v.post_ln': 'layernorm_post', 'mm.model.fc': 'linear_1', **{
            'mm.model.mlp.%d' % i: '@vision_adapter.mlp.fc%d' % i for i in (1, 2)}}),
    'Gemma4ForConditionalGeneration.tower': ('model.vision_tower.', 'model.embed_vision.', 'encoder.layers', {
        'v.patch_embd': 'patch_embedder.input_proj', 'v.position_embd.weight': 'patch_embedder.position_embedding_table',
        'v.std_bias': 'std_bias', 'v.std_scale': 'std_scale', 'mm.input_projection': 'embedding_projection'}),
    'InternVLChatModel.tower': ('vision_model.', '', 'encoder.layers', dict(TOWER, **{
        'mm.model.mlp.%d' % i: 'mlp1.%d' % i for i in (0, 1, 3)})),
}
WITHOUT_SUFFIX = ('class_embedding', 'positional_embedding_vlm', 'embeddings.cls_token', 'embeddings.position_embeddings', 'mm_input_projection_weight', 'ls1', 'ls2', 'lambda_1', 'lambda_2')


def tower_value(cls, theirs, value):
    """InternVL's class row and positions stand in a batch of one; Gemma's gains are 1 less."""
    shape, numbers = value
    if 'InternVL' in cls and ('cls_token' in theirs or 'class_embedding' in theirs):
        return [1, 1] + shape, numbers
    if 'InternVL' in cls and 'position_embedding' in theirs:
        return [1] + shape, numbers
    if theirs == 'patch_embedder.input_proj':  # pixel by pixel, with its colours together
        dim, colours, side, area = *shape[:3], shape[2] * shape[3]
        return [dim, colours * area], array('f', [numbers[(d * colours + k) * area + at] for d in range(dim) for at in range(area) for k in range(colours)])
    if theirs == 'mm_soft_emb_norm':
        return shape, array('f', [x - 1 for x in numbers])
    return value


def publish_tower(cls, keys, tensors):
    """A vision tower and its projector, beside a language model."""
    tower, projector, blocks, names = TOWERS[cls]
    pixtral, text = names is PIXTRAL, 'model.language_model.' if tower.startswith('model.') else 'language_model.model.'
    out = {('model.text_model.x' if 'Idefics3' in cls else 'model.layers.x' if 'Qwen' in cls else text + 'layers.x' if pixtral or 'Gemma4' in cls else 'language_model.x'): ([2], array('f', [1, 2]))}
    frames = [tensors[name] for name in ('v.patch_embd.weight', 'v.patch_embd.weight.1') if cls.startswith('Qwen')]
    if frames:  # both in one
        (dim, colours, high, wide), each = frames[0][0], frames[0][0][2] * frames[0][0][3]
        numbers = array('f', [x for at in range(0, dim * colours * each, each) for f in frames for x in f[1][at:at + each]])
        out[tower + 'patch_embed.proj.weight'] = ([dim, colours, 2, high, wide], numbers)
    for full, value in tensors.items():
        stem, _, suffix = full.rpartition('.')
        if stem == 'v.token_embd':  # the row of token 2
            other = array('f', [0.5] * len(value[1]))
            out[text + 'embed_tokens.weight'] = ([4, len(value[1])], other + other + value[1] + other)
            continue
        if frames and full.startswith('v.patch_embd.weight'):
            continue
        if full.startswith('v.deepstack.'):  # counted from 0
            _, _, block, name, suffix = full.split('.')
            number = [l for l, taken in enumerate(keys['clip.vision.is_deepstack_layers']) if taken].index(int(block))
            out['%sdeepstack_merger_list.%d.%s.%s' % (tower, number, name.replace('fc', 'linear_fc'), suffix)] = value
            continue
        if full.startswith('v.blk.'):
            _, _, layer, name, suffix = full.split('.')
            theirs = '%s.%s.%s' % (blocks, layer, NAMES[cls][name])
            if suffix.endswith(('_min', '_max')):  # bounds of a map: numbers of no dimension, beside what it has
                theirs, value = theirs[:-len('.linear')], ([], value[1])
            if pixtral and name in ('attn_q', 'attn_k'):
                value = half_split(*value, keys['clip.vision.attention.head_count'])
        else:
            theirs = names.get(full) or names[stem]
        bare = full in names or (theirs.rpartition('.')[2] in WITHOUT_SUFFIX) or theirs in WITHOUT_SUFFIX or (
            cls.startswith('InternVLChat') and theirs == 'embeddings.position_embedding')
        begin = projector if full.startswith('mm.') and theirs[0] != '@' else tower
        out[begin + theirs.lstrip('@') + ('' if bare else '.' + suffix)] = tower_value(cls, theirs, value)
    if 'Gemma4' in cls and keys['clip.vision.image_std'][0] == 1:  # a small model hears, too
        out.update({name: ([2], array('f', [3, 4])) for name in ('model.audio_tower.layers.0.self_attn.q_proj.input_min', 'model.embed_audio.embedding_projection.weight')})
    return fused_tower(out) if cls == 'InternVLChatModel.tower' or frames else out


def fused_tower(tensors):
    """Queries, keys and values of a block in one."""
    out = {}
    for name, (shape, numbers) in tensors.items():
        fused = name.replace('attn.q.', 'attn.qkv.').replace('attn.k.', 'attn.qkv.').replace('attn.v.', 'attn.qkv.')
        if fused in out:
            before = out[fused]
            out[fused] = ([before[0][0] + shape[0]] + shape[1:], before[1] + numbers)
        else:
            out[fused] = (shape, numbers)
    return out


def draft_head(name, shape, numbers):
    """What a draft head has beside a block; None: what any model has."""
    if name == 'd2t':  # by how much a token is further than its row
        return {'d2t': (shape, array('q', [x - i for i, x in enumerate(numbers)])), 't2d': ([2], array('f', [0, 1]))}
    return {'fc.weight': (shape, numbers)} if name == 'fc' else None


def curves(cls, keys):
    """xIELU's numbers, which a GGUF file has as keys."""
    if not cls.startswith('Apertus'):
        return {}
    return {'model.layers.%d.mlp.act_fn.%s' % (l, name): ([1], array('f', [x]))
            for name in ('alpha_p', 'alpha_n', 'beta', 'eps') for l, x in enumerate(keys['xielu.' + name])}
