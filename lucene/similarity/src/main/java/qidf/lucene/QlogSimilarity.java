package qidf.lucene;

import java.util.Locale;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.Explanation;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.similarities.BM25Similarity;

/**
 * BM25 whose idf is a q-logarithm, ln_q(x) = (x^(1-q) - 1) / (1-q), in place of the logarithm.
 *
 * <p>Only the idf differs from {@link BM25Similarity}: norms are the same, so an index that exists
 * needs no rebuild, and at q = 1 scores are BM25's bit for bit. A query that says a term twice
 * counts it twice, as ever; damping repeats is the query's side.
 */
public final class QlogSimilarity extends BM25Similarity {

  /** What the q-logarithm is taken of; x = (N - n + 0.5) / (n + 0.5) for n of N documents. */
  public enum Form {
    /** ln_q(1 + x): positive for every term, Lucene's own idf at q = 1. The default. */
    ONE_PLUS_ODDS,
    /** ln_q(x), the paper's; where that is negative a term counts for nothing. Lucene's at q = 1. */
    ODDS;

    /** The form that a setting names: {@code qlog1p} or {@code qlog}, as qidf calls them. */
    public static Form named(String name) {
      switch (name) {
        case "qlog1p":
          return ONE_PLUS_ODDS;
        case "qlog":
          return ODDS;
        default:
          throw new IllegalArgumentException(
              "formula [" + name + "] is unknown; write qlog1p, or qlog for the paper's");
      }
    }
  }

  /** Closer to 1 than this, q counts as 1 (the paper's own switch). */
  private static final double ONE_TOLERANCE = 1e-9;

  private final double q;
  private final Form form;

  /** ln_q(1 + odds) with Lucene's k1 and b. */
  public QlogSimilarity(double q) {
    this(q, Form.ONE_PLUS_ODDS, 1.2f, 0.75f, true);
  }

  /** All of it; k1, b and overlaps mean what they mean in {@link BM25Similarity}. */
  public QlogSimilarity(double q, Form form, float k1, float b, boolean discountOverlaps) {
    super(k1, b, discountOverlaps);
    if (!Double.isFinite(q)) {
      throw new IllegalArgumentException("q [" + q + "] must be a finite number");
    }
    this.q = q;
    this.form = form;
  }

  @Override
  protected float idf(long docFreq, long docCount) {
    if (Math.abs(q - 1.0) < ONE_TOLERANCE) {
      return super.idf(docFreq, docCount);
    }
    double odds = (docCount - docFreq + 0.5) / (docFreq + 0.5);
    double x = form == Form.ODDS ? odds : 1.0 + odds;
    // expm1 rather than pow(...) - 1: no digits are lost where q is near 1.
    double value = Math.expm1((1.0 - q) * Math.log(x)) / (1.0 - q);
    // Lucene demands that no score is negative, and an infinite one would rank nothing.
    return (float) Math.min(Math.max(value, 0.0), Float.MAX_VALUE / 1024);
  }

  @Override
  public Explanation idfExplain(CollectionStatistics collection, TermStatistics term) {
    String x = "(N - n + 0.5) / (n + 0.5)";
    return Explanation.match(
        idf(term.docFreq(), collection.docCount()),
        String.format(
            Locale.ROOT,
            "idf, computed as ln_q(%s) with q = %s from:",
            form == Form.ODDS ? x : "1 + " + x,
            q),
        Explanation.match(term.docFreq(), "n, number of documents containing term"),
        Explanation.match(collection.docCount(), "N, total number of documents with field"));
  }

  /** The q in use. */
  public double getQ() {
    return q;
  }

  /** What the q-logarithm is taken of. */
  public Form getForm() {
    return form;
  }

  @Override
  public String toString() {
    return "qlog(q=" + q + ",form=" + form + ",k1=" + getK1() + ",b=" + getB() + ")";
  }
}
