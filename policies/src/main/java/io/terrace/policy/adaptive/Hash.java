package io.terrace.policy.adaptive;

/** Spreads ids over 64 bits: the finaliser of MurmurHash3, a bijection. */
final class Hash {

    private Hash() {}

    static long of(long id) {
        long h = id;
        h = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
        h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
        return h ^ h >>> 33;
    }
}
