import { request } from 'undici';
import { type Exposed, exposedBy, missingFrom } from '../../../charts/monitoring/exposition.ts';
import { shippedQueries } from '../../../charts/monitoring/queries.ts';
import { newSupplier } from '../../harness/accounts.ts';
import { eventsOf, newEndpoint, type OwnReceiver, startReceiver } from '../../harness/endpoints.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { readStack } from '../../harness/stack.ts';
import { created } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

/** Metrics that Prometheus adds or that the rules record. */
const GIVEN = new Set([
  'up',
  ...shippedQueries().flatMap(({ where }) =>
    where.startsWith('rule sss:') ? [where.slice('rule '.length)] : [],
  ),
]);
/** Without clamd there is no scanner, and without TLS there is no certificate. */
const OF_THE_SCANNER = [
  'sss_oldest_document_awaiting_scan_age_seconds',
  'sss_documents_awaiting_scan',
  'sss_documents_parked',
  'sss_scans_total',
];
const OF_TLS = ['sss_tls_certificate_expiry_timestamp_seconds'];

const givenElsewhere = () => {
  const { tls, metrics } = readStack();
  return new Set([...GIVEN, ...(tls ? [] : OF_TLS), ...(metrics.scanner ? [] : OF_THE_SCANNER)]);
};

let receiver: OwnReceiver;
let exposed: Exposed;

beforeAll(async () => {
  // A failing endpoint is the only series that is exposed only while it exists.
  receiver = await startReceiver();
  receiver.answers = 500;
  const failing = await newSupplier();
  await newEndpoint(failing.accountId, receiver.url);
  const { submission_id } = await created(failing, enquiry());
  await eventsOf(submission_id, 'attempted', (events) => events.some(({ attempts }) => attempts.length > 0));
  // A figure that a busy database delayed is left out of one response.
  exposed = await waitFor('all metrics', async () => {
    const now = exposedBy(await Promise.all(Object.values(readStack().metrics).map(scrape)));
    const missing = shippedQueries().flatMap(({ expr }) => missingFrom(now, expr, givenElsewhere()));
    if (missing.length > 0) throw new NotYet(missing.join(', '));
    return now;
  });
});
afterAll(() => receiver?.close());

async function scrape(url: string): Promise<string> {
  const answer = await request(url);
  expect(answer.statusCode).toBe(200);
  return answer.body.text();
}

describe('metrics that rules and dashboards query', () => {
  it.each(shippedQueries())('are exposed by the running processes: $where', ({ expr }) => {
    expect(missingFrom(exposed, expr, givenElsewhere())).toEqual([]);
  });

  it('are reported when missing', () => {
    const faults = (expr: string) => missingFrom(exposed, expr, GIVEN);
    expect(faults('sss_no_such_total')).toEqual(['no metric sss_no_such_total']);
    expect(faults('sum by (colour) (sss_nats_connected)')).toEqual(['no label colour']);
    expect(faults('sss_nats_connected{colour!="red"}')).toEqual(['no label colour of sss_nats_connected']);
    expect(faults('sss_rpc_denied_total{reason=~"role|colour"}')).toEqual([
      'no reason="colour" of sss_rpc_denied_total',
    ]);
  });
});

describe('metrics of every process', () => {
  it('include its build and the state of its event loop, memory and pools', async () => {
    for (const [name, url] of Object.entries(readStack().metrics)) {
      const page = exposedBy([await scrape(url)]);
      const own = [
        'sss_build_info',
        'nodejs_eventloop_lag_p99_seconds',
        'process_resident_memory_bytes',
        'sss_database_pool_connections',
      ];
      expect([name, ...own.filter((metric) => !page.has(metric))]).toEqual([name]);
      const [build] = page.get('sss_build_info') ?? [];
      expect(build).toEqual({
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        revision: expect.any(String),
      });
    }
  });

  it('have labels from closed sets only, with no ids except the ids of failing endpoints', () => {
    const ids = /[0-9a-f]{8}-[0-9a-f]{4}-|sss_(?:test|live)_|@/;
    const shown = [...exposed].flatMap(([metric, samples]) =>
      metric === 'sss_webhook_endpoint_failed_attempts'
        ? []
        : samples.filter((labels) => ids.test(Object.values(labels).join(' '))).map(() => metric),
    );
    expect(shown).toEqual([]);
  });
});
