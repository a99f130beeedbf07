/**
 * {@code bin/terrace test host}: {@code terrace-host} on images of hosts with several kernels and control groups, its units
 * before systemd, its mount on this host, and all scripts before shellcheck.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.measure}.
 */
@NullMarked
package io.terrace.bench.host;

import org.jspecify.annotations.NullMarked;
