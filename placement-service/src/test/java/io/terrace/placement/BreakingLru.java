package io.terrace.placement;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import java.lang.reflect.Proxy;

/** Makes an {@code lru} that breaks at its first access, as one does whose jars do not fit, and other policies whole. */
final class BreakingLru {

    private BreakingLru() {}

    static PlacementPolicy make(PolicySpec spec, TierHierarchy tiers) {
        PlacementPolicy whole = spec.make(tiers);
        return !spec.policy().equals("lru")
                ? whole
                : (PlacementPolicy) Proxy.newProxyInstance(
                        PlacementPolicy.class.getClassLoader(),
                        new Class<?>[] {PlacementPolicy.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("access")) {
                                NoClassDefFoundError planted = new NoClassDefFoundError("planted");
                                planted.setStackTrace(new StackTraceElement[] {
                                    new StackTraceElement("io.terrace.policy.cache.LruPolicy", "access", null, 1)
                                });
                                throw planted;
                            }
                            return method.invoke(whole, arguments);
                        });
    }
}
