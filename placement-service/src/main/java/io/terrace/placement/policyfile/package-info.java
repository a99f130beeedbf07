/** The policy file: which policy decides, its parameters and the rules by path. Knows nothing of Hadoop. */
@NullMarked
package io.terrace.placement.policyfile;

import org.jspecify.annotations.NullMarked;
