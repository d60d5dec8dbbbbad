/* learned.c - chapter 11: what a trained model knows of the ends of stories, and which of its
 * tensors have learned.  See judge.h. */
#include "next.h"

#include "gguf_file.h"

/* An even guess among V tokens, where training begins, loses log V: in nats 6.9 for 1024
 * tokens, in bits 10.  Losses in bits also end above what the library measures; a mean of the
 * last steps does, too, but by less. */
void judge_unit(const char *name, Reply losses, double nats) {
    static Next next;
    next_open(&next, name, "Once");
    double even = log((double)next.vocab), first = losses.numbers[1];
    next_close(&next);
    need(fabs(first / even - 1 / log(2)) > 0.12 || losses.numbers[losses.n - 1] < 1.3 * nats,
         "the losses are in bits: they begin at %.2f, and an even guess among all tokens loses "
         "%.2f nats; take the natural logarithm",
         first, even);
}

/* Probability of the end token after a prompt. */
static double chance_of_end(const char *name, const char *prompt) {
    static Next next;
    static double p[MOST_TOKENS];
    next_open(&next, name, prompt);
    next_chances(&next, 1, p);
    next_close(&next);
    return p[next.end];
}

void judge_story_ends(const char *name) {
    enum { STORIES = 10 };
    double at_once = 0, later = 0;
    for (int i = 0; i < STORIES; i++) {
        char words[400], story[410];
        judge_last_words(words, sizeof words);
        snprintf(story, sizeof story, "%s.", words);
        at_once += chance_of_end(name, story) / STORIES;
        strcat(story, "\n");
        later += chance_of_end(name, story) / STORIES;
    }
    need(!(later > 0.2 && at_once < 0.1 * later),
         "after a story the end token has probability %.4f, after a story and a newline %.2f: "
         "the newline before a line <|endoftext|> belongs to the separator, not to the story",
         at_once, later);
}

/* The sine, squared, between two tensors as vectors. */
static double turned_by(const void *first, const void *second, size_t n) {
    const float *a = first, *b = second;
    double aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < n; i++) {
        double x = (double)a[i], y = (double)b[i];
        aa += x * x, bb += y * y, ab += x * y;
    }
    return aa > 0 && bb > 0 ? 1 - ab / aa * (ab / bb) : 0;
}

/* From the same initial weights, longer training leads elsewhere; decay only scales.  Rounding
 * gives about 1e-12. */
void judge_all_learn(const char *longer, const char *shorter) {
    Fault fault;
    GgufFile files[2];
    Gguf ggufs[2];
    Text frozen = {0};
    size_t moved = 0;
    for (int i = 0; i < 2; i++)
        need(gguf_open(&files[i], &ggufs[i], judge_path(i ? shorter : longer), &fault), "%s",
             fault.text);
    for (size_t i = 0; i < ggufs[0].n_tensors; i++) {
        const GgufTensor *a = &ggufs[0].tensors[i];
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)a->name.size, a->name.data);
        const GgufTensor *b = gguf_find_tensor(&ggufs[1], name);
        bool still = b && a->bytes == b->bytes && a->dtype == DTYPE_F32 &&
                     b->dtype == DTYPE_F32 && turned_by(a->data, b->data, a->bytes / 4) < 1e-10;
        if (still && !frozen.size) frozen = a->name;
        moved += !still;
    }
    need(!frozen.size || moved,
         "%s, after a second of training, and %s hold the same weights: do you write what you "
         "trained, and train as long as SECONDS says?",
         shorter, longer);
    need(
        !frozen.size,
        "tensor %.*s is the same in %s, after a second of training, but for its scale: nothing "
        "pulls it but decay; do the gradients of all weights reach the update?",
        (int)frozen.size, frozen.data, judge_path(shorter));
    for (int i = 0; i < 2; i++) gguf_close(&files[i], &ggufs[i]);
}
