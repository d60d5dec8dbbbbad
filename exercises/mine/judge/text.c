/* text.c - chapters 1 to 3: counts, babble, pairs.  See judge.h. */
#include "chapters.h"

/* ------------------------------------------------------------------ 1 */

double entropy_of(const double *count, int n) {
    double total = 0, nats = 0;
    for (int i = 0; i < n; i++) total += count[i];
    for (int i = 0; i < n; i++)
        if (count[i] > 0) nats -= count[i] / total * log(count[i] / total);
    return nats;
}

void chapter_bytes(void) {
    double count[256] = {0}, got[256] = {0}, sum = 0;
    int size = judge_between(70000, 90000), shift = judge_between(0, 255), kinds = 0;
    FILE *file = judge_input("bytes.bin");
    for (int i = 0; i < size; i++) {
        static const int often[] = {255, 0, 10, 13, 26, 200};
        int byte = judge_uniform() < 0.2
                       ? often[judge_between(0, 5)]
                       : (shift + (int)(90 * judge_uniform() * judge_uniform())) & 255;
        count[byte]++;
        fputc(byte, file);
    }
    fclose(file);
    Reply r = ask("bytes %s", judge_path("bytes.bin"));
    for (int i = 0; i < 256; i++) kinds += count[i] > 0;
    double entropy = named(r, "entropy");
    need(!isnan(entropy) && r.n % 2, "print lines `byte count`, then a line `entropy X`");
    for (size_t i = 0; i + 1 < r.n; i += 2) {
        need(r.numbers[i] >= 0, "a byte of %g: a char may be signed; take unsigned char",
             r.numbers[i]);
        need(r.numbers[i] < 256, "a byte of %g: bytes end at 255", r.numbers[i]);
        need(r.numbers[i + 1] > 0, "byte %g is listed with count 0: list only bytes that occur",
             r.numbers[i]);
        need(i == 0 || r.numbers[i] > r.numbers[i - 2], "list the bytes in order");
        got[(int)r.numbers[i]] = r.numbers[i + 1], sum += r.numbers[i + 1];
    }
    need(sum == size,
         "%g bytes are counted, the file has %d: neither 0 nor 255 nor 26 ends it, and no byte "
         "is "
         "changed or skipped on reading",
         sum, size);
    for (int i = 0; i < 256; i++)
        need(got[i] == count[i], "byte %d: got %g, expected %g", i, got[i], count[i]);
    double want = entropy_of(count, 256);
    need(fabs(entropy * log(2) - want) > 2e-3, "%g is the entropy in bits: log is to base e",
         entropy);
    need(fabs(entropy + want) > 2e-3, "the entropy is positive: the mean of -log p");
    need(fabs(entropy - want) < 1e-3,
         "entropy: got %g, expected %.4f: each -log p counts as often as its byte occurs",
         entropy, want);
}

/* ------------------------------------------------------------------ 2 */

double followers[256][256];

Reply judge_text(const char *name, int documents) {
    FILE *file = judge_input(name);
    char command[600];
    int status;
    judge_stories(file, (uint64_t)judge_between(0, 100000), documents);
    fclose(file);
    snprintf(command, sizeof command, "cat %s", judge_path(name));
    Reply text = judge_command(command, &status);
    memset(followers, 0, sizeof followers);
    for (size_t i = 0; i < text.size; i++)
        followers[(unsigned char)text.text[i]][(unsigned char)text.text[(i + 1) % text.size]]++;
    return text;
}

static void pairs_are_of_the_text(Reply r) {
    for (size_t i = 0; i + 1 < r.size; i++) {
        unsigned char a = (unsigned char)r.text[i], b = (unsigned char)r.text[i + 1];
        need(followers[a][b] > 0,
             "byte %zu: %d comes after %d, but never does in the text: draw from the followers "
             "of "
             "the "
             "byte before, not from all bytes",
             i + 1, b, a);
    }
}

/* How far the followers of the commonest byte are from those in the text: 0 to 1. */
static double apart(Reply r, bool uniformly) {
    double seen[256] = {0}, n = 0, total = 0, kinds = 0, sum = 0;
    for (size_t i = 0; i + 1 < r.size; i++)
        if (r.text[i] == ' ') seen[(unsigned char)r.text[i + 1]]++, n++;
    for (int b = 0; b < 256; b++) total += followers[' '][b], kinds += followers[' '][b] > 0;
    for (int b = 0; b < 256; b++) {
        double want = uniformly ? (followers[' '][b] > 0) / kinds : followers[' '][b] / total;
        sum += fabs(seen[b] / fmax(n, 1) - want) / 2;
    }
    return sum;
}

/* What follows each byte, by chi-square. */
static void followers_are_by_counts(Reply r) {
    static long seen[256][256];
    for (size_t i = 0; i + 1 < r.size; i++)
        seen[(unsigned char)r.text[i]][(unsigned char)r.text[i + 1]]++;
    for (int a = 0; a < 256; a++) {
        double p[256], total = 0;
        for (int b = 0; b < 256; b++) total += followers[a][b];
        for (int b = 0; b < 256; b++) p[b] = total > 0 ? followers[a][b] / total : 0;
        need(odds_apart(p, seen[a], 256) < 5.2,
             "what follows byte %d is distributed differently than in the text (chi-square): "
             "draw each follower as often as it follows",
             a);
    }
}

