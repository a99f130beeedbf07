/**
 * Answers the requests of {@code placementctl}.
 *
 * <p>Imports: {@code placement.hdfs.namesystem} and what it imports, {@code placement.volume}.
 */
@NullMarked
package io.terrace.placement.hdfs.admin;

import org.jspecify.annotations.NullMarked;
