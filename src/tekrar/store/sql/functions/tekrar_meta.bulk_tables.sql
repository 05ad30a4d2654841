-- The partitioned tables of one key, in the order in which they are attached (always the same, so that two loads at once
-- cannot wait for each other in a circle).
CREATE OR REPLACE FUNCTION tekrar_meta.bulk_tables(key_column text) RETURNS SETOF regclass
    LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT t::regclass FROM unnest(CASE key_column
        WHEN 'release_key' THEN ARRAY['core.annotation', 'core.book', 'core.chapter', 'core.dataset', 'core.paragraph',
                                      'core.sentence', 'core.separator', 'core.text_block']
        WHEN 'profile_key' THEN ARRAY['repetition.class', 'repetition.enumeration_exclusion', 'repetition.occurrence',
                                      'repetition.witness', 'repetition.witness_span']
        WHEN 'set_key' THEN ARRAY['curation.candidate', 'curation.candidate_participant', 'curation.evidence'] END)
        WITH ORDINALITY AS of_key(t, place) ORDER BY place
$$;
REVOKE ALL ON FUNCTION tekrar_meta.bulk_tables(text) FROM PUBLIC;
