package qidf.lucene;

import org.apache.lucene.index.FieldInvertState;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.Similarity;

/**
 * Scores times (k1 + 1), for servers whose own BM25 still has that factor: Elasticsearch and
 * OpenSearch 2. Ranks don't need it; sums with the scores of other queries do.
 */
public final class TimesK1PlusOne extends Similarity {

  private final BM25Similarity scored;

  /** Multiply the scores of this similarity. */
  public TimesK1PlusOne(BM25Similarity scored) {
    super(scored.getDiscountOverlaps());
    this.scored = scored;
  }

  @Override
  public long computeNorm(FieldInvertState state) {
    return scored.computeNorm(state);
  }

  @Override
  public SimScorer scorer(float boost, CollectionStatistics collection, TermStatistics... terms) {
    return scored.scorer(boost * (1 + scored.getK1()), collection, terms);
  }

  @Override
  public String toString() {
    return scored + " * (k1 + 1)";
  }
}