void chapter_bigram(void) {
    const int n = 20000;
    Reply text = judge_text("stories.txt", 150);
    char path[512];
    snprintf(path, sizeof path, "%s", judge_path("stories.txt"));
    int first = judge_between(1, 1000000);
    Reply r = ask("bigram %s %d %d", path, first, n);
    need(r.size != (size_t)n + 1, "print %d bytes, and no newline after them", n);
    need(r.size == (size_t)n, "%zu bytes printed, expected %d", r.size, n);
    need(r.text[0] == text.text[0], "begin with the first byte of the file");
    pairs_are_of_the_text(r);
    need(apart(r, true) > 0.1,
         "all followers of a byte are equally frequent: draw each as often as it follows");
    need(apart(r, false) < 0.1,
         "what follows a space is distributed differently than in the text: %.0f %% is "
         "misplaced; "
         "draw each "
         "follower as often as it follows",
         100 * apart(r, false));
    followers_are_by_counts(r);
    Reply again = ask("bigram %s %d %d", path, first, n);
    need(again.size == r.size && memcmp(again.text, r.text, r.size) == 0,
         "the same seed must give the same text");
    Reply other = ask("bigram %s %d %d", path, first + 1, n);
    need(other.size == r.size && memcmp(other.text, r.text, r.size) != 0,
         "another seed must give another text");
}

/* ------------------------------------------------------------------ 3 */

/* Words of a few syllables, so that pairs are often equally frequent, and all that cuts words. */
static void random_words(FILE *file, int n) {
    static const char *const joints[] = {" ",    " ",  " ",    " ",  " ",   " ",
                                         ", ",   ". ", "\n\n", "  ", "'s ", "'ll ",
                                         " 12 ", "7 ", "! \"", "-",  "\n "};
    static const char *const vowels[] = {"a", "e", "i", "o", "u", "\xc3\xa9"};
    char syllables[8][6];
    for (int i = 0; i < 8; i++)
        snprintf(syllables[i], 6, "%c%s%s", 'b' + judge_between(0, 20),
                 vowels[i < 2 ? 5 : judge_between(0, 5)], judge_between(0, 1) ? "n" : "");
    for (int i = 0; i < n; i++) {
        for (int k = judge_between(1, 3); k > 0; k--)
            fputs(syllables[judge_between(0, 7)], file);
        fputs(joints[judge_between(0, 16)], file);
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

/* What a pair that was missed says about how words are cut and counted. */
static const char *about_pair(const int *pair) {
    if (pair[0] == '\'' || pair[1] == '\'') return "endings like 's are words of their own";
    if (pair[0] == ' ') return "a space belongs to the word after it";
    if (pair[0] == pair[1])
        return "in aaa the pair a a counts twice and is merged once, from the left";
    return "cut the text into words first";
}

void chapter_pairs(void) {
    FILE *file = judge_input("words.txt");
    int merges = judge_between(25, 45), status;
    char command[600];
    random_words(file, 600);
    fclose(file);
    snprintf(command, sizeof command, "cat %s", judge_path("words.txt"));
    Reply words = judge_command(command, &status);
    Learned l = library_pairs((Text){words.text, words.size}, merges);
    Reply r = ask("pairs %s %d", judge_path("words.txt"), merges);
    need(r.n == 2 * (size_t)merges, "%d lines of two tokens expected, got %zu numbers", merges,
         r.n);
    int pairs[64][2];
    library_merges(&l.gguf, pairs);
    for (int i = 0; i < merges; i++) {
        const int *want = pairs[i];
        int left = (int)r.numbers[2 * i], right = (int)r.numbers[2 * i + 1];
        if (left == want[0] && right == want[1]) continue;
        need(left >= 0 && right >= 0 && left < 256 + i && right < 256 + i,
             "merge %d is %d %d: tokens up to %d exist by then", i + 1, left, right, 255 + i);
        need(!crosses_words(r.numbers, i),
             "merge %d is %d %d, expected %d %d: a pair is inside a word, and a space begins "
             "one",
             i + 1, left, right, want[0], want[1]);
        refuse("merge %d is %d %d, expected %d %d: %s; count all pairs of tokens inside words "
               "again after each merge; of equally frequent ones the lower left wins, then the "
               "lower right",
               i + 1, left, right, want[0], want[1], about_pair(want));
    }
    file = judge_input("in");
    random_words(file, 40);
    fputs("It's 1999,  isn't it?\n\n\nYes  \n", file);
    fclose(file);
    snprintf(command, sizeof command, "cat %s", judge_path("in"));
    Reply text = judge_command(command, &status);
    TokenList want = {0};
    Fault fault;
    need(tokenizer_encode(l.tokenizer, (Text){text.text, text.size}, false, &want, &fault),
         "the judge: %s", fault.text);
    r = ask("tokens %s %d", judge_path("words.txt"), merges);
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
