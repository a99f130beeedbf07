package io.terrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.StorageTier;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.util.EnumSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The number that each outcome and tier has on the wire. */
final class ProtoConverterGoldenTest {

    @Test
    void outcomes() {
        assertThat(Stream.of(OutcomeProto.values())
                        .map(proto -> ProtoConverter.outcome(proto) + "=" + proto.getNumber()))
                .containsExactly(
                        "DONE=0",
                        "NO_ROOM=1",
                        "NOT_HERE=2",
                        "CHANGED=3",
                        "CORRUPT=4",
                        "PINNED=5",
                        "REFUSED=6",
                        "FAILED=7");
        for (OutcomeProto proto : OutcomeProto.values()) {
            assertThat(ProtoConverter.outcome(ProtoConverter.outcome(proto))).isEqualTo(proto);
        }
    }

    @Test
    void outcomes_ofTheServiceAlone_haveNoNumber() {
        for (MoveOutcome outcome : EnumSet.range(MoveOutcome.LOST, MoveOutcome.EXPIRED)) {
            assertThatThrownBy(() -> ProtoConverter.outcome(outcome))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(outcome.name());
        }
    }

    @Test
    void tiers() {
        assertThat(Stream.of(StorageTier.values())
                        .map(tier -> tier + "=" + ProtoConverter.tier(tier).getNumber()))
                .containsExactly("MEMORY=0", "NVM=1", "SSD=2", "DISK=3", "ARCHIVE=4");
        for (TierProto proto : TierProto.values()) {
            assertThat(ProtoConverter.tier(ProtoConverter.tier(proto))).isEqualTo(proto);
        }
    }
}
