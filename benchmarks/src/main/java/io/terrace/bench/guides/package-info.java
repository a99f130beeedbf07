/**
 * Pages of the documentation that are followed to the letter: {@code bin/terrace test guides} sets up HBase, MapReduce and Spark by
 * their pages, and runs the pages' commands.
 */
@NullMarked
package io.terrace.bench.guides;

import org.jspecify.annotations.NullMarked;
