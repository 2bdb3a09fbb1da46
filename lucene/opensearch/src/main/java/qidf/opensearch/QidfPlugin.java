package qidf.opensearch;

import org.apache.lucene.search.similarities.Similarity;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.index.IndexModule;
import org.opensearch.plugins.Plugin;
import qidf.lucene.QlogSimilarity;
import qidf.lucene.TimesK1PlusOne;

/** Registers the similarity type {@code qidf} with the settings q, formula, k1, b, discount_overlaps. */
public final class QidfPlugin extends Plugin {

  @Override
  public void onIndexModule(IndexModule module) {
    module.addSimilarity("qidf", (settings, created, scripts) -> similarity(settings, created));
  }

  private static Similarity similarity(Settings settings, Version created) {
    if (settings.get("q") == null) {
      throw new IllegalArgumentException("the similarity type [qidf] needs a setting [q]");
    }
    QlogSimilarity qlog =
        new QlogSimilarity(
            settings.getAsDouble("q", 1.0),
            QlogSimilarity.Form.named(settings.get("formula", "qlog1p")),
            settings.getAsFloat("k1", 1.2f),
            settings.getAsFloat("b", 0.75f),
            settings.getAsBoolean("discount_overlaps", true));
    // The server's own BM25 has the factor on every index made before version 3.
    return created.major < 3 ? new TimesK1PlusOne(qlog) : qlog;
  }
}
