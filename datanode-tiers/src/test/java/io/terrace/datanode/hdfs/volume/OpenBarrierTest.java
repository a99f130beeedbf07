package io.terrace.datanode.hdfs.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OpenBarrierTest {
    private final OpenBarrier barrier = new OpenBarrier();
    private int openings;

    /** Finds the replica's files where they were before, once, and then where they are. */
    private CallableRaisingIOE<@Nullable String> after(@Nullable IOException first) {
        return () -> {
            openings++;
            if (openings > 1) {
                return "opened";
            }
            if (first != null) {
                throw first;
            }
            return null;
        };
    }

    @Test
    void open_ofAReplicaWhoseFilesWentElsewhere_opensThemThere() throws IOException {
        assertThat(barrier.open(7, after(new FileNotFoundException("blk_7_1001.meta")), () -> true))
                .isEqualTo("opened");
        assertThat(openings).isEqualTo(2);
    }

    @Test
    void open_whereNoFileWasFound_ofAReplicaThatIsWhole_looksAgain() throws IOException {
        assertThat(barrier.open(7, after(null), () -> true)).isEqualTo("opened");
        assertThat(openings).isEqualTo(2);
    }

    @Test
    void open_ofAReplicaThatLacksAFile_failsAsStockDoes() throws IOException {
        FileNotFoundException missing = new FileNotFoundException("blk_7_1001.meta");

        assertThatThrownBy(() -> barrier.open(7, after(missing), () -> false)).isSameAs(missing);
        assertThat(openings).isEqualTo(1);

        openings = 0;
        assertThat(barrier.open(7, after(null), () -> false)).isNull();
        assertThat(openings).isEqualTo(1);
    }
}
