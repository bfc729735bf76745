import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@supplier/lib/testing';
import { createRequest, fakeGateway } from './testing/fake-gateway.ts';
import { sampleBody } from './testing/sample-body.ts';

/** How long the client takes to send its body, and the service to respond. */
const BODY_MS = 200;
const ANSWER_MS = 200;
/** The access log has a resolution of 0.1 ms. */
const ROUNDING_MS = 1;

const gateway = fakeGateway();
afterAll(() => gateway.app.close());

it('metrics and access log report the request duration that the client measures', async () => {
  const { answer } = gateway;
  let answeredAt = Number.NaN;
  gateway.answer = async (call) => {
    await delay(ANSWER_MS);
    answeredAt = performance.now();
    return answer(call);
  };
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  const { method, url, headers, payload } = createRequest(gateway, sampleBody());

  const headArrived = once(gateway.app.server, 'request');
  const sentAt = performance.now();
  const request = http.request({ port, method, path: url, headers });
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  request.flushHeaders();
  await headArrived;
  const arrivedAt = performance.now();
  await delay(BODY_MS);
  request.end(JSON.stringify(payload));
  const [response] = await answered;
  response.resume();
  expect(response.statusCode).toBe(202);

  const valueIn = async (kind: 'count' | 'sum') => {
    const series = `sss_gateway_request_duration_seconds_${kind}{operation="createSubmission",status="202"} `;
    const line = (await gateway.registry.metrics()).split('\n').find((text) => text.startsWith(series));
    return Number(line?.slice(series.length));
  };
  await eventually('the request is measured', async () => (await valueIn('count')) === 1);
  const measuredMs = 1_000 * (await valueIn('sum'));
  const logged = gateway.logLines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'request');
  const readAt = performance.now();
  for (const ms of [measuredMs, logged.duration_ms]) {
    expect(ms).toBeGreaterThanOrEqual(answeredAt - arrivedAt - ROUNDING_MS);
    expect(ms).toBeLessThanOrEqual(readAt - sentAt + ROUNDING_MS);
  }
});
