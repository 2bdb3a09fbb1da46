/* The loops of qidf. Every array belongs to the caller and is contiguous; every size and offset has
 * been checked by the caller, and nothing is checked again here. Loops keep no state of their own:
 * two threads may run any of them at once, as long as they don't write to the same arrays.
 *
 * Arithmetic is that of numpy, to the bit: the build allows no contraction of a * b + c and no
 * reordering of sums. */

#ifndef QIDF_H
#define QIDF_H

#include <stdint.h>

#if defined(_WIN32)
#define QIDF_API __declspec(dllexport)
#else
#define QIDF_API __attribute__((visibility("default")))
#endif

/* resampling.c: rows drawn with replacement, as often as there are rows. */

/* Fill rows with numbers below num_rows, those of one resample. */
QIDF_API void qidf_draw(uint64_t seed, int64_t resample, int32_t *rows, int64_t num_rows);

/* Write for each resample the mean of every column of table[num_rows][num_columns] to
 * means[num_resamples][num_columns]; num_columns is a multiple of 4, rows[num_rows] is scratch. */
QIDF_API void qidf_resample_means(const double *table, int64_t num_rows, int64_t num_columns,
                                  uint64_t seed, int32_t *rows, double *means,
                                  int64_t num_resamples);

#endif
