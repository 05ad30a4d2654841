-- Held for the store of candidates; dropped when that is merged.
SELECT;
