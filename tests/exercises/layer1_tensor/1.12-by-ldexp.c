/* right: the shift of the exponent by ldexp, the walk first */
double rng_unit(uint64_t seed, uint64_t stream, uint64_t counter) {
    return ldexp((double)(rng_hash(seed, stream, counter) / 2048), -53);
}

uint64_t rng_below(Rng *rng, uint64_t limit) {
    double number = rng_next(rng) * (double)limit;
    return (uint64_t)floor(number);
}
