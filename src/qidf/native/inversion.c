#include "qidf.h"

/* How many tokens ahead a place is fetched that will be written to. */
#define AHEAD 16

static inline uint32_t get(const void *tfs, int32_t wide, int64_t at) {
    return wide ? ((const uint32_t *)tfs)[at] : ((const uint16_t *)tfs)[at];
}

static inline void set(void *tfs, int32_t wide, int64_t at, uint32_t tf) {
    if (wide) {
        ((uint32_t *)tfs)[at] = tf;
    } else {
        ((uint16_t *)tfs)[at] = (uint16_t)tf;
    }
}

int64_t qidf_count_postings(int32_t *ids, const int32_t *new_ids, const int64_t *doc_offsets,
                            int64_t num_docs, int64_t first_doc, uint32_t *last_doc,
                            int32_t *doc_freqs) {
    int64_t num_postings = 0;
    for (int64_t doc = 0; doc < num_docs; doc++) {
        uint32_t mark = (uint32_t)(first_doc + doc + 1);
        for (int64_t at = doc_offsets[doc]; at < doc_offsets[doc + 1]; at++) {
            int32_t term = new_ids ? new_ids[ids[at]] : ids[at];
            int32_t first = last_doc[term] != mark;
            last_doc[term] = mark;
            doc_freqs[term] += first;
            num_postings += first;
            ids[at] = first ? term : -1 - term;
        }
    }
    return num_postings;
}

void qidf_fill_postings(const int32_t *ids, const int64_t *doc_offsets, int64_t num_docs,
                        int64_t first_doc, int64_t *heads, uint32_t *docs, void *tfs,
                        int32_t wide) {
    int64_t num_tokens = doc_offsets[num_docs];
    for (int64_t doc = 0; doc < num_docs; doc++) {
        for (int64_t at = doc_offsets[doc]; at < doc_offsets[doc + 1]; at++) {
            if (at + AHEAD < num_tokens) {
                int32_t next = ids[at + AHEAD];
                __builtin_prefetch(heads + (next < 0 ? -1 - next : next));
            }
            int32_t term = ids[at];
            if (term >= 0) {
                int64_t head = heads[term]++;
                docs[head] = (uint32_t)(first_doc + doc);
                set(tfs, wide, head, 1);
            } else {
                int64_t head = heads[-1 - term] - 1;
                set(tfs, wide, head, get(tfs, wide, head) + 1);
            }
        }
    }
}

int64_t qidf_find_postings(const uint32_t *docs, int64_t num_postings, const uint8_t *wanted,
                           int64_t *places, int64_t room) {
    int64_t count = 0;
    for (int64_t at = 0; at < num_postings && count < room; at++) {
        places[count] = at;
        count += wanted[docs[at]];
    }
    return count;
}

void qidf_copy_postings(const int64_t *starts, int64_t num_terms, const uint32_t *docs,
                        const void *tfs, int32_t wide, const int32_t *new_docs,
                        const int32_t *new_terms, int64_t *heads, uint32_t *docs_out,
                        void *tfs_out) {
    for (int64_t term = 0; term < num_terms; term++) {
        int32_t target = new_terms[term];
        if (target < 0) {
            continue;
        }
        int64_t head = heads[target];
        for (int64_t at = starts[term]; at < starts[term + 1]; at++) {
            int32_t doc = new_docs[docs[at]];
            if (doc >= 0) {
                docs_out[head] = (uint32_t)doc;
                set(tfs_out, wide, head, get(tfs, wide, at));
                head++;
            }
        }
        heads[target] = head;
    }
}
