-- Refuses the overriding of a false positive that is none now: the event must be the candidate's last, and its own facts.
CREATE OR REPLACE FUNCTION curation.check_override(profile uuid, body jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    last record;
BEGIN
    SELECT d.event, d.disposition, d.generator, d.participants INTO last FROM curation.disposition d
        WHERE d.candidate = (body ->> 'candidate')::uuid AND d.profile = profile ORDER BY d.ledger_seq DESC LIMIT 1;
    IF NOT FOUND OR last.disposition <> 'false_positive' OR encode(last.event, 'hex') <> body ->> 'event'
       OR encode(last.generator, 'hex') <> body ->> 'generator'
       OR encode(last.participants, 'hex') <> body ->> 'participants' THEN
        PERFORM curation.refuse('expected_state_mismatch', format('candidate %s is not a false positive by this event',
            body ->> 'candidate'), 'override.event', body ->> 'event',
            coalesce(last.disposition || ' ' || encode(last.event, 'hex'), 'no event'));
    ELSIF EXISTS (SELECT FROM curation.false_positive_override o WHERE o.candidate = (body ->> 'candidate')::uuid
                    AND encode(o.event, 'hex') = body ->> 'event') THEN
        PERFORM curation.refuse('superseded_twice', 'the event was overridden before', 'override.event', NULL, body ->> 'event');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_override(uuid, jsonb) FROM PUBLIC;
