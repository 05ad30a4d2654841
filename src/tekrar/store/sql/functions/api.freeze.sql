-- Raises the freeze epoch: publications and applies that were prepared under an older one are refused (CUR-11).
CREATE OR REPLACE FUNCTION api.freeze(reason text) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    author CONSTANT integer := curation.authorize_administrator('*');
    epoch CONSTANT bigint := 1 + coalesce((SELECT max(f.epoch) FROM curation.freeze f), 0);
    moment timestamptz;
    seq bigint;
BEGIN
    IF coalesce(btrim(reason), '') = '' THEN
        PERFORM tekrar_meta.bad_argument('reason', 'words that say why', reason);
    END IF;
    moment := clock_timestamp();
    seq := curation.append('freeze', jsonb_build_object('epoch', epoch::text, 'reason', reason, 'by',
        curation.name_of(author), 'recorded_at', tekrar_meta.instant(moment)));
    INSERT INTO curation.freeze (epoch, reason, frozen_by, recorded_at, ledger_seq) VALUES (epoch, reason, author, moment, seq);
    PERFORM curation.move_to('freeze', int8send(seq));
    RETURN jsonb_build_object('outcome', 'frozen', 'epoch', epoch);
END
$$;
REVOKE ALL ON FUNCTION api.freeze(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.freeze(text) TO tekrar_administrator;
