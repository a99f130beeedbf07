/**
 * What the NameNode's side of {@code placementctl doctor} finds wrong.
 *
 * <p>Imports: {@code placement.hdfs.namesystem} and what it imports.
 */
@NullMarked
package io.terrace.placement.hdfs.health;

import org.jspecify.annotations.NullMarked;
