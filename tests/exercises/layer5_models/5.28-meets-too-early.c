/* wrong: each once | the right half is added before it is there: meet() comes first */
static void sum_parts(TrainParts *p, size_t begin, size_t end, int depth, PartSum *sum) {
    if (!has_part(p, begin, end)) return;
    if (end - begin == 1) {
        find_part(p, begin, sum);
        return;
    }
    size_t middle = begin + (end - begin) / 2;
    int left = owner_of(p, begin), right = owner_of(p, middle);
    sum_parts(p, begin, middle, depth + 1, sum);
    memset(p->sums[depth], 0, sum_bytes(p));
    if (p->rank == left || p->rank == right)
        meet(p, left, right, owner_of(p, end - 1) - right + 1, sum, p->sums[depth]);
    sum_parts(p, middle, end, depth + 1, p->sums[depth]);
}
