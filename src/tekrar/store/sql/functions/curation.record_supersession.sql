-- The rows of a supersession: predecessors end with their memberships and choices, successors are issued, and where each
-- member went is kept. Nothing of a predecessor's own rows changes (ID-09).
CREATE OR REPLACE FUNCTION curation.record_supersession(seq bigint, structures uuid[], a jsonb) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    body CONSTANT jsonb := a -> 'supersession';
    before CONSTANT uuid[] := ARRAY(SELECT p::uuid FROM jsonb_array_elements_text(body -> 'predecessors') AS p);
    one record;
    gone uuid;
BEGIN
    INSERT INTO curation.supersession (predecessor, operation, reason, decision)
        SELECT p, a ->> 'operation', body ->> 'reason', seq FROM unnest(before) AS p;
    called := tekrar_meta.step('apply/superseded') IS NULL;
    FOREACH gone IN ARRAY before LOOP  -- one by one: the plan looks each up by its ID
        UPDATE curation.effective_membership m SET until = seq WHERE m.family = gone AND m.until IS NULL;
    END LOOP;
    called := tekrar_meta.step('apply/memberships_ended') IS NULL;
    FOREACH gone IN ARRAY before LOOP
        UPDATE curation.effective_choice e SET until = seq WHERE e.structure = gone AND e.until IS NULL;
    END LOOP;
    called := tekrar_meta.step('apply/choices_ended') IS NULL;
    FOR one IN SELECT s.one, s.n FROM jsonb_array_elements(body -> 'successors') WITH ORDINALITY AS s(one, n) ORDER BY s.n LOOP
        IF one.one ? 'family' THEN
            called := curation.record_family(seq, structures[one.n], a, one.one -> 'family') IS NULL;
        ELSE
            called := curation.record_quotation(seq, structures[one.n], a, one.one -> 'quotation') IS NULL;
        END IF;
    END LOOP;
    INSERT INTO curation.succession_member (predecessor, tag, member, successor)
        SELECT h.predecessor, l.one #>> '{member,tag}', (l.one #>> '{member,id}')::uuid, t.successor
        FROM jsonb_array_elements(body -> 'mapping') AS l(one)
        JOIN (SELECT m.family AS predecessor, CASE WHEN m.class IS NULL THEN 'occurrence' ELSE 'class' END AS tag,
                     coalesce(m.class, m.occurrence) AS member
              FROM curation.family_member m WHERE m.family = ANY (before)
              UNION ALL SELECT q, 'quotation', q FROM unnest(before) AS q) AS h
            ON h.tag = l.one #>> '{member,tag}' AND h.member = (l.one #>> '{member,id}')::uuid
        LEFT JOIN LATERAL (SELECT structures[i::integer + 1] AS successor FROM jsonb_array_elements_text(
            CASE jsonb_typeof(l.one -> 'to') WHEN 'array' THEN l.one -> 'to' END) AS i) AS t ON true;
    called := tekrar_meta.step('apply/mapping') IS NULL;
    -- The successors of a predecessor are those that its own members went to; all of them where none went to any.
    INSERT INTO curation.succession (predecessor, successor)
        SELECT DISTINCT p, s FROM unnest(before) AS p CROSS JOIN unnest(structures) AS s
        WHERE EXISTS (SELECT FROM curation.succession_member m WHERE m.predecessor = p AND m.successor = s)
           OR NOT EXISTS (SELECT FROM curation.succession_member m WHERE m.predecessor = p AND m.successor IS NOT NULL);
    called := tekrar_meta.step('apply/succession') IS NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.record_supersession(bigint, uuid[], jsonb) FROM PUBLIC;
