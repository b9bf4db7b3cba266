#include "args/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cli_list_next(const char *list, char word[CLI_NAME_SIZE]) {
    size_t length = strcspn(list, "|");
    snprintf(word, CLI_NAME_SIZE, "%.*s", (int)length, list);
    return list[length] == '|' ? list + length + 1 : NULL;
}

int cli_list_has(const char *list, const char *word) {
    char item[CLI_NAME_SIZE] = "";
    int found = 0;
    while (list && !found) {
        list = cli_list_next(list, item);
        found = strcmp(item, word) == 0;
    }
    return found;
}

const char *cli_item_next(const char *text, char item[CLI_ITEM_SIZE]) {
    size_t length = strcspn(text, ",");
    snprintf(item, CLI_ITEM_SIZE, "%.*s", (int)length, text);
    return text[length] == ',' ? text + length + 1 : NULL;
}

void cli_list_words(const char *list, char words[CLI_WORDS_SIZE]) {
    size_t used = 0;
    for (const char *c = list; *c != '\0' && used + 5 < CLI_WORDS_SIZE; c++) {
        const char *more = *c != '|' ? (char[]) {*c, '\0'} : strchr(c + 1, '|') ? ", " : " or ";
        used += (size_t)snprintf(words + used, CLI_WORDS_SIZE - used, "%s", more);
    }
}

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t");
}

/* Copies the first name in `text` to `to`, without its quotes and without the blanks around it.
 * Returns the end of the name in `text`; NULL if a quote is misplaced. */
static const char *take_item(const char *text, char *to) {
    text = skip_blanks(text);
    if (*text != '"') {
        size_t length = strcspn(text, ",\""), size = length;
        while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t')) {
            size--;
        }
        memcpy(to, text, size);
        to[size] = '\0';
        return text[length] == '"' ? NULL : text + length;
    }
    for (text++; *text != '\0'; *to++ = *text++) {
        if (*text == '"' && *++text != '"') {
            *to = '\0';
            text = skip_blanks(text);
            return *text == ',' || *text == '\0' ? text : NULL;
        }
    }
    return NULL;
}

dp2dp_status cli_list_read_texts(const cli_args *args, const char *name, cli_list *out,
                                 dp2dp_error *error) {
    const char *text = cli_word(args, name);
    size_t length = strlen(text);
    /* One block of memory holds the pointers, then the names. The list has at most one name more
     * than it has commas, and removing quotes only makes a name shorter. */
    size_t most = 1;
    for (const char *c = text; *c != '\0'; c++) {
        most += *c == ',';
    }
    *out = (cli_list) {.items = calloc(1, most * sizeof *out->items + length + most + 1)};
    CLI_TRY(cli_check_memory(out->items, name, error));
    char *room = (char *)(out->items + most);
    while (text) {
        text = take_item(text, room);
        if (text == NULL) {
            return cli_refuse(error, "--%s: name %zu has a misplaced or unclosed quote", name,
                              out->count + 1);
        }
        for (size_t i = 0; i < out->count; i++) {
            if (strcmp(out->items[i], room) == 0) {
                return cli_refuse(error, "--%s: '%.60s' is given twice", name, room);
            }
        }
        out->items[out->count++] = room;
        room += strlen(room) + 1;
        text = *text == ',' ? text + 1 : NULL;
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_list_read(const cli_args *args, const char *name, cli_list *out,
                           dp2dp_error *error) {
    CLI_TRY(cli_list_read_texts(args, name, out, error));
    for (size_t i = 0; i < out->count; i++) {
        if (*out->items[i] == '\0') {
            return cli_refuse(error, "--%s: name %zu is empty", name, i + 1);
        }
    }
    return DP2DP_STATUS_OK;
}

void cli_list_free(cli_list *list) {
    free(list->items);
    *list = (cli_list) {0};
}
