#include "accountant/gaussian.h"

#include <math.h>

#include "accountant/renyi.h"
#include "num/elementary.h"
#include "num/normal.h"
#include "num/quadrature.h"

/* Returns M(centre − μ/2) − M(centre + μ/2), where M(x) is exp(x²/2) times the upper normal tail
 * (num/normal.h). The subtraction would lose digits, so this function integrates −M'(x) = 1/√(2π) −
 * x M(x) from centre − μ/2 to centre + μ/2. */
static double mills_drop(double centre, double mu) {
    const double inverse_root = 0.39894228040143267794;
    double sum = 0.0;
    for (int i = 0; i < DP2DPI_GAUSS_POINTS; i++) {
        double x = centre + 0.5 * mu * dp2dpi_gauss_node(i);
        sum += dp2dpi_gauss_weight(i) * (inverse_root - x * dp2dpi_normal_mills(x));
    }
    return 0.5 * mu * sum;
}

/* Returns δ = Φ̄(a) − e^ε Φ̄(b) with a = ε/μ − μ/2 and b = ε/μ + μ/2, where Φ̄ is the upper normal
 * tail. Since b² − a² = 2ε, δ = e^{−a²/2} (M(a) − M(b)), with M(x) = exp(x²/2) Φ̄(x)
 * (num/normal.h). */
static double delta_nonnegative(double mu, double epsilon) {
    double a = epsilon / mu - 0.5 * mu;
    double b = epsilon / mu + 0.5 * mu;
    if (a > 39.0) {
        return 0x1p-1000; /* an upper bound: here δ is below e^{−760} < 2^−1000 */
    }
    if (a >= -1.0) {
        double drop = mu < 1.0 ? mills_drop(epsilon / mu, mu)
                               : dp2dpi_normal_mills(a) - dp2dpi_normal_mills(b);
        return dp2dpi_exp(-0.5 * a * a) * drop;
    }
    return dp2dpi_normal_upper(a) - dp2dpi_exp(-0.5 * a * a) * dp2dpi_normal_mills(b);
}

double dp2dpi_gaussian_delta(double mu, double epsilon) {
    if (epsilon < 0.0) {
        return dp2dpi_round_up(
            -dp2dpi_expm1(epsilon) + dp2dpi_exp(epsilon) * dp2dpi_gaussian_delta(mu, -epsilon), 2);
    }
    if (mu <= 0.0) {
        return 0.0;
    }
    /* `slack` bounds the rounding error of δ, as a fraction of δ. Let a = ε/μ − μ/2, at most 39.
     * The rounding of a² changes δ by at most the fraction 1500 × 2^-52. The rounding of ε/μ and of
     * the difference changes a by at most (μ/2 + 78) × 2^-53, and so changes δ by at most 40 times
     * that fraction. For μ ≤ 256, 2e-12 covers both errors. */
    double slack = mu > 256.0 ? 2e-12 + 64.0 * DP2DPI_ULP * mu : 2e-12;
    double delta = delta_nonnegative(mu, epsilon) * (1.0 + slack);
    return delta < 1.0 ? delta : 1.0;
}

double dp2dpi_gaussian_epsilon(double mu, double delta) {
    if (mu <= 0.0 || dp2dpi_gaussian_delta(mu, 0.0) <= delta) {
        return 0.0;
    }
    /* `high` is above the answer: the Gaussian mechanism has δ(ε) ≤ Φ̄(ε/μ − μ/2), where Φ̄ is the
     * upper normal tail, so δ(high) ≤ delta/2. */
    double low = 0.0, high = mu * (dp2dpi_normal_upper_quantile(0.5 * delta) + 0.5 * mu);
    for (int i = 0; i < 100 && high - low > 1e-14 * high; i++) {
        double middle = 0.5 * (low + high);
        if (dp2dpi_gaussian_delta(mu, middle) <= delta) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* Under ρ-zCDP the Rényi divergence of order α is at most α ρ. The function tries values of α − 1
 * on a logarithmic grid around √(log(1/δ)/ρ), which is near the best α − 1. */
double dp2dpi_zcdp_epsilon(double rho, double delta) {
    double best = INFINITY;
    double centre = sqrt(-dp2dpi_log(delta) / rho);
    for (int i = -200; i <= 200; i++) {
        double lambda = centre * dp2dpi_exp(0.02 * i);
        double epsilon = dp2dpi_renyi_to_epsilon(lambda, (1.0 + lambda) * rho, delta);
        best = epsilon < best ? epsilon : best;
    }
    return best;
}

/* Minimises log δ = λ((1+λ)ρ − ε) + λ log(λ/(1+λ)) − log(1+λ) over the Rényi orders 1 + λ. The best
 * λ is near (ε − ρ)/(2ρ). */
double dp2dpi_zcdp_delta(double rho, double epsilon) {
    double centre = (epsilon - rho) / (2.0 * rho), best = 0.0;
    for (int i = -200; i <= 200 && centre > 0.0; i++) {
        double lambda = centre * dp2dpi_exp(0.01 * i), log_order = dp2dpi_log1p(lambda);
        double log_delta = lambda * ((1.0 + lambda) * rho - epsilon) +
                           lambda * (dp2dpi_log(lambda) - log_order) - log_order;
        double rounding = 16.0 * DP2DPI_ULP * (lambda * ((1.0 + lambda) * rho + epsilon) + 1.0);
        best = log_delta + rounding < best ? log_delta + rounding : best;
    }
    return dp2dpi_exp(best);
}
