-- The rows of a `proposal` entry, from its payload alone.
CREATE OR REPLACE FUNCTION curation.record_proposal(seq bigint, payload jsonb, a jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO curation.proposal (proposal_digest, operation, edition, profile, text_release, policy, action, author, draft,
                                   revision, freeze_epoch, recorded_at, ledger_seq)
        VALUES (decode(payload ->> 'digest', 'hex'), a ->> 'operation', a ->> 'edition', (a ->> 'profile')::uuid,
                (a ->> 'text_release')::uuid, a ->> 'policy_of_review', convert_to(payload ->> 'action', 'UTF8'),
                curation.actor_named(payload ->> 'author'), payload ->> 'draft', (payload ->> 'revision')::integer,
                (payload ->> 'freeze')::bigint, (payload ->> 'recorded_at')::timestamptz, seq);
END
$$;
REVOKE ALL ON FUNCTION curation.record_proposal(bigint, jsonb, jsonb) FROM PUBLIC;
