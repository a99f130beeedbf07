package io.terrace.bench.soak.client;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.BlockMissingException;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.jspecify.annotations.Nullable;

/** A bad replica that a client keeps open for its short-circuit reads, so that it does not try the good ones. */
final class HiddenReplica {
    private HiddenReplica() {}

    /** Whether a read may have failed because of one: the block was bad, and the client reads short-circuit. */
    static boolean mayBe(Configuration conf, IOException why) {
        boolean shortCircuit = conf.getBoolean(
                HdfsClientConfigKeys.Read.ShortCircuit.KEY, HdfsClientConfigKeys.Read.ShortCircuit.DEFAULT);
        return shortCircuit && isOfBadBlock(why);
    }

    private static boolean isOfBadBlock(@Nullable Throwable why) {
        return why != null
                && (why instanceof ChecksumException
                        || why instanceof BlockMissingException
                        || isOfBadBlock(why.getCause()));
    }
}
