-- A place where a fault test can hold a transaction. With the setting tekrar.stop_at the steps of the transaction are
-- listed in tekrar.steps, and the one that it names, by its name or its number from 1, waits for tekrar.stop_for seconds
-- (a minute). Without the setting it does nothing.
CREATE OR REPLACE FUNCTION tekrar_meta.step(name text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    stop_at CONSTANT text := coalesce(current_setting('tekrar.stop_at', true), '');
    steps text;
BEGIN
    IF stop_at = '' THEN
        RETURN;
    END IF;
    steps := concat_ws(' ', nullif(current_setting('tekrar.steps', true), ''), name);
    PERFORM set_config('tekrar.steps', steps, true);
    IF stop_at IN (name, cardinality(string_to_array(steps, ' '))::text) THEN
        PERFORM pg_sleep(coalesce(nullif(current_setting('tekrar.stop_for', true), '')::float8, 60));
    END IF;
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.step(text) FROM PUBLIC;
