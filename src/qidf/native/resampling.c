#include "qidf.h"

/* splitmix64 (Steele, Lea and Flood 2014): a counter, mixed. */
static const uint64_t STEP = 0x9E3779B97F4A7C15u;

/* Every resample has a stretch of the sequence to itself, so that it doesn't depend on how many
 * were drawn before. Thirty-two bits scaled to the range favour no row by more than its length
 * over 2^32. */
void qidf_draw(uint64_t seed, int64_t resample, int32_t *rows, int64_t num_rows) {
    uint64_t size = (uint64_t)num_rows;
    uint64_t counter = seed + (uint64_t)resample * size * STEP;
    for (int64_t at = 0; at < num_rows; at++) {
        counter += STEP;
        uint64_t value = counter;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
        value ^= value >> 31;
        rows[at] = (int32_t)(((value >> 32) * size) >> 32);
    }
}

void qidf_resample_means(const double *table, int64_t num_rows, int64_t num_columns, uint64_t seed,
                         int32_t *rows, double *means, int64_t num_resamples) {
    double size = (double)num_rows;
    for (int64_t resample = 0; resample < num_resamples; resample++) {
        qidf_draw(seed, resample, rows, num_rows);
        for (int64_t lane = 0; lane < num_columns; lane += 4) {
            /* Four columns at a time, one register each. */
            double first = 0, second = 0, third = 0, fourth = 0;
            for (int64_t at = 0; at < num_rows; at++) {
                const double *row = table + rows[at] * num_columns + lane;
                first += row[0];
                second += row[1];
                third += row[2];
                fourth += row[3];
            }
            double *mean = means + resample * num_columns + lane;
            mean[0] = first / size;
            mean[1] = second / size;
            mean[2] = third / size;
            mean[3] = fourth / size;
        }
    }
}
