package io.terrace.bench.conformance;

/**
 * One test class of the committed list.
 *
 * @param group what the class is about, e.g. {@code lease-recovery}
 * @param className its full name in Hadoop's test jars
 */
record ListedClass(String group, String className) {
    ListedClass {
        if (group.isBlank() || className.isBlank()) {
            throw new IllegalArgumentException("a listed class has a group and a name");
        }
    }

    /** The name without its package. */
    String simpleName() {
        return className.substring(className.lastIndexOf('.') + 1);
    }
}
