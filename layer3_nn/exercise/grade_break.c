/* The grader of layer 3's broken function. */
#include "near.h"
#include "nn.h"

GRADE(gradients) {
    enum { VOCAB = 9, DIM = 12 };
    for (int round = 0; round < 10; round++) {
        float table[VOCAB * DIM], dy[DIM];
        double want[VOCAB * DIM];
        size_t dim = 2 + fresh_below(DIM - 1);
        memset(table, 0, sizeof table);
        for (size_t i = 0; i < VOCAB * dim; i++) want[i] = (double)table[i];
        for (int k = 0; k < 4; k++) {
            size_t token = k % 2 ? 2 : fresh_below(VOCAB);
            fresh_floats(dy, dim, -1, 1);
            embedding_backward(table, token, dy, dim);
            for (size_t i = 0; i < dim; i++) want[token * dim + i] += (double)dy[i];
            for (size_t i = 0; i < VOCAB * dim; i++)
                SYMPTOM(
                    near((double)table[i], want[i], 1e-5),
                    "after %d tokens of a text the gradient of row %zu of the table is wrong: "
                    "number %zu should be %.5g and is %.5g",
                    k + 1, i / dim, i % dim, want[i], (double)table[i]);
        }
    }
}

GRADES({"3.7", gradients})
