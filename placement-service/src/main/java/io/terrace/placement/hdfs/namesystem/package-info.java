/**
 * The NameNode's maps, read under bounded lock holds, annotations, and the extended attributes of the root directory.
 *
 * <p>Imports: {@code placement}; NameNode classes, Caffeine.
 */
@NullMarked
package io.terrace.placement.hdfs.namesystem;

import org.jspecify.annotations.NullMarked;
