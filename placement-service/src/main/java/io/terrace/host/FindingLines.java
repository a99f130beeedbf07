package io.terrace.host;

import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.Table;
import java.util.List;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/** Findings for a terminal, as {@code placementctl doctor} prints them. */
final class FindingLines {

    private FindingLines() {}

    static void print(DataNodeHost host, List<HostFinding> found, Printer printer) {
        HostFacts facts = host.facts();
        printer.line("Linux " + facts.kernel() + ", "
                + (facts.cgroup() == 0 ? "no control groups" : "control groups of version " + facts.cgroup()) + ", "
                + TraditionalBinaryPrefix.long2String(facts.memoryBytes(), "B", 1) + " of memory, swap "
                + (facts.swap() ? "on" : "off"));
        printer.line("Memory tier of "
                + TraditionalBinaryPrefix.long2String(host.settings().capacityBytes(), "B", 1) + " in "
                + host.settings().memoryDir() + ", DataNode of user "
                + host.owner().name() + ", "
                + (host.unit() == null ? "not started by systemd" : host.unit().name()));
        for (HostFinding each : found) {
            HealthFinding finding = each.finding();
            String word = finding.severity().name();
            String shown =
                    switch (finding.severity()) {
                        case ERROR -> printer.bad(word);
                        case WARNING -> printer.doubtful(word);
                        case NOTE -> word;
                    };
            printer.line(shown + "  " + finding.id());
            Table.wrapped(finding.text()).forEach(line -> printer.line("    " + line));
            Table.wrapped("-> " + finding.remedy()).forEach(line -> printer.line("    " + line));
        }
        printer.line(
                found.stream().allMatch(finding -> finding.severity() == Severity.NOTE)
                        ? printer.good("Nothing is wrong.")
                        : count(found, Severity.ERROR) + " errors, " + count(found, Severity.WARNING) + " warnings.");
    }

    private static long count(List<HostFinding> found, Severity severity) {
        return found.stream().filter(finding -> finding.severity() == severity).count();
    }
}
