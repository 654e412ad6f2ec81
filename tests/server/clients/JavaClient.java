// Java's HttpClient against the server: java JavaClient.java PORT CA FILE
//
// Sends each review of FILE, one a line, in each way that the client has: it prefers HTTP/2, asks with
// "Expect: 100-continue", sends its body in chunks, several at a time. Each answer must be that to the plain request.
// Prints {"requests": …, "wrong": […]}.

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class JavaClient {
  record Way(HttpClient.Version version, boolean expects, boolean chunked) {}

  static SSLContext trusting(String file) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (var in = Files.newInputStream(Path.of(file))) {
      int number = 0;
      for (var each : CertificateFactory.getInstance("X.509").generateCertificates(in))
        store.setCertificateEntry("ca" + number++, each);
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  static BodyPublisher body(String review, boolean chunked) {
    byte[] bytes = review.getBytes(StandardCharsets.UTF_8);
    return chunked ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes)) : BodyPublishers.ofByteArray(bytes);
  }

  static HttpRequest request(String port, String review, Way way) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/mutate?timeout=10s"))
        .header("Content-Type", "application/json").version(way.version).expectContinue(way.expects)
        .timeout(Duration.ofSeconds(20)).POST(body(review, way.chunked)).build();
  }

  static String told(HttpResponse<String> answer) {
    return answer.statusCode() + " " + answer.version() + " " + answer.body();
  }

  public static void main(String[] words) throws Exception {
    String port = words[0];
    List<String> reviews = Files.readAllLines(Path.of(words[2]));
    HttpClient client = HttpClient.newBuilder().sslContext(trusting(words[1])).build();
    List<Way> ways = new ArrayList<>();
    for (var version : HttpClient.Version.values())
      for (boolean expects : new boolean[] {false, true})
        for (boolean chunked : new boolean[] {false, true}) ways.add(new Way(version, expects, chunked));
    Map<String, Integer> wrong = new LinkedHashMap<>();
    int requests = 0;
    for (String review : reviews) {
      String plain = told(client.send(request(port, review, new Way(HttpClient.Version.HTTP_1_1, false, false)),
          BodyHandlers.ofString()));
      if (!plain.startsWith("200 ")) wrong.merge("plain: " + plain.substring(0, 20), 1, Integer::sum);
      List<CompletableFuture<HttpResponse<String>>> coming = new ArrayList<>();
      for (Way way : ways) coming.add(client.sendAsync(request(port, review, way), BodyHandlers.ofString()));
      for (int i = 0; i < ways.size(); ++i) {
        ++requests;
        String why = "";
        try {
          if (!told(coming.get(i).get()).equals(plain)) why = "another answer";
        } catch (Exception error) {
          why = error.toString();
        }
        if (!why.isEmpty()) wrong.merge(ways.get(i) + ": " + why, 1, Integer::sum);
      }
    }
    List<String> lines = new ArrayList<>();
    wrong.forEach((what, times) -> lines.add('"' + (times + " x " + what).replace("\\", "\\\\").replace("\"", "\\\"") + '"'));
    System.out.println("{\"requests\": " + (requests + reviews.size()) + ", \"wrong\": [" + String.join(", ", lines) + "]}");
  }
}
