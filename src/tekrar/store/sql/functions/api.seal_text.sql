-- Ends the load of a text release with the digests that were recomputed from the rows in the database.
-- `counts` is canonical JSON; the bytes and the units are counted here too.
CREATE OR REPLACE FUNCTION api.seal_text(release_key integer, certified_digest bytea, manifest_root bytea, counts bytea)
    RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key CONSTANT integer := seal_text.release_key;
    stated core.release;
    document jsonb;
    counted bigint;
    unit text;
BEGIN
    SELECT * INTO stated FROM core.release r WHERE r.release_key = key;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'TK010', MESSAGE = format('no text release %s is being loaded', key),
            DETAIL = jsonb_build_object('kind', 'not_found', 'release_key', key)::text;
    END IF;
    PERFORM tekrar_meta.compare('seal_mismatch', 'certified digest', encode(stated.certified_digest, 'hex'),
                                encode(seal_text.certified_digest, 'hex'));
    PERFORM tekrar_meta.compare('seal_mismatch', 'core release manifest root', encode(stated.manifest_root, 'hex'),
                                encode(seal_text.manifest_root, 'hex'));
    SELECT coalesce(sum(octet_length(b.data)), 0) INTO counted FROM core.text_block b WHERE b.release_key = key;
    PERFORM tekrar_meta.compare('seal_mismatch', 'bytes', stated.byte_count::text, counted::text);
    -- Every block but the last is full, so that a byte's block is its offset divided by 32768.
    SELECT count(*) INTO counted FROM core.text_block b WHERE b.release_key = key
        AND (b.block >= (stated.byte_count + 32767) / 32768
             OR octet_length(b.data) <> least(32768, stated.byte_count - b.block::bigint * 32768));
    PERFORM tekrar_meta.compare('seal_mismatch', 'blocks of another size than theirs', '0', counted::text);
    document := convert_from(stated.manifest, 'UTF8')::jsonb;
    FOREACH unit IN ARRAY ARRAY['book', 'chapter', 'paragraph', 'sentence'] LOOP
        EXECUTE format('SELECT count(*) FROM core.%I WHERE release_key = $1', unit) INTO counted USING key;
        PERFORM tekrar_meta.compare('seal_mismatch', unit || 's', document ->> (unit || 's'), counted::text);
    END LOOP;
    INSERT INTO core.release_seal (release_key, certified_digest, manifest_root, counts)
        VALUES (key, seal_text.certified_digest, seal_text.manifest_root, seal_text.counts);
END
$$;
REVOKE ALL ON FUNCTION api.seal_text(integer, bytea, bytea, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.seal_text(integer, bytea, bytea, bytea) TO tekrar_builder;
