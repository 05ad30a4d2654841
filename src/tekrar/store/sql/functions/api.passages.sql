-- What the diffs are derived from that an undecided proposal names: its action (in the first row alone) and each occurrence
-- with its bytes, the separators about it and the spans of one treatment that its witness has. As much as curators and
-- reviewers of its edition read of a published profile anyway, in one question; nothing of any other.
CREATE OR REPLACE FUNCTION api.passages(proposal text, treatment integer)
    RETURNS TABLE (action bytea, occurrence uuid, start_byte bigint, extent bigint, root bytea, text_release uuid, projection text,
                   data bytea, separators bigint[], masks bigint[])
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off
    SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
    scopes CONSTANT text[] := api.scopes('tekrar_curator') || api.scopes('tekrar_reviewer');
    p curation.proposal;
    a jsonb;
    here record;
BEGIN
    SELECT * INTO p FROM curation.proposal q WHERE q.proposal_digest = CASE WHEN passages.proposal ~ '^[0-9a-f]{64}$'
        THEN decode(passages.proposal, 'hex') END;
    IF NOT FOUND OR NOT ARRAY['*', p.edition] && scopes
       OR EXISTS (SELECT FROM curation.decision d WHERE d.proposal_digest = p.proposal_digest) THEN
        RETURN;
    END IF;
    a := convert_from(p.action, 'UTF8')::jsonb;
    SELECT r.profile_key, r.release_key, f.projection INTO here FROM repetition.repetition_release r
        JOIN repetition.profile f USING (profile_key) WHERE r.profile = p.profile ORDER BY r.profile_key LIMIT 1;
    IF NOT FOUND OR NOT a ?| '{family,quotation,supersession}' THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT CASE WHEN n.place = 1 THEN p.action END, o.occurrence, o.start_byte, o.extent::bigint, w.root, p.text_release,
        here.projection,
        (SELECT string_agg(substring(b.data FROM greatest(o.start_byte - 32768 * b.block::bigint, 0)::integer + 1
                    FOR (least(o.start_byte + o.extent - 32768 * b.block::bigint, 32768)
                         - greatest(o.start_byte - 32768 * b.block::bigint, 0))::integer), ''::bytea ORDER BY b.block)
         FROM core.text_block b WHERE b.release_key = here.release_key
             AND b.block BETWEEN o.start_byte / 32768 AND (o.start_byte + o.extent - 1) / 32768),
        (SELECT array_agg(ARRAY[s.kind::bigint, s.start_byte, s.end_byte] ORDER BY s.atom) FROM core.separator s
         WHERE s.release_key = here.release_key AND s.atom >= h.first_atom - 1
           AND s.atom <= coalesce((SELECT x.first_atom FROM core.paragraph x WHERE x.release_key = here.release_key
                                   AND x.paragraph = o.last_paragraph + 1), 2147483647)
           AND s.start_byte <= o.start_byte + o.extent AND s.end_byte >= o.start_byte),
        (SELECT array_agg(ARRAY[t.start_byte, t.end_byte] ORDER BY t.start_byte) FROM repetition.witness_span t
         WHERE t.profile_key = here.profile_key AND t.witness = o.witness AND t.treatment = passages.treatment)
    FROM (SELECT row_number() OVER (ORDER BY d.id) AS place, d.id FROM (
              SELECT DISTINCT e.id::uuid AS id FROM curation.named_diffs(a) AS m CROSS JOIN LATERAL (VALUES (m.lhs), (m.rhs)) AS e(id))
          AS d) AS n
    LEFT JOIN LATERAL (SELECT c.* FROM repetition.occurrence c WHERE c.profile_key = here.profile_key AND c.occurrence = n.id
                       LIMIT 1) AS o ON true
    LEFT JOIN LATERAL (SELECT x.root FROM repetition.witness x WHERE x.profile_key = here.profile_key AND x.witness = o.witness
                       LIMIT 1) AS w ON true
    LEFT JOIN LATERAL (SELECT x.first_atom FROM core.paragraph x WHERE x.release_key = here.release_key
                       AND x.paragraph = o.paragraph LIMIT 1) AS h ON true
    ORDER BY n.place;
END
$$;
REVOKE ALL ON FUNCTION api.passages(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.passages(text, integer) TO tekrar_curator, tekrar_reviewer;
