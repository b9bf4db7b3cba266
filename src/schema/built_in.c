/* The built-in schemas of known data sets. The build takes their text from schemas/. */
#include <string.h>

#include "schema/schema.h"

typedef struct built_in {
    const char *name;
    const char *text;
} built_in;

static const built_in schemas[] = {
#include "schema/schema_texts.h"
};

const char *dp2dpi_schema_built_in(const char *name) {
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
        if (strcmp(schemas[i].name, name) == 0) {
            return schemas[i].text;
        }
    }
    return NULL;
}
