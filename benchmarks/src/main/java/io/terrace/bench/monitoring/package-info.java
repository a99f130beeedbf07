/** {@code bin/terrace test monitoring}: the dashboard and the alerts, with a real Prometheus and a live cluster. */
@NullMarked
package io.terrace.bench.monitoring;

import org.jspecify.annotations.NullMarked;
