#include <string.h>

#include "qidf.h"

#define TERM_BITS 26
#define MANY 63u

void qidf_fill_rows(const struct qidf_segment *segment, uint32_t *starts, uint32_t *entries) {
    int64_t num_docs = segment->num_docs, num_postings = segment->starts[segment->num_terms];
    memset(starts, 0, (size_t)(num_docs + 1) * sizeof(uint32_t));
    for (int64_t at = 0; at < num_postings; at++) {
        starts[segment->docs[at]]++;
    }
    uint32_t end = 0;
    for (int64_t doc = 0; doc <= num_docs; doc++) {
        end += starts[doc];
        starts[doc] = end;
    }
    /* From the last term to the first, so that every row fills from its end to its start. */
    for (int64_t term = segment->num_terms - 1; term >= 0; term--) {
        for (int64_t at = segment->starts[term]; at < segment->starts[term + 1]; at++) {
            uint32_t tf = qidf_tf(segment, at);
            entries[--starts[segment->docs[at]]] =
                (uint32_t)term | (tf < MANY ? tf : MANY) << TERM_BITS;
        }
    }
}
