package io.terrace.datanode.extent;

import io.terrace.channel.server.Principal;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * How many of a ledger's grants each {@link Principal} has, and what he may yet report.
 *
 * <p>Nobody may have more grants than are free: one holder comes to half of all, two to a third each, and something is left
 * for whoever comes next. A holder without grants is remembered until his {@link ReadAllowance} is full again, so nobody
 * gains by leaving and coming back; of such, the last {@link #MAX_RESTING}.
 *
 * <p>Not thread-safe: owned by {@link GrantLedger}.
 */
final class PrincipalAccounts {

    static final int MAX_RESTING = 1024;

    /** One holder's part. */
    static final class Account {
        final Principal principal;
        final ReadAllowance allowance;
        private int grants;

        Account(Principal principal, ReadAllowance allowance) {
            this.principal = principal;
            this.allowance = allowance;
        }
    }

    private final GrantLedger.Limits limits;
    private final Map<Principal, Account> accounts = new HashMap<>();

    /** Those without grants; the first has been so for longest. */
    private final Set<Account> resting = new LinkedHashSet<>();

    PrincipalAccounts(GrantLedger.Limits limits) {
        this.limits = limits;
    }

    /** Whether he has all that he may have, when so many grants are nobody's. */
    boolean hasHisShare(Principal principal, int free) {
        Account account = accounts.get(principal);
        return (account == null ? 0 : account.grants) >= free;
    }

    /** Counts one grant more. */
    Account take(Principal principal, long nowNs) {
        Account account =
                accounts.computeIfAbsent(principal, fresh -> new Account(fresh, new ReadAllowance(limits, nowNs)));
        resting.remove(account);
        account.grants++;
        return account;
    }

    /** Counts one grant less. */
    void giveBack(Account account) {
        account.grants--;
        if (account.grants > 0) {
            return;
        }
        resting.add(account);
        if (resting.size() > MAX_RESTING) {
            forget(resting.iterator());
        }
    }

    /** Forgets those of whom nothing is left to remember. */
    void forgetRested(long nowNs) {
        while (!resting.isEmpty()) {
            Iterator<Account> longest = resting.iterator();
            if (!longest.next().allowance.isFull(nowNs)) {
                return;
            }
            forget(resting.iterator());
        }
    }

    /** Holders that are remembered. */
    int size() {
        return accounts.size();
    }

    private void forget(Iterator<Account> from) {
        accounts.remove(from.next().principal);
        from.remove();
    }
}
