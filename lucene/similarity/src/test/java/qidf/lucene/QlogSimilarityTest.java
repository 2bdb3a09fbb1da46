package qidf.lucene;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.SmallFloat;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** One index, written with BM25 and never again, asked with the similarity at many q. */
public class QlogSimilarityTest {

  private static final int DOCS = 400;
  private static final double[] QS = {-1, 0.1, 0.5, 0.63, 0.999999, 1.0, 1.5};

  private final List<List<String>> texts = new ArrayList<>();
  private Directory directory;
  private DirectoryReader reader;

  @Before
  public void writeAnIndexWithPlainBm25() throws Exception {
    Random random = new Random(7);
    directory = new ByteBuffersDirectory();
    Analyzer analyzer = new StandardAnalyzer();
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
      for (int doc = 0; doc < DOCS; doc++) {
        List<String> tokens = new ArrayList<>();
        int length = 1 + random.nextInt(90);
        for (int at = 0; at < length; at++) {
          // Squares make some words common and some unique.
          double rare = random.nextDouble();
          tokens.add("w" + (int) (rare * rare * rare * 600));
        }
        tokens.add("everywhere");
        texts.add(tokens);
        Document document = new Document();
        document.add(new TextField("body", String.join(" ", tokens), Field.Store.NO));
        writer.addDocument(document);
      }
    }
    reader = DirectoryReader.open(directory);
  }

  @After
  public void close() throws Exception {
    reader.close();
    directory.close();
  }

  @Test
  public void scoresAreThoseOfTheFormulaAtEveryQAndForm() throws Exception {
    List<String> query = List.of("w0", "w3", "w77", "w401", "everywhere");
    for (double q : QS) {
      for (QlogSimilarity.Form form : QlogSimilarity.Form.values()) {
        Similarity similarity = new QlogSimilarity(q, form, 1.2f, 0.75f, true);
        double[] expected = new double[DOCS];
        for (String term : query) {
          add(expected, term, idf(docFreq(term), q, form));
        }
        TopDocs found = search(similarity, anyOf(query));
        assertTrue(found.scoreDocs.length > 0);
        for (ScoreDoc hit : found.scoreDocs) {
          assertEquals(expected[hit.doc], hit.score, 2e-6 * (1 + expected[hit.doc]));
        }
      }
    }
  }

  @Test
  public void atQOneScoresAreBm25sToTheBit() throws Exception {
    Query query = anyOf(List.of("w1", "w5", "w90", "everywhere"));
    TopDocs own = search(new BM25Similarity(), query);
    for (QlogSimilarity.Form form : QlogSimilarity.Form.values()) {
      TopDocs ours = search(new QlogSimilarity(1.0, form, 1.2f, 0.75f, true), query);
      assertEquals(own.scoreDocs.length, ours.scoreDocs.length);
      for (int at = 0; at < own.scoreDocs.length; at++) {
        assertEquals(own.scoreDocs[at].doc, ours.scoreDocs[at].doc);
        assertEquals(own.scoreDocs[at].score, ours.scoreDocs[at].score, 0.0);
      }
    }
  }

  @Test
  public void theDocumentsFoundAreBm25sAtEveryQ() throws Exception {
    Query query = anyOf(List.of("w2", "w9", "everywhere"));
    int own = search(new BM25Similarity(), query).scoreDocs.length;
    for (double q : QS) {
      TopDocs found = search(new QlogSimilarity(q), query);
      assertEquals(own, found.scoreDocs.length);
      for (ScoreDoc hit : found.scoreDocs) {
        assertTrue(hit.score > 0);
      }
    }
  }

  @Test
  public void theFirstTenOfAPrunedSearchAreTheFirstTenOfAll() throws Exception {
    Query query = anyOf(List.of("w0", "w1", "w2", "w30", "w200", "everywhere"));
    for (double q : QS) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setSimilarity(new QlogSimilarity(q));
      ScoreDoc[] all = searcher.search(query, DOCS).scoreDocs;
      ScoreDoc[] ten = searcher.search(query, 10).scoreDocs;
      for (int at = 0; at < ten.length; at++) {
        assertEquals(all[at].doc, ten[at].doc);
        assertEquals(all[at].score, ten[at].score, 0.0);
      }
    }
  }

  @Test
  public void anExplanationAddsUpToTheScoreAndNamesQ() throws Exception {
    IndexSearcher searcher = new IndexSearcher(reader);
    searcher.setSimilarity(new QlogSimilarity(0.5));
    Query query = anyOf(List.of("w0", "w12"));
    ScoreDoc hit = searcher.search(query, 1).scoreDocs[0];
    assertEquals(hit.score, searcher.explain(query, hit.doc).getValue().floatValue(), 1e-5);
    assertTrue(searcher.explain(query, hit.doc).toString().contains("with q = 0.5"));
  }

  @Test
  public void phrasesAreScoredWithTheSumOfTheirIdfs() throws Exception {
    String first = texts.get(0).get(0);
    String second = texts.get(0).get(1);
    TopDocs found = search(new QlogSimilarity(0.5), new PhraseQuery("body", first, second));
    double idf =
        idf(docFreq(first), 0.5, QlogSimilarity.Form.ONE_PLUS_ODDS)
            + idf(docFreq(second), 0.5, QlogSimilarity.Form.ONE_PLUS_ODDS);
    assertTrue(found.scoreDocs.length > 0);
    for (ScoreDoc hit : found.scoreDocs) {
      assertTrue(hit.score > 0 && hit.score < idf);
    }
  }

  @Test
  public void theServersFactorIsKeptWhereTheyKeepIt() throws Exception {
    Query query = anyOf(List.of("w1", "w44"));
    TopDocs plain = search(new QlogSimilarity(0.5), query);
    TopDocs times = search(new TimesK1PlusOne(new QlogSimilarity(0.5)), query);
    for (int at = 0; at < plain.scoreDocs.length; at++) {
      assertEquals(plain.scoreDocs[at].doc, times.scoreDocs[at].doc);
      assertEquals(plain.scoreDocs[at].score * 2.2, times.scoreDocs[at].score, 1e-4);
    }
  }

  @Test
  public void aSettingThatMeansNothingIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new QlogSimilarity(Double.NaN));
    assertThrows(IllegalArgumentException.class, () -> QlogSimilarity.Form.named("tsallis"));
  }

  private TopDocs search(Similarity similarity, Query query) throws Exception {
    IndexSearcher searcher = new IndexSearcher(reader);
    searcher.setSimilarity(similarity);
    return searcher.search(query, DOCS);
  }

  private static Query anyOf(List<String> terms) {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    for (String term : terms) {
      query.add(new TermQuery(new Term("body", term)), BooleanClause.Occur.SHOULD);
    }
    return query.build();
  }

  private long docFreq(String term) {
    return texts.stream().filter(text -> text.contains(term)).count();
  }

  /** The formula as the paper writes it, on its own. */
  private static double idf(long docFreq, double q, QlogSimilarity.Form form) {
    double odds = (DOCS - docFreq + 0.5) / (docFreq + 0.5);
    if (q == 1.0) {
      return Math.log(1 + odds);
    }
    double x = form == QlogSimilarity.Form.ODDS ? odds : 1 + odds;
    return Math.max(0.0, (Math.pow(x, 1 - q) - 1) / (1 - q));
  }

  /** BM25's saturation with the lengths that Lucene keeps in a byte. */
  private void add(double[] scores, String term, double idf) {
    long total = texts.stream().mapToLong(List::size).sum();
    double average = (float) (total / (double) DOCS);
    for (int doc = 0; doc < DOCS; doc++) {
      List<String> text = texts.get(doc);
      long tf = text.stream().filter(term::equals).count();
      int length = SmallFloat.byte4ToInt(SmallFloat.intToByte4(text.size()));
      scores[doc] += idf * tf / (tf + 1.2 * (0.25 + 0.75 * length / average));
    }
  }
}
