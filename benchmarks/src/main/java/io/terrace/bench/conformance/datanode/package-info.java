/**
 * What is copied onto the class path of the DataNodes in Hadoop's tests, with Terrace's jars.
 *
 * <p>Imports: {@code datanode} and {@code common} of Terrace, Hadoop.
 */
@NullMarked
package io.terrace.bench.conformance.datanode;

import org.jspecify.annotations.NullMarked;
