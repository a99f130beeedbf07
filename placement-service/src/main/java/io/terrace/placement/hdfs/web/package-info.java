/**
 * The service's metrics on the NameNode's web server.
 *
 * <p>Imports: {@code placement.report}.
 */
@NullMarked
package io.terrace.placement.hdfs.web;

import org.jspecify.annotations.NullMarked;
