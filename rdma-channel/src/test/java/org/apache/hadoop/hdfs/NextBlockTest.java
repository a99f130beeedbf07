package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException;
import org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException;
import org.apache.hadoop.hdfs.server.namenode.SafeModeException;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.Test;

/** Which DataNodes are left out when a block is asked for, and which block is no good then. */
class NextBlockTest {
    private static final StorageType[] ONE_SSD = {StorageType.SSD, StorageType.DISK, StorageType.DISK};

    private final DatanodeInfo[] nodes = new DatanodeInfo[4];

    NextBlockTest() {
        Arrays.setAll(nodes, NextBlockTest::node);
    }

    private static DatanodeInfo node(int index) {
        return new DatanodeInfoBuilder()
                .setIpAddr("192.0.2." + index)
                .setHostName("host" + index)
                .setDatanodeUuid("uuid" + index)
                .setNetworkLocation("/rack")
                .build();
    }

    @Test
    void onlyLocal_oneOnTheHost_isIt() {
        assertThat(NextBlock.onlyLocal(List.of(nodes), nodes[2]::equals)).isEqualTo(nodes[2]);
        assertThat(NextBlock.onlyLocal(List.of(nodes), node -> false)).isNull();
    }

    /** The NameNode may take another one of them. */
    @Test
    void onlyLocal_severalOnTheHost_none() {
        assertThat(NextBlock.onlyLocal(List.of(nodes), node -> true)).isNull();
    }

    /** Only then fewer DataNodes are left out, in all files of the client. */
    @Test
    void findsNone_isWhatThePlacementSays() {
        assertThat(NextBlock.findsNone(refusal(IOException.class))).isTrue();
        assertThat(NextBlock.findsNone(refusal(LeaseExpiredException.class))).isFalse();
        assertThat(NextBlock.findsNone(refusal(SafeModeException.class))).isFalse();
        assertThat(NextBlock.findsNone(refusal(NotReplicatedYetException.class)))
                .isFalse();
    }

    private static RemoteException refusal(Class<?> type) {
        return new RemoteException(type.getName(), "said by a test");
    }

    @Test
    void check_otherTypesOfStorage_fails() {
        assertThatThrownBy(() -> check(ONE_SSD, StorageType.DISK, StorageType.DISK, StorageType.DISK))
                .isInstanceOfSatisfying(ExcludableNodes.PoorlyPlacedException.class, e -> assertThat(e.isOfPolicy())
                        .isTrue());
        assertThatCode(() -> check(ONE_SSD, StorageType.DISK, StorageType.SSD, StorageType.DISK))
                .doesNotThrowAnyException();
        assertThatCode(() -> check(new StorageType[0], ONE_SSD)).doesNotThrowAnyException();
    }

    /** Where no DataNode has a channel, none is; where some have none, one for each four that go over it. */
    @Test
    void giveBack_isEarnedByBlocksOverTheChannel() {
        ExcludableNodes excludable = new ExcludableNodes();
        assertThat(excludable.giveBack()).isFalse();
        excludable.begunOverChannel();
        assertThat(excludable.giveBack()).isTrue();
        assertThat(excludable.giveBack()).isFalse();
        for (int i = 0; i < 100; i++) {
            excludable.begunOverChannel();
        }
        for (int i = 0; i < ExcludableNodes.MOST_GIVEN_BACK; i++) {
            assertThat(excludable.giveBack()).isTrue();
        }
        for (int i = 0; i < ExcludableNodes.EARNED_BY; i++) {
            assertThat(excludable.giveBack()).isFalse();
            excludable.begunOverChannel();
        }
        assertThat(excludable.giveBack()).isTrue();
    }

    private void check(StorageType[] before, StorageType... types) {
        ExcludableNodes.check(Arrays.copyOf(nodes, 3), types, Set.of(nodes[3]), 3, before);
    }
}
