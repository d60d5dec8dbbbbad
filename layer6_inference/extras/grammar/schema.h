/* schema.h - JSON Schema (draft 2020-12, and what older drafts wrote otherwise), honestly.
 *
 * A schema is a condition on values.  What must hold at one place of a text is a set of
 * conditions, a goal; every goal becomes a rule:
 *
 *     goal { {"$ref": "#/$defs/n", "maxLength": 5} }
 *       --> flattened   { n's own keywords, maxLength 5 }        $ref and allOf join the set
 *       --> choices     anyOf, oneOf, if, not: one goal for each way, rule = way | way | ...
 *       --> a leaf      for each type that is left, its texts: strings and numbers are regular,
 *                       arrays and objects unfold on demand (schema_object.c, schema_array.c)
 *
 * Invariant: each keyword is handled exactly, is an annotation, or is refused by name and
 * place.  Known exceptions: properties come in the order in which they are declared (unless
 * any_order), a number that has bounds has no exponent, an integer no point, ASCII in a
 * given string is not escaped without need, and a key that is not declared may come twice. */
#ifndef STRATA_SCHEMA_H
#define STRATA_SCHEMA_H

#include "charset.h"
#include "grammar.h"
#include "tensor.h"
#include "json.h"

/* Types of values; numbers in two halves, so that "number but not integer" is a set, too. */
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
    HOLDS, /* the whole schema */
    FAILS, /* not the whole schema */
    DIRECT, /* those of its keywords that need no other schema at the same place; index: see WITHOUT_ */
    CHOICE,      /* one of its keywords, by its index, that has several ways to hold */
    NOT_KEYWORD, /* one of its keywords, by its index, does not hold */
    TYPES,       /* the type is one of `index` */
    REQUIRES,    /* objects have the key */
    FORBIDS,     /* objects do not have the key */
    PROPERTY,    /* objects: the key's value holds the schema (index 1), or fails it (0) */
    SOME_ITEM, /* arrays: at least one item fails the schema; index: 2 * the first place it may have */
    EVERY_ITEM, /* arrays: all items hold (1) or fail (0) it */
    ITEM_FAILS, /* arrays: there is an item at the place `index`, and it fails the schema */
    SOME_MEMBER /* objects: at least one member of a kind (index, key) breaks a keyword of the schema */
} ConditionKind;

/* The members of SOME_MEMBER. */
typedef enum MemberKind {
    MEMBER_MORE,  /* its key is an additional one, its value fails additionalProperties */
    MEMBER_NAMED, /* its key fails propertyNames */
    MEMBER_MATCHING, /* its key matches the pattern `key`, its value fails what patternProperties says of that */
} MemberKind;

/* A direct condition without its const, or its enum: the rest of it, for their values to
 * pass. */
enum { WITHOUT_CONST = 1, WITHOUT_ENUM = 2 };

typedef struct Condition {
    ConditionKind kind;
    uint32_t index;
    const JsonValue *schema;
    Text key;
} Condition;

/* A goal: conditions that must hold together. */
typedef struct Goal {
    Condition *of; /* owns */
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
    SCHEMA_SPELLED = 512
};

#define RULE_NONE UINT32_MAX

/* A declared key of an object. */
typedef struct ObjectKey {
    Text name;
    Expr text; /* with its quotes */
    uint32_t rule
        [1
         << SCHEMA_CLAIMS]; /* of its value; [c]: when it fulfils the claims c, or RULE_NONE */
    bool required;
} ObjectKey;

/* Other keys: a language of them, and their values. */
typedef struct ObjectOthers {
    Expr text;
    uint32_t rule[1 << SCHEMA_CLAIMS];
} ObjectOthers;

typedef struct ObjectPlan {
    ObjectKey *keys;
    size_t n_keys;
    ObjectOthers *others;
    size_t n_others;
    unsigned n_claims; /* members that must be there, of whose keys only a language is known */
    uint32_t min, max; /* properties */
} ObjectPlan;

typedef struct ArrayPlan {
    uint32_t *prefix; /* rules of the first items */
    size_t n_prefix;
    uint32_t rest;     /* rule of the others */
    uint32_t min, max; /* items */
    bool unique;       /* each item is one of `value`, and comes once */
    Expr *value;       /* (n_values) texts; owns */
    size_t n_values;
    bool contains;
    /* rules of an item that is also the one that must be there (`contains`) */
    uint32_t *prefix_hit, rest_hit;
} ArrayPlan;

/* Where an object or array has come to. */
typedef struct PlanState {
    uint64_t seen[SCHEMA_KEYS /
                  64]; /* declared keys, any order; values of an array that come once */
    uint32_t next;     /* the first declared key, or the item, that may come */
    uint32_t count;    /* members so far, no further than it matters */
    uint32_t any;      /* at least one */
    /* arrays: the item that must be there was; objects: claims that are fulfilled */
    uint32_t hit;
} PlanState;

