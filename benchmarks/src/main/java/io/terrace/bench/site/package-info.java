/**
 * The properties of a complete configuration, and the text of the files that hold them.
 *
 * <p>Imports: {@code conf}.
 */
@NullMarked
package io.terrace.bench.site;

import org.jspecify.annotations.NullMarked;
