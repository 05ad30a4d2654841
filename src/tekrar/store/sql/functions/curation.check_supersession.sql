-- Refuses a supersession whose predecessors are not of one sort and of the profile, or of one of the same series (a family of
-- an earlier text needs a successor, AMB-28), whose successors are not so, or whose mapping is not complete and true. Gives
-- the occurrences that the successors expand to, ascending.
CREATE OR REPLACE FUNCTION curation.check_supersession(profile_key integer, release_key integer, a jsonb) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called boolean;
    body CONSTANT jsonb := a -> 'supersession';
    whom CONSTANT uuid := (a ->> 'profile')::uuid;
    before CONSTANT uuid[] := ARRAY(SELECT p::uuid FROM jsonb_array_elements_text(body -> 'predecessors') AS p);
    -- By their IDs alone, whatever the profile has besides.
    families CONSTANT bigint := (SELECT count(*) FILTER (WHERE curation.same_series(f.profile, whom)) FROM curation.family f
                                 WHERE f.family = ANY (before));
    quotations CONSTANT bigint := (SELECT count(*) FILTER (WHERE curation.same_series(q.profile, whom))
                                   FROM curation.quotation q WHERE q.quotation = ANY (before));
    ids uuid[] := '{}';
    one record;
BEGIN
    IF greatest(families, quotations) <> cardinality(before) THEN
        PERFORM curation.refuse('tag_mismatch', 'the predecessors are not families alone, or quotations alone, of the profile',
            'supersession.predecessors', 'structures of one sort, of this edition, projection and enumerator',
            array_to_string(before, ', '));
    END IF;
    FOR one IN SELECT s.one, format('supersession.successors[%s]', s.n - 1) AS place
               FROM jsonb_array_elements(body -> 'successors') WITH ORDINALITY AS s(one, n) LOOP
        IF one.one ? 'family' <> (families > 0) THEN
            PERFORM curation.refuse('tag_mismatch', 'families and quotations take no place of each other', one.place);
        ELSIF families > 0 THEN
            ids := ids || curation.check_family(profile_key, one.one -> 'family', one.place || '.family');
        ELSE
            called := curation.check_quotation(profile_key, release_key, (a ->> 'text_release')::uuid, one.one -> 'quotation',
                                             one.place || '.quotation') IS NULL;
        END IF;
    END LOOP;
    ids := ARRAY(SELECT i FROM unnest(ids) AS i ORDER BY i);
    IF cardinality(ids) <> (SELECT count(DISTINCT i) FROM unnest(ids) AS i) THEN
        PERFORM curation.refuse('double_membership', 'an occurrence stands in two successors', 'supersession.successors',
            'successors that share no occurrence');
    END IF;
    called := curation.check_mapping(profile_key, body, before, families > 0) IS NULL;
    RETURN ids;
END
$$;
REVOKE ALL ON FUNCTION curation.check_supersession(integer, integer, jsonb) FROM PUBLIC;
