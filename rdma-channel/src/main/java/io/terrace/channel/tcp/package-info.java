/**
 * The provider for processes on different hosts: one-sided operations are done by the owner's server thread, straight from
 * the extent's file, over few shared connections with many requests in flight. The block's own HDFS checksums travel along
 * and are verified by the reader. Imports nothing but the JDK.
 */
@NullMarked
package io.terrace.channel.tcp;

import org.jspecify.annotations.NullMarked;
