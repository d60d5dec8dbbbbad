/* right: a share counted out, step after step in turn */
size_t diffusion_share(size_t open, size_t steps) {
    size_t share = 0;
    while (share * steps < open) share++;
    return share;
}
