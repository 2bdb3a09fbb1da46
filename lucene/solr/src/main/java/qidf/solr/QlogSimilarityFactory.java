package qidf.solr;

import org.apache.lucene.search.similarities.Similarity;
import org.apache.solr.common.SolrException;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.schema.SimilarityFactory;
import qidf.lucene.QlogSimilarity;

/**
 * The similarity for a Solr schema, of all fields or of one field type:
 *
 * <pre>
 *   &lt;similarity class="qidf.solr.QlogSimilarityFactory"&gt;
 *     &lt;double name="q"&gt;0.63&lt;/double&gt;
 *   &lt;/similarity&gt;
 * </pre>
 *
 * It also takes formula (qlog1p or qlog), k1, b and discountOverlaps, with Solr's defaults.
 */
public class QlogSimilarityFactory extends SimilarityFactory {

  private QlogSimilarity similarity;

  @Override
  public void init(SolrParams params) {
    super.init(params);
    if (params.get("q") == null) {
      throw new SolrException(
          SolrException.ErrorCode.SERVER_ERROR, "QlogSimilarityFactory needs a <double name=\"q\">");
    }
    similarity =
        new QlogSimilarity(
            params.getDouble("q"),
            QlogSimilarity.Form.named(params.get("formula", "qlog1p")),
            params.getFloat("k1", 1.2f),
            params.getFloat("b", 0.75f),
            params.getBool("discountOverlaps", true));
  }

  @Override
  public Similarity getSimilarity() {
    return similarity;
  }
}
