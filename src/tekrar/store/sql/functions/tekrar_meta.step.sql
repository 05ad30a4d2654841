-- A place where a fault test can hold a transaction: with the setting tekrar.stop_at naming the step, a minute's wait.
CREATE OR REPLACE FUNCTION tekrar_meta.step(name text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF current_setting('tekrar.stop_at', true) = name THEN
        PERFORM pg_sleep(60);
    END IF;
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.step(text) FROM PUBLIC;
