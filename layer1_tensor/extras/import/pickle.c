/* pickle.c - see pickle.h. */
#include "pickle.h"
#include "gguf/gguf_bytes.h"
#include "grow.h"

#include "size.h"

#include <stdlib.h>
#include <string.h>

typedef struct Machine {
    const unsigned char *begin, *at, *end;
    Region *region;
    PickleValue **stack; /* (used of room) owns */
    size_t used, room;
    PickleValue **memo; /* (kept of memo_room) owns */
    size_t kept, memo_room;
    bool over;
    Fault *fault;
} Machine;

/* What a model's file may name; never called.  pytorch.c knows what each stands for. */
static const char *const known_names[] = {
    "collections OrderedDict",
    "torch._utils _rebuild_tensor_v2",
    "torch._utils _rebuild_parameter",
    "torch FloatStorage",
    "torch HalfStorage",
    "torch BFloat16Storage",
    "torch DoubleStorage",
    "torch LongStorage",
    "torch IntStorage",
    "torch ShortStorage",
    "torch CharStorage",
    "torch ByteStorage",
    "torch BoolStorage",
};

static bool pickle_damaged(Machine *m, const char *what) {
    return fault_set(m->fault, "the pickle, byte %zu: %s: the file is damaged or no model's",
                     (size_t)(m->at - m->begin), what);
}

static bool pickle_no_memory(Machine *m) {
    return fault_set(m->fault, "no memory for the values of a pickle");
}

/* ------------------------------------------------------------------ stack and memo */

static bool pickle_push(Machine *m, PickleValue value) {
    PickleValue *copy = region_alloc(m->region, sizeof *copy);
    if (!copy || !GROW(m->stack, m->room, m->used + 1)) return pickle_no_memory(m);
    *copy = value;
    m->stack[m->used++] = copy;
    return true;
}

static bool push_kind(Machine *m, PickleKind kind) {
    return pickle_push(m, (PickleValue){.kind = kind});
}

static bool push_int(Machine *m, int64_t number) {
    return pickle_push(m, (PickleValue){.kind = PICKLE_INT, .number = number});
}

static bool push_bool(Machine *m, bool truth) {
    return pickle_push(m, (PickleValue){.kind = PICKLE_BOOL, .number = truth});
}

/* The top of the stack; NULL, with a fault: nothing above the last mark. */
static PickleValue *pickle_pop(Machine *m) {
    if (m->used == 0 || m->stack[m->used - 1]->kind == PICKLE_MARK)
        return pickle_damaged(m, "the stack is empty"), NULL;
    return m->stack[--m->used];
}

static PickleValue *top(Machine *m, PickleKind kind) {
    if (m->used == 0 || m->stack[m->used - 1]->kind != kind)
        return pickle_damaged(m, "a value of the wrong type on the stack"), NULL;
    return m->stack[m->used - 1];
}

/* Count the values above the last mark. */
static bool above_mark(Machine *m, size_t *count) {
    size_t i = m->used;
    while (i > 0 && m->stack[i - 1]->kind != PICKLE_MARK) i--;
    *count = m->used - i;
    return i > 0 || pickle_damaged(m, "there is no mark on the stack");
}

/* Memo slots are filled in order, so the memo is bounded by the size of the pickle. */
static bool pickle_remember(Machine *m, uint64_t index) {
    if (m->used == 0 || m->stack[m->used - 1]->kind == PICKLE_MARK)
        return pickle_damaged(m, "nothing to memoize");
    if (index > m->kept) return pickle_damaged(m, "a memo slot was skipped");
    if (!GROW(m->memo, m->memo_room, index + 1)) return pickle_no_memory(m);
    if (index == m->kept) m->kept++;
    m->memo[index] = m->stack[m->used - 1];
    return true;
}

static bool recall(Machine *m, uint64_t index) {
    if (index >= m->kept) return pickle_damaged(m, "memo slot is empty");
    if (!GROW(m->stack, m->room, m->used + 1)) return pickle_no_memory(m);
    m->stack[m->used++] = m->memo[index];
    return true;
}

