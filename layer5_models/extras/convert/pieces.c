/* pieces.c - tokenizer.model, SentencePiece's own file: a protocol buffer.  See parts.h.
 *
 *     field:   tag varint (number << 3 | kind) | value
 *              kind 0: varint, 1: 8 bytes, 2: size varint and bytes, 5: 4 bytes
 *     1        a piece: {1: text, 2: score (f32), 3: type}
 *     2        training: {3: 1 for unigram, 2 for BPE}
 *     3        normalization: {1: name, 2: map of characters, 3: a space in front,
 *              4: merge runs of spaces}
 *
 * Source   sentencepiece_model.proto (github.com/google/sentencepiece);
 *          protobuf.dev/programming-guides/encoding. */
#include "parts.h"

#include <string.h>

typedef struct Fields {
    const unsigned char *at, *end;
    bool ok;
} Fields;

typedef struct Field {
    uint64_t number;
    uint64_t value; /* of kind 0; the bits of kinds 1 and 5 */
    Text bytes;     /* of kind 2 */
} Field;

static uint64_t take_varint(Fields *f) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && f->at < f->end; shift += 7) {
        unsigned char byte = *f->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    f->ok = false;
    return 0;
}

static uint64_t take_fixed(Fields *f, size_t size) {
    uint64_t value = 0;
    if ((size_t)(f->end - f->at) < size) return f->ok = false, 0;
    for (size_t i = 0; i < size; i++) value |= (uint64_t)*f->at++ << (8 * i);
    return value;
}

/* The next field; false at the end, or if it is invalid (then ok is false). */
static bool next_field(Fields *f, Field *field) {
    if (!f->ok || f->at == f->end) return false;
    uint64_t tag = take_varint(f);
    *field = (Field){.number = tag >> 3};
    switch (tag & 7) {
    case 0: field->value = take_varint(f); break;
    case 1: field->value = take_fixed(f, 8); break;
    case 2:
        field->value = take_varint(f);
        if (f->ok && field->value <= (uint64_t)(f->end - f->at))
            field->bytes = (Text){(const char *)f->at, (size_t)field->value},
            f->at += field->value;
        else
            f->ok = false;
        break;
    case 5: field->value = take_fixed(f, 4); break;
    default: f->ok = false;
    }
    return f->ok;
}

static Fields fields_of(Text bytes) {
    const unsigned char *at = (const unsigned char *)bytes.data;
    return (Fields){at, at + bytes.size, true};
}

static bool convert_pieces_damaged(Conversion *c) {
    return REFUSE(c, "the file is damaged: no field of a protocol buffer where one should be");
}

static bool take_piece(Conversion *c, Vocab *v, size_t id, Text bytes) {
    Fields f = fields_of(bytes);
    Text text = {"", 0};
    float score = 0;
    int64_t type = TOKEN_NORMAL;
    for (Field field; next_field(&f, &field);) {
        uint32_t bits = (uint32_t)field.value;
        if (field.number == 1) text = field.bytes;
        if (field.number == 2) memcpy(&score, &bits, sizeof score);
        if (field.number == 3) type = (int64_t)field.value;
    }
    if (!f.ok || !text.data) return convert_pieces_damaged(c);
    if (type < TOKEN_NORMAL || type > TOKEN_BYTE || !(score > -1e30f && score < 1e30f))
        return REFUSE(c, "piece %zu is of no known type, or has an impossible score", id);
    char *copy = region_alloc(
        &v->region, text.size + 1); /* the file is closed before the tokens are written */
    if (!copy) return REFUSE(c, "no memory for %zu pieces", id);
    memcpy(copy, text.data, text.size);
    return vocab_set(v, id, (Text){copy, text.size}, (int)type, (double)score, false, c->fault);
}

/* Settings besides the pieces. */
typedef struct Spec {
    uint64_t kind; /* 1 Unigram, 2 BPE */
    bool prefix, merge;
    Text map; /* of characters; size 0: none */
} Spec;

static bool read_training(Conversion *c, Spec *spec, Text bytes) {
    Fields f = fields_of(bytes);
    for (Field field; next_field(&f, &field);)
        if (field.number == 3) spec->kind = field.value;
    return f.ok || convert_pieces_damaged(c);
}

static bool convert_pieces_read_normalizer(Conversion *c, Spec *spec, Text bytes) {
    Fields f = fields_of(bytes);
    for (Field field; next_field(&f, &field);) {
        if (field.number == 2) spec->map = field.bytes;
        if (field.number == 3) spec->prefix = field.value != 0;
        if (field.number == 4) spec->merge = field.value != 0;
    }
    return f.ok || convert_pieces_damaged(c);
}

/* Byte fallback is supported only for BPE here. */
static bool put_unigram_spec(Conversion *c, Vocab *v, const Spec *spec) {
    for (size_t i = 0; i < v->count; i++) {
        if (v->tokens[i].data && v->types[i] == TOKEN_BYTE)
            return REFUSE(c, "Unigram with pieces of bytes, which GGUF files cannot say");
        if (v->types[i] == TOKEN_UNKNOWN) v->unknown = (int64_t)i;
    }
    return v->unknown >= 0 ? put_unigram(c, spec->map, spec->prefix, spec->merge)
                           : REFUSE(c, "Unigram without a piece for what is unknown");
}

static bool put_spec(Conversion *c, Vocab *v, const Spec *spec) {
    if (spec->kind == 1) return put_unigram_spec(c, v, spec);
    if (spec->kind != 2)
        return REFUSE(c, "the pieces are of another kind than BPE and Unigram, which models of "
                         "this family have");
    if (spec->map.size || spec->merge)
        return REFUSE(
            c,
            "text is made plain before it is cut, which GGUF files of kind llama cannot say");
    gguf_put_int(c->writer, "tokenizer.ggml.add_space_prefix", GGUF_BOOL, spec->prefix);
    gguf_put_string(c->writer, "tokenizer.ggml.model", text_of("llama"));
    return true;
}

bool read_tokenizer_model(Conversion *c, Vocab *v, const FileMap *file) {
    Fields f = fields_of((Text){(const char *)file->data, file->size});
    Spec spec = {.kind = 1, .prefix = true, .merge = true};
    size_t id = 0;
    for (Field field; next_field(&f, &field);) {
        if (field.number <= 3 && !field.bytes.data) return convert_pieces_damaged(c);
        if (field.number == 1 && !take_piece(c, v, id++, field.bytes)) return false;
        if (field.number == 2 && !read_training(c, &spec, field.bytes)) return false;
        if (field.number == 3 && !convert_pieces_read_normalizer(c, &spec, field.bytes))
            return false;
    }
    if (!f.ok || id == 0) return convert_pieces_damaged(c);
    v->has_scores = true;
    return put_spec(c, v, &spec);
}
