package io.terrace.bench.jmh;

import io.terrace.channel.GrantRequest;
import io.terrace.channel.ReadReport;
import io.terrace.channel.server.GrantService;
import io.terrace.channel.server.Peer;
import io.terrace.channel.server.Principal;
import java.util.List;

/** Grants that are renewed as long as anybody wants, of which nothing is kept. */
abstract class ForgetfulGrants implements GrantService {
    static final long LEASE_MS = 600_000;

    @Override
    public Principal holder(Peer peer, GrantRequest request) {
        return Principal.UNPROVEN;
    }

    @Override
    public long renew(Peer peer, long grantId) {
        return LEASE_MS;
    }

    @Override
    public void released(Peer peer, long grantId) {}

    @Override
    public void reported(Peer peer, List<ReadReport> reports) {}

    @Override
    public void disconnected(Peer peer, boolean orderly) {}
}
