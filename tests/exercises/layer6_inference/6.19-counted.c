/* right: how many bytes go on, then what the second byte may be */
static int is_second(unsigned char a, unsigned char b) {
    if (a == 0xE0) return b >= 0xA0 && b <= 0xBF;
    if (a == 0xED) return b >= 0x80 && b <= 0x9F;
    if (a == 0xF0) return b >= 0x90 && b <= 0xBF;
    if (a == 0xF4) return b >= 0x80 && b <= 0x8F;
    return (b & 0xC0) == 0x80;
}

int utf8_character(const unsigned char *p, size_t size) {
    int length = 1, at = 1;
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4) return -1;
    while (length < 4 && p[0] & (0x80 >> length)) length++;
    while (at < length && (size_t)at < size &&
           (at == 1 ? is_second(p[0], p[1]) : (p[at] & 0xC0) == 0x80))
        at++;
    return at == length ? length : (size_t)at == size ? 0 : -at;
}
