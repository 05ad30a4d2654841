-- The proposal of a digest, recomputed from its bytes; refused where it is not theirs (CUR-02, CUR-03).
CREATE OR REPLACE FUNCTION curation.require_digest(digest text) RETURNS curation.proposal
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    p curation.proposal;
    computed text;
BEGIN
    IF digest IS NULL OR digest !~ '^[0-9a-f]{64}$' THEN
        PERFORM tekrar_meta.bad_argument('proposal', '64 lower-case hexadecimal digits', digest);
    END IF;
    SELECT * INTO p FROM curation.proposal q WHERE q.proposal_digest = decode(digest, 'hex');
    IF NOT FOUND THEN
        PERFORM api.not_found('proposal', digest);
    END IF;
    computed := encode(curation.proposal_digest(p.action, curation.name_of(p.author), p.draft, p.revision::text), 'hex');
    IF computed <> digest THEN
        PERFORM curation.refuse('digest_mismatch', 'the bytes of the proposal are not those of its digest', 'proposal', digest,
                                computed);
    END IF;
    RETURN p;
END
$$;
REVOKE ALL ON FUNCTION curation.require_digest(text) FROM PUBLIC;
