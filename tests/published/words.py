"""The files of a tokenizer."""
import base64
import os
import struct

from .files import write_json


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


# Tokens of several bytes, in place of some that no text of a test has.
LONG = {200: b'th', 201: b'the', 202: b' the', 203: b' the\xe4', 204: b'heth'}


def write_tiktoken(folder, keys):
    """Every byte, and longer tokens; special ones by their ids."""
    with open(os.path.join(folder, 'tiktoken.model'), 'wb') as file:
        for i in range(256):
            file.write(base64.b64encode(LONG.get(i, bytes([i]))) + b' %d\n' % i)
    added = {str(i): {'content': keys['tokenizer.ggml.tokens'][i], 'special': True} for i in (256, 257)}
    write_json(folder, 'tokenizer_config.json', {'added_tokens_decoder': added, 'bos_token': added['256']['content'], 'eos_token': added['257']['content']})


def write_world(folder):
    """Byte i is token i + 1, in the three ways in which Python writes texts; then two longer ones."""
    with open(os.path.join(folder, 'rwkv_vocab_v20230424.txt'), 'w', encoding='utf-8') as file:
        for i in range(255):
            text = repr(chr(i)) if i < 128 else repr(bytes([i]))
            file.write('%d %s 1\n' % (i + 1, text))
        file.write("256 \"it's\" 4\n257 '\u4f60\\n\\u200b' 7\n")
    write_json(folder, 'tokenizer_config.json', {'added_tokens_decoder': {'0': {'content': '<|end|>', 'special': True}}, 'eos_token': '<|end|>'})


def write_tokenizer(folder, keys, words):
    if words == 'tiktoken':
        return write_tiktoken(folder, keys)
    if words == 'world':
        return write_world(folder)
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
