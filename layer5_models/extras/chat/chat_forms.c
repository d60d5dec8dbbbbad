/* chat_forms.c - built-in forms, each a small template.
 *
 * In order of search: the first one whose marks are all in the vocabulary is taken. */
#include "chat.h"

#define SYSTEM_FIRST                                                                      \
    "{%- set system = messages[0].content if messages[0].role == 'system' else none %}\n" \
    "{%- set turns = messages[1:] if system is not none else messages %}\n"

/* For forms that know only users and assistants. */
#define ONLY_TWO                                                   \
    "{%- if m.role not in ['user', 'assistant'] %}"                \
    "{{ raise_exception('this form has no turns of ' ~ m.role) }}" \
    "{%- endif %}\n"

const ChatFormKind chat_form_kinds[] = {
    {"phi4", "<|im_start|> <|im_sep|> <|im_end|>", "Phi 4",
     "{% for m in messages %}<|im_start|>{{ m.role }}<|im_sep|>{{ m.content }}<|im_end|>{% "
     "endfor %}"
     "{% if add_generation_prompt %}<|im_start|>assistant<|im_sep|>{% endif %}"},
    {"chatml", "<|im_start|> <|im_end|>",
     "ChatML: Qwen, SmolLM, Hermes, Yi, the storyteller in the box",
     "{% for m in messages %}{{ '<|im_start|>' ~ m.role ~ '\\n' ~ m.content ~ '<|im_end|>\\n' "
     "}}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"},
    {"llama3", "<|start_header_id|> <|end_header_id|> <|eot_id|>", "Llama 3",
     "{{ bos_token }}{% for m in messages %}{{ '<|start_header_id|>' ~ m.role ~ "
     "'<|end_header_id|>\\n\\n' ~ m.content|trim "
     "~ '<|eot_id|>' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' "
     "}}{% endif %}"},
    {"llama4", "<|header_start|> <|header_end|> <|eot|>", "Llama 4",
     "{{ bos_token }}{% for m in messages %}{{ '<|header_start|>' ~ m.role ~ "
     "'<|header_end|>\\n\\n' ~ m.content|trim "
     "~ '<|eot|>' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<|header_start|>assistant<|header_end|>\\n\\n' }}{% "
     "endif %}"},
    {"gemma", "<start_of_turn> <end_of_turn>", "Gemma 1 to 3",
     SYSTEM_FIRST
     "{{ bos_token }}{% for m in turns %}{{ '<start_of_turn>' ~ ('model' if m.role == "
     "'assistant' else m.role) ~ '\\n' }}"
     "{% if loop.first and system is not none %}{{ system|trim ~ '\\n\\n' }}{% endif %}"
     "{{ m.content|trim ~ '<end_of_turn>\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"},
    {"phi3", "<|user|> <|assistant|> <|end|>", "Phi 3 and 3.5",
     "{% for m in messages %}{{ '<|' ~ m.role ~ '|>\\n' ~ m.content ~ '<|end|>\\n' }}{% endfor "
     "%}"
     "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}"},
    {"deepseek", "<｜User｜> <｜Assistant｜>", "DeepSeek V3 and R1",
     SYSTEM_FIRST
     "{{ bos_token }}{{ system if system is not none }}{% for m in turns %}" ONLY_TWO
     "{{ '<｜User｜>' ~ m.content if m.role == 'user' else '<｜Assistant｜>' ~ m.content ~ "
     "eos_token }}{% endfor %}"
     "{% if add_generation_prompt %}<｜Assistant｜>{% endif %}"},
    {"command-r",
     "<|START_OF_TURN_TOKEN|> <|USER_TOKEN|> <|CHATBOT_TOKEN|> <|END_OF_TURN_TOKEN|>",
     "Command R",
     "{% set names = {'system': '<|SYSTEM_TOKEN|>', 'user': '<|USER_TOKEN|>', 'assistant': "
     "'<|CHATBOT_TOKEN|>'} %}\n"
     "{{ bos_token }}{% for m in messages %}{{ '<|START_OF_TURN_TOKEN|>' ~ names[m.role] ~ "
     "m.content|trim ~ "
     "'<|END_OF_TURN_TOKEN|>' }}{% endfor %}"
     "{% if add_generation_prompt %}<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>{% endif %}"},
    {"mistral", "[INST] [/INST]", "Mistral, from version 3 of its form on",
     SYSTEM_FIRST "{{ bos_token }}{% for m in turns %}" ONLY_TWO
                  "{% if m.role == 'user' %}[INST] {{ system ~ '\\n\\n' if loop.first and "
                  "system is not none }}{{ m.content }}[/INST]"
                  "{% else %} {{ m.content|trim }}{{ eos_token }}{% endif %}{% endfor %}"},
    {"llama2", NULL, "Llama 2; written in plain letters",
     SYSTEM_FIRST "{% for m in turns %}" ONLY_TWO
                  "{% if m.role == 'user' %}{{ bos_token }}[INST] "
                  "{{ '<<SYS>>\\n' ~ system ~ '\\n<</SYS>>\\n\\n' if loop.first and system is "
                  "not none }}{{ m.content|trim }} [/INST]"
                  "{% else %} {{ m.content|trim }} {{ eos_token }}{% endif %}{% endfor %}"},
    {"zephyr", NULL, "Zephyr, TinyLlama; written in plain letters",
     "{% for m in messages %}{{ '<|' ~ m.role ~ '|>\\n' ~ m.content ~ eos_token ~ '\\n' }}{% "
     "endfor %}"
     "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}"},
    {"vicuna", NULL, "Vicuna; written in plain letters",
     SYSTEM_FIRST
     "{{ bos_token }}{{ system ~ '\\n\\n' if system is not none }}{% for m in turns %}" ONLY_TWO
     "{{ 'USER: ' ~ m.content ~ '\\n' if m.role == 'user' else 'ASSISTANT: ' ~ m.content ~ "
     "eos_token ~ '\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}ASSISTANT:{% endif %}"},
    {"alpaca", NULL, "Alpaca; written in plain letters",
     SYSTEM_FIRST
     "{{ bos_token }}{{ system ~ '\\n\\n' if system is not none }}{% for m in turns %}" ONLY_TWO
     "{{ '### Instruction:\\n' ~ m.content ~ '\\n\\n' if m.role == 'user' else '### "
     "Response:\\n' ~ m.content ~ eos_token ~ '\\n\\n' }}{% endfor %}"
     "{% if add_generation_prompt %}{{ '### Response:\\n' }}{% endif %}"},
    {0}};
