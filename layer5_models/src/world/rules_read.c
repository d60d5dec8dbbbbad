/* rules_read.c - read the world's grammar; world/stories.world explains the notation. */
#include "rules.h"
#include "grow.h"

#include <ctype.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

typedef struct Loader {
    World *world;
    Fault *fault;
    int line;
    bool ok;
} Loader;

static bool rules_read_wrong(Loader *loader, const char *what, Text where) {
    if (loader->ok)
        fault_set(loader->fault, "world grammar, line %d: %s '%.*s'", loader->line, what,
                  (int)(where.size < 60 ? where.size : 60), where.data);
    return loader->ok = false;
}

/* Only while loader->ok. */
#define APPEND(loader, array, room, count, item)                   \
    do {                                                           \
        if (!(loader)->ok) break;                                  \
        if (GROW(array, room, (size_t)(count) + 1))                \
            (array)[(count)++] = (item);                           \
        else                                                       \
            rules_read_wrong(loader, "no memory at", text_of("")); \
    } while (0)

static int find_variable(const World *world, Text name) {
    for (int i = 0; i < world->n_variables; i++)
        if (text_equal(world->variables[i].name, name)) return i;
    return -1;
}

static int find_column(const World *world, int variable, Text name) {
    const Class *class = &world->classes[world->variables[variable].class_index];
    for (int i = 0; i < class->n_columns; i++)
        if (text_equal(class->columns[i], name)) return i;
    return -1;
}

static int tag_of(Loader *loader, Text name) {
    World *world = loader->world;
    for (int i = 0; i < world->n_tags; i++)
        if (text_equal(world->tags[i], name)) return i;
    if (world->n_tags == 64) return rules_read_wrong(loader, "more than 64 tags at", name), 0;
    world->tags[world->n_tags] = name;
    return world->n_tags++;
}

static int rules_read_rule_of(Loader *loader, Text name) {
    World *world = loader->world;
    for (size_t i = 0; i < world->n_rules; i++)
        if (text_equal(world->rules[i].name, name)) return (int)i;
    Rule rule = {.name = name};
    APPEND(loader, world->rules, world->rule_room, world->n_rules, rule);
    return (int)world->n_rules - 1;
}

static void read_class(Loader *loader, Text rest) {
    World *world = loader->world;
    Class class = {.name = text_cut(&rest, ' ')};
    while (rest.size && class.n_columns < WORLD_COLUMNS)
        class.columns[class.n_columns++] = text_cut(&rest, ' ');
    if (rest.size) rules_read_wrong(loader, "too many columns at", rest);
    APPEND(loader, world->classes, world->class_room, world->n_classes, class);
}

/* "he him his He His: Tom, Ben" */
static void rules_read_words(Loader *loader, Text line) {
    Class *class = &loader->world->classes[loader->world->n_classes - 1];
    Text head = text_trim(text_cut(&line, ':'));
    Word word = {0};
    for (int i = 0; i < class->n_columns; i++) word.columns[i] = text_cut(&head, ' ');
    while (line.size) {
        word.text = text_trim(text_cut(&line, ','));
        if (word.text.size) APPEND(loader, class->words, class->room, class->count, word);
    }
}

/* "k/n", or nothing for 1/1 */
static bool read_share(Text text, Variable *variable) {
    char copy[16] = "", rest;
    variable->part = variable->parts = 1;
    if (text.size == 0) return true;
    if (text.size < sizeof copy) memcpy(copy, text.data, text.size);
    return sscanf(copy, "%d/%d%c", &variable->part, &variable->parts, &rest) == 2 &&
           variable->part >= 1 && variable->part <= variable->parts;
}

static void read_variable(Loader *loader, Text rest) {
    World *world = loader->world;
    Variable variable = {.name = text_cut(&rest, ' '), .class_index = -1};
    Text class = text_cut(&rest, ' ');
    for (size_t i = 0; i < world->n_classes; i++)
        if (text_equal(world->classes[i].name, class)) variable.class_index = (int)i;
    if (variable.class_index < 0)
        rules_read_wrong(loader, "no class", class);
    else if (!read_share(rest, &variable))
        rules_read_wrong(loader, "no share like 1/2:", rest);
    else if (world->n_variables == WORLD_VARS)
        rules_read_wrong(loader, "too many variables at", variable.name);
    else
        world->variables[world->n_variables++] = variable;
}

/* "?tag" "!tag" "?V.column=value" */
static void read_guard(Loader *loader, Alternative *alternative, Text word) {
    if (alternative->n_guards == WORLD_GUARDS) {
        rules_read_wrong(loader, "too many conditions at", word);
        return;
    }
    Guard guard = {.negate = word.data[0] == '!', .tag = -1};
    Text name = {word.data + 1, word.size - 1};
    if (!memchr(name.data, '=', name.size)) {
        guard.tag = tag_of(loader, name);
    } else {
        Text variable = text_cut(&name, '.'), column = text_cut(&name, '=');
        guard.value = name;
        guard.variable = find_variable(loader->world, variable);
        guard.column =
            guard.variable < 0 ? -1 : find_column(loader->world, guard.variable, column);
        if (guard.column < 0) rules_read_wrong(loader, "no such variable or column in", word);
    }
    alternative->guards[alternative->n_guards++] = guard;
}

