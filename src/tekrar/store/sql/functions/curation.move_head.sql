-- A head moves one version at a time and every move is kept. A replay moves many at once, and then each move of them stands
-- in head_move already, one following on the other, from where the head was to where it goes. A head that moves otherwise has
-- no such row: its insertion would fail.
CREATE OR REPLACE FUNCTION curation.move_head() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF tg_op = 'UPDATE' AND coalesce(current_setting('tekrar.replay', true), '') <> '' AND EXISTS (SELECT FROM curation.head_move k WHERE k.name = new.name AND k.scope = new.scope
                                    AND k.version = new.version AND k.value = new.value) THEN
        IF (new.name, new.scope) = (old.name, old.scope) AND (
            SELECT count(*) = new.version - old.version AND bool_and(m.previous = m.before)
            FROM (SELECT k.previous, lag(k.value, 1, old.value) OVER (ORDER BY k.version) AS before FROM curation.head_move k
                  WHERE k.name = old.name AND k.scope = old.scope AND k.version > old.version AND k.version <= new.version) AS m)
        THEN
            RETURN NULL;
        END IF;
    END IF;
    IF tg_op = 'UPDATE' AND ((new.name, new.scope) <> (old.name, old.scope) OR new.version <> old.version + 1) THEN
        RAISE EXCEPTION USING ERRCODE = 'TK001',
            MESSAGE = format('head %s moves one version at a time and keeps its name', old.name),
            DETAIL = jsonb_build_object('kind', 'head_move', 'head', old.name, 'expected', old.version + 1,
                                        'found', new.version)::text;
    END IF;
    IF tg_op = 'INSERT' AND new.version <> 0 THEN
        RAISE EXCEPTION USING ERRCODE = 'TK001', MESSAGE = format('head %s starts at version 0', new.name);
    END IF;
    INSERT INTO curation.head_move (name, scope, version, previous, value)
        VALUES (new.name, new.scope, new.version, CASE WHEN tg_op = 'UPDATE' THEN old.value END, new.value);
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION curation.move_head() FROM PUBLIC;
