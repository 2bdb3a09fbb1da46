#include "qidf.h"

#include <string.h>

/* Bytes that are told apart at once; the compiler makes vectors of the loops over a group. */
#define GROUP 64
/* Bytes whose words are listed at a time: so the list stays in the core's first cache. */
#define BLOCK 2048
/* How many strings ahead the slot is fetched that a string will be looked for in. */
#define AHEAD 12
/* Stands in no entry of stop_keys: of a string that is too long to be told by its key. */
#define NO_KEY 1

/* Odd constants with well-mixed bits: the fraction of the golden ratio, and two that spread every
 * input bit over the upper output bits, where the result is taken. */
static const uint64_t FIRST_MULTIPLIER = 0x9E3779B97F4A7C15u;
static const uint64_t SECOND_MULTIPLIER = 0xD6E8FEB86659FD93u;
static const uint64_t LAST_MULTIPLIER = 0xFF51AFD7ED558CCDu;

/* By how many bytes of sixteen are left: what to keep of the first eight, and of the others. */
#define BYTES(n) ((n) == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * ((n) % 8)) - 1)
static const uint64_t LOW[17] = {BYTES(0), BYTES(1), BYTES(2), BYTES(3), BYTES(4), BYTES(5),
                                 BYTES(6), BYTES(7), BYTES(8), BYTES(8), BYTES(8), BYTES(8),
                                 BYTES(8), BYTES(8), BYTES(8), BYTES(8), BYTES(8)};
static const uint64_t HIGH[17] = {0,        0,        0,        0,        0,        0,
                                  0,        0,        0,        BYTES(1), BYTES(2), BYTES(3),
                                  BYTES(4), BYTES(5), BYTES(6), BYTES(7), BYTES(8)};

