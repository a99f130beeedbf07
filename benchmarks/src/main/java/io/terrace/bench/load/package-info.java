/** Data whose every byte is known, and what is read of it: seeded, of the user's own files, or by a trace. */
@org.jspecify.annotations.NullMarked
package io.terrace.bench.load;
