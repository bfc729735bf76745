-- What Prisma's migrate command 7.10.0 left in a database when it had applied the first two migrations of account.
CREATE TABLE "_prisma_migrations" (
    "id"                    VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum"              VARCHAR(64) NOT NULL,
    "finished_at"           TIMESTAMPTZ,
    "migration_name"        VARCHAR(255) NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        TIMESTAMPTZ,
    "started_at"            TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count"   INTEGER NOT NULL DEFAULT 0
);
INSERT INTO "_prisma_migrations" VALUES
    ('3fad01d1-fdf0-439a-8f53-9adf3a41ed3c', 'f97c7f6725735a1d2965ac5a75e1e1d5fabe347cc9f565ce7fea69aeeb292b13',
     '2026-11-21T18:24:52.309Z', '20261120000000_init', NULL, NULL, '2026-11-21T18:24:52.284Z', 1),
    ('35265196-e0f0-4ed7-8266-0a7204d322e6', 'a735a09a73bf8c05234bbb61d7bf1278df7863bc8066ebfec38bcc424a885f00',
     '2026-11-21T18:24:52.360Z', '20261121010000_outbox_by_day', NULL, NULL, '2026-11-21T18:24:52.311Z', 1);
