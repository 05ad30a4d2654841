-- Whether an artifact's profile has exactly what a family was accepted with (AMB-28): every tagged class has its inventory, every
-- tagged occurrence is there, and all together give the expansion. Of one family what curation.families_in_force says of all.
CREATE OR REPLACE FUNCTION api.expands(profile_key integer, family uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    found_size bigint;
    found_root bytea;
BEGIN
    IF EXISTS (SELECT FROM curation.family_member m LEFT JOIN repetition.class c
                   ON c.profile_key = expands.profile_key AND c.class = m.class
               WHERE m.family = expands.family AND m.class IS NOT NULL AND c.members IS DISTINCT FROM m.inventory) THEN
        RETURN false;
    END IF;
    SELECT count(*), sha256(int8send(count(*)) || string_agg(uuid_send(s.occurrence), ''::bytea ORDER BY s.occurrence))
        INTO found_size, found_root
        FROM (SELECT o.occurrence FROM curation.family_member m JOIN repetition.occurrence o
                  ON o.profile_key = expands.profile_key AND o.occurrence = m.occurrence WHERE m.family = expands.family
              UNION
              SELECT o.occurrence FROM curation.family_member m
                  JOIN repetition.class c ON c.profile_key = expands.profile_key AND c.class = m.class
                  JOIN repetition.occurrence o ON o.profile_key = expands.profile_key AND o.class_no = c.class_no
                  WHERE m.family = expands.family) AS s;
    RETURN EXISTS (SELECT FROM curation.family f WHERE f.family = expands.family AND f.size = found_size
                     AND f.expansion = found_root);
END
$$;
REVOKE ALL ON FUNCTION api.expands(integer, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.expands(integer, uuid) TO tekrar_reader, tekrar_curator, tekrar_reviewer, tekrar_publisher,
    tekrar_auditor;
