/* Sections and tables of the page. */
#ifndef DP2DPI_REPORT_SECTION_H
#define DP2DPI_REPORT_SECTION_H

#include "report/html.h"

/* _table opens a table that scrolls in its own box; _table_end ends the table. */
void dp2dpi_section_table(dp2dpi_html *h, const char *id, const char *caption);
void dp2dpi_section_table_end(dp2dpi_html *h);
/* Appends the head of a table: DP2DPI_COLUMNS(h, "Group", "Before", "After"). */
void dp2dpi_section_columns(dp2dpi_html *h, const char *const *columns);
#define DP2DPI_COLUMNS(h, ...) dp2dpi_section_columns(h, (const char *const[]) {__VA_ARGS__, NULL})
/* _row appends the cell that names a row. _row_group appends a cell that names the next `rows`
 * rows, and opens the first of them. */
void dp2dpi_section_row(dp2dpi_html *h, const char *name);
void dp2dpi_section_row_group(dp2dpi_html *h, const char *name, size_t rows);

/* Opens a section: its title, and a sentence that says how to read it. Close it with </section>. */
void dp2dpi_section_open(dp2dpi_html *h, const char *id, const char *title, const char *how);
/* Appends the place where the page draws a chart. */
void dp2dpi_section_chart(dp2dpi_html *h, const char *chart, const char *caption);
/* Ends a section that has nothing to show. `how` explains why it is empty, or what to do to fill
 * it. */
void dp2dpi_section_absent(dp2dpi_html *h, const char *how);

#endif
