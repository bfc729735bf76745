import { request } from 'undici';
import { readStack, type ServiceName } from '../../harness/stack.ts';

const NAMES: ServiceName[] = ['account', 'submission', 'document', 'billing', 'webhook'];

describe('process health', () => {
  it.each(NAMES)('%s is alive and ready, and has no other page', async (name) => {
    const statusOf = async (path: string): Promise<number> => {
      const answer = await request(`${readStack().private[name]}${path}`);
      await answer.body.dump();
      return answer.statusCode;
    };
    expect(await statusOf('/livez')).toBe(200);
    expect(await statusOf('/readyz')).toBe(200);
    expect(await statusOf('/')).toBe(404);
  });

  it('the gateways are alive and ready, and report it only on their private ports', async () => {
    const { private: ports, gateway, production, pages } = readStack();
    const statusOf = async (url: string): Promise<number> => {
      const answer = await request(url);
      await answer.body.dump();
      return answer.statusCode;
    };
    for (const path of ['/livez', '/readyz', '/metrics']) {
      for (const origin of [ports.gateway, ports.production]) {
        expect([path, await statusOf(`${origin}${path}`)]).toEqual([path, 200]);
      }
      for (const origin of [gateway, production, pages]) {
        expect([path, await statusOf(`${origin}${path}`)]).toEqual([path, 404]);
      }
    }
  });
});
