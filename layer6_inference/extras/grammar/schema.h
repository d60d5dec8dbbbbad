/* schema.h - JSON Schema (draft 2020-12, and the older spellings), exactly or not at all.
 *
 * A schema is a condition on values.  The conditions that must hold at one location of a text
 * form a goal; every goal becomes a rule:
 *
 *     goal { {"$ref": "#/$defs/n", "maxLength": 5} }
 *       --> flattened   { n's own keywords, maxLength 5 }        $ref and allOf join the set
 *       --> choices     anyOf, oneOf, if, not: one goal per way, rule = way | way | ...
 *       --> a leaf      for each remaining type, its texts: strings and numbers are regular,
 *                       arrays and objects unfold on demand (schema_object.c, schema_array.c)
 *
 * Invariant: each keyword is handled exactly, is an annotation, or is refused by name and
 * location.  Known exceptions: properties come in declaration order (unless any_order), a
 * number with bounds has no exponent, an integer no point, ASCII in a given string is not
 * escaped needlessly, and an undeclared key may come twice. */
#ifndef STRATA_SCHEMA_H
#define STRATA_SCHEMA_H

#include "charset.h"
#include "grammar.h"
#include "tensor.h"
#include "json.h"

/* Types of values; numbers are split in two, so that "number but not integer" is a set too. */
enum {
    TYPE_BIT_NULL = 1,
    TYPE_BIT_BOOLEAN = 2,
    TYPE_BIT_OBJECT = 4,
    TYPE_BIT_ARRAY = 8,
    TYPE_BIT_STRING = 16,
    TYPE_BIT_INTEGER = 32,
    TYPE_BIT_FRACTION = 64,
    TYPE_BIT_NUMBER = TYPE_BIT_INTEGER | TYPE_BIT_FRACTION,
    TYPE_BIT_ALL = 127
};

typedef enum ConditionKind {
    HOLDS,       /* the schema holds */
    FAILS,       /* the schema fails */
    DIRECT,      /* its keywords that apply to the value directly; index: see WITHOUT_ */
    CHOICE,      /* keyword number `index`, which can hold in several ways */
    NOT_KEYWORD, /* keyword number `index` fails */
    TYPES,       /* the type is in the set `index` */
    REQUIRES,    /* objects have the key */
    FORBIDS,     /* objects do not have the key */
    PROPERTY,    /* objects: the key's value meets the schema (index 1) or fails it (0) */
    SOME_ITEM,  /* arrays: some item fails the schema; index: 2 * its first possible position */
    EVERY_ITEM, /* arrays: all items meet (1) or fail (0) it */
    ITEM_FAILS, /* arrays: item `index` exists and fails the schema */
    SOME_MEMBER /* objects: some member of a kind (index, key) breaks a keyword of the schema */
} ConditionKind;

typedef enum MemberKind {
    MEMBER_MORE,     /* an additional key whose value fails additionalProperties */
    MEMBER_NAMED,    /* a key that fails propertyNames */
    MEMBER_MATCHING, /* a key that matches the pattern `key`; its value fails that schema */
} MemberKind;

/* A DIRECT condition without its const or enum: what their values must still pass. */
enum { WITHOUT_CONST = 1, WITHOUT_ENUM = 2 };

typedef struct Condition {
    ConditionKind kind;
    uint32_t index;
    const JsonValue *schema;
    Text key;
} Condition;

/* A goal: conditions that must hold together. */
typedef struct Goal {
    Condition *of; /* owned */
    size_t count, room;
    bool impossible;
    uint32_t rule;
    uint32_t hash_next;
} Goal;

enum {
    SCHEMA_KEYS = 512,
    SCHEMA_GOALS = 20000,
    SCHEMA_PATTERNS = 24,
    SCHEMA_OTHERS = 256,
    SCHEMA_CLAIMS = 4,
    SCHEMA_SPELLED = 512,
    SCHEMA_DEPTH = 1000
};

#define RULE_NONE UINT32_MAX

