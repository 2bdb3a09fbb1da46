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

/* windows.c: postings laid out anew for searching. */

/* A segment: term t is in docs[starts[t]] to docs[starts[t + 1] - 1], ascending and below num_docs,
 * as often as tfs says, at least once; a document's tfs add up to no more than its length. */
struct qidf_segment {
    int64_t num_docs;
    int64_t num_terms;
    const int64_t *starts;
    const uint32_t *docs;
    const void *tfs; /* uint32_t if wide_tfs, or else uint16_t */
    int64_t wide_tfs;
    const int32_t *lengths;
};

static inline uint32_t qidf_tf(const struct qidf_segment *segment, int64_t posting) {
    return segment->wide_tfs ? ((const uint32_t *)segment->tfs)[posting]
                             : ((const uint16_t *)segment->tfs)[posting];
}

/* Terms with no more postings than this have no table. */
#define QIDF_SHORT_LIST 32

/* Documents of about the same length stand together in a window of at most 32768. A document's
 * place is window * 65536 + its number within it; docs[starts[window] + number] is the document.
 *
 * A term that has many postings has a table; the others have tables[term] < 0. Its postings in a
 * window are numbers[s + heads[2 w]] and following, s being where the segment has the term's
 * postings: first those of documents that have it once; from heads[2 w + 1] on those that have it
 * more often, up to most[w] times (255: or more), and up to most[num_windows] anywhere. A table is filled on first use, by whoever
 * comes first; two may do it at once, for they write the same. */
struct qidf_windows {
    int64_t num_windows;
    int64_t largest;
    const uint32_t *starts;   /* [num_windows + 1] */
    const int32_t *shortest;  /* [num_windows] */
    const int32_t *longest;   /* [num_windows] */
    const uint32_t *places;   /* [num_docs] */
    const uint32_t *docs;     /* [num_docs] */
    const int32_t *tables;    /* [num_terms] */
    uint32_t *heads;          /* [num_tables][2 * num_windows + 1] */
    uint8_t *most;            /* [num_tables][num_windows + 1] */
    uint8_t *filled;          /* [num_tables], zero at first */
    uint16_t *numbers;        /* one for each posting */
};

/* Write every document's place and the documents in the order of their places. A document of
 * length L is of class classes[min(L, num_lengths - 1)]; class c begins with window
 * first_windows[c], whose first place in the order is starts[first_windows[c]], and fills one
 * window of `largest` documents after the other. counts[num_classes] is scratch. */
QIDF_API void qidf_place_documents(const int32_t *lengths, int64_t num_docs, const int32_t *classes,
                                   int64_t num_lengths, const int32_t *first_windows,
                                   const uint32_t *starts, int64_t largest, int64_t num_classes,
                                   int64_t *counts, uint32_t *places, uint32_t *docs);

/* Fill the table of a term that has one; counts[3 * num_windows + 2] is scratch. */
QIDF_API void qidf_fill_table(const struct qidf_segment *segment,
                              const struct qidf_windows *windows, int32_t term, uint32_t *counts);

/* rows.c: postings turned round, from each term's documents to each document's terms. */

/* Document d has the terms entries[starts[d]] to entries[starts[d + 1] - 1], ascending: the term in
 * the lower 26 bits, how often above them, 63 meaning that its postings say. */
struct qidf_rows {
    const uint32_t *starts; /* [num_docs + 1] */
    const uint32_t *entries;
};

/* Fill rows; there are fewer than 2^32 postings and fewer than 2^26 terms. */
QIDF_API void qidf_fill_rows(const struct qidf_segment *segment, uint32_t *starts,
                             uint32_t *entries);

/* search.c: exact top-k. */

/* Query i has terms[offsets[i]] to terms[offsets[i + 1] - 1] of the segment, negative where unknown
 * and repeated where the query repeats them, each with a finite weight. */
struct qidf_queries {
    const int64_t *offsets;
    const int32_t *terms;
    const float *weights;
};

/* How many bytes of scratch a search takes. */
QIDF_API int64_t qidf_search_scratch(int64_t num_docs, int64_t num_windows, int64_t largest_window,
                                     int64_t longest_query, int64_t k);

/* Merge a segment's best documents into the rows of k positions and scores that belong to queries
 * first to last - 1. Rows hold what earlier segments gave, best first, padded with position -1.
 * Document d is at position base + d; those with excluded[d] are left out, unless it is null.
 * rows->starts may be null. Unless lengths_known, documents may be longer than they say. Scores are
 * those of index/scoring.py, to the bit. With a wanted[wanted_offsets[i]] and following for query i,
 * documents of this segment or -1, only what scores as high as one of them is found; it may be
 * null. `counters` has four numbers to add to: postings
 * accumulated, windows opened, documents scored, documents entered. */
