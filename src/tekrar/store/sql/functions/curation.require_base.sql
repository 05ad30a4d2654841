-- Refuses a submission that was written against another revision of the draft than its newest (`latest`, null for none), or
-- against another version of the saved draft than its newest: both are named and shown, and neither is lost.
CREATE OR REPLACE FUNCTION curation.require_base(latest curation.proposal, actor integer, draft text, action bytea, base integer,
    version bigint) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    newest CONSTANT integer := coalesce(latest.revision, 0);
    saved record;
    detail jsonb;
BEGIN
    IF base < 0 OR version < 1 THEN
        PERFORM tekrar_meta.bad_argument('base', 'the revision that was read, 0 for none', concat_ws(' ', base, version));
    END IF;
    IF newest <> coalesce(base, CASE WHEN latest.action = action THEN newest ELSE 0 END) THEN
        detail := jsonb_build_object('fact', 'revision', 'expected', newest::text, 'found', coalesce(base::text, 'none named'));
        IF newest > 0 THEN
            detail := detail || jsonb_build_object('theirs', left(encode(latest.action, 'escape'), 8192), 'theirs_digest',
                encode(latest.proposal_digest, 'hex'), 'theirs_author', curation.name_of(latest.author), 'theirs_recorded_at',
                tekrar_meta.instant(latest.recorded_at));
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'TK043',
            MESSAGE = CASE WHEN newest = 0 THEN format('draft %s has no revision %s: none was submitted', draft, base)
                WHEN base IS NULL THEN format('draft %s has revision %s already, and nobody said that it is edited', draft, newest)
                ELSE format('draft %s was submitted meanwhile: its newest revision is %s, yours rests on %s', draft, newest, base) END,
            DETAIL = (detail || jsonb_build_object('kind', 'edit_conflict', 'yours', left(encode(action, 'escape'), 8192),
                'yours_digest', encode(curation.proposal_digest(action, curation.name_of(actor), draft,
                    (newest + 1)::text), 'hex'), 'yours_author', curation.name_of(actor),
                'yours_recorded_at', tekrar_meta.instant(clock_timestamp())))::text,
            HINT = 'read the newest revision, bring both together, and name it as the one that is edited';
    END IF;
    IF version IS NULL THEN
        RETURN;
    END IF;
    SELECT d.version, d.document, d.recorded_at INTO saved FROM curation.draft d WHERE d.author = actor AND d.draft = draft
        ORDER BY d.version DESC LIMIT 1;
    IF saved.version IS DISTINCT FROM version THEN
        RAISE EXCEPTION USING ERRCODE = 'TK043',
            MESSAGE = format('draft %s was saved meanwhile: its version is %s, and %s was read', draft,
                             coalesce(saved.version, 0), version),
            DETAIL = jsonb_strip_nulls(jsonb_build_object('kind', 'edit_conflict', 'fact', 'version', 'expected',
                coalesce(saved.version, 0)::text, 'found', version::text, 'theirs',
                left(encode(saved.document, 'escape'), 8192), 'theirs_author', curation.name_of(actor), 'theirs_recorded_at',
                tekrar_meta.instant(saved.recorded_at), 'yours', left(encode(action, 'escape'), 8192)))::text,
            HINT = 'read the newer version, and submit it';
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.require_base(curation.proposal, integer, text, bytea, integer, bigint) FROM PUBLIC;
