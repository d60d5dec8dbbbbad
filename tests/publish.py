#!/usr/bin/env python3
"""publish.py - a GGUF file as its makers would have published it: config.json, tokenizer.json and safetensors, or what
torch.save writes.

    publish.py MODEL.gguf FOLDER CLASS [--type F32|F16|BF16] [--shards N] [--kind safetensors|torch] [--words json|pairs|ends|model|list]

The opposite of `strata convert`, written without looking at it, so that one can check the other: names and orders of
rows are those of the transformers library.  Models to test with only: numbers are F32 and the tokenizer is byte-level,
Unigram (as tokenizer.json or as SentencePiece's file) or WordPiece (as tokenizer.json or as vocab.txt).
"""
import base64
import json
import math
import os
import struct
import sys
import zipfile
from array import array

SCALARS = {0: 'B', 1: 'b', 2: 'H', 3: 'h', 4: 'I', 5: 'i', 6: 'f', 7: '?', 10: 'Q', 11: 'q', 12: 'd'}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, code):
        size = struct.calcsize('<' + code)
        value, = struct.unpack_from('<' + code, self.data, self.at)
        self.at += size
        return value

    def text(self):
        size = self.number('Q')
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            item, count = self.number('I'), self.number('Q')
            return [self.value(item) for _ in range(count)]
        return self.number(SCALARS[kind])


def read_gguf(path):
    """Keys, and tensors as {name: (shape, numbers)} with shapes (out, in)."""
    with open(path, 'rb') as file:
        reader = Reader(file.read())
    reader.at = 8
    n_tensors, n_keys = reader.number('Q'), reader.number('Q')
    keys, infos = {}, []
    for _ in range(n_keys):
        key = reader.text()
        keys[key] = reader.value(reader.number('I'))
    for _ in range(n_tensors):
        name = reader.text()
        dims = [reader.number('Q') for _ in range(reader.number('I'))]
        kind, offset = reader.number('I'), reader.number('Q')
        assert kind == 0, name + ' is not F32'
        infos.append((name, dims[::-1], offset))
    start = (reader.at + 31) // 32 * 32
    tensors = {}
    for name, shape, offset in infos:
        numbers = array('f')
        numbers.frombytes(reader.data[start + offset:start + offset + 4 * math.prod(shape)])
        tensors[name] = (shape, numbers)
    return keys, tensors


# ---------------------------------------------------------------------------- orders of rows

def rows_of(shape, numbers):
    width = shape[-1] if len(shape) > 1 else 1
    return [numbers[i:i + width] for i in range(0, len(numbers), width)]


def joined(rows):
    out = array('f')
    for row in rows:
        out.extend(row)
    return out


def half_split(shape, numbers, heads):
    """Pairs that turn together lie side by side in GGUF; there, a half head apart."""
    rows, d = rows_of(shape, numbers), shape[0] // heads
    out = []
    for h in range(heads):
        head = rows[h * d:(h + 1) * d]
        out += head[0::2] + head[1::2]
    return shape, joined(out)


def by_heads(shape, numbers, heads):
    """All q, all k, all v in GGUF; there q, k and v of each head."""
    rows, d = rows_of(shape, numbers), shape[0] // heads // 3
    out = []
    for h in range(heads):
        for part in range(3):
            first = (part * heads + h) * d
            out += rows[first:first + d]
    return shape, joined(out)


def transposed(shape, numbers):
    if len(shape) == 1:
        return shape, numbers
    rows = rows_of(shape, numbers)
    return shape[::-1], array('f', [x for column in zip(*rows) for x in column])


