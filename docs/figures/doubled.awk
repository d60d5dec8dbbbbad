# The doubled words of places.csv as rows positions a step,doubled words per hundred,the ends of Wilson's interval.  Twenty tales are about
# 2,090 words, which the interval takes as independent.   awk -F, -v rule=random -f wilson.awk -f doubled.awk FILE
/^tales/ && $2 == rule { printf "%.4f,%s,%.4f,%.4f\n", 130 / $3, $4, 100 * wilson($4 / 100, 2090, -1), 100 * wilson($4 / 100, 2090, 1) }
