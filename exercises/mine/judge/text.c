/* text.c - chapters 1 and 2: counts and babble.  See judge.h. */
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

static Reply count_text(const char *name) {
    char command[600];
    int status;
    snprintf(command, sizeof command, "cat %s", judge_path(name));
    Reply text = judge_command(command, &status);
    memset(followers, 0, sizeof followers);
    for (size_t i = 0; i < text.size; i++)
        followers[(unsigned char)text.text[i]][(unsigned char)text.text[(i + 1) % text.size]]++;
    return text;
}

Reply judge_text(const char *name, int documents) {
    FILE *file = judge_input(name);
    judge_stories(file, (uint64_t)judge_between(0, 100000), documents);
    fclose(file);
    return count_text(name);
}

Reply judge_ring(const char *name) {
    FILE *file = judge_input(name);
    int first = judge_between('A', 'P');
    for (int i = judge_between(8, 12); i > 0; i--) fputc(first + judge_between(0, 5), file);
    fputc('~', file);
    fclose(file);
    return count_text(name);
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

static void last_has_a_follower(void) {
    Reply text = judge_ring("ring.txt"), r = ask("bigram %s 1 3000", judge_path("ring.txt"));
    for (size_t i = 1; i < r.size; i++)
        need(r.text[i - 1] != '~' || r.text[i] == text.text[0],
             "the last byte of %s, %d, is nowhere else in it: it is followed by the first, %d; "
             "got %d",
             judge_path("ring.txt"), '~', text.text[0], (unsigned char)r.text[i]);
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
    int others[] = {first + 1, first + 65536 * judge_between(1, 1000)};
    for (int i = 0; i < 2; i++) {
        Reply other = ask("bigram %s %d %d", path, others[i], n);
        need(other.size == r.size && memcmp(other.text, r.text, r.size) != 0,
             "another seed must give another text: %d and %d give the same", first, others[i]);
    }
    last_has_a_follower();
}
