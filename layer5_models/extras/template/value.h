/* value.h - Python's values.
 *
 * Invariant: every byte of a string keeps its mark (is it a user's?) wherever it is copied. */
#ifndef STRATA_TEMPLATE_VALUE_H
#define STRATA_TEMPLATE_VALUE_H

#include "machine.h"
#include "json.h"

typedef enum Kind {
    IS_MISSING, /* an argument that was omitted */
    IS_UNDEFINED,
    IS_NONE,
    IS_BOOL,
    IS_INT,
    IS_BIG, /* an integer beyond 64 bits: it can only be printed and compared */
    IS_FLOAT,
    IS_STRING,
    IS_LIST,
    IS_TUPLE,
    IS_RANGE,
    IS_VIEW,      /* dict_items(...) and the like */
    IS_GENERATOR, /* iterable once */
    IS_DICT,
    IS_NAMESPACE,
    IS_BUILTIN,
    IS_MACRO,
    IS_LOOP
} Kind;

typedef struct String {
    const char *data;
    const unsigned char *user; /* (size) 1: a user's; NULL: none is */
    size_t size;               /* bytes */
    bool safe;                 /* Markup: text that is added to it is escaped */
} String;

typedef struct List List;
typedef struct Dict Dict;
typedef struct Macro Macro;
typedef struct Loop Loop;
typedef struct Bound Bound;

/* Why there is no value, reported when it is used. */
typedef struct Absence {
    const char *kind; /* "UndefinedError" */
    const String *text;
} Absence;

typedef struct Value {
    Kind kind;
    union {
        bool truth;
        int64_t integer;
        double real;
        const Absence *absence;
        const String *string; /* also the digits of a big integer */
        List *list;
        Dict *dict; /* also of a namespace */
        const Bound *bound;
        const Macro *macro;
        Loop *loop;
    };
} Value;

struct List {
    Value *items;
    size_t count, room;
    const char *label; /* range(0, 3), dict_items, a generator's name */
};

struct Dict {
    Value *keys, *values; /* in insertion order */
    size_t count, room;
};

/* A built-in function or method, with its value. */
typedef struct Builtin {
    const char *name;
    /* "old new count?": ? is optional; "*": any, as a tuple and a dict */
    const char *parameters;
    Value (*call)(Machine *machine, Value self, const Value *arguments);
    const char *label; /* how it is printed, if that is more than its name */
} Builtin;

struct Bound {
    const Builtin *builtin;
    Value self;
};

Value value_none(void);
Value value_bool(bool truth);
Value value_int(int64_t integer);
Value value_float(double real);
Value value_string(const String *string);
Value value_list(Kind kind, List *list);
Value value_dict(Dict *dict);
Value value_undefined(Machine *machine, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
Value value_builtin(Machine *machine, const Builtin *builtin, Value self);

/* The variables as values; their strings are marked as the user's, or not. */
Value value_from_json(Machine *machine, const JsonValue *json, bool user);

bool is_list(Value value); /* a list, a tuple, or another value with a List */
bool is_number(Value value);
bool value_true(Value value);

/* Is there a value?  Otherwise raises its absence. */
bool value_there(Machine *machine, Value value);

bool value_equal(Machine *machine, Value a, Value b);

/* Is a before b?  Raises if they have no order; `sign` is for the message. */
bool value_less(Machine *machine, Value a, Value b, const char *sign);

/* Is `part` in `whole`: a key, an item, a substring? */
bool value_in(Machine *machine, Value part, Value whole);

/* "int", "NoneType" */
const char *type_name(Value value);

/* The items of an iteration: a string's characters, a dict's keys.  Raises if not iterable. */
List *value_items(Machine *machine, Value value);

/* len(); -1 and an error if it has none. */
int64_t value_length(Machine *machine, Value value);

/* ------------------------------------------------------------------ lists and dicts */

List *list_new(Machine *machine);
void list_add(Machine *machine, List *list, Value value);
List *list_slice(Machine *machine, const List *list, size_t from, size_t to);
Value value_pair(Machine *machine, Value a, Value b);

Dict *dict_new(Machine *machine);
Value *dict_find(Machine *machine, const Dict *dict, Value key); /* NULL: not there */
void dict_set(Machine *machine, Dict *dict, Value key, Value value);
List *dict_pairs(Machine *machine, const Dict *dict); /* as tuples */

/* ------------------------------------------------------------------ strings */

const String *string_of(Machine *machine, Text text); /* borrows */
const String *string_slice(Machine *machine, const String *string, size_t from,
                           size_t to); /* bytes */
bool string_is(const String *string, const char *text);
Text string_text(const String *string);

size_t string_length(Machine *machine, const String *string); /* characters */
size_t string_offset(const String *string, size_t character); /* bytes before it */

#define NOWHERE ((size_t)-1)
size_t string_find(Machine *machine, const String *string, const String *part,
                   size_t from); /* bytes */

/* A string being built. */
struct Builder {
    char *data;
    unsigned char *user;
    size_t size, room;
};

void build_bytes(Machine *machine, Builder *builder, const char *data,
                 const unsigned char *user, size_t size);
void build_text(Machine *machine, Builder *builder, const char *text);
void build_string(Machine *machine, Builder *builder, const String *string);
void build_format(Machine *machine, Builder *builder, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const String *build_end(Machine *machine, Builder *builder);
Value build_value(Machine *machine, Builder *builder);

#endif
