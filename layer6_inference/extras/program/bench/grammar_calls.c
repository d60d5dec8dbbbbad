/* grammar_calls.c - tool descriptions for bench grammar, and one call of each.
 *
 * In the strings below, ' is replaced by ". */
#include "grammar_bench.h"

#include <stdio.h>

const BenchCall bench_calls[] = {
    {"get_weather", "'city':{'type':'string'},'unit':{'enum':['celsius','fahrenheit']}", "city",
     "{'city': 'Lisbon', 'unit': 'celsius'}"},
    {"send_email",
     "'to':{'type':'array','items':{'type':'string','format':'email'},'minItems':1},'subject':{"
     "'type':'string','maxLength':120},'body':{'type':'string'}",
     "to,subject,body",
     "{'to': ['anna@example.org', 'jo.b@mail.example.com'], 'subject': 'Minutes of Monday', "
     "'body': 'Dear all,\\nthe minutes are attached.\\nBest wishes'}"},
    {"create_event",
     "'title':{'type':'string','minLength':1,'maxLength':80},'date':{'type':'string','format':'"
     "date'},'start':{'type':'string','pattern':'^([01][0-9]|2[0-3]):[0-5][0-9]$'},'minutes':{'"
     "type':'integer','minimum':5,'maximum':480}",
     "title,date",
     "{'title': 'Dentist', 'date': '2026-11-03', 'start': '09:30', 'minutes': 45}"},
    {"search_flights",
     "'from':{'type':'string','pattern':'^[A-Z]{3}$'},'to':{'type':'string','pattern':'^[A-Z]{"
     "3}$'},'on':{'type':'string','format':'date'},'passengers':{'type':'integer','minimum':1,'"
     "maximum':9},'cabin':{'enum':['economy','premium','business','first']}",
     "from,to,on",
     "{'from': 'OSL', 'to': 'LIS', 'on': '2026-12-19', 'passengers': 2, 'cabin': 'economy'}"},
    {"convert_currency",
     "'amount':{'type':'number','exclusiveMinimum':0},'from':{'enum':['EUR','USD','GBP','JPY','"
     "CHF','NOK']},'to':{'enum':['EUR','USD','GBP','JPY','CHF','NOK']}",
     "amount,from,to", "{'amount': 129.95, 'from': 'EUR', 'to': 'NOK'}"},
    {"set_thermostat",
     "'room':{'enum':['kitchen','bedroom','living "
     "room','bathroom']},'celsius':{'type':'number','minimum':5,'maximum':30}",
     "room,celsius", "{'room': 'living room', 'celsius': 20.5}"},
    {"play_music",
     "'artist':{'type':'string'},'title':{'type':'string'},'shuffle':{'type':'boolean'}", "",
     "{'artist': 'Nina Simone', 'title': 'Feeling Good', 'shuffle': false}"},
    {"book_table",
     "'restaurant':{'type':'string'},'guests':{'type':'integer','minimum':1,'maximum':20},'"
     "time':{'type':'string','format':'date-time'},'outside':{'type':'boolean'}",
     "restaurant,guests,time",
     "{'restaurant': 'The Golden Fish', 'guests': 4, 'time': '2026-06-01T19:30:00Z', "
     "'outside': true}"},
    {"translate",
     "'text':{'type':'string','maxLength':2000},'to':{'type':'string','pattern':'^[a-z]{2}(-[A-"
     "Z]{2})?$'}",
     "text,to", "{'text': 'Where is the nearest station, please?', 'to': 'pt-BR'}"},
    {"add_contact",
     "'name':{'type':'string'},'phone':{'type':'string','pattern':'^[+]?[0-9 "
     "]{5,20}$'},'address':{'type':'object','properties':{'street':{'type':'string'},'city':{'"
     "type':'string'},'zip':{'type':'string','maxLength':10}},'required':['city'],'"
     "additionalProperties':false}",
     "name",
     "{'name': 'Olga Maier', 'phone': '+47 22 33 44 55', 'address': {'street': 'Storgata 12', "
     "'city': 'Oslo', 'zip': '0184'}}"},
    {"find_products",
     "'query':{'type':'string'},'price':{'type':'object','properties':{'min':{'type':'number','"
     "minimum':0},'max':{'type':'number','minimum':0}},'additionalProperties':false},'sort':{'"
     "enum':['price','rating','newest']},'page':{'type':'integer','minimum':1}",
     "query",
     "{'query': 'wooden chair', 'price': {'min': 20, 'max': 150}, 'sort': 'rating', 'page': "
     "2}"},
    {"run_query",
     "'table':{'type':'string','pattern':'^[a-z_]+$'},'columns':{'type':'array','items':{'type'"
     ":'string','pattern':'^[a-z_]+$'},'minItems':1,'maxItems':12},'where':{'type':'array','"
     "items':{'type':'object','properties':{'column':{'type':'string'},'op':{'enum':['=','<','>"
     "','<=','>=','like']},'value':{'type':['string','number','boolean','null']}},'required':['"
     "column','op','value'],'additionalProperties':false}},'limit':{'type':'integer','minimum':"
     "1,'maximum':1000}",
     "table,columns",
     "{'table': 'orders', 'columns': ['id', 'customer', 'total'], 'where': [{'column': "
     "'total', 'op': '>=', 'value': 100}, {'column': 'paid', 'op': '=', 'value': true}], "
     "'limit': 50}"},
    {"draw_chart",
     "'kind':{'enum':['line','bar','pie']},'title':{'type':'string'},'series':{'type':'array','"
     "items':{'type':'object','properties':{'label':{'type':'string'},'points':{'type':'array',"
     "'items':{'type':'number'}}},'required':['label','points']}}",
     "kind,series",
     "{'kind': 'bar', 'title': 'Rain by month', 'series': [{'label': 'Bergen', 'points': [190, "
     "152, 170.5, 114, 106]}]}"},
    {"set_alarm",
     "'at':{'type':'string','format':'time'},'days':{'type':'array','items':{'enum':['mon','"
     "tue','wed','thu','fri','sat','sun']},'maxItems':7},'label':{'type':'string','maxLength':"
     "40}",
     "at", "{'at': '06:45:00Z', 'days': ['mon', 'tue', 'wed'], 'label': 'wake up'}"},
    {"calculate", "'expression':{'type':'string','pattern':'^[-0-9+*/(). ]+$'}", "expression",
     "{'expression': '(12 + 7.5) * 3 / 4'}"},
    {"read_file",
     "'path':{'type':'string','pattern':'^(/"
     "[A-Za-z0-9._-]+)+$'},'from':{'type':'integer','minimum':0},'lines':{'type':'integer','"
     "minimum':1,'maximum':2000}",
     "path", "{'path': '/home/anna/notes/todo.txt', 'from': 0, 'lines': 200}"},
    {"write_file", "'path':{'type':'string'},'text':{'type':'string'}", "path,text",
     "{'path': 'hello.c', 'text': '#include <stdio.h>\\nint main(void) {\\n    return "
     "0;\\n}\\n'}"},
    {"open_issue",
     "'repository':{'type':'string','pattern':'^[A-Za-z0-9_.-]+/"
     "[A-Za-z0-9_.-]+$'},'title':{'type':'string','maxLength':256},'labels':{'type':'array','"
     "items':{'enum':['bug','feature','question','docs']}},'body':{'type':'string'}",
     "repository,title",
     "{'repository': 'octo/hello-world', 'title': 'Crash when the list is empty', 'labels': "
     "['bug'], 'body': 'Steps: open it, press enter.'}"},
    {"track_parcel", "'number':{'type':'string','pattern':'^[A-Z]{2}[0-9]{9}[A-Z]{2}$'}",
     "number", "{'number': 'RR473124829NO'}"},
    {"plan_route",
     "'stops':{'type':'array','items':{'type':'object','properties':{'lat':{'type':'number','"
     "minimum':-90,'maximum':90},'lon':{'type':'number','minimum':-180,'maximum':180}},'"
     "required':['lat','lon'],'additionalProperties':false},'minItems':2,'maxItems':25},'by':{'"
     "enum':['car','bike','foot','train']}",
     "stops",
     "{'stops': [{'lat': 59.9139, 'lon': 10.7522}, {'lat': 60.3913, 'lon': 5.3221}], 'by': "
     "'train'}"},
    {"get_stock",
     "'symbol':{'type':'string','pattern':'^[A-Z.]{1,6}$'},'interval':{'enum':['1d','1w','1m','"
     "1y']}",
     "symbol", "{'symbol': 'EQNR', 'interval': '1m'}"},
    {"make_payment",
     "'iban':{'type':'string','pattern':'^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'},'cents':{'type':'"
     "integer','minimum':1,'maximum':10000000},'reference':{'type':'string','maxLength':140}",
     "iban,cents",
     "{'iban': 'NO9386011117947', 'cents': 125000, 'reference': 'Invoice 2026-118'}"},
    {"lookup_user", "'id':{'type':'string','format':'uuid'}", "id",
     "{'id': '3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6b'}"},
    {"fetch_page",
     "'url':{'type':'string','pattern':'^https?://[A-Za-z0-9.-]+(/[A-Za-z0-9._~/"
     "-]*)?$'},'timeout':{'type':'number','minimum':0.1,'maximum':60}",
     "url", "{'url': 'https://www.example.org/news/today.html', 'timeout': 2.5}"},
    {"list_files",
     "'folder':{'type':'string'},'recursive':{'type':'boolean','default':false},'pattern':{'"
     "type':'string'}",
     "folder", "{'folder': 'src/samplers', 'recursive': true, 'pattern': '*.c'}"},
    {"update_order",
     "'order':{'type':'integer','minimum':1},'lines':{'type':'array','items':{'type':'object','"
     "properties':{'sku':{'type':'string','pattern':'^[A-Z]{3}-[0-9]{4}$'},'quantity':{'type':'"
     "integer','minimum':1,'maximum':99},'gift':{'type':'boolean'}},'required':['sku','"
     "quantity'],'additionalProperties':false}}",
     "order,lines",
     "{'order': 20418, 'lines': [{'sku': 'CHR-0012', 'quantity': 4}, {'sku': 'TBL-0100', "
     "'quantity': 1, 'gift': true}]}"},
    {"rate_movie",
     "'title':{'type':'string'},'stars':{'type':'integer','minimum':1,'maximum':5},'comment':{'"
     "type':'string','maxLength':500}",
     "title,stars",
     "{'title': 'Stalker', 'stars': 5, 'comment': 'Slow, wet and unforgettable.'}"},
    {"turn_light",
     "'lamp':{'type':'string'},'on':{'type':'boolean'},'color':{'type':'string','pattern':'^#["
     "0-9a-f]{6}$'},'level':{'type':'integer','minimum':0,'maximum':100}",
     "lamp,on", "{'lamp': 'desk', 'on': true, 'color': '#ffcc88', 'level': 60}"},
    {"register_patient",
     "'name':{'type':'string'},'born':{'type':'string','format':'date'},'blood':{'enum':['A+','"
     "A-','B+','B-','AB+','AB-','0+','0-']},'allergies':{'type':'array','items':{'type':'"
     "string','maxLength':60},'maxItems':20}",
     "name,born",
     "{'name': 'Jan Berg', 'born': '1974-02-28', 'blood': 'AB-', 'allergies': ['penicillin', "
     "'hazelnuts']}"},
    {"build_tree", "'root':{'$ref':'#/$defs/node'}", "root",
     "{'root': {'name': 'a', 'children': [{'name': 'b', 'children': []}, {'name': 'c', "
     "'children': [{'name': 'd', 'children': []}]}]}}"},
    {"filter_images",
     "'filters':{'type':'array','items':{'anyOf':[{'type':'object','properties':{'kind':{'"
     "const':'blur'},'radius':{'type':'number','minimum':0}},'required':['kind','radius'],'"
     "additionalProperties':false},{'type':'object','properties':{'kind':{'const':'crop'},'x':{"
     "'type':'integer'},'y':{'type':'integer'},'width':{'type':'integer'},'height':{'type':'"
     "integer'}},'required':['kind','x','y','width','height'],'additionalProperties':false}]}}",
     "filters",
     "{'filters': [{'kind': 'blur', 'radius': 1.5}, {'kind': 'crop', 'x': 10, 'y': 20, "
     "'width': 640, 'height': 480}]}"},
    {"ask_user",
     "'question':{'type':'string'},'choices':{'type':'array','items':{'type':'string'},'"
     "minItems':2,'maxItems':5}",
     "question",
     "{'question': 'Which one do you mean?', 'choices': ['the red one', 'the blue one']}"},
    {"remember", "'key':{'type':'string','pattern':'^[a-z][a-z0-9_]{0,31}$'},'value':{}",
     "key,value",
     "{'key': 'likes', 'value': {'tea': ['green', 'mint'], 'sugar': null, 'cups': 3}}"},
    {"schedule_job",
     "'command':{'type':'string'},'cron':{'type':'string','pattern':'^([0-9*/,-]+ "
     "){4}[0-9*/,-]+$'},'retries':{'type':'integer','minimum':0,'maximum':10}",
     "command,cron", "{'command': 'make check', 'cron': '*/15 6-22 * * 1-5', 'retries': 3}"},
    {"score_text",
     "'scores':{'type':'object','additionalProperties':{'type':'number','minimum':0,'maximum':"
     "1}}",
     "scores", "{'scores': {'joy': 0.83, 'anger': 0.02, 'surprise': 0.4}}"},
    {"edit_text",
     "'edits':{'type':'array','items':{'type':'object','properties':{'line':{'type':'integer','"
     "minimum':1},'old':{'type':'string'},'new':{'type':'string'}},'required':['line','old','"
     "new'],'additionalProperties':false},'minItems':1}",
     "edits",
     "{'edits': [{'line': 12, 'old': 'int x = 1;', 'new': 'int x = 2;'}, {'line': 40, 'old': "
     "'', 'new': '}'}]}"},
    {"measure",
     "'points':{'type':'array','prefixItems':[{'type':'number'},{'type':'number'},{'type':'"
     "number'}],'items':false,'minItems':3},'unit':{'enum':['mm','cm','m','km']}",
     "points,unit", "{'points': [1.25, -0.5, 3e2], 'unit': 'mm'}"},
    {"set_profile",
     "'nick':{'type':'string','minLength':3,'maxLength':16},'bio':{'type':'string','maxLength':"
     "160},'age':{'type':'integer','minimum':13,'maximum':120},'links':{'type':'array','items':"
     "{'type':'string','format':'uri'},'maxItems':4}",
     "nick",
     "{'nick': 'fjordfox', 'bio': 'Writes C, reads maps, bakes bread.', 'age': 34, 'links': "
     "['https://example.org/fox']}"},
    {"choose_tool",
     "'tool':{'enum':['search','calculator','calendar','mail','notes','weather','maps','music',"
     "'camera','timer','translator','none']},'why':{'type':'string','maxLength':200}",
     "tool", "{'tool': 'calculator', 'why': 'The question is a sum.'}"},
    {"answer",
     "'text':{'type':'string'},'sources':{'type':'array','items':{'type':'object','properties':"
     "{'title':{'type':'string'},'page':{'type':'integer','minimum':1}},'required':['title']}},"
     "'sure':{'type':'number','minimum':0,'maximum':1}",
     "text",
     "{'text': 'The bridge was opened in 1932, after six years of work.', 'sources': "
     "[{'title': 'Bridges of the North', 'page': 118}], 'sure': 0.9}"},
};
const size_t bench_n_calls = sizeof bench_calls / sizeof *bench_calls;