QIDF_API void qidf_search(const struct qidf_segment *segment, const struct qidf_windows *windows,
                          const struct qidf_rows *rows, const struct qidf_queries *queries,
                          int64_t first, int64_t last, int64_t longest_query, double k1, double b,
                          double avg_doc_length, int64_t lengths_known, const uint8_t *excluded,
                          int64_t base, const int64_t *wanted_offsets, const int64_t *wanted,
                          int64_t k, int64_t *positions, float *scores, int64_t *counters,
                          uint8_t *scratch);

/* analysis.c: from text to tokens, and from tokens to their numbers. */

/* Loops read sixteen bytes of a string at a time: so many follow the last string of any buffer. */
#define QIDF_PADDING 16
/* A byte that UTF-8 never uses; it stands before each token that is taken as it is. */
#define QIDF_ATOM 255
/* What a byte is to the parts of a word; 0 is what separates them. */
#define QIDF_UPPER 1
#define QIDF_LOWER 2
#define QIDF_DIGIT 3
/* Which pieces of a word are tokens. */
#define QIDF_PARTS_NONE 0
#define QIDF_PARTS_BOTH 1
#define QIDF_PARTS_ONLY 2
#define QIDF_STOP_KEYS 1024

/* String i is text[starts[i]:starts[i] + lengths[i]]. */
typedef struct {
    uint8_t *text;
    int64_t *starts;
    uint32_t *lengths;
    uint32_t *hashes;
} qidf_strings;

/* A hash table of strings: term i is blob[offsets[i]:offsets[i + 1]].
 *
 * There are 2^n slots, probed one after the other from hash mod 2^n. An empty slot is 0; a used one
 * has the term's number plus one in its low n bits and, in the others, the bits of the hash that
 * the position doesn't tell. Those settle nearly every mismatch without a look at the bytes.
 *
 * A table may come from disk and be damaged: probes are bounded by the number of slots, and a slot
 * that names no term, or a term outside the blob, matches nothing. Only a table that grows has
 * hashes; it has as many slots as twice the terms that offsets and hashes have room for. */
typedef struct {
    uint32_t *slots;
    uint8_t *blob;
    int64_t *offsets;
    uint32_t *hashes;
    int64_t num_slots;
    int64_t blob_size;
    int64_t num_terms;
} qidf_table;

/* How text becomes tokens: kinds of bytes (QIDF_UPPER and so on), words of at least min_length bytes
 * or whatever stands between whitespace, ASCII letters folded, plurals folded.
 *
 * stop_keys settles at one look which strings are stop words: the entry (hash >> stop_shift) mod
 * QIDF_STOP_KEYS is 0 where no stop word has that place, the first seven bytes and the length of the
 * one that has it, or all ones if one comparison won't do and stopwords has to be asked. */
typedef struct {
    uint8_t kinds[256];
    int32_t whitespace;
    int32_t lowercase;
    int32_t min_length;
    int32_t parts;
    int32_t plurals;
    uint32_t stop_shift;
    uint64_t stop_keys[QIDF_STOP_KEYS];
    qidf_table stopwords;
} qidf_rules;

/* Hash strings. */
QIDF_API void qidf_hash(const uint8_t *text, const int64_t *starts, const uint32_t *lengths,
                        int64_t count, uint32_t *hashes);

/* Enter terms, known to be distinct, into slots that are all empty. */
QIDF_API void qidf_fill_slots(const uint32_t *hashes, int64_t num_terms, uint32_t *slots,
                              int64_t num_slots);

/* Number strings[first:count], adding those that are new; returns the first that doesn't fit, or
 * count. */
QIDF_API int64_t qidf_intern(qidf_table *table, const qidf_strings *strings, int64_t first,
                             int64_t count, int32_t *ids);

/* Write the numbers of strings[:count], -1 for unknown ones. */
QIDF_API void qidf_look_up(const qidf_table *table, const qidf_strings *strings, int64_t count,
                           int32_t *ids);

/* Write the numbers of another table's terms, -1 for unknown ones. */
QIDF_API void qidf_look_up_terms(const qidf_table *table, const qidf_table *other, int32_t *ids);

/* List the terms that aren't the same as the term before up to their last separator; returns how
 * many there are, or -1 if a term has no separator. */
