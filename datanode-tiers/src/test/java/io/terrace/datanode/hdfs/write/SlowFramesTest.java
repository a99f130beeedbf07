package io.terrace.datanode.hdfs.write;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class SlowFramesTest {
    private static SlowFrames of(int most) {
        Configuration conf = new Configuration(false);
        conf.setInt("dfs.client.mark.slownode.as.badnode.threshold", most);
        return new SlowFrames(conf);
    }

    @Test
    void dataNode_slowForSoManyFramesInARow_leaves() throws Exception {
        SlowFrames frames = of(3);
        for (boolean slow : new boolean[] {true, true, false, true, true}) {
            frames.took(slow);
        }
        assertThatThrownBy(() -> frames.took(true)).hasMessageContaining("after 3 frames (dfs.pipeline.slownode)");
    }

    @Test
    void limitOfZero_isOfSlowOnesAlone() {
        assertThatCode(() -> of(0).took(false)).doesNotThrowAnyException();
        assertThatThrownBy(() -> of(0).took(true)).hasMessageContaining("is slow");
    }
}
