import type { Load } from '../clients.ts';
import type { Restriction } from '../nemesis.ts';
import type { Edit } from './sources.ts';

/** A bug to plant into the sources, and how a run makes it visible. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The rule that must report it. */
  readonly rule: string;
  /** The services to restart; by default, those of the edited files. */
  readonly services?: readonly string[];
  readonly load?: Partial<Load>;
  readonly faults?: Restriction;
  /** How long the load lasts. */
  readonly seconds?: number;
  readonly recoverySeconds?: number;
  readonly refused?: number;
  readonly refusedAttempts?: 'first' | 'all';
  readonly inFlightMs?: number;
}

const CAPPED = { senders: 8, paceMs: 0, caps: [3, 3, 3, 3, 3, 3, 3, 3], known: 0 };

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'body-ignored-in-replay',
    edits: [
      {
        file: 'services/submission/src/create/create-submission.ts',
        find: "if (bodyDigest === null || !context.keyRing.isDigest(bodyDigest, 'body', bodyFingerprint)) {",
        replace: 'if (bodyDigest === null) {',
      },
    ],
    rule: 'a changed body never replaces the first one',
  },
  {
    name: 'replay-writes',
    edits: [
      {
        file: 'services/submission/src/create/create-submission.ts',
        find: '  return {\n    submission: await statusWithHandoff(context, context.pool, state),\n    created: false,',
        replace:
          "  await context.pool.query('UPDATE submission SET version = version + 1 WHERE id = $1', [state.id]);\n" +
          '  return {\n    submission: await statusWithHandoff(context, context.pool, state),\n    created: false,',
      },
    ],
    rule: 'the changes of a submission have consecutive versions, up to its own',
  },
  {
    name: 'statement-without-credits',
    edits: [
      {
        file: 'services/billing/src/statements/statements.sql.ts',
        find: "count(*) FILTER (WHERE e.kind = 'credit') AS credits",
        replace: '0::bigint AS credits',
      },
    ],
    rule: 'a statement equals the ledger',
  },
  {
    name: 'body-rendered-again',
    edits: [
      {
        file: 'services/webhook/src/deliver/make-attempt.ts',
        find: 'const body = keyRing.open(claimed.sealedBody, bodyAad(eventId));',
        replace:
          'const stored = JSON.parse(Buffer.from(keyRing.open(claimed.sealedBody, bodyAad(eventId))).toString());\n' +
          '    const body = Buffer.from(JSON.stringify({ ...stored, sent_at: startedAt }));',
      },
    ],
    refused: 0.4,
    rule: 'every attempt of an event has the same body',
  },
  {
    name: 'cap-without-lock',
    edits: [
      {
        file: 'services/submission/src/store/acceptance-counts.sql.ts',
        find: "SELECT pg_advisory_xact_lock(hashtextextended('cap/' || k, 0)) FROM unnest($1::text[]) AS u(k)",
        replace: 'SELECT FROM unnest($1::text[]) AS u(k)',
      },
    ],
    load: CAPPED,
    faults: { only: ['slow'], service: 'submission', to: 'postgres', longestMs: 6_000 },
    rule: 'caps are exact',
  },
];
