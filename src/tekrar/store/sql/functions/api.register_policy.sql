-- Keeps the text of a choice policy (CAN-03). One version of one name has one rule and one text for ever: the same again is
-- `already_registered`, another is refused. Returns {"outcome", "name", "version", "rule", "digest"}.
CREATE OR REPLACE FUNCTION api.register_policy(name text, version text, rule text, document text) RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    actor CONSTANT integer := curation.current_actor();
    digest CONSTANT text := encode(sha256(convert_to(document, 'UTF8')), 'hex');
    told CONSTANT jsonb := jsonb_build_object('name', name, 'version', version, 'rule', rule, 'digest', digest);
    known record;
    payload jsonb;
    seq bigint;
BEGIN
    PERFORM curation.require_grant(actor, 'curator', NULL);
    called := curation.form_policy(told, 'policy') IS NULL;
    called := curation.form_text(to_jsonb(document), 'policy.document', 'words') IS NULL;
    called := curation.lock_heads('{}') IS NULL;
    called := tekrar_meta.step('policy/locked') IS NULL;
    SELECT p.rule, encode(p.digest, 'hex') AS digest INTO known FROM curation.choice_policy p
        WHERE p.name = name AND p.version = version;
    IF FOUND THEN
        called := curation.compare_policy(told, digest, known.digest, known.rule, 'policy') IS NULL;
        RETURN told || '{"outcome": "already_registered"}';
    END IF;
    payload := told || jsonb_build_object('document', document, 'by', curation.name_of(actor), 'recorded_at',
        tekrar_meta.instant(clock_timestamp()));
    called := curation.admit_policy(payload) IS NULL;
    seq := curation.append('policy', payload);
    called := tekrar_meta.step('policy/ledger') IS NULL;
    called := curation.record_policy(seq, payload) IS NULL;
    called := tekrar_meta.step('policy/done') IS NULL;
    RETURN told || '{"outcome": "registered"}';
END
$$;
REVOKE ALL ON FUNCTION api.register_policy(text, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION api.register_policy(text, text, text, text) TO tekrar_curator;
