/* The nodes and weights of the 16-point Gauss–Legendre rule on [−1, 1]. */
#ifndef DP2DPI_NUM_QUADRATURE_H
#define DP2DPI_NUM_QUADRATURE_H

enum {
    DP2DPI_GAUSS_POINTS = 16
};

double dp2dpi_gauss_node(int i);
double dp2dpi_gauss_weight(int i);

#endif
