-- The row of a `review` entry, from its payload alone.
CREATE OR REPLACE FUNCTION curation.record_review(seq bigint, payload jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO curation.review (review, proposal_digest, outcome, reviewer, note, recorded_at, ledger_seq)
        VALUES ((payload ->> 'review')::uuid, decode(payload ->> 'proposal', 'hex'), payload ->> 'outcome',
                curation.actor_named(payload ->> 'reviewer'), payload ->> 'note', (payload ->> 'recorded_at')::timestamptz, seq);
END
$$;
REVOKE ALL ON FUNCTION curation.record_review(bigint, jsonb) FROM PUBLIC;