/* Eight bytes as a little-endian number. */
static inline uint64_t load(const uint8_t *place) {
    uint64_t word;
    memcpy(&word, place, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Its values are part of the index format. Sixteen bytes a step, so that nearly every word needs
 * exactly one: a processor guesses badly when to leave a loop that runs once or twice. */
static inline uint32_t hash(const uint8_t *text, uint32_t length) {
    uint64_t value = length * FIRST_MULTIPLIER;
    for (uint32_t at = 0; at < length; at += 16) {
        uint32_t left = length - at < 16 ? length - at : 16;
        value = (value ^ (load(text + at) & LOW[left])) * FIRST_MULTIPLIER;
        value = (value ^ (value >> 32) ^ (load(text + at + 8) & HIGH[left])) * SECOND_MULTIPLIER;
        value ^= value >> 32;
    }
    return (uint32_t)((value * LAST_MULTIPLIER) >> 32);
}

static inline int equal(const uint8_t *one, const uint8_t *other, uint32_t length) {
    uint64_t difference = 0;
    for (uint32_t at = 0; at < length; at += 16) {
        uint32_t left = length - at < 16 ? length - at : 16;
        difference |= (load(one + at) ^ load(other + at)) & LOW[left];
        difference |= (load(one + at + 8) ^ load(other + at + 8)) & HIGH[left];
    }
    return difference == 0;
}

/* The number of a string, or -1 - slot where it would go. */
static inline int64_t find(const qidf_table *table, const uint8_t *text, uint32_t length,
                           uint32_t value) {
    uint32_t mask = (uint32_t)(table->num_slots - 1);
    uint32_t slot = value & mask;
    for (int64_t probes = 0; probes < table->num_slots; probes++) {
        uint32_t entry = table->slots[slot];
        if (entry == 0) {
            break;
        }
        int64_t term = (int64_t)(entry & mask) - 1;
        if (((entry ^ value) & ~mask) == 0 && term >= 0 && term < table->num_terms) {
            int64_t begin = table->offsets[term];
            if (begin >= 0 && begin <= table->blob_size - QIDF_PADDING - (int64_t)length &&
                table->offsets[term + 1] - begin == (int64_t)length &&
                equal(table->blob + begin, text, length)) {
                return term;
            }
        }
        slot = (slot + 1) & mask;
    }
    return -1 - (int64_t)slot;
}

void qidf_hash(const uint8_t *text, const int64_t *starts, const uint32_t *lengths, int64_t count,
               uint32_t *hashes) {
    for (int64_t at = 0; at < count; at++) {
        hashes[at] = hash(text + starts[at], lengths[at]);
    }
}

void qidf_fill_slots(const uint32_t *hashes, int64_t num_terms, uint32_t *slots,
                     int64_t num_slots) {
    uint32_t mask = (uint32_t)(num_slots - 1);
    for (int64_t term = 0; term < num_terms; term++) {
        uint32_t slot = hashes[term] & mask;
        while (slots[slot] != 0) {
            slot = (slot + 1) & mask;
        }
        slots[slot] = (hashes[term] & ~mask) | (uint32_t)(term + 1);
    }
}

int64_t qidf_intern(qidf_table *table, const qidf_strings *strings, int64_t first, int64_t count,
                    int32_t *ids) {
    const uint32_t *hashes = strings->hashes;
    uint32_t mask = (uint32_t)(table->num_slots - 1);
    int64_t used = table->offsets[table->num_terms];
    for (int64_t at = first; at < count; at++) {
        if (at + AHEAD < count) {
            __builtin_prefetch(table->slots + (hashes[at + AHEAD] & mask));
        }
        const uint8_t *string = strings->text + strings->starts[at];
        uint32_t length = strings->lengths[at];
        int64_t term = find(table, string, length, hashes[at]);
        if (term < 0) {
            if (2 * (table->num_terms + 1) > table->num_slots ||
                used + length > table->blob_size - QIDF_PADDING) {
                return at;
            }
            table->slots[-1 - term] = (hashes[at] & ~mask) | (uint32_t)(table->num_terms + 1);
            table->hashes[table->num_terms] = hashes[at];
            memcpy(table->blob + used, string, length);
            used += length;
            term = table->num_terms++;
            table->offsets[term + 1] = used;
        }
        ids[at] = (int32_t)term;
    }
    return count;
}

void qidf_look_up(const qidf_table *table, const qidf_strings *strings, int64_t count,
                  int32_t *ids) {
    const uint32_t *hashes = strings->hashes;
    uint32_t mask = (uint32_t)(table->num_slots - 1);
    for (int64_t at = 0; at < count; at++) {
        if (at + AHEAD < count) {
            __builtin_prefetch(table->slots + (hashes[at + AHEAD] & mask));
        }
        const uint8_t *string = strings->text + strings->starts[at];
        int64_t term = find(table, string, strings->lengths[at], hashes[at]);
        ids[at] = term < 0 ? -1 : (int32_t)term;
    }
}

void qidf_look_up_terms(const qidf_table *table, const qidf_table *other, int32_t *ids) {
    for (int64_t at = 0; at < other->num_terms; at++) {
        const uint8_t *string = other->blob + other->offsets[at];
        uint32_t length = (uint32_t)(other->offsets[at + 1] - other->offsets[at]);
        uint32_t value = other->hashes ? other->hashes[at] : hash(string, length);
        int64_t term = find(table, string, length, value);
        ids[at] = term < 0 ? -1 : (int32_t)term;
    }
}

int64_t qidf_find_prefixes(const qidf_table *table, int32_t separator, int64_t *firsts) {
    int64_t count = 0, before_length = -1;
    const uint8_t *before = table->blob;
    for (int64_t term = 0; term < table->num_terms; term++) {
        const uint8_t *string = table->blob + table->offsets[term];
        int64_t length = table->offsets[term + 1] - table->offsets[term];
        while (length > 0 && string[length - 1] != separator) {
            length--;
        }
        if (length == 0) {
            return -1;
        }
        if (length != before_length || memcmp(string, before, (size_t)length) != 0) {
            firsts[count++] = term;
        }
        before = string;
        before_length = length;
    }
    return count;
}

static inline uint8_t between(uint8_t byte, uint8_t first, uint8_t last) {
    return (uint8_t)(byte - first) <= (uint8_t)(last - first);
}

/* One bit for each byte of a group: whether it is inside a word. */
static uint64_t word_bits(const uint8_t *text, int32_t whitespace) {
    uint8_t inside[GROUP];
    if (whitespace) {
        for (int at = 0; at < GROUP; at++) {
            uint8_t byte = text[at];
            inside[at] = (uint8_t)((byte != ' ') & !between(byte, '\t', '\r') &
                                   !between(byte, 28, 31) & (byte != QIDF_ATOM));
        }
    } else {
        for (int at = 0; at < GROUP; at++) {
            uint8_t byte = text[at];
            inside[at] = (uint8_t)(between(byte | 32, 'a', 'z') | between(byte, '0', '9') |
                                   (byte == '_') | between(byte, 128, QIDF_ATOM - 1));
        }
    }
    uint64_t bits = 0;
    for (int at = 0; at < GROUP; at += 8) {
        /* The product's top byte collects the lowest bits of eight bytes. */
        bits |= ((load(inside + at) * UINT64_C(0x0102040810204080)) >> 56) << at;
    }
    return bits;
}

/* What is carried from word to word. */
typedef struct {
    const uint8_t *text;
    const qidf_rules *rules;
    const qidf_strings *tokens;
    int64_t num_tokens;
    /* Where the next token goes that is spelled anew. */
    int64_t spelled;
} progress;

/* Write a piece of a word as the next token; it counts as one unless it is a stop word. Most words
 * are settled by one comparison and no branch, which a processor would guess wrong too often. */
static inline void add_piece(progress *now, int64_t start, int64_t end) {
    const qidf_rules *rules = now->rules;
    const uint8_t *piece = now->tokens->text + start;
    uint32_t length = (uint32_t)(end - start);
    uint32_t value = hash(piece, length);
    now->tokens->starts[now->num_tokens] = start;
    now->tokens->lengths[now->num_tokens] = length;
    now->tokens->hashes[now->num_tokens] = value;
    uint64_t known = rules->stop_keys[(value >> rules->stop_shift) % QIDF_STOP_KEYS];
    uint64_t key = length < 8 ? (load(piece) & LOW[length]) | (uint64_t)length << 56 : NO_KEY;
    int64_t keep = known != key;
    if (known == UINT64_MAX) {
        keep = find(&rules->stopwords, piece, length, value) < 0;
    }
    now->num_tokens += keep;
}

static void add_as_it_is(progress *now, int64_t start, int64_t end) {
    uint32_t length = (uint32_t)(end - start);
    now->tokens->starts[now->num_tokens] = start;
    now->tokens->lengths[now->num_tokens] = length;
    now->tokens->hashes[now->num_tokens++] = hash(now->tokens->text + start, length);
}

/* Add the parts of a word, as `qidf.analysis.identifiers` defines them, other than the word itself;
 * returns how many there are, stop words included. */
static int64_t add_parts(progress *now, int64_t start, int64_t end) {
    const uint8_t *text = now->text, *kinds = now->rules->kinds;
    int64_t count = 0, cursor = start;
    while (cursor < end) {
        uint8_t kind = kinds[text[cursor]];
        int64_t first = cursor++;
        if (kind == 0) {
            continue;
        }
        while (cursor < end && kinds[text[cursor]] == kind) {
            cursor++;
        }
        if (kind == QIDF_UPPER && cursor < end && kinds[text[cursor]] == QIDF_LOWER) {
            int64_t after = cursor + 1;
            if (cursor - first == 1) {
                /* One capital belongs to the small letters that follow. */
                while (after < end && kinds[text[after]] == QIDF_LOWER) {
                    after++;
                }
                cursor = after;
            } else if (text[cursor] == 's' && (after == end || kinds[text[after]] != QIDF_LOWER)) {
                /* A plural s belongs to its acronym. */
                cursor = after;
            } else {
                /* The last capital belongs to the next part. */
                cursor--;
            }
        }
        if (cursor - first >= 2 && cursor - first < end - start) {
            add_piece(now, first, cursor);
            count++;
        }
    }
    return count;
}

/* Fold a plural as `qidf.analysis.plurals` defines it. All rules but one only shorten a token. What
 * becomes y is spelled anew behind the text, since a word and its parts share their bytes. */
static void fold_plural(progress *now, int64_t token) {
    uint8_t *text = now->tokens->text;
    int64_t start = now->tokens->starts[token];
    uint32_t length = now->tokens->lengths[token];
    const uint8_t *end = text + start + length;
    if (length < 4 || end[-1] != 's') {
        return;
    }
    uint32_t shorter = 0;
    if (end[-2] != 'e') {
        shorter = end[-2] != 'u' && end[-2] != 's';
    } else if (end[-3] == 'i' && length > 4 && end[-4] != 'a' && end[-4] != 'e') {
        shorter = 2;
        memcpy(text + now->spelled, text + start, length - 3);
        text[now->spelled + length - 3] = 'y';
        start = now->spelled;
        now->spelled += length - 2;
    } else if (end[-3] == 'x' || (end[-3] == 's' && end[-4] == 's')) {
        shorter = 2;
    } else {
        shorter = end[-3] != 'a' && end[-3] != 'e' && end[-3] != 'o';
    }
    if (shorter) {
        now->tokens->starts[token] = start;
        now->tokens->lengths[token] = length - shorter;
        now->tokens->hashes[token] = hash(text + start, length - shorter);
    }
}

static inline void add_word(progress *now, int64_t start, int64_t end) {
    const qidf_rules *rules = now->rules;
    if (start > 0 && now->text[start - 1] == QIDF_ATOM) {
        add_as_it_is(now, start, end);
        return;
    }
    if (end - start < rules->min_length) {
        return;
    }
    int64_t first = now->num_tokens, whole = 0;
    if (rules->parts != QIDF_PARTS_ONLY) {
        add_piece(now, start, end);
        whole = now->num_tokens - first;
    }
    if (rules->parts != QIDF_PARTS_NONE) {
        int64_t num_parts = add_parts(now, start, end);
        if (num_parts == 0 && rules->parts == QIDF_PARTS_ONLY) {
            /* A word without parts stands for itself. */
            add_piece(now, start, end);
        }
    }
    if (rules->plurals) {
        /* A word that comes with parts of its own stays as it is. */
        first += whole && now->num_tokens - first > 1;
        for (int64_t token = first; token < now->num_tokens; token++) {
            fold_plural(now, token);
        }
    }
}

int64_t qidf_find_tokens(const uint8_t *text, int64_t size, const qidf_rules *rules,
                         const int64_t *doc_ends, int64_t num_docs, const qidf_strings *tokens,
                         int64_t *token_ends) {
    progress now = {text, rules, tokens, 0, size};
    int64_t bounds[BLOCK + 2];
    int64_t num_bounds = 0, doc = 0;
    uint64_t before = 0;
    if (rules->lowercase) {
        for (int64_t at = 0; at < size; at++) {
            tokens->text[at] = (uint8_t)(text[at] | between(text[at], 'A', 'Z') << 5);
        }
    } else {
        memcpy(tokens->text, text, (size_t)size);
    }
    for (int64_t block = 0; block < size; block += BLOCK) {
        int64_t block_end = size - block < BLOCK ? size : block + BLOCK;
        for (int64_t group = block; group < block_end; group += GROUP) {
            uint64_t bits;
            if (size - group >= GROUP) {
                bits = word_bits(text + group, rules->whitespace);
            } else {
                /* Blanks are outside words for every analyzer. */
                uint8_t last[GROUP];
                memset(last, ' ', GROUP);
                memcpy(last, text + group, (size_t)(size - group));
                bits = word_bits(last, rules->whitespace);
            }
            uint64_t changes = bits ^ (bits << 1 | before);
            before = bits >> (GROUP - 1);
            while (changes) {
                bounds[num_bounds++] = group + __builtin_ctzll(changes);
                changes &= changes - 1;
            }
        }
        if (block_end == size && before) {
            bounds[num_bounds++] = size;
        }
        int64_t at = 0;
        for (; at + 1 < num_bounds; at += 2) {
            /* One document ends before most words that any end before: no branch for that. */
            token_ends[doc] = now.num_tokens;
            doc += bounds[at] >= doc_ends[doc];
            while (bounds[at] >= doc_ends[doc]) {
                token_ends[doc++] = now.num_tokens;
            }
            add_word(&now, bounds[at], bounds[at + 1]);
        }
        /* A word that goes on is looked at with the next block. */
        num_bounds -= at;
        if (num_bounds) {
            bounds[0] = bounds[at];
        }
    }
    while (doc < num_docs) {
        token_ends[doc++] = now.num_tokens;
    }
    return now.num_tokens;
}