/* ------------------------------------------------------------------ what follows an opcode */

static bool pickle_take_number(Machine *m, size_t size, uint64_t *value) {
    *value = 0;
    if ((size_t)(m->end - m->at) < size) return pickle_damaged(m, "it ends in the middle");
    *value = gguf_load(m->at, (int)size);
    m->at += size;
    return true;
}

static bool pickle_take_text(Machine *m, size_t width, Text *text) {
    uint64_t size;
    *text = (Text){"", 0};
    if (!pickle_take_number(m, width, &size)) return false;
    if (size > (uint64_t)(m->end - m->at))
        return pickle_damaged(m, "a text is longer than the file");
    *text = (Text){(const char *)m->at, (size_t)size};
    m->at += size;
    return true;
}

static bool take_line(Machine *m, Text *text) {
    *text = (Text){"", 0};
    const unsigned char *end = memchr(m->at, '\n', (size_t)(m->end - m->at));
    if (!end) return pickle_damaged(m, "a name does not end");
    *text = (Text){(const char *)m->at, (size_t)(end - m->at)};
    m->at = end + 1;
    return true;
}

/* ------------------------------------------------------------------ values */

static bool push_text(Machine *m, size_t width) {
    Text text;
    return pickle_take_text(m, width, &text) &&
           pickle_push(m, (PickleValue){.kind = PICKLE_TEXT, .text = text});
}

static bool push_name(Machine *m, Text module, Text name) {
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++) {
        Text known = text_of(known_names[i]), first = text_cut(&known, ' ');
        if (text_equal(first, module) && text_equal(known, name))
            return pickle_push(
                m, (PickleValue){.kind = PICKLE_NAME, .text = text_of(known_names[i])});
    }
    return fault_set(m->fault,
                     "the pickle names %.*s.%.*s, which is not on the list of what a model's "
                     "file may name: nothing of it was run",
                     (int)min_size(60, module.size), module.data, (int)min_size(60, name.size),
                     name.data);
}

static bool push_lines(Machine *m) {
    Text module, name;
    return take_line(m, &module) && take_line(m, &name) && push_name(m, module, name);
}

static bool push_from_stack(Machine *m) {
    const PickleValue *name = pickle_pop(m), *module = name ? pickle_pop(m) : NULL;
    if (!module) return false;
    if (name->kind != PICKLE_TEXT || module->kind != PICKLE_TEXT)
        return pickle_damaged(m, "a name is no text");
    return push_name(m, module->text, name->text);
}

/* An integer of any size in bytes, up to eight. */
static bool push_long(Machine *m) {
    Text bytes;
    uint64_t value = 0;
    if (!pickle_take_text(m, 1, &bytes)) return false;
    if (bytes.size > 8) return pickle_damaged(m, "a number of more than 64 bits");
    bool negative = bytes.size && (unsigned char)bytes.data[bytes.size - 1] >> 7;
    for (size_t i = 0; i < 8; i++)
        value |= (uint64_t)(i < bytes.size ? (unsigned char)bytes.data[i]
                            : negative     ? 255
                                           : 0)
                 << (8 * i);
    return push_int(m, (int64_t)value);
}

static bool push_number(Machine *m, size_t size) {
    uint64_t value;
    return pickle_take_number(m, size, &value) &&
           push_int(m, size == 4 ? (int32_t)(uint32_t)value : (int64_t)value);
}

/* Skipped: no caller needs its value. */
static bool push_float(Machine *m) {
    uint64_t bits;
    return pickle_take_number(m, 8, &bits) && push_kind(m, PICKLE_FLOAT);
}

/* ------------------------------------------------------------------ values of values */

