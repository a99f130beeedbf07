package io.terrace.policy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.terrace.policy", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule KNOWS_NOTHING_OF_HADOOP_OR_OTHER_MODULES = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.apache.hadoop..",
                    "io.terrace.channel..",
                    "io.terrace.client..",
                    "io.terrace.datanode..",
                    "io.terrace.placement..",
                    "io.terrace.placementctl..",
                    "io.terrace.protocol..",
                    "io.terrace.bench..");

    @ArchTest
    static final ArchRule READS_NO_CLOCK = noClasses()
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime");

    @ArchTest
    static final ArchRule POLICIES_KNOW_NOTHING_OF_THE_SIMULATOR = noClasses()
            .that()
            .resideOutsideOfPackage("io.terrace.policy.replay..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.terrace.policy.replay..");
}
