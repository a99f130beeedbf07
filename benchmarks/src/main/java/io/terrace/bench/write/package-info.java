/**
 * {@code bin/terrace bench write}: writes of stock HDFS and of Terrace side by side, with a target for each figure.
 *
 * <p>Imports: {@code bench.measure}, {@code bench.cluster}, {@code bench.load}.
 */
@NullMarked
package io.terrace.bench.write;

import org.jspecify.annotations.NullMarked;
