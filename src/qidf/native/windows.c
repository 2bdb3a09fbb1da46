#include <string.h>

#include "qidf.h"

void qidf_place_documents(const int32_t *lengths, int64_t num_docs, const int32_t *classes,
                          int64_t num_lengths, const int32_t *first_windows, const uint32_t *starts,
                          int64_t largest, int64_t num_classes, int64_t *counts, uint32_t *places,
                          uint32_t *docs) {
    for (int64_t class = 0; class < num_classes; class ++) {
        counts[class] = 0;
    }
    for (int64_t doc = 0; doc < num_docs; doc++) {
        int64_t length = lengths[doc] < num_lengths ? lengths[doc] : num_lengths - 1;
        int32_t class = classes[length];
        int64_t before = counts[class] ++;
        uint32_t window = (uint32_t)(first_windows[class] + before / largest);
        places[doc] = window << 16 | (uint32_t)(before % largest);
        docs[starts[first_windows[class]] + before] = (uint32_t)doc;
    }
}

void qidf_fill_table(const struct qidf_segment *segment, const struct qidf_windows *windows,
                     int32_t term, uint32_t *counts) {
    int64_t first = segment->starts[term], num_windows = windows->num_windows;
    int64_t doc_freq = segment->starts[term + 1] - first;
    int32_t table = windows->tables[term];
    uint32_t *heads = windows->heads + table * (2 * num_windows + 1);
    uint8_t *most = windows->most + table * (num_windows + 1);
    const uint32_t *docs = segment->docs + first;
    uint16_t *numbers = windows->numbers + first;
    /* They are counted apart: whoever fills the table at the same time writes the same to it. */
    uint32_t *highest = counts + 2 * num_windows + 1;
    memset(counts, 0, (size_t)(3 * num_windows + 2) * sizeof(uint32_t));
    for (int64_t at = 0; at < doc_freq; at++) {
        uint32_t window = windows->places[docs[at]] >> 16, tf = qidf_tf(segment, first + at);
        tf = tf < 255 ? tf : 255;
        counts[2 * window + (tf > 1)]++;
        highest[window] = tf > highest[window] ? tf : highest[window];
        highest[num_windows] = tf > highest[num_windows] ? tf : highest[num_windows];
    }
    for (int64_t window = 0; window <= num_windows; window++) {
        most[window] = (uint8_t)highest[window];
    }
    uint32_t end = 0;
    for (int64_t at = 0; at <= 2 * num_windows; at++) {
        uint32_t count = counts[at];
        heads[at] = end;
        counts[at] = end;
        end += count;
    }
    for (int64_t at = 0; at < doc_freq; at++) {
        uint32_t place = windows->places[docs[at]];
        uint32_t list = 2 * (place >> 16) + (qidf_tf(segment, first + at) > 1);
        numbers[counts[list]++] = (uint16_t)(place & 0xffff);
    }
    __atomic_store_n(&windows->filled[table], 1, __ATOMIC_RELEASE);
}
