package io.terrace.datanode.grant;

import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.server.GrantService;
import io.terrace.channel.server.Peer;
import io.terrace.channel.server.Principal;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers clients from memory where the block is there, else from NVM. Both services check the token for themselves; whose a
 * grant is, its number says. Thread-safe.
 */
public final class RoutingGrantService implements GrantService {

    /** Grants on NVM are numbered from here; those on memory never come so far. */
    public static final long FIRST_NVM_GRANT = 1L << 62;

    private final TierGrantService memory;
    private final @Nullable TierGrantService nvm;
    private final boolean elsewhere;

    private RoutingGrantService(TierGrantService memory, @Nullable TierGrantService nvm, boolean elsewhere) {
        this.memory = memory;
        this.nvm = nvm;
        this.elsewhere = elsewhere;
    }

    /**
     * For clients of this host, whose users the kernel knows.
     *
     * @param nvm null when nothing on NVM is granted to them
     */
    public static RoutingGrantService ofThisHost(TierGrantService memory, @Nullable TierGrantService nvm) {
        return new RoutingGrantService(memory, nvm, false);
    }

    /**
     * For clients of other hosts, known by their tokens alone.
     *
     * @param nvm null when nothing on NVM is granted to them
     */
    public static RoutingGrantService ofOtherHosts(TierGrantService memory, @Nullable TierGrantService nvm) {
        return new RoutingGrantService(memory, nvm, true);
    }

    @Override
    public GrantAnswer grant(Peer peer, GrantRequest request) {
        GrantAnswer answer = ask(memory, peer, request);
        // Any other refusal holds for both tiers: the token is bad, or Terrace is switched off.
        return nvm != null && answer instanceof Refusal refusal && refusal.reason() == RefusalReason.NOT_RESIDENT
                ? ask(nvm, peer, request)
                : answer;
    }

    private GrantAnswer ask(TierGrantService tier, Peer peer, GrantRequest request) {
        return elsewhere ? tier.grantElsewhere(peer, request) : tier.grant(peer, request);
    }

    @Override
    public Principal holder(Peer peer, GrantRequest request) {
        return elsewhere ? memory.holderElsewhere(request) : memory.holder(peer, request);
    }

    @Override
    public long renew(Peer peer, long grantId) {
        return service(grantId).renew(peer, grantId);
    }

    @Override
    public void released(Peer peer, long grantId) {
        service(grantId).released(peer, grantId);
    }

    @Override
    public void reported(Peer peer, List<ReadReport> reports) {
        Map<TierGrantService, List<ReadReport>> byService =
                reports.stream().collect(Collectors.groupingBy(report -> service(report.grantId())));
        byService.forEach((service, ofService) -> service.reported(peer, ofService));
    }

    @Override
    public void disconnected(Peer peer, boolean orderly) {
        memory.disconnected(peer, orderly);
        if (nvm != null) {
            nvm.disconnected(peer, orderly);
        }
    }

    private TierGrantService service(long grantId) {
        return nvm != null && grantId >= FIRST_NVM_GRANT ? nvm : memory;
    }
}