typedef struct Plan {
    bool is_array;
    ObjectPlan object;
    ArrayPlan array;
    PlanState *states; /* lazy expressions name them by number */
    uint32_t n_states;
    size_t states_room;
} Plan;

/* A given string, and how it may be written. */
typedef struct SpelledText {
    Text text;
    Expr expr;
} SpelledText;

typedef struct Schema Schema;
typedef struct SchemaBlock SchemaBlock;
typedef struct SchemaConst SchemaConst;
struct Schema {
    Schema *before;      /* read into the same store before */
    uint32_t first_plan; /* plans of all those: what lazy expressions call our plan 0 */
    ExprStore *exprs;
    const JsonValue *root; /* as its draft reads it */
    int draft;             /* 3, 4, 6, 7, 2019, 2020; 0: it does not say */
    SchemaBlock *blocks;   /* owns: memory of `root`, when that is a copy, and of consts */
    SchemaConst *consts;   /* given arrays and objects, as schemas */
    GrammarOptions options;
    Goal *goals; /* owns */
    size_t goals_room, plans_room;
    uint32_t n_goals, compiled, *buckets, n_buckets;
    Plan *plans; /* owns; lazy expressions name them */
    uint32_t n_plans;
    SpelledText spelled[SCHEMA_SPELLED];
    Expr space, any_char; /* white space; one character of a string, every spelling */
    Fault *fault;
};

/* Read a schema into rules; *root is the rule of the whole text.  The plans stay with the
 * schema, which lives as long as the store, at this place; a store may hold several.
 *
 * Fails, naming the place, on what cannot be handled exactly. */
bool schema_read(Schema *schema, ExprStore *store, const JsonValue *root,
                 const GrammarOptions *options, uint32_t *rule, Fault *fault);
void schema_free(Schema *schema);

/* ------------------------------------------------------------------ inside */

/* The rule of a goal; the conditions are copied. */
bool schema_goal(Schema *s, const Goal *goal, uint32_t *rule);

/* What no text belongs to is nothing; refused when that takes too long to find. */
bool schema_settle(Schema *s, const Goal *flat, Expr *body);
bool schema_drain(Schema *s); /* all goals that wait become rules */
void goal_add(Goal *goal, Condition condition);
void goal_free(Goal *goal);

/* schema_goal.c: join, then choose.  `leaf`: there is no choice. */
bool schema_flatten(Schema *s, const Goal *goal, Goal *flat);
bool schema_choose(Schema *s, const Goal *flat, Expr *body, bool *leaf);

Condition schema_holds(const JsonValue *schema, bool it_does);
Condition schema_of_types(uint32_t mask);
bool schema_is_keyword(const JsonValue *schema, uint32_t index, const char *name);

/* Conditions on their way into a goal; seen: whole schemas that are in it already. */
bool schema_join(Schema *s, Condition c, Goal *flat, Goal *seen);
bool schema_join_all(Schema *s, const JsonValue *list, bool hold, Goal *flat, Goal *seen);
bool schema_join_ref(Schema *s, const JsonValue *at, const JsonValue *reference, bool hold,
                     Goal *flat, Goal *seen);

/* A choice under way: the goal without it, and the ways found so far. */
typedef struct Ways {
    Schema *s;
    const Goal *flat;
    size_t chosen;
    ExprList ways;
} Ways;

bool schema_add_way(Ways *w, const Condition *extra, size_t count);
bool schema_choose_if(Ways *w, const JsonValue *schema, bool hold);

/* schema_broken.c: one keyword fails; the value is of a type it speaks to, and breaks it. */
bool schema_join_broken(Schema *s, Condition c, Goal *flat, Goal *seen);
bool schema_choose_failing(Ways *w, const JsonValue *schema);
bool schema_choose_broken(Ways *w, Condition c);
bool schema_breaks_in_ways(Condition c); /* a broken keyword: in several, or just one */

/* schema_clash.c: can the conditions of a goal certainly not hold together? */
bool schema_clashes(const Goal *flat);

/* schema_dialect.c: find out the draft; keywords that it does not know are not in s->root. */
void schema_take_dialect(Schema *s, const JsonValue *root);
void schema_drop_dialect(Schema *s);
void *schema_keep(Schema *s, size_t size); /* memory that lives as long as the schema */

/* schema_const.c: the schema that a given value alone fulfils. */
const JsonValue *schema_of_value(Schema *s, const JsonValue *value);

/* Drafts up to 7 ignore what stands beside a $ref. */
static inline bool schema_ref_is_alone(const Schema *s) { return s->draft && s->draft <= 7; }

