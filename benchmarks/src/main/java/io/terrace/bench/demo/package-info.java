/** {@code bin/terrace demo}: a skewed workload on a small cluster, with hot blocks climbing into memory. */
@org.jspecify.annotations.NullMarked
package io.terrace.bench.demo;
