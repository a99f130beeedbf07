/**
 * The service on the NameNode's web server: its metrics, and the page at {@code /terrace/} with what it asks for.
 *
 * <p>Imports: {@code metrics}, {@code protocol}, {@code placement.hdfs.admin}; the NameNode's web server.
 */
@NullMarked
package io.terrace.placement.hdfs.web;

import org.jspecify.annotations.NullMarked;
