/* right: the power as an exponential of a logarithm, the ways of stretching in a switch */
static double frequency(const RopeConfig *config, size_t i) {
    double f = exp(-2 * (double)i * log(config->theta) / (double)config->rotary);
    if (config->divisors) f /= (double)config->divisors[i];
    switch (config->scaling) {
    case ROPE_SCALE_LINEAR: return f / config->factor;
    case ROPE_SCALE_YARN: {
        double keep = yarn_keep(config, (double)i);
        return keep * f + (1 - keep) * (f / config->factor);
    }
    default: return f / config->factor;
    }
}
