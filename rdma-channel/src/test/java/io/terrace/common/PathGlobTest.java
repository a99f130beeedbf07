package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathGlobTest {

    @ParameterizedTest
    @CsvSource({
        "/a/b, /a/b, true",
        "/a/b, /a/bc, false",
        "/a/*, /a/b, true",
        "/a/*, /a/b/c, false",
        "/a/*, /a, false",
        "/a/**, /a, true",
        "/a/**, /a/b/c/d, true",
        "/a/**, /ab, false",
        "/**/x, /x, true",
        "/**/x, /a/b/x, true",
        "/a/**/x/*.orc, /a/1/x/2/x/f.orc, true",
        "/a/**/x/*.orc, /a/1/x/2/f.orc, false",
        "/a/?-*-z, /a/1-b-c-z, true",
        "/a/?-*-z, /a/12-z, false",
        "/**, /, true",
        "/**, /anything/at/all, true",
        "/a/?, /a/\uD83D\uDE00, true",
        "/a/??, /a/\uD83D\uDE00, false",
        "/a/*?b, /a/\uD83D\uDE00b, true",
        "/a/*??b, /a/\uD83D\uDE00b, false",
        "/a/*x?, /a/x\uD83D\uDE00, true",
    })
    void matches_pattern_takesInWhatItSays(String glob, String path, boolean expected) {
        assertThat(PathGlob.of(glob).matches(path)).isEqualTo(expected);
    }

    @Test
    void matches_braces_standForEither() {
        PathGlob glob = PathGlob.of("/w/{a,b}/{x,y*}");
        assertThat(glob.matches("/w/a/x")).isTrue();
        assertThat(glob.matches("/w/b/yes")).isTrue();
        assertThat(glob.matches("/w/c/x")).isFalse();
    }

    @Test
    void matches_manyStars_isNotSlow() {
        PathGlob glob = PathGlob.of("/" + "a*".repeat(200) + "b");
        assertThat(glob.matches("/" + "a".repeat(8000))).isFalse();
        PathGlob deep = PathGlob.of("/" + "**/a/".repeat(80) + "b");
        assertThat(deep.matches("/a".repeat(500))).isFalse();
    }

    /** Against the JDK's regular expressions, as another opinion. */
    @Test
    void matches_randomPatterns_agreeWithRegularExpressions() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            String glob = "";
            String regex = "";
            for (int i = random.nextInt(4); i >= 0; i--) {
                if (random.nextInt(4) == 0) {
                    glob += "/**";
                    regex += "(/[^/]*)*";
                } else {
                    glob += "/";
                    regex += "/";
                    for (int j = random.nextInt(3); j >= 0; j--) {
                        String part = new String[] {"a", "b", "*", "?"}[random.nextInt(4)];
                        if (part.equals("*") && glob.endsWith("*")) {
                            continue;
                        }
                        glob += part;
                        regex += part.equals("*") ? "[^/]*" : part.equals("?") ? "[^/]" : part;
                    }
                }
            }
            String path = "";
            for (int i = random.nextInt(5); i >= 0; i--) {
                path += "/" + new String[] {"a", "b", "ab", "aab", "ba"}[random.nextInt(5)];
            }
            assertThat(PathGlob.of(glob).matches(path))
                    .as("%s on %s, seed %d", glob, path, seed)
                    .isEqualTo(Pattern.matches(regex, path));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/a/./b, without",
        "/a/../b, without",
        "'/a/{b,..}', without",
        "/.reserved/raw/a/**, write /a/**",
        "/a/.snapshot/**, without .snapshot",
    })
    void pattern_thatNeverMatches_isNamedWithTheRemedy(String glob, String remedy) {
        assertThat(PathGlob.of(glob).neverMatches()).contains(glob, remedy);
    }

    @ParameterizedTest
    @CsvSource({"/**", "/", "/a/.b/..c/*", "/a/.reserved/**", "/a/.snapshots", "/.*/**"})
    void pattern_thatMayMatch_isTaken(String glob) {
        assertThat(PathGlob.of(glob).neverMatches()).isNull();
    }
}
