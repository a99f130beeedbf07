package io.terrace.bench.conformance;

import io.terrace.bench.conformance.launcher.Side;

/**
 * What kept results depend on.
 *
 * @param stock hash of what a result on stock depends on: Hadoop's jars, the site files, libhadoop, the JDK and its
 *     arguments; not the time limit, which {@link ResultStore} holds a result against
 * @param provider how clients read with Terrace
 * @param conditions hash of what a result with Terrace depends on besides Terrace: what stock depends on, our site file
 *     with further properties, and the system properties that it names
 * @param build hash of our jars
 */
record ResultKeys(String stock, Provider provider, String conditions, String build) {
    String stockDirectory() {
        return Side.STOCK.label() + "-" + stock;
    }

    String terraceDirectory() {
        return builds() + build;
    }

    /** What the directories of all builds of Terrace begin with that ran under the same conditions. */
    String builds() {
        return Side.TERRACE.label() + "-" + provider.label() + "-" + conditions + "-";
    }
}
