/* pairs.c - chapter 3: byte pairs, against the library's.  See judge.h. */
#include "chapters.h"

/* What stands between words: in the second row what is rare in stories. */
enum { USUAL, RARE, JOINTS = 17, MOST_MERGES = 80 };
static const char *const joints[][JOINTS] = {
    {" ", " ", " ", " ", " ", " ", ", ", ". ", "\n\n", "  ", "'s ", "'ll ", " 12 ", "7 ",
     "! \"", "-", "\n "},
    {" ", "'t ", "'re ", "'ve ", "'m ", "'d ", "'d", "'ll", ".\t", "\t\t", " \r\n", "!\f",
     "?\v", "_", "\t ", "aaa ", "uuuuu "}};

/* Words of a few syllables, so that pairs are often equally frequent, and all that cuts words. */
static void random_words(FILE *file, int n, int kind) {
    static const char *const vowels[] = {"a", "e", "i", "o", "u", "\xc3\xa9"};
    char syllables[8][6];
    for (int i = 0; i < 8; i++)
        snprintf(syllables[i], 6, "%c%s%s", 'b' + judge_between(0, 20),
                 vowels[i < 2 ? 5 : judge_between(0, 5)], judge_between(0, 1) ? "n" : "");
    for (int i = 0; i < n; i++) {
        for (int k = judge_between(1, 3); k > 0; k--)
            fputs(syllables[judge_between(0, 7)], file);
        fputs(joints[kind][judge_between(0, JOINTS - 1)], file);
    }
}

typedef struct Learned {
    unsigned char *bytes;
    Gguf gguf;
    Tokenizer *tokenizer;
} Learned;

static Learned library_pairs(Text text, int merges) {
    static const char *const end[] = {"<|endoftext|>"};
    Learned l = {0};
    Fault fault;
    size_t size;
    GgufWriter *out = gguf_writer_open(&fault);
    bool ok = out && bpe_train(&text, 1, end, 1, 257 + (size_t)merges, out, &fault) &&
              gguf_write_memory(out, &l.bytes, &size, &fault) &&
              gguf_parse(&l.gguf, l.bytes, size, &fault) &&
              (l.tokenizer = tokenizer_open(&l.gguf, &fault));
    need(ok, "the judge: %s", fault.text);
    gguf_writer_close(out);
    return l;
}

/* Where a string stands in an array of strings; the learner has no end token before the bytes. */
static int place_of(const GgufPair *names, Text name) {
    const unsigned char *cursor = names->data;
    for (uint64_t i = 0; i < names->count; i++)
        if (text_equal(gguf_next_string(&cursor), name)) return (int)i - 1;
    return -1;
}

/* The two tokens of every merge, as the learner numbers them. */
static void library_merges(const Gguf *gguf, int (*pairs)[2]) {
    const GgufPair *names = gguf_find(gguf, "tokenizer.ggml.tokens"),
                   *merges = gguf_find(gguf, "tokenizer.ggml.merges");
    const unsigned char *cursor = merges->data;
    for (uint64_t i = 0; i < merges->count; i++) {
        Text text = gguf_next_string(&cursor);
        size_t left = (size_t)((const char *)memchr(text.data, ' ', text.size) - text.data);
        pairs[i][0] = place_of(names, (Text){text.data, left});
        pairs[i][1] = place_of(names, (Text){text.data + left + 1, text.size - left - 1});
    }
}

/* The bytes of a token by the merges that the learner printed. */
static int spell_token(const double *merges, int token, char *out, int most) {
    if (token < 256) return most > 0 ? (*out = (char)token, 1) : 0;
    int n = spell_token(merges, (int)merges[2 * (token - 256)], out, most);
    return n + spell_token(merges, (int)merges[2 * (token - 256) + 1], out + n, most - n);
}

/* Whether the learner's merge i joins what two words hold. */
static bool crosses_words(const double *merges, int i) {
    char bytes[128];
    int n = spell_token(merges, 256 + i, bytes, sizeof bytes);
    for (int k = 1; k < n; k++)
        if (bytes[k] == ' ' || bytes[k] == '\n') return true;
    return false;
}

