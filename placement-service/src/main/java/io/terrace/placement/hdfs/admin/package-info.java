/**
 * Answers the requests of {@code placementctl}.
 *
 * <p>Imports: {@code placement.hdfs.namesystem} and what it imports, {@code placement.hdfs.health}, {@code placement.volume}, {@code
 * placement.explain}, {@code placement.write}.
 */
@NullMarked
package io.terrace.placement.hdfs.admin;

import org.jspecify.annotations.NullMarked;
