-- What the writers of the ledger queue for: a table of no rows, locked whole by curation.lock_heads before the rows of the heads.
-- On a row every waiter is woken at each commit to find it changed, and queues again; a lock of a table is handed from one
-- to the next. Not an advisory lock: whoever may connect may take and keep one of those, and this one only the owner's functions.
CREATE TABLE curation.turn (
    taken boolean NOT NULL CHECK (false)
);
SELECT tekrar_meta.guard_append_only('curation.turn');
