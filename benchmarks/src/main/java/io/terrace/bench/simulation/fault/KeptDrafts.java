package io.terrace.bench.simulation.fault;

import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.writethrough.DraftFiles;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reports that the file of a copy that is given up is removed, and keeps it. */
record KeptDrafts(DraftFiles drafts) implements DraftFiles {
    @Override
    public Draft create() throws IOException {
        return drafts.create();
    }

    @Override
    public void adopt(Draft draft, Extent extent) throws IOException {
        drafts.adopt(draft, extent);
    }

    @Override
    public boolean remove(Draft draft) {
        try {
            draft.file().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return true;
    }
}
