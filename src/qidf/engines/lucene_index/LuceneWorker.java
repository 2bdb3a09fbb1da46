// Answers questions about one Lucene index on standard input, a line each, with a line each.
//
// Words of a line are separated by tabs and percent-encoded. An answer begins with OK or ERROR. The
// index is opened for reading only. Run as a source file, so that nothing has to be compiled:
//   java -cp 'jars/*' LuceneWorker.java INDEX [ANALYZER]

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.FieldInfo;
import org.apache.lucene.index.FieldInfos;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermInSetQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.Version;

public class LuceneWorker {
  private static final Map<String, String> ANALYZERS =
      Map.of(
          "standard", "org.apache.lucene.analysis.standard.StandardAnalyzer",
          "whitespace", "org.apache.lucene.analysis.core.WhitespaceAnalyzer",
          "simple", "org.apache.lucene.analysis.core.SimpleAnalyzer",
          "keyword", "org.apache.lucene.analysis.core.KeywordAnalyzer",
          "english", "org.apache.lucene.analysis.en.EnglishAnalyzer");

  private final Analyzer analyzer;
  private DirectoryReader reader;
  private IndexSearcher searcher;

  LuceneWorker(String path, String analyzer) throws Exception {
    this.analyzer =
        (Analyzer)
            Class.forName(ANALYZERS.getOrDefault(analyzer, analyzer))
                .getDeclaredConstructor()
                .newInstance();
    reader = DirectoryReader.open(FSDirectory.open(Path.of(path)));
    searcher = new IndexSearcher(reader);
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    LuceneWorker worker;
    try {
      worker = new LuceneWorker(arguments[0], arguments.length > 1 ? arguments[1] : "standard");
    } catch (Throwable error) {
      say(out, failure(error));
      return;
    }
    say(out, "OK\t" + encoded(Version.LATEST.toString()));
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String answer;
      try {
        answer = "OK\t" + worker.answer(words(line));
      } catch (Throwable error) {
        answer = failure(error);
      }
      say(out, answer);
    }
  }

  private static void say(PrintStream out, String line) {
    out.print(line);
    out.print('\n');
    out.flush();
  }

  private String answer(String[] words) throws Exception {
    refresh();
    switch (words[0]) {
      case "fields":
        return fields();
      case "analyze":
        return analyze(words[1], words[2]);
      case "count":
        return count(words[1], Arrays.asList(words).subList(2, words.length));
      case "vocabulary":
        return vocabulary(words[1]);
      case "search":
        return search(words);
      case "find":
        return find(words[1], words[2]);
      case "scores":
        return scores(words[1], Integer.parseInt(words[2]), words);
      default:
        throw new IllegalArgumentException("unknown request " + words[0]);
    }
  }

  /** Takes up the last commit. */
  private void refresh() throws IOException {
    DirectoryReader newer = DirectoryReader.openIfChanged(reader);
    if (newer != null) {
      reader.close();
      reader = newer;
      searcher = new IndexSearcher(reader);
    }
  }

  /** Each field with whether BM25 can score it. */
  private String fields() {
    List<String> found = new ArrayList<>();
    for (FieldInfo field : FieldInfos.getMergedFieldInfos(reader)) {
      String options = field.getIndexOptions().name();
      found.add(encoded(field.name));
      found.add(options.contains("FREQS") && field.hasNorms() ? "scored" : "other");
    }
    return String.join("\t", found);
  }

  private String analyze(String field, String text) throws IOException {
    List<String> tokens = new ArrayList<>();
    try (TokenStream stream = analyzer.tokenStream(field, text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        tokens.add(encoded(term.toString()));
      }
      stream.end();
    }
    return String.join("\t", tokens);
  }

  /** Documents with the field, as BM25Similarity counts them, and those with each term. */
  private String count(String field, List<String> terms) throws IOException {
    CollectionStatistics statistics = searcher.collectionStatistics(field);
    List<String> counts = new ArrayList<>();
    counts.add(Long.toString(statistics == null ? 0 : statistics.docCount()));
    for (String term : terms) {
      counts.add(Integer.toString(reader.docFreq(new Term(field, term))));
    }
    return String.join("\t", counts);
  }

  /** Each term's document and collection frequency. */
  private String vocabulary(String field) throws IOException {
    Terms terms = MultiTerms.getTerms(reader, field);
    StringBuilder counts = new StringBuilder(count(field, List.of()));
    if (terms != null) {
      TermsEnum each = terms.iterator();
      while (each.next() != null) {
        counts.append('\t').append(each.docFreq()).append(' ').append(each.totalTermFreq());
      }
    }
    return counts.toString();
  }

  /** search FIELD K FILTERS (FILTER-FIELD N VALUE...)... (TERM BOOST)...; a boost of - is none. */
  private String search(String[] words) throws IOException {
    String field = words[1];
    int k = Integer.parseInt(words[2]);
    int filters = Integer.parseInt(words[3]);
    int at = 4;
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    BooleanQuery.Builder should = new BooleanQuery.Builder();
    for (int filter = 0; filter < filters; filter++) {
      String name = words[at++];
      List<BytesRef> values = new ArrayList<>();
      int size = Integer.parseInt(words[at++]);
      for (int value = 0; value < size; value++) {
        values.add(new BytesRef(words[at++]));
      }
      query.add(new TermInSetQuery(name, values), Occur.FILTER);
    }
    for (; at + 1 < words.length; at += 2) {
      TermQuery term = new TermQuery(new Term(field, words[at]));
      String boost = words[at + 1];
      should.add(
          boost.equals("-") ? term : new BoostQuery(term, Float.parseFloat(boost)), Occur.SHOULD);
    }
    query.add(should.build(), Occur.MUST);
    TopDocs found = searcher.search(filters == 0 ? should.build() : query.build(), k);
    List<String> hits = new ArrayList<>();
    for (ScoreDoc hit : found.scoreDocs) {
      Document document = searcher.storedFields().document(hit.doc);
      List<String> stored = new ArrayList<>();
      for (IndexableField each : document.getFields()) {
        if (each.stringValue() != null) {
          stored.add(encoded(each.name()) + "=" + encoded(each.stringValue()));
        }
      }
      hits.add(encoded(hit.doc + " " + hit.score + " " + String.join("&", stored)));
    }
    return String.join("\t", hits);
  }

  /** The number of the document whose id field holds an id, or -1. */
  private String find(String field, String id) throws IOException {
    TopDocs found = searcher.search(new TermQuery(new Term(field, id)), 1);
    return Integer.toString(found.scoreDocs.length == 0 ? -1 : found.scoreDocs[0].doc);
  }

  private String scores(String field, int doc, String[] words) throws IOException {
    List<String> scores = new ArrayList<>();
    scores.add(Boolean.toString(doc >= 0 && doc < reader.maxDoc()));
    for (int at = 3; at < words.length && doc >= 0 && doc < reader.maxDoc(); at++) {
      TermQuery term = new TermQuery(new Term(field, words[at]));
      Number value = searcher.explain(term, doc).getValue();
      scores.add(value.toString());
    }
    return String.join("\t", scores);
  }

  private static String[] words(String line) {
    String[] words = line.split("\t", -1);
    for (int at = 0; at < words.length; at++) {
      words[at] = URLDecoder.decode(words[at], StandardCharsets.UTF_8);
    }
    return words;
  }

  private static String encoded(String word) {
    return URLEncoder.encode(word, StandardCharsets.UTF_8);
  }

  private static String failure(Throwable error) {
    return "ERROR\t" + encoded(error.getClass().getSimpleName()) + "\t"
        + encoded(String.valueOf(error.getMessage()));
  }
}
