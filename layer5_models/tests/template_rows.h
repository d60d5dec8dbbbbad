/* template_rows.h - templates and their output: small ones for every construct.  ! begins an
 * error.
 *
 * The variables: {"d": {"a": 1, "b c": [true], "items": "mine"}, "l": [1, 2, 3],
 *                 "t": [{"n": "x", "c": [{"n": "y"}]}, {"n": "z"}]}, and the time 2026-07-26
 *                 12:34:56. */
typedef struct Row {
    const char *source, *text;
} Row;

static const Row white_space[] = {
    {"one\n{% if true %}\ntwo\n{% endif %}\nthree\n", "one\ntwo\nthree"},
    {"  {% if true %}\n  a\n  {% endif %}\n  b", "  a\n  b"},
    {"x  {{- 1 -}}  y", "x1y"},
    {"x  {{ 1 }}\n  y", "x  1\n  y"},
    {"a {%- if true %} b {% endif -%} c", "a b c"},
    {"\t{%+ if true %}t{% endif +%}\nu", "\tt\nu"},
    {"a\n\n{#- gone -#}\n\nb", "ab"},
    {"{# line #}\nc {# in a line #}\n d", "c  d"},
    {"a\r\nb\rc\r\n", "a\nb\nc"},
    {"end\n\n", "end\n"},
    {"{% raw %}{{ x }}{% endraw %}\n!", "{{ x }}!"},
    {" {%- raw -%} {% y %} {%- endraw %} z", "{% y %} z"},
    {"{{ '}}' }}{{ \"{%\" }}", "}}{%"},
    {"a {% set x = 1 %}\n b", "a  b"},
    {"{% if true -%}\n\n  deep\n\n{%- endif %}", "deep"},
};
static const Row literals[] = {
    {"{{ 7 }} {{ 1_000 }} {{ 0x1f }} {{ 0o17 }} {{ 0b11 }}", "7 1000 31 15 3"},
    {"{{ 1.50 }} {{ 2e3 }} {{ 1e22 }} {{ 1e-7 }} {{ 100000000000000000000.0 }}",
     "1.5 2000.0 1e+22 1e-07 1e+20"},
    {"{{ 'a\\n\\t\\x41\\u00e9\\101\\q\\\\' }}", "a\n\tAéA\\q\\"},
    {"{{ 'one' \" two\" }}", "one two"},
    {"{{ [1, 'b', none, true, 2.0] }}", "[1, 'b', None, True, 2.0]"},
    {"{{ {'k': 'v', 2: (1,)} }}", "{'k': 'v', 2: (1,)}"},
    {"{{ () }}{{ (1) }}{{ (1, 2) }}", "()1(1, 2)"},
    {"{{ \"it's\" }} {{ [\"it's\"] }} {{ ['say \"x\"', 'both \\' \"'] }} {{ "
     "['\\n\\x00\\x7f\\u200b'] }}",
     "it's [\"it's\"] ['say \"x\"', 'both \\' \"'] ['\\n\\x00\\x7f\\u200b']"},
    {"{{ True }} {{ none }} {{ None }} {{ TRUE }}", "True None None "},
    {"{{ 123456789012345678901234567890 }}", "123456789012345678901234567890"},
    {"{{ -0.0 }} {{ 1e400 }}", "-0.0 inf"},
};
static const Row operators[] = {
    {"{{ 1 + 2 * 3 - 4 }} {{ (1 + 2) * 3 }}", "3 9"},
    {"{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % -3 }} {{ -7 % 3 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }}",
     "3 -4 -2 2 3.0 0.5"},
    {"{{ 8 / 2 }} {{ 1 / 3 }}", "4.0 0.3333333333333333"},
    {"{{ 2 ** 10 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 2 ** -2 }} {{ 2.0 ** 3 }}",
     "1024 64 4 0.25 8.0"},
    {"{{ 'a' ~ 1 ~ none ~ 2.5 }}", "a1None2.5"},
    {"{{ 'ab' * 3 }}{{ 2 * [0] }}", "ababab[0, 0]"},
    {"{{ 'a' + 'b' }}{{ [1] + [2] }}{{ (1,) + (2,) }}", "ab[1, 2](1, 2)"},
    {"{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 == true }}", "True False True"},
    {"{{ 'b' in 'abc' }} {{ 2 in [1, 2] }} {{ 'x' not in {'x': 1} }} {{ not 2 in [1] }}",
     "True True False True"},
    {"{{ 0 or 'a' }} {{ 'a' and '' }} {{ not 0 }} {{ 1 and 2 or 3 }}", "a  True 2"},
    {"{{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ 'Z' < 'a' }}", "True True True"},
    {"{{ 1 if 2 > 1 else 3 }} {{ 1 if false }}!", "1 !"},
    {"{{ 1 if 0 else 2 if 0 else 3 }}", "3"},
    {"{{ -1|abs }} {{ 1 + 2|string|length }} {{ 'x'|upper ~ 'y' }}", "1 2 Xy"},
    {"{{ 1 == 1 is true }} {{ 1 + 1 is number }}", "False 2"},
    {"{{ '%s has %d (%.2f)' % ('x', 3, 1.5) }} {{ '%(a)s' % {'a': 1} }} {{ '%5s|%-4d|%x' % "
     "('a', 7, 255) }}",
     "x has 3 (1.50) 1     a|7   |ff"},
};
static const Row inside[] = {
    {"{{ d.a }} {{ d['b c'] }} {{ d.get('no') }} {{ d.get('no', 5) }} {{ d.items is callable "
     "}} {{ d['items'] }}",
     "1 [True] None 5 True mine"},
    {"{{ l[0] }} {{ l[-1] }} {{ l.1 }} {{ l[9] }}!", "1 3 2 !"},
    {"{{ 'häßlich'[1] }} {{ 'häß'[-1] }} {{ 'häß'|length }}", "ä ß 3"},
    {"{{ l[1:] }} {{ l[:-1] }} {{ l[::-1] }} {{ l[::2] }} {{ 'abcdef'[4:1:-1] }} {{ 'abc'[5:] "
     "}}!",
     "[2, 3] [1, 2] [3, 2, 1] [1, 3] edc !"},
    {"{{ nope }}|{{ d.nope }}|{{ none.x }}|{{ 5['x'] }}", "|||"},
    {"{{ nope is defined }} {{ d.nope is undefined }} {{ nope == nope2 }} {{ nope|default('z') "
     "}} {{ ''|default('z') }}|{{ ''|default('z', true) }}",
     "False True True z |z"},
    {"{% for x in nope %}a{% else %}b{% endfor %} {{ 'a' in nope }} {{ nope|length }} {{ nope "
     "~ 'x' }}",
     "b False 0 x"},
};
static const Row loops[] = {
    {"{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 "
     "}}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}",
     "1032TrueFalse3 2121FalseFalse3 3210FalseTrue3 "},
    {"{% for x in l %}{{ loop.previtem }}<{{ x }}<{{ loop.nextitem }} {% endfor %}",
     "<1<2 1<2<3 2<3< "},
    {"{% for x in l if x > 1 %}{{ loop.index }}:{{ x }}{{ ',' if not loop.last }}{% endfor %}",
     "1:2,2:3"},
    {"{% for x in [] %}{% else %}none{% endfor %}", "none"},
    {"{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}", "a=1;b c=[True];items=mine;"},
    {"{% for c in 'aé' %}[{{ c }}]{% endfor %}{% for k in d %}{{ k }},{% endfor %}",
     "[a][é]a,b c,items,"},
    {"{% for a in [1,2,3] %}{% if a == 2 %}{% continue %}{% endif %}{{ a }}{% endfor %}{% for "
     "a in [1,2,3] %}{% if a == 2 %}{% break %}{% endif %}{{ a }}{% endfor %}",
     "131"},
    {"{% for x in l %}{{ loop.cycle('a', 'b') }}{{ loop.changed(x > 1) }} {% endfor %}",
     "aTrue bTrue aFalse "},
    {"{% for n in t recursive %}{{ n.n }}{% if n.c %}({{ loop(n.c) }}){% endif %}{{ loop.depth "
     "}}{% endfor %}",
     "x(y2)1z1"},
    {"{% set x = 0 %}{% for i in l %}{% set x = x + i %}{{ x }} {% endfor %}{{ x }}",
     "1 2 3 0"},
    {"{% set ns = namespace(n=0) %}{% for i in l %}{% set ns.n = ns.n + i %}{% endfor %}{{ "
     "ns.n }}",
     "6"},
    {"{% for i in [1] %}{% for j in [1,2] %}{{ loop.index }}{% endfor %}{{ loop.index }}{% "
     "endfor %}",
     "121"},
    {"{% for a, (b, c) in [(1, (2, 3))] %}{{ a + b + c }}{% endfor %}", "6"},
    {"{% for i in range(2) %}{% set outer = loop %}{% for j in range(2) %}{{ outer.index0 }}{{ "
     "loop.index0 }} {% endfor %}{% endfor %}{{ i is defined }}",
     "00 01 10 11 False"},
};
static const Row blocks[] = {
    {"{% if 0 %}a{% elif '' %}b{% elif [0] %}c{% else %}d{% endif %}", "c"},
    {"{% if true %}{% set y = 1 %}{% endif %}{{ y }}", "1"},
    {"{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set t = 1, 2 %}{{ t }}", "12(1, 2)"},
    {"{% set x %}a{{ 1 }}\n{% endset %}[{{ x }}]{% set y | upper | trim %} q {% endset %}{{ y "
     "}}",
     "[a1\n]Q"},
    {"{% filter upper %}abc{{ 'd' }}{% endfilter %}{% filter replace('a', 'b')|upper %}aa{% "
     "endfilter %}",
     "ABCDBB"},
    {"{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a is defined }}", "3False"},
    {"{% generation %}x{% set q = 1 %}{% endgeneration %}{{ q is defined }}", "xFalse"},
    {"a{% block b %}c{% endblock %}d", "acd"},
    {"{% macro f(a, b=2) %}{{ a }}-{{ b }};{% endmacro %}{{ f(1) }}{{ f(1, 3) }}{{ f(b=5, a=4) "
     "}}{{ f() }}",
     "1-2;1-3;4-5;-2;"},
    {"{% macro f() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, k=3) }}",
     "(1, 2){'k': 3}"},
    {"{% macro w(t) %}<{{ t }}>{{ caller(1) }}</{{ t }}>{% endmacro %}{% call(x) w('b') %}in "
     "{{ x }}{% endcall %}",
     "<b>in 1</b>"},
    {"{% macro f() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ f() }}{% set x = 2 %}{{ f() }}{% "
     "for x in [9] %}{{ f() }}{% endfor %}",
     "122"},
    {"{% macro down(n) %}{{ n }}{{ down(n - 1) if n > 0 }}{% endmacro %}{{ down(3) }}", "3210"},
    {"{{ strftime_now('%d %B %Y, %H:%M') }}", "26 July 2026, 12:34"},
};
static const Row filters[] = {
    {"{{ d|tojson }} {{ [1.0, 'é\\n', none]|tojson }} {{ []|tojson(indent=2) }}",
     "{\"a\": 1, \"b c\": [true], \"items\": \"mine\"} [1.0, \"é\\n\", null] []"},
    {"{{ {'b': [1, {}], 'a': 'x'}|tojson(indent=2) }}",
     "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": \"x\"\n}"},
    {"{{ {'b': 1, 'a': 'é'}|tojson(sort_keys=true, ensure_ascii=true, separators=(',', ':')) "
     "}}",
     "{\"a\":\"\\u00e9\",\"b\":1}"},
    {"{{ '  a '|trim }}|{{ 'xax'|trim('x') }}|{{ 'aXb'|upper }}{{ 'aXb'|lower }}{{ "
     "'aXb'|capitalize }}|{{ 'an old-time (tale)'|title }}",
     "a|a|AXBaxbAxb|An Old-Time (Tale)"},
    {"{{ [3, 1, 2]|sort }}{{ ['b', 'A']|sort }}{{ l|sort(reverse=true) }}{{ {'b': 1, 'A': "
     "2}|dictsort }}",
     "[1, 2, 3]['A', 'b'][3, 2, 1][('A', 2), ('b', 1)]"},
    {"{{ l|join }} {{ l|join(', ') }} {{ t|join('-', attribute='n') }}", "123 1, 2, 3 x-z"},
    {"{{ l|first }}{{ l|last }}{{ l|length }}{{ l|sum }}{{ l|min }}{{ l|max }}{{ "
     "l|reverse|list }}{{ 'abc'|reverse }}",
     "133613[3, 2, 1]cba"},
    {"{{ t|map(attribute='n')|list }}{{ ['a']|map('upper')|list }}{{ "
     "t|selectattr('c')|map(attribute='n')|list }}{{ t|rejectattr('c', 'defined')|list|length "
     "}}",
     "['x', 'z']['A']['x']1"},
    {"{{ [1, 2, 3]|select('odd')|list }}{{ [0, 1]|reject|list }}{{ [1, 1, 2]|unique|list }}{{ "
     "[1, 2, 3]|batch(2, 0)|list }}",
     "[1, 3][0][1, 2][[1, 2], [3, 0]]"},
    {"{{ '12'|int }} {{ 'x'|int(3) }} {{ '1e2'|int }} {{ 3.9|int }} {{ '2.5'|float }} {{ "
     "'0x1A'|int(0, 16) }}",
     "12 3 100 3 2.5 26"},
    {"{{ 2.5|round }} {{ 3.14159|round(2) }} {{ 2.1|round(method='ceil') }} {{ 1234|round(-2) "
     "}}",
     "2.0 3.14 3.0 1200"},
    {"{{ 'a\\nb\\n\\nc'|indent(2) }}|{{ 'a\\nb'|indent(1, true) }}", "a\n  b\n\n  c| a\n b"},
    {"{{ d|items|list }} {{ d|list }} {{ none|string }} {{ 'ab'|list }}",
     "[('a', 1), ('b c', [True]), ('items', 'mine')] ['a', 'b c', 'items'] None ['a', 'b']"},
    {"{{ 'a b c'|replace(' ', '-') }} {{ 'aaa'|replace('a', 'b', 2) }} {{ 'a b  c'|wordcount "
     "}} {{ 'hello big world'|truncate(10) }}",
     "a-b-c bba 3 hello big world"},
    {"{{ '<b>'|escape }} {{ '<b>'|safe }} {{ ('<b>'|safe) + '<i>' }} {{ '<b>x</b>  "
     "y'|striptags }} {{ 'a b/ü'|urlencode }}",
     "&lt;b&gt; <b> <b>&lt;i&gt; x y a%20b/%C3%BC"},
    {"{{ '%s-%s'|format(1, 'b') }} {{ 'ab'|center(6) }}|", "1-b   ab  |"},
    {"{{ t|groupby('n')|map('first')|list }} {{ [1, 2]|random in [1, 2] }}", "['x', 'z'] True"},
    {"{{ 'ÀÉß'|lower }} {{ 'straße ñ я ω'|upper }} {{ 'ΑΒ'|lower }}", "àéß STRASSE Ñ Я Ω αβ"},
};
static const Row methods[] = {
    {"{{ 'a,b,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'a b "
     "c'.split(none, 1) }} {{ 'a,b,c'.rsplit(',', 1) }}",
     "['a', 'b', 'c'] ['a', 'b'] ['a', 'b,c'] ['a', 'b c'] ['a,b', 'c']"},
    {"{{ ' x '.strip() }}|{{ 'xxa'.lstrip('x') }}|{{ 'axx'.rstrip('x') }}", "x|a|a"},
    {"{{ 'abc'.startswith('ab') }} {{ 'abc'.endswith(('x', 'c')) }} {{ 'a-b'.replace('-', '+') "
     "}} {{ 'abc'.replace('', '.') }}",
     "True True a+b .a.b.c."},
    {"{{ 'aB'.upper() }}{{ 'aB'.lower() }}{{ 'ab cd'.title() }}{{ 'ab'.capitalize() }}{{ "
     "'aB'.swapcase() }}",
     "ABabAb CdAbAb"},
    {"{{ '-'.join(['a', 'b']) }} {{ 'a=b'.partition('=') }} {{ 'a\\nb\\r\\nc'.splitlines() }}",
     "a-b ('a', '=', 'b') ['a', 'b', 'c']"},
    {"{{ 'abcabc'.find('c') }} {{ 'abc'.find('z') }} {{ 'abcabc'.rfind('c') }} {{ "
     "'aXa'.count('a') }} {{ 'éa'.index('a') }}",
     "2 -1 5 2 1"},
    {"{{ 'abc'.isalpha() }}{{ '12'.isdigit() }}{{ 'a1'.isalnum() }}{{ ' '.isspace() }}{{ "
     "'A'.isupper() }}{{ 'a'.islower() }}",
     "TrueTrueTrueTrueTrueTrue"},
    {"{{ '7'.zfill(3) }} {{ 'a'.ljust(3) }}|{{ 'a'.rjust(3) }}|{{ 'a'.center(4) }}|",
     "007 a  |  a| a  |"},
    {"{{ '{} {x} {}'.format('a', 'c', x='b') }} {{ 'abc'.removeprefix('a') }}{{ "
     "'abc'.removesuffix('c') }}",
     "a b c bcab"},
    {"{{ d.keys()|list }} {{ d.values()|list }} {{ d.items() }} {{ [1, 2, 1].count(1) }} {{ "
     "[5, 6].index(6) }}",
     "['a', 'b c', 'items'] [1, [True], 'mine'] dict_items([('a', 1), ('b c', [True]), "
     "('items', 'mine')]) 2 1"},
    {"{{ l.pop() }}{{ l }}{{ l.pop(0) }}{{ l }}", "3[1, 2]1[2]"},
};
static const Row checks[] = {
    {"{{ 1 is number }}{{ 1 is integer }}{{ 1.0 is float }}{{ true is number }}{{ true is "
     "boolean }}{{ 'a' is string }}{{ d is mapping }}{{ l is sequence }}{{ 'a' is iterable "
     "}}{{ 1 is iterable }}{{ none is none }}",
     "TrueTrueTrueTrueTrueTrueTrueTrueTrueFalseTrue"},
    {"{{ 4 is even }}{{ 3 is odd }}{{ 9 is divisibleby 3 }}{{ 1 is eq 1 }}{{ 1 is ne(2) }}{{ 2 "
     "is gt 1 }}{{ 1 is le 1 }}{{ 'a' is in 'abc' }}{{ 1 is not none }}",
     "TrueTrueTrueTrueTrueTrueTrueTrueTrue"},
    {"{{ 'a' is lower }}{{ 'A' is upper }}{{ true is true }}{{ 1 is true }}{{ false is false "
     "}}{{ 1 is sameas 1 }}{{ 'upper' is filter }}{{ 'nope' is filter }}{{ range is callable "
     "}}",
     "TrueTrueTrueFalseTrueTrueTrueFalseTrue"},
};
static const Row errors[] = {
    {"{{ nope.x }}", "!UndefinedError: 'nope' is undefined"},
    {"a\n{{ d.x.y }}", "!UndefinedError: 'dict object' has no attribute 'x'"},
    {"{{ nope + 1 }}", "!UndefinedError: 'nope' is undefined"},
    {"{{ 'a' + 1 }}", "!TypeError: can only concatenate str (not \"int\") to str"},
    {"{{ none + 'a' }}", "!TypeError: unsupported operand type(s) for +: 'NoneType' and 'str'"},
    {"{{ 1 + 'a' }}", "!TypeError: unsupported operand type(s) for +: 'int' and 'str'"},
    {"{{ [1] + 'a' }}", "!TypeError: can only concatenate list (not \"str\") to list"},
    {"{{ 1 / 0 }}", "!ZeroDivisionError: division by zero"},
    {"{{ 1 % 0 }}", "!ZeroDivisionError: integer modulo by zero"},
    {"{% for x in none %}{% endfor %}", "!TypeError: 'NoneType' object is not iterable"},
    {"{{ 1 < 'a' }}", "!TypeError: '<' not supported between instances of 'int' and 'str'"},
    {"{{ nope|tojson }}", "!TypeError: Object of type Undefined is not JSON serializable"},
    {"{{ l.append(1) }}",
     "!SecurityError: access to attribute 'append' of 'list' object is unsafe."},
    {"{{ d.update({}) }}",
     "!SecurityError: access to attribute 'update' of 'dict' object is unsafe."},
    {"{{ 'x'.__class__() }}",
     "!SecurityError: access to attribute '__class__' of 'str' object is unsafe."},
    {"\n\n{{ raise_exception('no: ' ~ 1) }}", "!TemplateError: no: 1"},
    {"{{ 5() }}", "!TypeError: 'int' object is not callable"},
    {"{{ none|length }}", "!TypeError: object of type 'NoneType' has no len()"},
    {"{% set d.a = 1 %}",
     "!TemplateRuntimeError: cannot assign attribute on non-namespace object"},
    {"{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}",
     "!TypeError: macro 'f' takes not more than 1 argument(s)"},
    {"{% if %}", "!TemplateSyntaxError: unexpected 'end of statement block'"},
    {"{% if 1 %}a",
     "!TemplateSyntaxError: Unexpected end of template. Jinja was looking for the following "
     "tags: 'elif' or 'else' or 'endif'. The innermost block that needs to be closed is 'if'."},
    {"{% endif %}", "!TemplateSyntaxError: Encountered unknown tag 'endif'."},
    {"{% frob %}", "!TemplateSyntaxError: Encountered unknown tag 'frob'."},
    {"{{ 1 + }}", "!TemplateSyntaxError: unexpected 'end of print statement'"},
    {"{{ 'abc }}", "!TemplateSyntaxError: unexpected char \"'\" at 3"},
    {"{# x", "!TemplateSyntaxError: Missing end of comment tag"},
    {"{% if 1 %}{% else %}{% else %}{% endif %}",
     "!TemplateSyntaxError: Encountered unknown tag 'else'. Jinja was looking for the "
     "following tags: 'endif'. The innermost block that needs to be closed is 'if'."},
    {"{{ 'a'.split('') }}", "!ValueError: empty separator"},
    {"{{ {}['a']['b'] }}", "!UndefinedError: 'dict object' has no attribute 'a'"},
    {"{{ [2]['x'].y }}", "!UndefinedError: 'list object' has no attribute 'x'"},
    {"{{ {[]: 1} }}", "!TypeError: unhashable type: 'list'"},
    {"{% set a, b = [1] %}", "!ValueError: not enough values to unpack (expected 2, got 1)"},
    {"{{ 'abc'.index('z') }}", "!ValueError: substring not found"},
    {"{{ x is nosuch }}", "!TemplateRuntimeError: No test named 'nosuch' found."},
};