/* schema_keyword.c */
/* What a keyword is to the place it stands at. */
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
    uint32_t types; /* of a direct one: to which values it speaks */
    unsigned shape; /* what it may be given */
} SchemaKeyword;

SchemaKeyword schema_keyword(Text name); /* what the standard does not name is an annotation */
bool schema_is_direct(Text keyword);     /* does it speak for itself? */
bool schema_check_shape(Schema *s, const JsonValue *schema, uint32_t index); /* else refused */

/* schema_overlap.c: can two schemas of a oneOf hold together?  false: certainly not. */
bool schema_may_overlap(Schema *s, const JsonValue *a, const JsonValue *b);

/* schema_said.c: walk the keywords of a goal, those that hold and the one of a broken
 * condition.  Begin with both places 0; false: there are no more. */
typedef struct Said {
    const JsonValue *schema, *value; /* where, and what the keyword is given */
    Text name;
    bool fails;
} Said;

bool schema_next_said(const Goal *flat, size_t *condition, size_t *keyword, Said *said);
bool schema_said_is(const Said *said, const char *name);

/* schema_leaf.c */
bool schema_leaf(Schema *s, const Goal *flat, Expr *body);
bool schema_types(Schema *s, const Goal *flat, uint32_t *mask);
/* The first const or enum of a goal, and its condition: then it holds for some of a few
 * values. */
bool schema_given(const Goal *flat, Said *given, size_t *at);

/* schema_number.c; mask: integers, fractions, or both */
bool schema_number(Schema *s, const Goal *flat, uint32_t mask, Expr *body);

/* schema_string.c */
bool schema_string(Schema *s, const Goal *flat, Expr *inside); /* without its quotes */
bool schema_quoted(Schema *s, const Goal *flat, Expr *body);
bool schema_names(Schema *s, const Goal *flat,
                  Expr *inside); /* of keys: strings, given ones, too */

/* schema_object.c, schema_member.c, schema_array.c */
bool schema_object(Schema *s, const Goal *flat, Expr *body);
bool schema_array(Schema *s, const Goal *flat, Expr *body);
Expr schema_unfold_object(Schema *s, uint32_t plan, const PlanState *state);
Expr schema_unfold_array(Schema *s, uint32_t plan, const PlanState *state);
Expr schema_state(Schema *s, uint32_t plan, const PlanState *state);

const JsonValue *schema_first_items(const JsonValue *schema); /* NULL: no list of them */
void schema_item_goal(const Goal *flat, size_t place, Goal *goal);
Plan *schema_plan(Schema *s, uint32_t *number);

/* Has the rule a text, given the rules of which that is known?  NULL: all are known. */
bool schema_is_alive(const Schema *s, const bool *known, uint32_t rule);
bool schema_object_is_productive(const Schema *s, const ObjectPlan *plan, const bool *known);
bool schema_array_is_productive(const Schema *s, const ArrayPlan *plan, const bool *known);

/* schema_unique.c: uniqueItems, in an array that may have several; the plan gets the values
 * of its items. */
bool schema_unique(Schema *s, const Goal *flat, ArrayPlan *plan);

/* schema_value.c */
Expr schema_value(Schema *s, const JsonValue *value);        /* the texts of one value */
Expr schema_given_string(Schema *s, Text text, bool quotes); /* as one would write it */
Expr schema_every_spelling(Schema *s, Text text);            /* of a string, without quotes */
typedef struct SchemaText {
    char *bytes; /* owns */
    size_t size, room;
} SchemaText;
void schema_write(SchemaText *out,
                  const JsonValue *value);       /* one of its texts, without white space */
uint32_t schema_type_of(const JsonValue *value); /* TYPE_BIT_... */
/* Is every key there once, and every text UTF-8?  Else it is refused: what is meant is not
 * known. */
bool schema_check_text(Schema *s, const JsonValue *value);
uint32_t schema_named_types(const JsonValue *type); /* of the keyword `type` */
bool schema_equal(const JsonValue *a, const JsonValue *b);

/* schema_format.c: *known is false for a format that the standard does not define. */
bool schema_format(Schema *s, Text name, Expr *inside, bool *known);

/* schema_ref.c */
const JsonValue *schema_resolve(Schema *s, Text reference);
bool schema_refuse(Schema *s, const JsonValue *at, const char *keyword, const char *why);

/* A count given by a keyword. */
bool schema_count(Schema *s, const JsonValue *schema, const char *keyword, uint32_t *count,
                  bool *given);

/* A pattern, inside a string. */
bool schema_pattern(Schema *s, const JsonValue *at, Text pattern, Expr *inside);

/* Does the rule take this value, as one would write it?  Goals that wait are made into rules
 * first. */
bool schema_takes(Schema *s, uint32_t rule, const JsonValue *value, bool *takes);

#endif
