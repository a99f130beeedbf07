/**
 * What DataNodes, tools and the placement service in the NameNode say to each other, over Hadoop RPC on the service's
 * own port. Message classes are generated from {@code src/main/proto}.
 */
package io.terrace.protocol;
