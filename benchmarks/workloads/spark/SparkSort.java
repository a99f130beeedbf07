import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.crc32;
import static org.apache.spark.sql.functions.sum;

import java.util.TreeSet;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.TextInputFormat;
import org.apache.spark.Partition;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * A Spark program of lines of text, run from its source: {@code generate OUT ROWS FILES} makes them, {@code sort IN OUT} reads
 * them twice, to sum them up and to sort them, {@code read IN} reads them once and stays until it is killed. It tells what it
 * found, a line each as {@code key: value}.
 */
public final class SparkSort {
    private SparkSort() {}

    public static void main(String[] args) throws InterruptedException {
        SparkSession spark = SparkSession.builder().appName("terrace-sort").getOrCreate();
        try {
            switch (args[0]) {
                case "generate" -> generate(spark, args[1], Long.parseLong(args[2]), Integer.parseInt(args[3]));
                case "sort" -> sort(spark, args[1], args[2]);
                case "read" -> {
                    tell("read.sum", sumOf(spark.read().text(args[1])));
                    Thread.currentThread().join();
                }
                default -> throw new IllegalArgumentException(args[0]);
            }
        } finally {
            spark.stop();
        }
    }

    /** Lines of 96 hexadecimal digits, the same for the same number of rows. */
    private static void generate(SparkSession spark, String output, long rows, int files) {
        spark.range(0, rows, 1, files)
                .selectExpr("substring(sha2(cast(id as string), 512), 1, 96) as value")
                .write()
                .text(output);
    }

    private static void sort(SparkSession spark, String input, String output) {
        tell("preferred", preferred(spark, input));
        Dataset<Row> lines = spark.read().text(input);
        long startNs = System.nanoTime();
        tell("read.sum", sumOf(lines));
        tell("read.seconds", (System.nanoTime() - startNs) / 1e9);
        startNs = System.nanoTime();
        lines.sort("value").write().text(output);
        tell("sort.seconds", (System.nanoTime() - startNs) / 1e9);
        Dataset<Row> sorted = spark.read().text(output);
        tell("sort.sum", sumOf(sorted));
    }

    private static String sumOf(Dataset<Row> lines) {
        Row sums = lines.agg(sum(crc32(col("value"))), org.apache.spark.sql.functions.count("*"))
                .first();
        return sums.get(0) + "/" + sums.get(1);
    }

    /** Where Spark would rather run the tasks that read the input; hosts that have it in memory are marked. */
    private static String preferred(SparkSession spark, String input) {
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        RDD<Tuple2<LongWritable, Text>> rows = context.hadoopFile(
                        input, TextInputFormat.class, LongWritable.class, Text.class)
                .rdd();
        TreeSet<String> hosts = new TreeSet<>();
        for (Partition partition : rows.partitions()) {
            hosts.add(rows.preferredLocations(partition).mkString(","));
        }
        return String.join(" ", hosts);
    }

    private static void tell(String key, Object value) {
        System.out.println(key + ": " + value);
    }
}
