import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.TimeZone;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.quartz.CronExpression;

/**
 * Answers JSON lines {id, expr, tz, from, count} from standard input with the times of Quartz; the
 * expressions are in its own dialect already. A line {tz, offsets: [instants]} asks for the zone's
 * UTC offsets in seconds instead.
 *
 * <p>The questions are flat, and no string in them needs an escape: patterns read them.
 */
public class AskQuartz {
  static String text(String line, String key) {
    Matcher found = Pattern.compile("\"" + key + "\": *\"([^\"]*)\"").matcher(line);
    return found.find() ? found.group(1) : null;
  }

  static long number(String line, String key) {
    Matcher found = Pattern.compile("\"" + key + "\": *(-?\\d+)").matcher(line);
    if (!found.find()) throw new IllegalArgumentException(key + " is missing: " + line);
    return Long.parseLong(found.group(1));
  }

  static List<Long> offsets(String line) {
    TimeZone zone = TimeZone.getTimeZone(text(line, "tz"));
    List<Long> answer = new ArrayList<>();
    String list = line.substring(line.indexOf('[') + 1, line.indexOf(']'));
    for (String instant : list.split(",")) {
      answer.add(zone.getOffset(Long.parseLong(instant.trim()) * 1000) / 1000L);
    }
    return answer;
  }

  static List<Long> nextTimes(String line) throws java.text.ParseException {
    CronExpression expression = new CronExpression(text(line, "expr"));
    expression.setTimeZone(TimeZone.getTimeZone(text(line, "tz")));
    Date time = Date.from(Instant.ofEpochSecond(number(line, "from")));
    List<Long> answer = new ArrayList<>();
    for (long i = number(line, "count"); i > 0; --i) {
      time = expression.getNextValidTimeAfter(time);
      if (time == null) break;
      answer.add(time.getTime() / 1000);
    }
    return answer;
  }

  static String answer(String line) {
    if (line.contains("\"offsets\"")) {
      return "{\"tz\": \"" + text(line, "tz") + "\", \"offsets\": " + offsets(line) + "}";
    }
    try {
      return "{\"id\": " + number(line, "id") + ", \"next\": " + nextTimes(line) + "}";
    } catch (Exception error) {
      String message = String.valueOf(error.getMessage()).replaceAll("[\"\\\\\\p{Cntrl}]", "'");
      return "{\"id\": " + number(line, "id") + ", \"error\": \"" + message + "\"}";
    }
  }

  public static void main(String[] arguments) throws Exception {
    String version = CronExpression.class.getPackage().getImplementationVersion();
    System.out.println("{\"peer\": \"quartz\", \"version\": \"" + version + "\"}");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(answer(line));
    }
  }
}
