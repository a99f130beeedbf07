package org.apache.hadoop.hdfs.server.namenode;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;

/**
 * An operation of NNThroughputBenchmark, called one at a time. The benchmark's own loop is left out: its main thread asks
 * without a pause whether the others are done, which takes a processor from the NameNode on the same host.
 */
public final class ThroughputOperation {

    private final ClientProtocol namenode;
    private final NNThroughputBenchmark.OperationStatsBase operation;
    private final int threads;

    private ThroughputOperation(
            ClientProtocol namenode, NNThroughputBenchmark.OperationStatsBase operation, int threads) {
        this.namenode = namenode;
        this.operation = operation;
        this.threads = threads;
    }

    /** Opens files that {@link #prepare} creates. */
    public static ThroughputOperation open(Configuration conf, ClientProtocol namenode, int threads, int files)
            throws IOException {
        NNThroughputBenchmark benchmark = new NNThroughputBenchmark(conf);
        return new ThroughputOperation(
                namenode, benchmark.new OpenFileStats(Arrays.asList(words("open", threads, files))), threads);
    }

    /** Creates files, each with another name, and closes them. */
    public static ThroughputOperation create(Configuration conf, ClientProtocol namenode, int threads)
            throws IOException {
        NNThroughputBenchmark benchmark = new NNThroughputBenchmark(conf);
        String[] words = words("create", threads, threads);
        String[] closing = Arrays.copyOf(words, words.length + 1);
        closing[words.length] = "-close";
        return new ThroughputOperation(namenode, benchmark.new CreateFileStats(List.of(closing)), threads);
    }

    private static String[] words(String operation, int threads, int files) {
        return new String[] {"-op", operation, "-threads", Integer.toString(threads), "-files", Integer.toString(files)
        };
    }

    /** Makes what so many calls of each thread need; to be called before {@link #call}. The NameNode leaves safe mode. */
    public void prepare(int callsOfAThread) throws IOException {
        turn();
        int[] calls = new int[threads];
        Arrays.fill(calls, callsOfAThread);
        operation.generateInputs(calls);
    }

    /** Has the calls that follow go to this NameNode: the benchmark knows one at a time. */
    public void turn() {
        NNThroughputBenchmark.clientProto = namenode;
    }

    /** @param index of a call of that thread, below what was prepared */
    public void call(int thread, int index) throws IOException {
        operation.executeOp(thread, index, operation.getExecutionArgument(thread));
    }

    /** Removes the files. */
    public void cleanUp() throws IOException {
        turn();
        operation.cleanUp();
    }
}