static const char *const bench_objects[] = {
    "{'name': 'Tove', 'age': 7, 'likes': ['apples', 'the sea', 'her grey cat']}",
    ("{'id': 10042, 'ok': true, 'items': [{'n': 1, 'price': 2.5e3}, {'n': 2, 'price': null}], "
     "'note': 'A longer text, with \\'quotes\\', a line\\nand \\u00e9.'}"),
    "{'a': {'b': {'c': {'d': [[[]], {}, [{}]]}}}, 'e': -0.25, 'f': ''}",
};
const size_t bench_n_objects = sizeof bench_objects / sizeof *bench_objects;

/* ------------------------------------------------------------------ as JSON */

/* ' becomes ", and \' stays '. */
static void quote(char *text) {
    char *out = text;
    for (; *text; text++) *out++ = *text == '\'' ? '"' : *text;
    *out = 0;
}

static void list_required(char *out, const char *names) {
    Text rest = text_of(names);
    while (rest.size) {
        Text one = text_cut(&rest, ',');
        out += sprintf(out, "'%.*s'%s", (int)one.size, one.data, rest.size ? "," : "");
    }
    *out = 0;
}

static void write_schema(char *out, const BenchCall *call) {
    static const char node[] = "'$defs':{'node':{'type':'object','properties':{'name':{'type':'"
                               "string'},'children':{'type':'array','items':{'$ref':'#/$defs/"
                               "node'}}},'required':['name'],'additionalProperties':false}},";
    char required[200];
    list_required(required, call->required);
    snprintf(out, BENCH_TEXT,
             "{%s'type':'object','properties':{'name':{'const':'%s'},'arguments':{'type':'"
             "object','properties':{%s},'required':[%s],'additionalProperties':false}},'"
             "required':['name','arguments'],'additionalProperties':false}",
             node, call->name, call->properties, required);
    quote(out);
}

void bench_call_write(const BenchCall *call, char schema[BENCH_TEXT], char text[BENCH_TEXT]) {
    write_schema(schema, call);
    snprintf(text, BENCH_TEXT, "{'name': '%s', 'arguments': %s}", call->name, call->arguments);
    quote(text);
}

void bench_object_write(size_t number, char schema[BENCH_TEXT], char text[BENCH_TEXT]) {
    snprintf(schema, BENCH_TEXT, "{\"type\":\"object\"}");
    snprintf(text, BENCH_TEXT, "%s", bench_objects[number]);
    quote(text);
}
