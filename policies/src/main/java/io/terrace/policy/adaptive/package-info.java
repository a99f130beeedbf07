/** The self-tuning policy: what it knows of each object, what it expects of them, and the contest that picks its rule. */
package io.terrace.policy.adaptive;
