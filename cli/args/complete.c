/* Shell completions, written at build time by `dp2dp --completion bash|zsh`. */
#include <string.h>

#include "args/args.h"
#include "args/verbs.h"
#include "common/data_sets.h"

/* What a shell offers as the value of an option or as an operand. */
typedef struct offer {
    int files, folders;
    const char *words; /* words separated by '|'; may be NULL */
} offer;

/* Returns the names of all data sets or, if `schemas` is 1, of all built-in schemas, as a list like
 * "a|b|c". */
static const char *built_in(int schemas) {
    static char lists[2][CLI_WORDS_SIZE];
    char *words = lists[schemas];
    size_t used = 0;
    for (size_t i = 0; i < cli_data_set_count; i++) {
        const cli_data_set *set = &cli_data_sets[i];
        const char *second = schemas && set->schemas[1] ? set->schemas[1] : "";
        used += (size_t)snprintf(words + used, CLI_WORDS_SIZE - used, "%s%s%s%s", i ? "|" : "",
                                 schemas ? set->schemas[0] : set->name, *second ? "|" : "", second);
    }
    return words;
}

static offer offer_of(const char *placeholder) {
    return (offer) {.files = cli_list_has("FILE|TABLE|MODEL|SCHEMA", placeholder),
                    .folders = strcmp(placeholder, "DIR") == 0,
                    .words = strcmp(placeholder, "SCHEMA") == 0 ? built_in(1)
                             : strcmp(placeholder, "NAME") == 0 ? built_in(0)
                                                                : NULL};
}

static offer offer_of_option(const cli_option *option) {
    return option->kind == CLI_WORD || option->kind == CLI_WORDS ? (offer) {.words = option->value}
                                                                 : offer_of(option->value);
}

static offer offer_of_operands(const cli_verb *verb) {
    offer all = {0};
    for (const char *at = verb->operands; at; at = strchr(at, ' ')) {
        char name[32];
        at += strspn(at, " [");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " ]."), at);
        offer one = offer_of(name);
        all.files |= one.files;
        all.folders |= one.folders;
        all.words = one.words ? one.words : all.words;
    }
    return all;
}

static void put_words(const offer *what, FILE *stream) {
    for (const char *c = what->words ? what->words : ""; *c != '\0'; c++) {
        fputc(*c == '|' ? ' ' : *c, stream);
    }
}

static void put_verbs(FILE *stream) {
    for (size_t i = 0; i < cli_verb_count; i++) {
        fprintf(stream, "%s ", cli_verbs[i].name);
    }
}

static void bash_offer(const offer *what, FILE *stream) {
    fprintf(stream, "offer='%s' words='", what->files ? "files" : what->folders ? "folders" : "");
    put_words(what, stream);
    fputc('\'', stream);
}

static void bash_verb(const cli_verb *verb, FILE *stream) {
    offer what = offer_of_operands(verb);
    fprintf(stream, "    %s)\n        options='", verb->name);
    for (size_t i = 0; i < verb->option_count; i++) {
        fprintf(stream, "--%s ", verb->options[i].name);
    }
    fputs("--help'\n        ", stream);
    bash_offer(&what, stream);
    fputs("\n        case $previous in\n", stream);
    for (size_t i = 0; i < verb->option_count; i++) {
        const cli_option *option = &verb->options[i];
        if (option->kind != CLI_FLAG) {
            what = offer_of_option(option);
            fprintf(stream, "        --%s) options='' ", option->name);
            bash_offer(&what, stream);
            fputs(" ;;\n", stream);
        }
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
    fputs("help --help --version --completion' -- \"$word\")\n"
          "        return\n"
          "    fi\n"
          "    # --name=value is three words to bash.\n"
          "    [[ $word != = ]] || { word='' at=$((at + 1)); }\n"
          "    [[ ${COMP_WORDS[at]} != = ]] || at=$((at - 1))\n"
          "    previous=${COMP_WORDS[at]}\n"
          "    case ${COMP_WORDS[1]} in\n"
          "    --completion) words='bash zsh' ;;\n"
          "    help) words='",
          stream);
    put_verbs(stream);
    fputs("' ;;\n", stream);
    for (size_t i = 0; i < cli_verb_count; i++) {
        bash_verb(&cli_verbs[i], stream);
    }
    fputs("    esac\n"
          "    if [[ -n $options && ($word == -* || -z $offer$words) ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
          "        return\n"
          "    fi\n"
          "    mapfile -t COMPREPLY < <(\n"
          "        [[ -z $words ]] || compgen -W \"$words\" -- \"$word\"\n"
          "        [[ $offer != files ]] || compgen -f -- \"$word\"\n"
          "        [[ $offer != folders ]] || compgen -d -- \"$word\"\n"
          "    )\n"
          "    [[ -z $offer ]] || compopt -o filenames 2>/dev/null\n"
          "}\n"
          "complete -F _dp2dp dp2dp\n",
          stream);
}

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

/* Prints the action of an _arguments spec, which says how zsh completes a value. */
static void zsh_action(const offer *what, FILE *stream) {
    if (what->words && what->files) {
        fputs("{_alternative \"names\\:name\\:(", stream);
        put_words(what, stream);
        fputs(")\" \"files\\:file\\:_files\"}", stream);
    } else if (what->words) {
        fputc('(', stream);
        put_words(what, stream);
        fputc(')', stream);
    } else {
        fputs(what->files ? "_files" : what->folders ? "_files -/" : " ", stream);
    }
}

static void zsh_option(const cli_option *option, FILE *stream) {
    fprintf(stream, "            '%s--%s%s[", option->kind == CLI_TEXTS ? "*" : "", option->name,
            option->kind == CLI_FLAG ? "" : "=");
    zsh_text(option->help, stream);
    fputc(']', stream);
    if (option->kind != CLI_FLAG) {
        offer what = offer_of_option(option);
        fputc(':', stream);
        zsh_text(option->kind == CLI_WORD    ? "WORD"
                 : option->kind == CLI_WORDS ? "WORD,..."
                                             : option->value,
                 stream);
        fputc(':', stream);
        zsh_action(&what, stream);
    }
    fputs("' \\\n", stream);
}

static void zsh_verb(const cli_verb *verb, FILE *stream) {
    offer what = offer_of_operands(verb);
    fprintf(stream, "    %s)\n        _arguments \\\n", verb->name);
    for (size_t j = 0; j < verb->option_count; j++) {
        zsh_option(&verb->options[j], stream);
    }
    fputs("            '--help[print the help]'", stream);
    if (what.files || what.words) {
        fputs(" \\\n            '*:operand:", stream);
        zsh_action(&what, stream);
        fputc('\'', stream);
    }
    fputs("\n        ;;\n", stream);
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
          "        _describe verb verbs -- '(--help --version --completion)'\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n"
          "    help) _describe verb verbs ;;\n"
          "    --completion) _values shell bash zsh ;;\n",
          stream);
    for (size_t i = 0; i < cli_verb_count; i++) {
        zsh_verb(&cli_verbs[i], stream);
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