/* A declared key of an object. */
typedef struct ObjectKey {
    Text name;
    Expr text; /* in quotes */
    /* of its value; [c]: when it also meets the claims c, or RULE_NONE */
    uint32_t rule[1 << SCHEMA_CLAIMS];
    bool required;
    size_t place; /* of its first declaration in the schema: the members' order */
} ObjectKey;

/* Undeclared keys: their language, and their values. */
typedef struct ObjectOthers {
    Expr text;
    uint32_t rule[1 << SCHEMA_CLAIMS];
} ObjectOthers;

typedef struct ObjectPlan {
    ObjectKey *keys;
    size_t n_keys;
    ObjectOthers *others;
    size_t n_others;
    unsigned n_claims; /* required members of which only the language of keys is known */
    uint32_t min, max; /* properties */
} ObjectPlan;

typedef struct ArrayPlan {
    uint32_t *prefix; /* rules of the first items */
    size_t n_prefix;
    uint32_t rest;     /* rule of the others */
    uint32_t min, max; /* items */
    bool unique;       /* items are distinct values out of `value` */
    Expr *value;       /* (n_values) texts; owned */
    size_t n_values;
    bool contains;
    /* rules of an item that is also the required `contains` item */
    uint32_t *prefix_hit, rest_hit;
} ArrayPlan;

/* The state of a partly read object or array. */
typedef struct PlanState {
    /* declared keys seen, in any order; values seen in a uniqueItems array */
    uint64_t seen[SCHEMA_KEYS / 64];
    uint32_t next;  /* the first declared key, or the item, that may come next */
    uint32_t count; /* members so far, capped where more do not matter */
    uint32_t any;   /* at least one */
    uint32_t hit;   /* arrays: the `contains` item was seen; objects: claims met */
} PlanState;

typedef struct Plan {
    bool is_array;
    ObjectPlan object;
    ArrayPlan array;
    PlanState *states; /* lazy expressions refer to them by number */
    uint32_t n_states;
    size_t states_room;
    uint32_t *buckets, n_buckets; /* hash of the states: number + 1, open addressing */
} Plan;

/* A given string and its spellings. */
typedef struct SpelledText {
    Text text;
    Expr expr;
} SpelledText;

typedef struct Schema Schema;
typedef struct SchemaBlock SchemaBlock;
typedef struct SchemaConst SchemaConst;
struct Schema {
    Schema *before;      /* read earlier into the same store */
    uint32_t first_plan; /* number of plans of all those: our plan 0 in lazy expressions */
    ExprStore *exprs;
    const JsonValue *root; /* as its draft reads it */
    int draft;             /* 3, 4, 6, 7, 2019, 2020; 0: not given */
    SchemaBlock *blocks;   /* owned: memory of `root`, if that is a copy, and of consts */
    SchemaConst *consts;   /* array and object constants, as schemas */
    GrammarOptions options;
    Goal *goals; /* owned */
    size_t goals_room, plans_room;
    uint32_t n_goals, compiled, *buckets, n_buckets;
    Plan *plans; /* owned; lazy expressions refer to them */
    uint32_t n_plans;
    SpelledText spelled[SCHEMA_SPELLED];
    unsigned depth;       /* of references and schemas being joined */
    Expr space, any_char; /* white space; one character of a string, every spelling */
    Fault *fault;
};

/* Read a schema into rules; *root is the rule of the whole text.  The schema keeps the plans:
 * it must outlive the store and must not move.  A store may hold several.
 *
 * Fails, naming the location, on what cannot be handled exactly. */
bool schema_read(Schema *schema, ExprStore *store, const JsonValue *root,
                 const GrammarOptions *options, uint32_t *rule, Fault *fault);
void schema_free(Schema *schema);

/* ------------------------------------------------------------------ inside */

/* The rule of a goal; copies the conditions. */
bool schema_goal(Schema *s, const Goal *goal, uint32_t *rule);

