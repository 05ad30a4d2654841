-- Roots of the effective structures of a profile (docs/encoding.md section 14) at an entry of the ledger (null: now):
-- families that expand in this artifact, quotations between occurrences of it, choices of a member that their structure has.
CREATE OR REPLACE FUNCTION curation.structure_roots(profile_key integer, before bigint) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    key CONSTANT integer := structure_roots.profile_key;
    own record;
    families uuid[];
    records bytea[];
    roots jsonb;
BEGIN
    SELECT p.profile, p.predicate INTO STRICT own FROM repetition.profile p WHERE p.profile_key = key;
    families := ARRAY(SELECT f.family FROM curation.families_in_force(key, before) AS f WHERE f.expands);
    records := ARRAY(
        SELECT tekrar_meta.record(uuid_send(f.family), CASE f.kind WHEN 'near_exact' THEN '\x01'::bytea ELSE '\x02'::bytea END
            || f.members || int8send(f.size) || f.expansion || d.decision_digest)
        FROM curation.family f JOIN curation.decision d USING (decision) WHERE f.family = ANY (families) ORDER BY f.family);
    roots := jsonb_build_object('families', encode(tekrar_meta.manifest_root('families', own.profile, own.predicate, records), 'hex'));
    records := ARRAY(
        SELECT tekrar_meta.record(uuid_send(q.quotation), CASE q.kind WHEN 'verbatim_quotation' THEN '\x01'::bytea
                WHEN 'adapted_quotation' THEN '\x02'::bytea ELSE '\x03'::bytea END
            || uuid_send(q.source_occurrence) || uuid_send(q.source_selection) || uuid_send(q.quoting_occurrence)
            || uuid_send(q.quoting_selection)
            || sha256((SELECT string_agg(int8send(n), ''::bytea ORDER BY place)
                       FROM unnest(q.extent_mapping) WITH ORDINALITY AS m(n, place)))
            || d.decision_digest)
        FROM curation.quotation q JOIN curation.decision d USING (decision)
        WHERE q.profile = own.profile AND (before IS NULL OR q.decision < before)
          AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = q.quotation
                          AND (before IS NULL OR s.decision < before))
          AND (SELECT count(DISTINCT o.occurrence) FROM repetition.occurrence o WHERE o.profile_key = key
               AND o.occurrence IN (q.source_occurrence, q.quoting_occurrence))
              = CASE q.source_occurrence WHEN q.quoting_occurrence THEN 1 ELSE 2 END
        ORDER BY q.quotation);
    roots := roots || jsonb_build_object('quotations',
        encode(tekrar_meta.manifest_root('quotations', own.profile, own.predicate, records), 'hex'));
    records := ARRAY(
        SELECT tekrar_meta.record(uuid_send(c.choice), CASE WHEN c.family IS NULL THEN '\x01'::bytea ELSE '\x02'::bytea END
            || uuid_send(e.structure) || uuid_send(c.member) || tekrar_meta.lp(convert_to(c.policy, 'UTF8')) || d.decision_digest)
        FROM curation.effective_choice e JOIN curation.canonical_choice c USING (choice)
        JOIN curation.decision d ON d.decision = c.decision
        WHERE e.profile = own.profile
          AND (before IS NULL OR e.since < before) AND (e.until IS NULL OR e.until >= before)
          AND CASE WHEN c.family IS NULL THEN EXISTS (
                  SELECT FROM repetition.class k JOIN repetition.occurrence o ON o.profile_key = key AND o.class_no = k.class_no
                  WHERE k.profile_key = key AND k.class = c.exact_class AND o.occurrence = c.member)
              ELSE c.family = ANY (families) AND EXISTS (SELECT FROM curation.effective_membership m
                                                         WHERE m.family = c.family AND m.occurrence = c.member) END
        ORDER BY c.choice);
    RETURN roots || jsonb_build_object('canonical-choices',
        encode(tekrar_meta.manifest_root('canonical-choices', own.profile, own.predicate, records), 'hex'));
END
$$;
REVOKE ALL ON FUNCTION curation.structure_roots(integer, bigint) FROM PUBLIC;
