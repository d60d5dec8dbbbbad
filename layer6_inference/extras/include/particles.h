/* particles.h - a text that obeys, as the model itself would have written it: sequential Monte
 * Carlo.
 *
 *     step     draw under the mask        weight *= share of the probability the mask left
 *     resample when the weights differ    light texts are dropped, heavy ones forked
 *
 * A mask alone draws x with q(x) = p(x) / w(x), where w(x) is the product of the shares that it
 * left (page layer6/price); given that it obeys, the model writes it with p(x) / P.  So a text
 * counts w(x) times.  With one particle this is the mask alone; with many it is the model's own
 * distribution under the constraint, and the mean weight is P.
 *
 * Invariant: the mean of all weights times their texts is unbiased for P times that
 * distribution, with any number of particles, resampled or not [weights_are_unbiased].
 * Source   Gordon, Salmond & Smith 1993, doi:10.1049/ip-f-2.1993.0015; for constrained text:
 *          Lew et al. 2023, arXiv:2306.03081; systematic resampling: Kitagawa 1996,
 *          doi:10.2307/1390750. */
#ifndef STRATA_PARTICLES_H
#define STRATA_PARTICLES_H

#include "beam.h"

enum { PARTICLES_MAX = 32 };

typedef struct ParticleOptions {
    size_t particles;
    uint64_t seed; /* particle i draws with seed + i, as the i-th of several samples would */
    /* resample when the effective number of particles, (sum w)^2 / sum w^2, is below this
     * share of them: 0 never, 1 whenever two weights differ */
    double resample;
    TextOptions text; /* rules: stages that only forbid tokens, such as a grammar, and `draw` */
} ParticleOptions;

typedef struct Particle {
    TokenList tokens; /* as in BeamText */
    double weight;    /* its share of all weights */
    double log_prob;  /* under the model, of all tokens, the ending one included */
    StopReason reason;
} Particle;

typedef struct ParticleResult {
    size_t chosen;    /* drawn by weight: a sample of the distribution */
    bool cut;         /* a limit ended all that obeyed so far */
    double log_share; /* ln P, estimated: how likely the model obeys by itself; if cut: how
                       * likely a text obeys as far as these go */
    double effective; /* effective number of particles at the end */
    size_t resampled; /* how often */
    size_t tokens;    /* of all particles, those that were dropped included */
} ParticleResult;

/* Draw a text that obeys.  Texts that a limit cuts weigh nothing, unless it cuts them all.
 * The session needs one sequence per particle; its contents are lost.
 *
 *   out   (particles) filled; free with particles_free
 *
 * Fails when the prompt is empty or does not fit, and when no particle can go on. */
bool particles_draw(Session *session, const int32_t *prompt, size_t n,
                    const ParticleOptions *options, Particle *out, ParticleResult *result,
                    Fault *fault);
void particles_free(Particle *particles, size_t count);

#endif
