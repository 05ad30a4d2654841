-- Saves a draft of the caller's on top of the version that it was read at (0: a new one). Where a newer one was saved
-- meanwhile nothing is lost: the refusal names both versions and holds the newer one's text.
CREATE OR REPLACE FUNCTION api.save_draft(draft text, version bigint, document bytea) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    actor CONSTANT integer := curation.current_actor();
    newest record;
BEGIN
    PERFORM curation.require_grant(actor, 'curator', NULL);
    SELECT d.version, d.document INTO newest FROM curation.draft d WHERE d.author = actor AND d.draft = draft
        ORDER BY d.version DESC LIMIT 1;
    -- One from before, of a name that none may have now, goes on.
    IF newest.version IS NULL AND NOT curation.is_name(draft) THEN
        PERFORM tekrar_meta.bad_argument('draft', 'a name of 1 to 200 characters in one line', draft);
    ELSIF document IS NULL OR octet_length(document) > 16777216 THEN
        PERFORM tekrar_meta.bad_argument('document', 'at most 16777216 bytes', octet_length(document)::text);
    ELSIF version IS NULL OR version < 0 OR version = 9223372036854775807 THEN
        PERFORM tekrar_meta.bad_argument('version', 'the version that the draft was read at, 0 for a new one', version::text);
    END IF;
    PERFORM tekrar_meta.step('draft/checked');
    INSERT INTO curation.draft (author, draft, version, document, recorded_at)
        SELECT actor, draft, version + 1, document, clock_timestamp()
        WHERE version = coalesce((SELECT max(d.version) FROM curation.draft d WHERE d.author = actor AND d.draft = draft), 0)
        ON CONFLICT DO NOTHING;
    IF FOUND THEN
        PERFORM tekrar_meta.step('draft/done');
        RETURN jsonb_build_object('outcome', 'saved', 'draft', draft, 'version', version + 1);
    END IF;
    SELECT d.version, d.document INTO newest FROM curation.draft d WHERE d.author = actor AND d.draft = draft
        ORDER BY d.version DESC LIMIT 1;
    RAISE EXCEPTION USING ERRCODE = 'TK043',
        MESSAGE = CASE WHEN newest.version IS NULL
                THEN format('there is no draft %s to save version %s of', draft, version + 1)
            WHEN newest.version < version
                THEN format('draft %s has no version %s: its newest is %s', draft, version, newest.version)
            ELSE format('draft %s was saved meanwhile: its version is %s, yours rests on %s', draft, newest.version, version) END,
        DETAIL = jsonb_build_object('kind', 'edit_conflict', 'fact', 'version', 'expected', coalesce(newest.version, 0)::text,
            'found', version::text, 'theirs', left(encode(newest.document, 'escape'), 8192),
            'yours', left(encode(document, 'escape'), 8192))::text,
        HINT = CASE WHEN newest.version IS NULL THEN 'save it on top of version 0, as a new draft'
            ELSE 'read the newer version, bring both together, and save on top of it' END;
END
$$;
REVOKE ALL ON FUNCTION api.save_draft(text, bigint, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.save_draft(text, bigint, bytea) TO tekrar_curator;
