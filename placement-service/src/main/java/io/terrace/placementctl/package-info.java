/** {@code placementctl}: what an operator asks of the placement service and tells it, over Hadoop RPC. */
package io.terrace.placementctl;
