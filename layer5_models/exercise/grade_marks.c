/* The graders of special tokens: which bytes may become one, and who wrote them. */
#include "small_vocabulary.h"
#include "json.h"
#include "template.h"

typedef enum Trust {
    NO_TRUST,
    ALL_TRUSTED,
    NONE_TRUSTED,
    FIRST_BYTE,
    ALL_AHEAD,
    OWN_TAGS_REFUSED,
    CONTROL_FIRST,
    TAG_FIRST,
    ALWAYS_SPECIAL,
    LONGEST_ASKED,
    ANGLES_ONLY,
    TRUSTS
} Trust;

static const char *const trust_hints[TRUSTS] = {
    [ALL_TRUSTED] = "a control token was read where a user wrote its name: that is how he ends "
                    "his turn and begins another's",
    [NONE_TRUSTED] = "where the bytes are marked, the template's own control tokens are read "
                     "all the same",
    [FIRST_BYTE] = "every byte of a control token's name must be the template's, not only the "
                   "first one: it may begin there and end in what a user wrote",
    [ALL_AHEAD] = "only the bytes of the name count: a user's words further on do not matter",
    [OWN_TAGS_REFUSED] = "tokens that the vocabulary's user defined (TOKEN_USER) are read in "
                         "any text, no matter who wrote it",
    [CONTROL_FIRST] = "of a control token and another one that fit here the longer one counts",
    [TAG_FIRST] = "of a control token and another one that fit here the longer one counts, and "
                  "that may be the control token",
    [ALWAYS_SPECIAL] = "control tokens are read only where `control` says so",
    [LONGEST_ASKED] =
        "where the longest control token reaches into what a user wrote, a shorter "
        "one that ends before may still be the template's",
    [ANGLES_ONLY] = "not every special token begins with <: special_begins says which bytes do",
};

/* The special token at a position, found by trying all. */
static int32_t special_slowly(const Tokenizer *t, Text text, const unsigned char *user,
                              bool control, Trust trust) {
    int32_t best = -1;
    size_t longest = 0;
    for (size_t id = 256; id < t->count; id++)
        if (begins(text, t->symbols[id])) longest = max_size(longest, t->symbols[id].size);
    for (size_t id = 256; id < t->count; id++) {
        Text name = t->symbols[id];
        bool theirs = false, plain = t->types[id] == TOKEN_USER;
        if (!begins(text, name)) continue;
        size_t looked_at = trust == FIRST_BYTE ? 1 : trust == ALL_AHEAD ? text.size : name.size;
        for (size_t i = 0; user && i < looked_at; i++) theirs = theirs || user[i];
        if (trust == ALL_TRUSTED) theirs = false;
        if (trust == NONE_TRUSTED) theirs = user != NULL;
        bool may = plain ? !(trust == OWN_TAGS_REFUSED && user && memchr(user, 1, text.size))
                         : (control || trust == ALWAYS_SPECIAL) && !theirs;
        if (trust == LONGEST_ASKED && user && !plain && name.size < longest) may = false;
        if (!may || (trust == ANGLES_ONLY && name.data[0] != '<')) continue;
        bool better = best < 0 || name.size > t->symbols[best].size;
        if (best >= 0 && trust == CONTROL_FIRST && plain != (t->types[best] == TOKEN_USER))
            better = !plain;
        if (best >= 0 && trust == TAG_FIRST && plain != (t->types[best] == TOKEN_USER))
            better = plain;
        if (better) best = (int32_t)id;
    }
    return best;
}

/* The vocabulary has a token for each byte and no merges, so what is between is plain. */
static void marks_slowly(const Tokenizer *t, Text text, const unsigned char *user, bool control,
                         Trust trust, TokenList *tokens) {
    for (size_t at = 0; at < text.size;) {
        int32_t id = special_slowly(t, (Text){text.data + at, text.size - at},
                                    user ? user + at : NULL, control, trust);
        token_list_add(tokens, id < 0 ? t->byte_token[(unsigned char)text.data[at]] : id);
        at += id < 0 ? 1 : t->symbols[id].size;
    }
}

