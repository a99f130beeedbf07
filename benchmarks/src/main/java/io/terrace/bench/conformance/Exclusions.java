package io.terrace.bench.conformance;

import io.terrace.bench.conformance.launcher.TestRun;
import io.terrace.bench.conformance.launcher.TestRun.TestResult;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tests that are not compared, each with the reason.
 *
 * <p>One line each: {@code CLASS REASON} for a class, {@code CLASS#TEST REASON} for one test of it, whatever its
 * parameters; {@code @TCP} or {@code @SHM} after it, that it is so with this provider alone, {@code @WRITES}, where files are
 * written over the channel; {@code #} at the start of a line or after a blank starts a comment. A line without a reason is
 * refused.
 *
 * @param reasons by class, or by class and test
 */
record Exclusions(Map<String, String> reasons) {
    static final Exclusions NONE = new Exclusions(Map.of());

    private static final String WRITES = "WRITES";

    Exclusions {
        reasons = Map.copyOf(reasons);
    }

    /**
     * Reads the exclusions that hold for a provider.
     *
     * @param writes whether files are written over the channel
     * @throws IllegalArgumentException naming the line that has no reason, no class name or an unknown condition
     */
    static Exclusions parse(List<String> lines, Provider provider, boolean writes) {
        Map<String, String> reasons = new HashMap<>();
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1).trim();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] parts = line.split("\\s+", 2);
            if (parts.length < 2 || parts[1].startsWith("#")) {
                throw new IllegalArgumentException("line " + number + ": " + line + " is excluded without a reason");
            }
            String[] whatAndWhere = parts[0].split("@", 2);
            String what = whatAndWhere[0];
            int hash = what.indexOf('#');
            ClassList.requireClassName(hash < 0 ? what : what.substring(0, hash), number);
            if (whatAndWhere.length == 1 || holds(whatAndWhere[1], provider, writes, number)) {
                reasons.put(what, parts[1]);
            }
        }
        return new Exclusions(reasons);
    }

    private static boolean holds(String condition, Provider provider, boolean writes, int line) {
        if (condition.equals(WRITES)) {
            return writes;
        }
        if (Arrays.stream(Provider.values()).noneMatch(known -> known.name().equals(condition))) {
            throw new IllegalArgumentException("line " + line + ": " + condition + " is neither " + WRITES
                    + " nor one of " + Arrays.toString(Provider.values()));
        }
        return condition.equals(provider.name());
    }

    /** Whether the class as a whole is left out. */
    boolean leavesOut(String className) {
        return reasons.containsKey(className);
    }

    /** How many tests of the class are left out. */
    long testsOf(String className) {
        return reasons.keySet().stream()
                .filter(what -> what.startsWith(className + "#"))
                .count();
    }

    /** The run without the tests that are left out. */
    TestRun without(TestRun run) {
        Map<String, TestResult> tests = new HashMap<>(run.tests());
        tests.keySet().removeIf(test -> reasons.containsKey(run.className() + "#" + methodName(test)));
        return new TestRun(run.className(), run.ending(), run.seconds(), tests, run.figures());
    }

    /** How many classes and how many tests are left out. */
    int count(boolean wholeClasses) {
        return (int) reasons.keySet().stream()
                .filter(what -> what.contains("#") != wholeClasses)
                .count();
    }

    /** {@code testReads(int)[#2]} without parameters and invocation. */
    private static String methodName(String test) {
        int end = test.indexOf('(');
        return end < 0 ? test : test.substring(0, end);
    }
}
