/**
 * Whether Terrace's classes fit the JVM and the Hadoop that they are loaded into.
 *
 * <p>Compiled for Java 8, like the classes that Hadoop loads by name, so that they can answer in an older JVM. Imports
 * nothing of Terrace.
 */
@NullMarked
package io.terrace.compat;

import org.jspecify.annotations.NullMarked;
