package io.terrace;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.terrace.channel.transport.NativeChunkVerifier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.metrics.Metrics2Source;
import io.terrace.metrics.MetricsBean;
import io.terrace.metrics.Series;

/** which package may import which. */
@AnalyzeClasses(packages = "io.terrace", importOptions = ImportOption.DoNotIncludeTests.class)
class ImportsTest {
    private static final String[] JDK = {"java..", "jdk.net..", "org.slf4j..", "org.jspecify.."};

    @ArchTest
    static final ArchRule CHANNEL_KNOWS_THE_JDK_ONLY = classes()
            .that()
            .resideInAPackage("io.terrace.channel..")
            .and()
            .resideOutsideOfPackage("io.terrace.channel.verbs..")
            .and()
            .doNotBelongToAnyOf(NativeChunkVerifier.class)
            .should()
            .onlyDependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(JDK)
                    .or(JavaClass.Predicates.resideInAnyPackage("io.terrace.channel..", "io.terrace.common.."))
                    .or(JavaClass.Predicates.belongToAnyOf(Metric.class, MetricRegistry.class, Metrics2Source.class)));

    @ArchTest
    static final ArchRule VERBS_KNOW_DISNI_TOO = classes()
            .that()
            .resideInAPackage("io.terrace.channel.verbs..")
            .should()
            .onlyDependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(JDK)
                    .or(JavaClass.Predicates.resideInAnyPackage(
                            "io.terrace.channel..", "io.terrace.common..", "com.ibm.disni.verbs", "com.sun.jna")));

    @ArchTest
    static final ArchRule CLIENT_KNOWS_THE_JDK_AND_HADOOP_ONLY = classes()
            .that()
            .resideInAPackage("io.terrace.client..")
            .should()
            .onlyDependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(JDK)
                    .or(JavaClass.Predicates.resideInAnyPackage(
                            "org.apache.hadoop..",
                            "io.terrace.channel..",
                            "io.terrace.client..",
                            "io.terrace.common..",
                            "io.terrace.compat..",
                            "io.terrace.conf..",
                            "io.terrace.protocol"))
                    .or(JavaClass.Predicates.belongToAnyOf(
                            Metric.class,
                            MetricRegistry.class,
                            Metrics2Source.class,
                            MetricsBean.class,
                            Series.Tag.class)));

    @ArchTest
    static final ArchRule MICROMETER_STAYS_IN_ITS_BRIDGE = noClasses()
            .that()
            .haveNameNotMatching("io\\.terrace\\.metrics\\.MicrometerBridge")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micrometer..");

    @ArchTest
    static final ArchRule FIGURES_KNOW_NO_ROOM = noClasses()
            .that()
            .resideInAnyPackage("io.terrace.metrics..", "io.terrace.protocol..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.terrace.channel..", "io.terrace.client..", "io.terrace.fs..");

    @ArchTest
    static final ArchRule CHANNEL_AND_CLIENT_KNOW_NO_DAEMON = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.terrace.datanode..", "io.terrace.placement..", "io.terrace.placementctl..");
}
