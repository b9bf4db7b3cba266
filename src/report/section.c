#include "report/section.h"

#include <stdio.h>

void dp2dpi_section_table(dp2dpi_html *h, const char *id, const char *caption) {
    dp2dpi_html_put(h, "<div class=\"table-box\" role=\"region\" aria-labelledby=\"caption-");
    dp2dpi_html_put(h, id);
    dp2dpi_html_put(h, "\" tabindex=\"0\"><table><caption id=\"caption-");
    dp2dpi_html_put(h, id);
    dp2dpi_html_put(h, "\">");
    dp2dpi_html_put(h, caption);
    dp2dpi_html_put(h, "</caption>\n");
}

void dp2dpi_section_table_end(dp2dpi_html *h) {
    dp2dpi_html_put(h, "</tbody></table></div>\n");
}

/* Appends the columns of a table, each as a <th>. The list ends with NULL. */
void dp2dpi_section_columns(dp2dpi_html *h, const char *const *columns) {
    dp2dpi_html_put(h, "<thead><tr>");
    for (; *columns; columns++) {
        dp2dpi_html_put(h, "<th scope=\"col\">");
        dp2dpi_html_put(h, *columns);
        dp2dpi_html_put(h, "</th>");
    }
    dp2dpi_html_put(h, "</tr></thead>\n<tbody>\n");
}

void dp2dpi_section_row(dp2dpi_html *h, const char *name) {
    dp2dpi_html_put(h, "<th scope=\"row\">");
    dp2dpi_html_name(h, name);
    dp2dpi_html_put(h, "</th>");
}

void dp2dpi_section_row_group(dp2dpi_html *h, const char *name, size_t rows) {
    char span[48];
    snprintf(span, sizeof span, "<tr><th scope=\"rowgroup\" rowspan=\"%zu\">", rows);
    dp2dpi_html_put(h, span);
    dp2dpi_html_name(h, name);
    dp2dpi_html_put(h, "</th>");
}

void dp2dpi_section_open(dp2dpi_html *h, const char *id, const char *title, const char *how) {
    dp2dpi_html_put(h, "<section id=\"");
    dp2dpi_html_put(h, id);
    dp2dpi_html_put(h, "\">\n<h3>");
    dp2dpi_html_put(h, title);
    dp2dpi_html_put(h, "</h3>\n<p>");
    dp2dpi_html_put(h, how);
    dp2dpi_html_put(h, "</p>\n");
}

void dp2dpi_section_chart(dp2dpi_html *h, const char *chart, const char *caption) {
    dp2dpi_html_put(h, "<figure class=\"chart\" data-chart=\"");
    dp2dpi_html_put(h, chart);
    dp2dpi_html_put(h, "\"><figcaption>");
    dp2dpi_html_put(h, caption);
    dp2dpi_html_put(h, "</figcaption></figure>\n");
}

void dp2dpi_section_absent(dp2dpi_html *h, const char *how) {
    dp2dpi_html_put(h, "<p><strong>");
    dp2dpi_html_absent(h);
    dp2dpi_html_put(h, "</strong>: ");
    dp2dpi_html_put(h, how);
    dp2dpi_html_put(h, "</p>\n</section>\n");
}
