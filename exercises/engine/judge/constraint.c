/* constraint.c - chapter 12: JSON that always parses, drawn by the model's odds among the
 * tokens that may come.  See engine.h. */
#include "engine.h"

#include "json.h"

/* What is read so far: open brackets, and where in a value one is. */
typedef struct State {
    char open[64], word[8]; /* word: what is left of true, false, null */
    int depth;
    enum {
        VALUE,
        FIRST_ITEM,
        FIRST_KEY,
        KEY,
        IN_KEY,
        COLON,
        STRING,
        MINUS,
        ZERO,
        NUMBER,
        WORD,
        AFTER,
        OVER,
        BAD
    } at;
} State;

static void after_value(State *s) { s->at = s->depth ? AFTER : OVER; }

static void take_after(State *s, int c) {
    char open = s->open[s->depth - 1];
    if (c == ',')
        s->at = open == '{' ? KEY : VALUE;
    else if (c == (open == '{' ? '}' : ']'))
        s->depth--, after_value(s);
    else
        s->at = BAD;
}

static void take_value(State *s, int c) {
    static const char *const words[] = {"true", "false", "null"};
    s->at = BAD;
    if ((c == '{' || c == '[') && s->depth < 60)
        s->open[s->depth++] = (char)c, s->at = c == '{' ? FIRST_KEY : FIRST_ITEM;
    if (c == '"') s->at = STRING;
    if (c == '-') s->at = MINUS;
    if (c >= '0' && c <= '9') s->at = c == '0' ? ZERO : NUMBER;
    for (int i = 0; i < 3; i++)
        if (c == words[i][0]) strcpy(s->word, words[i] + 1), s->at = WORD;
}

static void take_byte(State *s, int c) {
    bool letter = c >= 32 && c < 127 && c != '"' && c != '\\', digit = c >= '0' && c <= '9';
    switch (s->at) {
    case FIRST_ITEM:
        if (c == ']')
            s->depth--, after_value(s);
        else
            take_value(s, c);
        break;
    case VALUE: take_value(s, c); break;
    case FIRST_KEY:
        if (c == '}')
            s->depth--, after_value(s);
        else
            s->at = c == '"' ? IN_KEY : BAD;
        break;
    case KEY: s->at = c == '"' ? IN_KEY : BAD; break;
    case IN_KEY: s->at = c == '"' ? COLON : letter ? IN_KEY : BAD; break;
    case COLON: s->at = c == ':' ? VALUE : BAD; break;
    case STRING:
        if (c == '"')
            after_value(s);
        else if (!letter)
            s->at = BAD;
        break;
    case MINUS: s->at = !digit ? BAD : c == '0' ? ZERO : NUMBER; break;
    case WORD:
        if (c != s->word[0])
            s->at = BAD;
        else if (memmove(s->word, s->word + 1, strlen(s->word)), !s->word[0])
            after_value(s);
        break;
    case NUMBER:
        if (!digit) take_after(s, c);
        break;
    case ZERO:
    case AFTER: take_after(s, c); break;
    case OVER:
    case BAD: s->at = BAD;
    }
}

/* Bytes of the shortest way to an end: {"":0} and the like. */
static int bytes_to_end(const State *s) {
    static const int more[] = {[VALUE] = 1,  [KEY] = 4,   [IN_KEY] = 3, [COLON] = 2,
                               [STRING] = 1, [MINUS] = 1, [BAD] = 0};
    return s->depth + (s->at == WORD ? (int)strlen(s->word) : more[s->at]);
}

static State take_token(const TestModel *m, State s, int token) {
    if (token == m->end) s.at = BAD;
    for (int i = 0; token != m->end && i < m->size[token]; i++)
        take_byte(&s, m->bytes[token][i]);
    return s;
}

static bool may_come(const TestModel *m, const State *s, int token, int left) {
    State next = take_token(m, *s, token);
    return next.at != BAD && bytes_to_end(&next) <= left - 1 &&
           (s->depth || m->bytes[token][0] == '{');
}

