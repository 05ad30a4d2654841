-- Refuses an edit script that is none (docs/encoding.md section 11): its tags, its length, an operation that no list has
-- or that leaves the two passages. That it is the canonical one is derived by whoever stores it, and again by a
-- verification; SQL derives no diff.
CREATE OR REPLACE FUNCTION curation.check_script(script bytea, left_extent int8range, right_extent int8range) RETURNS void
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    head CONSTANT bytea := tekrar_meta.lp('tekrar/diff-script/v1') || tekrar_meta.lp('adr009.diff-lcs-move.1')
        || tekrar_meta.lp('uax29-18.0.0-apostrophe.1');
    size CONSTANT integer := octet_length(head);
    count bigint;
    odd bigint;
BEGIN
    IF substring(script FOR size) IS DISTINCT FROM head OR octet_length(script) < size + 4 THEN
        PERFORM tekrar_meta.bad_argument('script', 'a script of adr009.diff-lcs-move.1', encode(substring(script FOR 60), 'hex'));
    END IF;
    count := ('x' || encode(substring(script FROM size + 1 FOR 4), 'hex'))::bit(32)::bigint;
    IF octet_length(script) <> size + 4 + 33 * count THEN
        PERFORM tekrar_meta.bad_argument('script', format('%s bytes for %s operations', size + 4 + 33 * count, count),
                                         octet_length(script)::text);
    END IF;
    SELECT min(o.n) INTO odd FROM (
        SELECT s.n, get_byte(script, s.at) AS code, ('x' || encode(substring(script FROM s.at + 2 FOR 8), 'hex'))::bit(64)::bigint AS a,
               ('x' || encode(substring(script FROM s.at + 10 FOR 8), 'hex'))::bit(64)::bigint AS b,
               ('x' || encode(substring(script FROM s.at + 18 FOR 8), 'hex'))::bit(64)::bigint AS c,
               ('x' || encode(substring(script FROM s.at + 26 FOR 8), 'hex'))::bit(64)::bigint AS d
        FROM (SELECT n, size + 4 + 33 * (n - 1)::integer AS at FROM generate_series(1, count) AS n) AS s) AS o
    WHERE NOT (o.code BETWEEN 1 AND 6 AND lower(left_extent) <= o.a AND o.a <= o.b AND o.b <= upper(left_extent)
               AND lower(right_extent) <= o.c AND o.c <= o.d AND o.d <= upper(right_extent));
    IF odd IS NOT NULL THEN
        PERFORM tekrar_meta.bad_argument('script', 'operations within the two passages', format('operation %s', odd));
    END IF;
END
$$;
REVOKE ALL ON FUNCTION curation.check_script(bytea, int8range, int8range) FROM PUBLIC;
