/* The graders of layer 3. */
#include "grader.h"
#include "nn.h"

GRADE(probabilities) {
    float x[3] = {1, 2, 3}, y[3];
    softmax(y, x, 3);
    HINT(close_to((double)(y[0] + y[1] + y[2]), 1, 1e-5),
         "the probabilities do not add up to 1 (%g): divide by the sum",
         (double)(y[0] + y[1] + y[2]));
    HINT(close_to((double)y[2], 0.66524, 1e-4), "softmax(1, 2, 3) ends in 0.66524, got %g",
         (double)y[2]);
    float large[2] = {1000, 1000};
    softmax(large, large, 2);
    HINT(large[0] == 0.5f, "exp(1000) is infinite: subtract the largest score first");
}

GRADE(norm) {
    float x[2] = {3, 4}, gain[2] = {1, 1}, y[2];
    rms_norm(y, x, gain, 2, 0);
    HINT(close_to((double)(y[0] * y[0] + y[1] * y[1]), 2, 1e-4),
         "the squares of n outputs add up to n: divide the sum of squares by dim (the mean)");
    HINT(y[0] > 0 && close_to((double)(y[1] / y[0]), 4.0 / 3, 1e-4),
         "directions are kept: every number gets the same factor");
    float twice[2] = {2, 2}, z[2], zero[2] = {0, 0};
    rms_norm(z, x, twice, 2, 0);
    HINT(close_to((double)z[0], 2 * (double)y[0], 1e-4),
         "the learned gain multiplies each output");
    rms_norm(z, zero, gain, 2, 1e-5f);
    HINT(z[0] == 0, "eps keeps a vector of zeros finite: it goes under the root");
}

GRADE(rotation) {
    Arena a = {0};
    static _Alignas(64) unsigned char memory[4096];
    a.base = memory, a.size = sizeof memory;
    RopeConfig config = {.style = ROPE_INTERLEAVED, .rotary = 2, .theta = 10000, .factor = 1};
    Rope rope;
    rope_init(&rope, &config, &a);
    float c, s, head[2] = {1, 0};
    rope_angles(&rope, 1, &c, &s);
    rope_rotate(&rope, &c, &s, head);
    HINT(close_to((double)head[0], cos(1.0), 1e-5) && close_to((double)head[1], sin(1.0), 1e-5),
         "(1, 0) turned by 1 radian is (cos 1, sin 1), got (%g, %g)", (double)head[0],
         (double)head[1]);
    float up[2] = {0, 1};
    rope_rotate(&rope, &c, &s, up);
    HINT(close_to((double)up[0], -sin(1.0), 1e-5) && close_to((double)up[1], cos(1.0), 1e-5),
         "(0, 1) turned by 1 radian is (-sin 1, cos 1), got (%g, %g): is the old first number "
         "used for the second?",
         (double)up[0], (double)up[1]);
    config.style = ROPE_HALF_SPLIT, config.rotary = 4;
    rope_init(&rope, &config, &a);
    float c2[2], s2[2], four[4] = {1, 0, 0, 0};
    rope_angles(&rope, 1, c2, s2);
    rope_rotate(&rope, c2, s2, four);
    HINT(four[1] == 0 && four[2] != 0,
         "in the half-split style number i turns with number i + half");
}

GRADE(swiglu) {
    float x[2] = {0, 2}, y[2], up[2] = {5, 3}, z[2];
    silu(y, x, 2);
    HINT(y[0] == 0, "silu(0) is 0 times sigmoid(0)");
    HINT(close_to((double)y[1], 1.76159, 1e-4), "silu(2) is 2 * sigmoid(2) = 1.76159, got %g",
         (double)y[1]);
    activate_gated(ACT_SILU, z, x, up, 2);
    HINT(close_to((double)z[1], 3 * 1.76159, 1e-3), "gated: silu(gate) times up");
}

GRADE(loss) {
    float x[3] = {1, 2, 3};
    HINT(close_to(cross_entropy(x, 3, 2), 0.407606, 1e-5),
         "-log softmax(1, 2, 3)[2] is 0.407606, got %g", cross_entropy(x, 3, 2));
    double loss = cross_entropy_backward(x, 3, 2, 1);
    HINT(close_to(loss, 0.407606, 1e-5), "the backward pass returns the loss, too");
    HINT(close_to((double)x[2], 0.665241 - 1, 1e-4),
         "the target's gradient is its probability less 1, got %g", (double)x[2]);
    HINT(close_to((double)(x[0] + x[1] + x[2]), 0, 1e-5), "the gradients add up to 0");
    float y[2] = {0, 0};
    cross_entropy_backward(y, 2, 0, 10);
    HINT(close_to((double)y[1], 5, 1e-4), "the gradient is of scale * loss");
}

GRADE(gradients) {
    float table[4] = {0}, dy[2] = {1, 2};
    embedding_backward(table, 1, dy, 2);
    HINT(table[2] == 1 && table[3] == 2,
         "the gradient of an output goes to the row of its token: that row got (%g, %g)",
         (double)table[2], (double)table[3]);
    embedding_backward(table, 1, dy, 2);
    HINT(table[2] == 2, "a token that occurs twice gets both gradients, added");
}

GRADES({"3.1", probabilities}, {"3.2", norm}, {"3.3", rotation}, {"3.4", swiglu}, {"3.5", loss},
       {"3.7", gradients})
