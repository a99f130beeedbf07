package io.terrace.datanode.extent;

import io.terrace.channel.server.Principal;
import io.terrace.common.FairQuota;
import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Counts each {@link Principal}'s grants in a ledger, and what it may yet report.
 *
 * <p>Grants are divided by a {@link FairQuota}. Of what a principal reports, as much counts as a process can plausibly read
 * in the time, saved up for no more than {@link #SAVED_SECONDS}; clients report several times a second. The account of a
 * principal without grants is kept until its buckets are full again, so that nobody gains by leaving and coming back; at
 * most {@link #MAX_RESTING} of these are kept.
 *
 * <p>Not thread-safe: owned by {@link GrantLedger}.
 */
final class PrincipalAccounts {

    static final int MAX_RESTING = 1024;
    static final int SAVED_SECONDS = 2;

    /** What is kept about one principal. */
    static final class Account {
        final Principal principal;
        /** Reads that count if they are reported. */
        final TokenBucket reads;
        /** Bytes likewise. */
        final TokenBucket bytes;

        Account(Principal principal, GrantLedger.Limits limits, long nowNs) {
            this.principal = principal;
            this.reads = perSecond(limits.readsPerSecond(), nowNs);
            this.bytes = perSecond(limits.bytesPerSecond(), nowNs);
        }

        private static TokenBucket perSecond(double rate, long nowNs) {
            return new TokenBucket(rate, SAVED_SECONDS * rate, Accrual.CAPPED, TimeUnit.NANOSECONDS, nowNs);
        }

        boolean isRested(long nowNs) {
            return reads.isFull(nowNs) && bytes.isFull(nowNs);
        }
    }

    private final GrantLedger.Limits limits;
    private final FairQuota<Principal> grants;
    private final Map<Principal, Account> accounts = new HashMap<>();

    /** Those without grants; the first has been so for longest. */
    private final Set<Account> resting = new LinkedHashSet<>();

    PrincipalAccounts(GrantLedger.Limits limits) {
        this.limits = limits;
        this.grants = new FairQuota<>(limits.grants());
    }

    /** Whether it may have one more grant. */
    boolean mayTake(Principal principal) {
        return grants.mayTake(principal, 1);
    }

    /** Counts one grant more, which {@link #mayTake} allows. */
    Account take(Principal principal, long nowNs) {
        if (!grants.take(principal, 1)) {
            throw new IllegalStateException(principal + " has all the grants that it may have");
        }
        Account account = accounts.computeIfAbsent(principal, fresh -> new Account(fresh, limits, nowNs));
        resting.remove(account);
        return account;
    }

    /** Counts one grant less. */
    void giveBack(Account account) {
        grants.release(account.principal, 1);
        if (grants.holdsAny(account.principal)) {
            return;
        }
        resting.add(account);
        if (resting.size() > MAX_RESTING) {
            forget(resting.iterator());
        }
    }

    /** Forgets those whose buckets are full again. */
    void forgetRested(long nowNs) {
        while (!resting.isEmpty()) {
            Iterator<Account> longest = resting.iterator();
            if (!longest.next().isRested(nowNs)) {
                return;
            }
            forget(resting.iterator());
        }
    }

    /** Principals whose accounts are kept. */
    int size() {
        return accounts.size();
    }

    private void forget(Iterator<Account> from) {
        accounts.remove(from.next().principal);
        from.remove();
    }
}
