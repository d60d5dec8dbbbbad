/* statement.c - text, {{ ... }} and {% ... %}: a function for each word that opens a block. */
#include "syntax.h"

#include <stdio.h>
#include <string.h>

static Node *parse_body(Parser *p, const char *block, const char *ends);

static void close_tag(Parser *p) { parser_want(p, TOKEN_BLOCK_END); }

static Node *parse_to(Parser *p, const char *block, const char *end) {
    Node *list = parse_body(p, block, end);
    p->token += !p->machine->failed;
    close_tag(p);
    return list;
}

static Node *parse_if(Parser *p) {
    Node *node = node_new(p, NODE_IF), **place = &node->other, *branch = node;
    node->a = parse_tuple(p, false);
    close_tag(p);
    node->list = parse_body(p, "if", "elif else endif");
    while (parser_take_word(p, "elif")) {
        branch = node_new(p, NODE_IF);
        branch->a = parse_tuple(p, false);
        close_tag(p);
        branch->list = parse_body(p, "if", "elif else endif");
        *place = branch;
        place = &branch->other;
    }
    if (parser_take_word(p, "else")) {
        close_tag(p);
        *place = parse_body(p, "if", "endif");
    }
    parser_take_word(p, "endif");
    close_tag(p);
    return node;
}

static Node *parse_for(Parser *p) {
    Node *node = node_new(p, NODE_FOR);
    node->a = parse_target(p);
    if (!parser_take_word(p, "in")) parser_wrong(p, "expected token 'in'");
    node->b = parse_tuple(p, false);
    if (parser_take_word(p, "if")) node->c = parse_expression(p);
    node->op = parser_take_word(p, "recursive");
    close_tag(p);
    p->loops++;
    node->list = parse_body(p, "for", "else endfor");
    p->loops--;
    if (parser_take_word(p, "else")) {
        close_tag(p);
        node->other = parse_body(p, "for", "endfor");
    }
    parser_take_word(p, "endfor");
    close_tag(p);
    return node;
}

static Node *parse_set(Parser *p) {
    Node *node = node_new(p, NODE_SET);
    node->a = parse_target(p);
    if (parser_take(p, '=')) {
        node->b = parse_tuple(p, true);
        close_tag(p);
        return node;
    }
    Node *text = node_new(p, NODE_NAME);
    text->name = BLOCK_TEXT;
    node->kind = NODE_SET_BLOCK;
    node->b = parse_filters(p, text, false);
    close_tag(p);
    node->list = parse_to(p, "set", "endset");
    return node;
}

static Node *parse_filter_block(Parser *p) {
    Node *node = node_new(p, NODE_FILTER_BLOCK), *text = node_new(p, NODE_NAME);
    text->name = BLOCK_TEXT;
    node->a = parse_filters(p, text, true);
    close_tag(p);
    node->list = parse_to(p, "filter", "endfilter");
    return node;
}

/* After "(": names, some with defaults. */
static Node *parse_parameters(Parser *p) {
    Node *first = NULL, **place = &first;
    bool defaults = false;
    while (!parser_take(p, ')') && !p->machine->failed) {
        Node *parameter = node_new(p, NODE_ARGUMENT);
        parameter->name = parser_name(p);
        if (parser_take(p, '=')) {
            parameter->a = parse_expression(p);
            defaults = true;
        } else if (defaults) {
            parser_wrong(p, "non-default argument follows default argument");
        }
        place = node_append(place, parameter);
        if (!parser_take(p, ',') && !parser_sees(p, ')')) parser_want(p, ',');
    }
    return first;
}

/* If a body mentions varargs, kwargs or caller, more arguments may be given than it names. */
enum { USES_VARARGS = 1, USES_KWARGS = 2, USES_CALLER = 4 };

static int names_used(const Token *from, const Token *to) {
    int used = 0;
    for (; from < to; from++) {
        if (from->kind != TOKEN_NAME) continue;
        used |= text_equal(from->text, text_of("varargs"))  ? USES_VARARGS
                : text_equal(from->text, text_of("kwargs")) ? USES_KWARGS
                : text_equal(from->text, text_of("caller")) ? USES_CALLER
                                                            : 0;
    }
    return used;
}

/* The body of a macro; a loop around it does not reach into it. */
static Node *parse_macro_body(Parser *p, Node *node, const char *name, const char *end) {
    close_tag(p);
    const Token *from = p->token;
    int loops = p->loops;
    p->loops = 0;
    node->list = parse_body(p, name, end);
    p->loops = loops;
    if (!p->machine->failed) node->op = names_used(from, p->token);
    p->token += !p->machine->failed;
    close_tag(p);
    return node;
}

static Node *parse_macro(Parser *p) {
    Node *node = node_new(p, NODE_MACRO);
    node->name = parser_name(p);
    parser_want(p, '(');
    node->other = parse_parameters(p);
    return parse_macro_body(p, node, "macro", "endmacro");
}

static Node *parse_call_block(Parser *p) {
    Node *node = node_new(p, NODE_CALL_BLOCK);
    if (parser_take(p, '(')) node->other = parse_parameters(p);
    node->a = parse_call(p);
    return parse_macro_body(p, node, "call", "endcall");
}

static Node *parse_with(Parser *p) {
    Node *node = node_new(p, NODE_WITH), **place = &node->other;
    while (!parser_sees(p, TOKEN_BLOCK_END) && !p->machine->failed) {
        Node *set = node_new(p, NODE_SET);
        set->a = parse_target(p);
        parser_want(p, '=');
        set->b = parse_expression(p);
        place = node_append(place, set);
        if (!parser_take(p, ',') && !parser_sees(p, TOKEN_BLOCK_END)) parser_want(p, ',');
    }
    close_tag(p);
    node->list = parse_to(p, "with", "endwith");
    return node;
}

