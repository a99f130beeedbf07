package io.terrace.bench.writefaults;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LeftoversTest {
    private static final String OTHERS =
            """
            Thread 80 (terrace-write-watch-76c5fae1-2bd9-4c4d-bbcd-e317a3b01c21):
            Thread 97 (Async disk worker #0 for volume /dev/shm/terrace-write-faults-385ab851/3/data):
            Thread 44 (org.apache.hadoop.hdfs.server.datanode.DataXceiverServer@37f1104d):
            """;

    @Test
    void threads_withoutAWriter_areRight() {
        assertThat(Leftovers.writerThread(OTHERS)).isEmpty();
    }

    @Test
    void threads_ofWriters_areFound() {
        for (String thread : new String[] {
            "terrace-write-76c5fae1-2bd9-4c4d-bbcd-e317a3b01c21-7",
            "terrace-write-76c5fae1-2bd9-4c4d-bbcd-e317a3b01c21-7-next",
            "DataXceiver for client DFSClient_NONMAPREDUCE_1_1 at /127.0.0.1:1 [Receiving block BP-1]",
            "PacketResponder: BP-1-127.0.0.1-1:blk_1_1, type=LAST_IN_PIPELINE"
        }) {
            assertThat(Leftovers.writerThread(OTHERS + "Thread 99 (" + thread + "):\n"))
                    .as(thread)
                    .isPresent();
        }
    }
}
