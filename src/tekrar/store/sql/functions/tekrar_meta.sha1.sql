-- SHA-1 (FIPS 180-4), which PostgreSQL has only in an extension; for the names of releases, a few blocks each.
CREATE OR REPLACE FUNCTION tekrar_meta.sha1(message bytea) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    low CONSTANT bigint := 4294967295;
    padded CONSTANT bytea := message || '\x80'::bytea
        || decode(repeat('00', (119 - octet_length(message) % 64) % 64), 'hex') || int8send(octet_length(message) * 8::bigint);
    h bigint[] := ARRAY[1732584193, 4023233417, 2562383102, 271733878, 3285377520];
    w bigint[];
    v bigint[];
    f bigint;
    k bigint;
    x bigint;
BEGIN
    FOR block IN 0 .. octet_length(padded) / 64 - 1 LOOP
        FOR i IN 0 .. 79 LOOP
            IF i < 16 THEN
                x := ('x' || encode(substring(padded FROM block * 64 + i * 4 + 1 FOR 4), 'hex'))::bit(32)::bigint & low;
            ELSE
                x := w[i - 2] # w[i - 7] # w[i - 13] # w[i - 15];
                x := ((x << 1) | (x >> 31)) & low;
            END IF;
            w[i + 1] := x;
        END LOOP;
        v := h;
        FOR i IN 1 .. 80 LOOP
            IF i <= 20 THEN
                f := (v[2] & v[3]) | (~v[2] & v[4]);
                k := 1518500249;
            ELSIF i <= 40 THEN
                f := v[2] # v[3] # v[4];
                k := 1859775393;
            ELSIF i <= 60 THEN
                f := (v[2] & v[3]) | (v[2] & v[4]) | (v[3] & v[4]);
                k := 2400959708;
            ELSE
                f := v[2] # v[3] # v[4];
                k := 3395469782;
            END IF;
            x := ((((v[1] << 5) | (v[1] >> 27)) & low) + (f & low) + v[5] + k + w[i]) & low;
            v := ARRAY[x, v[1], ((v[2] << 30) | (v[2] >> 2)) & low, v[3], v[4]];
        END LOOP;
        h := ARRAY[(h[1] + v[1]) & low, (h[2] + v[2]) & low, (h[3] + v[3]) & low, (h[4] + v[4]) & low, (h[5] + v[5]) & low];
    END LOOP;
    RETURN substring(int8send(h[1]) FROM 5) || substring(int8send(h[2]) FROM 5) || substring(int8send(h[3]) FROM 5)
        || substring(int8send(h[4]) FROM 5) || substring(int8send(h[5]) FROM 5);
END
$$;
REVOKE ALL ON FUNCTION tekrar_meta.sha1(bytea) FROM PUBLIC;
