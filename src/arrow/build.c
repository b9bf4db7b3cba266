#include "arrow/build.h"

#include <string.h>

#include "base/alloc.h"

static const char what[] = "an Arrow array";

typedef struct holder {
    const void *buffers[2];     /* buffers[0] is the validity bitmap, or NULL if no value is null */
    void *values;               /* the only buffer that the array owns and frees: its values or its
                                   validity bitmap */
    struct ArrowArray arrays[]; /* the children, followed by pointers to the children */
} holder;

static void release_array(struct ArrowArray *array) {
    holder *h = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (h->arrays[i].release) {
            h->arrays[i].release(&h->arrays[i]);
        }
    }
    dp2dpi_free(h->values);
    dp2dpi_free(h);
    array->release = NULL;
}

dp2dp_status dp2dpi_array_new(size_t length, size_t children, void **values, struct ArrowArray *out,
                              dp2dp_error *error) {
    holder *h = NULL;
    size_t each = sizeof(struct ArrowArray) + sizeof(struct ArrowArray *);
    DP2DPI_TRY(dp2dpi_alloc_into(what, sizeof *h + children * each, 1, &h, error));
    *out = (struct ArrowArray) {.length = (int64_t)length,
                                .n_buffers = values ? 2 : 1,
                                .n_children = (int64_t)children,
                                .buffers = h->buffers,
                                .children = (struct ArrowArray **)(h->arrays + children),
                                .release = release_array,
                                .private_data = h};
    for (size_t i = 0; i < children; i++) {
        out->children[i] = &h->arrays[i];
    }
    if (values) {
        h->values = *values;
        h->buffers[1] = *values;
        *values = NULL;
    }
    return DP2DP_STATUS_OK;
}

void dp2dpi_array_take_validity(struct ArrowArray *array, unsigned char *bitmap) {
    holder *h = array->private_data;
    h->values = bitmap;
    h->buffers[0] = bitmap;
}

typedef struct fields {
    char *name, *format;
    struct ArrowSchema types[]; /* the children, followed by pointers to the children */
} fields;

static void release_type(struct ArrowSchema *type) {
    fields *f = type->private_data;
    for (int64_t i = 0; i < type->n_children; i++) {
        if (f->types[i].release) {
            f->types[i].release(&f->types[i]);
        }
    }
    dp2dpi_free(f->name);
    dp2dpi_free(f->format);
    dp2dpi_free(f);
    type->release = NULL;
}

dp2dp_status dp2dpi_type_new(const char *name, const char *format, int64_t flags, size_t children,
                             struct ArrowSchema *out, dp2dp_error *error) {
    fields *f = NULL;
    size_t each = sizeof(struct ArrowSchema) + sizeof(struct ArrowSchema *);
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_alloc_into(what, sizeof *f + children * each, 1, &f, error));
    *out = (struct ArrowSchema) {.flags = flags,
                                 .n_children = (int64_t)children,
                                 .children = (struct ArrowSchema **)(f->types + children),
                                 .release = release_type,
                                 .private_data = f};
    for (size_t i = 0; i < children; i++) {
        out->children[i] = &f->types[i];
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_strdup(name, &f->name, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_strdup(format, &f->format, error));
    out->name = f->name;
    out->format = f->format;
done:
    if (status != DP2DP_STATUS_OK) {
        out->release(out);
    }
    return status;
}
