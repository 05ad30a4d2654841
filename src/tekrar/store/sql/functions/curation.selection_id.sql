-- ID of a selection of ranges (start, end, start, end …) of a text release (docs/encoding.md section 9).
CREATE OR REPLACE FUNCTION curation.selection_id(text_release uuid, ranges bigint[]) RETURNS uuid
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT encode(set_byte(set_byte(d.digest, 6, get_byte(d.digest, 6) & 15 | 80), 8, get_byte(d.digest, 8) & 63 | 128),
                  'hex')::uuid
    FROM (SELECT substring(tekrar_meta.sha1(uuid_send('322dad85-19d5-585b-be31-2984fecf689f'::uuid) || convert_to(
        'v1/kind=selection/release=' || text_release || '/coord=utf8-byte.v1/ranges='
        || (SELECT string_agg(ranges[i] || '-' || ranges[i + 1], ',' ORDER BY i)
            FROM generate_series(1, cardinality(ranges), 2) AS i), 'UTF8')) FOR 16) AS digest) AS d
$$;
REVOKE ALL ON FUNCTION curation.selection_id(uuid, bigint[]) FROM PUBLIC;