QIDF_API int64_t qidf_find_prefixes(const qidf_table *table, int32_t separator, int64_t *firsts);

/* List the tokens of num_docs documents, at least one, that lie one after the other, each with a
 * line feed behind it but the last: doc_ends[i] is the place after document i's line feed. Returns
 * how many tokens there are; token_ends[i] of them are in the first i + 1 documents.
 *
 * Needs room for size + 1 tokens (half as many without parts), and for 2 * size + QIDF_PADDING bytes
 * in tokens->text. */
QIDF_API int64_t qidf_find_tokens(const uint8_t *text, int64_t size, const qidf_rules *rules,
                                  const int64_t *doc_ends, int64_t num_docs,
                                  const qidf_strings *tokens, int64_t *token_ends);

/* inversion.c: from documents' tokens to terms' postings, and from several segments' to one's.
 * Counts of a term in a document (tfs) are of 16 bits, or of 32 where wide says so. */

/* Count each term's documents, adding to doc_freqs; returns how many postings there are. Document i
 * is ids[doc_offsets[i]:doc_offsets[i + 1]] and has number first_doc + i. With new_ids, id becomes
 * new_ids[id] first. What isn't the first of its term in a document becomes -1 - id. In last_doc is
 * 0, or the number plus one of a term's last document before. */
QIDF_API int64_t qidf_count_postings(int32_t *ids, const int32_t *new_ids,
                                     const int64_t *doc_offsets, int64_t num_docs,
                                     int64_t first_doc, uint32_t *last_doc, int32_t *doc_freqs);

/* Write postings of the ids that qidf_count_postings left; heads[term] is where the next one of a
 * term goes. */
QIDF_API void qidf_fill_postings(const int32_t *ids, const int64_t *doc_offsets, int64_t num_docs,
                                 int64_t first_doc, int64_t *heads, uint32_t *docs, void *tfs,
                                 int32_t wide);

/* List the places of postings whose document is wanted, as long as there is room for one more;
 * returns how many there are. */
QIDF_API int64_t qidf_find_postings(const uint32_t *docs, int64_t num_postings,
                                    const uint8_t *wanted, int64_t *places, int64_t room);

/* Append a segment's postings to a merged one's: documents become new_docs[doc], terms
 * new_terms[term], and are left out where that is -1. */
QIDF_API void qidf_copy_postings(const int64_t *starts, int64_t num_terms, const uint32_t *docs,
                                 const void *tfs, int32_t wide, const int32_t *new_docs,
                                 const int32_t *new_terms, int64_t *heads, uint32_t *docs_out,
                                 void *tfs_out);

/* impacts.c: for scores that don't factor into a weight and a part of tf, and may be negative. */

/* Rank, for each query, the documents that have one of its terms, whatever their score's sign, and
 * write the k best to its row of positions and scores, ties in document order; what is left of a row
 * stays as it is. Query i has terms[offsets[i]:offsets[i + 1]], -1 where unknown; a repeated term
 * adds again. sums and met are all zero before and after, one for each document; touched has room for
 * one more. */
QIDF_API void qidf_rank_by_impact(const int32_t *terms, const int64_t *offsets,
                                  int64_t num_queries, const int64_t *starts,
                                  const uint32_t *docs, const double *impacts, double *sums,
                                  uint8_t *met, uint32_t *touched, int64_t k,
                                  int64_t *positions, float *scores);

/* weighing.c: what is told of a query's text and tokens before they are weighed. */

/* Count marks of code in ASCII text, those of weighting/kinds.py, up to `most`. */
QIDF_API int64_t qidf_count_marks(const uint8_t *text, int64_t size, int64_t most);

/* Copy queries, query i being names[offsets[i]:offsets[i + 1]], and leave of those with folded[i]
 * each name once, where it comes first; returns how many names stay. counts says how often each is
 * there in its query (1 unless folded), places where in its query, from 0. firsts has a number for
 * each name, all -1. */
QIDF_API int64_t qidf_fold_repeats(const int32_t *names, const int64_t *offsets,
                                   int64_t num_queries, const uint8_t *folded, int64_t *firsts,
                                   int32_t *names_out, int64_t *offsets_out, double *counts,
                                   double *places);

/* Write weights in single precision, those between 0 and `least` as `least`; returns how many lie
 * beyond `most` on either side. */
QIDF_API int64_t qidf_to_single(const double *weights, int64_t count, double least, double most,
                                float *found);

/* Write how many characters each term has, 1 if it has none. */
QIDF_API void qidf_count_characters(const qidf_table *table, double *counts);

#endif
