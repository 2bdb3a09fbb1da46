#include "qidf.h"

static int worse(float score, int64_t doc, float other_score, int64_t other_doc) {
    return score < other_score || (score == other_score && doc > other_doc);
}

/* Let an entry of a heap find its place; the worst is first. */
static void sink(float *scores, int64_t *docs, int64_t at, int64_t size) {
    float score = scores[at];
    int64_t doc = docs[at];
    for (int64_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size &&
            worse(scores[child + 1], docs[child + 1], scores[child], docs[child])) {
            child++;
        }
        if (worse(score, doc, scores[child], docs[child])) {
            break;
        }
        scores[at] = scores[child];
        docs[at] = docs[child];
        at = child;
    }
    scores[at] = score;
    docs[at] = doc;
}

static void make_heap(float *scores, int64_t *docs, int64_t size) {
    for (int64_t root = size / 2 - 1; root >= 0; root--) {
        sink(scores, docs, root, size);
    }
}

void qidf_rank_by_impact(const int32_t *terms, const int64_t *offsets, int64_t num_queries,
                         const int64_t *starts, const uint32_t *docs, const double *impacts,
                         double *sums, uint8_t *met, uint32_t *touched, int64_t k,
                         int64_t *positions, float *scores) {
    for (int64_t query = 0; query < num_queries; query++) {
        int64_t num_touched = 0, size = 0;
        /* A query's row is the heap that becomes it. */
        int64_t *best = positions + query * k;
        float *values = scores + query * k;
        for (int64_t at = offsets[query]; at < offsets[query + 1]; at++) {
            if (terms[at] < 0) {
                continue;
            }
            for (int64_t place = starts[terms[at]]; place < starts[terms[at] + 1]; place++) {
                uint32_t doc = docs[place];
                touched[num_touched] = doc;
                num_touched += !met[doc];
                met[doc] = 1;
                sums[doc] += impacts[place];
            }
        }
        for (int64_t at = 0; at < num_touched; at++) {
            int64_t doc = touched[at];
            /* A score is a float, as it is to trec_eval: what is equal there is equal here. */
            float value = (float)sums[doc];
            sums[doc] = 0;
            met[doc] = 0;
            if (size < k) {
                values[size] = value;
                best[size++] = doc;
                if (size == k) {
                    make_heap(values, best, k);
                }
            } else if (worse(values[0], best[0], value, doc)) {
                values[0] = value;
                best[0] = doc;
                sink(values, best, 0, k);
            }
        }
        if (size < k) {
            make_heap(values, best, size);
        }
        /* Take the worst away until none is left, filling the row from its end. */
        for (int64_t last = size - 1; last > 0; last--) {
            float value = values[0];
            int64_t doc = best[0];
            values[0] = values[last];
            best[0] = best[last];
            sink(values, best, 0, last);
            values[last] = value;
            best[last] = doc;
        }
    }
}
