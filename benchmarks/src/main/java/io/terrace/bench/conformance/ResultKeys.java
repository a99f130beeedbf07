package io.terrace.bench.conformance;

/**
 * What kept results depend on.
 *
 * @param stock hash of what a result on stock depends on: Hadoop's jars, the site files, libhadoop, the JDK and its arguments; not
 *     the time limit, as a longer one makes no pass wrong
 * @param provider how clients read with Terrace
 * @param settings the further properties of Terrace's side
 * @param build hash of our jars and our site file
 */
record ResultKeys(String stock, Provider provider, String settings, String build) {
    String stockDirectory() {
        return Side.STOCK.label() + "-" + stock;
    }

    String terraceDirectory() {
        return builds() + build;
    }

    /** What the directories of all builds of Terrace begin with that ran with the same Hadoop, provider and settings. */
    String builds() {
        String conditions = new ContentHash().add(stock).add(settings).hex();
        return Side.TERRACE.label() + "-" + provider.label() + "-" + conditions + "-";
    }
}
