package io.terrace.placement;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.Hierarchy;
import io.terrace.policy.Policy;
import java.lang.reflect.Proxy;

/** Makes an {@code lru} that breaks at its first access, as one does whose jars do not fit, and other policies whole. */
final class BreakingLru {

    private BreakingLru() {}

    static Policy make(PolicySpec spec, Hierarchy tiers) {
        Policy whole = spec.make(tiers);
        return !spec.policy().equals("lru")
                ? whole
                : (Policy) Proxy.newProxyInstance(
                        Policy.class.getClassLoader(), new Class<?>[] {Policy.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("access")) {
                                NoClassDefFoundError planted = new NoClassDefFoundError("planted");
                                planted.setStackTrace(new StackTraceElement[] {
                                    new StackTraceElement("io.terrace.policy.shelf.LruShelf", "access", null, 1)
                                });
                                throw planted;
                            }
                            return method.invoke(whole, arguments);
                        });
    }
}
