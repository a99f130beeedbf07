package io.terrace.bench.tiers;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.server.mover.Mover;
import org.apache.hadoop.util.ToolRunner;

/** Stock's Mover, run in this process as {@code hdfs mover} runs it. */
final class StockMover {

    private StockMover() {}

    /**
     * Brings the replicas below a path to where their storage policies want them.
     *
     * @return its exit code, 0 for success
     */
    static int run(Configuration conf, Path path) throws IOException {
        try {
            return ToolRunner.run(conf, new Mover.Cli(), new String[] {"-p", path.toString()});
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("Mover failed", e);
        }
    }
}
