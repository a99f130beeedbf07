package io.terrace.datanode.hdfs.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.junit.jupiter.api.Test;

/** What of a volume is kept for a replica that is written on after a recovery, whatever length the client names. */
final class RecoveredSpaceTest {
    private static final long STEP = 100;

    private long reserved;
    private long capacity = 10_000;

    private final FsVolumeSpi volume = (FsVolumeSpi) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {FsVolumeSpi.class}, (proxy, method, arguments) -> {
                switch (method.getName()) {
                    case "reserveSpaceForReplica" -> reserved += (long) arguments[0];
                    case "releaseReservedSpace" -> reserved = Math.max(0, reserved - (long) arguments[0]);
                    case "getAvailable" -> {
                        return capacity - reserved;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                }
                return null;
            });

    private void assertReserved(RecoveredSpace space, long reached, long expected) throws IOException {
        space.reach(reached);
        assertThat(reserved).as("at %d bytes", reached).isEqualTo(expected);
    }

    @Test
    void blockOfOneStep_hasAllOfItsSpaceAtOnce() throws IOException {
        try (RecoveredSpace space = new RecoveredSpace(volume, 30, 100, STEP)) {
            assertThat(reserved).isEqualTo(70);
            assertReserved(space, 100, 70);
        }
        assertThat(reserved).isZero();
    }

    @Test
    void largerBlock_getsItsSpaceAsItGrows() throws IOException {
        try (RecoveredSpace space = new RecoveredSpace(volume, 30, 400, STEP)) {
            assertThat(reserved).isEqualTo(100);
            assertReserved(space, 130, 100);
            assertReserved(space, 131, 201);
            assertReserved(space, 231, 201);
            assertReserved(space, 390, 370);
            assertReserved(space, 400, 370);
        }
        assertThat(reserved).isZero();
    }

    @Test
    void anyLength_takesOneStepAhead() throws IOException {
        try (RecoveredSpace first = new RecoveredSpace(volume, 0, 1L << 62, STEP);
                RecoveredSpace second = new RecoveredSpace(volume, 0, Long.MAX_VALUE, STEP)) {
            assertThat(reserved).isEqualTo(2 * STEP);
            assertReserved(second, 150, 350);
        }
        assertThat(reserved).isZero();
    }

    @Test
    void fullVolume_keepsWhatOthersHave() throws IOException {
        reserved = 500;
        capacity = 540;
        try (RecoveredSpace space = new RecoveredSpace(volume, 0, 1_000, STEP)) {
            assertThat(reserved).isEqualTo(540);
            assertReserved(space, 101, 540);
        }
        assertThat(reserved).isEqualTo(500);
    }

    @Test
    void lengthBelowWhatThereIs_takesNothing() throws IOException {
        try (RecoveredSpace space = new RecoveredSpace(volume, 300, 200, STEP)) {
            assertReserved(space, 301, 0);
        }
        assertThat(reserved).isZero();
    }
}