/* The odds after these tokens, among those that may come. */
static void allowed_odds(const TestModel *m, const int *ids, int n, const State *s, int left,
                         double *p) {
    Reading r = reading_begin(m);
    double sum = 0;
    for (int i = 0; i < n; i++) reading_take(&r, ids[i]);
    chances(r.logits, m->vocab, 1, p);
    for (int i = 0; i < m->vocab; i++) sum += p[i] = may_come(m, s, i, left) ? p[i] : 0;
    for (int i = 0; i < m->vocab; i++) p[i] /= sum;
    reading_end(&r);
}

enum { PROMPT = 5, MOST_TEXTS = 2000, LONGEST = 40 };
typedef struct Texts {
    int n, size[MOST_TEXTS], token[MOST_TEXTS][LONGEST];
} Texts;

/* Lines of ids: each must be a whole object, of at most `longest` tokens. */
static void read_texts(const TestModel *m, Reply r, int n, int longest, Texts *t) {
    char *line = r.text;
    for (t->n = 0; t->n < n; t->n++) {
        char text[LONGEST * PIECE + 1];
        size_t size = 0;
        int *count = &t->size[t->n];
        need(*line, "%d lines printed, expected %d", t->n, n);
        for (*count = 0; *line && *line != '\n';) {
            char *end;
            long token = strtol(line, &end, 10);
            need(end != line && token >= 0 && token < m->vocab && token != m->end,
                 "line %d is not a line of tokens of a text: %.20s", t->n + 1, line);
            need(*count < longest,
                 "line %d has more than %d tokens: it must come to its end in time", t->n + 1,
                 longest);
            t->token[t->n][(*count)++] = (int)token;
            memcpy(text + size, m->bytes[token], (size_t)m->size[token]),
                size += (size_t)m->size[token];
            for (line = end; *line == ' ';) line++;
        }
        if (*line) line++;
        Fault fault = {0};
        State s = {.at = VALUE};
        Json *json = json_read((Text){text, size}, &fault);
        for (size_t i = 0; i < size; i++) take_byte(&s, (unsigned char)text[i]);
        need(json && text[0] == '{', "line %d is no JSON object: %.*s (%s)", t->n + 1,
             (int)size, text, json ? "begin with {" : fault.text);
        need(s.at == OVER,
             "line %d is JSON, but not of the contract's grammar (no spaces, no escapes, "
             "integers): %.*s",
             t->n + 1, (int)size, text);
        json_free(json);
    }
}

static void need_texts(const TestModel *m, const int *prompt, int longest) {
    static Texts t;
    int ids[PROMPT + LONGEST], n = PROMPT;
    double p[TOKENS];
    State s = {.at = VALUE};
    memcpy(ids, prompt, PROMPT * sizeof *ids);
    Reply r = ask("json %s %d %d %d", judge_path("model.gguf"), longest, MOST_TEXTS,
                  judge_between(1, 100000));
    read_texts(m, r, MOST_TEXTS, longest, &t);
    for (int position = 0; position < 4 && s.at != OVER; position++) {
        long count[TOKENS] = {0}, lines = 0;
        char what[100];
        int best = 0;
        for (int i = 0; i < t.n; i++)
            if (t.size[i] > position &&
                memcmp(t.token[i], ids + PROMPT, (size_t)position * sizeof *ids) == 0)
                count[t.token[i][position]]++, lines++;
        if (lines < 60) return;
        allowed_odds(m, ids, n, &s, longest - position, p);
        snprintf(what, sizeof what,
                 "token %d of the texts that begin alike, of the tokens that may come",
                 position + 1);
        need_odds(what, p, count, m->vocab);
        for (int i = 0; i < m->vocab; i++)
            if (count[i] > count[best]) best = i;
        s = take_token(m, s, best), ids[n++] = best;
    }
}

void chapter_json(void) {
    TestModel m = test_sizes();
    int prompt[PROMPT];
    m.json_pairs = true, m.n_merges = 60, m.spread = 1.5;
    m.layers = 2, m.dim = 32, m.hidden = 64;
    test_fill(&m);
    test_write(&m, "model.gguf");
    some_ids(&m, prompt, PROMPT);
    FILE *in = judge_input("in");
    write_ids(in, prompt, PROMPT);
    fclose(in);
    need_texts(&m, prompt, 24);
    need_texts(&m, prompt, 3);
}
