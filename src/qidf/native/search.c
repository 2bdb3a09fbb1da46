/* Exact top-k without reading most of the postings.
 *
 * A few documents that have the query's heaviest terms are scored first, which gives a score that
 * all others have to reach. The others are then looked at window by window. The documents of a
 * window are about as long as each other, so that little is left to chance about what they can
 * score: a term that occurs f times in a document of norm K adds at most its weight times
 * f / (K + f), and since that is at most f / (K + 1), and a document of L tokens has no more than L
 * to share out, all terms together have parts of at most L / (K + 1). Filling that with the
 * heaviest terms gives a bound (`gain`). A window whose bound is too low is not opened. In one
 * that is, only the heaviest terms are added up, until the rest can't matter much, in 16-bit
 * accumulators that stay in the nearest cache and are rounded up; documents that can still reach
 * the score are scored.
 *
 * What is accumulated decides only which documents are scored, with a margin for rounding. Scores
 * are computed in the order of the query's tokens by the definition in index/scoring.py, so that
 * the result has the bits that exhaustive scoring gives.
 *
 * The larger the spread of the weights, the sooner the bounds bite: this is why search gets faster
 * as q falls. */

#include <string.h>

#include "qidf.h"

#define TERM_MASK ((1u << 26) - 1)
#define MANY 63u

/* A float32 rounds by at most 2^-24 of its value, once for every token and once for every sum;
 * twice that is still far below any difference that matters. */
#define ROUNDING (1.0 / (1 << 22))
/* Below what float32 can tell from zero. */
#define VANISHING 1e-44
/* The highest sum of an accumulator. */
#define MOST_UNITS 32767
/* More than the parts of any query's terms add up to. */
#define NO_LIMIT 1e40
/* An odd number near 2^32 over the golden ratio spreads neighbouring terms over a hash table. */
#define SPREAD 2654435769u
#define SMALLEST_TABLE_BITS 9
/* So many places for a token that a term is nearly always in its first or in the next. */
#define TABLE_ROOM 8
/* Walking this many terms of a document costs about as much as finding it in one's postings. */
#define FIND_COST 8
/* Documents scored before any window is opened, besides those that k asks for. */
#define SEEDS 16
/* What the terms left out may still add, as a part of the score to be reached: more would save
 * postings and let more documents through. */
#define SHARE_LEFT 0.2
/* A window is walked again by its postings, not scanned, if it has fewer postings than 1 / this. */
#define SPARSE 8
#define BLOCK 32
/* As many documents of rare terms are scored at a time. */
#define TOGETHER 24
/* How far ahead of scoring a document's row is fetched. */
#define AHEAD 8

struct entry {
    uint32_t term;
    int32_t slot;
};

struct waiting {
    int32_t next;
    int32_t rank;
    uint16_t number;
    uint16_t tf;
};

struct search {
    const struct qidf_segment *segment;
    const struct qidf_windows *windows;
    const struct qidf_rows *rows;
    const uint8_t *excluded;
    double k1, b, avg_doc_length;
    int64_t base, k;
    int64_t *counters;

    /* Of each window: the norm of its shortest document, and what the parts of its longest one can
     * add up to. */
    double *norms, *masses;

    /* The query's tokens, its distinct terms (slots), and a hash table from terms to slots. */
    const float *token_weights;
    int64_t num_tokens, num_slots;
    int32_t *token_slots, *next_tokens, *first_tokens;
    uint32_t *slot_terms;
    double *slot_weights, *slot_sizes, *slot_parts;
    uint64_t *said;
    struct entry *table;
    uint32_t table_shift, table_reach;
    int64_t longest_row;
    int64_t num_hits;
    int32_t *hits;
    uint32_t *hit_tfs;

    /* The slots that add to a score, by decreasing weight: rank 0 is the heaviest. */
    int64_t count;
    int32_t *order;
    double *weights, *mosts, *caps;
    int64_t *firsts, *lasts;
    int32_t *tables;
    double margin, penalty;

    /* The best so far, the worst of them first, and the sum that terms that add have to reach. */
    int64_t size;
    float *heap_scores;
    int64_t *heap_positions;
    double target, least_score, floor;

    /* Documents that were scored, as bits and, while they are few, as a list. */
    uint64_t *seen;
    int64_t num_seen;
    uint32_t *seen_docs;

