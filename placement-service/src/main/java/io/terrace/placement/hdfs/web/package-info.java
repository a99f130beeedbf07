/**
 * The service's metrics on the NameNode's web server.
 *
 * <p>Imports: {@code metrics}; the NameNode's web server.
 */
@NullMarked
package io.terrace.placement.hdfs.web;

import org.jspecify.annotations.NullMarked;
