#include "report/report.h"

const unsigned char dp2dpi_report_template[] = {
#include "report/template_text.h"
};
