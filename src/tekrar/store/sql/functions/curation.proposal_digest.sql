-- Digest of a proposal (docs/encoding.md section 13): what a review and an apply bind.
CREATE OR REPLACE FUNCTION curation.proposal_digest(action bytea, author text, draft text, revision text) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
BEGIN
    RETURN sha256('\x00000012'::bytea || 'tekrar/proposal/v1'::bytea || int4send(octet_length(action)) || action
        || int4send(octet_length(convert_to(author, 'UTF8'))) || convert_to(author, 'UTF8')
        || int4send(octet_length(convert_to(draft, 'UTF8'))) || convert_to(draft, 'UTF8')
        || int4send(octet_length(revision)) || convert_to(revision, 'UTF8'));
END
$$;
REVOKE ALL ON FUNCTION curation.proposal_digest(bytea, text, text, text) FROM PUBLIC;