/* Replace the last `count` values by one that has them as items. */
static bool pickle_gather(Machine *m, PickleKind kind, size_t count, bool marked) {
    if (m->used < count) return pickle_damaged(m, "the stack is empty");
    const PickleValue **items = count ? region_alloc(m->region, count * sizeof *items) : NULL;
    if (count && !items) return pickle_no_memory(m);
    for (size_t i = 0; i < count; i++) {
        items[i] = m->stack[m->used - count + i];
        if (items[i]->kind == PICKLE_MARK) return pickle_damaged(m, "the stack is empty");
    }
    m->used -= count + marked;
    return pickle_push(
        m, (PickleValue){.kind = kind, .count = count, .room = count, .items = items});
}

static bool gather_marked(Machine *m, PickleKind kind) {
    size_t count;
    if (!above_mark(m, &count)) return false;
    if (kind == PICKLE_DICT && count % 2) return pickle_damaged(m, "a key without a value");
    return pickle_gather(m, kind, count, true);
}

/* Append the last `count` values to the list or dictionary below the mark. */
static bool put_into(Machine *m, PickleKind kind, size_t count, bool marked) {
    if (m->used < count + marked + 1) return pickle_damaged(m, "the stack is empty");
    PickleValue **from = m->stack + m->used - count,
                *into = m->stack[m->used - count - marked - 1];
    if (into->kind != kind || (kind == PICKLE_DICT && count % 2))
        return pickle_damaged(m, "a value of the wrong type on the stack");
    if (into->count + count > into->room) {
        size_t room = 2 * (into->count + count);
        const PickleValue **grown = region_alloc(m->region, room * sizeof *grown);
        if (!grown) return pickle_no_memory(m);
        if (into->count) memcpy(grown, into->items, into->count * sizeof *grown);
        into->items = grown, into->room = room;
    }
    for (size_t i = 0; i < count; i++) {
        if (from[i]->kind == PICKLE_MARK) return pickle_damaged(m, "the stack is empty");
        into->items[into->count++] = from[i];
    }
    m->used -= count + marked;
    return true;
}

static bool put_marked(Machine *m, PickleKind kind) {
    size_t count;
    return above_mark(m, &count) && put_into(m, kind, count, true);
}

/* A persistent id is a tuple, here always that of a storage. */
static bool make_storage(Machine *m) {
    const PickleValue *id = pickle_pop(m);
    if (!id) return false;
    if (id->kind != PICKLE_TUPLE) return pickle_damaged(m, "a storage is named by no tuple");
    PickleValue storage = *id;
    storage.kind = PICKLE_STORAGE;
    return pickle_push(m, storage);
}

/* A call becomes a value: function and arguments. */
static bool make_call(Machine *m) {
    const PickleValue *with = pickle_pop(m), *name = with ? pickle_pop(m) : NULL;
    if (!name) return false;
    if (with->kind != PICKLE_TUPLE || name->kind != PICKLE_NAME)
        return pickle_damaged(m, "a call of what is no function");
    if (text_equal(name->text, text_of("collections OrderedDict")))
        return with->count == 0 ? push_kind(m, PICKLE_DICT)
                                : pickle_damaged(m, "a dictionary is made of something");
    PickleValue call = *with;
    call.kind = PICKLE_CALL, call.text = name->text;
    return pickle_push(m, call);
}

/* Drop the attributes of a dictionary (_metadata: versions of layers). */
static bool drop_attributes(Machine *m) {
    const PickleValue *state = pickle_pop(m);
    if (!state) return false;
    if (state->kind != PICKLE_DICT)
        return pickle_damaged(m, "attributes that are not a dictionary");
    return top(m, PICKLE_DICT) != NULL;
}

/* ------------------------------------------------------------------ the machine */

static bool pickle_skip(Machine *m, size_t size) {
    uint64_t ignored;
    return pickle_take_number(m, size, &ignored);
}

static bool remember_number(Machine *m, size_t size) {
    uint64_t index;
    return pickle_take_number(m, size, &index) && pickle_remember(m, index);
}

static bool recall_number(Machine *m, size_t size) {
    uint64_t index;
    return pickle_take_number(m, size, &index) && recall(m, index);
}

static bool refuse_opcode(Machine *m, unsigned char opcode) {
    return fault_set(m->fault,
                     "the pickle, byte %zu: opcode 0x%02x is not on the list of what a model's "
                     "file needs: nothing of it was run",
                     (size_t)(m->at - m->begin) - 1, opcode);
}

