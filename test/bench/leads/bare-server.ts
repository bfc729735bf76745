// The baseline for the service: only Fastify with one prepared statement per request, on the same PostgreSQL, with the
// same packages. The row has the data of a submission, except that its body is not sealed. Controlled over IPC.
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import Fastify from 'fastify';
import pg from 'pg';

/** Enough for a free connection when a request arrives, and few enough not to compete on two cores. */
const POOL = 16;

const TABLE = `
  CREATE TABLE IF NOT EXISTS bare_row (
    id uuid PRIMARY KEY, account_id uuid NOT NULL, environment smallint NOT NULL, external_reference text NOT NULL,
    level smallint NOT NULL, status smallint NOT NULL, received_at timestamptz(3) NOT NULL, body_digest bytea NOT NULL,
    terms bytea NOT NULL, enquiry bytea NOT NULL, company_hash bytea NOT NULL, telephone_hash bytea NOT NULL,
    email_hash bytea NOT NULL, UNIQUE (account_id, environment, external_reference))`;
const INSERT = `
  INSERT INTO bare_row VALUES ($1, $2, 2, $3, 2, 1, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (account_id, environment, external_reference) DO NOTHING`;
const SELECT =
  'SELECT id, external_reference, environment, level, status, received_at FROM bare_row WHERE id = $1';

interface Enquiry {
  readonly external_reference: string;
}

process.on('disconnect', () => process.exit(0));
process.once('message', async ({ databaseUrl }: { databaseUrl: string }) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL });
  await pool.query(TABLE);
  process.send?.({ port: await serve(pool) });
});

async function serve(pool: pg.Pool): Promise<number> {
  const accountId = newId<AccountId>();
  const terms = randomBytes(40);
  const hash = randomBytes(32);
  const app = Fastify({ logger: false });
  app.post<{ Body: Enquiry }>('/rows', async (request, reply) => {
    const id = newId<SubmissionId>();
    const { external_reference } = request.body;
    const sealed = Buffer.from(JSON.stringify(request.body));
    await pool.query({
      name: 'insert-row',
      text: INSERT,
      values: [id, accountId, external_reference, new Date(), hash, terms, sealed, hash, hash, hash],
    });
    return reply.code(202).send({ id, external_reference });
  });
  app.get<{ Params: { id: string } }>('/rows/:id', async (request, reply) => {
    const { rows } = await pool.query({ name: 'select-row', text: SELECT, values: [request.params.id] });
    return rows[0] ? reply.send(rows[0]) : reply.code(404).send();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}
