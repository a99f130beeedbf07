/**
 * Virtual time, network, files and processes, driven by one scheduler, and the bytes that each block should have.
 *
 * <p>Imports: the JDK.
 */
@NullMarked
package io.terrace.bench.simulation.kernel;

import org.jspecify.annotations.NullMarked;
