-- Moves the heads of a profile, which the caller has locked, to the roots that were computed under that lock.
CREATE OR REPLACE FUNCTION curation.move_inventories(profile uuid, roots jsonb) RETURNS void
    LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
    UPDATE curation.head h SET value = decode(r.root, 'hex'), version = h.version + 1
    FROM jsonb_each_text(roots) AS r(name, root)
    WHERE h.scope = profile::text AND h.name = r.name AND h.value <> decode(r.root, 'hex')
$$;
REVOKE ALL ON FUNCTION curation.move_inventories(uuid, jsonb) FROM PUBLIC;
