/* Computes ε and δ of the Gaussian mechanism in closed form. μ is sensitivity divided by σ.
 * Together, k releases of equal μ cost as much as one release with √k μ (docs/proofs/gaussian.md).
 */
#ifndef DP2DPI_ACCOUNTANT_GAUSSIAN_H
#define DP2DPI_ACCOUNTANT_GAUSSIAN_H

/* Returns δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), rounded up, for any real ε and μ ≥ 0. */
double dp2dpi_gaussian_delta(double mu, double epsilon);
/* Returns the smallest ε ≥ 0 at which the Gaussian mechanism has δ(ε) ≤ delta, rounded up. */
double dp2dpi_gaussian_epsilon(double mu, double delta);
/* Returns the ε of ρ-zCDP at delta, by the Rényi conversion at the best order. This ε also holds
 * for discrete noise, without the slack of compose.h. */
double dp2dpi_zcdp_epsilon(double rho, double delta);
/* Returns the δ of ρ-zCDP at epsilon, at most 1, by the Rényi conversion at the best order. */
double dp2dpi_zcdp_delta(double rho, double epsilon);

#endif
