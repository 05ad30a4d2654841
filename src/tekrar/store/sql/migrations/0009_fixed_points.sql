-- Four constraints were printed by the catalog otherwise once their own words had been read back: BETWEEN and a row-wise IN
-- nest AND and OR, and what pg_dump wrote of them came back flat, so that a restored database was another schema than
-- this one. Each is made again from its own words, in the partitions too; nothing that it says changes.
DO $$
DECLARE
    one record;
    part regclass;
BEGIN
    FOR one IN
        SELECT k.conrelid::regclass AS place, k.conname, pg_get_constraintdef(k.oid) AS words
        FROM pg_constraint k
        WHERE k.contype = 'c' AND (k.conrelid, k.conname) IN (
            ('repetition.occurrence'::regclass, 'reasons_of_the_excluded'), ('repetition.profile'::regclass, 'initial_matrix'),
            ('repetition.validation'::regclass, 'validation_check'), ('repetition.witness_span'::regclass, 'closed_reasons'))
        ORDER BY k.conrelid::regclass::text, k.conname
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.place, one.conname);
        -- A partition has it from before it was attached, and keeps it when its parent's goes.
        FOR part IN SELECT i.inhrelid::regclass FROM pg_inherits i WHERE i.inhparent = one.place ORDER BY i.inhrelid LOOP
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I', part, one.conname);
        END LOOP;
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', one.place, one.conname, one.words);
    END LOOP;
END
$$;
