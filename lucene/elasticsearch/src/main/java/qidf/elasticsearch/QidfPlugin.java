package qidf.elasticsearch;

import org.apache.lucene.search.similarities.Similarity;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.index.IndexModule;
import org.elasticsearch.plugins.Plugin;
import qidf.lucene.QlogSimilarity;
import qidf.lucene.TimesK1PlusOne;

/** Registers the similarity type {@code qidf} with the settings q, formula, k1, b, discount_overlaps. */
public final class QidfPlugin extends Plugin {

  @Override
  public void onIndexModule(IndexModule module) {
    module.addSimilarity("qidf", (settings, created, scripts) -> similarity(settings));
  }

  private static Similarity similarity(Settings settings) {
    if (settings.get("q") == null) {
      throw new IllegalArgumentException("the similarity type [qidf] needs a setting [q]");
    }
    return new TimesK1PlusOne(
        new QlogSimilarity(
            settings.getAsDouble("q", 1.0),
            QlogSimilarity.Form.named(settings.get("formula", "qlog1p")),
            settings.getAsFloat("k1", 1.2f),
            settings.getAsFloat("b", 0.75f),
            settings.getAsBoolean("discount_overlaps", true)));
  }
}
