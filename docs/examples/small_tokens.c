/* small_tokens.c - the tokens of a text, by the functions of small.c.
 *
 *     cc -O2 docs/examples/small_tokens.c -lm -o tokens
 *     ./tokens MODEL.gguf "Once upon a time" */
#define main small_main
#include "small.c"
#undef main

int main(int argc, char **argv) {
    if (argc != 3) die("usage: tokens MODEL TEXT", "");
    const Model model = read_model(argv[1]);
    int *tokens = allocate(strlen(argv[2]) + 1, sizeof *tokens);
    size_t n = encode(&model, argv[2], tokens);
    for (size_t i = 0; i < n; i++) {
        printf("%5d  \"", tokens[i]);
        print_token(&model, tokens[i]);
        printf("\"\n");
    }
    printf("%zu bytes, %zu tokens\n", strlen(argv[2]), n);
    return 0;
}
