/* right: of an odd number of parts the left half has one more: another tree, as fixed as ours */
static void sum_parts(TrainParts *p, size_t begin, size_t end, int depth, PartSum *sum) {
    if (!has_part(p, begin, end)) return;
    if (begin + 1 == end) {
        find_part(p, begin, sum);
    } else {
        PartSum *other = p->sums[depth];
        size_t middle = end - (end - begin) / 2;
        int left = owner_of(p, begin), right = owner_of(p, middle), last = owner_of(p, end - 1);
        sum_parts(p, begin, middle, depth + 1, sum);
        sum_parts(p, middle, end, depth + 1, other);
        if (p->rank == left || p->rank == right)
            meet(p, left, right, last - right + 1, sum, other);
    }
}
