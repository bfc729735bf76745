import pg from 'pg';
import { readStack } from './stack.ts';

/** Of all accounts, in the tables of waits. */
const ALL = '00000000-0000-0000-0000-000000000000';
const DAYS = 29;

/** Share of each status in a thousand submissions: accepted, duplicate, rejected, returned. */
const STATUSES = 'VALUES (2, 680), (3, 60), (4, 200), (5, 60)';
/** Share of each state in a thousand events, and whether the first attempt delivered them. */
const STATES = `VALUES ('delivered', true, 930), ('delivered', false, 55), ('exhausted', false, 3), ('superseded', false, 12)`;
/** Classes of waits, eight for each doubling of a millisecond, with their share in a thousand. */
const WAITS = 'VALUES (48, 560), (62, 330), (84, 80), (96, 30)';

/** Days with the submissions received by an account: fewer at weekends, and never the same twice. */
const RECEIVED = `
  SELECT current_date - n AS day, account, at,
         (CASE WHEN extract(isodow FROM current_date - n) > 5 THEN 14 ELSE 38 END + (n * n * 3 + n * at) % 17 - at * 3)::int AS leads
    FROM generate_series(1, ${DAYS}) AS n, unnest($1::uuid[]) WITH ORDINALITY AS a(account, at)`;

/**
 * Adds figures of the 29 days before today, which no service operation can do, so that charts in pictures have more than
 * one day. Repeating it adds nothing.
 */
export async function addHistory(accountIds: readonly string[]): Promise<void> {
  await insert('submission', accountIds, [
    `INSERT INTO intake_count (environment, day, account_id, status, submissions)
     SELECT 2, day, account, status, leads * share / 1000
       FROM (${RECEIVED}) AS r, (${STATUSES}) AS s(status, share) ON CONFLICT DO NOTHING`,
    `INSERT INTO decision_wait_count (environment, account_id, day, wait, submissions)
     SELECT 2, coalesce(account, '${ALL}'), day, wait + extract(day FROM day)::int % 5, sum(leads * share / 1000)
       FROM (${RECEIVED}) AS r, (${WAITS}) AS w(wait, share)
      GROUP BY GROUPING SETS ((account, day, wait), (day, wait)) ON CONFLICT DO NOTHING`,
  ]);
  await insert('webhook', accountIds, [
    `INSERT INTO delivery_count (environment, day, account_id, state, at_first, events)
     SELECT 'production', day, account, state::event_state, at_first, leads * 2 * share / 1000
       FROM (${RECEIVED}) AS r, (${STATES}) AS s(state, at_first, share) ON CONFLICT DO NOTHING`,
    `INSERT INTO first_attempt_wait_count (environment, account_id, day, wait, events)
     SELECT 'production', coalesce(account, '${ALL}'), day, wait + extract(day FROM day)::int % 7, sum(leads * 2 * share / 1000)
       FROM (${RECEIVED}) AS r, (${WAITS}) AS w(wait, share)
      GROUP BY GROUPING SETS ((account, day, wait), (day, wait)) ON CONFLICT DO NOTHING`,
  ]);
}

async function insert(service: string, accountIds: readonly string[], statements: readonly string[]) {
  const url = Object.assign(new URL(readStack().postgres), { pathname: `/${service}` });
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement, [accountIds]);
  } finally {
    await client.end();
  }
}
