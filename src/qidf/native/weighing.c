#include "qidf.h"

enum { OTHER, SPACE, DIGIT, LETTER };

static int class_of(uint8_t c) {
    if ((c >= 9 && c <= 13) || (c >= 28 && c <= 32)) {
        return SPACE;
    }
    if (c >= '0' && c <= '9') {
        return DIGIT;
    }
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ? LETTER : OTHER;
}

/* How long the mark is that begins here, or 0. */
static int64_t mark(const uint8_t *text, int64_t at, int64_t size) {
    int64_t left = size - at - 1;
    uint8_t c = text[at], c1 = left > 0 ? text[at + 1] : 0, c2 = left > 1 ? text[at + 2] : 0;
    switch (class_of(c)) {
    case LETTER:
        if (c1 == '.' && class_of(c2) == LETTER) {
            return 3;
        }
        __attribute__((fallthrough));
    case DIGIT:
        if (c1 == '(' || c1 == '[') {
            return 2;
        }
        return c1 == '_' && class_of(c2) >= DIGIT ? 3 : 0;
    case SPACE:
        if (c1 == ';') {
            return class_of(c2) == SPACE ? 3 : 0;
        }
        if (c1 == '(' || c1 == ')' || c1 == '[' || c1 == ']') {
            return class_of(c2) == SPACE ? 2 : 0;
        }
        if (c == '\n') {
            int64_t next = at + 1;
            while (next < size && (text[next] == ' ' || text[next] == '\t')) {
                next++;
            }
            if (next > at + 1 && next < size && class_of(text[next]) != SPACE) {
                return next + 1 - at;
            }
        }
        return 0;
    default:
        switch (c) {
        case '{':
        case '}':
        case '=':
            return 1;
        case ';':
            return left == 0 || c1 == '\n';
        case '-':
            return c1 == '>' ? 2 : 0;
        case ':':
            return c1 == ':' ? 2 : 0;
        default:
            return 0;
        }
    }
}

int64_t qidf_count_marks(const uint8_t *text, int64_t size, int64_t most) {
    int64_t count = 0;
    for (int64_t at = 0; at < size && count < most;) {
        int64_t length = mark(text, at, size);
        count += length > 0;
        at += length > 0 ? length : 1;
    }
    return count;
}

int64_t qidf_fold_repeats(const int32_t *names, const int64_t *offsets, int64_t num_queries,
                          const uint8_t *folded, int64_t *firsts, int32_t *names_out,
                          int64_t *offsets_out, double *counts, double *places) {
    int64_t kept = 0;
    offsets_out[0] = 0;
    for (int64_t query = 0; query < num_queries; query++) {
        int64_t begin = kept;
        for (int64_t at = offsets[query]; at < offsets[query + 1]; at++) {
            int32_t name = names[at];
            if (folded[query]) {
                if (firsts[name] >= begin) {
                    counts[firsts[name]] += 1;
                    continue;
                }
                firsts[name] = kept;
            }
            names_out[kept] = name;
            counts[kept] = 1;
            places[kept++] = (double)(at - offsets[query]);
        }
        offsets_out[query + 1] = kept;
    }
    return kept;
}

void qidf_count_characters(const qidf_table *table, double *counts) {
    const uint8_t *text = table->blob;
    for (int64_t term = 0; term < table->num_terms; term++) {
        int64_t count = 0;
        for (int64_t at = table->offsets[term]; at < table->offsets[term + 1]; at++) {
            /* All but the bytes that continue a character. */
            count += (text[at] & 0xC0) != 0x80;
        }
        counts[term] = (double)(count > 0 ? count : 1);
    }
}

int64_t qidf_to_single(const double *weights, int64_t count, double least, double most,
                       float *found) {
    int64_t beyond = 0;
    for (int64_t i = 0; i < count; i++) {
        double weight = weights[i];
        if (weight > most || weight < -most) {
            beyond++;
            continue;
        }
        found[i] = (float)(weight > 0 && weight < least ? least : weight);
    }
    return beyond;
}
