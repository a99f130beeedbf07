/** {@code bin/terrace test page}: the page of the NameNode in a browser, on a live cluster and on large ones. */
@NullMarked
package io.terrace.bench.page;

import org.jspecify.annotations.NullMarked;
