/** The benchmark of reads from other hosts: {@code bin/terrace bench remote}. */
package io.terrace.bench.remote;