    int16_t *sums;
    uint32_t *found, *seeds;
    uint32_t *counts;
    struct waiting *waiting;
    int32_t *first_waiting;
    uint64_t *waiting_masks;
};

#define MOST_LISTED 4096

static double norm_of(const struct search *s, int64_t length) {
    return s->k1 * ((1 - s->b) + s->b * (double)length / s->avg_doc_length);
}

/* ---- the best so far ---- */

static int is_worse(float score, int64_t position, float other, int64_t other_position) {
    return score < other || (score == other && position > other_position);
}

static void sink(struct search *s, int64_t at, float score, int64_t position) {
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= s->size) {
            break;
        }
        if (child + 1 < s->size &&
            is_worse(s->heap_scores[child + 1], s->heap_positions[child + 1],
                     s->heap_scores[child], s->heap_positions[child])) {
            child++;
        }
        if (!is_worse(s->heap_scores[child], s->heap_positions[child], score, position)) {
            break;
        }
        s->heap_scores[at] = s->heap_scores[child];
        s->heap_positions[at] = s->heap_positions[child];
        at = child;
    }
    s->heap_scores[at] = score;
    s->heap_positions[at] = position;
}

static void set_target(struct search *s) {
    s->target = 0;
    s->least_score = -1;
    double lowest = s->floor;
    if (s->size == s->k && s->heap_scores[0] > lowest) {
        lowest = s->heap_scores[0];
    }
    if (lowest > 0) {
        /* What adds up to p comes out as at most p (1 + margin) + penalty margin. */
        s->least_score = lowest - VANISHING * (double)(s->num_tokens + 1);
        s->target = (s->least_score - s->margin * s->penalty) / (1 + s->margin);
    }
}

static void enter(struct search *s, float score, int64_t position) {
    if (s->size < s->k) {
        int64_t at = s->size++;
        while (at > 0) {
            int64_t parent = (at - 1) / 2;
            if (!is_worse(score, position, s->heap_scores[parent], s->heap_positions[parent])) {
                break;
            }
            s->heap_scores[at] = s->heap_scores[parent];
            s->heap_positions[at] = s->heap_positions[parent];
            at = parent;
        }
        s->heap_scores[at] = score;
        s->heap_positions[at] = position;
        if (s->size == s->k) {
            set_target(s);
        }
    } else if (is_worse(s->heap_scores[0], s->heap_positions[0], score, position)) {
        sink(s, 0, score, position);
        set_target(s);
    } else {
        return;
    }
    s->counters[3]++;
}

/* ---- one document's score ---- */

