-- A mark that would end a false positive is refused: overriding one is a reviewed decision (CUR-01, AMB-46). What counts is
-- the last event about the same participants under the same generator and profile that no decision overrides.
CREATE OR REPLACE FUNCTION curation.refuse_unreviewed_override(payload jsonb) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    last record;
BEGIN
    SELECT d.disposition, d.event, v.event AS overridden INTO last FROM curation.disposition d
        LEFT JOIN curation.false_positive_override v ON v.event = d.event AND v.candidate = d.candidate
        WHERE d.participants = decode(payload ->> 'participants', 'hex') AND d.profile = (payload ->> 'profile')::uuid
          AND d.generator = decode(payload ->> 'generator', 'hex')
        ORDER BY d.ledger_seq DESC LIMIT 1;
    IF last.disposition = 'false_positive' AND last.overridden IS NULL
       AND payload ->> 'disposition' IS DISTINCT FROM 'false_positive' THEN
        PERFORM curation.refuse('override_needs_decision', format('candidate %s is a false positive; no mark overrides one',
            payload ->> 'candidate'), 'disposition', 'a reviewed override_false_positive of ' || encode(last.event, 'hex'),
            payload ->> 'disposition');
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.refuse_unreviewed_override(jsonb) FROM PUBLIC;
