/** Shelves, the classical cache policies for one boundary between two tiers, and the policy that stacks them. */
package io.terrace.policy.shelf;
