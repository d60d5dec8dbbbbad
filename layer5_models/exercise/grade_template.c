/* The grader of expressions in templates: operator precedence.
 *
 * An expression is written twice, once with all brackets and once with only the necessary ones;
 * both must be the same, errors included. */
#include "grader.h"
#include "models_extras.h"

enum { LONG = 4000, NOTS = 250000 };

typedef struct Line {
    char text[LONG];
    size_t size;
} Line;

static void put(Line *line, const char *text) {
    size_t size = strlen(text);
    if (line->size + size >= LONG) return;
    memcpy(line->text + line->size, text, size + 1);
    line->size += size;
}

/* What "{{ expression }}" prints, or why it prints nothing. */
static void value_of(const char *expression, Line *out) {
    static char source[2 * LONG];
    Fault fault;
    Rendered rendered;
    struct tm now = {0};
    JsonValue none = {.kind = JSON_OBJECT};
    snprintf(source, sizeof source, "{{ %s }}", expression);
    Template *tree = template_read(text_of(source), &fault);
    *out = (Line){.size = 0};
    if (tree && template_render(tree, &none, &now, &rendered, &fault)) {
        snprintf(out->text, LONG, "%.*s", (int)rendered.size, rendered.text);
        rendered_free(&rendered);
    } else {
        snprintf(out->text, LONG, "%.300s", fault.text);
    }
    template_free(tree);
}

/* ------------------------------------------------------------------ one mistake each */

static const struct {
    const char *expression, *value, *hint;
} cases[] = {
    {"0 and 1", "0", "\"and\" is an operator of its own, stronger than \"or\""},
    {"8 - 3 - 2", "3",
     "operators of equal power group from the left: what follows belongs to the left side only "
     "while it is strictly stronger"},
    {"2 ** 3 ** 2", "64", "so does **, other than in Python"},
    {"2 + 3 * 4", "14", "* is stronger than +"},
    {"2 * 3 ** 2", "18", "** is stronger than *"},
    {"2 * 3 + 4", "10", "the right side of an operator ends where a weaker one comes"},
    {"1 ~ 2 * 3", "16", "* is stronger than ~"},
    {"'a' ~ 1 + 'b'", "a1b", "~ is stronger than +"},
    {"1 + 2 ~ 3", "line 1: TypeError: unsupported operand type(s) for +: 'int' and 'str'",
     "~ is stronger than +"},
    {"2 < 1 + 3", "True", "+ is stronger than <"},
    {"1 < 3 > 2", "True",
     "a chain of comparisons is one: a < b > c compares a with b and b with c"},
    {"3 > 2 > 2", "False",
     "a chain of comparisons is one: a < b > c compares a with b and b with c"},
    {"2 <= 2", "True", "\"<=\" compares, as \"==\", \"!=\", \"<\", \">\" and \">=\" do"},
    {"2 >= 3", "False", "\">=\" compares, as \"==\", \"!=\", \"<\", \">\" and \"<=\" do"},
    {"2 != 2", "False", "\"!=\" compares, as \"==\", \"<\", \">\", \"<=\" and \">=\" do"},
    {"1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1", "30",
     "as many operators may follow one another as there are"},
    {"2 not in [1]", "True", "\"not in\" is one operator of two words"},
    {"1 not in [1] or 5", "5", "\"not in\" is one operator of two words, and not \"in\""},
    {"1 in [1] and 3", "3", "\"in\" compares, and binds tighter than \"and\""},
    {"not 1 == 2", "True", "\"not\" is about everything that binds tighter than it"},
    {"not 0 and 0", "0",
     "\"not\" is stronger than \"and\": it is about what binds tighter only"},
    {"0 or not 0", "True", "\"not\" may begin the right side of \"and\" and \"or\""},
    {"not not 3", "True", "\"not\" may follow a \"not\""},
    {"1 or 0 and 0", "1", "\"and\" is stronger than \"or\""},
};

static void single_cases(void) {
    Line got;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        value_of(cases[i].expression, &got);
        HINT(strcmp(got.text, cases[i].value) == 0,
             "%s.  {{ %s }}: expected \"%s\", got \"%s\"", cases[i].hint, cases[i].expression,
             cases[i].value, got.text);
    }
}

/* ------------------------------------------------------------------ any expression */

enum { OR = 1, AND, NOT, COMPARE, ADD, JOIN, MULTIPLY, POWER, OPERAND };
enum { MOST_NODES = 40 };

typedef struct Node {
    int power;
    const char *sign, *second; /* second: of a chain of comparisons; NULL: none */
    int left, right, third;
} Node;

static Node nodes[MOST_NODES];
static int n_nodes;

static const char *pick(const char *const *from, size_t n) { return from[fresh_below(n)]; }