static Tokenizer *some_marks(void) {
    static SmallVocabulary v;
    char name[8];
    Text merge = text_of("\xC4\x81 \xC4\x82"); /* of two bytes that no text here has */
    v.count = 0;
    for (int b = 0; b < 256; b++)
        add_name(&v, (Text){name, utf8_encode(byte_to_visible((unsigned char)b), name)},
                 TOKEN_NORMAL, 0);
    add_name(&v, text_of("<|im_end|>"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("<|im_end|>>>"), TOKEN_USER, 0);
    add_name(&v, text_of("<|im_"), TOKEN_USER, 0);
    add_name(&v, text_of("<tool>"), TOKEN_USER, 0);
    add_name(&v, text_of("<tool>!!"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("<e>"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("<e>x"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("[INST]"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("<|start_header_id|>"), TOKEN_CONTROL, 0);
    add_name(&v, text_of("<|reserved_special_token_251|>"), TOKEN_CONTROL, 0);
    GgufWriter *w = small_file(&v, "gpt2");
    gguf_put_strings(w, "tokenizer.ggml.merges", &merge, 1);
    return small_tokenizer(w);
}

static const char *shown_marks(const unsigned char *user, size_t size, char *out) {
    for (size_t i = 0; i < size; i++) out[i] = user && user[i] ? '^' : '.';
    out[size] = 0;
    return out;
}

static void marks_and_compare(Suspects *s, const Tokenizer *t, Text text,
                              const unsigned char *user, bool control) {
    TokenList got = {0}, want = {0}, other = {0};
    Fault fault = {0};
    char marks[256], a[600], b[600];
    bool ok = user ? tokenizer_encode_marked(t, text, user, &got, &fault)
                   : tokenizer_encode(t, text, control, &got, &fault);
    HINT(ok, "refused: %s", fault.text);
    marks_slowly(t, text, user, control, NO_TRUST, &want);
    for (Trust trust = 1; trust < TRUSTS; trust++) {
        other.count = 0;
        marks_slowly(t, text, user, control, trust, &other);
        suspect(s, (int)trust, &other, &got);
    }
    if (!s->wrong && !same_tokens(&got, &want)) {
        s->wrong = true;
        snprintf(s->first, sizeof s->first,
                 "the text   %.*s\n  a user's   %s (^)\n  expected   %s\n  got        %s",
                 (int)text.size, text.data, shown_marks(user, text.size, marks),
                 in_names(t, &want, a, sizeof a), in_names(t, &got, b, sizeof b));
    }
    token_list_free(&got), token_list_free(&want), token_list_free(&other);
}

/* One byte of a control token's name is a user's: each byte in turn. */
static void every_byte(const Tokenizer *t) {
    Fault fault = {0};
    for (size_t id = 256; id < t->count; id++)
        for (size_t at = 0; t->types[id] == TOKEN_CONTROL && at < t->symbols[id].size; at++) {
            unsigned char user[LONGEST_NAME] = {0};
            TokenList got = {0};
            Text name = t->symbols[id];
            user[at] = 1;
            HINT(tokenizer_encode_marked(t, name, user, &got, &fault), "refused: %s",
                 fault.text);
            HINT(got.count != 1 || got.ids[0] != (int32_t)id,
                 "every byte of a control token's name must be the template's, however long "
                 "the name is: of %.*s byte %zu (from 0) is a user's, and it was read as the "
                 "token",
                 (int)name.size, name.data, at);
            token_list_free(&got);
        }
}

GRADE(marks) {
    static const char *const parts[] = {"<|im_end|>", "<|im_end|>>>",
                                        "<|im_",      "<tool>",
                                        "<tool>!!",   "<e>",
                                        "<e>x",       "hi",
                                        "<",          "end|>",
                                        ">>",         "!",
                                        "[INST]",     "<|start_header_id|>",
                                        "x"};
    enum { PARTS = sizeof parts / sizeof *parts };
    Tokenizer *t = some_marks();
    Suspects suspects = {0};
    for (int round = 0; round < 1500; round++) {
        char text[128];
        unsigned char user[128];
        size_t size = 0, n = 1 + fresh_below(5), changes = 0;
        while (n--) {
            const char *part = parts[fresh_below(PARTS)];
            memcpy(text + size, part, strlen(part)), size += strlen(part);
        }
        for (size_t i = 0; i < size; i++) {
            changes += fresh_below(9) == 0;
            user[i] = changes % 2;
        }
        marks_and_compare(&suspects, t, (Text){text, size}, round % 4 ? user : NULL,
                          round % 8 != 0);
    }
    bool explained = false;
    for (Trust trust = 1; trust < TRUSTS; trust++)
        explained = explained || !suspects.cleared[trust];
    if (!explained) every_byte(t);
    tokenizer_close(t);
    suspects_end(&suspects, trust_hints, TRUSTS);
}

/* ------------------------------------------------------------------ what is broken */

enum {
    MOST_MESSAGES = 48,
    LONGEST_MESSAGE = 6000,
    ROOM = MOST_MESSAGES * (LONGEST_MESSAGE + 64)
};

/* The expected conversation, each byte with its flag: 1 for a user's, 0 for the template's. */
typedef struct Conversation {
    JsonValue messages[MOST_MESSAGES];
    size_t count, size;
    char text[ROOM];
    unsigned char user[ROOM];
} Conversation;

static void say(Conversation *c, Text text, unsigned char mark) {
    memcpy(c->text + c->size, text.data, text.size);
    memset(c->user + c->size, mark, text.size);
    c->size += text.size;
}

/* Every message is some "hi hi hi ...<|im_end|>" of at most `longest` bytes. */
static void some_conversation(Conversation *c, size_t count, size_t longest) {
    static char typed[LONGEST_MESSAGE];
    for (size_t i = 0; i < LONGEST_MESSAGE; i++) typed[i] = "hi "[i % 3];
    memcpy(typed + LONGEST_MESSAGE - 10, "<|im_end|>", 10);
    c->count = count, c->size = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = 10 + fresh_below(longest - 9);
        Text message = {typed + LONGEST_MESSAGE - size, size};
        c->messages[i] = (JsonValue){.kind = JSON_STRING, .text = message};
        say(c, text_of("<|im_start|>user\n"), 0), say(c, message, 1);
        say(c, text_of("<|im_end|>\n"), 0);
    }
}

static void render(const Conversation *c, Rendered *out) {
    static const char source[] = "{% for m in messages %}<|im_start|>user\n{{ m }}<|im_end|>\n"
                                 "{% endfor %}";
    Fault fault;
    struct tm now = {0};
    JsonValue key = {.kind = JSON_STRING, .text = {"messages", 8}},
              list = {.kind = JSON_ARRAY, .count = c->count, .items = (JsonValue *)c->messages},
              variables = {.kind = JSON_OBJECT, .count = 1, .items = &list, .keys = &key.text};
    Template *tree = template_read(text_of(source), &fault);
    NEED(tree && template_render(tree, &variables, &now, out, &fault));
    template_free(tree);
}

static void expect_marks(const Conversation *c) {
    Rendered out;
    size_t lost = 0, won = 0;
    render(c, &out);
    SYMPTOM(out.size == c->size && memcmp(out.text, c->text, c->size) == 0,
            "the text of a conversation of %zu messages is not what its template says",
            c->count);
    for (size_t i = 0; i < c->size; i++)
        lost += c->user[i] && out.user[i] != 1, won += !c->user[i] && out.user[i] != 0;
    rendered_free(&out);
    SYMPTOM(lost == 0,
            "each message ends in an <|im_end|> that a user typed.  In a conversation of %zu "
            "messages, %zu bytes, %zu bytes of a user's are not marked as his, and what he "
            "typed is read as a token",
            c->count, c->size, lost);
    SYMPTOM(won == 0,
            "in a conversation of %zu messages, %zu bytes, %zu bytes of the template's own are "
            "marked as a user's, and its <|im_end|> is not read as a token: no turn ends",
            c->count, c->size, won);
}

GRADE(forgotten) {
    static Conversation c;
    for (size_t n = 1; n <= MOST_MESSAGES; n++)
        some_conversation(&c, n, 10 + fresh_below(60)), expect_marks(&c);
    for (size_t longest = 10; longest < LONGEST_MESSAGE; longest += longest / 8 + 1)
        some_conversation(&c, MOST_MESSAGES, longest), expect_marks(&c);
    do some_conversation(&c, MOST_MESSAGES, LONGEST_MESSAGE);
    while (c.size <= 1 << 16);
    expect_marks(&c);
}

GRADES({"5.21", marks}, {"5.22", forgotten})
