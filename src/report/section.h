/* Sections and tables of the page. */
#ifndef DP2DPI_REPORT_SECTION_H
#define DP2DPI_REPORT_SECTION_H

#include "report/html.h"

/* Opens a table that scrolls in its own box, and ends it. */
void dp2dpi_section_table(dp2dpi_html *h, const char *id, const char *caption);
void dp2dpi_section_table_end(dp2dpi_html *h);
/* Appends the head of a table: DP2DPI_COLUMNS(h, "Group", "Before", "After"). */
void dp2dpi_section_columns(dp2dpi_html *h, const char *const *columns);
#define DP2DPI_COLUMNS(h, ...) dp2dpi_section_columns(h, (const char *const[]) {__VA_ARGS__, NULL})
/* Appends the cell that names a row, or that names the next rows and opens the first of them. */
void dp2dpi_section_row(dp2dpi_html *h, const char *name);
void dp2dpi_section_row_group(dp2dpi_html *h, const char *name, size_t rows);

/* Opens a section: its title, and a sentence that says how to read it. Close it with </section>. */
void dp2dpi_section_open(dp2dpi_html *h, const char *id, const char *title, const char *how);
/* Appends the place of a picture. */
void dp2dpi_section_chart(dp2dpi_html *h, const char *chart, const char *caption);
/* Ends a section that has nothing to show, and says how to get it. */
void dp2dpi_section_absent(dp2dpi_html *h, const char *how);

#endif
