package io.terrace.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.client.BlockReadRequest;
import io.terrace.client.StreamGrants;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;

final class HedgedReadsTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9866);

    private final HedgedReads reads = new HedgedReads();
    private final StockReaderFactory ofA = stock();
    private final StockReaderFactory ofB = stock();

    @Test
    void sameRangeOfAnotherDataNode_whileMemoryIsRead_isAHedge() {
        Runnable ended = reads.began(range(1, 5, 10), "a", "c", ofA);

        assertThat(reads.ofHedge(range(1, 5, 10), "b", ofB)).isSameAs(ofB);
        assertThat(reads.ofHedge(range(1, 5, 10), "a", ofA))
                .as("another caller")
                .isNull();
        assertThat(reads.ofHedge(range(1, 6, 10), "b", ofB)).isNull();
        assertThat(reads.ofHedge(range(2, 5, 10), "b", ofB)).isNull();

        ended.run();
        assertThat(reads.ofHedge(range(1, 5, 10), "b", ofB)).isNull();
    }

    @Test
    void hedge_ofTheDataNodeWhoseMemoryIsRead_isOfTheOtherInstead() {
        Runnable ended = reads.began(range(1, 5, 10), "a", "b", ofA);

        assertThat(reads.ofHedge(range(1, 5, 10), "b", ofB)).isSameAs(ofA);
        ended.run();
    }

    @Test
    void end_ofASecondReaderOfTheRange_leavesTheFirst() {
        Runnable first = reads.began(range(1, 5, 10), "a", "c", ofA);
        reads.began(range(1, 5, 10), "a", "c", stock()).run();

        assertThat(reads.ofHedge(range(1, 5, 10), "b", ofB)).isSameAs(ofB);
        first.run();
    }

    private static StockReaderFactory stock() {
        Object own = new Object();
        return (offset, length) -> {
            throw new IOException("not opened by " + own);
        };
    }

    private static BlockReadRequest range(long blockId, long start, long end) {
        LocatedBlock located = new LocatedBlock(new ExtendedBlock("pool", blockId, 100, 1), new DatanodeInfo[0]);
        return new BlockReadRequest(
                located,
                start,
                end,
                HERE,
                false,
                true,
                "user",
                holder -> 0,
                new Configuration(false),
                new StreamGrants());
    }
}
