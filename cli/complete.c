/* Shell completions, written at build time by `dp2dp --completion bash|zsh`. */
#include <string.h>

#include "args.h"
#include "help.h"

/* What a shell may offer as the value of an option or as an operand, from its placeholder. */
typedef enum offer {
    OFFER_NOTHING,
    OFFER_FILES,
    OFFER_FOLDERS,
    OFFER_WORDS
} offer;

static offer offer_of(const char *placeholder) {
    return cli_list_has("FILE|TABLE|MODEL|SCHEMA", placeholder) ? OFFER_FILES
           : strcmp(placeholder, "DIR") == 0                    ? OFFER_FOLDERS
                                                                : OFFER_NOTHING;
}

static offer offer_of_option(const cli_option *option) {
    return option->kind == CLI_WORD ? OFFER_WORDS : offer_of(option->value);
}

/* The last operand stands for all: every verb that has several takes files. */
static offer offer_of_operands(const cli_verb *verb) {
    char name[32];
    if (verb->operands == NULL) {
        return OFFER_NOTHING;
    }
    const char *last = strrchr(verb->operands, ' ');
    last = last ? last + 1 : verb->operands;
    last += *last == '[';
    snprintf(name, sizeof name, "%.*s", (int)strcspn(last, "]"), last);
    return offer_of(name);
}

/* Words separated by '|', with blanks between them. */
static void put_words(const char *list, FILE *stream) {
    for (; *list != '\0'; list++) {
        fputc(*list == '|' ? ' ' : *list, stream);
    }
}

static void put_verbs(FILE *stream) {
    for (size_t i = 0; i < cli_verb_count; i++) {
        fprintf(stream, "%s ", cli_verbs[i].name);
    }
}

static void bash_verb(const cli_verb *verb, FILE *stream) {
    static const char *const kinds[] = {"", "files", "folders", "words"};
    fprintf(stream, "    %s)\n        options='", verb->name);
    for (size_t i = 0; i < verb->option_count; i++) {
        fprintf(stream, "--%s ", verb->options[i].name);
    }
    fprintf(stream, "--help'\n        offer='%s'\n        case $previous in\n",
            kinds[offer_of_operands(verb)]);
    for (size_t i = 0; i < verb->option_count; i++) {
        const cli_option *option = &verb->options[i];
        if (option->kind == CLI_FLAG) {
            continue;
        }
        fprintf(stream, "        --%s) options='' offer='%s'", option->name,
                kinds[offer_of_option(option)]);
        if (option->kind == CLI_WORD) {
            fputs(" words='", stream);
            put_words(option->value, stream);
            fputc('\'', stream);
        }
        fputs(" ;;\n", stream);
    }
    fputs("        esac\n        ;;\n", stream);
}

static void bash(FILE *stream) {
    fputs("# bash completion of dp2dp: verbs, options, the words that options take, and files.\n"
          "_dp2dp() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} at=$((COMP_CWORD - 1)) previous\n"
          "    local options='' offer='' words=''\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          stream);
    put_verbs(stream);
    fputs("help --help --version' -- \"$word\")\n"
          "        return\n"
          "    fi\n"
          "    # --name=value is three words to bash.\n"
          "    [[ $word != = ]] || { word='' at=$((at + 1)); }\n"
          "    [[ ${COMP_WORDS[at]} != = ]] || at=$((at - 1))\n"
          "    previous=${COMP_WORDS[at]}\n"
          "    case ${COMP_WORDS[1]} in\n"
          "    help) offer=words words='",
          stream);
    put_verbs(stream);
    fputs("' ;;\n", stream);
    for (size_t i = 0; i < cli_verb_count; i++) {
        bash_verb(&cli_verbs[i], stream);
    }
    fputs("    esac\n"
          "    if [[ -n $options && ($word == -* || -z $offer) ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
          "    elif [[ $offer == words ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "    elif [[ $offer == files || $offer == folders ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        if [[ $offer == files ]]; then\n"
          "            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "        else\n"
          "            mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
          "        fi\n"
          "    fi\n"
          "}\n"
          "complete -F _dp2dp dp2dp\n",
          stream);
}

/* Inside single quotes, and inside the brackets of an option's description. */
static void zsh_text(const char *text, FILE *stream) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stream);
        } else {
            fputs(strchr("[]:\\", *text) ? "\\" : "", stream);
            fputc(*text, stream);
        }
    }
}

static void zsh_option(const cli_option *option, FILE *stream) {
    fprintf(stream, "            '--%s%s[", option->name, option->kind == CLI_FLAG ? "" : "=");
    zsh_text(option->help, stream);
    fputc(']', stream);
    if (option->kind != CLI_FLAG) {
        fputc(':', stream);
        zsh_text(option->kind == CLI_WORD ? "WORD" : option->value, stream);
        fputc(':', stream);
    }
    if (option->kind == CLI_WORD) {
        fputc('(', stream);
        put_words(option->value, stream);
        fputc(')', stream);
    } else if (option->kind != CLI_FLAG) {
        offer what = offer_of_option(option);
        fputs(what == OFFER_FILES ? "_files" : what == OFFER_FOLDERS ? "_files -/" : " ", stream);
    }
    fputs("' \\\n", stream);
}

static void zsh(FILE *stream) {
    fputs("#compdef dp2dp\n"
          "# zsh completion of dp2dp: verbs, options, the words that options take, and files.\n"
          "_dp2dp() {\n"
          "    local -a verbs=(\n",
          stream);
    for (size_t i = 0; i < cli_verb_count; i++) {
        fprintf(stream, "        '%s:", cli_verbs[i].name);
        zsh_text(cli_verbs[i].summary, stream);
        fputs("'\n", stream);
    }
    fputs("        'help:print the help of a verb'\n"
          "    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe verb verbs\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n"
          "    help) _describe verb verbs ;;\n",
          stream);
    for (size_t i = 0; i < cli_verb_count; i++) {
        const cli_verb *verb = &cli_verbs[i];
        fprintf(stream, "    %s)\n        _arguments \\\n", verb->name);
        for (size_t j = 0; j < verb->option_count; j++) {
            zsh_option(&verb->options[j], stream);
        }
        fprintf(stream, "            '--help[print the help]'%s\n        ;;\n",
                offer_of_operands(verb) == OFFER_FILES ? " \\\n            '*:FILE:_files'" : "");
    }
    fputs("    esac\n"
          "}\n"
          "_dp2dp \"$@\"\n",
          stream);
}

int cli_completion_print(const char *shell, FILE *stream) {
    if (strcmp(shell, "bash") == 0) {
        bash(stream);
    } else if (strcmp(shell, "zsh") == 0) {
        zsh(stream);
    } else {
        return 0;
    }
    return 1;
}
