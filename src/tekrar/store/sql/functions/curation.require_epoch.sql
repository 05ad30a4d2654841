-- Refuses what was submitted under another freeze epoch than the present one (CUR-11).
CREATE OR REPLACE FUNCTION curation.require_epoch(epoch bigint) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    present CONSTANT bigint := coalesce((SELECT f.epoch FROM curation.freeze f ORDER BY f.epoch DESC LIMIT 1), 0);
BEGIN
    IF present <> require_epoch.epoch THEN
        PERFORM curation.refuse('frozen', format('the freeze epoch is %s; this was submitted under %s', present,
            require_epoch.epoch), 'freeze-epoch', require_epoch.epoch::text, present::text);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.require_epoch(bigint) FROM PUBLIC;
