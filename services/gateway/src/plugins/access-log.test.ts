import { generateCredential } from '@supplier/lib/rpc/credential';
import { createRequest, fakeGateway, SUBMISSION_ID } from '../testing/fake-gateway.ts';
import { exchangeRaw } from '../testing/raw-client.ts';
import { sampleBody } from '../testing/sample-body.ts';

const path = `/v1/supplier-submissions/${SUBMISSION_ID}`;
const linesOf = ({ logLines }: { logLines: readonly string[] }) => logLines.map((line) => JSON.parse(line));

describe('access log', () => {
  it('records the address and credential of a request, its account and its outcome', async () => {
    const gateway = fakeGateway({ env: { SSS_TRUSTED_PROXIES: '127.0.0.0/8' } });
    const { headers, ...request } = createRequest(gateway, sampleBody());
    await gateway.app.inject({ ...request, headers: { ...headers, 'x-forwarded-for': '192.0.2.7' } });
    expect(linesOf(gateway)).toEqual([
      expect.objectContaining({
        msg: 'request',
        listener: 'api',
        method: 'POST',
        route: '/v1/supplier-submissions',
        status: 202,
        outcome: 'ok',
        address: '192.0.2.7',
        public_id: gateway.bearer.split('_')[2],
        account_id: gateway.credential.accountId,
      }),
    ]);
  });

  it('records the public id of a rejected credential and no account', async () => {
    const gateway = fakeGateway();
    const { bearer, publicId } = generateCredential('sss', 'test');
    await gateway.app.inject({ url: path, headers: { authorization: `Bearer ${bearer}` } });
    const [line] = linesOf(gateway);
    expect(line).toMatchObject({ status: 401, outcome: 'unauthorized', public_id: publicId });
    expect(line).not.toHaveProperty('account_id');
  });

  it('records the code of every refusal, including unknown paths', async () => {
    const gateway = fakeGateway({ scopes: [] });
    const headers = { authorization: `Bearer ${gateway.bearer}` };
    for (const request of [{ url: path }, { url: path, headers }, { url: '/nowhere' }, { url: '/%zz' }]) {
      await gateway.app.inject(request);
    }
    expect(linesOf(gateway).map(({ outcome }) => outcome)).toEqual([
      'unauthorized',
      'forbidden',
      'not_found',
      'not_found',
    ]);
    const page = await gateway.registry.metrics();
    expect(page).toContain('sss_gateway_refusals_total{listener="api",code="not_found"} 2');
    expect(page).toContain('sss_gateway_refusals_total{listener="api",code="forbidden"} 1');
  });

  it('has a line for malformed requests and CONNECT, which reach no route', async () => {
    const gateway = fakeGateway();
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    const answers = [
      await exchangeRaw(gateway.app.server, 'noise\r\n\r\n'),
      await exchangeRaw(gateway.app.server, 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'),
    ];
    await gateway.app.close();
    const ids = answers.map((answer) => /x-request-id: (\S+)/i.exec(answer)?.[1]);
    const about = { listener: 'api', address: '127.0.0.1' };
    expect(linesOf(gateway).filter(({ listener }) => listener === 'api')).toEqual([
      expect.objectContaining({
        ...about,
        msg: 'unreadable request',
        outcome: 'bad_request',
        request_id: ids[0],
      }),
      expect.objectContaining({ ...about, msg: 'request', outcome: 'not_found', request_id: ids[1] }),
    ]);
  });

  it('contains nothing of a body, query or secret, nor invalid addresses forwarded by a proxy', async () => {
    const gateway = fakeGateway({ env: { SSS_TRUSTED_PROXIES: '127.0.0.0/8' } });
    const body = sampleBody();
    const { headers, ...request } = createRequest(gateway, body);
    await gateway.app.inject({ ...request, headers: { ...headers, 'x-forwarded-for': 'Jane Roe' } });
    await gateway.app.inject({ url: '/v1/supplier-submissions?external_reference=Roe', headers });
    await gateway.app.inject({ url: '/Jane/Roe' });
    const written = gateway.logLines.join();
    const secrets = [gateway.bearer.split('_')[3], body.email, body.last_name, 'Roe'];
    for (const secret of secrets) expect(written).not.toContain(secret);
  });
});
