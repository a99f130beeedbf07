package io.terrace.datanode.hdfs.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.FilePath;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.junit.jupiter.api.Test;

class WriteRequestTest {

    /** For a block that is written to two DataNodes. */
    private static byte[] hadoops() {
        DatanodeID second = new DatanodeID("127.0.0.1", "localhost", "uuid", 1, 2, 3, 4);
        return WriteRequests.withNext(
                new DatanodeInfoBuilder().setNodeID(second).build());
    }

    @Test
    void path_isThatOfTheClient_andChangesNothingElse() throws IOException {
        WriteRequest plain = WriteRequest.parse(hadoops());
        WriteRequest named = WriteRequest.parse(FilePath.addTo(hadoops(), "/a/\u00e9"));
        assertThat(plain.path()).isEmpty();
        assertThat(named.path()).isEqualTo("/a/\u00e9");
        assertThat(named.block()).isEqualTo(plain.block());
        assertThat(named.targets()).isEqualTo(plain.targets());
    }

    @Test
    void path_givenTwice_isNone() throws IOException {
        byte[] twice = FilePath.addTo(FilePath.addTo(hadoops(), "/a"), "/b");
        assertThat(WriteRequest.parse(twice).path()).isEmpty();
    }

    @Test
    void nextDataNode_isNotToldThePath() throws IOException {
        WriteRequest named = WriteRequest.parse(FilePath.addTo(hadoops(), "/a"));
        assertThat(named.forTarget()).isEqualTo(WriteRequest.parse(hadoops()).forTarget());
    }
}
