import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.TimeZone;
import org.quartz.CronExpression;

/**
 * Usage: TimeQuartz QUESTIONS INSTANTS, the questions in Quartz's dialect. Times the next start; see
 * bench/schedule/run.
 */
public class TimeQuartz {
  static final double WARM_UP = 1.0, MEASURED = 1.0; // seconds; the compiler needs the first
  static final int LEAST = 3; // repetitions

  static double secondsSince(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  static List<Double> repeat(int calls, Runnable work) {
    long start = System.nanoTime();
    do work.run(); while (secondsSince(start) < WARM_UP);
    List<Double> ns = new ArrayList<>();
    start = System.nanoTime();
    while (ns.size() < LEAST || secondsSince(start) < MEASURED) {
      long begin = System.nanoTime();
      work.run();
      ns.add((System.nanoTime() - begin) / (double) calls);
    }
    return ns;
  }

  static String measure(int row, String question, Date[] dates) throws Exception {
    String[] parts = question.split("\t");
    CronExpression expression = new CronExpression(parts[0]);
    expression.setTimeZone(TimeZone.getTimeZone(parts[1]));
    Date[] answers = new Date[dates.length];
    List<Double> ns = repeat(dates.length, () -> {
      for (int i = 0; i < dates.length; ++i) answers[i] = expression.getNextValidTimeAfter(dates[i]);
    });
    List<Long> seconds = new ArrayList<>();
    for (Date answer : answers) seconds.add(answer.getTime() / 1000);
    return "{\"row\": " + row + ", \"ns\": " + ns + ", \"answers\": " + seconds + "}";
  }

  public static void main(String[] arguments) throws Exception {
    List<String> instants = Files.readAllLines(Path.of(arguments[1]));
    Date[] dates = new Date[instants.size()];
    for (int i = 0; i < dates.length; ++i) dates[i] = new Date(Long.parseLong(instants.get(i)) * 1000);
    String version = CronExpression.class.getPackage().getImplementationVersion();
    System.out.println("{\"peer\": \"quartz\", \"version\": \"" + version + "\"}");
    int row = 0;
    for (String question : Files.readAllLines(Path.of(arguments[0]))) {
      System.out.println(measure(row++, question, dates));
    }
  }
}
