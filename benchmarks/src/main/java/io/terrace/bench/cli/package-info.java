/** The commands of {@code bin/terrace}. */
@org.jspecify.annotations.NullMarked
package io.terrace.bench.cli;
