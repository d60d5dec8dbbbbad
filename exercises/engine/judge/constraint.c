/* constraint.c - chapter 12: JSON that always parses, drawn by the model's odds among the
 * tokens that may come.  See engine.h. */
#include "engine.h"

#include "json_state.h"
#include "json.h"

static State take_token(const TestModel *m, State s, int token) {
    if (token == m->end) s.at = BAD;
    for (int i = 0; token != m->end && i < m->size[token]; i++)
        state_take(&s, m->bytes[token][i]);
    return s;
}

static bool may_come(const TestModel *m, const State *s, int token, int left) {
    State next = take_token(m, *s, token);
    return next.at != BAD && state_left(&next) <= left - 1 &&
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
        for (size_t i = 0; i < size; i++) state_take(&s, (unsigned char)text[i]);
        need(json && text[0] == '{', "line %d is no JSON object: %.*s (%s)", t->n + 1,
             (int)size, text, json ? "begin with {" : fault.text);
        need(s.at == OVER,
             "line %d is JSON, but not of the contract's grammar (no spaces, no escapes, "
             "integers): %.*s",
             t->n + 1, (int)size, text);
        json_free(json);
    }
}

/* --- all tokens of all lines: how often does each piece of the grammar come? */

/* A piece is a byte in a state, and an opening bracket at a depth. */
enum { STATES = BAD, DEPTHS = 20, PIECES = (STATES + DEPTHS) * 128 };
enum { ITEM = 1 }; /* for the comma between items: that between members is ',' */

typedef struct Tally {
    double want[PIECES];
    long count[PIECES];
} Tally;

static const char *const state_names[STATES] = {"where a value begins",
                                                "after [",
                                                "after {",
                                                "after the comma of an object",
                                                "in a key",
                                                "after a key",
                                                "in a string",
                                                "after -",
                                                "after 0",
                                                "in a number",
                                                "in true, false or null",
                                                "after a value",
                                                "after the end"};

/* The pieces of a token, each once; returns how many. */
static int pieces_of(const TestModel *m, State s, int token, int *piece) {
    int n = 0;
    for (int i = 0; i < m->size[token]; i++) {
        int c = m->bytes[token][i], at = s.at == FIRST_ITEM && c != ']' ? VALUE : s.at;
        int found[2] = {at * 128 + c, -1};
        bool opens = (c == '{' || c == '[') && s.at != IN_KEY && s.at != STRING;
        bool ends = s.at == AFTER || s.at == ZERO || s.at == NUMBER;
        if (ends && c == ',' && s.open[s.depth - 1] == '[') found[0] = s.at * 128 + ITEM;
        if (opens) found[1] = (STATES + (s.depth < DEPTHS ? s.depth : DEPTHS - 1)) * 128 + c;
        for (int f = 0; f < 2; f++) {
            int k = 0;
            while (k < n && piece[k] != found[f]) k++;
            if (k == n && found[f] >= 0) piece[n++] = found[f];
        }
        state_take(&s, c);
    }
    return n;
}

static const Texts *sorted;
static int by_tokens(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    for (int i = 0; i < sorted->size[x] && i < sorted->size[y]; i++)
        if (sorted->token[x][i] != sorted->token[y][i])
            return sorted->token[x][i] < sorted->token[y][i] ? -1 : 1;
    return sorted->size[x] - sorted->size[y];
}

/* n sorted lines that begin with the tokens that were read. */
static void tally(Reading *r, State s, const int *lines, int n, int position, int left,
                  Tally *t) {
    const TestModel *m = r->m;
    double p[TOKENS], sum = 0;
    int piece[2 * PIECE], read = r->n;
    chances(r->logits, m->vocab, 1, p);
    for (int i = 0; i < m->vocab; i++) sum += p[i] = may_come(m, &s, i, left) ? p[i] : 0;
    for (int i = 0; i < m->vocab; i++)
        for (int k = p[i] > 0 ? pieces_of(m, s, i, piece) : 0; k > 0;)
            t->want[piece[--k]] += n * p[i] / sum;
    for (int i = 0, same; i < n; i += same) {
        int token = sorted->token[lines[i]][position];
        for (same = 1; i + same < n && sorted->token[lines[i + same]][position] == token;)
            same++;
        need(p[token] > 0, "token %d of line %d is %d, and must never be: %s", position + 1,
             lines[i] + 1, token, "no object can end in time after it");
        for (int k = pieces_of(m, s, token, piece); k > 0;) t->count[piece[--k]] += same;
        State next = take_token(m, s, token);
        if (next.at == OVER) continue;
        reading_take(r, token);
        tally(r, next, lines + i, same, position + 1, left - 1, t);
        r->n = read;
    }
}

