package io.terrace.bench;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Packages stay small, are described, and never import each other in a circle. All modules: this one is built last. */
@AnalyzeClasses(packages = "io.terrace", importOptions = ImportOption.DoNotIncludeTests.class)
class PackageRulesTest {
    private static final int MOST_CLASSES = 25;
    private static final String GENERATED = "io.terrace.protocol.proto";

    @ArchTest
    static final ArchRule PACKAGES_ARE_FREE_OF_CYCLES =
            slices().matching("io.terrace.(**)").should().beFreeOfCycles();

    @ArchTest
    static void package_hasAtMost25Classes(JavaClasses classes) {
        assertThat(topLevelClasses(classes))
                .as("classes by package; a package with more than %d is divided", MOST_CLASSES)
                .allSatisfy((name, members) -> assertThat(members).hasSizeLessThanOrEqualTo(MOST_CLASSES));
    }

    @ArchTest
    static void package_hasADescription(JavaClasses classes) {
        assertThat(topLevelClasses(classes).keySet())
                .as("packages without a package-info")
                .allMatch(name -> classes.contain(name + ".package-info"));
    }

    private static Map<String, List<String>> topLevelClasses(JavaClasses classes) {
        Map<String, List<String>> byPackage = classes.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .filter(type -> !type.getPackageName().equals(GENERATED))
                .filter(type -> !type.getPackageName().endsWith(".jmh_generated"))
                .collect(Collectors.groupingBy(
                        JavaClass::getPackageName,
                        TreeMap::new,
                        Collectors.mapping(JavaClass::getSimpleName, Collectors.toList())));
        // Fewer would mean that the search is broken.
        assertThat(byPackage).hasSizeGreaterThan(50);
        return byPackage;
    }
}
