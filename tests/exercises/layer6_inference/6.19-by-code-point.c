/* right: by the range of the second byte in a table of first bytes */
int utf8_character(const unsigned char *p, size_t size) {
    static const struct {
        unsigned char from, to, low, high;
        int length;
    } rows[] = {
        {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (p[0] < rows[r].from || p[0] > rows[r].to) continue;
        for (int i = 1; i < rows[r].length; i++) {
            if ((size_t)i >= size) return 0;
            unsigned char low = i == 1 ? rows[r].low : 0x80,
                          high = i == 1 ? rows[r].high : 0xBF;
            if (p[i] < low || p[i] > high) return -i;
        }
        return rows[r].length;
    }
    return -1;
}
