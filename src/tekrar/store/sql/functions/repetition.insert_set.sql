-- Records that these releases, in matrix order, are shown together; its digest is its identity. Inserting it again is nothing.
DROP FUNCTION IF EXISTS repetition.insert_set(uuid[]);
CREATE OR REPLACE FUNCTION repetition.insert_set(releases uuid[], moment timestamptz DEFAULT now()) RETURNS bytea
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    document CONSTANT bytea := repetition.set_document(releases);
BEGIN
    INSERT INTO repetition.release_set (release_set, document, recorded_at) VALUES (sha256(document), document, moment)
        ON CONFLICT DO NOTHING;
    INSERT INTO repetition.release_set_member (release_set, position, release)
        SELECT sha256(document), place, r FROM unnest(releases) WITH ORDINALITY AS listed(r, place)
        ON CONFLICT DO NOTHING;
    RETURN sha256(document);
END
$$;
REVOKE ALL ON FUNCTION repetition.insert_set(uuid[], timestamptz) FROM PUBLIC;