/* Replace an empty language by none; refuses if finding out takes too long. */
bool schema_settle(Schema *s, const Goal *flat, Expr *body);
void goal_add(Goal *goal, Condition condition);
void goal_free(Goal *goal);

/* schema_goal.c: join, then choose.  `leaf`: no choice is left. */
bool schema_flatten(Schema *s, const Goal *goal, Goal *flat);
bool schema_choose(Schema *s, const Goal *flat, Expr *body, bool *leaf);

Condition schema_holds(const JsonValue *schema, bool it_does);
Condition schema_of_types(uint32_t mask);
bool schema_is_keyword(const JsonValue *schema, uint32_t index, const char *name);

/* Add a condition to a goal; seen: whole schemas that were added already. */
bool schema_join(Schema *s, Condition c, Goal *flat, Goal *seen);
bool schema_join_all(Schema *s, const JsonValue *list, bool hold, Goal *flat, Goal *seen);
bool schema_join_ref(Schema *s, const JsonValue *at, const JsonValue *reference, bool hold,
                     Goal *flat, Goal *seen);

/* A choice being made: the goal without it, and the ways found so far. */
typedef struct Ways {
    Schema *s;
    const Goal *flat;
    size_t chosen;
    ExprList ways;
} Ways;

bool schema_add_way(Ways *w, const Condition *extra, size_t count);
bool schema_choose_if(Ways *w, const JsonValue *schema, bool hold);

/* schema_broken.c: a keyword fails: the value has a type it applies to, and breaks it. */
bool schema_join_broken(Schema *s, Condition c, Goal *flat, Goal *seen);
bool schema_choose_failing(Ways *w, const JsonValue *schema);
bool schema_choose_broken(Ways *w, Condition c);
bool schema_breaks_in_ways(Condition c); /* in several ways, or just one */

/* schema_clash.c: do the conditions of a goal certainly contradict each other? */
bool schema_clashes(const Goal *flat);

/* schema_dialect.c: find the draft and drop keywords unknown to it from s->root. */
void schema_take_dialect(Schema *s, const JsonValue *root);
void schema_drop_dialect(Schema *s);
void *schema_keep(Schema *s, size_t size); /* allocate until the schema is freed */

/* Does the schema's draft have the keyword?  Unknown ones are annotations in all. */
bool schema_speaks(const Schema *s, Text keyword);

/* schema_unevaluated.c: replace unevaluatedProperties and unevaluatedItems in a copy of a
 * schema, where they are certain.
 *
 *   keys, items   of the copy, to be changed; with room for as many as the schema has */
void schema_take_unevaluated(Schema *s, const JsonValue *schema, JsonValue *copy, Text *keys,
                             JsonValue *items);
bool schema_has_unevaluated(const JsonValue *value); /* anywhere below */

/* schema_const.c: a schema that only this value meets. */
const JsonValue *schema_of_value(Schema *s, const JsonValue *value);

/* Drafts up to 7 ignore keywords beside a $ref. */
static inline bool schema_ref_is_alone(const Schema *s) { return s->draft && s->draft <= 7; }

/* schema_keyword.c */
/* What a keyword means. */
typedef enum Speech {
    SAYS_NOTHING, /* an annotation */
    SAYS_DIRECT,
    SAYS_CHOICE,
    SAYS_JOIN, /* $ref, allOf */
    REFUSED
} Speech;

typedef struct SchemaKeyword {
    const char *name;
    Speech role;
    uint32_t types; /* direct keywords: the types they apply to */
    unsigned shape; /* allowed kinds of argument */
} SchemaKeyword;

SchemaKeyword schema_keyword(Text name); /* unknown keywords are annotations */
bool schema_is_direct(Text keyword);     /* independent of other keywords? */
bool schema_check_shape(Schema *s, const JsonValue *schema, uint32_t index); /* else refused */

/* schema_overlap.c: may two schemas of a oneOf hold together?  false: certainly not. */
bool schema_may_overlap(Schema *s, const JsonValue *a, const JsonValue *b);

