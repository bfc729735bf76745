import { Scope } from '@supplier/proto/common/v1/principal';
import { type FakeGateway, fakeGateway } from '../testing/fake-gateway.ts';
import { deliveryBody } from '../testing/sample-bodies.ts';
import { sampleBody } from '../testing/sample-body.ts';

const V1 = '/v1/supplier-submissions';
const V2 = '/v2/supplier-submissions';
const MISFIT = {
  [V1]: { path: 'level', message: `must be application here. Send basic enquiries to POST ${V2}.` },
  [V2]: { path: 'level', message: `must be basic here. Send application enquiries to POST ${V1}.` },
};

const newGateway = () => fakeGateway({ scopes: [Scope.CREATE_APPLICATION, Scope.CREATE_BASIC] });

async function refusal(url: string, payload: object, gateway: FakeGateway = newGateway()) {
  const headers = { authorization: `Bearer ${gateway.bearer}`, 'content-type': 'application/json' };
  const answer = await gateway.app.inject({ method: 'POST', url, headers, payload });
  expect([answer.statusCode, gateway.calls]).toEqual([422, []]);
  return answer.json().error;
}

describe('levelFirst', () => {
  it('reports the path for basic enquiries first', async () => {
    const { message, details } = await refusal(V1, deliveryBody());
    expect(message).toBe(`Send basic enquiries to POST ${V2}.`);
    expect(details[0]).toEqual(MISFIT[V1]);
    expect(details).toContainEqual({ path: 'business_structure', message: 'is required' });
  });

  it('reports the path for application enquiries first', async () => {
    const { message, details } = await refusal(V2, sampleBody());
    expect(message).toBe(`Send application enquiries to POST ${V1}.`);
    expect(details[0]).toEqual(MISFIT[V2]);
    expect(details).toContainEqual({ path: 'business_structure', message: 'is not a known field' });
  });

  it.each([V1, V2] as const)('reports the level first when %s does not accept it', async (path) => {
    for (const level of ['Basic', '', null, 7, {}]) {
      const { message, details } = await refusal(path, { extra: 1, level });
      expect(message).toBe('The request has missing or invalid fields.');
      expect(details[0]).toEqual(MISFIT[path]);
      expect(details.filter((violation: { path: string }) => violation.path === 'level')).toHaveLength(1);
    }
  });

  it.each([V1, V2] as const)('reports a missing level first: %s', async (path) => {
    const { details } = await refusal(path, { extra: 1 });
    expect(details[0]).toEqual({ path: 'level', message: 'is required' });
  });

  it('reports the level first among any number of other violations', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`field_${at}`, at]));
    const { details } = await refusal(V1, { ...unknown, ...deliveryBody() });
    expect([details.length, details[0]]).toEqual([50, MISFIT[V1]]);
  });

  it.each([V1, V2])('keeps the other violations unchanged when the level fits: %s', async (path) => {
    const body = path === V1 ? sampleBody() : deliveryBody();
    const { details } = await refusal(path, { ...body, funding_amount: 1 });
    expect(details).toEqual([{ path: 'funding_amount', message: 'must be at least 1000' }]);
  });

  it.each([[[]], ['basic'], [null]])(
    'does not report the level when the body is not an object: %j',
    async (body) => {
      const gateway = newGateway();
      const headers = { authorization: `Bearer ${gateway.bearer}`, 'content-type': 'application/json' };
      const payload = JSON.stringify(body);
      const answer = await gateway.app.inject({ method: 'POST', url: V1, headers, payload });
      expect(answer.json().error.details).toEqual([{ path: '', message: 'must be an object' }]);
    },
  );
});
