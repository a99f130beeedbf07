/**
 * The FileSystem class of {@code hdfs://}: stock HDFS whose reads look for a copy in memory first, on this host and on
 * others. Opt-in by {@code fs.hdfs.impl} and {@code fs.AbstractFileSystem.hdfs.impl}.
 *
 * <p>What must stand in Hadoop's packages is in {@link org.apache.hadoop.hdfs.TerraceDfsClient} and {@link
 * org.apache.hadoop.fs.TerraceHdfs}; where it cannot be linked, the file system is stock HDFS.
 */
@NullMarked
package io.terrace.fs;

import org.jspecify.annotations.NullMarked;
