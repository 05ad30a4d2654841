-- When everything is in place: the logins of actors have the roles that the ledger grants them.
SELECT curation.synchronize_roles();
