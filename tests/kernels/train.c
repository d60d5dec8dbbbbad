/* train.c - a short training with scalar kernels has the same weights here as anywhere: a program that needs nothing but the C
 * library, for emulators of other machines. */
#include "../../layer5_models/tests/tiny_model.h"

#include <stdio.h>

int main(void) {
    int wrong = 0;
    if (!tiny_open() || !kernels_select("scalar", NULL)) return 1;
    for (size_t i = 0; i < sizeof train_bits / sizeof *train_bits; i++) {
        uint64_t got = tiny_digest(&train_bits[i], NULL);
        bool same = got == train_bits[i].scalar;
        printf("%s: weights 0x%016llx%s\n", train_bits[i].what, (unsigned long long)got,
               same ? "" : ", which is not what other machines get");
        wrong += !same;
    }
    tiny_close();
    return wrong != 0;
}
