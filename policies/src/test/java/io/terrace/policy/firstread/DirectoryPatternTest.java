package io.terrace.policy.firstread;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DirectoryPatternTest {

    @Test
    void of_datesAndNumbers_areAlike() {
        assertThat(DirectoryPattern.of("/logs/2026-11-25/00/part-3")).isEqualTo("/logs/#-#-#/#");
        assertThat(DirectoryPattern.of("/logs/2027-1-2/13/other")).isEqualTo("/logs/#-#-#/#");
    }

    @Test
    void number_isThatOfTheDirectoryPattern() {
        assertThat(DirectoryPattern.number("/logs/2026-11-25/00/part-3"))
                .isEqualTo(DirectoryPattern.number("/logs/2027-1-2/13/other"))
                .isNotEqualTo(DirectoryPattern.number("/logs/2026-11-25/part-3"))
                .isNotEqualTo(DirectoryPattern.number("/tmp/2026-11-25/00/part-3"))
                .isNotZero();
    }

    @Test
    void of_fileInRoot_isRoot() {
        assertThat(DirectoryPattern.of("/f")).isEqualTo("/");
        assertThat(DirectoryPattern.of("f")).isEqualTo("/");
    }
}
