package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.placement.StandingOrders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StandingOrdersStoreTest {

    private static final StandingOrders PINNED = StandingOrders.initial().withPin(16_390, true);
    private static final byte[] DAMAGED = "1 serve=tr".getBytes(StandardCharsets.UTF_8);

    private final Stored stored = new Stored();
    private final StandingOrdersStore store = new StandingOrdersStore(stored);

    /** The attribute, in memory. */
    private static final class Stored implements StandingOrdersStore.Attribute {
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
        assertThat(store.load()).isEqualTo(StandingOrders.initial());
        assertThat(store.trouble()).isNull();
    }

    @Test
    void load_damaged_isOffUntilItCanBeRead() {
        for (byte[] damaged :
                new byte[][] {DAMAGED, {}, "2 serve=true moves=true pins=".getBytes(StandardCharsets.UTF_8)}) {
            stored.value = damaged;
            assertThat(store.load()).isEqualTo(StandingOrders.off());
            assertThat(store.trouble()).contains("no standing orders");
        }
        stored.value = PINNED.encoded();
        assertThat(store.load()).isEqualTo(PINNED);
        assertThat(store.trouble()).isNull();
    }

    @Test
    void load_damagedAfterItWasRead_keepsWhatWasReadInThisTerm() {
        stored.value = PINNED.encoded();
        store.load();
        stored.value = DAMAGED;
        assertThat(store.load()).isEqualTo(PINNED);
        assertThat(store.trouble()).isNotNull();
        store.forget();
        assertThat(store.load()).as("another NameNode may have been told off").isEqualTo(StandingOrders.off());
    }

    @Test
    void unread_isWhatNobodyReadInThisTerm() {
        stored.value = DAMAGED;
        store.load();
        assertThat(store.isUnread()).isTrue();
        store.tell(StandingOrders.off(), false);
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
        assertThat(store.trouble()).isNull();
        assertThat(store.isUnread()).isFalse();
        assertThat(store.load()).isEqualTo(PINNED);
    }

    @Test
    void tell_whatIsNotStored_holdsUntilTheTermEnds() {
        StandingOrders off = StandingOrders.initial().withServe(false);
        store.load();
        stored.refuses = true;
        assertThatThrownBy(() -> store.save(off)).hasMessage("planted");
        assertThat(store.load()).as("as nothing was told").isEqualTo(StandingOrders.initial());
        store.tell(off, false);
        assertThat(store.load()).as("as after a failure of the loop").isEqualTo(off);
        store.forget();
        assertThat(store.load()).isEqualTo(StandingOrders.initial());
    }
}
