# The words of a picture, four to a line, as a portable pixmap with 8 by 8 pixels for each: what printf prints.
{
    printf "P6 32 32 255 "
    for (i = 0; i < 32 * 32; i++) {
        word = $(int(i / 256) * 4 + int(i % 32 / 8) + 1)
        printf "\\%s\\%s\\%s", word ~ /white|red/ ? "377" : "000", word ~ /white|green/ ? "377" : "000", word ~ /white|blue/ ? "377" : "000"
    }
}
