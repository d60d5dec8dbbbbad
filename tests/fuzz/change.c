/* change.c - a whole model of each family with one key or tensor changed, opened and run: change COUNT [FIRST].
 *
 * Each is refused with a sentence, or runs.  Whatever ends the program also prints the number of the change. */
#include "change.h"
#include "last_words.h"

enum { MAX_MODELS = 200 };

int main(int argc, char **argv) {
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000,
             first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    size_t models = 0, size, outcome[CHANGES][TRIALS] = {0};
    static Gguf parsed[MAX_MODELS];
    unsigned char *bytes[MAX_MODELS];
    for (MakeModel m; models < MAX_MODELS && seed_model(models, &m); models++) {
        bytes[models] = make_model(&m, &size);
        REQUIRE(gguf_parse(&parsed[models], bytes[models], size, NULL), "a whole model");
    }
    signal(SIGABRT, say_last_words);
    for (uint64_t number = first; number < first + count; number++) {
        Change what;
        const Gguf *model = &parsed[rng_hash(number, 0, 7) % models],
                   *other = &parsed[rng_hash(number, 1, 7) % models];
        snprintf(last_words, sizeof last_words, "this was change %llu\n",
                 (unsigned long long)number);
        unsigned char *changed = changed_model(model, other, number, &what, &size),
                      *exact = malloc(size);
        memcpy(exact, changed, size); /* no byte beyond the file is readable */
        outcome[what][try_file(exact, size)]++;
        free(changed), free(exact);
    }
    printf("%-18s %8s %8s %8s %8s\n", "one change", "refused", "ran", "to NaN", "no memory");
    for (int i = 0; i < CHANGES; i++)
        printf("%-18s %8zu %8zu %8zu %8zu\n", change_names[i], outcome[i][TRIAL_REFUSED],
               outcome[i][TRIAL_RAN], outcome[i][TRIAL_NAN], outcome[i][TRIAL_OPENED]);
    for (size_t i = 0; i < models; i++) gguf_free(&parsed[i]), free(bytes[i]);
    return 0;
}
