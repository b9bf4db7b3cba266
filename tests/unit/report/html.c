#include "support.h"

#include "report/html.h"

static void free_html(dp2dpi_html *h) {
    dp2dpi_html_free(h);
}
#define WRITER __attribute__((cleanup(free_html))) dp2dpi_html

TEST(markup_characters_are_escaped_everywhere) {
    WRITER h = {0};
    dp2dpi_html_text(&h, "</script>\"'&<b onload=\"x\">");
    assert_string_equal(h.out.bytes,
                        "&lt;/script&gt;&quot;&#39;&amp;&lt;b onload=&quot;x&quot;&gt;");
}

TEST(control_characters_become_the_replacement_character) {
    WRITER h = {0};
    dp2dpi_html_text(&h, "a\x01\x1F\x7F"
                         "b\t\n");
    assert_string_equal(h.out.bytes, "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                                     "b\t\n");
}

TEST(a_name_is_isolated_from_the_text_around_it) {
    WRITER h = {0};
    dp2dpi_html_name(&h, "\xE2\x80\xAE"
                         "evil<");
    assert_string_equal(h.out.bytes, "<bdi>\xE2\x80\xAE"
                                     "evil&lt;</bdi>");
}

TEST(a_title_has_no_marks_of_direction) {
    WRITER h = {0};
    dp2dpi_html_plain(&h, "a\xE2\x80\xAE"
                          "b\xE2\x81\xA6"
                          "c\xD8\x9C"
                          "d\xE2\x80\x93");
    assert_string_equal(h.out.bytes, "a\xEF\xBF\xBD"
                                     "b\xEF\xBF\xBD"
                                     "c\xEF\xBF\xBD"
                                     "d\xE2\x80\x93");
}

TEST(ten_kilobytes_of_markup_stay_text) {
    enum {
        SIZE = 10240
    };
    WRITER h = {0};
    char name[SIZE + 1];
    for (size_t i = 0; i < SIZE; i++) {
        name[i] = "<\"&'"[i % 4];
    }
    name[SIZE] = '\0';
    dp2dpi_html_name(&h, name);
    assert_int_equal(h.out.status, OK);
    assert_int_equal(h.out.length, 11 + SIZE / 4 * (4 + 6 + 5 + 5));
    assert_null(strstr(h.out.bytes + 5, "<\""));
}

TEST(json_cannot_end_its_element) {
    WRITER h = {0};
    json_t *value =
        json_pack("{s:s, s:[i, f, n, b]}", "a</b>", "</script><!--\"\\\x01", "list", 3, 0.1, 1);
    dp2dpi_html_json(&h, value);
    json_decref(value);
    assert_string_equal(h.out.bytes,
                        "{\"a\\u003c/b>\":\"\\u003c/script>\\u003c!--\\u0022\\u005c\\u0001\","
                        "\"list\":[3,0.1,null,true]}");
}

TEST(a_number_says_where_it_comes_from) {
    json_t *data = json_pack("{s:[{s:f}, {s:n}]}", "rates", "rate", 1.0 / 3, "rate");
    WRITER h = {.data = data};
    dp2dpi_html_number(&h, DP2DPI_FORM_PERCENT, "/rates/%d/rate", 0);
    assert_string_equal(h.out.bytes,
                        "<data value=\"0.3333333333333333\" data-path=\"/rates/0/rate\">"
                        "33.3 %</data>");
    h.out.length = 0;
    dp2dpi_html_number(&h, DP2DPI_FORM_PERCENT, "/rates/%d/rate", 1);
    assert_string_equal(h.out.bytes, "<span class=\"none\">not measured</span>");
    h.out.length = 0;
    dp2dpi_html_number(&h, DP2DPI_FORM_PERCENT, "/nothing/here");
    assert_string_equal(h.out.bytes, "<span class=\"none\">not measured</span>");
    json_decref(data);
}

static void check_form(dp2dpi_form form, double x, const char *expected) {
    char text[DP2DPI_FORM_SIZE];
    assert_string_equal(dp2dpi_form_write(form, x, text), expected);
}

TEST(numbers_are_written_for_people) {
    check_form(DP2DPI_FORM_EXACT, 0.1, "0.1");
    check_form(DP2DPI_FORM_EXACT, 1e-05, "1e-05");
    check_form(DP2DPI_FORM_EXACT, -0.0, "0");
    check_form(DP2DPI_FORM_EXACT, 45222, "45222");
    check_form(DP2DPI_FORM_COUNT, 0, "0");
    check_form(DP2DPI_FORM_COUNT, 999, "999");
    check_form(DP2DPI_FORM_COUNT, 1234567, "1,234,567");
    check_form(DP2DPI_FORM_ROUND, -1234.4, "-1,234");
    check_form(DP2DPI_FORM_ROUND, -0.4, "0");
    check_form(DP2DPI_FORM_PERCENT, 0.0864, "8.6 %");
    check_form(DP2DPI_FORM_PERCENT, -0.0001, "0.0 %");
    check_form(DP2DPI_FORM_IN_1000, 0.019, "19");
    check_form(DP2DPI_FORM_IN_1000, -0.0042, "4.2");
    check_form(DP2DPI_FORM_IN_1000, 0.00999, "10");
    check_form(DP2DPI_FORM_LEVEL, 0.95, "95 %");
    check_form(DP2DPI_FORM_LEVEL, 0.999, "99.9 %");
    check_form(DP2DPI_FORM_SIGNED, 0.06984, "+0.0698");
    check_form(DP2DPI_FORM_SIGNED, -0.00001, "0");
}

TEST(privacy_costs_and_bounds_are_rounded_up) {
    check_form(DP2DPI_FORM_UP, 1.00001, "1.001");
    check_form(DP2DPI_FORM_UP, 1, "1");
    check_form(DP2DPI_FORM_DOWN, 1.9999, "1.999");
    check_form(DP2DPI_FORM_POINTS_UP, 0.08161, "8.2");
    check_form(DP2DPI_FORM_POINTS_UP, 0.081, "8.1");
    check_form(DP2DPI_FORM_FACTOR, 1, "2.72");
    check_form(DP2DPI_FORM_ONE_IN, 1e-5, "1 in 100,000");
    check_form(DP2DPI_FORM_ONE_IN, 0.01, "1 in 100");
    check_form(DP2DPI_FORM_ONE_IN, 3.3e-5, "1 in 30,000");
    check_form(DP2DPI_FORM_GUESS, 0.7311, "73.2");
    check_form(DP2DPI_FORM_GUESS, 1, "100.0");
}
