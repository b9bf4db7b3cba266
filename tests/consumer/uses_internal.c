/* Calls an internal function of the library, so it must not link. */
void *dp2dpi_alloc(unsigned long count, unsigned long size);

int main(void) {
    return dp2dpi_alloc(1, 1) == 0;
}
