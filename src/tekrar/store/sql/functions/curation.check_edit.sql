-- Refuses a revision that was made of another one than the draft's newest, or that names none where that one still waits:
-- two people at two desks, or one at both, edited the same (issue of curation; the field's report 79). `latest` is the newest
-- revision, its `revision` null where there is none; `state` its state; `epoch` the freeze epoch now.
CREATE OR REPLACE FUNCTION curation.check_edit(edits text, latest curation.proposal, state text, epoch bigint) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    newest CONSTANT text := encode(latest.proposal_digest, 'hex');
BEGIN
    IF edits = 'newest' OR edits IS NOT DISTINCT FROM newest THEN
        RETURN;
    ELSIF newest IS NULL THEN
        PERFORM curation.refuse('edit_conflict', 'the draft has no revision', 'revision', NULL, edits);
    ELSIF edits IS NOT NULL OR state IN ('submitted', 'approved') AND latest.freeze_epoch = epoch THEN
        PERFORM curation.refuse('edit_conflict', format('draft %s has a newer revision, %s, which is %s', latest.draft,
            latest.revision, state), 'revision', newest, coalesce(edits, 'none named'));
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_edit(text, curation.proposal, text, bigint) FROM PUBLIC;
