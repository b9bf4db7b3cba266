/* Calls a function that is not part of the interface: must not link. */
void *dp2dpi_alloc(unsigned long count, unsigned long size);

int main(void) {
    return dp2dpi_alloc(1, 1) == 0;
}
