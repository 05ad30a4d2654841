-- Moves a head whose row the caller has locked: its new value is the hash of the old one and what happened.
CREATE OR REPLACE FUNCTION curation.move_to(name text, happened bytea) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    UPDATE curation.head h SET value = sha256(h.value || happened), version = h.version + 1
    WHERE h.name = move_to.name AND h.scope = '';
END
$$;
REVOKE ALL ON FUNCTION curation.move_to(text, bytea) FROM PUBLIC;
