package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.policyfile.AnnotatedRule;
import io.terrace.placement.policyfile.AnnotatedRule.Held;
import io.terrace.placement.policyfile.AnnotationWord;
import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicyFile;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a rule or annotation that forbids a file in memory. */
class FileSituationsTest {

    @Test
    void remedy_withAPathOfAnybody_isSafeToPasteIntoAShell() throws Exception {
        PathRule rule = PolicyFile.read("test", "policy: lru\nrules: [{path: /w/**, place: never}]\n")
                .rules()
                .get(0);
        assertThat(remedy(rule, "/w/plain")).contains("annotate /w/plain --remove place");
        assertThat(remedy(rule, "/w/x; touch y")).contains("annotate '/w/x; touch y' --remove place");
        assertThat(remedy(rule, "/w/'; touch y")).contains("annotate PATH --remove place");
    }

    private static String remedy(PathRule rule, String path) {
        Held held = new Held(AnnotationWord.PLACE, "never", Scope.USER, path);
        return FileSituations.forbidding(new AnnotatedRule(rule, List.of(held), List.of()), rule, false)
                .remedy();
    }
}