static int some_node(int depth) {
    static const char *const operands[] = {"0", "1", "2", "3", "'b'", "[1, 2]", "true"},
                             *const compares[] = {"==", "!=", "<", ">=", "in", "not in"},
                             *const adds[] = {"+", "-"}, *const times[] = {"*", "//", "%"};
    int at = n_nodes++;
    Node n = {OPERAND, pick(operands, 7), NULL, -1, -1, -1};
    if (depth && n_nodes + 4 < MOST_NODES && fresh_below(6)) {
        n.power = OR + (int)fresh_below(8);
        n.sign = n.power == OR        ? "or"
                 : n.power == AND     ? "and"
                 : n.power == NOT     ? "not"
                 : n.power == COMPARE ? pick(compares, 6)
                 : n.power == ADD     ? pick(adds, 2)
                 : n.power == JOIN    ? "~"
                 : n.power == POWER   ? "**"
                                      : pick(times, 3);
        n.left = some_node(depth - 1);
        if (n.power != NOT) n.right = some_node(depth - 1);
        if (n.power == COMPARE && fresh_below(3) == 0)
            n.second = pick(compares, 6), n.third = some_node(depth - 1);
    }
    nodes[at] = n;
    return at;
}

static void write_node(Line *line, int at, int least, bool all);

static void write_operator(Line *line, const Node *n, bool all) {
    bool compares = n->power == COMPARE;
    if (n->power == NOT) {
        put(line, "not "), write_node(line, n->left, NOT, all);
        return;
    }
    write_node(line, n->left, n->power + compares, all);
    put(line, " "), put(line, n->sign), put(line, " ");
    write_node(line, n->right, n->power + 1, all);
    if (!n->second) return;
    put(line, " "), put(line, n->second), put(line, " ");
    write_node(line, n->third, n->power + 1, all);
}

/* In brackets if it is weaker than `least`, or always. */
static void write_node(Line *line, int at, int least, bool all) {
    const Node *n = &nodes[at];
    bool brackets = n->power != OPERAND && (all || n->power < least);
    if (brackets) put(line, "(");
    if (n->power == OPERAND)
        put(line, n->sign);
    else
        write_operator(line, n, all);
    if (brackets) put(line, ")");
}

static void any_expression(void) {
    Line few = {.size = 0}, all = {.size = 0}, got, want;
    n_nodes = 0;
    int root = some_node(3);
    write_node(&few, root, 0, false), write_node(&all, root, 0, true);
    value_of(few.text, &got), value_of(all.text, &want);
    HINT(strcmp(got.text, want.text) == 0,
         "{{ %s }} means {{ %s }}: expected \"%s\", got \"%s\"", few.text, all.text, want.text,
         got.text);
}

/* Text that is not an expression. */
static void refused(const char *source, const char *hint) {
    Fault fault = {0};
    Template *tree = template_read(text_of(source), &fault);
    HINT(!tree, "%s: %s is to be refused, and is read", hint, source);
}

/* Levels are left again, and a fault names the line of the operator. */
static void levels_and_lines(void) {
    enum { MANY = 3000 };
    static char source[8 * MANY];
    Fault fault = {0};
    Line got;
    for (size_t i = 0; i < MANY; i++) memcpy(source + 7 * i, "{{ 1 }}", 7);
    Template *tree = template_read((Text){source, 7 * MANY}, &fault);
    HINT(tree,
         "%d expressions, one after the other, are refused (%s): who enters a level leaves it "
         "again, machine_leave()",
         MANY, fault.text);
    template_free(tree);
    value_of("1 -\n\n 'a'\n\n", &got);
    HINT(strncmp(got.text, "line 1:", 7) == 0,
         "1 minus a text is wrong in line 1, the line of the operator: make its node "
         "(node_new) before the right side is read; got \"%s\"",
         got.text);
}

/* More "not" than there is room on the stack. */
static void deep(void) {
    static char source[4 * NOTS + 16];
    Fault fault = {0};
    memcpy(source, "{{ ", 3);
    for (size_t i = 0; i < NOTS; i++) memcpy(source + 3 + 4 * i, "not ", 4);
    memcpy(source + 3 + 4 * NOTS, "1 }}", 5);
    Template *tree = template_read(text_of(source), &fault);
    HINT(
        !tree && strstr(fault.text, "RecursionError"),
        "%d times \"not\" go deeper than a template may: machine_enter() counts the levels and "
        "says so, and parser_wrong() ends the reading; here came \"%s\"",
        NOTS, tree ? "a template" : fault.text);
}

GRADE(powers) {
    single_cases();
    refused("{{ 1 + not 2 }}",
            "\"not\" begins an operand only where a power weaker than a comparison is wanted");
    refused("{{ 1 not x 2 }}",
            "\"not\" after an operand is an operator only with \"in\" after it");
    levels_and_lines();
    for (int i = 0; i < 3000; i++) any_expression();
    deep();
}

GRADES({"5.23", powers})
