/* damage.c - many damaged model files, each opened and run: damage COUNT [FIRST].
 *
 * Whatever ends the program also prints the number of the damage, which alone makes it again. */
#include "damage.h"
#include "last_words.h"

enum { MAX_MODELS = 200 };

int main(int argc, char **argv) {
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000,
             first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    size_t models = 0, outcome[TRIALS] = {0}, size[MAX_MODELS];
    static Header headers[MAX_MODELS];
    unsigned char *bytes[MAX_MODELS], *copies[MAX_MODELS];
    for (MakeModel m; models < MAX_MODELS && seed_model(models, &m); models++) {
        bytes[models] = make_model(&m, &size[models]);
        find_fields(&headers[models], bytes[models], size[models]);
        copies[models] = malloc(size[models]);
        REQUIRE(try_file(bytes[models], size[models]) == TRIAL_RAN, "a whole model");
    }
    signal(SIGABRT, say_last_words);
    for (uint64_t number = first; number < first + count; number++) {
        size_t model = number % models, n = size[model];
        unsigned char *copy = copies[model], *cut = NULL;
        snprintf(last_words, sizeof last_words, "this was damage %llu\n",
                 (unsigned long long)number);
        memcpy(copy, bytes[model], n);
        damage(copy, &n, &headers[model], number);
        if (n < size[model]) /* no byte beyond the file is readable */
            cut = memcpy(malloc(n + !n), copy, n);
        outcome[try_file(cut ? cut : copy, n)]++;
        free(cut);
    }
    printf("%llu damaged headers of %zu models: %zu refused, %zu ran, %zu ran to NaN, %zu "
           "found no memory\n",
           (unsigned long long)count, models, outcome[TRIAL_REFUSED], outcome[TRIAL_RAN],
           outcome[TRIAL_NAN], outcome[TRIAL_OPENED]);
    for (size_t i = 0; i < models; i++) free(bytes[i]), free(copies[i]);
    return 0;
}
