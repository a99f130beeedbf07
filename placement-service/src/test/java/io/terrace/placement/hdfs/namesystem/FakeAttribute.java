package io.terrace.placement.hdfs.namesystem;

import java.io.IOException;

/** An extended attribute in memory; what is to happen when it is stored may be planted. */
final class FakeAttribute implements OperatorStateStore.Attribute {

    volatile byte[] value;
    volatile Fault fault = () -> {};

    interface Fault {
        void strike() throws IOException;
    }

    @Override
    public byte[] load() {
        return value;
    }

    @Override
    public void save(byte[] saved) throws IOException {
        fault.strike();
        value = saved;
    }
}
