-- Replays the next entries: kind, payload (canonical bytes) and the entry hash that each must have. Every check that is a
-- function of the ledger is made again; the first entry that does not hold is named by its number. Gives the next number.
CREATE OR REPLACE FUNCTION api.replay_entries(kinds text[], payloads bytea[], hashes bytea[]) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan
    SET enable_seqscan = off
AS $$
#variable_conflict use_variable
DECLARE
    called boolean;
    names CONSTANT text[] := ARRAY['authority', 'curation', 'freeze', 'ledger', 'repetition'];
    heads bytea[] := ARRAY(SELECT h.value FROM curation.head h WHERE h.scope = '' AND h.name = ANY (names) ORDER BY h.name);
    versions bigint[] := ARRAY(SELECT h.version FROM curation.head h WHERE h.scope = '' AND h.name = ANY (names) ORDER BY h.name);
    n integer;
    i integer;
    one bytea;
    first CONSTANT bigint := versions[4];
    seq bigint := first;
    known jsonb[] := '{}';
    payload jsonb;
    entry bytea;
    done record;
    move_names text[] := '{}';
    move_versions bigint[] := '{}';
    move_before bytea[] := '{}';
    move_values bytea[] := '{}';
    state text;
    message text;
    detail text;
    hint text;
BEGIN
    IF current_setting('tekrar.replay', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
        PERFORM curation.refuse('replay', 'no replay was begun in this transaction', 'replay');
    END IF;
    -- The chain of them all, before any of them is looked into.
    FOR n IN 1 .. coalesce(cardinality(kinds), 0) LOOP
        payload := convert_from(payloads[n], 'UTF8')::jsonb;
        entry := sha256('\x00000016'::bytea || 'tekrar/ledger-entry/v1'::bytea || int8send(seq)
            || int4send(octet_length(kinds[n])) || convert_to(kinds[n], 'UTF8') || heads[4]
            || int4send(octet_length(payloads[n])) || payloads[n]);
        IF entry IS DISTINCT FROM hashes[n] OR tekrar_meta.canonical(payload) IS DISTINCT FROM payloads[n] THEN
            PERFORM curation.refuse('ledger_chain', 'the entry does not follow on the one before: one is missing, or altered',
                'entry_hash', encode(entry, 'hex'), encode(hashes[n], 'hex'));
        END IF;
        known := known || payload;
        heads[4] := entry;
        seq := seq + 1;
    END LOOP;
    heads[4] := (SELECT h.value FROM curation.head h WHERE h.name = 'ledger' AND h.scope = '');
    WITH entries AS (
        SELECT e.n, e.kind, e.payload, e.hash, lag(e.hash, 1, heads[4]) OVER (ORDER BY e.n) AS before
        FROM unnest(kinds, payloads, hashes) WITH ORDINALITY AS e(kind, payload, hash, n)
    ), moved AS (
        INSERT INTO curation.head_move (name, scope, version, previous, value)
            SELECT 'ledger', '', first + e.n, e.before, e.hash FROM entries e ORDER BY e.n
    )
    INSERT INTO curation.ledger (seq, kind, payload, previous, entry_hash)
        SELECT first + e.n - 1, e.kind, e.payload, e.before, e.hash FROM entries e ORDER BY e.n;
    FOR n IN 1 .. coalesce(cardinality(kinds), 0) LOOP
        seq := first + n - 1;
        IF kinds[n] IN ('publication', 'withdrawal') THEN
            called := curation.replay_moves(move_names, move_versions, move_before, move_values) IS NULL;
            move_names := '{}';
            move_versions := '{}';
            move_before := '{}';
            move_values := '{}';
            called := curation.replay_heads(names, heads, versions) IS NULL;
        END IF;
        heads[4] := hashes[n];
        versions[4] := seq + 1;
        done := curation.replay_entry(seq, kinds[n], known[n]);
        IF done.happened IS NOT NULL THEN
            i := array_position(names, done.head);
            FOREACH one IN ARRAY done.happened LOOP
                one := sha256(heads[i] || one);
                versions[i] := versions[i] + 1;
                move_names := move_names || done.head;
                move_versions := move_versions || versions[i];
                move_before := move_before || heads[i];
                move_values := move_values || one;
                heads[i] := one;
            END LOOP;
        END IF;
    END LOOP;
    seq := first + coalesce(cardinality(kinds), 0);
    called := curation.replay_moves(move_names, move_versions, move_before, move_values) IS NULL;
    called := curation.replay_heads(names, heads, versions) IS NULL;
    RETURN seq;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
        hint = PG_EXCEPTION_HINT;
    RAISE EXCEPTION USING ERRCODE = CASE WHEN starts_with(state, 'TK') THEN state ELSE 'TK044' END,
        MESSAGE = message,
        DETAIL = (CASE WHEN starts_with(state, 'TK') THEN detail::jsonb ELSE jsonb_build_object('kind', 'ledger_entry',
            'found', state) END || jsonb_build_object('seq', seq, 'where', 'ledger entry ' || seq))::text,
        HINT = coalesce(nullif(hint, ''), 'nothing was kept; export the ledger again, and load what it rests on');
END
$$;
REVOKE ALL ON FUNCTION api.replay_entries(text[], bytea[], bytea[]) FROM PUBLIC;
