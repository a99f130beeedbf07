package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnnotationChangesTest {

    private final AnnotationAuditLogger logger = new AnnotationAuditLogger();
    private final AnnotationChanges changes = logger.changes();

    private void log(boolean succeeded, String command, String source, String destination) {
        logger.logAuditEvent(succeeded, "user", null, command, source, destination, null);
    }

    /** Whether it concerns annotations, where no path has any now. */
    private boolean concerns() {
        return changes.take(100, paths -> false);
    }

    @ParameterizedTest
    @CsvSource({
        "setXAttr, /a/b,",
        "removeXAttr, /a/b,",
        "rename, /x/c, /a/c",
        "rename, /a/b/c, /a/c",
        "rename, /a/b/c, /x/c",
        "rename (options=[NONE]), /x/c, /a/b/c",
        "rename, /x/c, /a",
    })
    void whatConcernsAnnotatedDirectories_isNoted(String command, String source, String destination) {
        changes.annotated("/a", false);
        changes.annotated("/a/b", false);
        log(true, command, source, destination);
        assertThat(changes.isEmpty()).isFalse();
        assertThat(concerns()).isTrue();
        assertThat(changes.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "true, setXAttr, /x,",
        "true, rename, /x/y, /z/y",
        "true, rename, /a/x/y, /a/z/y",
        "true, rename, /a/b, /a/c",
        "true, renameSnapshot, /x/.snapshot/s, /a/.snapshot/t",
        "true, delete, /a/b,",
        "true, open, /a/b,",
        "true, setPermission, /a,",
        "true, removeAcl, /a,",
        "true, , /a,",
        "false, setXAttr, /a,",
        "false, rename, /x/c, /a/c",
    })
    void whatDoesNot_isNot(boolean succeeded, String command, String source, String destination) {
        changes.annotated("/a", false);
        log(succeeded, command, source, destination);
        assertThat(concerns()).isFalse();
    }

    @Test
    void renamedDirectory_isAnnotatedAtItsNewPath() {
        changes.annotated("/a/b", false);
        log(true, "rename", "/a/b", "/c/d");
        assertThat(concerns()).as("what is below it has the same annotations").isFalse();
        log(true, "rename", "/x/file", "/c/d/file");
        assertThat(concerns()).isTrue();
        log(true, "rename", "/x/file", "/a/b/file");
        assertThat(concerns()).isFalse();
    }

    @Test
    void renamedIntoADirectory_whatIsThereStaysAnnotated_andItIsAnnotatedBelow() {
        changes.annotated("/d/e", false);
        changes.annotated("/a/b", false);
        log(true, "rename", "/a/b", "/d");
        concerns();
        log(true, "rename", "/x/file", "/d/e/file");
        assertThat(concerns()).isTrue();
        log(true, "rename", "/x/file", "/d/b/file");
        assertThat(concerns()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"OVERWRITE, false", "NONE, true"})
    void renamedByTheNewerCall_whatIsThereIsGoneIfOverwritten(String option, boolean stays) {
        changes.annotated("/d/e", false);
        log(true, "rename (options=[" + option + "])", "/a/b", "/d");
        concerns();
        log(true, "rename", "/x/file", "/d/e/file");
        assertThat(concerns()).isEqualTo(stays);
    }

    @Test
    void renamedWithADirectoryAboveIt_isAnnotatedAtItsNewPath() {
        changes.annotated("/a/b/c", false);
        changes.annotated("/a/bc", false);
        log(true, "rename", "/a/b", "/d");
        assertThat(concerns()).isFalse();
        log(true, "rename", "/x/file", "/d/c/file");
        assertThat(concerns()).isTrue();
        log(true, "rename", "/x/file", "/a/b/c/file");
        assertThat(concerns()).isFalse();
        log(true, "rename", "/x/file", "/a/bc/file");
        assertThat(concerns()).isTrue();
    }

    @Test
    void deleted_isNotAnnotatedAnyMore_norWhatWasBelow() {
        changes.annotated("/a/b", false);
        changes.annotated("/a/b/c", false);
        changes.annotated("/a/bc", false);
        log(true, "delete", "/a/b", null);
        log(true, "rename", "/x/file", "/a/b/file");
        log(true, "rename", "/x/file", "/a/b/c/file");
        assertThat(concerns()).isFalse();
        log(true, "rename", "/x/file", "/a/bc/file");
        assertThat(concerns()).isTrue();
    }

    @Test
    void veryManyAnnotatedPaths_thoseToldOfLateAreKept() {
        changes.annotated("/mine", false);
        for (int i = 0; i < 3 * AnnotatedPaths.MOST; i++) {
            changes.annotated("/theirs/" + i, false);
            if (i % 1_000 == 0) {
                changes.annotated("/mine", false);
            }
        }
        changes.annotated("/new", false);
        log(true, "rename", "/x/file", "/mine/file");
        assertThat(concerns()).isTrue();
        log(true, "rename", "/x/file", "/new/file");
        assertThat(concerns()).isTrue();
        log(true, "rename", "/x/file", "/theirs/0/file");
        assertThat(concerns()).isFalse();
    }

    @Test
    void attributesOfPathsWithoutAnnotationsBefore_areLookedAt_soManyAtATime() {
        for (int i = 0; i < 5; i++) {
            log(true, "setXAttr", "/x" + i, null);
        }
        List<String> asked = new ArrayList<>();
        assertThat(changes.take(3, paths -> !asked.addAll(paths))).isFalse();
        assertThat(asked).hasSize(3);
        assertThat(changes.take(3, paths -> asked.addAll(paths))).isTrue();
        assertThat(asked).containsExactlyInAnyOrder("/x0", "/x1", "/x2", "/x3", "/x4");
    }

    @Test
    void whatIsNoted_isBounded() {
        for (int i = 0; i < 2 * AnnotationChanges.MOST_CHANGED; i++) {
            log(true, "setXAttr", "/x" + i, null);
        }
        List<String> asked = new ArrayList<>();
        changes.take(Integer.MAX_VALUE, asked::addAll);
        assertThat(asked).hasSize(AnnotationChanges.MOST_CHANGED);
    }

    @Test
    void nothing_makesTheLoggerFail() {
        changes.annotated("/a", false);
        String[] texts = {null, "", "/", "//", "x", "setXAttr", "removeXAttr", "rename", "rename (", "/a", "/a/", "\0"};
        assertThatCode(() -> {
                    logger.initialize(null);
                    for (String command : texts) {
                        for (String source : texts) {
                            for (String destination : texts) {
                                log(true, command, source, destination);
                                logger.logAuditEvent(false, null, null, command, source, destination, null);
                            }
                        }
                    }
                    concerns();
                })
                .doesNotThrowAnyException();
    }

    @Test
    void directoriesThatDecideOnWrites_areKnown_untilTheyAreDeleted_andByTheirNewNames() {
        changes.annotated("/a", false);
        changes.annotated("/b", true);
        changes.annotated("/c/d", true);
        assertThat(changes.ofWrites(10)).containsExactly("/c/d", "/b");
        changes.annotated("/b", true);
        assertThat(changes.ofWrites(1)).containsExactly("/b");
        long version = changes.ofWritesVersion();
        log(true, "rename", "/c", "/e");
        assertThat(changes.ofWritesVersion()).isNotEqualTo(version);
        log(true, "delete", "/b", null);
        assertThat(changes.ofWrites(10)).contains("/e/d").doesNotContain("/b", "/c/d");
    }

    @Test
    void deletionsAndRenamesElsewhere_doNotChangeTheVersion() {
        changes.annotated("/a/b", true);
        long version = changes.ofWritesVersion();
        log(true, "delete", "/c", null);
        log(true, "delete", "/a/b/c", null);
        log(true, "rename", "/c", "/a/b/d");
        assertThat(changes.ofWritesVersion()).isEqualTo(version);
        log(true, "delete", "/a", null);
        assertThat(changes.ofWritesVersion()).isNotEqualTo(version);
    }

    /** What it says may have changed, and a name may have come back. */
    @Test
    void directoryThatDecided_isToldAgain_changesTheVersion() {
        changes.annotated("/a", true);
        long version = changes.ofWritesVersion();
        changes.annotated("/x", false);
        assertThat(changes.ofWritesVersion()).isEqualTo(version);
        changes.annotated("/a", false);
        assertThat(changes.ofWritesVersion()).isNotEqualTo(version);
    }
}
