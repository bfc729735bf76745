import { randomBytes } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import { callOptions } from '@supplier/lib/rpc/rpc-client';
import { createTestDatabase, eventually, startTestRpcServer } from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment, Level } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import pg from 'pg';
import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { openTestService } from '../../testing/test-service.ts';

const TERMS = { billingModel: 1, decisionMode: 1, applicationMinting: 1, preUnderwritingFailure: 1 };

/** Creates a pool whose list queries keep their connections until released. */
function slowLists(databaseUrl: string) {
  // The same options as the pool of the service.
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 10,
    pipeline: true,
    connectionTimeoutMillis: 2_000,
  });
  pool.on('error', () => {});
  const released = Promise.withResolvers<void>();
  let lists = 0;
  const through = () =>
    new Proxy(pool, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'query') return value.bind(target);
        return async (...given: [pg.QueryConfig]) => {
          if (!given[0].text?.includes('AS is_parked')) return Reflect.apply(value, target, given);
          const client = await target.connect();
          try {
            lists += 1;
            await released.promise;
            return await client.query(...given);
          } finally {
            client.release();
          }
        };
      },
    });
  return { pool, through, release: released.resolve, lists: () => lists };
}

it('200 concurrent lists by one member of staff block neither creates nor reads by a colleague', async () => {
  const database = await createTestDatabase({ serviceDir: new URL('../../', import.meta.url) });
  const { pool, through, release, lists } = slowLists(database.databaseUrl);
  const service = await openTestService({ pool, through });
  const server = await startTestRpcServer('submission', SubmissionService, service.routes());
  const crowding = server.overGrpcAs('crowding', 'staff:viewer');
  const { promise: isRefused, resolve: refused } = Promise.withResolvers<Code>();
  const crowd = Array.from({ length: 200 }, () =>
    crowding.listSubmissions({}).catch((error: unknown) => refused(ConnectError.from(error).code)),
  );
  expect(await isRefused).toBe(Code.ResourceExhausted);
  await eventually('two lists have their connections', async () => lists() === 2);

  const principal = {
    accountId: newId(),
    credentialId: newId(),
    environment: Environment.PRODUCTION,
    scopes: [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION],
    terms: TERMS,
  };
  const { createSubmission } = server.as('gateway', 'service:gateway');
  const creates = Array.from({ length: 60 }, (_, number) =>
    createSubmission(
      {
        externalReference: `crowd-${number}`,
        level: number % 2 ? Level.BASIC : Level.APPLICATION,
        enquiry: sampleEnquiry(),
        bodyFingerprint: randomBytes(32),
      },
      callOptions(principal),
    ),
  );
  const created = await Promise.all(creates);
  expect(created.filter((answer) => answer.created)).toHaveLength(60);

  const colleague = server.as('colleague', 'staff:viewer');
  for (const { submission } of created.slice(0, 10)) {
    const submissionId = submission?.submissionId ?? '';
    expect((await colleague.getTimeline({ submissionId })).$typeName).toContain('Timeline');
  }
  expect(lists()).toBe(2);

  release();
  await Promise.all(crowd);
  await server.close();
  await service.close();
  await pool.end();
  await database.close();
});
