-- Root of a manifest under a profile (docs/encoding.md section 3) over records in ascending order of their keys, each
-- length-delimited already: lp(key) ‖ lp(value). No record gives tekrar_meta.empty_root.
CREATE OR REPLACE FUNCTION tekrar_meta.manifest_root(kind text, profile uuid, predicate text, records bytea[]) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    level bytea[];
BEGIN
    IF coalesce(cardinality(records), 0) = 0 THEN
        RETURN tekrar_meta.empty_root(kind, profile, predicate);
    END IF;
    level := ARRAY(SELECT sha256('\x00'::bytea || int4send(count(*)::integer) || string_agg(r.record, ''::bytea ORDER BY r.place))
                   FROM unnest(records) WITH ORDINALITY AS r(record, place)
                   GROUP BY (r.place - 1) / 256 ORDER BY (r.place - 1) / 256);
    WHILE cardinality(level) > 1 LOOP
        level := ARRAY(SELECT CASE count(*) WHEN 1 THEN string_agg(n.node, ''::bytea)
                           ELSE sha256('\x01'::bytea || string_agg(n.node, ''::bytea ORDER BY n.place)) END
                       FROM (SELECT u.node, u.place FROM unnest(level) WITH ORDINALITY AS u(node, place)) AS n
                       GROUP BY (n.place - 1) / 2 ORDER BY (n.place - 1) / 2);
    END LOOP;
    RETURN sha256(int4send(23) || convert_to('tekrar/manifest-root/v1', 'UTF8')
        || int4send(octet_length(kind)) || convert_to(kind, 'UTF8')
        || '\x01'::bytea || uuid_send(profile) || int4send(octet_length(predicate)) || convert_to(predicate, 'UTF8')
        || int8send(cardinality(records)) || level[1]);
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.manifest_root(text, uuid, text, bytea[]) FROM PUBLIC;
