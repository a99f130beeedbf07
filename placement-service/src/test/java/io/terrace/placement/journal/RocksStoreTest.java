package io.terrace.placement.journal;

import static io.terrace.placement.journal.Records.heat;
import static io.terrace.placement.journal.Records.move;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.terrace.placement.journal.JournalException.Next;
import io.terrace.placement.journal.JournalStore.HeatCursor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.Status.Code;
import org.rocksdb.Status.SubCode;

/** A real RocksDB. */
final class RocksStoreTest {

    private static final long BYTES = 64 << 20;
    private static final String BLOCK_POOL = "BP-1-127.0.0.1-1";

    @TempDir
    Path dir;

    private RocksStore open() throws JournalException {
        return RocksStore.open(dir.resolve("journal"), BLOCK_POOL, BYTES, false);
    }

    private void refused(Next next, String... texts) {
        assertThatThrownBy(this::open)
                .asInstanceOf(type(JournalException.class))
                .satisfies(e -> {
                    assertThat(e.next()).isEqualTo(next);
                    assertThat(e.getMessage()).contains(texts);
                });
    }

    private Path file(String ending) throws IOException {
        try (Stream<Path> files = Files.list(dir.resolve("journal/rocksdb"))) {
            return files.filter(file -> file.getFileName().toString().matches(ending))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void records_openedAgain_areThere() throws Exception {
        try (RocksStore store = open()) {
            store.write(List.of(heat(1, 5, 1000), move(1, 1, 100, "first"), heat(2, 9, 1000)));
            store.write(List.of(heat(1, 7, 2000), move(1, 2, 200, "second"), move(3, 3, 150, "other")));
        }
        try (RocksStore store = open()) {
            assertThat(store.heat(1)).isEqualTo(heat(1, 7, 2000));
            assertThat(store.heat(2)).isEqualTo(heat(2, 9, 1000));
            assertThat(store.heat(3)).isNull();
            assertThat(store.moves(1, 9)).extracting(MoveRecord::reason).containsExactly("second", "first");
            assertThat(store.moves(1, 1)).extracting(MoveRecord::reason).containsExactly("second");
            assertThat(store.moves(2, 9)).isEmpty();
            Map<Long, Float> all = new TreeMap<>();
            try (HeatCursor cursor = store.cursor()) {
                while (cursor.next()) {
                    all.put(cursor.blockId(), cursor.heat());
                }
            }
            assertThat(all).isEqualTo(Map.of(1L, 7f, 2L, 9f));
            store.forget(new long[] {1, 99}, 1);
            assertThat(store.heat(1)).isNull();
            store.compact();
            assertThat(store.bytes()).isPositive();
        }
    }

    @Test
    void failure_thatNamesABlock_isDamageAndNoLock() throws Exception {
        Path below = dir.resolve("blocks");
        RocksDBException rot = failure(Code.Corruption, "block checksum mismatch: stored = 1, in 000123.sst");
        assertThat(RocksFailure.of(below, rot).next()).isEqualTo(Next.BEGIN_ANEW);
        RocksDBException gone = failure(Code.IOError, "No such file or directory: " + below + "/000123.sst");
        assertThat(RocksFailure.of(below, gone).next()).isEqualTo(Next.BEGIN_ANEW);
        RocksDBException full = failure(Code.IOError, "No space left on device: " + below + "/000123.sst");
        assertThat(RocksFailure.of(below, full)).hasMessageContaining("cannot be used");
    }

    private static RocksDBException failure(Code code, String message) {
        return new RocksDBException(message, new Status(code, SubCode.None, message));
    }

    @Test
    void notes_openedAgain_areThere_butForThoseThatWereForgotten() throws Exception {
        String path = "/\u00e9".repeat(4_000);
        try (RocksStore store = open()) {
            store.write(List.of(
                    new NoteRecord("a", 1_000, "first"),
                    new NoteRecord("b", 2_000, path),
                    new NoteRecord("c", 3_000, "gone"),
                    heat(1, 5, 1000)));
            store.write(List.of(new NoteRecord("a", 4_000, "second"), new NoteRecord("c", 0, "")));
        }
        try (RocksStore store = open()) {
            assertThat(store.notes())
                    .containsExactly(new NoteRecord("a", 4_000, "second"), new NoteRecord("b", 2_000, path));
            assertThat(store.heat(1)).isEqualTo(heat(1, 5, 1000));
        }
    }

    @Test
    void directory_isForItsOwnerOnly_andHasNoLibraryLeft() throws Exception {
        open().close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("journal/rocksdb"))))
                .isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(dir.resolve("journal"))) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly("rocksdb");
        }
    }

    @Test
    void open_whileAnotherHasIt_isToBeTriedAgain() throws Exception {
        RocksStore first = open();
        refused(Next.RETRY, "another NameNode has the journal", "terrace.placement.journal.dir");
        first.close();
        open().close();
    }

    @Test
    void open_damaged_isToBeBegunAnew() throws Exception {
        try (RocksStore store = open()) {
            store.write(List.of(heat(1, 5, 1000)));
        }
        Files.writeString(file("MANIFEST.*"), "no manifest");
        refused(Next.BEGIN_ANEW, "damaged");
        try (RocksStore store = RocksStore.open(dir.resolve("journal"), BLOCK_POOL, BYTES, true)) {
            assertThat(store.heat(1)).isNull();
            store.write(List.of(heat(1, 5, 1000)));
        }
        open().close();
    }

    @Test
    void open_withAFileMissing_isToBeBegunAnew() throws Exception {
        try (RocksStore store = open()) {
            store.write(List.of(heat(1, 5, 1000)));
            store.compact();
        }
        Files.delete(file("MANIFEST.*"));
        refused(Next.BEGIN_ANEW, "damaged");
    }

    @Test
    void open_whereTheDirectoryCannotBe_isToBeTriedAgain() throws Exception {
        Files.writeString(dir.resolve("journal"), "a file");
        refused(Next.RETRY, "terrace.placement.journal.dir", "NameNode's user");
    }

    @Test
    void closed_refusesToRead() throws Exception {
        RocksStore store = open();
        store.close();
        store.close();
        assertThatThrownBy(() -> store.moves(1, 1)).isInstanceOf(JournalException.class);
    }

    @Test
    void open_ofAnotherBlockPool_isToBeBegunAnew() throws Exception {
        try (RocksStore store = open()) {
            store.write(List.of(heat(1, 5, 1000)));
        }
        String formatted = "BP-2-127.0.0.1-2";
        assertThatThrownBy(() -> RocksStore.open(dir.resolve("journal"), formatted, BYTES, false))
                .asInstanceOf(type(JournalException.class))
                .satisfies(e -> {
                    assertThat(e.next()).isEqualTo(Next.BEGIN_ANEW);
                    assertThat(e.getMessage()).contains(dir + "/journal", BLOCK_POOL, formatted);
                });
        try (RocksStore store = RocksStore.open(dir.resolve("journal"), formatted, BYTES, true)) {
            assertThat(store.heat(1)).isNull();
        }
        refused(Next.BEGIN_ANEW, formatted);
    }

    @Test
    void open_ofAnEarlierBuild_isTaken() throws Exception {
        try (RocksStore store = open()) {
            store.write(List.of(heat(1, 5, 1000)));
        }
        List<byte[]> families = RocksDB.listColumnFamilies(
                new Options(), dir.resolve("journal/rocksdb").toString());
        List<ColumnFamilyHandle> opened = new ArrayList<>();
        try (RocksDB database = RocksDB.open(
                dir.resolve("journal/rocksdb").toString(),
                families.stream().map(ColumnFamilyDescriptor::new).toList(),
                opened)) {
            database.delete(opened.get(0), "pool".getBytes(StandardCharsets.US_ASCII));
            opened.forEach(ColumnFamilyHandle::close);
        }
        try (RocksStore store = open()) {
            assertThat(store.heat(1)).isNotNull();
        }
        assertThatThrownBy(() -> RocksStore.open(dir.resolve("journal"), "BP-2", BYTES, false))
                .as("whose it is, is known from then on")
                .hasMessageContaining(BLOCK_POOL);
    }
}
