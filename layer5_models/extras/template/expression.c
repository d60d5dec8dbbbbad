/* expression.c - expressions, parsed by precedence (Pratt): each operator has a power, and
 * takes operands until an operator of lower power comes.
 *
 *     1 + 2 * 3          power of + is 5, of * is 7:   1 + (2 * 3)
 *
 * Two rules are Jinja's own: ~ binds tighter than +, and a filter comes after a sign: -1|abs is
 * (-1)|abs.
 *
 * Source   Pratt 1973, "Top down operator precedence". */
#include "syntax.h"

#include <string.h>

enum {
    POWER_NONE,
    POWER_OR,
    POWER_AND,
    POWER_NOT,
    POWER_COMPARE,
    POWER_ADD,
    POWER_JOIN,
    POWER_MULTIPLY,
    POWER_POWER
};

/* ------------------------------------------------------------------ what an expression begins
 * with */

static Node *literal(Parser *p, Value value) {
    Node *node = node_new(p, NODE_LITERAL);
    node->value = value;
    return node;
}

static Node *parse_word(Parser *p) {
    static const struct {
        const char *word;
        Value value;
    } words[] = {{"true", {IS_BOOL, {.truth = true}}},
                 {"True", {IS_BOOL, {.truth = true}}},
                 {"false", {IS_BOOL, {.truth = false}}},
                 {"False", {IS_BOOL, {.truth = false}}},
                 {"none", {.kind = IS_NONE}},
                 {"None", {.kind = IS_NONE}}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (parser_take_word(p, words[i].word)) return literal(p, words[i].value);
    Node *node = node_new(p, NODE_NAME);
    node->name = parser_name(p);
    return node;
}

/* "a" "b" is "ab" */
static Node *parse_literal(Parser *p) {
    Node *node = literal(p, p->token->value);
    p->token++;
    if (node->value.kind != IS_STRING || !parser_sees(p, TOKEN_VALUE) ||
        p->token->value.kind != IS_STRING)
        return node;
    Builder builder = {0};
    build_string(p->machine, &builder, node->value.string);
    for (; parser_sees(p, TOKEN_VALUE) && p->token->value.kind == IS_STRING; p->token++)
        build_string(p->machine, &builder, p->token->value.string);
    node->value = build_value(p->machine, &builder);
    return node;
}

static Node *parse_pair(Parser *p) {
    Node *pair = node_new(p, NODE_PAIR);
    pair->a = parse_expression(p);
    parser_want(p, ':');
    pair->b = parse_expression(p);
    return pair;
}

/* Values up to the closing bracket; a trailing comma is allowed. */
static Node *parse_listed(Parser *p, NodeKind kind, int close) {
    Node *node = node_new(p, kind), **place = &node->list;
    while (!parser_take(p, close) && !p->machine->failed) {
        place = node_append(place, kind == NODE_DICT ? parse_pair(p) : parse_expression(p));
        if (!parser_take(p, ',') && !parser_sees(p, close)) parser_want(p, ',');
    }
    return node;
}

/* After "(": nothing, one value, or several with commas. */
static Node *parse_parentheses(Parser *p) {
    Node *tuple = node_new(p, NODE_TUPLE), **place = &tuple->list;
    bool comma = false;
    while (!parser_take(p, ')') && !p->machine->failed) {
        if (tuple->list && !comma) parser_want(p, ',');
        place = node_append(place, parse_expression(p));
        comma = parser_take(p, ',');
    }
    return tuple->list && !tuple->list->next && !comma ? tuple->list : tuple;
}

static Node *parse_primary(Parser *p) {
    char text[64];
    if (parser_sees(p, TOKEN_NAME)) return parse_word(p);
    if (parser_sees(p, TOKEN_VALUE)) return parse_literal(p);
    if (parser_take(p, '(')) return parse_parentheses(p);
    if (parser_take(p, '[')) return parse_listed(p, NODE_LIST, ']');
    if (parser_take(p, '{')) return parse_listed(p, NODE_DICT, '}');
    parser_wrong(p, "unexpected '%s'", parser_words(p->token, text));
    return literal(p, value_none());
}

/* ------------------------------------------------------------------ what may follow it */

/* After "(". */
static Node *parse_arguments(Parser *p) {
    Node *first = NULL, **place = &first;
    bool named = false;
    while (!parser_take(p, ')') && !p->machine->failed) {
        Node *argument = node_new(p, NODE_ARGUMENT);
        if (parser_sees(p, '*') || parser_sees(p, TWO('*', '*')))
            parser_wrong(p, "arguments behind * are not built in: write them one by one");
        if (parser_sees(p, TOKEN_NAME) && p->token[1].kind == '=') {
            argument->name = parser_name(p);
            parser_want(p, '=');
            named = true;
        } else if (named) {
            parser_wrong(p, "invalid syntax for function call expression");
        }
        argument->a = parse_expression(p);
        place = node_append(place, argument);
        if (!parser_take(p, ',') && !parser_sees(p, ')')) parser_want(p, ',');
    }
    return first;
}

/* After "[": an index, or from:to:step. */
static Node *parse_index(Parser *p, Node *of) {
    Node *parts[3] = {literal(p, value_none()), literal(p, value_none()),
                      literal(p, value_none())};
    int n = 0;
    bool slice = false, given = false;
    while (!parser_take(p, ']') && !p->machine->failed) {
        if (parser_take(p, ':')) {
            slice = true;
            if (++n > 2) parser_wrong(p, "expected token ']', got ':'");
        } else {
            parts[n] = parse_expression(p);
            given = true;
            if (!parser_sees(p, ':') && !parser_sees(p, ']')) parser_want(p, ']');
        }
    }
    Node *node = node_new(p, slice ? NODE_SLICE : NODE_INDEX);
    node->a = of;
    node->b = parts[0];
    if (!slice && !given) parser_wrong(p, "expected an index in []");
    if (slice) node->list = parts[0], parts[0]->next = parts[1], parts[1]->next = parts[2];
    return node;
}

/* After the point: a name, or an index as in x.0 */
static Node *parse_attribute(Parser *p, Node *of) {
    bool index = parser_sees(p, TOKEN_VALUE) && p->token->value.kind == IS_INT;
    Node *node = node_new(p, index ? NODE_INDEX : NODE_ATTRIBUTE);
    node->a = of;
    if (index)
        node->b = parse_literal(p);
    else if (parser_sees(p, TOKEN_NAME))
        node->name = parser_name(p);
    else
        parser_wrong(p, "expected name or number");
    return node;
}

static Node *parse_call_of(Parser *p, Node *of) {
    Node *node = node_new(p, NODE_CALL);
    node->a = of;
    node->list = parse_arguments(p);
    return node;
}

static Node *parse_postfix(Parser *p, Node *node) {
    while (!p->machine->failed) {
        if (parser_take(p, '.'))
            node = parse_attribute(p, node);
        else if (parser_take(p, '['))
            node = parse_index(p, node);
        else if (parser_take(p, '('))
            node = parse_call_of(p, node);
        else
            break;
    }
    return node;
}

/* After |. */
static Node *parse_filter(Parser *p, Node *input) {
    Node *node = node_new(p, NODE_FILTER);
    node->a = input;
    node->name = parser_name(p);
    if (parser_take(p, '(')) node->list = parse_arguments(p);
    return node;
}

/* is defined, is not in [1, 2], is divisibleby 3 */
static Node *parse_test(Parser *p, Node *input) {
    bool negated = parser_take_word(p, "not");
    Node *node = node_new(p, NODE_TEST), *no = node_new(p, NODE_NOT);
    node->a = input;
    node->name = parser_name(p);
    bool word = parser_sees(p, TOKEN_NAME) && !parser_sees_word(p, "else") &&
                !parser_sees_word(p, "or") && !parser_sees_word(p, "and");
    if (parser_take(p, '(')) {
        node->list = parse_arguments(p);
    } else if (word && parser_sees_word(p, "is")) {
        parser_wrong(p, "You cannot chain multiple tests with is");
    } else if ((word && !parser_sees_word(p, "if") && !parser_sees_word(p, "in") &&
                !parser_sees_word(p, "not") && !parser_sees_word(p, "recursive")) ||
               parser_sees(p, TOKEN_VALUE) || parser_sees(p, '[') || parser_sees(p, '{')) {
        node->list = node_new(p, NODE_ARGUMENT);
        node->list->a = parse_postfix(p, parse_primary(p));
    }
    no->a = node;
    return negated ? no : node;
}

Node *parse_filters(Parser *p, Node *node, bool first_is_name) {
    if (first_is_name) node = parse_filter(p, node);
    while (!p->machine->failed) {
        if (parser_take(p, '|'))
            node = parse_filter(p, node);
        else if (!first_is_name && parser_take_word(p, "is"))
            node = parse_test(p, node);
        else if (!first_is_name && parser_take(p, '('))
            node = parse_call_of(p, node);
        else
            break;
    }
    return node;
}

Node *parse_call(Parser *p) {
    Node *node = parse_postfix(p, parse_primary(p));
    if (node->kind != NODE_CALL) parser_wrong(p, "expected call");
    return node;
}

/* ------------------------------------------------------------------ operators */

static Node *parse_unary(Parser *p, bool filters) {
    Node *node;
    if (!machine_enter(p->machine)) parser_wrong(p, "too deep");
    if (parser_sees(p, '-') || parser_sees(p, '+')) {
        node = node_new(p, NODE_SIGN);
        node->op = (p->token++)->kind;
        node->a = parse_unary(p, false);
    } else {
        node = parse_primary(p);
    }
    node = parse_postfix(p, node);
    if (filters) node = parse_filters(p, node, false);
    machine_leave(p->machine);
    return node;
}

/* The power of the next operator; POWER_NONE: none. */
static int power_of(const Parser *p) {
    switch (p->token->kind) {
    case TWO('=', '='):
    case TWO('!', '='):
    case TWO('<', '='):
    case TWO('>', '='):
    case '<':
    case '>': return POWER_COMPARE;
    case '+':
    case '-': return POWER_ADD;
    case '~': return POWER_JOIN;
    case '*':
    case '/':
    case '%':
    case TWO('/', '/'): return POWER_MULTIPLY;
    case TWO('*', '*'): return POWER_POWER;
    case TOKEN_NAME: break;
    default: return POWER_NONE;
    }
    bool not_in = parser_sees_word(p, "not") && p->token[1].kind == TOKEN_NAME &&
                  text_equal(p->token[1].text, text_of("in"));
    return parser_sees_word(p, "or")             ? POWER_OR
           : parser_sees_word(p, "and")          ? POWER_AND
           : parser_sees_word(p, "in") || not_in ? POWER_COMPARE
                                                 : POWER_NONE;
}

static Node *parse_power(Parser *p, int power);

/* 1 < x <= 3: a chain of steps.  A step's op is the operator's token, 'i' for "in", TWO('n',
 * 'i') for "not in". */
static Node *parse_comparison(Parser *p, Node *first) {
    Node *node = node_new(p, NODE_COMPARE), **place = &node->list;
    node->a = first;
    while (power_of(p) == POWER_COMPARE) {
        Node *step = node_new(p, NODE_STEP);
        bool word = parser_sees(p, TOKEN_NAME), negated = parser_take_word(p, "not");
        step->op = word ? (negated ? TWO('n', 'i') : 'i') : p->token->kind;
        p->token++;
        step->a = parse_power(p, POWER_COMPARE);
        place = node_append(place, step);
    }
    return node;
}

static Node *parse_binary(Parser *p, Node *left, int power) {
    Node *node = node_new(p, power == POWER_OR    ? NODE_OR
                             : power == POWER_AND ? NODE_AND
                                                  : NODE_BINARY);
    node->op = (p->token++)->kind;
    node->a = left;
    node->b = parse_power(p, power);
    return node;
}

/* An expression whose operators all have more than `power`. */
static Node *parse_power(Parser *p, int power) {
    Node *left;
    if (!machine_enter(p->machine)) parser_wrong(p, "too deep");
    if (power < POWER_COMPARE && parser_take_word(p, "not")) {
        left = node_new(p, NODE_NOT);
        left->a = parse_power(p, POWER_NOT);
    } else {
        left = parse_unary(p, true);
    }
    for (int next; (next = power_of(p)) > power && !p->machine->failed;)
        left = next == POWER_COMPARE ? parse_comparison(p, left) : parse_binary(p, left, next);
    machine_leave(p->machine);
    return left;
}

/* Without a conditional. */
static Node *parse_simple(Parser *p) { return parse_power(p, POWER_NONE); }

Node *parse_expression(Parser *p) {
    Node *node = parse_simple(p);
    while (parser_take_word(p, "if")) {
        Node *choice = node_new(p, NODE_CHOICE);
        choice->b = node;
        choice->a = parse_simple(p);
        if (parser_take_word(p, "else")) choice->c = parse_expression(p);
        node = choice;
    }
    return node;
}

Node *parse_tuple(Parser *p, bool choice) {
    Node *first = choice ? parse_expression(p) : parse_simple(p);
    if (!parser_sees(p, ',')) return first;
    Node *tuple = node_new(p, NODE_TUPLE), **place = node_append(&tuple->list, first);
    while (parser_take(p, ',') && !parser_sees(p, TOKEN_BLOCK_END) &&
           !parser_sees(p, TOKEN_PRINT_END) && !p->machine->failed)
        place = node_append(place, choice ? parse_expression(p) : parse_simple(p));
    return tuple;
}

/* ------------------------------------------------------------------ targets */

static Node *parse_one_target(Parser *p) {
    if (parser_take(p, '(')) {
        Node *target = parse_target(p);
        parser_want(p, ')');
        return target;
    }
    Node *name = node_new(p, NODE_NAME);
    name->name = parser_name(p);
    if (!parser_take(p, '.')) return name;
    Node *attribute = node_new(p, NODE_ATTRIBUTE);
    attribute->a = name;
    attribute->name = parser_name(p);
    return attribute;
}

Node *parse_target(Parser *p) {
    Node *first = parse_one_target(p);
    if (!parser_sees(p, ',')) return first;
    Node *tuple = node_new(p, NODE_TUPLE), **place = node_append(&tuple->list, first);
    while (parser_take(p, ',') && (parser_sees(p, TOKEN_NAME) || parser_sees(p, '(')))
        place = node_append(place, parse_one_target(p));
    return tuple;
}
