# What several machines gain for one text, reckoned: a token of a model on 1 to 64 of them, its rows shared in a star as machines.h does it,
# over three networks.  Each machine reads 40 GB/s of weights of 4.5 bits; a message takes a delay, and its bytes their time on the first
# machine's cable.   -> gigabits,model,machines,milliseconds,speed_up
#   a block: x -> the heads' outputs; -> attention's output; -> gate and up; -> down.  Four orders and four answers.
function block(model, dim, kv, hidden, layers) { models[++n] = model; d[n] = dim; k[n] = kv; h[n] = hidden; l[n] = layers }
function weights(m) { return l[m] * (d[m] * (2 * d[m] + 2 * k[m]) + 3 * d[m] * h[m]) * 4.5 / 8 }
# The slowest machine's: its part of all rows, but of queries, keys and values whole heads, of eight.
function slowest(m, machines,   qkv) {
    qkv = l[m] * d[m] * (d[m] + 2 * k[m]) * 4.5 / 8
    return (weights(m) - qkv) / machines + qkv * (machines < 8 ? int((7 + machines) / machines) / 8 : 1 / 8)
}
function sent(m) { return 4 * l[m] * (3 * d[m] + h[m]) }
function received(m) { return 4 * l[m] * (3 * d[m] + 2 * h[m]) }
function milliseconds(m, machines, rate, delay,   talk) {
    talk = (machines > 1) * 8 * l[m] * delay + ((machines - 1) * sent(m) + (1 - 1 / machines) * received(m)) / rate
    return 1e3 * (slowest(m, machines) / 40e9 + talk)
}
BEGIN {
    block("8B", 4096, 1024, 14336, 32); block("70B", 8192, 1024, 28672, 80); block("405B", 16384, 1024, 53248, 126)
    split("1 10 100", gigabits, " "); split("100e-6 30e-6 5e-6", delay, " ")
    print "gigabits,model,machines,milliseconds,speed_up"
    for (g = 1; g <= 3; g++)
        for (m = 1; m <= n; m++)
            for (i = 1; i <= 64; i = i < 16 ? i + 1 : i * 2) {
                t = milliseconds(m, i, gigabits[g] * 1e9 / 8, delay[g])
                printf "%d,%s,%d,%.2f,%.3f\n", gigabits[g], models[m], i, t, milliseconds(m, 1, 1, 0) / t
            }
}
