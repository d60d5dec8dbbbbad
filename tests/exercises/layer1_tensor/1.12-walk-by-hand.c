/* right: the counter moved by hand; the logarithm of the inverse */
double rng_next(Rng *rng) {
    double number = rng_unit(rng->seed, rng->stream, rng->counter);
    rng->counter += 1;
    return number;
}

double rng_normal(Rng *rng) {
    double u = rng_next(rng), v = rng_next(rng), turn = 2 * acos(-1);
    return sqrt(2 * log(1 / (1 - u))) * cos(turn * v);
}
