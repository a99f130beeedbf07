package io.terrace.placement.control;

import io.terrace.common.StorageTier;
import io.terrace.placement.control.Benefit.Side;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.proto.AdminProtos.BenefitProto;
import io.terrace.protocol.proto.AdminProtos.EstimateProto;
import io.terrace.protocol.proto.AdminProtos.ReportResponseProto;
import io.terrace.protocol.proto.AdminProtos.SampleProto;
import io.terrace.protocol.proto.AdminProtos.TierReadsProto;
import java.util.Locale;

/** What is known of read times, for {@code placementctl report}. Durations in microseconds. */
public final class ReportCodec {

    private static final double NS_PER_US = 1e3;
    private static final double BYTES_PER_MEGABYTE = 1 << 20;

    private ReportCodec() {}

    public static ReportResponseProto report(long nowMs, ControlTrial trial) {
        ReportResponseProto.Builder response = ReportResponseProto.newBuilder()
                .setControlPercent(trial.sample().percent());
        trial.times().forEach(times -> response.addTiers(tier(times, trial.readCosts())));
        trial.benefits(nowMs).forEach(benefit -> response.addBenefits(benefit(benefit)));
        return response.build();
    }

    private static TierReadsProto tier(TierTimes times, ReadCosts costs) {
        TierReadsProto.Builder proto = TierReadsProto.newBuilder()
                .setTier(ProtoConverter.tier(times.tier()))
                .setReads(times.reads())
                .setBytes(times.bytes());
        if (times.readNs() != null) {
            proto.setReadUs(scaled(times.readNs(), 1 / NS_PER_US));
        }
        if (times.byteNs() != null) {
            proto.setMegabyteUs(scaled(times.byteNs(), BYTES_PER_MEGABYTE / NS_PER_US));
        }
        if (times.tier() != StorageTier.MEMORY) {
            proto.setSavedReadUs(costs.savedAccessNs(times.tier()) / NS_PER_US)
                    .setSavedMegabyteUs(costs.savedByteNs(times.tier()) * BYTES_PER_MEGABYTE / NS_PER_US);
        }
        return proto.build();
    }

    private static BenefitProto benefit(Benefit benefit) {
        BenefitProto.Builder proto = BenefitProto.newBuilder()
                .setTier(ProtoConverter.tier(benefit.tier()))
                .setControl(side(benefit.control()))
                .setTreated(side(benefit.treated()))
                .setVerdict(benefit.verdict().name().toLowerCase(Locale.ROOT))
                .setText(benefit.text());
        if (benefit.timesAsFast() != null) {
            proto.setTimesAsFast(scaled(benefit.timesAsFast(), 1));
        }
        if (benefit.leftForMs() > 0) {
            proto.setLeftForMs(benefit.leftForMs());
        }
        return proto.build();
    }

    private static SampleProto side(Side side) {
        SampleProto.Builder proto = SampleProto.newBuilder()
                .setBlocks(side.blocks())
                .setReads(side.reads())
                .setTimedReads(side.timedReads());
        if (side.readNs() != null) {
            proto.setReadUs(scaled(side.readNs(), 1 / NS_PER_US));
        }
        return proto.build();
    }

    private static EstimateProto scaled(Estimate estimate, double factor) {
        return EstimateProto.newBuilder()
                .setMean(estimate.mean() * factor)
                .setLow(estimate.low() * factor)
                .setHigh(estimate.high() * factor)
                .build();
    }
}
