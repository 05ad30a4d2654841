-- A UUIDv5 name of docs/encoding.md section 9 under the identity namespace, which is the one of the package's identity
-- release key (repetition.release_id).
CREATE OR REPLACE FUNCTION tekrar_meta.uuid5(name text) RETURNS uuid
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT encode(set_byte(set_byte(d.digest, 6, get_byte(d.digest, 6) & 15 | 80), 8, get_byte(d.digest, 8) & 63 | 128),
                  'hex')::uuid
    FROM (SELECT substring(tekrar_meta.sha1(uuid_send('322dad85-19d5-585b-be31-2984fecf689f'::uuid)
                                            || convert_to(name, 'UTF8')) FOR 16) AS digest) AS d
$$;
REVOKE ALL ON FUNCTION tekrar_meta.uuid5(text) FROM PUBLIC;
