/* right: powers from a table; comparisons are collected in the loop itself */
static const struct {
    int kind, power;
} powers[] = {{'<', POWER_COMPARE},
              {'>', POWER_COMPARE},
              {TWO('=', '='), POWER_COMPARE},
              {TWO('!', '='), POWER_COMPARE},
              {TWO('<', '='), POWER_COMPARE},
              {TWO('>', '='), POWER_COMPARE},
              {'+', POWER_ADD},
              {'-', POWER_ADD},
              {'~', POWER_JOIN},
              {'*', POWER_MULTIPLY},
              {'/', POWER_MULTIPLY},
              {'%', POWER_MULTIPLY},
              {TWO('/', '/'), POWER_MULTIPLY},
              {TWO('*', '*'), POWER_POWER}};

static int power_of(const Parser *p) {
    if (parser_sees_word(p, "or")) return POWER_OR;
    if (parser_sees_word(p, "and")) return POWER_AND;
    if (parser_sees_word(p, "in")) return POWER_COMPARE;
    if (parser_sees_word(p, "not"))
        return p->token[1].kind == TOKEN_NAME && text_equal(p->token[1].text, text_of("in"))
                   ? POWER_COMPARE
                   : POWER_NONE;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
        if (p->token->kind == powers[i].kind) return powers[i].power;
    return POWER_NONE;
}

static Node *parse_power(Parser *p, int power) {
    Node *left;
    if (!machine_enter(p->machine)) parser_wrong(p, "too deep");
    if (power <= POWER_NOT && parser_take_word(p, "not")) {
        left = node_new(p, NODE_NOT);
        left->a = parse_power(p, POWER_NOT);
    } else {
        left = parse_unary(p, true);
    }
    for (;;) {
        int next = power_of(p);
        if (next <= power || p->machine->failed) break;
        if (next != POWER_COMPARE) {
            left = parse_binary(p, left, next);
            continue;
        }
        Node *chain = node_new(p, NODE_COMPARE), **place = &chain->list;
        chain->a = left;
        do {
            Node *step = node_new(p, NODE_STEP);
            bool turned = parser_take_word(p, "not"), in = parser_sees_word(p, "in");
            step->op = turned ? TWO('n', 'i') : in ? 'i' : p->token->kind;
            p->token++;
            step->a = parse_power(p, POWER_COMPARE);
            place = node_append(place, step);
        } while (power_of(p) == POWER_COMPARE);
        left = chain;
    }
    machine_leave(p->machine);
    return left;
}
