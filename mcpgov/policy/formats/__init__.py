"""One file per dialect. Each owns some top-level keys and turns them into Drafts, in order."""
