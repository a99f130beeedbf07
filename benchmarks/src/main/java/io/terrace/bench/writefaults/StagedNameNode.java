package io.terrace.bench.writefaults;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.server.namenode.ha.HAProxyFactory;
import org.apache.hadoop.hdfs.server.namenode.ha.IPFailoverProxyProvider;
import org.apache.hadoop.ipc.Client.ConnectionId;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.ipc.RpcInvocationHandler;
import org.jspecify.annotations.Nullable;

/**
 * The way of a client to its NameNode, named in the client's configuration: each call of the NameNode is shown before and after, and
 * repeated when the NameNode comes back. Hadoop makes instances.
 */
public final class StagedNameNode<T> extends IPFailoverProxyProvider<T> {
    /** Sees the calls; may wait. */
    interface Calls {
        void before(String call);

        /** @param answer null where the call has none */
        void after(String call, @Nullable Object answer);
    }

    private static volatile @Nullable Calls calls;

    private @Nullable NNProxyInfo<T> staged;

    public StagedNameNode(Configuration conf, URI uri, Class<T> type, HAProxyFactory<T> factory) {
        super(conf, uri, type, factory);
    }

    /** To whom the calls of this process are shown. */
    static void showTo(Calls watcher) {
        calls = watcher;
    }

    @Override
    public synchronized NNProxyInfo<T> getProxy() {
        NNProxyInfo<T> real = super.getProxy();
        if (!getInterface().equals(ClientProtocol.class)) {
            return real;
        }
        NNProxyInfo<T> known = staged;
        if (known == null) {
            known = new NNProxyInfo<>(real.getAddress());
            Object proxy = Proxy.newProxyInstance(
                    getInterface().getClassLoader(), new Class<?>[] {getInterface()}, new Shown(real.proxy));
            known.proxy = getInterface().cast(proxy);
            staged = known;
        }
        return known;
    }

    /** @param real Hadoop takes care of its end */
    private record Shown(Object real) implements RpcInvocationHandler {
        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            Calls watcher = calls;
            if (watcher != null) {
                watcher.before(method.getName());
            }
            Object answer;
            try {
                answer = method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw asOfAPair(e.getCause() == null ? e : e.getCause());
            }
            if (watcher != null) {
                watcher.after(method.getName(), answer);
            }
            return answer;
        }

        /** A NameNode of a pair lets clients wait while it is in safe mode; one without another makes them fail. */
        private static Throwable asOfAPair(Throwable failure) {
            boolean safeMode = failure instanceof RemoteException remote
                    && remote.getClassName().equals("org.apache.hadoop.hdfs.server.namenode.SafeModeException");
            return safeMode ? new RetriableException(failure.getMessage()) : failure;
        }

        @Override
        public ConnectionId getConnectionId() {
            return RPC.getConnectionIdForProxy(real);
        }

        @Override
        public void close() throws IOException {
            RPC.stopProxy(real);
        }
    }
}
