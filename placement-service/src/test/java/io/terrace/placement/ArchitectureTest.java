package io.terrace.placement;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.terrace", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule nameNodeClasses_areTouchedInOnePackage = noClasses()
            .that()
            .resideOutsideOfPackage("io.terrace.placement.hdfs..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.hadoop.hdfs.server..");

    @ArchTest
    static final ArchRule loop_knowsNothingOfHadoop = noClasses()
            .that()
            .resideInAPackage("io.terrace.placement..")
            .and()
            .resideOutsideOfPackage("io.terrace.placement.hdfs..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.hadoop..", "io.terrace.placement.hdfs..", "io.terrace.placementctl..");

    @ArchTest
    static final ArchRule nothing_importsTheDataNodesRoom = noClasses()
            .that()
            .resideInAnyPackage("io.terrace.placement..", "io.terrace.placementctl..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.terrace.datanode..");

    @ArchTest
    static final ArchRule service_doesNotKnowItsCommandLine = noClasses()
            .that()
            .resideInAPackage("io.terrace.placement..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.terrace.placementctl..");
}