static Node *parse_generation(Parser *p) {
    Node *node = node_new(p, NODE_SCOPE);
    close_tag(p);
    node->list = parse_to(p, "generation", "endgeneration");
    return node;
}

/* {% block name %} ... {% endblock name %} */
static Node *parse_block(Parser *p) {
    Node *node = node_new(p, NODE_SCOPE);
    parser_name(p);
    close_tag(p);
    node->list = parse_body(p, "block", "endblock");
    p->token += !p->machine->failed;
    parser_take(p, TOKEN_NAME);
    close_tag(p);
    return node;
}

static Node *parse_autoescape(Parser *p) {
    Node *node = node_new(p, NODE_AUTOESCAPE);
    node->a = parse_expression(p);
    close_tag(p);
    node->list = parse_to(p, "autoescape", "endautoescape");
    return node;
}

static Node *parse_jump(Parser *p) {
    const Token *word = &p->token[-1];
    bool leaves = text_equal(word->text, text_of("break"));
    Node *node = node_new(p, leaves ? NODE_BREAK : NODE_CONTINUE);
    if (p->loops == 0)
        parser_wrong(p, "'%.*s' outside loop", (int)word->text.size, word->text.data);
    else
        close_tag(p);
    return node;
}

static Node *parse_other_file(Parser *p) {
    const Token *word = &p->token[-1];
    parser_wrong(p, "'%.*s' asks for another template: a chat template stands alone",
                 (int)word->text.size, word->text.data);
    return node_new(p, NODE_TEXT);
}

static const struct {
    const char *word;
    Node *(*parse)(Parser *p);
} statements[] = {{"if", parse_if},
                  {"for", parse_for},
                  {"set", parse_set},
                  {"macro", parse_macro},
                  {"generation", parse_generation},
                  {"filter", parse_filter_block},
                  {"call", parse_call_block},
                  {"with", parse_with},
                  {"break", parse_jump},
                  {"continue", parse_jump},
                  {"block", parse_block},
                  {"autoescape", parse_autoescape},
                  {"include", parse_other_file},
                  {"import", parse_other_file},
                  {"from", parse_other_file},
                  {"extends", parse_other_file}};

/* "elif else endif" as 'elif' or 'else' or 'endif' */
static void list_ends(const char *ends, char out[static 128]) {
    size_t n = 0;
    for (Text rest = text_of(ends); rest.size && n < 100;) {
        Text end = text_cut(&rest, ' ');
        n += (size_t)snprintf(out + n, 128 - n, "%s'%.*s'", n ? " or " : "", (int)end.size,
                              end.data);
    }
}

static void unknown_word(Parser *p) {
    char ends[128] = "";
    if (!parser_sees(p, TOKEN_NAME)) {
        parser_wrong(p, "tag name expected");
    } else if (!p->block) {
        parser_wrong(p, "Encountered unknown tag '%.*s'.",
                     (int)min_size(p->token->text.size, 60), p->token->text.data);
    } else {
        list_ends(p->block_ends, ends);
        parser_wrong(p,
                     "Encountered unknown tag '%.*s'. Jinja was looking for the following "
                     "tags: %s. The innermost "
                     "block that needs to be closed is '%s'.",
                     (int)min_size(p->token->text.size, 60), p->token->text.data, ends,
                     p->block);
    }
}

static Node *parse_statement(Parser *p) {
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (parser_take_word(p, statements[i].word)) return statements[i].parse(p);
    unknown_word(p);
    return NULL;
}

static bool sees_any(const Parser *p, const char *words) {
    for (Text rest = text_of(words); rest.size;) {
        Text word = text_cut(&rest, ' ');
        if (parser_sees(p, TOKEN_NAME) && text_equal(p->token->text, word)) return true;
    }
    return false;
}

static Node *parse_print(Parser *p) {
    Node *node = node_new(p, NODE_PRINT);
    node->a = parse_tuple(p, true);
    if (!parser_take(p, TOKEN_PRINT_END)) parser_want(p, TOKEN_PRINT_END);
    return node;
}

static Node *parse_text(Parser *p) {
    Node *node = node_new(p, NODE_TEXT);
    node->value = value_string(string_of(p->machine, p->token->text));
    p->token++;
    return node;
}

/* Statements up to a word that may end this block; that word is the next token. */
static Node *parse_list(Parser *p, const char *ends) {
    Node *first = NULL, **place = &first;
    while (!p->machine->failed && !parser_sees(p, TOKEN_END)) {
        Node *node = NULL;
        if (parser_sees(p, TOKEN_TEXT))
            node = parse_text(p);
        else if (parser_take(p, TOKEN_PRINT_BEGIN))
            node = parse_print(p);
        else if (parser_take(p, TOKEN_BLOCK_BEGIN) && ends && sees_any(p, ends))
            return first;
        else
            node = parse_statement(p);
        if (node) place = node_append(place, node);
    }
    return first;
}

static Node *parse_body(Parser *p, const char *block, const char *ends) {
    const char *outer = p->block, *outer_ends = p->block_ends;
    char text[128] = "";
    p->block = block;
    p->block_ends = ends;
    if (!machine_enter(p->machine)) parser_wrong(p, "too deep");
    Node *list = parse_list(p, ends);
    if (parser_sees(p, TOKEN_END)) {
        list_ends(ends, text);
        parser_wrong(p,
                     "Unexpected end of template. Jinja was looking for the following tags: "
                     "%s. The innermost block "
                     "that needs to be closed is '%s'.",
                     text, block);
    }
    machine_leave(p->machine);
    p->block = outer;
    p->block_ends = outer_ends;
    return list;
}

Node *parse_template(Parser *p) { return parse_list(p, NULL); }