/* schema_said.c: iterate over the keywords of a goal, including the one of a broken condition.
 * Start with both positions 0; false: end. */
typedef struct Said {
    const JsonValue *schema, *value; /* the schema, and the keyword's argument */
    Text name;
    bool fails;
} Said;

bool schema_next_said(const Goal *flat, size_t *condition, size_t *keyword, Said *said);
bool schema_said_is(const Said *said, const char *name);

/* schema_leaf.c */
bool schema_leaf(Schema *s, const Goal *flat, Expr *body);
bool schema_types(Schema *s, const Goal *flat, uint32_t *mask);
/* The first const or enum of a goal, and its condition: it limits the goal to a few values. */
bool schema_given(const Goal *flat, Said *given, size_t *at);

/* schema_number.c; mask: integers, fractions, or both */
bool schema_number(Schema *s, const Goal *flat, uint32_t mask, Expr *body);
/* schema_string.c */
bool schema_quoted(Schema *s, const Goal *flat, Expr *body);
bool schema_names(Schema *s, const Goal *flat, Expr *inside); /* keys, declared ones too */

/* schema_object.c, schema_member.c, schema_array.c */
bool schema_object(Schema *s, const Goal *flat, Expr *body);
bool schema_array(Schema *s, const Goal *flat, Expr *body);
Expr schema_unfold_object(Schema *s, uint32_t plan, const PlanState *state);
Expr schema_unfold_array(Schema *s, uint32_t plan, const PlanState *state);
Expr schema_state(Schema *s, uint32_t plan, const PlanState *state);

const JsonValue *schema_first_items(const JsonValue *schema); /* NULL: there is no such list */
void schema_item_goal(const Goal *flat, size_t place, Goal *goal);
Plan *schema_plan(Schema *s, uint32_t *number);

/* Is the rule productive, given the rules known to be?  NULL: all are known. */
bool schema_is_alive(const Schema *s, const bool *known, uint32_t rule);
bool schema_object_is_productive(const Schema *s, const ObjectPlan *plan, const bool *known);
bool schema_array_is_productive(const Schema *s, const ArrayPlan *plan, const bool *known);

/* schema_unique.c: uniqueItems, in an array that may have several items; fills plan->value. */
bool schema_unique(Schema *s, const Goal *flat, ArrayPlan *plan);

/* schema_value.c */
Expr schema_value(Schema *s, const JsonValue *value);        /* all texts of one value */
Expr schema_given_string(Schema *s, Text text, bool quotes); /* its usual spellings */
Expr schema_every_spelling(Schema *s, Text text);            /* of a string, without quotes */
typedef struct SchemaText {
    char *bytes; /* owned */
    size_t size, room;
} SchemaText;
void schema_write(SchemaText *out, const JsonValue *value); /* one text, without spaces */
uint32_t schema_type_of(const JsonValue *value);            /* TYPE_BIT_... */
/* Refuses duplicate keys and invalid UTF-8: their meaning is undefined. */
bool schema_check_text(Schema *s, const JsonValue *value);
uint32_t schema_named_types(const JsonValue *type); /* of the keyword `type` */
bool schema_equal(const JsonValue *a, const JsonValue *b);

/* schema_format.c: *known is false for formats outside the standard. */
bool schema_format(Schema *s, Text name, Expr *inside, bool *known);

/* schema_ref.c */
const JsonValue *schema_resolve(Schema *s, Text reference);
bool schema_refuse(Schema *s, const JsonValue *at, const char *keyword, const char *why);

/* The value of a keyword that is a count. */
bool schema_count(Schema *s, const JsonValue *schema, const char *keyword, uint32_t *count,
                  bool *given);

/* A pattern as the inside of a JSON string. */
bool schema_pattern(Schema *s, const JsonValue *at, Text pattern, Expr *inside);

/* Does the rule accept this value in its usual spelling?  First makes rules of pending
 * goals. */
bool schema_takes(Schema *s, uint32_t rule, const JsonValue *value, bool *takes);

#endif
