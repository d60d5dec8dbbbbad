#!/usr/bin/env python3
"""publish.py - a GGUF file as its makers would have published it: config.json, tokenizer.json and safetensors, or what
torch.save writes.

    publish.py MODEL.gguf FOLDER CLASS [--type F32|F16|BF16|F8] [--shards N] [--kind safetensors|torch] [--words json|pairs|ends|model|list|tiktoken|world]
               [--experts mxfp4]

The opposite of `strata convert`, written without looking at it, so that one can check the other: names and orders of
rows are those of the transformers library.  Models to test with only: numbers are F32 and the tokenizer is byte-level,
Unigram (as tokenizer.json or as SentencePiece's file) or WordPiece (as tokenizer.json or as vocab.txt).
"""
import os
import sys

from published.gguf import read_gguf
from published.files import write_shards
from published.tensors import publish_tensors
from published.config import write_config
from published.more_config import tower_config
from published.words import write_tokenizer


def main():
    options = dict(zip(sys.argv[4::2], sys.argv[5::2]))
    path, folder, cls = sys.argv[1:4]
    keys, tensors = read_gguf(path)
    os.makedirs(folder, exist_ok=True)
    if cls.endswith('.tower'):
        tower_config(folder, cls, keys)
        return write_shards(folder, publish_tensors(cls, keys, tensors), 'F32', 1, False)
    write_config(folder, cls, keys, tensors, ['U8' if options.get('--experts') else options.get('--type')])
    write_tokenizer(folder, keys, options.get('--words'))
    write_shards(folder, publish_tensors(cls, keys, tensors, options.get('--experts') == 'mxfp4'), options.get('--type', 'F32'), int(options.get('--shards', 1)),
                 options.get('--kind') == 'torch')


if __name__ == '__main__':
    main()
