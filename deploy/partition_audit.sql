-- Split the audit table by month. Run it once, with the gateway stopped; it takes a moment and copies nothing.
-- What is there stays in `audit_before`, which also takes rows of months that have no partition of their own.
BEGIN;
ALTER TABLE audit RENAME TO audit_before;
ALTER TABLE audit_before DROP CONSTRAINT pk_audit;
ALTER INDEX ix_audit_draft_id_seq RENAME TO ix_audit_before_draft_id_seq;
ALTER INDEX ix_audit_conversation_id_seq RENAME TO ix_audit_before_conversation_id_seq;
CREATE TABLE audit (LIKE audit_before INCLUDING DEFAULTS) PARTITION BY RANGE (at);
ALTER SEQUENCE audit_seq_seq OWNED BY audit.seq;
ALTER TABLE audit ADD CONSTRAINT pk_audit PRIMARY KEY (seq, at);
CREATE INDEX ix_audit_draft_id_seq ON audit (draft_id, seq);
CREATE INDEX ix_audit_conversation_id_seq ON audit (conversation_id, seq);
ALTER TABLE audit ATTACH PARTITION audit_before DEFAULT;
-- One for each month to come; nothing may stand in `audit_before` for its days yet.
CREATE TABLE audit_2027_01 PARTITION OF audit FOR VALUES FROM ('2027-01-01 00:00+00') TO ('2027-02-01 00:00+00');
CREATE TABLE audit_2027_02 PARTITION OF audit FOR VALUES FROM ('2027-02-01 00:00+00') TO ('2027-03-01 00:00+00');
COMMIT;
