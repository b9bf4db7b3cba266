#include "num/quadrature.h"

/* Nodes and weights for x > 0. The nodes are the roots of the Legendre polynomial P16 and the
 * weights are 2/((1−x²) P16'(x)²), computed in 60-digit arithmetic. */
static const double half_rule[8][2] = {
    {0.095012509837637441, 0.1894506104550685}, {0.28160355077925892, 0.18260341504492358},
    {0.45801677765722737, 0.16915651939500254}, {0.61787624440264377, 0.14959598881657674},
    {0.755404408355003, 0.12462897125553388},   {0.86563120238783176, 0.095158511682492786},
    {0.9445750230732326, 0.062253523938647894}, {0.98940093499164994, 0.027152459411754096},
};

double dp2dpi_gauss_node(int i) {
    return i < 8 ? -half_rule[7 - i][0] : half_rule[i - 8][0];
}

double dp2dpi_gauss_weight(int i) {
    return i < 8 ? half_rule[7 - i][1] : half_rule[i - 8][1];
}
