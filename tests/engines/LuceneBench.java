// Builds and asks Lucene indexes for the contract suite, without any of qidf's code.
//
// Requests are lines of percent-encoded words separated by tabs, as are answers:
//   build DIR (ID TEXT)...   delete DIR ID...   search DIR K (TERM BOOST)...

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;

public class LuceneBench {
  public static void main(String[] arguments) throws Exception {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split("\t", -1);
      for (int at = 0; at < words.length; at++) {
        words[at] = URLDecoder.decode(words[at], StandardCharsets.UTF_8);
      }
      System.out.println(answer(words));
      System.out.flush();
    }
  }

  private static String answer(String[] words) throws Exception {
    Directory directory = FSDirectory.open(Path.of(words[1]));
    if (words[0].equals("search")) {
      return search(directory, words);
    }
    IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
    // Deleted documents stay as long as nothing is merged.
    config.setMergePolicy(NoMergePolicy.INSTANCE);
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      if (words[0].equals("delete")) {
        for (int at = 2; at < words.length; at++) {
          writer.deleteDocuments(new Term("id", words[at]));
        }
        return "done";
      }
      for (int at = 2; at + 1 < words.length; at += 2) {
        Document document = new Document();
        document.add(new StringField("id", words[at], Field.Store.YES));
        document.add(new TextField("body", words[at + 1], Field.Store.NO));
        writer.addDocument(document);
      }
      return "done";
    }
  }

  private static String search(Directory directory, String[] words) throws Exception {
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      BooleanQuery.Builder query = new BooleanQuery.Builder();
      for (int at = 3; at + 1 < words.length; at += 2) {
        TermQuery term = new TermQuery(new Term("body", words[at]));
        query.add(
            words[at + 1].isEmpty() ? term : new BoostQuery(term, Float.parseFloat(words[at + 1])),
            BooleanClause.Occur.SHOULD);
      }
      StringBuilder found = new StringBuilder();
      for (ScoreDoc hit : searcher.search(query.build(), Integer.parseInt(words[2])).scoreDocs) {
        String id = searcher.storedFields().document(hit.doc).get("id");
        found.append(found.length() == 0 ? "" : "\t");
        found.append(URLEncoder.encode(id, StandardCharsets.UTF_8)).append(' ').append(hit.score);
      }
      return found.toString();
    }
  }
}
