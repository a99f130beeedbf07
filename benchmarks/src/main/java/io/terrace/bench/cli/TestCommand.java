package io.terrace.bench.cli;

import io.terrace.bench.conformance.HadoopConformance;
import io.terrace.bench.dist.DistTest;
import io.terrace.bench.explain.ExplainRun;
import io.terrace.bench.fuzz.FuzzTest;
import io.terrace.bench.guides.GuidesTest;
import io.terrace.bench.host.HostTest;
import io.terrace.bench.monitoring.MonitoringTest;
import io.terrace.bench.page.PageTest;
import io.terrace.bench.simulation.Simulation;
import io.terrace.bench.soak.SoakTest;
import io.terrace.bench.tierfaults.TierFaults;
import io.terrace.bench.upgrade.UpgradeTest;
import io.terrace.bench.versions.VersionsTest;
import io.terrace.bench.writefaults.WriteFaults;
import picocli.CommandLine.Command;

/** {@code bin/terrace test}: what is too long for the build, or worth asking for by itself. */
@Command(
        name = "test",
        mixinStandardHelpOptions = true,
        description = "Look for faults.",
        footer = "  verbs       Test RDMA verbs on a real verbs device, in an emulated guest; has its own --help.",
        subcommands = {
            Simulation.class,
            WriteFaults.class,
            TierFaults.class,
            HadoopConformance.class,
            DistTest.class,
            ExplainRun.class,
            FuzzTest.class,
            GuidesTest.class,
            HostTest.class,
            MonitoringTest.class,
            SoakTest.class,
            UpgradeTest.class,
            PageTest.class,
            VersionsTest.class
        })
final class TestCommand {}
