/* man.c - a command's man page, from the same tables as its help.  See help.h. */
#include "help.h"
#include "command.h"

#include "inference.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* \- stays a dash when copied into a shell; roff would change or interpret the others. */
static void put_sign(char sign) {
    switch (sign) {
    case '\\': fputs("\\e", stdout); break;
    case '-': fputs("\\-", stdout); break;
    case '\'': fputs("\\(aq", stdout); break;
    case '`': fputs("\\(ga", stdout); break;
    case '^': fputs("\\(ha", stdout); break;
    case '~': fputs("\\(ti", stdout); break;
    case '|': fputs("|\\:", stdout); break; /* allow a line break */
    default: putchar(sign);
    }
}

static void man_put_text(Text text) {
    for (size_t i = 0; i < text.size; i++) {
        bool first = i == 0 || text.data[i - 1] == '\n';
        if (first && text.data[i] == '.') fputs("\\&", stdout);
        put_sign(text.data[i]);
    }
}

void roff_text(const char *text) { man_put_text(text_of(text)); }

static void put_bold(const char *text) {
    fputs("\\fB", stdout), roff_text(text), fputs("\\fR", stdout);
}

/* "strata-world-check" */
static void man_put_name(const char *title, int (*turn)(int)) {
    for (; *title; title++) {
        if (*title == ' ' || *title == '-')
            fputs("\\-", stdout);
        else
            putchar(turn(*title));
    }
}

static int man_same(int letter) { return letter; }

void roff_head(const char *title) {
    printf(".TH ");
    man_put_name(title, toupper);
    printf(" 1 \"\" \"Strata %s\" \"Strata\"\n.SH NAME\n", strata_version());
    man_put_name(title, man_same);
    printf(" \\- ");
}

/* Bytes of the first sentence: up to a full stop, a semicolon, or a colon that ends a line,
 * outside parentheses. */
static size_t sentence_size(const char *text) {
    int depth = 0;
    size_t n = 0;
    for (; text[n]; n++) {
        bool ends = !text[n + 1] || isspace((unsigned char)text[n + 1]);
        depth += (text[n] == '(') - (text[n] == ')');
        if (depth == 0 &&
            ((text[n] == '.' && ends) || text[n] == ';' || strncmp(text + n, ":\n", 2) == 0))
            break;
    }
    return n;
}

/* The first sentence of the description, in one line: "Continue a prompt.  The text goes
 * ..." */
static void put_gloss(const char *about) {
    const size_t n = sentence_size(about);
    bool blank = false, word = islower((unsigned char)about[1]) || about[1] == ' ';
    put_sign(word ? (char)tolower(about[0]) : about[0]);
    for (size_t i = 1; i < n; i++) {
        bool space = isspace((unsigned char)about[i]);
        if (!space && blank) putchar(' ');
        if (!space) put_sign(about[i]);
        blank = space;
    }
    putchar('\n');
}

/* "matmul    GFLOP/s of ...": the bytes before a gap of two or more spaces; 0 for plain
 * text. */
static size_t item_size(Text line) {
    for (size_t i = 1; i + 2 < line.size; i++)
        if (line.data[i] == ' ' && line.data[i + 1] == ' ')
            return strchr(".,:;)", line.data[i - 1]) ? 0 : i;
    return 0;
}

static Text man_trimmed(Text line) {
    while (line.size && line.data[0] == ' ') line.data++, line.size--;
    return line;
}

/* Lines with a gap are list items, indented lines continue the one before, empty lines end
 * paragraphs. */
static void put_about(const char *about) {
    bool listed = false;
    for (Text rest = text_of(about); rest.size;) {
        const char *end = memchr(rest.data, '\n', rest.size);
        Text line = {rest.data, end ? (size_t)(end - rest.data) : rest.size},
             text = man_trimmed(line);
        rest.data += line.size + (end != NULL), rest.size -= line.size + (end != NULL);
        size_t item = line.size - text.size > 4 ? 0 : item_size(text);
        if (item) {
            fputs(".TP\n\\fB", stdout), man_put_text((Text){text.data, item});
            fputs("\\fR\n", stdout);
            text = man_trimmed((Text){text.data + item, text.size - item});
        } else if (!text.size || (listed && line.size == text.size)) {
            fputs(".PP\n", stdout);
        }
        listed = item || (listed && text.size && line.size > text.size);
        if (text.size) man_put_text(text), putchar('\n');
    }
}

static void put_option(const Option *o) {
    char range[80];
    fputs(".TP\n", stdout);
    put_bold(o->name);
    if (o->metavar) fputs(" \\fI", stdout), roff_text(o->metavar), fputs("\\fR", stdout);
    putchar('\n');
    help_range(o, range, sizeof range);
    roff_text(o->help), roff_text(range), putchar('\n');
}

static void put_rules(const OptionRule *rules) {
    char list[400], name[64];
    if (!rules) return;
    puts(".SH COMBINING OPTIONS");
    for (const OptionRule *r = rules; r->names; r++) {
        names_join(list, sizeof list, r->others, "or");
        for (const char *names = r->names; names_next(&names, name);) {
            fputs(".TP\n", stdout);
            put_bold(name);
            printf(" %s ", r->relation == NEEDS ? "needs" : "does not go with");
            roff_text(list), putchar('\n'), roff_text(r->advice), putchar('\n');
        }
    }
}

/* Usages of a command with subcommands go on separate lines: "world ... | world check ...". */
static void put_usage(const char *usage, const char *title) {
    char again[80];
    snprintf(again, sizeof again, " | %s ", title);
    for (const char *next; usage; usage = next ? next + 3 : NULL) {
        next = strstr(usage, again);
        Text text = {usage, next ? (size_t)(next - usage) : strlen(usage)};
        fputs("\\fBstrata\\fR ", stdout), man_put_text(text), putchar('\n');
        if (next) puts(".br");
    }
}

static void put_examples(const char *const *examples) {
    if (!*examples) return;
    puts(".SH EXAMPLES\n.nf");
    for (; *examples; examples++) roff_text(*examples), putchar('\n');
    puts(".fi");
}

void help_man(const CommandLine *line) {
    char title[64], whole[80];
    help_title(line, title, sizeof title);
    snprintf(whole, sizeof whole, "strata %s", title);
    roff_head(whole);
    put_gloss(line->command->about);
    puts(".nh\n.ad l\n.SH SYNOPSIS");
    put_usage(line->command->usage, title);
    puts(".SH DESCRIPTION");
    put_about(line->command->about);
    puts(".SH OPTIONS");
    for (const Option *o = line->command->options; o->name; o++) put_option(o);
    puts(".TP\n\\fB\\-\\-help\\fR\nusage and the most common options; \\fB\\-\\-help=all\\fR: "
         "all of them");
    put_rules(line->command->rules);
    put_examples(line->command->examples);
    puts(".SH EXIT STATUS\n0: success.  1: failure.  2: wrong usage.  3: refused by a grammar "
         "or template.  130: Ctrl-C.\n.SH SEE ALSO\n\\fBstrata\\fR(1)");
}
