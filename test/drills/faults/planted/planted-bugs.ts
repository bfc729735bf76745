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

/** Few suppliers, which reach their caps one after the other, so that some do while transactions are slow and overlap. */
const REACHED_IN_TURN = [4, 8, 12, 16, 24, 32, 48, 64, 96, 128];
const CAPS_REACHED: Pick<PlantedBug, 'load' | 'faults'> = {
  load: { senders: 16, paceMs: 0, caps: REACHED_IN_TURN, known: 0 },
  faults: { only: ['slow'], service: 'submission', to: 'postgres', longestMs: 12_000, slowestMs: 250 },
};
/** A process that is killed while its transactions are held. */
const killedInTransaction = (service: 'webhook' | 'billing'): Pick<PlantedBug, 'faults' | 'seconds'> => ({
  faults: { only: ['killHeld'], service, to: 'postgres', longestMs: 3_000, pauseMs: 3_000 },
  seconds: 25,
});
const CREATE = 'services/submission/src/create/create-submission.ts';
const REPLAY =
  '  return {\n    submission: await statusWithHandoff(context, context.pool, state),\n    created: false,';

/** Each is reported under a short load. The last ones leave work unfinished. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'body-ignored-in-replay',
    edits: [
      {
        file: CREATE,
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
        file: CREATE,
        find: REPLAY,
        replace: `  await context.pool.query('UPDATE submission SET version = version + 1 WHERE id = $1', [state.id]);\n${REPLAY}`,
      },
    ],
    rule: 'the changes of a submission have consecutive versions, up to its own',
  },
  {
    name: 'version-gap',
    edits: [
      {
        file: 'services/submission/src/model/locked-submission.ts',
        find: 'submission.state.version + 1n;',
        replace: 'submission.state.version + (change === StatusChange.RETURNED ? 2n : 1n);',
      },
    ],
    rule: 'the changes of a submission have consecutive versions, up to its own',
  },
  {
    name: 'event-after-commit',
    edits: [
      {
        file: 'services/submission/src/billing/return-submission.ts',
        find: '      saveSubmissions(tx, keyRing, [returned]);\n',
        replace:
          '      saveSubmissions(tx, keyRing, [{ ...returned, unsaved: { ...returned.unsaved, events: [] } }]);\n' +
          '      const late = () => inTransaction(pool, async (next) => void saveSubmissions(next, keyRing, [returned]));\n' +
          '      setTimeout(() => late().then(wakes.relay, () => undefined), 200);\n',
      },
    ],
    load: { staffPaceMs: 50 },
    faults: { only: ['readOnly', 'disconnect'], service: 'submission', longestMs: 2_000 },
    seconds: 20,
    rule: 'the changes of a submission have consecutive versions, up to its own',
  },
  {
    name: 'duplicate-with-application',
    edits: [
      {
        file: 'services/submission/src/model/transitions.ts',
        find: 'if (decision.status !== Status.ACCEPTED || state.level !== Level.APPLICATION)',
        replace: 'if (decision.status === Status.REJECTED || state.level !== Level.APPLICATION)',
      },
    ],
    rule: 'an accepted submission has exactly one Application, and no other has one',
  },
  {
    name: 'receipt-by-own-clock',
    edits: [
      {
        file: 'services/submission/src/create/transaction.ts',
        find: 'receivedSubmission(recording, arrival.receivedAt)',
        replace: 'receivedSubmission(recording, recording.incoming.state.receivedAt)',
      },
    ],
    load: { known: 0.5, latest: 5 },
    faults: { only: ['clock'], service: 'submission', longestMs: 2_500 },
    seconds: 20,
    rule: 'the earliest submission of a customer is the accepted one',
  },
  {
    name: 'cap-without-lock',
    edits: [
      {
        file: 'services/submission/src/store/acceptance-counts.sql.ts',
        find: "SELECT pg_advisory_xact_lock(hashtextextended('cap/' || k, 0)) FROM unnest($1::text[]) AS u(k)",
        replace: 'SELECT FROM unnest($1::text[]) AS u(k)',
      },
      // A decision that takes long after the count, so that others count the same.
      {
        file: 'services/submission/src/store/acceptance-counts.sql.ts',
        find: 'return new Map(rows.map(({ key, today, month })',
        replace:
          'await new Promise((resolve) => setTimeout(resolve, 300));\n  return new Map(rows.map(({ key, today, month })',
      },
    ],
    ...CAPS_REACHED,
    rule: 'caps are exact',
  },
  {
    name: 'cap-counted-twice',
    edits: [
      {
        file: 'services/submission/src/store/acceptance-counts.sql.ts',
        find: 'pg_backend_pid() % 16, count(*)',
        replace: 'pg_backend_pid() % 16, count(*) * 2',
      },
    ],
    rule: 'caps are exact',
  },
  {
    name: 'stale-cache',
    edits: [
      {
        file: 'services/submission/src/store/submissions.sql.ts',
        find: '      const row = await findById(id);\n',
        replace:
          '      const row = cached.get(id) ?? (await findById(id));\n      if (row) cached.set(id, row);\n',
      },
      {
        file: 'services/submission/src/store/submissions.sql.ts',
        find: '  const findById = grouped(',
        replace: '  const cached = new Map<string, StateRow>();\n  const findById = grouped(',
      },
    ],
    load: { staffPaceMs: 50 },
    rule: 'a response is never older than a webhook received before',
  },
  {
    name: 'refused-body-stored',
    edits: [
      {
        file: 'services/gateway/src/routes/create-submission/create-submission.ts',
        find: 'const call = toCreateRequest(Level.APPLICATION, validate(request.body));\n',
        replace: 'const call = toCreateRequest(Level.APPLICATION, request.body as never);\n',
      },
      {
        file: 'services/gateway/src/routes/create-submission/create-submission.ts',
        find: 'const answer = await submission.createSubmission(call, onBehalfOf(request));\n',
        replace:
          'const answer = await submission.createSubmission(call, onBehalfOf(request));\n      validate(request.body);\n',
      },
    ],
    rule: 'nothing refused is stored',
  },
  {
    name: 'return-without-credit',
    edits: [
      {
        file: 'services/submission/src/model/locked-submission.ts',
        find: 'return billing.status === BillingStatus.BILLABLE || Boolean(wasBillableAt);',
        replace: 'return billing.status === BillingStatus.BILLABLE;',
      },
    ],
    rule: 'the ledger equals the billing state',
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
    name: 'old-signing-secret',
    edits: [
      {
        file: 'services/webhook/src/deliver/make-attempt.ts',
        find: 'if (known && Buffer.compare(known.sealed, sealedSecret) === 0) return known.key;',
        replace: 'if (known) return known.key;',
      },
    ],
    load: { rotations: 0.5 },
    inFlightMs: 3_000,
    rule: 'every delivery is signed with a secret in force',
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
    name: 'attempt-sent-twice',
    edits: [
      {
        file: 'services/webhook/src/deliver/make-attempt.ts',
        find: 'await client.post(\n',
        replace:
          'await (async (...sent: Parameters<typeof client.post>) => {\n' +
          '      const first = await client.post(...sent);\n' +
          '      return first.error === undefined ? first : client.post(...sent);\n' +
          '    })(\n',
      },
    ],
    refused: 0.1,
    refusedAttempts: 'all',
    recoverySeconds: 30,
    rule: 'an event is attempted at most eight times',
  },
  {
    name: 'newest-event-superseded',
    edits: [
      {
        file: 'services/webhook/src/model/recording.ts',
        find: 'const later = latestAfter(others, change.occurredAt);',
        replace: 'const later = others.at(-1);',
      },
    ],
    load: { staffPaceMs: 30 },
    faults: { only: ['halt'], service: 'webhook', longestMs: 4_000 },
    rule: 'every change has one event, superseded only by a later one',
  },
  {
    name: 'acknowledged-before-commit',
    edits: [
      {
        file: 'services/lib/events/event-bus/index.ts',
        find: '      if (set.length > 0) await applyAll(set);\n',
        replace:
          '      for (const { delivery } of set) delivery.acknowledge();\n      if (set.length > 0) await applyAll(set);\n',
      },
    ],
    services: ['webhook'],
    ...killedInTransaction('webhook'),
    rule: 'every change has one event, superseded only by a later one',
  },
  {
    name: 'redelivery-dropped',
    edits: [
      {
        file: 'services/lib/events/event-bus/message-source.ts',
        find: 'if (!isWanted(message)) {',
        replace: 'if (!isWanted(message) || message.redelivered) {',
      },
    ],
    services: ['billing'],
    ...killedInTransaction('billing'),
    recoverySeconds: 40,
    rule: 'the ledger equals the billing state',
  },
  {
    name: 'erasure-keeps-application',
    edits: [
      {
        file: 'services/submission/src/privacy/erase-submission.sql.ts',
        find: 'UPDATE application SET snapshot = NULL, close_reason = NULL',
        replace: 'UPDATE application SET close_reason = NULL',
      },
    ],
    rule: 'an erased submission keeps no personal data',
  },
  {
    name: 'held-submission-erased',
    edits: [
      {
        file: 'services/submission/src/privacy/legal-holds.sql.ts',
        find: 'EXISTS (SELECT FROM legal_hold h WHERE h.submission_id = w.id) AS held',
        replace: 'false AS held',
      },
      {
        file: 'services/submission/src/privacy/legal-holds.sql.ts',
        find: "text: 'SELECT FROM legal_hold WHERE submission_id = $1'",
        replace: "text: 'SELECT FROM legal_hold WHERE submission_id = $1 AND held_at > now()'",
      },
    ],
    rule: 'a held submission is kept',
  },
  {
    name: 'approval-of-another-target',
    edits: [
      {
        file: 'services/lib/governance/approvals/index.ts',
        find: 'if (row.sha256 === asked.sha256 && row.action === action) return;',
        replace: 'if (row.action === action) return;',
      },
    ],
    services: ['submission'],
    rule: 'an approval permits only what was approved',
  },
  {
    name: 'name-in-audit-log',
    edits: [
      {
        file: 'services/submission/src/privacy/erase-own.ts',
        find: "      action: 'EraseSubmission',\n",
        replace:
          "      action: 'EraseSubmission',\n" +
          '      before: { applicant: row.enquiry && openEnquiry(context.keyRing, row).lastName },\n',
      },
      {
        file: 'services/submission/src/privacy/erase-own.ts',
        find: "import { saveSubmissions } from '../store/save-submissions.sql.ts';\n",
        replace:
          "import { saveSubmissions } from '../store/save-submissions.sql.ts';\n" +
          "import { openEnquiry } from '../store/submission-row.ts';\n",
      },
    ],
    rule: 'an erased submission keeps no personal data',
  },
  {
    name: 'lost-attempt-never-closed',
    edits: [
      {
        file: 'services/webhook/src/deliver/engine.ts',
        find: 'const lost = await queue.lostAttempts(LOST_PER_POLL);',
        replace: 'const lost: LostAttempt[] = [];',
      },
    ],
    refused: 0.5,
    faults: { only: ['kill'], service: 'webhook', pauseMs: 6_000 },
    seconds: 20,
    recoverySeconds: 45,
    rule: 'every queue is empty',
  },
  {
    name: 'lease-by-own-clock',
    edits: [
      {
        file: 'services/webhook/src/deliver/queue.sql.ts',
        find: `lease_until = \${NOW} + $3 * interval '1 millisecond'`,
        replace: `lease_until = $3::timestamptz`,
      },
      {
        file: 'services/webhook/src/deliver/queue.sql.ts',
        find: 'requests.map(({ slots }) => slots), leaseMs],',
        replace: 'requests.map(({ slots }) => slots), new Date(Date.now() + leaseMs)],',
      },
    ],
    refused: 0.5,
    faults: { only: ['kill'], service: 'webhook', offsetS: 600, pauseMs: 6_000 },
    seconds: 30,
    recoverySeconds: 45,
    rule: 'every queue is empty',
  },
  {
    name: 'inbox-forgets',
    edits: [
      {
        file: 'services/webhook/src/record/record-events.sql.ts',
        find: '(SELECT true FROM event e WHERE',
        replace: '(SELECT true FROM event e WHERE false AND',
      },
    ],
    faults: { only: ['deleteConsumer'] },
    rule: 'every queue is empty',
  },
];
