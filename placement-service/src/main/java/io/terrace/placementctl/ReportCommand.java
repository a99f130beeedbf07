package io.terrace.placementctl;

import io.terrace.common.Quantity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.BenefitProto;
import io.terrace.protocol.proto.AdminProtos.EstimateProto;
import io.terrace.protocol.proto.AdminProtos.ReportRequestProto;
import io.terrace.protocol.proto.AdminProtos.ReportResponseProto;
import io.terrace.protocol.proto.AdminProtos.SampleProto;
import io.terrace.protocol.proto.AdminProtos.TierReadsProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code placementctl report}. */
@Command(
        name = "report",
        description = {
            "What tiers are worth: how long DataNodes take to serve reads of stock clients from each tier. Compares read"
                    + " times of promoted blocks with those of equally hot blocks in the control sample.",
            "Intervals are of 95 %%. A read counts half after each half hour."
        },
        mixinStandardHelpOptions = true)
final class ReportCommand extends AdminCommand {

    private static final String TOO_FEW = "too few";

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        ReportResponseProto answer =
                client.active(service -> service.report(null, ReportRequestProto.getDefaultInstance()));
        if (cluster().json) {
            printer.json(ProtoJson.object(answer));
            return ExitCode.OK;
        }
        Table tiers = new Table("TIER", ">READS", ">READ", ">MS A READ (95 %)", ">MS A MB (95 %)", ">MEMORY SAVES, MS");
        for (TierReadsProto tier : answer.getTiersList()) {
            tiers.row(
                    name(tier.getTier()),
                    tier.getReads(),
                    Quantity.bytes(tier.getBytes()),
                    tier.hasReadUs() ? millis(tier.getReadUs()) : TOO_FEW,
                    tier.hasMegabyteUs() ? millis(tier.getMegabyteUs()) : TOO_FEW,
                    saved(tier));
        }
        if (tiers.isEmpty()) {
            printer.line("No read was timed.");
        } else {
            printer.table(tiers);
        }
        if (answer.getControlPercent() == 0) {
            printer.line("No control sample: terrace.placement.control.share is 0, so nothing is compared.");
        } else if (answer.getBenefitsList().isEmpty()) {
            printer.line("Heat asked no tier for a block of the control sample (" + answer.getControlPercent()
                    + " % of blocks).");
        } else {
            Table samples = new Table("ASKED FOR", "BLOCKS THAT", ">BLOCKS", ">READS", ">TIMED", ">MS A READ (95 %)");
            answer.getBenefitsList().forEach(benefit -> {
                row(samples, benefit, "stayed", benefit.getControl());
                row(samples, benefit, "climbed", benefit.getTreated());
            });
            printer.table(samples);
            answer.getBenefitsList().forEach(benefit -> Table.wrapped(benefit.getText() + ".", Table.WIDTH)
                    .forEach(printer::line));
        }
        return ExitCode.OK;
    }

    private static String saved(TierReadsProto tier) {
        return tier.hasSavedReadUs()
                ? number(tier.getSavedReadUs()) + " a read, " + number(tier.getSavedMegabyteUs()) + " a MB"
                : "-";
    }

    private static void row(Table table, BenefitProto benefit, String which, SampleProto sample) {
        table.row(
                name(benefit.getTier()),
                which,
                sample.getBlocks(),
                sample.getReads(),
                sample.getTimedReads(),
                sample.hasReadUs() ? millis(sample.getReadUs()) : TOO_FEW);
    }

    private static String name(TierProto tier) {
        return tier.name().toLowerCase(Locale.ROOT);
    }

    private static String millis(EstimateProto us) {
        return number(us.getMean()) + " (" + number(us.getLow()) + "-" + number(us.getHigh()) + ")";
    }

    /** Milliseconds, to three digits where they are few. */
    private static String number(double us) {
        return String.format(Locale.ROOT, us < 1e6 ? "%.3g" : "%.0f", us / 1e3);
    }
}
