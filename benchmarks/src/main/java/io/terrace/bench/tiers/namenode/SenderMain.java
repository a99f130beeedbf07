package io.terrace.bench.tiers.namenode;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * The process of {@link MovingDataNodes}, so that its processor time can be told from that of others. It does what
 * {@link SenderProcess} writes to it, a line at a time, and ends with it.
 *
 * <p>Arguments: the cluster's directory, DataNodes, files.
 */
public final class SenderMain {

    /** Before each answer; there are other lines too. */
    static final String ANSWER = "SENDER";

    static final String RESUME = "resume";
    static final String PAUSE = "pause";

    private SenderMain() {}

    public static void main(String[] args) throws IOException {
        LocalCluster cluster = LocalCluster.in(Path.of(args[0]), ClassPath.ofThisProcess())
                .orElseThrow(() -> new IOException("no cluster in " + args[0]));
        PlacementAdmin placement = cluster.spec().terrace() ? new PlacementAdmin(cluster) : null;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (MovingDataNodes moving = new MovingDataNodes(cluster, placement)) {
            try (Client client = ClientVariant.stock().open(cluster.confStock())) {
                moving.start((DistributedFileSystem) client.fs(), Integer.parseInt(args[1]), Integer.parseInt(args[2]));
            }
            answer(0, 0);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", -1);
                if (words[0].equals(RESUME)) {
                    moving.resume(Double.parseDouble(words[1]), Integer.parseInt(words[2]));
                    answer(0, 0);
                } else {
                    MovingDataNodes.Sent sent = moving.pause();
                    answer(sent.moves(), sent.processors());
                }
            }
        } finally {
            if (placement != null) {
                placement.close();
            }
        }
    }

    private static void answer(long moves, double processors) {
        System.out.println(ANSWER + String.format(Locale.ROOT, " %d %.6f", moves, processors));
    }
}
