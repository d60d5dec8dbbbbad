/* right: a function for each level, as a grammar has them; the weakest first */
static Node *level(Parser *p, int power);
static Node *parse_comparison(Parser *p, Node *first);
static Node *parse_binary(Parser *p, Node *left, int power);

static Node *negation(Parser *p) {
    if (!parser_take_word(p, "not")) return level(p, POWER_COMPARE);
    Node *turned = node_new(p, NODE_NOT);
    if (machine_enter(p->machine))
        turned->a = negation(p);
    else
        parser_wrong(p, "too deep");
    machine_leave(p->machine);
    return turned;
}

static Node *above(Parser *p, int power) {
    if (power == POWER_AND) return negation(p);
    return power == POWER_POWER ? parse_unary(p, true) : level(p, power + 1);
}

static Node *level(Parser *p, int power) {
    Node *left = above(p, power);
    while (power_of(p) == power && !p->machine->failed)
        left =
            power == POWER_COMPARE ? parse_comparison(p, left) : parse_binary(p, left, power);
    return left;
}

static Node *parse_binary(Parser *p, Node *left, int power) {
    NodeKind kind = NODE_BINARY;
    if (power == POWER_OR) kind = NODE_OR;
    if (power == POWER_AND) kind = NODE_AND;
    Node *node = node_new(p, kind);
    node->a = left, node->op = p->token->kind;
    p->token++;
    node->b = above(p, power);
    return node;
}

static Node *parse_power(Parser *p, int power) {
    if (!machine_enter(p->machine)) parser_wrong(p, "too deep");
    Node *node = power == POWER_NONE ? level(p, POWER_OR) : above(p, power);
    machine_leave(p->machine);
    return node;
}