/* "{V}" "{V.column}" "{a:V}", without the braces */
static Symbol read_variable_use(Loader *loader, Text name) {
    Symbol symbol = {.kind = SYMBOL_VAR, .column = -1};
    if (name.size > 2 && name.data[1] == ':')
        symbol.form = name.data[0], name.data += 2, name.size -= 2;
    Text variable = text_cut(&name, '.');
    symbol.index = find_variable(loader->world, variable);
    if (symbol.index < 0)
        rules_read_wrong(loader, "no variable", variable);
    else if (name.size && (symbol.column = find_column(loader->world, symbol.index, name)) < 0)
        rules_read_wrong(loader, "no column", name);
    return symbol;
}

/* Plain text ends at {letter, <letter or \n. */
static size_t text_run(Text t) {
    for (size_t i = 0; i + 1 < t.size; i++) {
        bool name = isalpha((unsigned char)t.data[i + 1]);
        if ((t.data[i] == '{' && name) || (t.data[i] == '<' && name) ||
            (t.data[i] == '\\' && t.data[i + 1] == 'n'))
            return i;
    }
    return t.size;
}

static void read_symbols(Loader *loader, Alternative *alternative, Text t) {
    while (t.size && loader->ok) {
        Symbol symbol = {.kind = SYMBOL_TEXT, .text = {t.data, text_run(t)}, .column = -1};
        if (symbol.text.size) {
            t.data += symbol.text.size, t.size -= symbol.text.size;
        } else if (t.data[0] == '\\') {
            symbol.text = (Text){"\n", 1};
            t.data += 2, t.size -= 2;
        } else {
            char close = t.data[0] == '{' ? '}' : '>';
            t.data++, t.size--;
            Text name = text_cut(&t, close);
            if (close == '}')
                symbol = read_variable_use(loader, name);
            else
                symbol = (Symbol){.kind = SYMBOL_RULE,
                                  .index = rules_read_rule_of(loader, name),
                                  .column = -1};
        }
        APPEND(loader, alternative->symbols, alternative->symbol_room, alternative->n_symbols,
               symbol);
    }
}

static void read_alternative(Loader *loader, Rule *rule, Text line) {
    Alternative alternative = {.weight = 1};
    size_t index = (size_t)(rule - loader->world->rules);
    if (line.size && isdigit((unsigned char)line.data[0])) {
        Text number = text_cut(&line, ' ');
        alternative.weight = strtod(number.data, NULL);
    }
    line = text_trim(line);
    while (line.size && strchr("?!+", line.data[0])) {
        Text word = text_cut(&line, ' ');
        if (word.data[0] == '+')
            alternative.sets |= (uint64_t)1
                                << tag_of(loader, (Text){word.data + 1, word.size - 1});
        else
            read_guard(loader, &alternative, word);
        line = text_trim(line);
    }
    read_symbols(loader, &alternative, line);
    rule = &loader->world->rules[index]; /* reading may have moved the rules */
    if (!loader->ok) free(alternative.symbols);
    APPEND(loader, rule->alternatives, rule->room, rule->count, alternative);
}

static void rules_read_line(Loader *loader, Text line, int *rule) {
    Text rest = {line.data + 5, line.size > 5 ? line.size - 5 : 0};
    if (line.size == 0 || line.data[0] == '#') return;
    if (text_begins(line, text_of("rule ")))
        *rule = rules_read_rule_of(loader, text_trim(rest));
    else if (text_begins(line, text_of("class ")))
        read_class(loader, text_trim(rest));
    else if (text_begins(line, text_of("var ")))
        read_variable(loader, (Text){line.data + 4, line.size - 4});
    else if (line.data[0] == '|' && *rule >= 0)
        read_alternative(loader, &loader->world->rules[*rule],
                         (Text){line.data + 1, line.size - 1});
    else if (loader->world->n_classes && memchr(line.data, ':', line.size))
        rules_read_words(loader, line);
    else
        rules_read_wrong(loader, "cannot read", line);
}

World *world_open_text(const char *text, Fault *fault) {
    World *world = calloc(1, sizeof *world);
    char *copy = malloc(strlen(text) + 1);
    Loader loader = {world, fault, 0, world && copy};
    int rule = -1;
    if (!loader.ok) {
        free(world), free(copy);
        fault_set(fault, "no memory for the world");
        return NULL;
    }
    world->text = strcpy(copy, text);
    for (Text rest = text_of(copy); rest.size && loader.ok;) {
        loader.line++;
        rules_read_line(&loader, text_trim(text_cut(&rest, '\n')), &rule);
    }
    for (size_t i = 0; i < world->n_rules; i++)
        if (world->rules[i].count == 0)
            rules_read_wrong(&loader, "a rule without text:", world->rules[i].name);
    if (loader.ok) return world;
    world_close(world);
    return NULL;
}

static const char world_text[] =
#include "words.world.inc"
#include "stories.world.inc"
#include "chats.world.inc"
    ;

World *world_open(Fault *fault) { return world_open_text(world_text, fault); }
