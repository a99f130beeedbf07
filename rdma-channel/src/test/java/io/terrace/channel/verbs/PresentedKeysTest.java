package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.device.DeviceCounters;
import io.terrace.channel.verbs.device.ProtectionDomain;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How long a connection keeps its place, by the keys that were shown over it; without a device. */
final class PresentedKeysTest {
    private static final int LENGTH = 4096;
    private static final long BEGUN_NS = -1000;

    @TempDir
    Path dir;

    private FakeDevice device;
    private ProtectionDomain domain;
    private RangeRegistry book;
    private RegionKey extent;
    private PresentedKeys shown;

    @BeforeEach
    void open() throws Exception {
        device = new FakeDevice();
        domain = new ProtectionDomain(device, device.context, new DeviceCounters(), false);
        book = new RangeRegistry(domain, new VerbsLimits(4, 4, 8, 10 * LENGTH));
        Path file = Files.write(dir.resolve("extent"), new byte[LENGTH]);
        extent = book.register(new ExtentRange(file, 0, LENGTH), Access.READ, ChunkChecksums.NONE);
        shown = new PresentedKeys(book, BEGUN_NS);
    }

    @AfterEach
    void close() throws Exception {
        book.close();
        domain.close();
        device.close();
    }

    private static RegionKey key(int number) {
        return new RegionKey(number, ~number, 0, LENGTH, Access.READ);
    }

    private RegionKey granted(int number) throws Exception {
        book.admit(key(number), extent);
        return key(number);
    }

    @Test
    void nothingShown_orOnlyWhatIsVoid_isOverSoon() {
        assertThat(shown.show(key(1), 0)).isNull();
        assertThat(shown.areOver(BEGUN_NS + PresentedKeys.UNATTACHED_NS)).isFalse();
        assertThat(shown.areOver(BEGUN_NS + PresentedKeys.UNATTACHED_NS + 1)).isTrue();
    }

    @Test
    void placeIsKept_whileOneKeyIsGood_andForAMinuteAfterIt() throws Exception {
        assertThat(shown.show(granted(1), 0)).isNotNull();
        assertThat(shown.show(granted(2), 0)).isNotNull();
        assertThat(book.dismiss(key(1))).isTrue();
        long lateNs = 10 * PresentedKeys.VOID_NS;
        assertThat(shown.areOver(lateNs)).isFalse();
        assertThat(book.dismiss(key(2))).isTrue();
        assertThat(shown.areOver(lateNs + PresentedKeys.VOID_NS)).isFalse();
        assertThat(shown.areOver(lateNs + PresentedKeys.VOID_NS + 1)).isTrue();
        assertThat(shown.show(granted(3), lateNs + PresentedKeys.VOID_NS)).isNotNull();
        assertThat(shown.areOver(lateNs + 3 * PresentedKeys.VOID_NS)).isFalse();
    }

    @Test
    void keyOfAnExtentThatRetired_isNotGood() throws Exception {
        assertThat(shown.show(granted(1), 0)).isNotNull();
        book.voidWord(extent);
        assertThat(shown.areOver(PresentedKeys.VOID_NS)).isFalse();
        assertThat(shown.areOver(PresentedKeys.VOID_NS + 1)).isTrue();
    }

    @Test
    void keysWithoutEnd_areForgottenButForTheLast() throws Exception {
        for (int i = 1; i <= PresentedKeys.MOST + 1; i++) {
            assertThat(shown.show(granted(i), 0)).isNotNull();
        }
        for (int i = 2; i <= PresentedKeys.MOST + 1; i++) {
            assertThat(book.dismiss(key(i))).isTrue();
        }
        assertThat(shown.areOver(PresentedKeys.VOID_NS + 1)).isTrue();
    }
}
