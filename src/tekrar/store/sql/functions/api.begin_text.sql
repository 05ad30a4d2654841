-- Begins the load of a text release: its row, and tables that take its rows by COPY. The load is one transaction:
-- begin_text, COPY into each target, attach_text, verify, seal_text, COMMIT.
-- `sources`: the public part of the provenance, canonical JSON (migration 0010).
-- Returns {"release_key", "sealed", "targets"}; sealed: it was loaded before and there is nothing to do.
CREATE OR REPLACE FUNCTION api.begin_text(text_release uuid, edition text, language text, segmenter text,
    certified_digest bytea, manifest_root bytea, manifest bytea, byte_count bigint,
    sources bytea DEFAULT '[]') RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key integer;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('tekrar/load/' || begin_text.text_release, 0));
    SELECT r.release_key INTO key FROM core.release r WHERE r.text_release = begin_text.text_release;
    IF FOUND THEN
        RETURN jsonb_build_object('release_key', key, 'sealed', true, 'targets', '{}'::jsonb);
    END IF;
    INSERT INTO core.release AS r (text_release, edition, language, segmenter, certified_digest, manifest_root, manifest,
                                   byte_count, sources)
        VALUES (begin_text.text_release, begin_text.edition, begin_text.language, begin_text.segmenter,
                begin_text.certified_digest, begin_text.manifest_root, begin_text.manifest, begin_text.byte_count,
                begin_text.sources)
        RETURNING r.release_key INTO key;
    RETURN jsonb_build_object('release_key', key, 'sealed', false,
                              'targets', tekrar_meta.open_partitions('release_key', key));
END
$$;
REVOKE ALL ON FUNCTION api.begin_text(uuid, text, text, text, bytea, bytea, bytea, bigint, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.begin_text(uuid, text, text, text, bytea, bytea, bytea, bigint, bytea) TO tekrar_builder;