def single(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


def log_rate(a):
    """The f32 number l with -exp(l) = a, which the test has seen to."""
    bits, = struct.unpack('<i', struct.pack('<f', math.log(-a)))
    for step in sorted(range(-8, 9), key=abs):
        l, = struct.unpack('<f', struct.pack('<i', bits + step))
        if single(-math.exp(l)) == a:
            return l
    raise ValueError('no logarithm of %r' % -a)


# ---------------------------------------------------------------------------- names

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
    'Qwen2MoeForCausalLM': QWEN, 'Qwen3MoeForCausalLM': QWEN, 'Gemma2ForCausalLM': GEMMA, 'Gemma3ForCausalLM': GEMMA,
    'Olmo2ForCausalLM': GEMMA, 'Olmo3ForCausalLM': GEMMA,
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
ENDS = {'GPT2LMHeadModel': ('transformer.', 'h', 'wte', 'ln_f', 'lm_head'),
        'GPTNeoXForCausalLM': ('gpt_neox.', 'layers', 'embed_in', 'final_layer_norm', 'embed_out'),
        'Mamba2ForCausalLM': ('backbone.', 'layers', 'embeddings', 'norm_f', 'lm_head')}
BERT_ENDS = {'token_embd': 'embeddings.word_embeddings', 'position_embd': 'embeddings.position_embeddings',
             'token_types': 'embeddings.token_type_embeddings', 'token_embd_norm': 'embeddings.LayerNorm', 'cls': 'pooler.dense'}
TURNED = ('LlamaForCausalLM', 'MistralForCausalLM', 'MixtralForCausalLM', 'GraniteForCausalLM', 'GraniteMoeForCausalLM')


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
        return half_split(shape, numbers, heads if name == 'attn_q' else keys[a + '.attention.head_count_kv'])
    if cls == 'GPTNeoXForCausalLM' and name == 'attn_qkv':
        return by_heads(shape, numbers, heads)
    if cls == 'GPT2LMHeadModel' and name not in ('attn_norm', 'ffn_norm'):
        return transposed(shape, numbers)
    if cls.startswith('Gemma') and name.endswith('norm'):
        return shape, array('f', [x - 1 for x in numbers])
    if name == 'ssm_a':
        return [len(numbers)], array('f', map(log_rate, numbers))
    if name == 'ssm_d' or name == 'ssm_norm':
        return [len(numbers)], numbers
    if name == 'ssm_conv1d' and suffix == '.weight':
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


def publish_tensors(cls, keys, tensors):
    if 'Bert' in cls or 'Roberta' in cls:
        return publish_bert(cls, tensors)
    if 'T5' in cls:
        return publish_t5(tensors)
    prefix, layers, embedding, norm, head = ENDS.get(cls, ('model.', 'layers', 'embed_tokens', 'norm', 'lm_head'))
    names, out = NAMES.get(cls, COMMON), {}
    for full, (shape, numbers) in tensors.items():
        layer, name, suffix = split_name(full)
        if layer is None:
            theirs = {'token_embd': prefix + embedding, 'output_norm': prefix + norm, 'output': head,
                      'position_embd': prefix + 'wpe'}[name] + suffix
            if name == 'output_norm':
                shape, numbers = change(cls, 'norm', suffix, keys, shape, numbers) if cls.startswith('Gemma') else (shape, numbers)
            out[theirs] = (shape, numbers)
            continue
        here = '%s%s.%d.' % (prefix, layers, layer)
        if cls == 'GraniteMoeForCausalLM' and name.startswith(('ffn_gate_exps', 'ffn_up_', 'ffn_gate_sh')):
            if name.startswith('ffn_gate'):
                other = tensors[full.replace('gate', 'up')]
                pair = 'block_sparse_moe' if name.endswith('exps') else 'shared_mlp'
                width = shape[-1] * shape[-2]
                both = array('f')
                for at in range(0, len(numbers), width):
                    both.extend(numbers[at:at + width] + other[1][at:at + width])
                out[here + pair + '.input_linear' + suffix] = (shape[:-2] + [2 * shape[-2], shape[-1]], both)
            continue
        if name == 'ssm_dt':
            out[here + 'mixer.dt_bias'] = (shape, numbers)
            continue
        if name in ('ssm_a', 'ssm_d'):
            suffix = ''
        theirs = here + names[name] + suffix
        if '%d' in theirs:
            size = len(numbers) // shape[0]
            for e in range(shape[0]):
                out[theirs % e] = (shape[1:], numbers[e * size:(e + 1) * size])
        else:
            if name == 'ffn_gate_inp_shexp' and len(shape) == 1:
                shape = [1] + shape
            out[theirs] = change(cls, name, suffix, keys, shape, numbers)
    return out


# ---------------------------------------------------------------------------- files

def bf16(x):
    bits, = struct.unpack('<I', struct.pack('<f', x))
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def stored(numbers, kind):
    if kind == 'F16':
        return struct.pack('<%de' % len(numbers), *numbers)
    if kind == 'BF16':
        return struct.pack('<%dH' % len(numbers), *map(bf16, numbers))
    return numbers.tobytes()


def write_safetensors(path, tensors, kind):
    header, data = {'__metadata__': {'format': 'pt'}}, b''
    for name, (shape, numbers) in tensors.items():
        own = kind if len(shape) > 1 else 'F32'
        raw = stored(numbers, own)
        header[name] = {'dtype': own, 'shape': shape, 'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + data)


class Opcodes:
    """The opcodes of a state_dict as torch.save writes them: protocol 2, each value remembered."""

    def __init__(self):
        self.out, self.memo = bytearray(b'\x80\x02'), {}

    def remember(self):
        self.out += b'q' + bytes([len(self.memo)]) if len(self.memo) < 256 else b'r' + struct.pack('<I', len(self.memo))

    def once(self, key, code):
        if key in self.memo:
            at = self.memo[key]
            self.out += b'h' + bytes([at]) if at < 256 else b'j' + struct.pack('<I', at)
            return
        self.out += code
        self.remember()
        self.memo[key] = len(self.memo)

    def always(self, code):
        self.once(object(), code)

    def text(self, text):
        raw = text.encode()
        self.once(text, b'X' + struct.pack('<I', len(raw)) + raw)

    def name(self, module, name):
        self.once((module, name), ('c%s\n%s\n' % (module, name)).encode())

    def number(self, n):
        self.out += b'K' + bytes([n]) if n < 256 else b'M' + struct.pack('<H', n) if n < 65536 else b'J' + struct.pack('<i', n)

    def numbers(self, numbers):
        if not numbers or len(numbers) > 3:
            self.out += b'('
        for n in numbers:
            self.number(n)
        if not numbers:
            self.out[-1:] = b')'
        elif len(numbers) > 3:
            self.always(b't')
        else:
            self.always(bytes([0x84 + len(numbers)]))

    def ordered(self):
        self.name('collections', 'OrderedDict')
        self.always(b')R')

    def tensor(self, storage, key, count, shape):
        self.name('torch._utils', '_rebuild_tensor_v2')
        self.out += b'(('
        self.text('storage')
        self.name('torch', storage)
        self.text(key)
        self.text('cpu')
        self.number(count)
        self.always(b't')
        self.out += b'Q'
        self.number(0)
        self.numbers(shape)
        self.numbers([math.prod(shape[i + 1:]) for i in range(len(shape))])
        self.out += b'\x89'
        self.ordered()
        self.always(b't')
        self.always(b'R')


def write_torch(path, tensors, kind):
    storages = {'F32': 'FloatStorage', 'F16': 'HalfStorage', 'BF16': 'BFloat16Storage'}
    code = Opcodes()
    code.ordered()
    code.out += b'('
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED) as archive:
        for key, (name, (shape, numbers)) in enumerate(tensors.items()):
            own = kind if len(shape) > 1 else 'F32'
            archive.writestr('archive/data/%d' % key, stored(numbers, own))
            code.text(name)
            code.tensor(storages[own], str(key), len(numbers), shape)
        code.out += b'u}'
        code.remember()
        code.memo[0] = len(code.memo)
        code.text('_metadata')
        code.ordered()
        code.out += b'sb.'
        archive.writestr('archive/data.pkl', bytes(code.out))
        archive.writestr('archive/byteorder', 'little')
        archive.writestr('archive/version', '3\n')


def write_shards(folder, tensors, kind, count, torch):
    name, end, write = ('pytorch_model', 'bin', write_torch) if torch else ('model', 'safetensors', write_safetensors)
    if count == 1:
        return write(os.path.join(folder, '%s.%s' % (name, end)), tensors, kind)
    where = {}
    for i in range(count):
        part = {key: tensors[key] for n, key in enumerate(tensors) if n % count == i}
        file = '%s-%05d-of-%05d.%s' % (name, i + 1, count, end)
        write(os.path.join(folder, file), part, kind)
        where.update({key: file for key in part})
    write_json(folder, '%s.%s.index.json' % (name, end), {'metadata': {'total_size': 0}, 'weight_map': where})


def write_json(folder, name, value):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        json.dump(value, file, ensure_ascii=False)


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


def write_config(folder, cls, keys, tensors):
    a = keys['general.architecture'] + '.'
    config = {'architectures': [cls], 'torch_dtype': 'float32', 'transformers_version': '4.50.0', 'use_cache': True,
              'vocab_size': len(keys['tokenizer.ggml.tokens']), 'tie_word_embeddings': 'output.weight' not in tensors,
              'bos_token_id': keys.get('tokenizer.ggml.bos_token_id'), 'eos_token_id': keys.get('tokenizer.ggml.eos_token_id')}
    for ours, theirs in CONFIG.items():
        if a + ours in keys:
            config[theirs] = keys[a + ours]
    if a + 'expert_count' in keys:
        qwen = cls.startswith('Qwen')
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
    if cls in ('Gemma2ForCausalLM', 'Gemma3ForCausalLM'):
        config['query_pre_attn_scalar'] = keys[a + 'attention.key_length']
    if cls == 'MistralForCausalLM':
        config.setdefault('sliding_window', None)
    if cls == 'Qwen3MoeForCausalLM':
        config['norm_topk_prob'] = True
    if cls == 'Gemma2ForCausalLM':
        config.update(attn_logit_softcapping=50.0, final_logit_softcapping=30.0)
    if cls == 'Mamba2ForCausalLM':
        config.update(expand=2, head_dim=2 * config['hidden_size'] // config['num_heads'], layer_norm_epsilon=config.pop('rms_norm_eps'),
                      time_step_limit=[0.0, math.inf])
    if cls == 'GPT2LMHeadModel':
        config = {GPT2.get(key, key): value for key, value in config.items() if key not in ('head_dim', 'num_key_value_heads')}
    if cls == 'GPTNeoXForCausalLM':
        del config['num_key_value_heads'], config['head_dim']
    if 'Bert' in cls or 'Roberta' in cls:
        del config['num_key_value_heads'], config['head_dim']
        config.update(hidden_act='gelu', type_vocab_size=2, position_embedding_type='absolute', hidden_dropout_prob=0.1)
        if 'Roberta' in cls:
            config.update(pad_token_id=1, max_position_embeddings=config['max_position_embeddings'] + 2)
        write_vectors(folder, config, keys.get(a + 'pooling_type', 1), keys.get(a + 'classifier.output_labels'))
    if 'T5' in cls:
        config = t5_config(config, keys, tensors)
        if 'Encoder' in cls:
            write_vectors(folder, dict(config, hidden_size=config['d_model']), keys.get(a + 'pooling_type', 1), None)
    write_json(folder, 'config.json', config)


def write_vectors(folder, config, pooling, labels):
    """What the sentence-transformers library reads; a model that scores has labels in its place."""
    if labels:
        config['id2label'] = {str(i): label for i, label in enumerate(labels)}
        return
    names = ['pooling_mode_mean_tokens', 'pooling_mode_cls_token', 'pooling_mode_lasttoken', 'pooling_mode_max_tokens']
    os.makedirs(os.path.join(folder, '1_Pooling'), exist_ok=True)
    write_json(folder, '1_Pooling/config.json', dict({name: i + 1 == pooling for i, name in enumerate(names)},
                                                     word_embedding_dimension=config['hidden_size']))
    write_json(folder, 'modules.json', [{'idx': i, 'name': str(i), 'path': path, 'type': 'sentence_transformers.models.' + kind}
                                        for i, (path, kind) in enumerate([('', 'Transformer'), ('1_Pooling', 'Pooling'),
                                                                          ('2_Normalize', 'Normalize')])])


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def field(number, value):
    """Of a protocol buffer: whole numbers, f32 and bytes."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack('<f', value)
    return varint(number << 3) + varint(value)


def write_pieces(folder, keys):
    """SentencePiece's own file."""
    rows = zip(keys['tokenizer.ggml.tokens'], keys['tokenizer.ggml.scores'], keys['tokenizer.ggml.token_type'])
    out = b''.join(field(1, field(1, token.encode()) + field(2, score) + field(3, kind)) for token, score, kind in rows)
    out += field(2, field(3, 1 if keys['tokenizer.ggml.model'] == 't5' else 2))
    charsmap = bytes(keys.get('tokenizer.ggml.precompiled_charsmap', []))
    out += field(3, field(1, b'test') + field(2, charsmap) + field(3, int(keys['tokenizer.ggml.add_space_prefix']))
                 + field(4, int(keys['tokenizer.ggml.remove_extra_whitespaces'])))
    with open(os.path.join(folder, 'tokenizer.model'), 'wb') as file:
        file.write(out)


def unigram(keys, words):
    charsmap = bytes(keys.get('tokenizer.ggml.precompiled_charsmap', []))
    prefix, merge = keys['tokenizer.ggml.add_space_prefix'], keys['tokenizer.ggml.remove_extra_whitespaces']
    space = {'type': 'Metaspace', 'replacement': '\u2581', 'prepend_scheme': 'always' if prefix else 'never', 'split': True}
    pieces = {'type': 'Sequence', 'pretokenizers': [{'type': 'WhitespaceSplit'}, space]}
    mapped = {'type': 'Precompiled', 'precompiled_charsmap': base64.b64encode(charsmap).decode()}
    one = [{'SpecialToken': {'id': '<s>'}}, {'Sequence': {'id': 'A'}}, {'SpecialToken': {'id': '</s>'}}]
    two = one + [{'SpecialToken': {'id': '</s>'}}, {'Sequence': {'id': 'B'}}, {'SpecialToken': {'id': '</s>'}}]
    end = {'type': 'TemplateProcessing', 'single': one[1:], 'pair': one[1:] + two[-2:]}
    around = {'pairs': {'type': 'TemplateProcessing', 'single': one, 'pair': two}, 'ends': end}.get(words)
    return {'normalizer': mapped if charsmap else None, 'pre_tokenizer': pieces if merge else space, 'post_processor': around,
            'model': {'type': 'Unigram', 'unk_id': keys['tokenizer.ggml.unknown_token_id'], 'byte_fallback': False,
                      'vocab': [list(pair) for pair in zip(keys['tokenizer.ggml.tokens'], keys['tokenizer.ggml.scores'])]}}


def wordpiece(folder, keys, words):
    """BERT's own spelling: ## in front of what goes on with a word, nothing in front of what begins one."""
    lower, strip = (keys['tokenizer.ggml.normalizer.' + x] for x in ('lowercase', 'strip_accents'))
    names = [t if kind == 3 else t[1:] if t.startswith('\u2581') else '##' + t
             for t, kind in zip(keys['tokenizer.ggml.tokens'], keys['tokenizer.ggml.token_type'])]
    special = [{'id': i, 'content': names[i], 'special': True} for i, kind in enumerate(keys['tokenizer.ggml.token_type']) if kind == 3]
    around = [{'SpecialToken': {'id': '[CLS]'}}, {'Sequence': {'id': 'A'}}, {'SpecialToken': {'id': '[SEP]'}}]
    if words == 'list':
        with open(os.path.join(folder, 'vocab.txt'), 'w', encoding='utf-8') as file:
            file.write(''.join(name + '\n' for name in names))
        return write_json(folder, 'tokenizer_config.json', {'do_lower_case': lower, 'strip_accents': strip})
    write_json(folder, 'tokenizer_config.json', {'cls_token': '[CLS]', 'sep_token': {'content': '[SEP]'}, 'unk_token': '[UNK]'})
    write_json(folder, 'tokenizer.json', {
        'added_tokens': special, 'pre_tokenizer': {'type': 'BertPreTokenizer'},
        'normalizer': {'type': 'BertNormalizer', 'clean_text': True, 'handle_chinese_chars': True, 'strip_accents': strip, 'lowercase': lower},
        'post_processor': {'type': 'TemplateProcessing', 'single': around},
        'model': {'type': 'WordPiece', 'unk_token': '[UNK]', 'continuing_subword_prefix': '##', 'max_input_chars_per_word': 100,
                  'vocab': {name: i for i, name in enumerate(names)}}})


def write_tokenizer(folder, keys, words):
    if keys['tokenizer.ggml.model'] == 'bert':
        return wordpiece(folder, keys, words)
    tokens, types = keys['tokenizer.ggml.tokens'], keys['tokenizer.ggml.token_type']
    if words == 'model':
        write_pieces(folder, keys)
    added = [{'id': i, 'content': token, 'special': kind == 3, 'lstrip': False, 'rstrip': False, 'normalized': False, 'single_word': False}
             for i, (token, kind) in enumerate(zip(tokens, types)) if kind in (3, 4)]
    vocab = {token: i for i, (token, kind) in enumerate(zip(tokens, types)) if kind != 3}
    level = {'type': 'ByteLevel', 'add_prefix_space': True, 'trim_offsets': True, 'use_regex': True}
    whole = {'version': '1.0', 'truncation': None, 'padding': None, 'added_tokens': added}
    if words:
        rest = unigram(keys, words)
    else:
        rest = {
            'normalizer': None, 'pre_tokenizer': dict(level, add_prefix_space=False), 'post_processor': level, 'decoder': level,
            'model': {'type': 'BPE', 'dropout': None, 'unk_token': None, 'continuing_subword_prefix': None, 'end_of_word_suffix': None,
                      'fuse_unk': False, 'byte_fallback': False, 'vocab': vocab, 'merges': keys['tokenizer.ggml.merges']}}
    if words != 'model':
        write_json(folder, 'tokenizer.json', dict(whole, **rest))
    bos, eos = (tokens[keys['tokenizer.ggml.%s_token_id' % x]] for x in ('bos', 'eos'))
    write_json(folder, 'tokenizer_config.json', {
        'bos_token': bos, 'eos_token': {'content': eos}, 'sep_token': eos, 'add_bos_token': keys.get('tokenizer.ggml.add_bos_token', False),
        'chat_template': keys.get('tokenizer.chat_template')})


def main():
    options = dict(zip(sys.argv[4::2], sys.argv[5::2]))
    path, folder, cls = sys.argv[1:4]
    keys, tensors = read_gguf(path)
    os.makedirs(folder, exist_ok=True)
    write_config(folder, cls, keys, tensors)
    write_tokenizer(folder, keys, options.get('--words'))
    write_shards(folder, publish_tensors(cls, keys, tensors), options.get('--type', 'F32'), int(options.get('--shards', 1)),
                 options.get('--kind') == 'torch')


if __name__ == '__main__':
    main()
