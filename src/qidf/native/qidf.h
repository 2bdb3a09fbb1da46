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

#endif
