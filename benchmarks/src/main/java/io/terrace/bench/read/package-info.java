/** {@code bin/terrace bench read}: reads of stock HDFS and of Terrace side by side, with a target for each figure. */
@org.jspecify.annotations.NullMarked
package io.terrace.bench.read;