static bool pickle_step(Machine *m, unsigned char opcode) {
    switch (opcode) {
    case 0x80: return pickle_skip(m, 1);        /* PROTO */
    case 0x95: return pickle_skip(m, 8);        /* FRAME */
    case '.': return m->over = true;            /* STOP */
    case 'N': return push_kind(m, PICKLE_NONE); /* NONE */
    case 0x88: return push_bool(m, true);       /* NEWTRUE */
    case 0x89: return push_bool(m, false);      /* NEWFALSE */
    case 'K': return push_number(m, 1);         /* BININT1 */
    case 'M': return push_number(m, 2);         /* BININT2 */
    case 'J': return push_number(m, 4);         /* BININT */
    case 0x8a: return push_long(m);             /* LONG1 */
    case 'G': return push_float(m);             /* BINFLOAT */
    case 'U':
    case 0x8c: return push_text(m, 1); /* SHORT_BINSTRING, SHORT_BINUNICODE */
    case 'T':
    case 'X': return push_text(m, 4);                          /* BINSTRING, BINUNICODE */
    case 'c': return push_lines(m);                            /* GLOBAL */
    case 0x93: return push_from_stack(m);                      /* STACK_GLOBAL */
    case '(': return push_kind(m, PICKLE_MARK);                /* MARK */
    case ')': return pickle_gather(m, PICKLE_TUPLE, 0, false); /* EMPTY_TUPLE */
    case 0x85:
    case 0x86:
    case 0x87: /* TUPLE1, 2, 3 */
        return pickle_gather(m, PICKLE_TUPLE, (size_t)opcode - 0x84, false);
    case 't': return gather_marked(m, PICKLE_TUPLE);          /* TUPLE */
    case ']': return pickle_gather(m, PICKLE_LIST, 0, false); /* EMPTY_LIST */
    case 'l': return gather_marked(m, PICKLE_LIST);           /* LIST */
    case 'a': return put_into(m, PICKLE_LIST, 1, false);      /* APPEND */
    case 'e': return put_marked(m, PICKLE_LIST);              /* APPENDS */
    case '}': return pickle_gather(m, PICKLE_DICT, 0, false); /* EMPTY_DICT */
    case 'd': return gather_marked(m, PICKLE_DICT);           /* DICT */
    case 's': return put_into(m, PICKLE_DICT, 2, false);      /* SETITEM */
    case 'u': return put_marked(m, PICKLE_DICT);              /* SETITEMS */
    case 'q': return remember_number(m, 1);                   /* BINPUT */
    case 'r': return remember_number(m, 4);                   /* LONG_BINPUT */
    case 0x94: return pickle_remember(m, m->kept);            /* MEMOIZE */
    case 'h': return recall_number(m, 1);                     /* BINGET */
    case 'j': return recall_number(m, 4);                     /* LONG_BINGET */
    case 'Q': return make_storage(m);                         /* BINPERSID */
    case 'R': return make_call(m);                            /* REDUCE */
    case 'b': return drop_attributes(m);                      /* BUILD */
    default: return refuse_opcode(m, opcode);
    }
}

const PickleValue *pickle_read(Text bytes, Region *region, Fault *fault) {
    const unsigned char *begin = (const unsigned char *)bytes.data;
    Machine m = {.begin = begin,
                 .at = begin,
                 .end = begin + bytes.size,
                 .region = region,
                 .fault = fault};
    bool ok = true;
    while (ok && !m.over)
        ok = m.at < m.end ? pickle_step(&m, *m.at++) : pickle_damaged(&m, "it does not end");
    if (ok && m.used != 1) ok = pickle_damaged(&m, "it leaves other than one value");
    const PickleValue *value = ok ? m.stack[0] : NULL;
    if (value && value->kind == PICKLE_MARK)
        value = NULL, pickle_damaged(&m, "it leaves no value");
    free(m.stack), free(m.memo);
    return value;
}