static int64_t find_posting(const uint32_t *docs, int64_t low, int64_t high, uint32_t doc) {
    int64_t end = high;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (docs[middle] < doc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && docs[low] == doc ? low : -1;
}

/* A document's tf parts of the query's terms, from its row. There is no branch on whether a term is
 * the query's, which nothing could foretell. */
static int64_t read_row(struct search *s, uint32_t doc, double norm) {
    const uint32_t *row = s->rows->entries + s->rows->starts[doc];
    const uint32_t *end = s->rows->entries + s->rows->starts[doc + 1];
    const struct entry *table = s->table;
    uint32_t shift = s->table_shift;
    int32_t *hits = s->hits;
    uint32_t *tfs = s->hit_tfs;
    int64_t count = 0;
    for (; row < end; row++) {
        uint32_t term = *row & TERM_MASK;
        const struct entry *entry = table + ((term * SPREAD) >> shift);
        int first = entry[0].term == term, second = entry[1].term == term;
        hits[count] = first ? entry[0].slot : entry[1].slot;
        tfs[count] = *row >> 26;
        count += first | second;
    }
    for (int64_t at = 0; at < count; at++) {
        double tf = tfs[at];
        if (tfs[at] == MANY) {
            uint32_t term = s->slot_terms[hits[at]];
            const int64_t *starts = s->segment->starts + term;
            tf = qidf_tf(s->segment, find_posting(s->segment->docs, starts[0], starts[1], doc));
        }
        s->slot_parts[hits[at]] = tf / (norm + tf);
    }
    return count;
}

/* The same parts, found in the terms' postings. */
static int64_t search_postings(struct search *s, uint32_t doc, double norm) {
    const struct qidf_segment *segment = s->segment;
    int64_t count = 0;
    for (int32_t slot = 0; slot < s->num_slots; slot++) {
        const int64_t *starts = segment->starts + s->slot_terms[slot];
        int64_t at = find_posting(segment->docs, starts[0], starts[1], doc);
        if (at >= 0) {
            double tf = qidf_tf(segment, at);
            s->hits[count++] = slot;
            s->slot_parts[slot] = tf / (norm + tf);
        }
    }
    return count;
}

/* A float32 sum in the order of the query's tokens; those that the document hasn't would add 0. */
static float exact_score(struct search *s) {
    int64_t words = (s->num_tokens + 63) / 64;
    for (int64_t at = 0; at < s->num_hits; at++) {
        for (int32_t token = s->first_tokens[s->hits[at]]; token >= 0;
             token = s->next_tokens[token]) {
            s->said[token / 64] |= (uint64_t)1 << (token % 64);
        }
    }
    float total = 0;
    for (int64_t word = 0; word < words; word++) {
        uint64_t bits = s->said[word];
        s->said[word] = 0;
        while (bits) {
            int64_t token = word * 64 + __builtin_ctzll(bits);
            bits &= bits - 1;
            total += (float)((double)s->token_weights[token] * s->slot_parts[s->token_slots[token]]);
        }
    }
    return total;
}

static void find_hits(struct search *s, uint32_t doc) {
    const uint32_t *starts = s->rows->starts;
    double norm = norm_of(s, s->segment->lengths[doc]);
    int by_row = starts && s->table_reach < 2 && starts[doc + 1] - starts[doc] <= s->longest_row;
    s->num_hits = by_row ? read_row(s, doc, norm) : search_postings(s, doc, norm);
}

static void score_document(struct search *s, uint32_t doc) {
    find_hits(s, doc);
    double total = 0, size = 0;
    for (int64_t at = 0; at < s->num_hits; at++) {
        int32_t slot = s->hits[at];
        total += s->slot_weights[slot] * s->slot_parts[slot];
        size += s->slot_sizes[slot] * s->slot_parts[slot];
    }
    if (total + s->margin * size < s->least_score) {
        return;
    }
    float score = exact_score(s);
    if (score > 0 && score >= s->floor) {
        enter(s, score, s->base + doc);
    }
}

/* Score documents that haven't been; their rows are on the way while others are scored. */
static void score_documents(struct search *s, uint32_t *docs, int64_t num_docs) {
    const uint32_t *starts = s->rows->starts;
    int64_t count = 0;
    for (int64_t at = 0; at < num_docs; at++) {
        uint32_t doc = docs[at];
        uint64_t bit = (uint64_t)1 << (doc % 64);
        if (s->seen[doc / 64] & bit) {
            continue;
        }
        s->seen[doc / 64] |= bit;
        if (s->num_seen < MOST_LISTED) {
            s->seen_docs[s->num_seen] = doc;
        }
        s->num_seen++;
        if (s->excluded && s->excluded[doc]) {
            continue;
        }
        docs[count++] = doc;
        __builtin_prefetch(&s->segment->lengths[doc]);
        if (starts) {
            __builtin_prefetch(&starts[doc]);
        }
    }
    s->counters[2] += count;
    for (int64_t at = 0; at < count + AHEAD; at++) {
        if (starts && at < count) {
            const uint32_t *row = s->rows->entries + starts[docs[at]];
            __builtin_prefetch(row);
            __builtin_prefetch(row + 15);
        }
        if (at >= AHEAD) {
            score_document(s, docs[at - AHEAD]);
        }
    }
}

/* The lowest score of documents that have any. */
static double lowest_score(struct search *s, const int64_t *docs, int64_t num_docs) {
    double lowest = NO_LIMIT;
    for (int64_t at = 0; at < num_docs; at++) {
        if (docs[at] >= 0) {
            find_hits(s, (uint32_t)docs[at]);
            double score = exact_score(s);
            lowest = score > 0 && score < lowest ? score : lowest;
        }
    }
    return lowest;
}

static void forget_seen(struct search *s) {
    if (s->num_seen <= MOST_LISTED) {
        for (int64_t at = 0; at < s->num_seen; at++) {
            s->seen[s->seen_docs[at] / 64] = 0;
        }
    } else {
        memset(s->seen, 0, (size_t)(s->segment->num_docs / 64 + 1) * sizeof(uint64_t));
    }
    s->num_seen = 0;
}

/* ---- the query's terms ---- */

static void order_by_weight(int32_t *order, const double *weights, int64_t count) {
    static const int64_t gaps[] = {8929, 3905, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (int64_t pass = 0; pass < 11; pass++) {
        int64_t gap = gaps[pass];
        for (int64_t from = gap; from < count; from++) {
            int32_t moved = order[from];
            int64_t at = from;
            while (at >= gap && weights[order[at - gap]] < weights[moved]) {
                order[at] = order[at - gap];
                at -= gap;
            }
            order[at] = moved;
        }
    }
}

/* The slot of a term, a new one if it hasn't any. */
static int32_t enter_term(struct search *s, uint32_t term) {
    uint32_t home = (term * SPREAD) >> s->table_shift, reach = 0;
    struct entry *entry = s->table + home;
    while (entry->slot >= 0 && entry->term != term) {
        entry++;
        reach++;
    }
    if (entry->slot < 0) {
        int32_t slot = (int32_t)s->num_slots++;
        s->slot_terms[slot] = term;
        s->slot_weights[slot] = 0;
        s->slot_sizes[slot] = 0;
        s->first_tokens[slot] = -1;
        entry->term = term;
        entry->slot = slot;
        s->table_reach = reach > s->table_reach ? reach : s->table_reach;
    }
    return entry->slot;
}

/* Find the distinct terms of a query, and order those that add to a score. */
static void read_query(struct search *s, const struct qidf_queries *queries, int64_t query) {
    const struct qidf_segment *segment = s->segment;
    int64_t begin = queries->offsets[query];
    s->num_tokens = queries->offsets[query + 1] - begin;
    s->token_weights = queries->weights + begin;
    s->num_slots = 0;
    int bits = SMALLEST_TABLE_BITS;
    while (((int64_t)1 << bits) < TABLE_ROOM * s->num_tokens) {
        bits++;
    }
    s->table_shift = (uint32_t)(32 - bits);
    s->table_reach = 1;
    /* Terms that don't wrap round at the end run over it. */
    memset(s->table, 0xff,
           (((size_t)1 << bits) + (size_t)s->num_tokens + 2) * sizeof(struct entry));
    for (int64_t token = s->num_tokens - 1; token >= 0; token--) {
        int32_t term = queries->terms[begin + token];
        s->token_slots[token] = -1;
        if (term < 0) {
            continue;
        }
        int32_t slot = enter_term(s, (uint32_t)term);
        double weight = s->token_weights[token];
        s->slot_weights[slot] += weight;
        s->slot_sizes[slot] += weight < 0 ? -weight : weight;
        s->token_slots[token] = slot;
        s->next_tokens[token] = s->first_tokens[slot];
        s->first_tokens[slot] = (int32_t)token;
    }
    s->longest_row = FIND_COST * s->num_slots;
    s->count = 0;
    s->penalty = 0;
    for (int32_t slot = 0; slot < s->num_slots; slot++) {
        if (s->slot_weights[slot] > 0) {
            s->order[s->count++] = slot;
            s->penalty += s->slot_sizes[slot] - s->slot_weights[slot];
        } else {
            s->penalty += s->slot_sizes[slot];
        }
    }
    order_by_weight(s->order, s->slot_weights, s->count);
    s->margin = (double)(s->num_tokens + 8) * ROUNDING;
    int64_t num_windows = s->windows->num_windows;
    for (int64_t rank = 0; rank < s->count; rank++) {
        uint32_t term = s->slot_terms[s->order[rank]];
        int32_t table = s->windows->tables[term];
        uint32_t most = 0;
        s->weights[rank] = s->slot_weights[s->order[rank]];
        s->firsts[rank] = segment->starts[term];
        s->lasts[rank] = segment->starts[term + 1];
        s->tables[rank] = table;
        if (table >= 0) {
            if (!__atomic_load_n(&s->windows->filled[table], __ATOMIC_ACQUIRE)) {
                qidf_fill_table(segment, s->windows, (int32_t)term, s->counts);
            }
            most = s->windows->most[table * (num_windows + 1) + num_windows];
        } else {
            for (int64_t at = s->firsts[rank]; at < s->lasts[rank]; at++) {
                uint32_t tf = qidf_tf(segment, at);
                most = tf > most ? tf : most;
            }
        }
        s->mosts[rank] = most < 255 ? most : 1e30;
    }
}

/* ---- bounds ---- */

/* Whether a document of this window can reach the target by terms from a rank on, each of which
 * occurs in it as often as in any document of the segment. */
static int can_reach(const struct search *s, int64_t window, int64_t rank) {
    double left = s->masses[window], norm = s->norms[window], total = 0;
    for (; rank < s->count; rank++) {
        /* The rest weighs no more than this. */
        if (total + left * s->weights[rank] < s->target) {
            return 0;
        }
        double part = s->mosts[rank] / (norm + s->mosts[rank]);
        if (part >= left) {
            return 1;
        }
        total += part * s->weights[rank];
        if (total >= s->target) {
            return 1;
        }
        left -= part;
    }
    return total >= s->target;
}

/* The most that terms from a rank on can add in a window whose caps are set. */
static double gain(const struct search *s, int64_t window, int64_t rank) {
    double left = s->masses[window], total = 0;
    for (; rank < s->count; rank++) {
        double part = s->caps[rank];
        if (part >= left) {
            return total + left * s->weights[rank];
        }
        total += part * s->weights[rank];
        left -= part;
    }
    return total;
}

/* ---- windows ---- */

/* Hand the postings of terms without a table to the windows they are in. */
static void hand_out(struct search *s, int64_t rank) {
    const struct qidf_segment *segment = s->segment;
    int64_t num_windows = s->windows->num_windows;
    memset(s->first_waiting, 0xff, (size_t)num_windows * sizeof(int32_t));
    memset(s->waiting_masks, 0, (size_t)num_windows * sizeof(uint64_t));
    int32_t num_waiting = 0;
    for (; rank < s->count; rank++) {
        if (s->tables[rank] >= 0) {
            continue;
        }
        for (int64_t at = s->firsts[rank]; at < s->lasts[rank]; at++) {
            uint32_t place = s->windows->places[segment->docs[at]], tf = qidf_tf(segment, at);
            struct waiting *one = &s->waiting[num_waiting];
            one->rank = (int32_t)rank;
            one->number = (uint16_t)(place & 0xffff);
            one->tf = (uint16_t)(tf < 255 ? tf : 255);
            one->next = s->first_waiting[place >> 16];
            s->first_waiting[place >> 16] = num_waiting++;
            s->waiting_masks[place >> 16] |= (uint64_t)1 << (rank < 63 ? rank : 63);
        }
    }
}

static void set_caps(struct search *s, int64_t window, int64_t rank) {
    int64_t num_windows = s->windows->num_windows;
    double norm = s->norms[window];
    uint64_t mask = s->waiting_masks[window];
    for (; rank < s->count; rank++) {
        int32_t table = s->tables[rank];
        if (table >= 0) {
            uint32_t most = s->windows->most[table * (num_windows + 1) + window];
            s->caps[rank] = most < 255 ? most / (norm + most) : 1;
            if (most == 0) {
                s->caps[rank] = 0;
            }
        } else {
            int there = mask >> (rank < 63 ? rank : 63) & 1;
            s->caps[rank] = there ? s->mosts[rank] / (norm + s->mosts[rank]) : 0;
        }
    }
}

static int16_t units(double impact, double scale) { return (int16_t)(impact * scale + 1); }

static void add(int16_t *sums, const uint16_t *numbers, uint32_t count, int16_t impact) {
    for (uint32_t at = 0; at < count; at++) {
        sums[numbers[at]] = (int16_t)(sums[numbers[at]] + impact);
    }
}

/* List the numbers whose sum reaches `least`, and clear all sums. */
static int64_t scan(int16_t *sums, int64_t size, int16_t least, uint32_t *found) {
    int64_t count = 0;
    for (int64_t block = 0; block < size; block += BLOCK) {
        int16_t highest = 0;
        for (int64_t at = block; at < block + BLOCK; at++) {
            highest = sums[at] > highest ? sums[at] : highest;
        }
        if (highest >= least) {
            for (int64_t at = block; at < block + BLOCK; at++) {
                found[count] = (uint32_t)at;
                count += sums[at] >= least;
            }
        }
        memset(sums + block, 0, BLOCK * sizeof(int16_t));
    }
    return count;
}

/* The same, by the postings that were added. */
static int64_t collect(int16_t *sums, const uint16_t *numbers, uint32_t num_numbers, int16_t least,
                       uint32_t *found) {
    int64_t count = 0;
    for (uint32_t at = 0; at < num_numbers; at++) {
        uint16_t number = numbers[at];
        found[count] = number;
        count += sums[number] >= least;
        sums[number] = 0;
    }
    return count;
}

/* Score the documents of a window that can reach the target by terms from a rank on. */
static void open_window(struct search *s, int64_t window, int64_t rank) {
    const struct qidf_windows *windows = s->windows;
    int64_t num_windows = windows->num_windows;
    set_caps(s, window, rank);
    int64_t low = rank, high = s->count;
    double left = 0;
    if (s->target > 0) {
        if (gain(s, window, rank) < s->target) {
            return;
        }
        /* The fewest terms so that the others add no more than a share of the target. */
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (gain(s, window, middle) < s->target * SHARE_LEFT) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        left = gain(s, window, high);
    }
    s->counters[1]++;
    double highest = 0;
    for (int64_t at = rank; at < high; at++) {
        highest += s->caps[at] * s->weights[at];
    }
    if (highest == 0) {
        return;
    }
    double scale = (double)(MOST_UNITS - 1 - (high - rank)) / highest;
    double least = (s->target - left) * scale;
    int16_t needed = (int16_t)(least < 1 ? 1 : least > MOST_UNITS ? MOST_UNITS : least);
    double norm = s->norms[window];
    int64_t added = 0;
    for (int64_t at = rank; at < high; at++) {
        if (s->tables[at] < 0 || s->caps[at] == 0) {
            continue;
        }
        const uint32_t *heads = windows->heads + s->tables[at] * (2 * num_windows + 1) + 2 * window;
        const uint16_t *numbers = windows->numbers + s->firsts[at];
        double weight = s->weights[at];
        /* The next window's come right after. */
        __builtin_prefetch(numbers + heads[2] + 16);
        add(s->sums, numbers + heads[0], heads[1] - heads[0], units(weight / (norm + 1), scale));
        add(s->sums, numbers + heads[1], heads[2] - heads[1], units(weight * s->caps[at], scale));
        added += heads[2] - heads[0];
    }
    for (int32_t one = s->first_waiting[window]; one >= 0; one = s->waiting[one].next) {
        const struct waiting *posting = &s->waiting[one];
        if (posting->rank < high) {
            double part = posting->tf < 255 ? posting->tf / (norm + posting->tf) : 1;
            s->sums[posting->number] = (int16_t)(s->sums[posting->number] +
                                                 units(part * s->weights[posting->rank], scale));
            added++;
        }
    }
    s->counters[0] += added;
    int64_t found = 0;
    const uint32_t *docs = windows->docs + windows->starts[window];
    if (added * SPARSE < windows->starts[window + 1] - windows->starts[window]) {
        for (int64_t at = rank; at < high; at++) {
            if (s->tables[at] < 0 || s->caps[at] == 0) {
                continue;
            }
            const uint32_t *heads =
                windows->heads + s->tables[at] * (2 * num_windows + 1) + 2 * window;
            found += collect(s->sums, windows->numbers + s->firsts[at] + heads[0],
                             heads[2] - heads[0], needed, s->found + found);
        }
        for (int32_t one = s->first_waiting[window]; one >= 0; one = s->waiting[one].next) {
            found += collect(s->sums, &s->waiting[one].number, 1, needed, s->found + found);
        }
    } else {
        found = scan(s->sums, windows->starts[window + 1] - windows->starts[window], needed,
                     s->found);
    }
    for (int64_t at = 0; at < found; at++) {
        s->found[at] = docs[s->found[at]];
    }
    score_documents(s, s->found, found);
}

/* Score some documents of a term that has many, shortest first: of those that have it as often,
 * they score highest. */
static void score_shortest(struct search *s, int64_t rank, int64_t wanted) {
    const struct qidf_windows *windows = s->windows;
    const uint32_t *heads = windows->heads + s->tables[rank] * (2 * windows->num_windows + 1);
    const uint16_t *numbers = windows->numbers + s->firsts[rank];
    int64_t window = 0, found = 0;
    for (int64_t at = 0; at < s->lasts[rank] - s->firsts[rank] && at < wanted; at++) {
        while (at >= heads[2 * window + 2]) {
            window++;
        }
        s->found[found++] = windows->docs[windows->starts[window] + numbers[at]];
        if (found == windows->largest) {
            score_documents(s, s->found, found);
            found = 0;
        }
    }
    score_documents(s, s->found, found);
}

/* Score all documents of a term. */
static void score_term(struct search *s, int64_t rank) {
    for (int64_t at = s->firsts[rank]; at < s->lasts[rank]; at += s->windows->largest) {
        int64_t count = s->lasts[rank] - at;
        count = count < s->windows->largest ? count : s->windows->largest;
        memcpy(s->found, s->segment->docs + at, (size_t)count * sizeof(uint32_t));
        score_documents(s, s->found, count);
    }
}

/* Whether any window has documents that can reach the target; `open` is the last that had. */
static int any_can_reach(const struct search *s, int64_t *open, int64_t rank) {
    int64_t num_windows = s->windows->num_windows;
    for (int64_t checked = 0; checked < num_windows; checked++) {
        if (can_reach(s, *open, rank)) {
            return 1;
        }
        *open = *open + 1 < num_windows ? *open + 1 : 0;
    }
    return 0;
}

static void search_query(struct search *s) {
    int64_t num_windows = s->windows->num_windows, rank = 0, open = 0, waiting = 0;
    int64_t spare = SEEDS + 2 * s->k;
    /* With so many terms their units would round to nothing: score all there is. */
    int too_many = s->count > MOST_UNITS / 2;
    for (; rank < s->count; rank++) {
        int64_t doc_freq = s->lasts[rank] - s->firsts[rank];
        /* Documents of several rare terms are fetched together. */
        if (waiting + doc_freq > TOGETHER) {
            score_documents(s, s->seeds, waiting);
            waiting = 0;
        }
        if (waiting == 0 && s->target > 0 && !any_can_reach(s, &open, rank)) {
            return;
        }
        if (doc_freq > spare && !too_many) {
            if (s->target > 0) {
                break;
            }
            if (s->tables[rank] >= 0) {
                score_shortest(s, rank, SEEDS + 2 * s->k);
                break;
            }
        }
        spare -= doc_freq;
        if (doc_freq > TOGETHER) {
            score_term(s, rank);
        } else {
            memcpy(s->seeds + waiting, s->segment->docs + s->firsts[rank],
                   (size_t)doc_freq * sizeof(uint32_t));
            waiting += doc_freq;
        }
    }
    score_documents(s, s->seeds, waiting);
    if (rank == s->count) {
        return;
    }
    hand_out(s, rank);
    for (int64_t window = 0; window < num_windows; window++) {
        if (s->target == 0 || can_reach(s, window, rank)) {
            open_window(s, window, rank);
        }
    }
}

/* ---- whole queries ---- */

static void *carve(uint8_t **scratch, int64_t count, size_t size) {
    void *place = *scratch;
    *scratch += ((size_t)count * size + 63) / 64 * 64;
    return place;
}

static int64_t lay_out(struct search *s, uint8_t *scratch, int64_t num_docs, int64_t num_windows,
                       int64_t largest, int64_t longest, int64_t k) {
    uint8_t *end = scratch;
    int64_t table_size = (int64_t)1 << SMALLEST_TABLE_BITS;
    while (table_size < TABLE_ROOM * longest) {
        table_size *= 2;
    }
    s->sums = carve(&end, largest + BLOCK, sizeof(int16_t));
    s->seen = carve(&end, num_docs / 64 + 1, sizeof(uint64_t));
    s->said = carve(&end, longest / 64 + 1, sizeof(uint64_t));
    s->norms = carve(&end, num_windows, sizeof(double));
    s->masses = carve(&end, num_windows, sizeof(double));
    s->token_slots = carve(&end, longest, sizeof(int32_t));
    s->next_tokens = carve(&end, longest, sizeof(int32_t));
    s->first_tokens = carve(&end, longest, sizeof(int32_t));
    s->slot_terms = carve(&end, longest, sizeof(uint32_t));
    s->slot_weights = carve(&end, longest, sizeof(double));
    s->slot_sizes = carve(&end, longest, sizeof(double));
    s->slot_parts = carve(&end, longest, sizeof(double));
    s->table = carve(&end, table_size + longest + 2, sizeof(struct entry));
    s->hits = carve(&end, longest + 1, sizeof(int32_t));
    s->hit_tfs = carve(&end, longest + 1, sizeof(uint32_t));
    s->order = carve(&end, longest, sizeof(int32_t));
    s->weights = carve(&end, longest, sizeof(double));
    s->mosts = carve(&end, longest, sizeof(double));
    s->caps = carve(&end, longest, sizeof(double));
    s->firsts = carve(&end, longest, sizeof(int64_t));
    s->lasts = carve(&end, longest, sizeof(int64_t));
    s->tables = carve(&end, longest, sizeof(int32_t));
    s->heap_scores = carve(&end, k, sizeof(float));
    s->heap_positions = carve(&end, k, sizeof(int64_t));
    s->seen_docs = carve(&end, MOST_LISTED, sizeof(uint32_t));
    s->seeds = carve(&end, TOGETHER, sizeof(uint32_t));
    s->found = carve(&end, largest + BLOCK, sizeof(uint32_t));
    s->counts = carve(&end, 3 * num_windows + 2, sizeof(uint32_t));
    s->waiting = carve(&end, longest * QIDF_SHORT_LIST, sizeof(struct waiting));
    s->first_waiting = carve(&end, num_windows, sizeof(int32_t));
    s->waiting_masks = carve(&end, num_windows, sizeof(uint64_t));
    return end - scratch;
}

int64_t qidf_search_scratch(int64_t num_docs, int64_t num_windows, int64_t largest_window,
                            int64_t longest_query, int64_t k) {
    struct search unused;
    uint8_t nothing[1];
    return lay_out(&unused, nothing, num_docs, num_windows, largest_window, longest_query, k);
}

void qidf_search(const struct qidf_segment *segment, const struct qidf_windows *windows,
                 const struct qidf_rows *rows, const struct qidf_queries *queries, int64_t first,
                 int64_t last, int64_t longest_query, double k1, double b, double avg_doc_length,
                 int64_t lengths_known, const uint8_t *excluded, int64_t base,
                 const int64_t *wanted_offsets, const int64_t *wanted, int64_t k,
                 int64_t *positions, float *scores, int64_t *counters, uint8_t *scratch) {
    struct search s;
    lay_out(&s, scratch, segment->num_docs, windows->num_windows, windows->largest, longest_query,
            k);
    s.segment = segment;
    s.windows = windows;
    s.rows = rows;
    s.excluded = excluded;
    s.k1 = k1;
    s.b = b;
    s.avg_doc_length = avg_doc_length;
    s.base = base;
    s.k = k;
    s.counters = counters;
    s.num_seen = 0;
    memset(s.sums, 0, (size_t)(windows->largest + BLOCK) * sizeof(int16_t));
    memset(s.seen, 0, (size_t)(segment->num_docs / 64 + 1) * sizeof(uint64_t));
    memset(s.said, 0, (size_t)(longest_query / 64 + 1) * sizeof(uint64_t));
    for (int64_t window = 0; window < windows->num_windows; window++) {
        double longest = windows->longest[window];
        s.norms[window] = norm_of(&s, windows->shortest[window]);
        s.masses[window] = longest / (1 + norm_of(&s, windows->longest[window]));
        if (!lengths_known) {
            s.masses[window] = NO_LIMIT;
        }
    }
    for (int64_t query = first; query < last; query++) {
        int64_t *row = positions + query * k;
        float *row_scores = scores + query * k;
        read_query(&s, queries, query);
        s.size = 0;
        while (s.size < k && row[s.size] >= 0) {
            s.size++;
        }
        /* The worst first is a heap already. */
        for (int64_t at = 0; at < s.size; at++) {
            s.heap_scores[at] = row_scores[s.size - 1 - at];
            s.heap_positions[at] = row[s.size - 1 - at];
        }
        s.floor = 0;
        if (wanted) {
            const int64_t *docs = wanted + wanted_offsets[query];
            s.floor = lowest_score(&s, docs, wanted_offsets[query + 1] - wanted_offsets[query]);
        }
        set_target(&s);
        search_query(&s);
        forget_seen(&s);
        /* Take the worst away until none is left, filling the row from its end. */
        while (s.size > 0) {
            s.size--;
            row[s.size] = s.heap_positions[0];
            row_scores[s.size] = s.heap_scores[0];
            sink(&s, 0, s.heap_scores[s.size], s.heap_positions[s.size]);
        }
    }
}
