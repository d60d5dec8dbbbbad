// texts.mjs - texts of one line for tokenizers, the same at every call: words in many scripts, code, numbers, white space, letters
// with accents in pieces, ligatures and other characters that normal forms change.

// mulberry32
function dice(seed) {
    return () => {
        seed = (seed + 0x6D2B79F5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

const blocks = [[0x20, 0x7E], [0x20, 0x7E], [0xA0, 0x17F], [0x300, 0x36F], [0x370, 0x3CE], [0x410, 0x44F], [0x5D0, 0x5EA], [0x620, 0x64A],
    [0x905, 0x939], [0xE01, 0xE2E], [0x1100, 0x1112], [0x1161, 0x1175], [0x11A8, 0x11C2], [0x1E00, 0x1EFF], [0x2000, 0x200A], [0x2070, 0x2071],
    [0x2100, 0x214F], [0x2160, 0x2188], [0x2460, 0x249B], [0x3041, 0x3096], [0x30A1, 0x30FA], [0x3300, 0x3357], [0x4E00, 0x4FFF], [0xAC00, 0xACFF],
    [0xF900, 0xFA0D], [0xFB00, 0xFB06], [0xFE70, 0xFE72], [0xFF01, 0xFF9D], [0x1D400, 0x1D454], [0x1F600, 0x1F64F]];
const words = `the a I you she they're don't CAFÉ cafe\u0301 naïve nai\u0308ve ﬁne oﬃce x² ½ 10 3.14 1,000,000 2026-06-13 don’t it's We'll
    straße Straße ΑΒΓ αβγ привет мир שלום مرحبا नमस्ते สวัสดี 你好 世界 こんにちは 한국어 \u1112\u1161\u11AB Å Å Ω Ω ① Ⅳ ㎏ ｆｕｌｌ ﾊﾝｶｸ e\u0302\u0301 q\u0307\u0323
    return if(x==0){ } => :: != "quoted" 'single' <tag> </tag> \\n # // /* */ http://a.b/c?d=e&f=g me@example.org 😀 👩‍👩‍👧 🇩🇪`.split(/\s+/);
const gaps = [' ', ' ', ' ', '  ', '   ', '\t', '', '\u00A0', '\u3000'];

export function makeTexts(count) {
    const next = dice(7), below = (n) => Math.floor(next() * n), of = (list) => list[below(list.length)];
    const character = () => { const [first, last] = of(blocks); return String.fromCodePoint(first + below(last - first + 1)); };
    const kinds = [
        () => Array.from({ length: 1 + below(24) }, character).join(''),
        () => Array.from({ length: 1 + below(16) }, () => of(words) + of(gaps)).join(''),
        () => Array.from({ length: 1 + below(12) }, () => (below(3) ? of(words) : character()) + of(gaps)).join(''),
        () => { const [first, last] = of(blocks); return Array.from({ length: 1 + below(20) }, () => String.fromCodePoint(first + below(last - first + 1))).join(''); },
    ];
    return Array.from({ length: count }, () => of(kinds)());
}
