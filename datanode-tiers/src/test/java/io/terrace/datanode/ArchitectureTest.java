package io.terrace.datanode;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Imports run one way. */
@AnalyzeClasses(
        packages = {
            "io.terrace.datanode",
            "org.apache.hadoop.hdfs.server.datanode",
            "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl",
            "org.apache.hadoop.hdfs.server.datanode.metrics"
        },
        importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class ArchitectureTest {

    @ArchTest
    static final ArchRule DATANODE_CLASSES_ARE_TOUCHED_IN_ONE_PACKAGE = noClasses()
            .that()
            .resideInAPackage("io.terrace.datanode..")
            .and()
            .resideOutsideOfPackage("io.terrace.datanode.hdfs..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.apache.hadoop.hdfs.server..", "io.terrace.datanode.hdfs..");

    @ArchTest
    static final ArchRule THE_SERVICE_AND_THE_CLIENT_ARE_UNKNOWN = noClasses()
            .that()
            .resideInAnyPackage("io.terrace.datanode..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.terrace.placement..",
                    "io.terrace.placementctl..",
                    "io.terrace.policy..",
                    "io.terrace.client..",
                    "org.apache.hadoop.hdfs.server.namenode..");

    @ArchTest
    static final ArchRule THE_BRIDGE_ONLY_FORWARDS = classes()
            .that()
            .haveSimpleNameStartingWith("Terrace")
            .and()
            .resideInAPackage("org.apache.hadoop..")
            .should()
            .onlyDependOnClassesThat(JavaClass.Predicates.resideOutsideOfPackage("io.terrace..")
                    .or(JavaClass.Predicates.resideInAnyPackage("io.terrace.datanode.hdfs..", "io.terrace.compat")));
}
