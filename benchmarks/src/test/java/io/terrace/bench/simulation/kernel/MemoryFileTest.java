package io.terrace.bench.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A read of a rotten copy is excused for the one bit that flipped, and for nothing else. */
final class MemoryFileTest {

    private static final byte[] WANTED = {0, 1, 2, 3, 4, 5, 6, 7};

    private final MemoryFile file = new MemoryFile(WANTED);

    private byte[] read(int position, int length) {
        byte[] got = new byte[length];
        file.read(position, got, 0, length);
        return got;
    }

    @Test
    void readOverTheBitThatRotted_isRot() {
        file.rot(5, 3);

        assertThat(file.isRotten()).isTrue();
        assertThat(file.isRotOf(WANTED, 4, read(4, 3))).isTrue();
        assertThat(file.isRotOf(WANTED, 5, read(5, 1))).isTrue();
    }

    @Test
    void readOfAFileThatDidNotRot_isNoRot() {
        assertThat(file.isRotten()).isFalse();
        assertThat(file.isRotOf(WANTED, 0, new byte[] {9})).isFalse();
    }

    @Test
    void readBesideTheBitThatRotted_isNoRot() {
        file.rot(5, 3);

        assertThat(file.isRotOf(WANTED, 0, new byte[] {9, 1, 2})).isFalse();
        assertThat(file.isRotOf(WANTED, 6, new byte[] {9})).isFalse();
    }

    @Test
    void readWithAnotherWrongByte_isNoRot() {
        file.rot(5, 3);
        byte[] got = read(0, WANTED.length);
        got[1] ^= 1;

        assertThat(file.isRotOf(WANTED, 0, got)).isFalse();
    }

    @Test
    void secondBit_doesNotRot() {
        file.rot(5, 3);
        byte[] after = file.content();

        file.rot(2, 1);

        assertThat(Arrays.equals(file.content(), after)).isTrue();
    }

    @Test
    void powerCut_takesWhatIsNotSynced() {
        MemoryFile unsynced = MemoryFile.unsynced();
        unsynced.append(WANTED, 0, 3);
        unsynced.sync();
        unsynced.append(WANTED, 3, 2);

        unsynced.powerCut();

        assertThat(unsynced.content()).isEqualTo(Arrays.copyOf(WANTED, 3));
    }

    @Test
    void powerCut_takesNothingOfWhatIsWrittenThrough() {
        file.powerCut();
        assertThat(file.content()).isEqualTo(WANTED);

        MemoryFile unsynced = MemoryFile.unsynced();
        unsynced.writtenThrough();
        unsynced.append(WANTED, 0, 3);
        unsynced.powerCut();
        assertThat(unsynced.lengthBytes()).isEqualTo(3);
    }
}
