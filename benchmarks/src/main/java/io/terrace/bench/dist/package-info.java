/**
 * {@code bin/terrace test dist}: builds the tarball twice, installs it beside a stock Hadoop as docs/guides/install.md says, and
 * reads from memory with what was installed alone.
 */
@NullMarked
package io.terrace.bench.dist;

import org.jspecify.annotations.NullMarked;
