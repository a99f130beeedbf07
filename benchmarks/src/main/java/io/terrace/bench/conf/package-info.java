/** The properties by which a Hadoop that is installed already gets Terrace: the source of {@code conf/}. */
@org.jspecify.annotations.NullMarked
package io.terrace.bench.conf;
