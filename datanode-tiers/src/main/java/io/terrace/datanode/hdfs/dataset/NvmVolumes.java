package io.terrace.datanode.hdfs.dataset;

import io.terrace.datanode.nvm.NvmLinks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The volumes of a DataNode that are tagged NVDIMM now. Thread-safe. */
public record NvmVolumes(ObservedDataset dataset) {

    private static final Logger LOG = LoggerFactory.getLogger(NvmVolumes.class);

    /** What they hold; 0 where there is none. */
    public long capacityBytes() {
        long bytes = 0;
        try (FsDatasetSpi.FsVolumeReferences volumes = dataset.getFsVolumeReferences()) {
            for (int i = 0; i < volumes.size(); i++) {
                if (volumes.get(i).getStorageType() == StorageType.NVDIMM
                        && volumes.get(i) instanceof FsVolumeImpl volume) {
                    bytes += volume.getCapacity();
                }
            }
        } catch (IOException e) {
            LOG.debug("Letting the volumes go", e);
        }
        return bytes;
    }

    /** The data directories of the DataNode now, whatever their type. */
    public List<Path> all() {
        List<Path> all = new ArrayList<>();
        try (FsDatasetSpi.FsVolumeReferences volumes = dataset.getFsVolumeReferences()) {
            for (int i = 0; i < volumes.size(); i++) {
                if (volumes.get(i).getStorageType() != StorageType.PROVIDED) {
                    all.add(Path.of(volumes.get(i).getBaseURI()));
                }
            }
        } catch (IOException e) {
            LOG.debug("Letting the volumes go", e);
        }
        return all;
    }

    /**
     * Removes the links that an earlier process left, also where none will be made, as on a volume that is not tagged NVDIMM
     * any more: they keep the room of deleted blocks.
     */
    public void sweep() {
        NvmLinks left = new NvmLinks();
        for (Path volume : all()) {
            try {
                left.sweep(volume);
            } catch (IOException e) {
                LOG.warn(
                        "Cannot remove the links in {} that an earlier process left. A deleted block uses disk space until"
                                + " its link is removed: remove them, or restart the DataNode",
                        volume.resolve("terrace"),
                        e);
            }
        }
    }
}