static bool is_space(int token) { return token >= '\t' && token <= '\r' && token != '\n'; }

/* What a pair that was missed, or found instead, says about how words are cut and counted. */
static const char *about_pair(const double *merges, const int *want, const int *got) {
    char bytes[128];
    int n = spell_token(merges, want[0], bytes, 60), same = 1;
    n += spell_token(merges, want[1], bytes + n, 60);
    while (same < n && bytes[same] == bytes[0]) same++;
    if (same == n) return "in aaa the pair a a counts twice and is merged once, from the left";
    if (is_space(want[0]) || is_space(want[1]) || is_space(got[0]) || is_space(got[1]))
        return "white space is bytes 9 to 13 and 32";
    if (want[0] == '\'' || want[1] == '\'' || got[0] == '\'')
        return "endings like 's are words of their own: 's 't 're 've 'm 'll 'd";
    if (want[0] == ' ') return "a space belongs to the word after it";
    return "cut the text into words first";
}

static Text file_text(const char *name) {
    char command[600];
    int status;
    snprintf(command, sizeof command, "cat %s", judge_path(name));
    Reply r = judge_command(command, &status);
    return (Text){r.text, r.size};
}

/* The pairs of a text of such words, as the library learns them. */
static Learned judge_pairs(const char *name, int words, int kind, int merges) {
    FILE *file = judge_input(name);
    random_words(file, words, kind);
    fclose(file);
    Learned l = library_pairs(file_text(name), merges);
    Reply r = ask("pairs %s %d", judge_path(name), merges);
    need(r.n == 2 * (size_t)merges, "%d lines of two tokens expected, got %zu numbers", merges,
         r.n);
    int pairs[MOST_MERGES][2];
    library_merges(&l.gguf, pairs);
    for (int i = 0; i < merges; i++) {
        const int *want = pairs[i];
        int left = (int)r.numbers[2 * i], right = (int)r.numbers[2 * i + 1];
        if (left == want[0] && right == want[1]) continue;
        need(left >= 0 && right >= 0 && left < 256 + i && right < 256 + i,
             "merge %d is %d %d: tokens up to %d exist by then", i + 1, left, right, 255 + i);
        need(kind == RARE || !crosses_words(r.numbers, i),
             "merge %d is %d %d, expected %d %d: a pair is inside a word, and a space begins "
             "one",
             i + 1, left, right, want[0], want[1]);
        refuse("merge %d of %s is %d %d, expected %d %d: %s; count all pairs of tokens inside "
               "words again after each merge; of equally frequent ones the lower left wins, "
               "then the lower right",
               i + 1, judge_path(name), left, right, want[0], want[1],
               about_pair(r.numbers, want, (int[]){left, right}));
    }
    return l;
}

static void judge_tokens(Learned l, const char *name, int kind, int merges) {
    FILE *file = judge_input("in");
    random_words(file, 40, kind);
    fputs("It's 1999,  isn't it?\n\n\nYes  \n", file);
    fclose(file);
    TokenList want = {0};
    Fault fault;
    need(tokenizer_encode(l.tokenizer, file_text("in"), false, &want, &fault), "the judge: %s",
         fault.text);
    Reply r = ask("tokens %s %d", judge_path(name), merges);
    for (size_t i = 0; i < want.count && i < r.n; i++)
        need(r.numbers[i] == want.ids[i] - 1,
             "token %zu of the text in %s is %g, expected %d: cut it into words, then apply "
             "the pairs in the order in which they were learned",
             i + 1, judge_path("in"), r.numbers[i], want.ids[i] - 1);
    need(r.n == want.count,
         "%zu tokens printed, expected %zu: all of standard input counts, its last "
         "newline, too",
         r.n, want.count);
}

void chapter_pairs(void) {
    int merges = judge_between(25, 45);
    judge_tokens(judge_pairs("words.txt", 600, USUAL, merges), "words.txt", USUAL, merges);
    merges = judge_between(60, 70);
    judge_tokens(judge_pairs("rare.txt", 900, RARE, merges), "rare.txt", RARE, merges);
}
