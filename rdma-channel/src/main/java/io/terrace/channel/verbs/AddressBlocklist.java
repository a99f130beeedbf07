package io.terrace.channel.verbs;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Addresses from which no connection is taken for a minute, since so many that came from there within one were of no use:
 * the device ended them, as it does for each wrong guess of a card's key, or nothing was attached. Thread-safe.
 */
final class AddressBlocklist {
    /** Useless connections within a minute that are nobody's fault. */
    static final int TOLERATED = 15;

    static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

    /** Beyond this many addresses, those whose last offence is oldest are forgotten. */
    static final int REMEMBERED = 1024;

    private static final class Account {
        long sinceNs;
        int useless;
    }

    private final Map<InetAddress, Account> accounts = new LinkedHashMap<>();

    /** A connection from there ended and had been of no use; returns whether the address is held off from now on. */
    synchronized boolean wasUseless(InetAddress address, long nowNs) {
        Account account = accounts.remove(address);
        if (account == null) {
            if (accounts.size() >= REMEMBERED) {
                accounts.remove(accounts.keySet().iterator().next());
            }
            account = new Account();
        }
        accounts.put(address, account);
        if (account.useless == 0 || isOver(account, nowNs)) {
            account.sinceNs = nowNs;
            account.useless = 0;
        }
        boolean first = ++account.useless == TOLERATED + 1;
        if (first) {
            account.sinceNs = nowNs;
        }
        return first;
    }

    synchronized boolean isHeldOff(InetAddress address, long nowNs) {
        Account account = accounts.get(address);
        return account != null && isHeldOff(account, nowNs);
    }

    /** Addresses that are held off. */
    synchronized int count(long nowNs) {
        return (int) accounts.values().stream()
                .filter(account -> isHeldOff(account, nowNs))
                .count();
    }

    private static boolean isHeldOff(Account account, long nowNs) {
        return account.useless > TOLERATED && !isOver(account, nowNs);
    }

    private static boolean isOver(Account account, long nowNs) {
        return nowNs - account.sinceNs >= MINUTE_NS;
    }
}
