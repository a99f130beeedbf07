package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.verbs.device.ControlFrame;
import io.terrace.channel.verbs.device.IndexPool;
import io.terrace.channel.verbs.device.KeyQuarantine;
import io.terrace.channel.verbs.device.OnDemandPaging;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import io.terrace.channel.verbs.device.ValidityWords;
import io.terrace.common.SpinBackoff;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is counted and waited for, without a device: pools, words, resting keys, credits, back-off. */
final class VerbsAccountsTest {
    @Test
    void indexPool_givesEachNumberOnce_andTakesItBackOnce() {
        IndexPool pool = new IndexPool(5);
        Set<Integer> taken = new HashSet<>();
        for (int i = 0; i < 5; i++) {
            taken.add(pool.take());
        }
        assertThat(taken).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        assertThat(pool.take()).isEqualTo(-1);
        pool.give(3);
        assertThat(pool.free()).isEqualTo(1);
        assertThatThrownBy(() -> pool.give(3)).isInstanceOf(IllegalStateException.class);
        assertThat(pool.take()).isEqualTo(3);
        assertThat(pool.free()).isZero();
    }

    @Test
    void validityWord_usedAgain_isNeverTheWordItWas() {
        ValidityWords words = new ValidityWords(2);
        Set<Long> seen = new HashSet<>();
        for (int round = 0; round < 10; round++) {
            int index = words.take();
            long word = words.live(index);
            assertThat(seen.add(word << 1 | index)).isTrue();
            words.give(index);
            assertThat(words.get(index)).isNotEqualTo(word);
        }
        assertThat(words.take()).isNotEqualTo(words.take());
        assertThat(words.take()).isEqualTo(-1);
    }

    @Test
    void validityWord_thatSpeaksForAnotherRangeByNow_isLeftAlone() {
        ValidityWords words = new ValidityWords(1);
        int index = words.take();
        long first = words.live(index);
        words.give(index);
        long second = words.live(words.take());
        words.invalidate(index, first);
        assertThat(words.get(index)).isEqualTo(second);
        words.invalidate(index, second);
        assertThat(words.get(index) & 3).isEqualTo(ValidityWords.VOID);
    }

    @Test
    void piece_whoseChecksumsDoNotFitABuffer_isNotReadAtAll() {
        int buffer = RegisteredBuffers.LARGE_BYTES;
        for (int chunk = 1; chunk < 4; chunk++) {
            assertThat(attachment(ChecksumType.CRC32C, chunk).maxPieceBytes()).isZero();
        }
        assertThat(attachment(ChecksumType.CRC32C, 4).maxPieceBytes()).isEqualTo(buffer - 8);
        assertThat(attachment(ChecksumType.CRC32C, 512).maxPieceBytes()).isEqualTo(buffer - 1024);
        assertThat(attachment(ChecksumType.CRC32C, buffer).maxPieceBytes()).isNegative();
        assertThat(attachment(ChecksumType.NONE, 1).maxPieceBytes()).isEqualTo(buffer - 2);
    }

    @Test
    void attachment_withChunksOfNoBytes_isMalformed() {
        ByteBuffer body = attachment(ChecksumType.NONE, 0).encode();
        assertThatThrownBy(() -> Attachment.decode(body, 1000)).isInstanceOf(MalformedMessageException.class);
    }

    private static Attachment attachment(ChecksumType kind, int chunkBytes) {
        return new Attachment(4096, new int[] {1}, 8192, 2, 3, kind, chunkBytes, 4, 5);
    }

    @Test
    void paging_withLibdisni_isNotAskedFor() {
        assertThat(new VerbsOptions(false, true).mayPage()).isTrue();
        assertThat(new VerbsOptions(true, true).mayPage()).isFalse();
        assertThat(VerbsOptions.DEFAULT.mayPage()).isFalse();
    }

    @Test
    void paging_isARightOnlyWhereTheDeviceHasWhatTheAccessNeeds() {
        int onDemand = 64;
        assertThat(OnDemandPaging.NONE.right(Access.READ)).isZero();
        assertThat(new OnDemandPaging(-1).right(Access.READ_WRITE)).isZero();
        assertThat(new OnDemandPaging(OnDemandPaging.WRITE).right(Access.READ)).isZero();
        assertThat(new OnDemandPaging(OnDemandPaging.READ).right(Access.READ)).isEqualTo(onDemand);
        assertThat(new OnDemandPaging(OnDemandPaging.READ).right(Access.READ_WRITE))
                .isZero();
        assertThat(new OnDemandPaging(OnDemandPaging.READ | OnDemandPaging.WRITE).right(Access.READ_WRITE))
                .isEqualTo(onDemand);
    }

    @Test
    void restingKeys_restForTheirTime() {
        KeyQuarantine keys = new KeyQuarantine(100);
        keys.add(7, 1000);
        keys.add(8, 1050);
        assertThat(keys.rests(7, 1099)).isTrue();
        assertThat(keys.rests(9, 1099)).isFalse();
        assertThat(keys.rests(7, 1100)).isFalse();
        assertThat(keys.rests(8, 1100)).isTrue();
        assertThat(keys.rests(8, 1150)).isFalse();
    }

    @Test
    void mailbox_owesPartsAtOnce_andMessagesWhenTheyAreTaken() throws Exception {
        MessageAssembler messageAssembler = new MessageAssembler();
        messageAssembler.part(ByteBuffer.wrap(new byte[] {1, 2}), false);
        assertThat(messageAssembler.owed()).isEqualTo(1);
        assertThat(messageAssembler.take()).isNull();
        messageAssembler.part(ByteBuffer.wrap(new byte[] {3}), true);
        assertThat(messageAssembler.owed()).isEqualTo(1);
        assertThat(messageAssembler.take()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(messageAssembler.pay()).isEqualTo(2);
        assertThat(messageAssembler.owed()).isZero();
    }

    @Test
    void mailbox_overItsBounds_isRefused() throws Exception {
        MessageAssembler endless = new MessageAssembler();
        ByteBuffer most = ByteBuffer.allocate(MessageCodec.MAX_FRAME_BYTES);
        endless.part(most, false);
        assertThatThrownBy(() -> endless.part(ByteBuffer.allocate(1), false))
                .isInstanceOf(MalformedMessageException.class);
        MessageAssembler unread = new MessageAssembler();
        for (int i = 0; i < ControlFrame.WINDOW; i++) {
            unread.part(ByteBuffer.allocate(1), true);
        }
        assertThatThrownBy(() -> unread.part(ByteBuffer.allocate(1), true))
                .isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void backoff_spinsFirst_thenSleepsLongerAndLonger_toABound() {
        assertThat(SpinBackoff.pauseNs(0)).isZero();
        assertThat(SpinBackoff.pauseNs(SpinBackoff.SPINS + SpinBackoff.YIELDS - 1))
                .isZero();
        long before = 0;
        for (int looks = SpinBackoff.SPINS + SpinBackoff.YIELDS; looks < 10_000; looks++) {
            long pauseNs = SpinBackoff.pauseNs(looks);
            assertThat(pauseNs).isBetween(Math.max(1, before), 1_000_000L);
            before = pauseNs;
        }
        assertThat(SpinBackoff.pauseNs(Integer.MAX_VALUE)).isEqualTo(before);
    }
}