/* How far a count is from a sum of odds: a right program's is 23 once in 10^10, by Chernoff. */
static double too_far(double count, double want) {
    return want - count + (count > 0 ? count * log(count / want) : 0);
}

static Tally all; /* of all texts */

/* A piece that never comes tells most. */
static double worth(int piece) {
    double far = too_far((double)all.count[piece], all.want[piece]);
    return all.count[piece] > 0 ? far : 100 * far;
}

static void tally_texts(const TestModel *m, const int *prompt, const Texts *t, int longest) {
    static int lines[MOST_TEXTS];
    Reading r = reading_begin(m);
    State s = {.at = VALUE};
    sorted = t;
    for (int i = 0; i < t->n; i++) lines[i] = i;
    qsort(lines, (size_t)t->n, sizeof *lines, by_tokens);
    for (int i = 0; i < PROMPT; i++) reading_take(&r, prompt[i]);
    tally(&r, s, lines, t->n, 0, longest, &all);
    reading_end(&r);
}

static void need_pieces(void) {
    int worst = 0;
    char what[80];
    for (int i = 0; i < PIECES; i++)
        if (too_far((double)all.count[i], all.want[i]) > 23 && worth(i) > worth(worst))
            worst = i;
    int c = worst % 128, at = worst / 128;
    if (at >= STATES)
        snprintf(what, sizeof what, "%c within %d brackets", c, at - STATES);
    else if (c == ITEM)
        snprintf(what, sizeof what, "the comma of an array, %s,", state_names[at]);
    else
        snprintf(what, sizeof what, "'%c' %s", c, state_names[at]);
    need(too_far((double)all.count[worst], all.want[worst]) < 23,
         "%s comes %ld times, expected about %.0f: all that the grammar allows may come, by "
         "the model's odds",
         what, all.count[worst], all.want[worst]);
}

static void need_texts(const TestModel *m, const int *prompt, int wanted, int longest) {
    static Texts t;
    int ids[PROMPT + LONGEST], n = PROMPT;
    double p[TOKENS];
    State s = {.at = VALUE};
    memcpy(ids, prompt, PROMPT * sizeof *ids);
    Reply r = ask("json %s %d %d %d", judge_path("model.gguf"), longest, wanted,
                  judge_between(1, 100000));
    read_texts(m, r, wanted, longest, &t);
    for (int position = 0; position < 4 && s.at != OVER; position++) {
        long count[TOKENS] = {0}, lines = 0;
        char what[100];
        int best = 0;
        for (int i = 0; i < t.n; i++)
            if (t.size[i] > position &&
                memcmp(t.token[i], ids + PROMPT, (size_t)position * sizeof *ids) == 0)
                count[t.token[i][position]]++, lines++;
        if (lines < 60) break;
        allowed_odds(m, ids, n, &s, longest - position, p);
        snprintf(what, sizeof what,
                 "token %d of the texts that begin alike, of the tokens that may come",
                 position + 1);
        need_odds(what, p, count, m->vocab);
        for (int i = 0; i < m->vocab; i++)
            if (count[i] > count[best]) best = i;
        s = take_token(m, s, best), ids[n++] = best;
    }
    if (m->marks) tally_texts(m, prompt, &t, longest);
}

/* marks: 0, words of JSON; 1, marks of JSON, above all short strings and numbers; 2, brackets
 * within brackets. */
static void json_of(int marks) {
    TestModel m = test_sizes();
    int prompt[PROMPT];
    m.json_pairs = true, m.marks = marks, m.n_merges = (int[]){60, 20, 6}[marks];
    m.layers = marks ? 1 : 2, m.dim = marks ? 16 : 32, m.hidden = marks ? 16 : 64;
    m.spread = marks ? 0.4 : 1.5, m.tied = m.tied && !marks;
    test_fill(&m);
    test_write(&m, "model.gguf");
    some_ids(&m, prompt, PROMPT);
    FILE *in = judge_input("in");
    write_ids(in, prompt, PROMPT);
    fclose(in);
    need_texts(&m, prompt, marks ? 800 : MOST_TEXTS, marks == 2 ? LONGEST : 24);
    if (!marks) need_texts(&m, prompt, MOST_TEXTS, 3);
}

void chapter_json(void) {
    json_of(1), json_of(2);
    need_pieces();
    json_of(0);
}
