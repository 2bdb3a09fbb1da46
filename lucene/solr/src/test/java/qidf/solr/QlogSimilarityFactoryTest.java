package qidf.solr;

import static org.junit.Assert.assertEquals;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.embedded.EmbeddedSolrServer;
import org.apache.solr.common.SolrDocument;
import org.apache.solr.common.SolrInputDocument;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/** A real Solr in this process, with a schema that names the factory. */
public class QlogSimilarityFactoryTest {

  private static final int DOCS = 40;
  private static EmbeddedSolrServer solr;

  @BeforeClass
  public static void fill() throws Exception {
    solr = new EmbeddedSolrServer(home(), "code");
    for (int doc = 0; doc < DOCS; doc++) {
      // "word" is everywhere, "half" in half of them, "rare" in one.
      String text = "word" + (doc % 2 == 0 ? " half" : "") + (doc == 6 ? " rare" : "");
      SolrInputDocument document = new SolrInputDocument();
      document.addField("id", Integer.toString(doc));
      for (String field : new String[] {"plain", "qlog", "one"}) {
        document.addField(field, text);
      }
      solr.add(document);
    }
    solr.commit();
  }

  @AfterClass
  public static void close() throws Exception {
    solr.close();
  }

  @Test
  public void everyTermsScoreIsMultipliedByTheRatioOfTheIdfs() throws Exception {
    Map<String, Integer> docFreqs = Map.of("word", DOCS, "half", DOCS / 2, "rare", 1);
    for (Map.Entry<String, Integer> term : docFreqs.entrySet()) {
      double x = 1 + (DOCS - term.getValue() + 0.5) / (term.getValue() + 0.5);
      double ratio = (Math.pow(x, 0.5) - 1) / 0.5 / Math.log(x);
      Map<String, Float> plain = scores("plain", term.getKey());
      Map<String, Float> qlog = scores("qlog", term.getKey());
      assertEquals(term.getValue().intValue(), plain.size());
      assertEquals(plain.keySet(), qlog.keySet());
      for (String id : plain.keySet()) {
        assertEquals(plain.get(id) * ratio, qlog.get(id), 1e-6);
      }
    }
  }

  @Test
  public void atQOneScoresAreSolrsOwn() throws Exception {
    assertEquals(scores("plain", "word half rare"), scores("one", "word half rare"));
  }

  private static Map<String, Float> scores(String field, String words) throws Exception {
    SolrQuery query = new SolrQuery("{!lucene df=" + field + "}" + words);
    query.setFields("id", "score").setRows(DOCS);
    Map<String, Float> found = new HashMap<>();
    for (SolrDocument hit : solr.query(query).getResults()) {
      found.put((String) hit.getFieldValue("id"), (Float) hit.getFieldValue("score"));
    }
    return found;
  }

  private static Path home() throws URISyntaxException {
    return Path.of(QlogSimilarityFactoryTest.class.getResource("/solr").toURI());
  }
}
