package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.placement.state.OperatorState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class OperatorStateStoreTest {

    private static final OperatorState PINNED = OperatorState.initial().withPin(16_390, true);
    private static final byte[] DAMAGED = "1 serve=tr".getBytes(StandardCharsets.UTF_8);

    private final Stored stored = new Stored();
    private final OperatorStateStore store = new OperatorStateStore(stored);

    /** The attribute, in memory. */
    private static final class Stored implements OperatorStateStore.Attribute {
        private byte[] value;
        private boolean refuses;

        @Override
        public byte[] load() {
            return value;
        }

        @Override
        public void save(byte[] saved) throws IOException {
            if (refuses) {
                throw new IOException("planted");
            }
            value = saved;
        }
    }

    @Test
    void load_nothingStored_isTheInitialState() {
        assertThat(store.load()).isEqualTo(OperatorState.initial());
        assertThat(store.problem()).isNull();
    }

    @Test
    void load_damaged_isOffUntilItCanBeRead() {
        for (byte[] damaged :
                new byte[][] {DAMAGED, {}, "2 serve=true moves=true pins=".getBytes(StandardCharsets.UTF_8)}) {
            stored.value = damaged;
            assertThat(store.load()).isEqualTo(OperatorState.off());
            assertThat(store.problem()).contains("no operator state");
        }
        stored.value = PINNED.encoded();
        assertThat(store.load()).isEqualTo(PINNED);
        assertThat(store.problem()).isNull();
    }

    @Test
    void load_damagedAfterItWasRead_keepsWhatWasReadInThisTerm() {
        stored.value = PINNED.encoded();
        store.load();
        stored.value = DAMAGED;
        assertThat(store.load()).isEqualTo(PINNED);
        assertThat(store.problem()).isNotNull();
        store.forget();
        assertThat(store.load()).as("another NameNode may have been told off").isEqualTo(OperatorState.off());
    }

    @Test
    void unread_isWhatNobodyReadInThisTerm() {
        stored.value = DAMAGED;
        store.load();
        assertThat(store.isUnread()).isTrue();
        store.tell(OperatorState.off(), false);
        store.load();
        assertThat(store.isUnread()).as("it still stands there").isTrue();
        store.forget();
        assertThat(store.isUnread()).isFalse();
        stored.value = PINNED.encoded();
        store.load();
        stored.value = DAMAGED;
        store.load();
        assertThat(store.isUnread()).as("known from before").isFalse();
    }

    @Test
    void save_overWhatIsDamaged_endsTheTrouble() throws Exception {
        stored.value = DAMAGED;
        store.load();
        store.save(PINNED);
        store.tell(PINNED, true);
        assertThat(store.problem()).isNull();
        assertThat(store.isUnread()).isFalse();
        assertThat(store.load()).isEqualTo(PINNED);
    }

    @Test
    void tell_whatIsNotStored_holdsUntilTheTermEnds() {
        OperatorState off = OperatorState.initial().withServe(false);
        store.load();
        stored.refuses = true;
        assertThatThrownBy(() -> store.save(off)).hasMessage("planted");
        assertThat(store.load()).as("as nothing was told").isEqualTo(OperatorState.initial());
        store.tell(off, false);
        assertThat(store.load()).as("as after a failure of the loop").isEqualTo(off);
        store.forget();
        assertThat(store.load()).isEqualTo(OperatorState.initial());
    }
}
