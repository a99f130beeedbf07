/**
 * Hadoop's FileSystem classes for {@code hdfs://}: stock HDFS with reads from memory, and writes over the channel where
 * that is on. Opt-in by {@code fs.hdfs.impl} and {@code fs.AbstractFileSystem.hdfs.impl}. What must stand in Hadoop's
 * packages is in {@code TerraceDfsClient} and {@code TerraceHdfs}. Where these cannot be linked, the file system is stock
 * HDFS.
 *
 * <p>Imports: {@code conf}, {@code client} and its sub-packages, the bridges in Hadoop's packages.
 */
@NullMarked
package io.terrace.fs;

import org.jspecify.annotations.NullMarked;
