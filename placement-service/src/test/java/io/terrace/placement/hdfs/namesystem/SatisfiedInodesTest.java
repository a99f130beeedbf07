package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.placement.hdfs.LoggedLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The list of annotated directories as it is stored. */
class SatisfiedInodesTest {

    private final Stored stored = new Stored();
    private final SatisfiedInodes satisfied = new SatisfiedInodes(stored, Runnable::run);

    private static class Stored implements OperatorStateStore.Attribute {
        String text;
        private boolean fails;
        private int saves;

        @Override
        public byte[] load() {
            return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void save(byte[] value) throws IOException {
            if (fails) {
                throw new IOException("safe mode");
            }
            saves++;
            text = new String(value, StandardCharsets.UTF_8);
        }
    }

    @Test
    void whatIsAdded_isStored_andKnownToAnother() {
        satisfied.add(List.of(16_400L, 16_386L), false);
        satisfied.add(List.of(16_400L), false);
        assertThat(stored.text).isEqualTo("16386,16400");
        assertThat(stored.saves).isEqualTo(1);
        assertThat(new SatisfiedInodes(stored, Runnable::run).all()).containsExactly(16_386L, 16_400L);
        satisfied.remove(List.of(16_386L));
        assertThat(stored.text).isEqualTo("16400");
    }

    @Test
    void whatCannotBeStored_holds_andIsStoredWithTheNextChange() {
        stored.fails = true;
        satisfied.add(List.of(5L), false);
        assertThat(satisfied.all()).containsExactly(5L);
        stored.fails = false;
        satisfied.add(List.of(6L), false);
        assertThat(stored.text).isEqualTo("5,6");
    }

    @Test
    void garbage_isLeftOut() {
        stored.text = "7,x,,99999999999999999999,-3,8";
        assertThat(satisfied.all()).containsExactly(7L, 8L);
    }

    @Test
    void moreThanTheBound_isRefused_andTheValueFitsIntoAnAttribute() {
        satisfied.add(
                LongStream.range(0, SatisfiedInodes.MOST + 5)
                        .mapToObj(i -> 1_000_000_000L + i)
                        .toList(),
                false);
        assertThat(satisfied.all()).hasSize(SatisfiedInodes.MOST);
        // dfs.namenode.fs-limits.max-xattr-size, by default.
        assertThat(stored.text.length()).isLessThan(16_384);
    }

    /** Whoever may write a directory may annotate it. */
    @Test
    void manyOfUsers_leaveRoomForTheSuperusers_andAreLoggedOnce() {
        try (LoggedLines log = new LoggedLines(SatisfiedInodes.class.getName())) {
            satisfied.add(LongStream.range(0, SatisfiedInodes.MOST).boxed().toList(), true);
            satisfied.add(List.of(5_000L), false);
            assertThat(satisfied.all())
                    .hasSize(SatisfiedInodes.MOST_BEFORE_USERS + 1)
                    .contains(5_000L);
            assertThat(log.lines()).hasSize(1);
        }
    }

    @Test
    void errorOfAStore_isNotTheEndOfStoring() {
        Stored failing = new Stored() {
            @Override
            public void save(byte[] value) throws IOException {
                if (text == null) {
                    text = "";
                    throw new NoClassDefFoundError("planted");
                }
                super.save(value);
            }
        };
        SatisfiedInodes stores = new SatisfiedInodes(failing, Runnable::run);
        assertThatThrownBy(() -> stores.add(List.of(5L), false)).isInstanceOf(NoClassDefFoundError.class);
        stores.add(List.of(6L), false);
        assertThat(failing.text).isEqualTo("5,6");
    }

    @Test
    void whatCouldNotBeStored_isForgottenWhenAnotherNameNodeDecides() {
        stored.text = "5";
        stored.fails = true;
        satisfied.add(List.of(6L), false);
        satisfied.remove(List.of(5L));
        assertThat(satisfied.all()).containsExactly(6L);
        satisfied.forget();
        stored.fails = false;
        stored.text = "5,7";
        assertThat(satisfied.all()).as("what the other one stored").containsExactly(5L, 7L);
        satisfied.add(List.of(8L), false);
        assertThat(stored.text).isEqualTo("5,7,8");
    }
}
